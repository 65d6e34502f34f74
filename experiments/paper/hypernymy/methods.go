package hypernymy

import (
	"context"
	"maps"

	"contextmover/cmdlib/sppmi"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/harness/store"
	"contextmover/experiments/harness/trainers/entailment"
	"contextmover/internal/elementary"
)

// A Method tells how surely the second of two terms is a hypernym of the first. Its fields are its settings.
type Method interface {
	// needs returns what the method's scores depend on in a workspace.
	needs(w *pipeline.Workspace) needs
	// scorer returns what scores pairs such as these, on a set or file with a name.
	scorer(ctx context.Context, w *pipeline.Workspace, name string, pairs []TermPair) (scorer, error)
}

// needs are what a method's scores depend on, in addition to the pairs and the counts.
type needs struct {
	kind     string         // of the method
	settings map[string]any // by their name in stores
	inputs   []store.Input
	shared   []store.Input // as store.Node has it
	random   bool          // by a seed: of vectors or clusters
}

// params are the parameters of a node of what is measured of scores.
func (n needs) params(measured any) map[string]any {
	params := map[string]any{"method": n.kind, "measured": measured}
	maps.Copy(params, n.settings)
	return params
}

// A scorer returns the score of a pair, greater for a likelier hypernym, and whether the pair has one.
type scorer func(p TermPair) (score float64, covered bool)

// known scores pairs of known words.
func known(score func(p TermPair) float64) scorer {
	return func(p TermPair) (float64, bool) {
		if p.unknown() {
			return 0, false
		}
		return score(p), true
	}
}

// chance knows nothing: all pairs are equal, and nothing needs to be known of them.
type chance struct{}

func (chance) needs(*pipeline.Workspace) needs { return needs{kind: "chance"} }

func (chance) scorer(context.Context, *pipeline.Workspace, string, []TermPair) (scorer, error) {
	return func(TermPair) (float64, bool) { return 0, true }, nil
}

// frequency is ln of the second word's count over the first's.
type frequency struct{}

func (frequency) needs(*pipeline.Workspace) needs { return needs{kind: "frequency"} }

func (frequency) scorer(ctx context.Context, w *pipeline.Workspace, _ string, _ []TermPair) (scorer, error) {
	v, err := w.Vocabulary(ctx)
	return known(func(p TermPair) float64 {
		return elementary.Log(float64(v.Counts[p.Wide])) - elementary.Log(float64(v.Counts[p.Narrow]))
	}), err
}

// cosine is that of the word vectors.
type cosine struct{}

func (cosine) needs(w *pipeline.Workspace) needs {
	return needs{kind: "cosine", inputs: []store.Input{w.VectorsNode(profile.SVD)}, random: true}
}

func (cosine) scorer(ctx context.Context, w *pipeline.Workspace, _ string, _ []TermPair) (scorer, error) {
	v, err := w.Vectors(ctx)
	return known(func(p TermPair) float64 { return score.Cosine(v.Row(int(p.Narrow)), v.Row(int(p.Wide))) }), err
}

// henderson is Henderson's operator between entailment vectors (D_Hend). A word without a vector has no score.
type henderson struct{}

func (henderson) needs(w *pipeline.Workspace) needs {
	return needs{kind: "entailment", inputs: []store.Input{w.VectorsNode(profile.Entailment)}, random: true}
}

func (henderson) scorer(ctx context.Context, w *pipeline.Workspace, _ string, _ []TermPair) (scorer, error) {
	v, err := w.VectorsOf(ctx, profile.Entailment)
	return func(p TermPair) (float64, bool) {
		if p.unknown() {
			return 0, false
		}
		narrow, wide := v.Row(int(p.Narrow)), v.Row(int(p.Wide))
		if pipeline.Zero(narrow) || pipeline.Zero(wide) {
			return 0, false
		}
		return entailment.Backward(narrow, wide), true
	}, err
}

// associated are the settings of baselines that compare two words' associations.
type associated profile.HypernymyBaselines

func (a associated) associations() sppmi.Params {
	return sppmi.Params{Smoothing: a.Smoothing, Shift: a.Shift}
}

func (a associated) needsOf(kind string, w *pipeline.Workspace) needs {
	return needs{
		kind: kind, settings: map[string]any{"baselines": profile.HypernymyBaselines(a)},
		shared: []store.Input{w.AssociationsNode(a.associations())},
	}
}

// overlapping scores pairs by how their associations overlap.
func (a associated) overlapping(
	ctx context.Context, w *pipeline.Workspace, score func(s shared) float64,
) (scorer, error) {
	m, err := w.Associations(ctx, a.associations())
	return known(func(p TermPair) float64 { return score(overlap(m, p.Narrow, p.Wide)) }), err
}

type (
	weedsPrec struct{ associated }
	invCL     struct{ associated }
	slqs      struct{ associated } // of the contexts' entropies
)

func (m weedsPrec) needs(w *pipeline.Workspace) needs { return m.needsOf("weeds", w) }
func (m invCL) needs(w *pipeline.Workspace) needs     { return m.needsOf("invcl", w) }
func (m slqs) needs(w *pipeline.Workspace) needs      { return m.needsOf("slqs", w) }

func (m weedsPrec) scorer(ctx context.Context, w *pipeline.Workspace, _ string, _ []TermPair) (scorer, error) {
	return m.overlapping(ctx, w, shared.weedsPrec)
}

func (m invCL) scorer(ctx context.Context, w *pipeline.Workspace, _ string, _ []TermPair) (scorer, error) {
	return m.overlapping(ctx, w, shared.invCL)
}

func (m slqs) scorer(ctx context.Context, w *pipeline.Workspace, _ string, pairs []TermPair) (scorer, error) {
	associations, err := w.Associations(ctx, m.associations())
	if err != nil {
		return nil, err
	}
	counts, err := w.Counts(ctx)
	if err != nil {
		return nil, err
	}
	generality := generalities(counts, associations, pairs, m.Contexts)
	return known(func(p TermPair) float64 {
		// SLQS = 1 − E(narrow)/E(wide); a wide term without contexts tells nothing.
		if generality[p.Wide] == 0 {
			return 0
		}
		return 1 - generality[p.Narrow]/generality[p.Wide]
	}), nil
}

// scoresOf is a node of what a row makes of a file.
func scoresOf[T any](w *pipeline.Workspace, name string, row Row, file string, measured any) store.Node[T] {
	n := row.Method.needs(w)
	return store.Node[T]{
		Name: name, Version: 4, Params: n.params(measured), Shared: n.shared,
		Inputs: append([]store.Input{w.FileInput(file), w.CountsNode()}, n.inputs...),
	}
}
