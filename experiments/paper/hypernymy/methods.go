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

// A baseline is a method that is told by two functions.
type baseline struct {
	about func(w *pipeline.Workspace) needs
	by    func(ctx context.Context, w *pipeline.Workspace, pairs []TermPair) (scorer, error)
}

func (b baseline) needs(w *pipeline.Workspace) needs { return b.about(w) }

func (b baseline) scorer(ctx context.Context, w *pipeline.Workspace, _ string, pairs []TermPair) (scorer, error) {
	return b.by(ctx, w, pairs)
}

// plain is a baseline without settings and inputs.
func plain(kind string) func(*pipeline.Workspace) needs {
	return func(*pipeline.Workspace) needs { return needs{kind: kind} }
}

// byKind is a baseline by vectors of a kind.
func byKind(kind, vectors string) func(*pipeline.Workspace) needs {
	return func(w *pipeline.Workspace) needs {
		return needs{kind: kind, inputs: []store.Input{w.VectorsNode(vectors)}, random: true}
	}
}

// chance knows nothing: all pairs are equal, and nothing needs to be known of them.
var chance = baseline{plain("chance"), func(context.Context, *pipeline.Workspace, []TermPair) (scorer, error) {
	return func(TermPair) (float64, bool) { return 0, true }, nil
}}

// frequency is ln of the second word's count over the first's.
var frequency = baseline{plain("frequency"), func(
	ctx context.Context, w *pipeline.Workspace, _ []TermPair,
) (scorer, error) {
	v, err := w.Vocabulary(ctx)
	return known(func(p TermPair) float64 {
		return elementary.Log(float64(v.Counts[p.Wide])) - elementary.Log(float64(v.Counts[p.Narrow]))
	}), err
}}

// cosine is that of the word vectors.
var cosine = baseline{byKind("cosine", profile.SVD), func(
	ctx context.Context, w *pipeline.Workspace, _ []TermPair,
) (scorer, error) {
	v, err := w.Vectors(ctx)
	return known(func(p TermPair) float64 { return score.Cosine(v.Row(int(p.Narrow)), v.Row(int(p.Wide))) }), err
}}

// henderson is Henderson's operator between entailment vectors (D_Hend). A word without a vector has no score.
var henderson = baseline{byKind("entailment", profile.Entailment), func(
	ctx context.Context, w *pipeline.Workspace, _ []TermPair,
) (scorer, error) {
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
}}

// associated are needs of baselines that compare two words' associations.
func associated(kind string, p profile.HypernymyBaselines) func(*pipeline.Workspace) needs {
	return func(w *pipeline.Workspace) needs {
		return needs{
			kind: kind, settings: map[string]any{"baselines": p},
			shared: []store.Input{w.AssociationsNode(sppmi.Params{Smoothing: p.Smoothing, Shift: p.Shift})},
		}
	}
}

// overlapping scores pairs by how their associations overlap.
func overlapping(kind string, p profile.HypernymyBaselines, score func(s shared) float64) baseline {
	p.Contexts = 0
	return baseline{associated(kind, p), func(
		ctx context.Context, w *pipeline.Workspace, _ []TermPair,
	) (scorer, error) {
		m, err := w.Associations(ctx, sppmi.Params{Smoothing: p.Smoothing, Shift: p.Shift})
		return known(func(p TermPair) float64 { return score(overlap(m, p.Narrow, p.Wide)) }), err
	}}
}

// slqs is SLQS of the contexts' entropies, 1 − E(narrow)/E(wide); a wide term without contexts tells nothing.
func slqs(p profile.HypernymyBaselines) baseline {
	return baseline{associated("slqs", p), func(
		ctx context.Context, w *pipeline.Workspace, pairs []TermPair,
	) (scorer, error) {
		associations, err := w.Associations(ctx, sppmi.Params{Smoothing: p.Smoothing, Shift: p.Shift})
		if err != nil {
			return nil, err
		}
		counts, err := w.Counts(ctx)
		if err != nil {
			return nil, err
		}
		generality := generalities(counts, associations, pairs, p.Contexts)
		return known(func(p TermPair) float64 {
			if generality[p.Wide] == 0 {
				return 0
			}
			return 1 - generality[p.Narrow]/generality[p.Wide]
		}), nil
	}}
}

// scoresOf is a node of what a row makes of a file.
func scoresOf[T any](w *pipeline.Workspace, name string, row Row, file string, measured any) store.Node[T] {
	n := row.Method.needs(w)
	return store.Node[T]{
		Name: name, Version: 4, Params: n.params(measured), Shared: n.shared,
		Inputs: append([]store.Input{w.FileInput(file), w.CountsNode()}, n.inputs...),
	}
}
