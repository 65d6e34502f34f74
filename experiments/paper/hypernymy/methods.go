package hypernymy

import (
	"context"

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
	in(w *pipeline.Workspace) scoring
}

// A scoring is a method in a workspace: how pairs are scored, and what their scores depend on in addition to the pairs
// and the counts.
type scoring struct {
	kind     string         // of the method
	settings map[string]any // by their name in stores
	inputs   []store.Input
	shared   []store.Input // as store.Node has it
	random   bool          // by a seed: of vectors or clusters
	// by returns what scores pairs such as these, on a set or file with a name.
	by func(ctx context.Context, name string, pairs []TermPair) (scorer, error)
}

// A scorer returns the score of a pair, greater for a likelier hypernym, and whether the pair has one.
type scorer func(p TermPair) (score float64, covered bool)

// A comparison is the score of two known words.
type comparison func(narrow, wide int32) float64

// byWords scores pairs of known words, whatever the others are.
func byWords(
	compare func(ctx context.Context) (comparison, error),
) func(context.Context, string, []TermPair) (scorer, error) {
	return func(ctx context.Context, _ string, _ []TermPair) (scorer, error) {
		score, err := compare(ctx)
		return func(p TermPair) (float64, bool) {
			if p.unknown() {
				return 0, false
			}
			return score(p.Narrow, p.Wide), true
		}, err
	}
}

// A baseline is a method that has all of its settings in a function.
type baseline func(w *pipeline.Workspace) scoring

func (b baseline) in(w *pipeline.Workspace) scoring { return b(w) }

// chance knows nothing: all pairs are equal, and nothing needs to be known of them.
func chance(*pipeline.Workspace) scoring {
	return scoring{kind: "chance", by: func(context.Context, string, []TermPair) (scorer, error) {
		return func(TermPair) (float64, bool) { return 0, true }, nil
	}}
}

// frequency is ln of the second word's count over the first's.
func frequency(w *pipeline.Workspace) scoring {
	return scoring{kind: "frequency", by: byWords(func(ctx context.Context) (comparison, error) {
		v, err := w.Vocabulary(ctx)
		return func(narrow, wide int32) float64 {
			return elementary.Log(float64(v.Counts[wide])) - elementary.Log(float64(v.Counts[narrow]))
		}, err
	})}
}

// cosine is that of the word vectors.
func cosine(w *pipeline.Workspace) scoring {
	return scoring{
		kind: "cosine", inputs: []store.Input{w.VectorsNode(profile.SVD)}, random: true,
		by: byWords(func(ctx context.Context) (comparison, error) { return cosines(ctx, w) }),
	}
}

func cosines(ctx context.Context, w *pipeline.Workspace) (comparison, error) {
	v, err := w.Vectors(ctx)
	return func(narrow, wide int32) float64 { return score.Cosine(v.Row(int(narrow)), v.Row(int(wide))) }, err
}

// henderson is Henderson's operator between entailment vectors (D_Hend). A word without a vector has no score.
func henderson(w *pipeline.Workspace) scoring {
	return scoring{
		kind: "entailment", inputs: []store.Input{w.VectorsNode(profile.Entailment)}, random: true,
		by: func(ctx context.Context, _ string, _ []TermPair) (scorer, error) {
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
		},
	}
}

// associated compares words by their associations.
func associated(kind string, p profile.HypernymyBaselines, compare func(
	ctx context.Context, w *pipeline.Workspace, m *sppmi.Matrix,
) (comparison, error)) baseline {
	params := sppmi.Params{Smoothing: p.Smoothing, Shift: p.Shift}
	return func(w *pipeline.Workspace) scoring {
		return scoring{
			kind: kind, settings: map[string]any{"baselines": p},
			shared: []store.Input{w.AssociationsNode(params)},
			by: byWords(func(ctx context.Context) (comparison, error) {
				m, err := w.Associations(ctx, params)
				if err != nil {
					return nil, err
				}
				return compare(ctx, w, m)
			}),
		}
	}
}

// overlapping scores pairs by how their associations overlap.
func overlapping(kind string, p profile.HypernymyBaselines, score func(s shared) float64) baseline {
	p.Contexts = 0
	return associated(kind, p, func(_ context.Context, _ *pipeline.Workspace, m *sppmi.Matrix) (comparison, error) {
		return func(narrow, wide int32) float64 { return score(overlap(m, narrow, wide)) }, nil
	})
}

// slqs is SLQS of the contexts' entropies, 1 − E(narrow)/E(wide); a wide term without contexts tells nothing.
func slqs(p profile.HypernymyBaselines) baseline {
	return associated("slqs", p, func(
		ctx context.Context, w *pipeline.Workspace, m *sppmi.Matrix,
	) (comparison, error) {
		counts, err := w.Counts(ctx)
		general := generality(counts, m, p.Contexts)
		return func(narrow, wide int32) float64 {
			if general(wide) == 0 {
				return 0
			}
			return 1 - general(narrow)/general(wide)
		}, err
	})
}
