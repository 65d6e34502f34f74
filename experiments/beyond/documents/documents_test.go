package documents

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contextmover/cmdlib/ot/cpu"
	"contextmover/experiments/beyond/documents/knn"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
)

// topics are classes whose documents share few words, but words that are near one another.
var topics = map[string]string{
	"animals": "dog cat horse cow sheep pig wolf lion tiger bear fox rabbit goat deer donkey mule",
	"food":    "bread cheese butter meat soup rice fruit sugar salt milk cake wine beer tea coffee apple",
}

func workspace(t *testing.T) *pipeline.Workspace {
	t.Helper()
	data := t.TempDir()
	random := rand.New(rand.NewPCG(1, 0))
	var text strings.Builder
	for i := range 30 {
		for _, class := range []string{"animals", "food"} {
			words := strings.Fields(topics[class])
			fmt.Fprintf(&text, "%q\t", class)
			for range 2 {
				text.WriteString(words[random.IntN(len(words))] + " ")
			}
			fmt.Fprintf(&text, "unheardof%d\n", i%15)
		}
	}
	if err := os.WriteFile(filepath.Join(data, "tweets.txt"), []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Load("documents", nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Documents.Sets = []profile.DocumentSet{{Name: "small", Format: "tweets", Files: []string{"tweets.txt"},
		Contexts: true}}
	p.Documents.Quantiles = []float64{0.01}
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &pipeline.Workspace{Profile: p, Store: s, Data: data, Engine: cpu.New()}
}

// Where documents of a class share no words, but near ones, the true cost is better than all that do not know where
// words are.
func TestGeometryIsSeen(t *testing.T) {
	w := workspace(t)
	output, err := Run(context.Background(), w)
	if err != nil {
		t.Fatal(err)
	}
	if len(output.Tables) != 5 || output.Tables[0].ID != tableID || len(output.Figures) != 1 {
		t.Fatalf("%d tables, %d figures", len(output.Tables), len(output.Figures))
	}
	value := func(row string) float64 {
		for _, b := range output.Tables[0].Blocks {
			for _, r := range b.Rows {
				if r.Key != row {
					continue
				}
				c := r.Cells[0]
				if *c.Value < 0 || *c.Value > 100 || c.Low > *c.Value || c.High < *c.Value {
					t.Errorf("%s: %v [%v, %v]", row, *c.Value, c.Low, c.High)
				}
				return *c.Value
			}
		}
		t.Fatalf("no row %s", row)
		return 0
	}
	for _, r := range rows() {
		value(r.ID)
	}
	if e := value("wmd-true"); e > 3 {
		t.Errorf("moved words err %v %%, want hardly any", e)
	}
	for _, worse := range []string{"bow", "wmd-shuffled"} {
		if value(worse) < value("wmd-true")+1 {
			t.Errorf("%s errs %v %%, want more than the true cost's %v", worse, value(worse), value("wmd-true"))
		}
	}
}

func TestSplits(t *testing.T) {
	d := profile.Documents{Splits: 3, Test: 0.3, Validation: 0.2}
	w := &pipeline.Workspace{Profile: &profile.Profile{Seed: 1, Documents: d}}
	s := &set{Workspace: w, documents: make([][]int32, 100), test: make([]bool, 100), first: make([]bool, 100)}
	for i := range s.first {
		s.first[i], s.test[i] = i%4 > 0, i >= 60
	}
	for _, published := range []bool{false, true} {
		s.published = published
		for _, keep := range []func(int) bool{func(int) bool { return true }, s.unique} {
			want := 0
			for i := range s.documents {
				if keep(i) {
					want++
				}
			}
			for _, of := range s.splits(keep) {
				seen := map[int]bool{}
				for _, list := range [][]int{of.train, of.validation, of.test} {
					for _, i := range list {
						if seen[i] || !keep(i) {
							t.Errorf("document %d stands twice, or is left out", i)
						}
						seen[i] = true
					}
				}
				if len(seen) != want {
					t.Errorf("%d documents, want %d", len(seen), want)
				}
				for _, i := range of.test {
					if published && !s.test[i] {
						t.Errorf("document %d is no test document", i)
					}
				}
			}
		}
	}
}

func TestVotes(t *testing.T) {
	s := &set{classes: []int{0, 1, 1, 2, 0}, documents: make([][]int32, 5), search: knn.Search{Queries: []int{0}, K: 4}}
	c := newClassifier(s, split{train: []int{1, 2, 3}})
	for _, test := range []struct {
		index   []int32
		k, want int
	}{
		{[]int32{4, 3, 1, 2}, 1, 2},     // 4 does not vote
		{[]int32{3, 1, 2, 4}, 3, 1},     // most
		{[]int32{3, 1, -1, -1}, 2, 2},   // as many: the nearest
		{[]int32{-1, -1, -1, -1}, 3, 1}, // none: the most common
		{[]int32{1, 3, 2, -1}, 11, 1},   // fewer than k
	} {
		if got := c.class(found{Index: test.index}, 0, test.k); got != test.want {
			t.Errorf("class %d by %v, k = %d, want %d", got, test.index, test.k, test.want)
		}
	}
}

func TestRowsAreKnown(t *testing.T) {
	families := map[string]map[string]bool{}
	for _, r := range rows() {
		if r.Family != "" {
			if families[r.Family] == nil {
				families[r.Family] = map[string]bool{}
			}
			families[r.Family][r.Geometry] = true
		}
	}
	for family, geometries := range families {
		for _, g := range []string{method.TrueGeometry, method.Shuffled, method.Discrete, Thresholded} {
			if !geometries[g] {
				t.Errorf("%s has no row with costs %q", family, g)
			}
		}
	}
}
