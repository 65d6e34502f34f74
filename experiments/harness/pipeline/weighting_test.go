package pipeline

import (
	"os"
	"path/filepath"
	"testing"

	"contextmover/cmdlib/corpus"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/engines"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
)

// A word that the list lacks has p = 0, so the weight 1; one that it has, its share of the
// list, whatever the corpus says.
func TestListOfFrequencies(t *testing.T) {
	dir := t.TempDir()
	list := filepath.Join(dir, "list.txt")
	if err := os.WriteFile(list, []byte("the 6\nabsent 2\nof 8\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	v, err := corpus.NewVocabulary([]string{",", "the", "of"}, []int64{100, 9, 1})
	if err != nil {
		t.Fatal(err)
	}
	got, err := listShares(v, list)
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{0, 6. / 16, 8. / 16}; got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("p = %v, want %v", got, want)
	}
}

// What a row's scores are made from has the list of frequencies in it if the row uses the
// list, and only then.
func TestListIsPartOfTheKey(t *testing.T) {
	p, err := profile.Load("open", []string{"sts.frequencies=list.txt"})
	if err != nil {
		t.Fatal(err)
	}
	key := func(row profile.Row, list string) store.Key {
		t.Helper()
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "list.txt"), []byte(list), 0o666); err != nil {
			t.Fatal(err)
		}
		engine, err := engines.New("reference")
		if err != nil {
			t.Fatal(err)
		}
		w := &Workspace{Profile: p, Data: dir, Engine: engine}
		keys, err := store.Keys(w.ScoresNode(row, p.STS.Groups[0].Sets[0]))
		if err != nil {
			t.Fatal(err)
		}
		return keys[0]
	}
	for _, c := range []struct {
		id, weights, pointWeights string
		mix                       float64
		changes                   bool
	}{
		{"glove-sif", profile.SIFList, profile.Inverse, 0, true},
		{"glove-sif", profile.SIFCorpus, profile.Inverse, 0, false},
		{"glove-sif", profile.SIFRaw, profile.Inverse, 0, false},
		{"glove-sif", profile.SIFPPMI, profile.Inverse, 0, false},
		{"glove-comb", profile.SIFList, profile.Inverse, 0, true},
		{"glove-comb", profile.Inverse, profile.SIFList, 0.4, true},
		{"glove-comb", profile.Inverse, profile.SIFList, 0, false},
		{"glove-comb", profile.Inverse, profile.Inverse, 0.4, false},
	} {
		row, ok := p.Row(c.id)
		if !ok {
			t.Fatalf("no row %s", c.id)
		}
		row = row.With("weights", c.weights)
		if row.HasHistograms() {
			row = row.With("point_weights", c.pointWeights).With("mix", c.mix)
		}
		if changes := key(row, "the 1\n") != key(row, "the 2\n"); changes != c.changes {
			t.Errorf("%+v: another list changes the key: %v", c, changes)
		}
	}
	sif, _ := p.Row("glove-sif")
	seen := map[store.Key]string{}
	for _, weights := range []string{profile.Uniform, profile.SIFCorpus, profile.SIFList, profile.SIFRaw, profile.SIFPPMI} {
		sif := sif.With("weights", weights)
		k := key(sif, "the 1\n")
		if seen[k] != "" {
			t.Errorf("%s and %s have one key", weights, seen[k])
		}
		seen[k] = weights
	}
}

// SIF's list lacks 14 % of the tokens of sentence similarity: punctuation above all.
func TestTokensThatTheListLacks(t *testing.T) {
	data := os.Getenv("CONTEXTMOVER_DATA")
	if data == "" {
		t.Skip("SKIPPED: CONTEXTMOVER_DATA names no folder of real data")
	}
	p, err := profile.Load("open", nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &Workspace{Profile: p, Data: data}
	path, err := w.File(t.Context(), p.STS.Frequencies)
	if err != nil {
		t.Fatal(err)
	}
	list, err := dataset.ReadFrequencies(path)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, f := range list {
		listed[f.Word] = true
	}
	total, missing, punctuation := 0, 0, 0
	for _, group := range p.STS.Groups {
		for _, set := range group.Sets {
			path, err := w.File(t.Context(), set.File)
			if err != nil {
				t.Fatal(err)
			}
			pairs, err := dataset.ReadPairs(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, pair := range pairs {
				for _, text := range []string{pair.A, pair.B} {
					for _, token := range corpus.Tokenise(text) {
						total++
						if !listed[token] {
							missing++
							if !hasLetterOrDigit(token) {
								punctuation++
							}
						}
					}
				}
			}
		}
	}
	t.Logf("%d of %d tokens are not listed, %d of them punctuation", missing, total, punctuation)
	if share := float64(missing) / float64(total); share < 0.135 || share >= 0.145 {
		t.Errorf("%d of %d tokens (%.1f %%) are not in the list, want 14 %%", missing, total, 100*share)
	}
	if 2*punctuation < missing {
		t.Errorf("%d of %d missing tokens are punctuation, want most", punctuation, missing)
	}
}

func hasLetterOrDigit(token string) bool {
	for _, r := range token {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127 {
			return true
		}
	}
	return false
}
