package timings

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
)

func TestMeasureCountsWhatWasDone(t *testing.T) {
	// Ten units a millisecond, always done in hundreds; a unit is 5e5 operations, and the
	// peak falls from 20 to 10 GFLOP/s.
	synctest.Test(t, func(t *testing.T) {
		peaks := 0
		peak := func() float64 {
			peaks++
			if peaks == 1 {
				return 20
			}
			return 10
		}
		m, highest, err := measure(t.Context(), peak, func(n int) (done int, flop float64, err error) {
			for ; done < n; done += 100 {
				time.Sleep(10 * time.Millisecond)
			}
			return done, 5e5 * float64(done), nil
		})
		if err != nil || math.Abs(m.Rate-10_000) > 1e-6 {
			t.Errorf("%v units a second, %v, want 10,000", m.Rate, err)
		}
		if math.Abs(m.GFLOPS-5) > 1e-9 || math.Abs(m.Fraction-0.5) > 1e-9 || highest != 20 {
			t.Errorf("%v GFLOP/s, %v of the peak %v, want 5, 0.5 of 10 at the time, 20", m.GFLOPS, m.Fraction, highest)
		}
	})
	// Work that takes long is done once.
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		m, _, err := measure(t.Context(), func() float64 { return 1 }, func(int) (int, float64, error) {
			calls++
			time.Sleep(time.Minute)
			return 30, 0, nil
		})
		if err != nil || calls != 1 || math.Abs(m.Rate-0.5) > 1e-9 {
			t.Errorf("%d calls, %v units a second, %v, want 1 and 0.5", calls, m.Rate, err)
		}
	})
	peak := func() float64 { return 1 }
	boom := errors.New("boom")
	if _, _, err := measure(context.Background(), peak, func(int) (int, float64, error) { return 0, 0, boom }); !errors.Is(err, boom) {
		t.Errorf("error %v, want boom", err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := measure(ended, peak, func(n int) (int, float64, error) { return n, 0, nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want canceled", err)
	}
}

// TestBenchJSON: the form that programs read, and names that say what was done.
func TestBenchJSON(t *testing.T) {
	b := &Benchmark{Machine: "abacus", Peak: 500}
	random := rand.New(rand.NewPCG(1, 0))
	add := func(name string, work work) {
		done, flop, err := work(3)
		if err != nil {
			t.Fatal(err)
		}
		b.Results = append(b.Results, Measurement{name, "", float64(done), flop, 0.5})
	}
	for _, d := range []distances{{20, 10, ""}, {20, 10, smallReg}, {20, 10, single}} {
		add(d.work(t.Context(), cpu.New(), random))
	}
	add(barycenters{20, 3, smallReg}.work(t.Context(), cpu.New(), random))
	out, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"machine":"abacus","peak_gflops":500,"results":[` +
		`{"name":"sinkhorn/k=20/iters=10","per_second":3,"gflops":48000,"fraction_of_peak":0.5},` +
		`{"name":"sinkhorn/k=20/iters=10/reg=0.005","per_second":3,"gflops":48000,"fraction_of_peak":0.5},` +
		`{"name":"sinkhorn/k=20/iters=10/single","per_second":3,"gflops":48000,"fraction_of_peak":0.5},` +
		`{"name":"barycenter/words=3/k=20/iters=100/reg=0.005","per_second":3,"gflops":1440000,"fraction_of_peak":0.5}]}`
	if diff := cmp.Diff(want, string(out)); diff != "" {
		t.Error(diff)
	}
}

func TestBenchProblemsAreValid(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	p := &ot.Problem{
		Settings: ot.Settings{Reg: 0.1, MaxIter: 1},
		Cost:     randomCost(30, random),
		Rows:     randomHistograms(40, 30, random),
	}
	for i := range int32(40) {
		p.Pairs = append(p.Pairs, ot.Pair{Source: i, Target: 39 - i})
	}
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
}

func TestSpeed(t *testing.T) {
	for x, want := range map[float64]string{17349.4: "17349", 215.4: "215", 69.44: "69.4", 6.4411: "6.44", 0.0123: "0.0123"} {
		if got := Speed(x); got != want {
			t.Errorf("Speed(%v) = %q, want %q", x, got, want)
		}
	}
}
