package poincare

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/sparse"
	"contextmover/experiments/harness/trainers"
	"contextmover/experiments/harness/trainers/internal/countstest"
	"contextmover/experiments/harness/trainers/internal/records"
	"contextmover/experiments/harness/trainers/internal/trainertest"
)

func params() Params {
	return Params{Disks: 5, Epochs: 4, Rate: 0.05, XMax: 10, Exponent: 0.75, Seed: 1}
}

func train(t *testing.T, m *sparse.Matrix[float64], p Params) *trainers.Result {
	t.Helper()
	r, err := Train(t.Context(), m, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// distance is that of two points of a disk, in float64.
func distance(a, b, c, d float64) float64 {
	return math.Acosh(1 + 2*((a-c)*(a-c)+(b-d)*(b-d))/((1-a*a-b*b)*(1-c*c-d*d)))
}

// loss is the documented one of a record, of points as in Result.
func loss(x, y []float64, bias float64, log, weight float64) float64 {
	square := 0.0
	for k := 0; k < len(x); k += 2 {
		d := distance(x[k], x[k+1], y[k], y[k+1])
		square += d * d
	}
	h := math.Pow(math.Cosh(math.Sqrt(square)), 2)
	diff := -h + bias - log
	return 0.5 * weight * diff * diff
}

// A record moves each disk along the geodesic in the direction of the Riemannian gradient,
// which is taken by finite differences of the documented loss, by the documented length.
func TestRecordFollowsTheGradient(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 0))
	for _, spread := range []float64{0.05, 0.5} { // near and far: by series, and by arsinh
		for range 10 {
			const disks, rate = 3, 0.02
			m := &model{disks: disks, padded: padded(disks), rate: rate}
			var side [2][]float32
			var point [2][]float64
			for s := range side {
				side[s], point[s] = make([]float32, stride(disks)), make([]float64, 2*disks)
				for k := range disks {
					side[s][k], side[s][m.padded+k] = float32(spread*(2*random.Float64()-1)), float32(spread*(2*random.Float64()-1))
					point[s][2*k], point[s][2*k+1] = float64(side[s][k]), float64(side[s][m.padded+k])
				}
				for k := range m.padded {
					side[s][2*m.padded+k] = 1
				}
				side[s][3*m.padded], side[s][3*m.padded+1] = 0.3, 1
			}
			r := records.Record{Log: 0.7, Weight: 0.6}
			value := func() float64 { return loss(point[0], point[1], 0.6, float64(r.Log), float64(r.Weight)) }
			want := value()
			var moved [2][]float64
			for s, x := range point {
				gradient := make([]float64, len(x))
				for k := range x {
					const h = 1e-6
					before := x[k]
					x[k] = before + h
					up := value()
					x[k] = before - h
					down := value()
					x[k] = before
					gradient[k] = (up - down) / (2 * h)
				}
				for k := 0; k < len(x); k += 2 {
					alpha := 1 - x[k]*x[k] - x[k+1]*x[k+1]
					p, q := alpha*alpha/4*gradient[k], alpha*alpha/4*gradient[k+1]
					p, q = max(-clip, min(clip, p)), max(-clip, min(clip, q))
					// The exponential map: −x is carried to 0, there the geodesic
					// is straight, with half of its length as arguments of tanh.
					length := rate * math.Hypot(p, q) * 2 / alpha
					scale := 0.0
					if length > 0 {
						scale = -math.Tanh(length/2) / math.Hypot(p, q)
					}
					z, v := complex(x[k], x[k+1]), complex(scale*p, scale*q)
					to := (z + v) / (1 + complex(real(z), -imag(z))*v)
					moved[s] = append(moved[s], real(to), imag(to))
				}
			}
			if got := m.record(side[0], side[1], r); math.Abs(got-want) > 1e-4*want {
				t.Fatalf("loss %v, want %v", got, want)
			}
			for s := range side {
				for k := range disks {
					for i, got := range []float32{side[s][k], side[s][m.padded+k]} {
						before := point[s][2*k+i]
						if want := moved[s][2*k+i]; math.Abs(float64(got)-want) > 1e-6+2e-3*math.Abs(want-before) {
							t.Errorf("spread %v, side %d, disk %d: from %v to %v, want %v", spread, s, k, before, got, want)
						}
					}
				}
			}
		}
	}
}

// The kernels do what plain Go does, also where steps are long, at the border and with padding.
func TestKernelsAgree(t *testing.T) {
	if squareNear == nil {
		t.Skip("there are no kernels for this processor")
	}
	random := rand.New(rand.NewPCG(6, 0))
	for _, rate := range []float32{1e-3, 0.1, 5} {
		for _, disks := range []int{1, 8, 13, 50} {
			m := &model{disks: disks, padded: padded(disks)}
			var a, b [2][]float32
			for s := range a {
				a[s] = make([]float32, stride(disks))
				for k := range m.padded {
					a[s][2*m.padded+k] = 1
				}
				for k := range disks {
					a[s][k], a[s][m.padded+k] = 0.5+0.05*random.Float32(), 0.3+0.05*random.Float32()
				}
				b[s] = slices.Clone(a[s])
			}
			got, most := squareNear(&a[0][0], &a[1][0], m.padded)
			if want := m.square(b[0], b[1]); most >= nearby || math.Abs(float64(got-want)) > 1e-4*float64(want) {
				t.Fatalf("%d disks: square %v, want %v; the greatest %v", disks, got, want, most)
			}
			stepNear(&a[0][0], &a[1][0], m.padded, 3, -rate)
			m.step(b[0], b[1], 3, rate)
			for s := range a {
				for k := range a[s] {
					if math.Abs(float64(a[s][k]-b[s][k])) > 2e-4*(1+math.Abs(float64(b[s][k]))) {
						t.Fatalf("rate %v, %d disks, side %d: parameter %d is %v, in plain Go %v", rate, disks, s, k, a[s][k], b[s][k])
					}
				}
			}
			a[0][0], a[0][m.padded] = -0.9, 0
			if _, most := squareNear(&a[0][0], &a[1][0], m.padded); most < nearby {
				t.Errorf("%d disks: near, but one is far", disks)
			}
		}
	}
}

// Series and formulas agree where one takes the other's place, and the derivatives are those of finite differences.
func TestSeries(t *testing.T) {
	for _, u := range []float64{1e-6, 0.01, 0.05, 0.0999, 0.1001, 1, 100} {
		s := math.Asinh(math.Sqrt(u))
		if got, want := float64(ratio(float32(u))), s/math.Sqrt(u*(1+u)); math.Abs(got-want) > 1e-4*want {
			t.Errorf("ratio(%v) = %v, want %v", u, got, want)
		}
	}
	for _, square := range []float64{0, 1e-10, 1e-3, 1, 9, 1e6} {
		h, slope := similarity(square)
		if math.IsInf(h, 0) || math.IsNaN(slope) {
			t.Errorf("h(√%v) = %v, slope %v", square, h, slope)
		}
		if want := math.Pow(math.Cosh(math.Sqrt(square)), 2); square < 10 && math.Abs(h-want) > 1e-9*want {
			t.Errorf("h(√%v) = %v, want %v", square, h, want)
		}
		const e = 1e-6
		if up, _ := similarity(square + e); square > 1e-4 && square < 10 {
			if down, _ := similarity(square - e); math.Abs((up-down)/(2*e)-slope) > 1e-6*slope {
				t.Errorf("slope at %v: %v, by differences %v", square, slope, (up-down)/(2*e))
			}
		}
	}
}

// Points stay within the disk, however large the step.
func TestMoveStaysInside(t *testing.T) {
	for _, rate := range []float32{1e-3, 1, 1e3} {
		for _, p := range []float32{-1e6, -1, 0, 2} {
			a, b, squares := move(0.6, -0.79, 1, 1-0.36-0.6241, p, 3, rate)
			if norm := a*a + b*b; !(norm <= 1-border) || !(squares >= 1) {
				t.Errorf("rate %v, gradient %v: (%v, %v), squares %v", rate, p, a, b, squares)
			}
		}
	}
}

// The disks are mapped without changing a distance, and generic words are broad.
func TestGaussiansKeepDistances(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 0))
	const n, disks = 30, 2
	points := make([]float32, n*2*disks)
	for i := range points {
		points[i] = float32(0.6 * (2*random.Float64() - 1))
	}
	generic, specific := []int{0, 1, 2, 3}, []int{20, 21, 22}
	for _, i := range generic { // on one side
		points[i*2*disks] = 0.65
	}
	g := Gaussians(points, disks, generic, specific)
	row := func(x []float32, i int) []float32 { return x[i*2*disks:][:2*disks] }
	for i := range n {
		for j := range i {
			for k := range disks {
				x, y := row(points, i), row(points, j)
				want := distance(float64(x[2*k]), float64(x[2*k+1]), float64(y[2*k]), float64(y[2*k+1]))
				p, q := row(g, i), row(g, j)
				s, t1, t2 := math.Sqrt2*(float64(p[k])-float64(q[k])), float64(p[disks+k]), float64(q[disks+k])
				if got := math.Acosh(1 + (s*s+(t1-t2)*(t1-t2))/(2*t1*t2)); math.Abs(got-want) > 1e-4*(1+want) {
					t.Fatalf("disk %d: distance %v becomes %v", k, want, got)
				}
			}
		}
	}
	sum := 0.0
	for _, i := range generic {
		for _, j := range specific {
			sum += IsA(row(g, j), row(g, i))
		}
	}
	if sum <= 0 {
		t.Errorf("generic words are narrower than specific ones: %v", sum)
	}
	if got, want := IsA([]float32{0, 1}, []float32{0, 3}), math.Log(3); math.Abs(got-want) > 1e-6 {
		t.Errorf("is-a %v, want %v", got, want)
	}
	// Of N(0, 1) from N(1, 2²).
	if got, want := Divergence([]float32{0, 1}, []float32{1, 2}), math.Log(2)+0.25-0.5; math.Abs(got-want) > 1e-6 {
		t.Errorf("divergence %v, want %v", got, want)
	}
}

func TestTrainLearns(t *testing.T) {
	const n, group = 240, 12
	p := params()
	p.Epochs, p.Rate = 30, 0.2
	r := train(t, countstest.Groups(n, group), p)
	if last := r.Loss[p.Epochs-1]; last > 0.2*r.Loss[0] {
		t.Errorf("losses %v", r.Loss)
	}
	row := func(i int) []float32 { return r.Vectors[i*2*p.Disks:][:2*p.Disks] }
	square := func(i, j int) (sum float64) {
		x, y := row(i), row(j)
		for k := 0; k < len(x); k += 2 {
			d := distance(float64(x[k]), float64(x[k+1]), float64(y[k]), float64(y[k+1]))
			sum += d * d
		}
		return sum
	}
	closer, all := 0, 0
	for i := range n {
		if i%group == 0 {
			continue
		}
		all++
		own := i/group*group + 1 + (i%group)%(group-1)
		if square(i, own) < square(i, (own+3*group)%n) {
			closer++
		}
	}
	if float64(closer) < 0.9*float64(all) {
		t.Errorf("%d of %d words are closer to one of their group than to another", closer, all)
	}
}

// Counts below the bound are no records: what they are changes nothing.
func TestLeast(t *testing.T) {
	m, p := countstest.Groups(100, 10), params()
	p.Least = 1
	first := train(t, m, p)
	for e, x := range m.Value {
		if x < 1 {
			m.Value[e] = 0.9
		}
	}
	if other := train(t, m, p); !slices.Equal(first.Vectors, other.Vectors) {
		t.Error("counts below the bound change the points")
	}
	p.Least = 0
	if other := train(t, m, p); slices.Equal(first.Vectors, other.Vectors) {
		t.Error("counts below the bound change nothing without it")
	}
	p.Least = 1e6
	if _, err := Train(t.Context(), m, p, nil); err == nil || !strings.Contains(err.Error(), "poincare: no count is at least 1e+06") {
		t.Errorf("error %v", err)
	}
}

func TestTrainer(t *testing.T) {
	p := params()
	trainertest.Test(t, trainertest.Trainer[Params]{
		Name: "poincare", Params: p, Passes: p.Epochs,
		Train: Train,
		Seed:  func(p *Params, seed uint64) { p.Seed = seed },
		Bad: map[string]func(*Params){
			"disks 0":     func(p *Params) { p.Disks = 0 },
			"epochs 0":    func(p *Params) { p.Epochs = 0 },
			"rate NaN":    func(p *Params) { p.Rate = math.NaN() },
			"x_max 0":     func(p *Params) { p.XMax = 0 },
			"exponent -1": func(p *Params) { p.Exponent = -1 },
			"least +Inf":  func(p *Params) { p.Least = math.Inf(1) },
		},
		Empty: "no entries",
	})
}
