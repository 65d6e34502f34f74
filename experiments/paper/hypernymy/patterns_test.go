package hypernymy

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"contextmover/cmdlib/ot/cpu"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
)

// Pairs are scored by what patterns say of their singulars: counts, associations, and these by singular vectors of full
// rank. Words in no pattern are not covered.
func TestPatterns(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	text := "fruits such as apples and pears .\nan apple is a fruit .\nanimals such as dogs .\nthe dog eats a stone .\n"
	for i := range 1000 { // as many words as the profile has dimensions and clusters
		text += fmt.Sprintf("w%d ", i)
	}
	write("text.txt", text)
	p, err := profile.Load(write("p.toml", `
extends = "patterns"
name = "p"
[corpus]
kind = "files"
files = ["text.txt"]
min_count = 1
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &pipeline.Workspace{Profile: p, Store: s, Data: dir, Engine: cpu.New()}
	v, err := w.Vocabulary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pair := func(narrow, wide string) TermPair {
		a, _ := v.ID(narrow)
		b, _ := v.ID(wide)
		return TermPair{a, b}
	}
	for score, want := range map[Pattern]float64{
		{Score: patternCount}:                2,
		{Score: patternPPMI}:                 math.Log(4.0 * 2 / (2 * 3)),
		{Score: patternSVD, Rank: 2, Dim: 2}: math.Log(4.0 / 3),
	} {
		value, err := score.in(w).by(t.Context(), "test", nil)
		if err != nil {
			t.Fatal(err)
		}
		if x, ok := value(pair("apples", "fruit")); !ok || math.Abs(x-want) > 1e-5 {
			t.Errorf("%+v: %v, %v, want %v", score, x, ok, want)
		}
		if x, ok := value(pair("fruits", "apple")); !ok || math.Abs(x) > 1e-5 {
			t.Errorf("%+v: %v, %v the other way", score, x, ok)
		}
		if _, ok := value(pair("stone", "fruits")); ok {
			t.Errorf("%+v: a score of a word in no pattern", score)
		}
	}
	all := patterns(w)
	if len(all) != 4 || len(all[2].grid) != len(p.Hypernymy.Patterns.Ranks) ||
		len(all[3].grid) != 2*len(p.Hypernymy.CMD.Clusters) {
		t.Errorf("%+v", all)
	}
	// The contexts of apples are fruits alone; those of fruits are apples and pears, if examples count.
	clusters, err := w.Clusters(t.Context(), all[3].Row.Method.(movedPatterns).estimates(w).Clusters)
	if err != nil {
		t.Fatal(err)
	}
	apple := pair("apple", "fruit")
	in := func(word int32) int { return int(clusters.Assignment[word]) }
	e, err := store.Get(t.Context(), s, w.PatternEstimatesNode(all[3].Row.Method.(movedPatterns).estimates(w), false))
	if err != nil {
		t.Fatal(err)
	}
	if x := e.Row(int(apple.Narrow))[in(apple.Wide)]; x != 1 || e.Known[apple.Wide] {
		t.Errorf("apples have %v of their mass on fruits; fruits are known: %v", x, e.Known[apple.Wide])
	}
	both := all[3].grid[len(p.Hypernymy.CMD.Clusters)]
	e, err = store.Get(t.Context(), s, w.PatternEstimatesNode(both.Method.(movedPatterns).estimates(w), true))
	if err != nil {
		t.Fatal(err)
	}
	fruit := e.Row(int(apple.Wide))
	beside := []int{in(apple.Narrow), in(pair("pears", "fruit").Narrow)}
	slices.Sort(beside)
	sum := float32(0)
	for _, k := range slices.Compact(beside) {
		sum += fruit[k]
	}
	if math.Abs(float64(sum)-1) > 1e-6 {
		t.Errorf("fruits have %v of their mass on apples and pears", sum)
	}
	scores, covered, err := scoreTerms(t.Context(), w, both, "test",
		[]TermPair{pair("apples", "fruits"), apple, pair("stone", "fruit")})
	if err != nil || scores[0] != scores[1] || !covered[0] || covered[2] {
		t.Errorf("%v, covered %v, %v", scores, covered, err)
	}
}
