package hypernymy

import (
	"math"
	"slices"
	"strings"
	"testing"

	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/pipelinetest"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/published"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/harness/store"
	"contextmover/experiments/harness/trainers/dive"
	"contextmover/experiments/harness/trainers/gaussian"
	"contextmover/experiments/harness/trainers/poincare"
	"contextmover/experiments/show/render"
)

// A row of a system scores pairs by its vectors, narrow term first,
// and the row with chosen settings is the best that was tried.
func TestSystems(t *testing.T) {
	w := pipelinetest.World(t, "hypernymy.dive.samples=50_000", "hypernymy.gaussian.samples=50_000", "hypernymy.poincare.epochs=1")
	candidates := systems(w)
	if len(candidates) != 4 {
		t.Fatalf("%d systems", len(candidates))
	}
	c := candidates[0]
	trained := func(w *pipeline.Workspace, c Searched) store.Node[string] { return c.Row.Method.(system).trained(w) }
	v, err := w.VectorsIn(t.Context(), trained(w, c))
	if err != nil {
		t.Fatal(err)
	}
	words, err := w.Vectors(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pair := TermPair{5, 9}
	narrow, wide := v.Row(5), v.Row(9)
	for name, want := range map[string]float64{
		profile.DeltaS: dive.DeltaS(narrow, wide), profile.CDeltaS: dive.CDeltaS(narrow, wide), profile.AL1: dive.AL1(narrow, wide),
		profile.WDeltaS: score.Cosine(words.Row(5), words.Row(9)) * dive.DeltaS(narrow, wide),
	} {
		settings := w.Profile.Hypernymy.DIVE.DIVE
		settings.Score = name
		row := Row{Key: "test", Method: byDIVE(settings)}
		scores, covered, err := scoreTerms(t.Context(), w, row, "test", []TermPair{pair, pair.reversed(), {-1, 3}})
		if err != nil {
			t.Fatal(err)
		}
		if scores[0] != want || !covered[0] || covered[2] {
			t.Errorf("%s: %v, covered %v, want %v", name, scores, covered, want)
		}
		if name != profile.AL1 && math.Abs(scores[0]+scores[1]) > 1e-9 {
			t.Errorf("%s: %v one way and %v the other", name, scores[0], scores[1])
		}
	}

	d, err := w.VectorsIn(t.Context(), trained(w, candidates[1]))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{gaussian.Cosine(d.Row(5), d.Row(9)), -gaussian.Divergence(d.Row(5), d.Row(9))} {
		scores, _, err := scoreTerms(t.Context(), w, candidates[1+i].Row, "test", []TermPair{pair})
		if err != nil {
			t.Fatal(err)
		}
		if scores[0] != want {
			t.Errorf("%s: %v, want %v", candidates[1+i].Row.Key, scores[0], want)
		}
	}

	hyperbolic := w.Profile.Hypernymy.Poincare.Poincare
	points, err := w.VectorsIn(t.Context(), trained(w, candidates[3]))
	if err != nil {
		t.Fatal(err)
	}
	generic, specific := general(points.Len(), hyperbolic.Words)
	if n := min(400, points.Len()/4); len(generic) != n || generic[1] != 1 || len(specific) != n || specific[n-1] != points.Len()-1 {
		t.Errorf("of %d words general ones are %v…, specific ones %v…", points.Len(), generic[:2], specific[:2])
	}
	g := poincare.Gaussians(points.Data, w.Profile.Hypernymy.Poincare.Disks, generic, specific)
	of := func(word int) []float32 { return g[word*points.Dim:][:points.Dim] }
	for name, want := range map[string]float64{profile.IsA: poincare.IsA(of(5), of(9)), profile.MinusKL: -poincare.Divergence(of(5), of(9))} {
		hyperbolic.Score = name
		scores, _, err := scoreTerms(t.Context(), w, Row{Key: "test", Method: byPoincare(hyperbolic)}, "test", []TermPair{pair})
		if err != nil {
			t.Fatal(err)
		}
		if scores[0] != want {
			t.Errorf("%s: %v, want %v", name, scores[0], want)
		}
	}

	for i, n := range []int{8, 4, 4, 8} {
		if err := candidates[i].search(t.Context(), w); err != nil {
			t.Fatal(err)
		}
		if len(candidates[i].Tried) != n {
			t.Errorf("%d settings tried of %s, expected %d", len(candidates[i].Tried), candidates[i].Row.Key, n)
		}
	}
	s := candidates[0]
	if len(s.Tried) != len(s.grid) || s.Chosen[0].Label != s.Tried[0].Row.Label {
		t.Errorf("%d tried of %d, chosen %v", len(s.Tried), len(s.grid), s.Chosen)
	}
	for i, trial := range s.Tried[1:] {
		if trial.Value > s.Tried[i].Value {
			t.Errorf("%s scores more than %s before it", trial.Row.Label, s.Tried[i].Row.Label)
		}
	}
	again := w.WithSeed(2)
	other, err := again.VectorsIn(t.Context(), trained(again, c))
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(v.Data, other.Data) {
		t.Error("the same vectors with another seed")
	}
}

// A system's row stands in the paper's tables beside what is printed for it, and nowhere as printed only.
func TestSystemsStandBesideThePrintedNumbers(t *testing.T) {
	p, err := profile.Load("systems", nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &pipeline.Workspace{Profile: p, Engine: workspace(t, "mini").Engine}
	h := &Result{profile: p, Sets: p.Hypernymy.Sets, Rows: paperRows(w), Baselines: baselineRows(w), Measures: map[string]Measured{},
		Unknown: make([]int, len(p.Hypernymy.Sets)), Repeats: make([]int, len(p.Hypernymy.Sets)),
		Pairs: []dataset.HypernymPair{{A: "a", B: "b"}, {A: "c", B: "d", True: true}}}
	for _, c := range systems(w) {
		chosen := c.grid[0]
		chosen.Key = chosenKey + " " + c.Row.Key
		c.Chosen, c.Tried = []Row{chosen}, make([]pipeline.Trial[Row], len(c.grid))
		h.Systems = append(h.Systems, c)
	}
	for _, row := range h.measured() {
		h.Measures[row.Key] = flat(len(h.Sets))
	}
	beside := map[string]int{}
	for _, table := range []*render.Table{h.main(), h.full(), h.accuracy(), h.graded()} {
		besidePrinted(table)
		for _, b := range table.Blocks {
			for _, r := range b.Rows {
				for _, c := range r.Cells {
					if c.Printed != nil && b.Title == "systems of others" && c.Value != nil {
						beside[r.Key]++
					}
					if b.Title == "printed only" && slices.ContainsFunc(h.Systems, func(s Searched) bool { return keyIn(table.ID, s.Row.Key) == r.Key }) {
						t.Errorf("%s: %s is run, but stands as printed only", table.ID, r.Key)
					}
				}
			}
		}
	}
	if beside[diveKey] != 6 || beside[geCosineKey] != 6 || beside[geKLKey] != 6 || beside[poincareKey] != 1 || beside["Poincare GloVe"] != 2 {
		t.Errorf("%v cells of the systems stand beside printed ones", beside)
	}
	tried := map[string]int{}
	for _, q := range h.quantities() {
		if paper, _ := published.Load(q.Table); paper != nil && paper.Row(q.Row).Origin == published.Quoted {
			if (q.Variant == results.Chosen) != (q.Tried > 0) || (q.Variant == results.Chosen) != strings.HasPrefix(q.Source, chosenKey) {
				t.Errorf("%+v", q)
			}
			tried[q.Row] = max(tried[q.Row], q.Tried)
		}
	}
	// About as many as CMD has to choose from.
	if s := p.Hypernymy.Select; tried[diveKey] != len(s["clusters"])*len(s["smoothing"])*len(s["shift"]) || tried[geCosineKey] != 4 || tried[geKLKey] != 4 || tried[poincareKey] != 8 || tried["Poincare GloVe"] != 8 {
		t.Errorf("tried %v", tried)
	}
}
