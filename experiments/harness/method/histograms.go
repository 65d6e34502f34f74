package method

import (
	"context"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sentence"
)

// Histograms has the settings of methods that combine the histograms of a text's words to one and compare these. They
// compare by the context mover's distance, alone or with a point of the text's own (Mixed), or by what Compare names.
type Histograms struct {
	WordVectors
	Estimates
	Support
	Cost
	Compared
	Transport
	Weighting
	Mixed
	Removal // from the points of Mixed
}

// Bins returns what the bins are.
func (h Histograms) Bins() Bins { return Bins{h.Vectors, h.Support} }

// Validate implements Method.
func (h Histograms) Validate() error {
	if err := check(h); err != nil {
		return err
	}
	switch {
	case h.Mix > 0 && h.Geometry != TrueGeometry:
		return wrong("geometry", quote(h.Geometry)+" with a mix, whose points it knows not: expected mix = 0")
	case h.Mix > 0 && h.Compare != ByTransport:
		return wrong("compare", quote(h.Compare)+" with a mix, whose points are no bins: expected mix = 0")
	}
	return nil
}

func quote(s string) string { return `"` + s + `"` }

// Needs implements Method.
func (h Histograms) Needs() Needs {
	n := Needs{
		Vectors: []string{h.Vectors}, Histograms: true, Bins: h.Bins(), Engine: h.Compare == ByTransport,
		Marginals: []Marginal{h.Weighting.Marginal()},
	}
	if h.Geometry == Shuffled && h.costCounts() {
		n.Streams = append(n.Streams, ShuffledStream)
	}
	if h.Compare == SlicedWasserstein {
		n.Streams = append(n.Streams, slicedStream)
	}
	if h.Mix > 0 {
		n.Marginals = append(n.Marginals, h.Mixed.Weighting().Marginal())
	}
	return n
}

func (h Histograms) varies(name string) bool {
	// Costs and transport vary even where nothing is moved: bins may follow the metric.
	return h.groupsCount(name) && (name != "mix" || h.Mix > 0)
}

func (h Histograms) groupsCount(name string) bool {
	return h.Estimates.counts(name) && h.Weighting.counts(name) && h.Mixed.counts(name) && h.Removal.counts(name)
}

// counts is for methods that combine histograms without transport.
func (h Histograms) counts(name string) bool {
	switch {
	case name == "tolerance": // of barycenters
		return false
	case name == "clip" || has[Transport](name):
		return h.Compare == ByTransport
	case has[Cost](name):
		return h.costCounts()
	case has[Removal](name) && h.Mix == 0:
		return false
	}
	return h.groupsCount(name)
}

// costCounts tells whether histograms are compared by the cost between bins.
func (h Histograms) costCounts() bool {
	return h.Compare == ByTransport || h.Compare == MaximumMeanDiscrepancy
}

// Combining is a method that combines the histograms of a text's words to one.
type Combining interface {
	Method
	// Combiner returns what combines the words of sentences, by their ids.
	Combiner(ctx context.Context, s Source) (sentence.Combiner, error)
}

// compared compares the histograms that m combines.
func (h Histograms) compared(ctx context.Context, s Source, texts []Pair, m Combining) (Scorer, error) {
	pairs := known(s, texts)
	combiner, err := m.Combiner(ctx, s)
	if err != nil {
		return nil, err
	}
	if h.Compare != ByTransport {
		between, err := h.between(ctx, s)
		return scored(sentence.Overlap{Combiner: combiner, Between: between}, pairs), err
	}
	t := sentence.Transport{
		Combiner: combiner, Engine: s.Engine(), Progress: s.Progress(),
		Mix: h.Mix, RemovePC: h.RemovePC, PCBatch: h.PCBatch,
	}
	t.Settings, _ = s.Solver(h.Transport)
	if t.Ground, err = s.Ground(ctx, h.Cost, h.Bins(), h.Reg); err != nil {
		return nil, err
	}
	if h.Mix > 0 {
		w := h.Mixed.Weighting()
		t.Points.Weighting = w.Sentence()
		if t.Points.Vectors, t.Points.Dim, err = s.Vectors(ctx, h.Vectors, false); err != nil {
			return nil, err
		}
		if t.Points.Probability, err = s.Probability(ctx, w.Marginal()); err != nil {
			return nil, err
		}
	}
	return scored(t, pairs), nil
}

// combiner makes histograms by a function, when they are first asked for.
type combiner func(ctx context.Context, sentences []sentence.Sentence) (ot.Histograms, error)

// Combine implements sentence.Combiner.
func (c combiner) Combine(ctx context.Context, sentences []sentence.Sentence) (ot.Histograms, error) {
	return c(ctx, sentences)
}
