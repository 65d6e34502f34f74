package main

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"contextmover/cmdlib/ot"
)

func TestMeasureCountsWhatWasDone(t *testing.T) {
	// Ten units a millisecond, always done in hundreds.
	synctest.Test(t, func(t *testing.T) {
		rate, err := measure(t.Context(), func(n int) (done int, err error) {
			for ; done < n; done += 100 {
				time.Sleep(10 * time.Millisecond)
			}
			return done, nil
		})
		if err != nil || math.Abs(rate-10_000) > 1e-6 {
			t.Errorf("%v units a second, %v, want 10,000", rate, err)
		}
	})
	boom := errors.New("boom")
	if _, err := measure(context.Background(), func(int) (int, error) { return 0, boom }); !errors.Is(err, boom) {
		t.Errorf("error %v, want boom", err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := measure(ended, func(n int) (int, error) { return n, nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want canceled", err)
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
		if got := speed(x); got != want {
			t.Errorf("speed(%v) = %q, want %q", x, got, want)
		}
	}
}
