package pipeline_test

import (
	"math"
	"slices"
	"testing"

	"contextmover/experiments/pipeline"
	"contextmover/experiments/pipelinetest"
	"contextmover/experiments/profile"
)

var small = []string{"glove.epochs=2", "sent2vec.dim=10", "sent2vec.buckets=1000", "sent2vec.epochs=2", "sent2vec.subsample=1e-3"}

// values are the scores of a row on the first set of the validation group.
func values(t *testing.T, w *pipeline.Workspace, id string, change func(r *profile.Row)) []float64 {
	t.Helper()
	row, ok := w.Profile.Row(id)
	if !ok {
		t.Fatalf("no row %s", id)
	}
	if change != nil {
		change(&row)
	}
	groups := w.Profile.STS.Groups
	scores, m, err := w.Scores(t.Context(), row, groups[len(groups)-1].Sets[0])
	if err != nil {
		t.Fatal(err)
	}
	if len(scores) != m.Pairs || m.Pairs == 0 || math.IsNaN(m.Value) {
		t.Fatalf("%s: %d scores of %d pairs, %v", id, len(scores), m.Pairs, m.Value)
	}
	return scores
}

// The row Sent2vec averages words and bigrams; without bigrams it is the plain mean of the words' vectors, which clusters are made of too.
func TestSent2vecRows(t *testing.T) {
	plain := func(r *profile.Row) { r.Method = profile.NBoW }
	w := pipelinetest.World(t, append(small, "sent2vec.ngrams=1")...)
	if x, y := values(t, w, "sent2vec", nil), values(t, w, "sent2vec", plain); !slices.Equal(x, y) {
		t.Error("words alone: the mean of their vectors has other scores")
	}
	w = pipelinetest.World(t, append(small, "sts.rows.sent2vec-comb-mix.clusters=20")...)
	words := values(t, w, "sent2vec", plain)
	both := values(t, w, "sent2vec", nil)
	if slices.Equal(words, both) {
		t.Error("the vectors of bigrams change no score")
	}
	if unit := values(t, w, "sent2vec", func(r *profile.Row) { r.Unit = true }); slices.Equal(unit, both) {
		t.Error("vectors of length 1 change no score")
	}
	if again := values(t, pipelinetest.World(t, small...), "sent2vec", nil); !slices.Equal(again, both) {
		t.Error("other scores of another store")
	}
	values(t, w, "sent2vec-pc", nil)
	values(t, w, "sent2vec-comb-mix", nil)
}

// What moves words onto words has scores of its own, each method others.
func TestRowsThatMoveWords(t *testing.T) {
	w := pipelinetest.World(t, small...)
	var all [][]float64
	for _, id := range []string{"chosen-wmd", "chosen-wmd-reg", "chosen-wrd", "chosen-wme"} {
		scores := values(t, w, id, nil)
		for _, other := range all {
			if slices.Equal(scores, other) {
				t.Errorf("%s: the scores of another method", id)
			}
		}
		all = append(all, scores)
	}
	// The vectors have length 1, so without entropy less is moved than with it.
	for i, exact := range all[0] {
		if all[1][i] > exact+1e-5 {
			t.Errorf("pair %d: %v with entropy, %v without", i, -all[1][i], -exact)
		}
	}
}
