package sentence

import (
	"context"
	"errors"
	"fmt"

	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ot"
	"contextmover/internal/parallel"
)

// Combiner makes one histogram of the histograms of a sentence's words. Row i of
// the result belongs to sentence i and sums to 1, or is all zeros if none of its
// words has an estimate. Words without an estimate are left out.
type Combiner interface {
	Combine(ctx context.Context, sentences []Sentence) (ot.Histograms, error)
}

// estimated checks what combiners have in common, and returns the sentences without the
// words that have no estimate, and the others ordered.
func estimated(sentences []Sentence, e *estimate.Estimates, w Weighting, probability []float64) ([]Sentence, error) {
	if e == nil {
		return nil, errors.New("sentence: combining histograms needs estimates, there are none")
	}
	if err := w.validate(e.Len(), probability); err != nil {
		return nil, err
	}
	if err := checkWords(sentences, e.Len()); err != nil {
		return nil, err
	}
	kept := make([]Sentence, len(sentences))
	row := func(word int32) []float32 { return e.Row(int(word)) }
	weight := func(word int32) float64 { return w.weight(word, probability) }
	for i, s := range sentences {
		for _, word := range s {
			if e.Known[word] {
				kept[i] = append(kept[i], word)
			}
		}
		kept[i] = ordered(kept[i], row, weight)
	}
	return kept, nil
}

// HistogramAverage combines histograms by their weighted mean,
//
//	H(s) = Σ_{w ∈ s} η_w H(w),  Σ η_w = 1
//
// the Euclidean average of the paper.
type HistogramAverage struct {
	Estimates *estimate.Estimates
	Weighting Weighting
	// Probability is p(w) of each word; uniform weights do not need it.
	Probability []float64
}

// Combine implements Combiner.
func (h HistogramAverage) Combine(ctx context.Context, sentences []Sentence) (ot.Histograms, error) {
	kept, err := estimated(sentences, h.Estimates, h.Weighting, h.Probability)
	if err != nil {
		return ot.Histograms{}, err
	}
	k := h.Estimates.K
	out := ot.Histograms{K: k, Data: make([]float32, len(sentences)*k)}
	err = parallel.Blocks(ctx, len(sentences), 64, func(lo, hi int) error {
		sum := make([]float64, k)
		for i := lo; i < hi; i++ {
			clear(sum)
			for _, word := range kept[i] {
				w := h.Weighting.weight(word, h.Probability)
				for j, x := range h.Estimates.Row(int(word)) {
					sum[j] += float64(w * float64(x))
				}
			}
			total := 0.0
			for _, x := range sum {
				total += x
			}
			if total > 0 {
				row := out.Row(i)
				for j, x := range sum {
					row[j] = float32(x / total)
				}
			}
		}
		return nil
	})
	return out, err
}

// Barycenter combines histograms by their weighted Wasserstein barycenter (CoMB; ot.BarycenterProblem has the
// formula). A sentence of one word has the barycenter of one histogram, which unless Debiased is that histogram
// blurred by the regularisation.
type Barycenter struct {
	Estimates *estimate.Estimates
	Weighting Weighting
	// Probability is p(w) of each word; uniform weights do not need it.
	Probability []float64

	Cost     ot.Cost
	Engine   ot.Engine
	Settings ot.Settings
	Debiased bool
	// UnweightedStart is that of ot.BarycenterProblem: a fault of the paper's code [wasserstein.py:165].
	UnweightedStart bool
	// Progress, if not nil, is told how many sentences are done.
	Progress func(done, total int64)
}

// Combine implements Combiner.
func (b Barycenter) Combine(ctx context.Context, sentences []Sentence) (ot.Histograms, error) {
	kept, err := estimated(sentences, b.Estimates, b.Weighting, b.Probability)
	if err != nil {
		return ot.Histograms{}, err
	}
	if b.Engine == nil {
		return ot.Histograms{}, errNoEngine
	}
	k := b.Estimates.K
	out := ot.Histograms{K: k, Data: make([]float32, len(sentences)*k)}
	p := &ot.BarycenterProblem{
		Settings: b.Settings, Cost: b.Cost, Rows: b.Estimates.Histograms,
		Offsets: []int{0}, Debiased: b.Debiased, UnweightedStart: b.UnweightedStart,
	}
	var sentence []int // of each group
	for i, s := range kept {
		if len(s) == 0 {
			continue
		}
		total := 0.0
		for _, word := range s {
			total += b.Weighting.weight(word, b.Probability)
		}
		for _, word := range s {
			p.Members = append(p.Members, word)
			p.Weights = append(p.Weights, float32(b.Weighting.weight(word, b.Probability)/total))
		}
		p.Offsets = append(p.Offsets, len(p.Members))
		sentence = append(sentence, i)
	}
	if len(sentence) == 0 {
		return out, ctx.Err()
	}
	err = b.Engine.Barycenters(ctx, p, func(first int, results []ot.Barycenter) error {
		for i, r := range results {
			copy(out.Row(sentence[first+i]), r.Histogram)
		}
		if b.Progress != nil {
			b.Progress(int64(first+len(results)), int64(len(sentence)))
		}
		return nil
	})
	return out, err
}

var errNoEngine = errors.New("sentence: transport needs an engine, there is none")

// Precomputed is a Combiner of sentences that were combined before. Use it where
// the same sentences are scored with several distances.
type Precomputed struct {
	histograms ot.Histograms
	index      map[string]int32
}

// Precompute combines the different sentences of pairs with c.
func Precompute(ctx context.Context, c Combiner, pairs []Pair) (*Precomputed, error) {
	sentences, _, _ := distinct(pairs)
	h, err := c.Combine(ctx, sentences)
	if err != nil {
		return nil, err
	}
	p := &Precomputed{histograms: h, index: make(map[string]int32, len(sentences))}
	for i, s := range sentences {
		p.index[s.key()] = int32(i)
	}
	return p, nil
}

// Combine implements Combiner. A sentence that was not precomputed is an error.
func (p *Precomputed) Combine(ctx context.Context, sentences []Sentence) (ot.Histograms, error) {
	k := p.histograms.K
	out := ot.Histograms{K: k, Data: make([]float32, len(sentences)*k)}
	for i, s := range sentences {
		j, ok := p.index[s.key()]
		if !ok {
			return ot.Histograms{}, fmt.Errorf(
				"sentence: sentence %d (word ids %v) is not among the %d precomputed ones", i, s, len(p.index),
			)
		}
		copy(out.Row(i), p.histograms.Row(int(j)))
	}
	return out, ctx.Err()
}
