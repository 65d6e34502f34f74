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
//
// How many steps are taken is chosen by leaving out. Let ρ_s(t) be the correlation in the set s after t steps that are
// learned from all other sets. From all sets together as many steps are learned as are best for those left out,
//
//	t* = argmax Σ_s ρ_s(t),   t = 0, 1, …, Steps
//
// the fewest among equals. A set that is the only one counts as two, of every second pair each. t* = 0 leaves the row's
// own cost, and the scores are those of Average.
type Learning struct {
	Steps int     `toml:"learning_steps" default:"10" range:"0..1000" grid:"y" help:"the most steps that learn costs"`
	Rate  float64 `toml:"learning_rate" default:"0.1" range:">0" grid:"y" sign:"η" help:"the largest change in a step"`
}

// Learned is a ground cost that is learned, and how well.
type Learned struct {
	// Cost is that between K bins, K×K in row-major order.
	Cost []float32 `json:"-"`
	// Steps is the number t* of steps that have been taken, see Learning.
	Steps int `json:"steps"`
	// LeftOut has the mean over sets of the correlations ρ_s(t) for t = 0, 1, …, Learning.Steps.
	LeftOut []float64 `json:"left_out"`
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
	n.Learned = m
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
	learned, err := l.Learned(ctx, l.method, func(ctx context.Context) (Learned, error) { return l.learn(ctx, g.Cost) })
	if err != nil {
		return nil, err
	}
	other := *g
	other.Cost = ot.Cost{K: g.K, Data: learned.Cost}
	return &other, nil
}

// CostMatrix implements Source.
func (l learning) CostMatrix(ctx context.Context, c Cost, b Bins, reg float64) (ot.Cost, error) {
	g, err := l.Ground(ctx, c, b, reg)
	if err != nil {
		return ot.Cost{}, err
	}
	return g.Cost, nil
}

// learn returns what is learned from a cost on.
func (l learning) learn(ctx context.Context, start ot.Cost) (Learned, error) {
	sets, err := l.Judged(ctx)
	if err != nil {
		return Learned{}, err
	}
	combiner, err := l.method.Combiner(ctx, l.Source)
	if err != nil {
		return Learned{}, err
	}
	settings, _ := l.Solver(l.method.Transport)
	p := ot.Problem{Settings: settings, Values: true, Cost: start, Rows: ot.Histograms{K: start.K}}
	var all []judged
	for _, set := range sets {
		var of judged
		for i, pair := range l.Known(set.Pairs) {
			h, err := combiner.Combine(ctx, []sentence.Sentence{pair.A, pair.B})
			if err != nil {
				return Learned{}, err
			}
			if !covers(h.Row(0)) || !covers(h.Row(1)) {
				continue
			}
			at := int32(p.Rows.Len())
			p.Rows.Data = append(p.Rows.Data, h.Data...)
			of.pairs = append(of.pairs, ot.Pair{Source: at, Target: at + 1})
			of.judgements = append(of.judgements, set.Judgements[i])
		}
		if len(of.pairs) > 1 {
			all = append(all, of)
		}
	}
	if len(all) == 0 {
		return Learned{}, errors.New("method: a cost is to be learned, but no set has two judged pairs with histograms")
	}
	return l.method.fit(ctx, l.Engine(), p, all)
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

// judged is a set of pairs of histograms, with what people say of them.
type judged struct {
	pairs      []ot.Pair
	judgements []float64
}

// fit learns from sets, over the histograms of p and from its cost on.
func (l Learning) fit(ctx context.Context, engine ot.Engine, p ot.Problem, sets []judged) (Learned, error) {
	parts := sets
	if len(sets) == 1 {
		parts = make([]judged, 2)
		for i, pair := range sets[0].pairs {
			half := &parts[i%2]
			half.pairs = append(half.pairs, pair)
			half.judgements = append(half.judgements, sets[0].judgements[i])
		}
	}
	learned := Learned{LeftOut: make([]float64, l.Steps+1)}
	var err error
	for i, part := range parts {
		q, others := p, slices.Concat(parts[:i], parts[i+1:])
		for t := range learned.LeftOut {
			if t > 0 {
				if q.Cost, err = l.step(ctx, engine, q, others); err != nil {
					return Learned{}, err
				}
			}
			r, _, err := part.correlation(ctx, engine, q)
			if err != nil {
				return Learned{}, err
			}
			learned.LeftOut[t] += r / float64(len(parts))
		}
	}
	learned.Steps = slices.Index(learned.LeftOut, slices.Max(learned.LeftOut))
	for range learned.Steps {
		if p.Cost, err = l.step(ctx, engine, p, sets); err != nil {
			return Learned{}, err
		}
	}
	learned.Cost = slices.Clone(p.Cost.Data)
	return learned, nil
}

// step returns the cost of p after a step that is learned from sets.
func (l Learning) step(ctx context.Context, engine ot.Engine, p ot.Problem, sets []judged) (ot.Cost, error) {
	var pairs []ot.Pair
	var weights []float64 // ∂ρ/∂value
	for _, set := range sets {
		_, slope, err := set.correlation(ctx, engine, p)
		if err != nil {
			return ot.Cost{}, err
		}
		for _, x := range slope {
			weights = append(weights, -x/float64(len(sets)))
		}
		pairs = append(pairs, set.pairs...)
	}
	p.Pairs = pairs
	g, err := ot.ValueGradient(ctx, engine, &p, weights)
	if err != nil {
		return ot.Cost{}, err
	}
	k, cost := p.Cost.K, slices.Clone(p.Cost.Data)
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
		return p.Cost, nil
	}
	rms := math.Sqrt(square / float64(k*k))
	for at, d := range direction {
		cost[at] *= float32(elementary.Exp(l.Rate * max(-1, min(1, d/rms))))
		after += float64(cost[at])
	}
	for at := range cost {
		cost[at] *= float32(before / after)
	}
	return ot.Cost{K: k, Data: cost}, nil
}

// correlation is that of the judgements and minus the values under the cost of p, with its gradient in the latter.
func (s judged) correlation(
	ctx context.Context, engine ot.Engine, p ot.Problem,
) (r float64, slope []float64, err error) {
	p.Pairs = s.pairs
	results, err := ot.Distances(ctx, engine, &p)
	if err != nil {
		return 0, nil, err
	}
	similarities := make([]float64, len(results))
	for i, result := range results {
		similarities[i] = -result.Value
	}
	r, slope = correlation(similarities, s.judgements)
	return r, slope, nil
}

// correlation is Pearson's of x and y, with its gradient in x; zeros where it is undefined.
func correlation(x, y []float64) (r float64, slope []float64) {
	centred := func(x []float64) (c []float64, norm float64) {
		mean := 0.0
		for _, v := range x {
			mean += (v - x[0]) / float64(len(x))
		}
		for _, v := range x {
			v -= x[0] // of equal numbers nothing is left, to the last bit
			c = append(c, v-mean)
			norm += float64((v - mean) * (v - mean))
		}
		return c, math.Sqrt(norm)
	}
	a, normA := centred(x)
	b, normB := centred(y)
	slope = make([]float64, len(x))
	if normA == 0 || normB == 0 {
		return 0, slope
	}
	for i := range a {
		r += float64(a[i] / normA * (b[i] / normB))
	}
	for i := range a {
		slope[i] = (b[i]/normB - float64(r*a[i]/normA)) / normA
	}
	return r, slope
}
