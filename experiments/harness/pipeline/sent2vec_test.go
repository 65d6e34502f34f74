package pipeline_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/pipelinetest"
	"contextmover/experiments/harness/profile"
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

// The row Sent2vec averages words and bigrams; without bigrams it is
// the plain mean of the words' vectors, which clusters are made of too.
func TestSent2vecRows(t *testing.T) {
	plain := func(r *profile.Row) { *r = r.As("nbow") }
	w := pipelinetest.World(t, append(small, "sent2vec.ngrams=1")...)
	if x, y := values(t, w, "sent2vec", nil), values(t, w, "sent2vec", plain); !slices.Equal(x, y) {
		t.Error("words alone: the mean of their vectors has other scores")
	}
	w = pipelinetest.World(t, append(small, "sts.rows.sent2vec-comb-mix.method=comb-mix,clusters=20,smoothing=0.15,shift=1,point_weights=uniform")...)
	words := values(t, w, "sent2vec", plain)
	both := values(t, w, "sent2vec", nil)
	if slices.Equal(words, both) {
		t.Error("the vectors of bigrams change no score")
	}
	if unit := values(t, w, "sent2vec", func(r *profile.Row) { *r = r.With("unit", true) }); slices.Equal(unit, both) {
		t.Error("vectors of length 1 change no score")
	}
	if again := values(t, pipelinetest.World(t, small...), "sent2vec", nil); !slices.Equal(again, both) {
		t.Error("other scores of another store")
	}
	values(t, w, "sent2vec-pc", nil)
	values(t, w, "sent2vec-comb-mix", nil)
}

// A file of scores is a row: with the people's own scores its correlation
// is 1. A pair that it lacks is an error that names it.
func TestEncoderRow(t *testing.T) {
	w := pipelinetest.World(t)
	w.Data = t.TempDir()
	groups := w.Profile.STS.Groups
	set := groups[len(groups)-1].Sets[0]
	pairs, err := w.ReadPairs(t.Context(), set)
	if err != nil {
		t.Fatal(err)
	}
	write := func(lines []dataset.Pair) {
		t.Helper()
		var b strings.Builder
		for _, p := range lines {
			fmt.Fprintf(&b, "%v\t%s\t%s\n", p.Gold, p.A, p.B)
		}
		if err := os.WriteFile(filepath.Join(w.Data, "scores.tsv"), []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	row := profile.Row{ID: "read", Label: "read", Method: method.Encoder{File: "scores.tsv"}}
	lines := slices.Clone(pairs.Lines)
	slices.Reverse(lines)
	write(lines)
	if _, m, err := w.Scores(t.Context(), row, set); err != nil || math.Abs(m.Value-100) > 1e-9 || m.Covered != len(pairs.Lines) {
		t.Errorf("correlation %v of %d pairs (%v), want 100 of %d", m.Value, m.Covered, err, len(pairs.Lines))
	}
	write(lines[1:])
	w = &pipeline.Workspace{Profile: w.Profile, Store: w.Store, Engine: w.Engine, Data: w.Data}
	want := fmt.Sprintf("has no score of the pair %q", lines[0].A)
	if _, _, err := w.Scores(t.Context(), row, set); !errors.Is(err, dataset.ErrData) || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one of data with %q", err, want)
	}
	write(append(lines, dataset.Pair{A: "a", B: "b", Gold: math.NaN()}))
	w = &pipeline.Workspace{Profile: w.Profile, Store: w.Store, Engine: w.Engine, Data: w.Data}
	if _, _, err := w.Scores(t.Context(), row, set); !errors.Is(err, dataset.ErrData) {
		t.Errorf("error %v of a score that is none, want one of data", err)
	}
}

// What moves words onto words has scores of its own, each method others.
func TestRowsThatMoveWords(t *testing.T) {
	w := pipelinetest.World(t, small...)
	var all [][]float64
	for _, id := range []string{"chosen-wmd", "chosen-wmd-reg", "chosen-wrd"} {
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

// Words with vectors of their own are like themselves alone, and cover a pair; vectors
// beside the same vectors change no cosine; the word rotator's distance is taken from it.
func TestWordsOfSets(t *testing.T) {
	w := pipelinetest.World(t, small...)
	v, err := w.Vocabulary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a, b, c := v.Words[20], v.Words[30], v.Words[40]
	text := strings.Join([]string{"5\tzzgub\tzzgub", "1\tzzgub\tzzgob", "4\t" + a + " zzgub\t" + a + " zzgub", "2\t" + a + " " + b + "\t" + c, "3\t" + b + " 77\t" + b + " 78", ""}, "\n")
	set := w.Profile.STS.Groups[0].Sets[0]
	path, err := w.File(t.Context(), set.File)
	if err != nil {
		t.Fatal(err)
	}
	// The generated set has known words alone: another stands in its place.
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	row := w.Profile.STS.Rows[slices.IndexFunc(w.Profile.STS.Rows, func(r profile.Row) bool { return r.ID == "chosen-sif" })]
	row = row.With("weights", profile.SIFCorpus).With("unit", true)
	row.Select = false
	scores := func(change func(*profile.Row)) (by map[string]float64, covered int) {
		t.Helper()
		r := row
		change(&r)
		s, pairs, err := w.Score(t.Context(), r, set)
		if err != nil {
			t.Fatal(err)
		}
		by = map[string]float64{}
		for i, line := range pairs.Lines {
			by[line.A+"|"+line.B] = s.Value[i]
			if s.Covered[i] {
				covered++
			}
		}
		return by, covered
	}
	plain, n := scores(func(*profile.Row) {})
	own, m := scores(func(r *profile.Row) { *r = r.With("own", method.UnknownOwn) })
	numbers, _ := scores(func(r *profile.Row) { *r = r.With("own", method.UnknownAndNumbers) })
	if n != 3 || m != 5 {
		t.Errorf("%d pairs covered, %d with own vectors; want 3 and 5", n, m)
	}
	if s := own["zzgub|zzgub"]; math.Abs(s-1) > 1e-6 {
		t.Errorf("an unknown word and itself: %v", s)
	}
	if s := own["zzgub|zzgob"]; math.Abs(s) > .6 { // few dimensions
		t.Errorf("two unknown words: %v", s)
	}
	known := a + " " + b + "|" + c
	if math.Abs(plain[known]-own[known]) > 1e-6 {
		t.Errorf("known words: %v, with own vectors of others %v", plain[known], own[known])
	}
	if a, b := own[b+" 77|"+b+" 78"], numbers[b+" 77|"+b+" 78"]; a >= 1 || b >= 1 {
		t.Errorf("other numbers are alike: %v, %v", a, b)
	}
	twice, _ := scores(func(r *profile.Row) {
		*r = r.With("own", method.NoneOwn).With("beside", r.Vectors()).With("beside_scale", 0.7)
	})
	if math.Abs(plain[known]-twice[known]) > 1e-6 {
		t.Errorf("beside themselves: %v, want %v", twice[known], plain[known])
	}
	less, _ := scores(func(r *profile.Row) { *r = r.With("own", method.UnknownOwn).With("rotator", 2.) })
	moved, _ := scores(func(r *profile.Row) {
		averaged, _ := method.GroupOf[method.Averaged](r.Method)
		a := averaged.RotatorA
		*r = r.With("own", method.UnknownOwn).With("remove_pc", false).As("wrd").With("a", a)
	})
	for pair := range own {
		if want := own[pair] + 2*moved[pair]; math.Abs(less[pair]-want) > 1e-6 {
			t.Errorf("%s: %v, want %v", pair, less[pair], want)
		}
	}
}

// Estimates count contexts within the window, whatever vectors their clusters
// are of: a store that has scores of another window must not be asked for them.
func TestScoresKnowTheWindow(t *testing.T) {
	w := pipelinetest.World(t, append(small, "sts.rows.sent2vec-comb-mix.method=comb-mix,clusters=20,smoothing=0.15,shift=1,point_weights=uniform")...)
	before := values(t, w, "sent2vec-comb-mix", nil)
	words := values(t, w, "sent2vec", nil)
	other := *w.Profile
	other.Corpus.Window = 2
	again := &pipeline.Workspace{Profile: &other, Store: w.Store, Data: w.Data, Engine: w.Engine}
	if slices.Equal(values(t, again, "sent2vec-comb-mix", nil), before) {
		t.Error("another window has the scores of the first one")
	}
	if !slices.Equal(values(t, again, "sent2vec", nil), words) {
		t.Error("the window changes vectors that no counts are made for")
	}
}
