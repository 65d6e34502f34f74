package method

import (
	"context"
	"errors"
	"math"
	"slices"

	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sentence"
	"contextmover/internal/elementary"
)

// LearnedAverage is Average with a ground cost that is learned from pairs that people have judged (Source.Judged),
// those of the set that is scored left out.
type LearnedAverage struct {
	Average
	Learning
}

// Learning says how a ground cost M is learned. It starts from the row's own cost and raises ρ by the gradients of
// ot.ValueGradient. The number ρ is the correlation of judgements and minus the values OT_λ(a, b) of ot.Result, a mean
// over sets. A step multiplies
//
//	M_ij by exp(η · clamp(D_ij / rms(D), −1, 1)),   D_ij = M_ij (∂ρ/∂M_ij + ∂ρ/∂M_ji)
//
// and scales M so that its mean stays. M stays symmetric, and its diagonal what it was.
type Learning struct {
	Steps int     `toml:"learning_steps" default:"10" range:"1..1000" grid:"y" help:"steps in which costs are learned"`
	Rate  float64 `toml:"learning_rate" default:"0.1" range:">0" grid:"y" sign:"η" help:"the largest change in a step"`
}

// Validate implements Method.
func (m LearnedAverage) Validate() error {
	if err := check(m); err != nil {
		return err
	}
	switch {
	case m.Mix > 0:
		return wrong("mix", "above 0, but costs to points are not learned: expected 0")
	case m.Compare != ByTransport && m.Compare != "":
		return wrong("compare", quote(m.Compare)+", which has no values of transport to learn from")
	}
	return m.Histograms.Validate()
}

// Needs implements Method.
func (m LearnedAverage) Needs() Needs {
	n := m.Average.Needs()
	n.Judged, n.Costs = true, m
	return n
}

// Scorer implements Method.
func (m LearnedAverage) Scorer(ctx context.Context, s Source, pairs []Pair) (Scorer, error) {
	return m.scorer(ctx, learning{s, m}, pairs, m)
}

// learning is a source whose costs are learned.
type learning struct {
	Source
	method LearnedAverage
}

// Ground implements Source.
func (l learning) Ground(ctx context.Context, c Cost, b Bins, reg float64) (*ground.Ground, error) {
	g, err := l.Source.Ground(ctx, c, b, reg)
	if err != nil {
		return nil, err
	}
	all, err := l.Costs(ctx, l.method, func(ctx context.Context) ([]float64, error) { return l.learn(ctx, g.Cost) })
	if err != nil {
		return nil, err
	}
	learned := *g
	learned.Cost = ot.Cost{K: g.K, Data: make([]float32, len(all))}
	for i, c := range all {
		learned.Cost.Data[i] = float32(c)
	}
	return &learned, nil
}

// learn returns what is learned from a cost on.
func (l learning) learn(ctx context.Context, start ot.Cost) (learned []float64, err error) {
	sets, err := l.Judged(ctx)
	if err != nil {
		return nil, err
	}
	combiner, err := l.method.Combiner(ctx, l.Source)
	if err != nil {
		return nil, err
	}
	settings, _ := l.Solver(l.method.Transport)
	var all [][]float64 // judgements, of the pairs of p, one set behind the other
	p := &ot.Problem{Settings: settings, Values: true, Rows: ot.Histograms{K: start.K}}
	p.Cost = ot.Cost{K: start.K, Data: slices.Clone(start.Data)}
	for _, set := range sets {
		var of []float64
		for i, pair := range l.Known(set.Pairs) {
			h, err := combiner.Combine(ctx, []sentence.Sentence{pair.A, pair.B})
			if err != nil {
				return nil, err
			}
			if !covers(h.Row(0)) || !covers(h.Row(1)) {
				continue
			}
			at := int32(p.Rows.Len())
			p.Rows.Data = append(p.Rows.Data, h.Data...)
			p.Pairs = append(p.Pairs, ot.Pair{Source: at, Target: at + 1})
			of = append(of, set.Judgements[i])
		}
		if len(of) > 1 {
			all = append(all, of)
		} else {
			p.Pairs = p.Pairs[:len(p.Pairs)-len(of)]
		}
	}
	if len(all) == 0 {
		return nil, errors.New("method: a cost is to be learned, but no judged pairs have histograms on both sides")
	}
	for range l.method.Steps {
		if err := l.method.step(ctx, l.Engine(), p, all); err != nil {
			return nil, err
		}
	}
	for _, c := range p.Cost.Data {
		learned = append(learned, float64(c))
	}
	return learned, nil
}

// CostMatrix implements Source.
func (l learning) CostMatrix(ctx context.Context, c Cost, b Bins, reg float64) (ot.Cost, error) {
	g, err := l.Ground(ctx, c, b, reg)
	if err != nil {
		return ot.Cost{}, err
	}
	return g.Cost, nil
}

// covers tells whether a histogram has mass.
func covers(h []float32) bool {
	for _, x := range h {
		if x > 0 {
			return true
		}
	}
	return false
}

// step changes the cost of p, in place.
func (l Learning) step(ctx context.Context, engine ot.Engine, p *ot.Problem, sets [][]float64) error {
	results, err := ot.Distances(ctx, engine, p)
	if err != nil {
		return err
	}
	var weights []float64 // ∂ρ/∂value
	for _, set := range sets {
		values := make([]float64, len(set))
		for i := range values {
			values[i] = results[len(weights)+i].Value
		}
		for _, slope := range correlationSlope(values, set) {
			weights = append(weights, -slope/float64(len(sets)))
		}
	}
	g, err := ot.ValueGradient(ctx, engine, p, weights)
	if err != nil {
		return err
	}
	k, cost := p.Cost.K, p.Cost.Data
	direction := make([]float64, k*k)
	square, before, after := 0.0, 0.0, 0.0
	for at := range direction {
		i, j := at/k, at%k
		if i != j {
			direction[at] = float64(cost[at]) * (g.Cost[at] + g.Cost[j*k+i])
		}
		square += float64(direction[at] * direction[at])
		before += float64(cost[at])
	}
	if square == 0 {
		return nil
	}
	rms := math.Sqrt(square / float64(k*k))
	for at, d := range direction {
		cost[at] *= float32(elementary.Exp(l.Rate * max(-1, min(1, d/rms))))
		after += float64(cost[at])
	}
	for at := range cost {
		cost[at] *= float32(before / after)
	}
	return nil
}

// correlationSlope is the gradient of Pearson's correlation of x and y in x; zeros where it is undefined.
func correlationSlope(x, y []float64) []float64 {
	centred := func(x []float64) (c []float64, norm float64) {
		mean := 0.0
		for _, v := range x {
			mean += v / float64(len(x))
		}
		for _, v := range x {
			c = append(c, v-mean)
			norm += float64((v - mean) * (v - mean))
		}
		return c, math.Sqrt(norm)
	}
	a, normA := centred(x)
	b, normB := centred(y)
	slope := make([]float64, len(x))
	if normA == 0 || normB == 0 {
		return slope
	}
	r := 0.0
	for i := range a {
		r += float64(a[i] / normA * (b[i] / normB))
	}
	for i := range a {
		slope[i] = (b[i]/normB - float64(r*a[i]/normA)) / normA
	}
	return slope
}
