package method

import (
	"math"
	"math/rand/v2"
	"testing"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
)

// The slope of a correlation is finite differences of it, and 0 where there is no correlation.
func TestCorrelationSlope(t *testing.T) {
	correlation := func(x, y []float64) float64 {
		var sx, sy, xx, yy, xy float64
		for i := range x {
			sx, sy, xx, yy, xy = sx+x[i], sy+y[i], xx+x[i]*x[i], yy+y[i]*y[i], xy+x[i]*y[i]
		}
		n := float64(len(x))
		return (n*xy - sx*sy) / math.Sqrt((n*xx-sx*sx)*(n*yy-sy*sy))
	}
	x, y := []float64{1, 3, 2, 5}, []float64{2, 1, 4, 4}
	slope := correlationSlope(x, y)
	for i := range x {
		const h = 1e-5
		x[i] += h
		up := correlation(x, y)
		x[i] -= 2 * h
		want := (up - correlation(x, y)) / (2 * h)
		x[i] += h
		if math.Abs(slope[i]-want) > 1e-8 {
			t.Errorf("slope %d: %v, by finite differences %v", i, slope[i], want)
		}
	}
	for _, s := range correlationSlope([]float64{1, 1}, []float64{0, 1}) {
		if s != 0 {
			t.Errorf("slope %v of equal numbers", s)
		}
	}
}

// Judgements that another cost has made are met better step by step; the cost stays symmetric, ≥ 0 and of the same mean.
func TestLearningSteps(t *testing.T) {
	const k, n = 8, 60
	random := rand.New(rand.NewPCG(5, 5))
	own, other := ot.Cost{K: k, Data: make([]float32, k*k)}, ot.Cost{K: k, Data: make([]float32, k*k)}
	for i := range k {
		for j := range i {
			own.Data[i*k+j], own.Data[j*k+i] = 1, 1
			c := float32(0.5 + random.Float64())
			other.Data[i*k+j], other.Data[j*k+i] = c, c
		}
	}
	p := &ot.Problem{Settings: ot.Settings{Reg: 0.1, MaxIter: 100}, Cost: other, Values: true}
	p.Rows = ot.Histograms{K: k, Data: make([]float32, 2*n*k)}
	for i := range 2 * n {
		row, sum := p.Rows.Row(i), float32(0)
		for j := range row {
			row[j] = float32(math.Pow(random.Float64(), 4))
			sum += row[j]
		}
		for j := range row {
			row[j] /= sum
		}
	}
	for i := range n {
		p.Pairs = append(p.Pairs, ot.Pair{Source: int32(2 * i), Target: int32(2*i + 1)})
	}
	values := func() (v []float64) {
		results, err := ot.Distances(t.Context(), cpu.New(), p)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			v = append(v, -r.Value)
		}
		return v
	}
	judgements := values()
	p.Cost = own
	loss := func() float64 { // 1 − ρ, by the length of the difference of what is scaled to length 1
		unit := func(x []float64) (u []float64) {
			mean, square := 0.0, 0.0
			for _, v := range x {
				mean += v / n
			}
			for _, v := range x {
				square += (v - mean) * (v - mean)
			}
			for _, v := range x {
				u = append(u, (v-mean)/math.Sqrt(square))
			}
			return u
		}
		a, b, sum := unit(values()), unit(judgements), 0.0
		for i := range a {
			sum += (a[i] - b[i]) * (a[i] - b[i]) / 2
		}
		return sum
	}
	before := loss()
	l := Learning{Steps: 1, Rate: 0.05}
	for range 20 {
		if err := l.step(t.Context(), cpu.New(), p, [][]float64{judgements[:n/2], judgements[n/2:]}); err != nil {
			t.Fatal(err)
		}
	}
	if after := loss(); !(after < before/2) {
		t.Errorf("1 − ρ is %v after learning, %v before", after, before)
	}
	sum := float32(0)
	for i, c := range p.Cost.Data {
		if sum += c; !(c >= 0) || math.Abs(float64(c-p.Cost.Data[i%k*k+i/k])) > 1e-6 {
			t.Errorf("cost %d is %v, the other way %v", i, c, p.Cost.Data[i%k*k+i/k])
		}
	}
	if math.Abs(float64(sum)-k*(k-1)) > 1e-3 {
		t.Errorf("the costs sum to %v, before to %d", sum, k*(k-1))
	}
}

// A mix, and what is no transport, are refused.
func TestLearnedSettings(t *testing.T) {
	m := KindOf(LearnedAverage{}).New()
	if err := m.Validate(); err != nil || !m.Needs().Judged {
		t.Errorf("the defaults: %v, %+v", err, m.Needs())
	}
	if err := Set(m, "mix", .5).Validate(); err == nil {
		t.Error("a mix: no error")
	}
	if err := Set(m, "compare", MaximumMeanDiscrepancy).Validate(); err == nil {
		t.Error("no transport: no error")
	}
}
