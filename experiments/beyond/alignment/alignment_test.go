package alignment

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/align"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/present"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
	"contextmover/experiments/judge/verdict"
	"contextmover/experiments/show/figure"
	"contextmover/experiments/show/render"
)

func pair(source, target string, links ...align.Link) dataset.Aligned {
	return dataset.Aligned{Source: strings.Fields(source), Target: strings.Fields(target), Sure: links}
}

// Counts by hand: of three links two are people's; a word without a link on either side is a null.
func TestCount(t *testing.T) {
	p := pair("a b c d", "x y z",
		align.Link{Source: 0, Target: 0}, align.Link{Source: 1, Target: 1}, align.Link{Source: 1, Target: 2})
	c := count(&p, []align.Link{{Source: 0, Target: 0}, {Source: 1, Target: 1}, {Source: 2, Target: 1}})
	// People leave c and d, the aligner d and z.
	want := Counts{Links: Tally{Said: 3, Gold: 3, Both: 2}, Nulls: Tally{Said: 2, Gold: 2, Both: 1}}
	if c != want {
		t.Errorf("%+v, want %+v", c, want)
	}
	if c := count(&p, p.Sure); c.Exact != 1 || c.Links.Both != 3 || c.Nulls.Both != 2 {
		t.Errorf("people's own links: %+v", c)
	}
	if got := countsOf(c.numbers()); len(got) != 1 || got[0] != want {
		t.Errorf("read again %+v", got)
	}
}

// Precision and recall are means over pairs and F1 that of the means; a pair without any links is right if nothing is
// linked.
func TestScores(t *testing.T) {
	all := []Counts{
		{Links: Tally{Said: 2, Gold: 4, Both: 2}},
		{Links: Tally{Said: 4, Gold: 1, Both: 1}, Nulls: Tally{Said: 1}},
		{Exact: 1},
	}
	s := scores(all, upTo(3))
	p, r := 100*(1+0.25+1)/3, 100*(0.5+1+1)/3
	if math.Abs(s.Precision-p) > 1e-9 || math.Abs(s.Recall-r) > 1e-9 || math.Abs(s.F1-2*p*r/(p+r)) > 1e-9 {
		t.Errorf("%+v, want %v and %v", s, p, r)
	}
	if math.Abs(s.Exact-100.0/3) > 1e-9 || math.Abs(s.NullF1-100*2.0/3) > 1e-9 {
		t.Errorf("exact %v, nulls %v", s.Exact, s.NullF1)
	}
	if s := scores(all, []int{0, 0, 0}); math.Abs(s.Precision-100) > 1e-9 || math.Abs(s.Recall-50) > 1e-9 {
		t.Errorf("the first pair alone: %+v", s)
	}
}

// world is a workspace of a few pairs of sentences, with the rows of the profile.
func world(t *testing.T, rows string) *pipeline.Workspace {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const line = "%d\tthe old physician praised the nurse .\t\ta doctor praised the nurse %[1]d times .\t\t\t\t" +
		"2-1 3-2 4-3 5-4 6-7\t\n" +
		"%[1]d\tshe sold the car\t\tshe has sold her car\t\t\t\t0-0 1-2 3-4\t\n"
	write("dev.tsv", fmt.Sprintf(line, 1)+fmt.Sprintf(line, 2))
	write("test.tsv", fmt.Sprintf(line, 3))
	write("system.tsv", strings.ReplaceAll(fmt.Sprintf(line, 3), "3-2 4-3 5-4", "3-2 4-4"))
	write("p.toml", `
extends = "alignment"
without = ["alignment.sets", "alignment.rows", "alignment.minus"]
name = "p"
[alignment.select]
near = [0, 0.3]
distortion = [0, 0.3]
[[alignment.sets]]
name = "A"
development = "dev.tsv"
test = "test.tsv"
systems = [{ name = "other", file = "system.tsv" }]
[[alignment.sets]]
name = "B"
development = "dev.tsv"
test = "test.tsv"
`+rows)
	p, err := profile.Load(filepath.Join(dir, "p.toml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &pipeline.Workspace{Profile: p, Store: s, Data: dir, Engine: cpu.New()}
}

// Rows choose on the development part, other systems are scored as they are, and the figure shows what was computed.
func TestRun(t *testing.T) {
	rows := `
[[alignment.rows]]
id = "letters"
label = "letters"
block = "letters"
aligner = "assignment"
cost = "letters"
[[alignment.rows]]
id = "contexts"
label = "contexts"
block = "contexts"
aligner = "partial"
cost = "mixed"
[[alignment.rows]]
id = "common"
label = "common"
block = "more"
aligner = "partial"
cost = "vectors"
common = true
[[alignment.minus]]
row = "partial-true"
of = "other"
`
	for _, kind := range align.Kinds() {
		for _, g := range []string{method.TrueGeometry, method.Shuffled, method.Discrete} {
			rows += fmt.Sprintf("[[alignment.rows]]\nid = \"%s-%s\"\nlabel = \"%[1]s\"\n"+
				"block = \"transport\"\naligner = \"%[1]s\"\n"+
				"cost = \"vectors\"\ngeometry = \"%[2]s\"\n", kind, g)
		}
	}
	w := world(t, rows)
	r, err := Compute(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	outcome := func(id string) *Outcome { return r.Outcomes[r.row(id)][0] }
	// physician and doctor are no same letters: transport by vectors links them, that by letters does not.
	if a, b := outcome("partial-true"), outcome("partial-discrete"); a.F1.Value != 100 || b.F1.Value >= 100 {
		t.Errorf("F1 %v by vectors, %v by letters; want 100 and less", a.F1.Value, b.F1.Value)
	}
	if o := outcome("letters"); o.Tried != 2*2*len(w.Profile.Alignment.Select["most"]) || o.Precision != 100 {
		t.Errorf("by letters: %+v", o)
	}
	// Of the system's links 3 of 4 and 3 of 3 are people's, who have 5 and 3.
	if o := outcome("other"); math.Abs(o.Precision-100*(3.0/4+1)/2) > 1e-9 || math.Abs(o.Recall-100*(3.0/5+1)/2) > 1e-9 {
		t.Errorf("other: %+v", o.Scores)
	}
	if r.Outcomes[r.row("other")][1] != nil {
		t.Error("another system has links of a set without any of its")
	}
	out, err := Run(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Examples) != exampleCount {
		t.Errorf("%d examples", len(r.Examples))
	}
	for _, e := range r.Examples {
		n := 5 // links of people: of the pair about a physician, and of the other
		if strings.HasPrefix(e.Source, "she") {
			n = 3
		}
		if e.Same+len(e.Both)+len(e.People) != n || strings.HasPrefix(e.Source, "the old") &&
			!slices.Contains(slices.Concat(e.Both, e.Aligner), "physician – doctor") {
			t.Errorf("%+v", e)
		}
	}
	if len(out.Tables) != 4 || len(out.Figures) != 1 {
		t.Fatalf("%d tables, %d figures", len(out.Tables), len(out.Figures))
	}
	for _, table := range out.Tables {
		if err := render.Markdown(io.Discard, table); err != nil {
			t.Error(err)
		}
	}
	if err := figure.SVG(io.Discard, out.Figures[0]); err != nil {
		t.Error(err)
	}
	if got := out.Figures[0].Panels[0].Intervals.Series[0].Value[1]; got != outcome("partial-true").F1.Value {
		t.Errorf("the figure shows %v", got)
	}
}

// The library's aligner is the recorded row "explain": one setting for all sets, chosen on development parts.
func TestDefault(t *testing.T) {
	all, err := verdict.RecordedResults("alignment")
	if err != nil {
		t.Fatal(err)
	}
	a, places := align.Default(cpu.New())
	want := []float64{places.Near, places.Distortion, a.Reg, a.Price, a.Threshold}
	found := 0
	for _, r := range all {
		for _, table := range r.Tables {
			for _, block := range table.Blocks {
				for _, row := range block.Rows {
					if table.ID != choiceID || row.Key != "explain" {
						continue
					}
					for c := 2; c < len(row.Cells); c += 2 + len(want) {
						found++
						for i, x := range want {
							if got := row.Cells[c+i].Text; got != present.Number(x) {
								t.Errorf("%s is %s, the library's is %v", table.Columns[c+i].Address(), got, x)
							}
						}
					}
				}
			}
		}
	}
	p, err := profile.Load("alignment", nil)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(p.Alignment.Rows, func(r profile.AlignmentRow) bool { return r.ID == "explain" })
	row := p.Alignment.Rows[at]
	if row.Prefix != places.Prefix || row.Aligner != string(a.Kind) || found != len(p.Alignment.Sets) {
		t.Errorf("row %+v on %d sets", row, found)
	}
}
