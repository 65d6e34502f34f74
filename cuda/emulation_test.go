//go:build cudaemulation && !cuda

package cuda

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/ottest"
)

func on(d *emulated) Engine { return Engine{newPool(d)} }

// TestConformance runs the whole suite on the emulated device.
func TestConformance(t *testing.T) {
	ottest.Run(t, on(newEmulated()), ottest.Values, ottest.Penalty, ottest.Limit)
}

func TestConformanceOlder(t *testing.T) {
	ottest.Run(t, Engine{newPool(older{newEmulated()})}, ottest.Values, ottest.Penalty, ottest.Limit)
}

func TestHarder(t *testing.T) { harder(t, on(newEmulated())) }

func TestTensorKernels(t *testing.T) { everyTensorKernel(t, on(newEmulated())) }

func TestHarderOlder(t *testing.T) { harder(t, Engine{newPool(older{newEmulated()})}) }

// solved are all results of distances and barycenters of several kinds.
type solved struct {
	distances   []ot.Result
	histograms  []float32
	iterations  []int
	barycenters []float64
}

func solve(t *testing.T, e Engine) (s solved) {
	t.Helper()
	for _, bordered := range []bool{false, true} {
		for _, tol := range []float64{0, 1e-3} {
			p := problem(37, 12, 80, bordered)
			p.Tol, p.MaxIter = tol, 33
			p.Cost.Data[1] *= 1.5 // two matrices
			r, err := ot.Distances(t.Context(), e, p)
			if err != nil {
				t.Fatal(err)
			}
			s.distances = append(s.distances, r...)
		}
	}
	p := problem(37, 12, 10, true)
	p.Reg, p.Tol = 1e-3, 1e-3 // in logarithms
	r, err := ot.Distances(t.Context(), e, p)
	if err != nil {
		t.Fatal(err)
	}
	s.distances = append(s.distances, r...)
	for i := range 4 {
		g := grouped(problem(37, 12, 0, false), 1, 2, 30, 9, 4, 25, 31, 12, 1)
		g.Tol, g.MaxIter, g.Debiased = 1e-3, 33, i%2 == 1
		if i >= 2 {
			g = grouped(problem(37, 12, 0, false), 1, 3, 4)
			g.Reg, g.MaxIter, g.Debiased = 1e-3, 12, i%2 == 1
		}
		r, err := ot.Barycenters(t.Context(), e, g)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range r {
			s.histograms = append(s.histograms, b.Histogram...)
			s.iterations = append(s.iterations, b.Iterations)
			s.barycenters = append(s.barycenters, b.Spread)
		}
	}
	return s
}

func (s solved) equal(o solved) bool {
	return slices.Equal(s.distances, o.distances) && slices.Equal(s.histograms, o.histograms) &&
		slices.Equal(s.iterations, o.iterations) && slices.Equal(s.barycenters, o.barycenters)
}

// TestSameBits: neither the order of threads, which would show a race, nor kernels
// streamed through a small shared memory, nor smaller batches in a small device memory
// change a bit, whether the device has the tensor cores of Hopper or not.
func TestSameBits(t *testing.T) {
	for _, tensor := range []bool{true, false} {
		on := func(d *emulated) Engine {
			if tensor {
				return Engine{newPool(d)}
			}
			return Engine{newPool(older{d})}
		}
		want := solve(t, on(newEmulated()))
		for name, change := range map[string]func(*emulated){
			"threads backward": func(d *emulated) { d.order = 1 },
			"threads shuffled": func(d *emulated) { d.order = 2 },
			"streamed kernel":  func(d *emulated) { d.shared, d.order = 48<<10, 2 },
			"little memory":    func(d *emulated) { d.memory = 600 << 10 },
		} {
			t.Run(fmt.Sprintf("%s, tensor cores %v", name, tensor), func(t *testing.T) {
				d := newEmulated()
				change(d)
				if name == "streamed kernel" && !tensor {
					d.shared = 24 << 10
				}
				l, ok := distanceLayout(37, 2, d.shared, true)
				if streamed := name == "streamed kernel"; !ok || !tensor && l.resident == streamed {
					t.Fatalf("layout %+v", l)
				}
				x, ok := arrangeTensor(37, 2, 80, 2, d.shared)
				if streamed := name == "streamed kernel"; tensor && (!ok || (x.resident == 0) != streamed) {
					t.Fatalf("layout %+v", x)
				}
				b, ok := barycenterLayout(37, 2, d.shared)
				if !ok || b.columns < 32 || !tensor && b.resident == (name == "streamed kernel") {
					t.Fatalf("layout %+v", b)
				}
				if !solve(t, on(d)).equal(want) {
					t.Error("other bits")
				}
			})
		}
	}
}

// TestNoMemory: an error, not a hang, when not even the smallest batch fits.
func TestNoMemory(t *testing.T) {
	d := newEmulated()
	d.memory = 1 << 10
	if _, err := ot.Distances(t.Context(), on(d), problem(20, 4, 10, false)); !errors.Is(err, errMemory) {
		t.Errorf("error %v, want %v", err, errMemory)
	}
}

// TestLayouts: every number of bins finds a layout within its limits, or is left to the
// kernels in logarithms.
func TestLayouts(t *testing.T) {
	const limit = 227 << 10
	for k := 1; k <= 2000; k++ {
		for matrices := 1; matrices <= 2; matrices++ {
			if x, ok := arrangeTensor(k, matrices, 1<<16, 132, limit); ok != (k <= 512) || ok && (x.shared > limit || x.bins < k) {
				t.Fatalf("K=%d: %+v", k, x)
			}
			l, ok := distanceLayout(k, matrices, limit, true)
			b, okB := barycenterLayout(k, matrices, limit)
			for _, x := range []struct {
				layout
				ok bool
			}{{l, ok}, {b, okB}} {
				if !x.ok {
					if k <= 1000 {
						t.Fatalf("K=%d: no layout", k)
					}
					continue
				}
				if x.shared > limit || x.threads > maxThreads || x.threads < padded(k)/tile*x.columns/tile || x.columns%tile != 0 {
					t.Fatalf("K=%d: %+v", k, x)
				}
			}
		}
	}
}
