package hypernymy

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/ot/reference"
	"contextmover/cmdlib/sppmi"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/published"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/harness/store"
	"contextmover/experiments/harness/trainers/entailment"
	"contextmover/experiments/show/render"
)

func workspace(t *testing.T, name string, overrides ...string) *pipeline.Workspace {
	t.Helper()
	p, err := profile.Load(name, overrides)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &pipeline.Workspace{Profile: p, Store: s, Engine: cpu.New()}
}

// Word 0 has only contexts of which much is known, word 1 only such of which little is: from
// 0 to 1 is cheap, back is dear. Who swaps the pair or transposes the cost finds the
// opposite.
func TestCMDGoesFromTheNarrowTerm(t *testing.T) {
	for _, engine := range []ot.Engine{reference.New(), cpu.New()} {
		w := workspace(t, "mini")
		w.Engine = engine
		known, unknown := []float32{3, 2}, []float32{-2, -3}
		p := NewCMD(w, 2, 0.5, 1)
		cost, err := entailment.Cost(slices.Concat(known, unknown), 2, 2, ground.Params{Metric: entailment.Metric, Normalisation: ground.Log2})
		if err != nil {
			t.Fatal(err)
		}
		e := &estimate.Estimates{Histograms: ot.Histograms{K: 2, Data: []float32{1, 0, 0, 1, 0, 0}}, Known: []bool{true, true, false}}
		score := func(p CMD, pairs ...TermPair) (scores []float64, covered []bool) {
			problem, at := p.problem(e, cost, pairs)
			results, err := ot.Distances(t.Context(), engine, problem)
			if err != nil {
				t.Fatal(err)
			}
			for _, pair := range pairs {
				i, ok := at[pair]
				scores, covered = append(scores, -results[i].Cost), append(covered, ok)
			}
			return scores, covered
		}
		scores, covered := score(p, TermPair{0, 1}, TermPair{1, 0}, TermPair{0, 1}, TermPair{0, 2}, TermPair{-1, 1})
		if !slices.Equal(covered, []bool{true, true, true, false, false}) {
			t.Errorf("covered %v", covered)
		}
		for i, pair := range [][2][]float32{{known, unknown}, {unknown, known}, {known, unknown}} {
			want := -math.Log2(1 - entailment.Backward(pair[0], pair[1])/100)
			if math.Abs(scores[i]-want) > 1e-6 {
				t.Errorf("%s: pair %d scores %v, want %v", engine.Name(), i, scores[i], want)
			}
		}
		transposed := p
		transposed.Transposed = true
		if back, _ := score(transposed, TermPair{0, 1}, TermPair{1, 0}); back[0] != scores[1] || back[1] != scores[0] {
			t.Errorf("%s: with the cost transposed %v, want %v and %v", engine.Name(), back, scores[1], scores[0])
		}
		if !(scores[0] > scores[1]) {
			t.Errorf("%s: the pair scores %v, and %v the other way round", engine.Name(), scores[0], scores[1])
		}
		belowAll(scores, covered)
		if least := scores[1] - 1; scores[3] != least || scores[4] != least {
			t.Errorf("pairs without a score have %v and %v, want %v", scores[3], scores[4], least)
		}
	}
}

// Henderson's operator has the hyponym first.
func TestHendersonGoesFromTheNarrowTerm(t *testing.T) {
	w := workspace(t, "mini", "corpus.tokens=60000", "vectors.dim=20", "hypernymy.vectors.dim=20", "hypernymy.vectors.samples=50000")
	v, err := w.VectorsOf(t.Context(), profile.Entailment)
	if err != nil {
		t.Fatal(err)
	}
	row := Row{Key: hendersonKey, Method: baseline(henderson)}
	scores, _, err := scoreTerms(t.Context(), w, row, "test", []TermPair{{5, 9}, {9, 5}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{entailment.Backward(v.Row(5), v.Row(9)), entailment.Backward(v.Row(9), v.Row(5))} {
		if scores[i] != want {
			t.Errorf("pair %d: %v, want %v", i, scores[i], want)
		}
	}
}

// The tables are the same bytes whatever the number of threads, and from the store.
func TestHypernymyIsDeterministic(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the experiment twice")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first []byte
	for _, threads := range []int{1, 3} {
		runtime.GOMAXPROCS(threads)
		w := workspace(t, "mini", "corpus.tokens=100000", "vectors.dim=20", "hypernymy.vectors.dim=20", "hypernymy.vectors.samples=50000", "hypernymy.cmd.clusters=[10]", "hypernymy.grid.clusters=10", "hypernymy.grid.shift=[1]")
		for range 2 {
			output, err := Run(t.Context(), w)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			for _, table := range output.Tables {
				if err := errors.Join(render.CSV(&b, table), render.Text(&b, table, render.Terminal)); err != nil {
					t.Fatal(err)
				}
			}
			if first == nil {
				first = b.Bytes()
			} else if !bytes.Equal(first, b.Bytes()) {
				t.Errorf("other tables with %d threads", threads)
			}
		}
	}
}

// flat is the outcome of a row that scores nothing on n sets.
func flat(n int) (m Measured) {
	m.Graded = &GradedMeasure{Pairs: 2, Covered: 2}
	for range n {
		m.Sets = append(m.Sets, &Measure{
			Pairs: 2, Covered: 2, HeldOut: new(score.Estimate), Half: new(score.Estimate), AP: score.Estimate{Draws: make([]float64, pipeline.ClusterDraws)}, Scores: []float64{1, 0},
		})
	}
	return m
}

// Every cell of the paper's tables that we fill stands in a row and a column of its names.
func TestHypernymyTablesHaveThePapersNames(t *testing.T) {
	p, err := profile.Load("open", nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &pipeline.Workspace{Profile: p, Engine: cpu.New()}
	h := &Result{profile: p, Sets: p.Hypernymy.Sets, Rows: paperRows(w), Grid: gridRows(w), Baselines: baselineRows(w),
		Measures: map[string]Measured{}, Unknown: make([]int, len(p.Hypernymy.Sets)), Repeats: make([]int, len(p.Hypernymy.Sets)),
		Pairs: []dataset.HypernymPair{{A: "bass", B: "cello"}, {A: "a", B: "b", True: true}},
	}
	for _, row := range slices.Concat(h.Rows, h.Grid, h.Baselines) {
		h.Measures[row.Key] = flat(len(h.Sets))
	}
	tables := h.Tables()
	printed := map[string]int{}
	for _, table := range tables {
		// That D_Hend is untrained is said below every table that shows it.
		if shows := !slices.Contains([]string{unknownTable, searchTable}, table.ID); shows != slices.Contains(table.Notes, untrainedNote) {
			t.Errorf("%s has the notes %q", table.ID, table.Notes)
		}
		if err := render.CSV(&bytes.Buffer{}, table); err != nil {
			t.Error(err)
		}
		for _, b := range table.Blocks {
			for _, r := range b.Rows {
				for _, c := range r.Cells {
					if c.Printed != nil {
						printed[table.ID]++
					}
				}
			}
		}
	}
	for id, n := range printed {
		paper, err := published.Load(id)
		if err != nil {
			t.Errorf("%s is none of the paper's tables", id)
			continue
		}
		want := 0
		for _, r := range paper.Rows {
			for _, c := range r.Cells {
				if c.Number {
					want++
				}
			}
		}
		if n != want {
			t.Errorf("%s shows %d printed numbers, the paper has %d", id, n, want)
		}
	}
	for _, id := range []string{mainTable, fullTable, unknownTable, gridTable, accuracyTable, hyperLexTable, rankUpTable, rankDownTable} {
		if printed[id] == 0 {
			t.Errorf("%s shows no printed number", id)
		}
	}
}

// A coin gets half of what is covered, and who cannot tell is a coin.
func TestDirectedCountsTiesHalf(t *testing.T) {
	hyper := []int{0, 2, 3, 5}
	covered := []bool{true, true, true, false, true, true}
	for _, c := range []struct {
		name     string
		there    []float64
		back     []float64
		want     float64
		reversed bool
	}{
		{"one right, one wrong, one tie", []float64{2, 0, 1, 9, 0, 3}, []float64{1, 2, 0, 3}, 37.5, false},
		{"all ties", make([]float64, 6), make([]float64, 4), 37.5, false},
		{"all right", []float64{2, 0, 2, 9, 0, 2}, []float64{1, 1, 0, 1}, 75, false},
		{"all wrong", []float64{0, 0, 0, 9, 0, 0}, []float64{1, 1, 0, 1}, 0, false}, // of three pairs
	} {
		got, known := directed(hyper, slices.Concat(c.there, c.back), covered, len(c.there))
		if got != c.want || known != 3 {
			t.Errorf("%s: %v %% with %d covered, want %v %% with 3", c.name, got, known, c.want)
		}
		if m := (Measure{Directed: got, Hyper: 4, HyperCovered: known}); m.reversed() != c.reversed {
			t.Errorf("%s: reversed is %t", c.name, !c.reversed)
		}
	}
	// Of 100 covered pairs a coin has 50 ± 5 right.
	for right, want := range map[float64]bool{39: true, 41: false, 50: false, 61: false} {
		if m := (Measure{Directed: right / 2, Hyper: 200, HyperCovered: 100}); m.reversed() != want {
			t.Errorf("%v of 100 right: reversed is %t", right, !want)
		}
	}
}

func TestBadPairs(t *testing.T) {
	dir := t.TempDir()
	line := "the cat is an animal and the dog is an animal"
	for i := range 1000 { // as many words as the profile has dimensions and clusters
		line += fmt.Sprint(" other", i)
	}
	if err := os.WriteFile(filepath.Join(dir, "text.txt"), []byte(strings.Repeat(line+"\n", 10)), 0o666); err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct{ text, want string }{
		{"cat\tanimal\tTrue\thyper\ndog\tanimal\tTrue\n", ":2: 3 fields, expected 4"},
		{"cat\tanimal\tYes\thyper\n", `:1: "Yes", expected True or False`},
		{"", "no pairs of terms in the file"},
		{"zebra\tunicorn\tTrue\thyper\n", `:1: none of the 1 pairs from here on has two words of the vocabulary, not "zebra" and "unicorn"`},
		{"cat\tanimal\tFalse\trandom\n", "no pair is True"},
		{"cat\t\tTrue\thyper\n", ":1: a term is empty"},
	} {
		name := fmt.Sprintf("pairs%d.all", i)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		w := workspace(t, "mini", "corpus.kind=files", `corpus.files=["text.txt"]`)
		w.Data = dir
		_, _, err := ReadPairs(t.Context(), w, profile.HypernymySet{Name: "set", File: name})
		if !errors.Is(err, dataset.ErrData) || !strings.Contains(fmt.Sprint(err), name) || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%q: error %v, want %q", c.text, err, c.want)
		}
	}
}

func TestDistributionalBaselines(t *testing.T) {
	// Word 0: contexts a, b; word 1: a, b, c, with more.
	m := &sppmi.Matrix{Rows: 2, Cols: 3, Start: []int64{0, 2, 5}, Index: []int32{0, 1, 0, 1, 2}, Value: []float32{1, 3, 2, 1, 5}}
	s := overlap(m, 0, 1)
	if got := s.weedsPrec(); got != 1 {
		t.Errorf("weedsPrec = %v, want 1", got)
	}
	if got, want := overlap(m, 1, 0).weedsPrec(), 3./8; got != want {
		t.Errorf("weedsPrec = %v, want %v", got, want)
	}
	// Lesser associations: 1 + 1; c(0, 1) = 2/4, c(1, 0) = 2/8.
	if got, want := s.invCL(), math.Sqrt(0.5*0.75); math.Abs(got-want) > 1e-15 {
		t.Errorf("invCL = %v, want %v", got, want)
	}
	// Contexts' entropies: of 0 that of (1, 1), 1 bit; of 1 that of (1, 1, 2), 1.5 bits; of 2
	// that of (2), none.
	counts := &corpus.Counts{Rows: 3, Cols: 3, Start: []int64{0, 2, 5, 6}, Index: []int32{0, 1, 0, 1, 2, 1}, Value: []float64{1, 1, 1, 1, 2, 2}}
	associations := &sppmi.Matrix{Rows: 3, Cols: 3, Start: []int64{0, 2, 4, 4}, Index: []int32{0, 1, 1, 2}, Value: []float32{1, 1, 1, 1}}
	got := generality(counts, associations, 50)
	if got(0) != 1.25 || got(1) != 0.75 || got(2) != 0 {
		t.Errorf("generalities %v, %v, %v, want 1.25, 0.75, 0", got(0), got(1), got(2))
	}
	if first := generality(counts, associations, 1)(1); first != 0 {
		t.Errorf("generality by the first context %v, want 0: it has the most mass", first)
	}
}
