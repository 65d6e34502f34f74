package display

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"contextmover/cmdlib"
	"contextmover/cmdlib/english"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/experiments"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/pipelinetest"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/judge/verdict"
	"contextmover/experiments/show/convergence"
	"contextmover/experiments/show/figure"
	"contextmover/experiments/show/render"
	"contextmover/internal/printable"
)

// output returns what f writes to standard output where no notebook listens.
func output(t *testing.T, f func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = w
	text := make(chan string)
	go func() {
		data, _ := io.ReadAll(r)
		text <- string(data)
	}()
	f()
	os.Stdout = stdout
	w.Close()
	return <-text
}

func table(id string) *render.Table {
	x := 1.5
	return &render.Table{ID: id, Title: "Title of " + id, Label: "row", Columns: []render.Column{{Name: "c", Digits: 1}},
		Blocks: []render.Block{{Rows: []render.Row{{Label: "r", Cells: []render.Cell{{Value: &x}}}}}}}
}

func TestTextWithoutNotebook(t *testing.T) {
	var want bytes.Buffer
	if err := render.Text(&want, table("t"), render.Terminal); err != nil {
		t.Fatal(err)
	}
	if got := output(t, func() { Table(table("t"), nil) }); got != want.String() {
		t.Errorf("a table is shown as %q, want %q", got, want.String())
	}
	got := output(t, func() {
		bar.step("long work")(1, 2)
		facts("a title", []fact{{"distance", "0.5000"}})
	})
	if !strings.Contains(got, "distance     0.5000") {
		t.Errorf("facts are shown as %q", got)
	}
	if strings.Contains(got, "long work") {
		t.Error("progress is shown where nothing displays")
	}
}

// A distance whose plan is far from its histograms is shown with a warning, another without, and without the solver's
// terms.
func TestUnconvergedIsShown(t *testing.T) {
	s, err := english.Open(cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for iterations, want := range map[int]bool{1: true, 200: false} {
		by, err := s.With(cmdlib.Options{Method: "average", Settings: ot.Settings{MaxIter: iterations}, Engine: cpu.New()})
		if err != nil {
			t.Fatal(err)
		}
		for name, show := range map[string]func(context.Context, *cmdlib.Space, string, string){
			"distance": Distance, "explanation": func(ctx context.Context, s *cmdlib.Space, from, to string) {
				Explanation(ctx, s, from, to, 3)
			},
		} {
			got := output(t, func() { show(t.Context(), by, "dog", "music") })
			if strings.Contains(strings.Join(strings.Fields(got), " "), convergence.Unconverged) != want || strings.Contains(got, "iterations") != want {
				t.Errorf("%d iterations, %s: %s", iterations, name, got)
			}
		}
	}
}

// Words of any script are shown as they are; what would act on a page or a terminal is escaped.
func TestAnyWordIsShown(t *testing.T) {
	for _, word := range []string{"müller", "東京", "עברית", "🦁", "a<b>", "\x1b[31mred", "a\u202eb", "\xffbad", "two\nlines"} {
		fragment, text, err := tableForms(&render.Table{
			ID: "t", Title: word, Label: "a", Columns: []render.Column{{Name: "b"}}, Notes: []string{word},
			Blocks: []render.Block{{Rows: []render.Row{{Key: "r", Label: word, Cells: []render.Cell{{}}}}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		facts := output(t, func() { facts(word, []fact{{"a", word}}) })
		want := printable.Text(word)
		for form, count := range map[string]int{fragment: 3, text: 3, facts: 2} {
			if got := strings.Count(html.UnescapeString(form), want); got != count {
				t.Errorf("%q stands %d times in %q, want %d", word, got, form, count)
			}
			for line := range strings.Lines(form) {
				if line = strings.TrimSuffix(line, "\n"); printable.Text(line) != line {
					t.Errorf("%q in %q", word, line)
				}
			}
		}
	}
}

// A recorded table is shown without data.
func TestRecordedIsShown(t *testing.T) {
	text := output(t, func() { Recorded("documents", "documents_geometry") })
	for _, want := range []string{"Errors less those with the true ground cost", "shuffled − true", "bbcsport"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// The picture of a recorded table has a line for each row with a printed number, and all numbers of it.
func TestAgainst(t *testing.T) {
	all, err := verdict.RecordedResults("open")
	if err != nil {
		t.Fatal(err)
	}
	for table, columns := range map[string][]string{
		"table1_sts_summary": {"average"}, "table2_hypernymy_main": {"EVALution", "Weeds"}, "table3_word_similarity": {"M*", "average"},
	} {
		f, err := against(all, "open", table, columns)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Panels) < len(columns) {
			t.Errorf("%s: %d panels", table, len(f.Panels))
		}
		for _, p := range f.Panels {
			ours, printed := p.Intervals.Series[0], p.Intervals.Series[1]
			for i, name := range p.Intervals.Names {
				if !(ours.Low[i] < ours.Value[i] && ours.Value[i] < ours.High[i]) || printed.Low[i] != printed.High[i] {
					t.Errorf("%s, %s, %s: %v %v", table, p.Title, name, ours, printed)
				}
			}
		}
		if err := figure.SVG(io.Discard, f); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range [][2]string{{"table9", "average"}, {"table1_sts_summary", "mean"}} {
		if _, err := against(all, "open", bad[0], bad[1:]); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}

func TestPick(t *testing.T) {
	out := &pipeline.Output{
		Tables:  []*render.Table{table("table1_x"), table("table2_x"), table("other")},
		Figures: []*figure.Figure{{ID: "figure1_x", Title: "F"}},
	}
	for _, c := range []struct {
		patterns []string
		want     int
		problem  string
	}{
		{nil, 4, ""},
		{[]string{"table*"}, 2, ""},
		{[]string{"figure1*", "table1_x", "none"}, 2, ""},
		{[]string{"none"}, 0, "it has table1_x, table2_x, other, figure1_x"},
		{[]string{"["}, 0, "pattern"},
	} {
		parts, err := pick(out, c.patterns)
		if len(parts) != c.want || (err != nil) != (c.problem != "") || err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%q picks %d parts and the error %v, want %d and %q", c.patterns, len(parts), err, c.want, c.problem)
		}
	}
	if _, err := run(t.Context(), nil, "nonsense", nil); err == nil || !strings.Contains(err.Error(), "sts") {
		t.Errorf("the error of an unknown experiment is %v, want the list", err)
	}
}

// A misspelt id is refused before anything is computed: this workspace has neither a store nor data.
func TestMisspeltIDComputesNothing(t *testing.T) {
	p, err := profile.Load("mini", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range experiments.Experiments() {
		_, err := run(t.Context(), &pipeline.Workspace{Profile: p}, e.Name, []string{"table99"})
		if err == nil || !strings.Contains(err.Error(), "has no table or figure table99; it has") {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
}

// Notebooks compile against what the repository imports, but run in the pinned kernel.
func TestSameVersionOfGoNB(t *testing.T) {
	versions := map[string]bool{}
	for _, dir := range []string{".", filepath.Join("..", "..", "tools")} {
		cmd := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "github.com/janpfeifer/gonb")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off")
		version, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", dir, err)
		}
		versions[strings.TrimSpace(string(version))] = true
	}
	if len(versions) != 1 {
		t.Errorf("go.mod and tools/go.mod name different versions of gonb: %v", versions)
	}
}

// A distance is shown with what it means.
func TestStandingIsShown(t *testing.T) {
	w := pipelinetest.World(t)
	s, _, err := w.OpenSpace(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	contexts, err := s.With(cmdlib.Options{Method: "average", Engine: w.Engine})
	if err != nil {
		t.Fatal(err)
	}
	shown := func(s *cmdlib.Space, near func(ctx context.Context, text string, n int) (*cmdlib.Neighbours, error), more ...string) {
		t.Helper()
		got := output(t, func() {
			Distance(t.Context(), s, "dog", "cat")
			Explanation(t.Context(), s, "dog", "the cat", 3)
			Neighbours(t.Context(), s, "dog", 3)
			Distance(t.Context(), s, "dog", "cat xyzzy")
			Word(t.Context(), s, "dog")
		})
		found, err := near(t.Context(), "dog", 3)
		if err != nil {
			t.Fatal(err)
		}
		nearest := found.Nearest[2]
		card := fmt.Sprintf("Nearest by %s: %s, %s, %s", s.Default("dog"), found.Nearest[0].Word, found.Nearest[1].Word,
			nearest.Word)
		more = append(more, card) // a word's card goes by the method of distances
		if words := strings.Join(strings.Fields(got), " "); !strings.Contains(words, " method "+s.Default("dog", "cat")+" ") {
			t.Errorf("the method is not shown in\n%s", got)
		}
		for _, want := range append(more, "% of random pairs of words; ", "of random pairs of texts as long", "xyzzy",
			nearest.Word, fmt.Sprintf("%.4f", nearest.Distance)) {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in\n%s", want, got)
			}
		}
	}
	shown(s, s.Neighbours, "sum: the similarity") // what the space records as best
	shown(contexts, contexts.Neighbours, "what moves, ")
}

// A figure is saved in the format of its name.
func TestSave(t *testing.T) {
	f := &figure.Figure{ID: "f", Title: "A plan", Width: figure.Column, Height: 100, Columns: 1, Panels: []figure.Panel{
		{Flow: &figure.Flow{From: "a", To: "b", Rows: []string{"r"}, Cols: []string{"c"}, Mass: [][]float64{{1}}}}}}
	for name, magic := range map[string]string{"f.svg": "<?xml", "f.pdf": "%PDF", "f.png": "\x89PNG"} {
		path := filepath.Join(t.TempDir(), name)
		got := output(t, func() { Save(f, path) })
		content, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(content), magic) || got != "wrote "+path+"\n" {
			t.Errorf("%s: %v, %.20q, said %q", name, err, content, got)
		}
	}
}

// Where nobody types, Explore shows the answer to its first question, and ends.
func TestExploreAlone(t *testing.T) {
	w := pipelinetest.World(t, "figures.iterations=50")
	s, _, err := w.OpenSpace(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got := output(t, func() { Explore(t.Context(), s) })
	d, err := s.Compare(t.Context(), "rock", "music")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"rock → music", fmt.Sprintf("%.4f", d.Distance), "sum: the cosine", "random pairs of words", "nearest to", "repro explain"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// Sentences are indexed, found and grouped.
func TestSentencesAreShown(t *testing.T) {
	s, err := english.Open(cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	texts := []string{"the orchestra played a symphony .", "the judge heard the witness .", "a violin was heard at the concert .", "the court found him guilty ."}
	path, dir := filepath.Join(t.TempDir(), "text"), filepath.Join(t.TempDir(), "index")
	if err := os.WriteFile(path, []byte(strings.Join(texts, "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	got := output(t, func() {
		Index(t.Context(), s, dir, path).Close()
		x := Index(t.Context(), s, dir)
		defer x.Close()
		Search(t.Context(), x, "the crime qqq", 2)
	})
	for _, want := range []string{`Nearest to "the crime qqq" by nearest`, ":4", "Unknown words are left out: qqq", "4 sentences are compared"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// An index is made once, opened again, and searched.
func TestSearchIsShown(t *testing.T) {
	s, err := english.Open(cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "text")
	if err := os.WriteFile(file, []byte("He painted the fence.\n\nThe court rose.\nA violin was played.\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	got := output(t, func() {
		for range 2 {
			x := Index(t.Context(), s, filepath.Join(dir, "index"), file)
			Search(t.Context(), x, "an orchestra", 1)
			x.Close()
		}
	})
	for _, want := range []string{`Nearest to "an orchestra" by nearest`, "A violin was played.", ":4", "4 sentences are compared"} {
		if strings.Count(got, want) < 2 {
			t.Errorf("%q is not there twice in\n%s", want, got)
		}
	}
}

// Senses are shown with their figure, and the returned space knows them.
func TestOccurrencesAreShown(t *testing.T) {
	s, err := english.Open(cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	// Associations are with what is more frequent near the word
	// than elsewhere in the text, so there must be an elsewhere.
	var other strings.Builder
	for line := range slices.Chunk(s.Words[300:3300], 10) {
		other.WriteString(strings.ReplaceAll(strings.Join(line, " "), "bank", "") + "\n")
	}
	var paths []string
	for name, text := range map[string]string{
		"money": "the bank lent the merchant money and gold .\nhe paid his debt to the bank in gold coins .\nthe bank raised its interest on loans .\n",
		"river": "the boat lay at the grassy bank of the river .\ntrees grew on the bank beside the stream .\nthe river rose over its muddy bank .\n",
	} {
		path := filepath.Join(t.TempDir(), name+".txt")
		if err := os.WriteFile(path, []byte(strings.Repeat(text, 2)+other.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	slices.SortFunc(paths, func(a, b string) int { return strings.Compare(filepath.Base(a), filepath.Base(b)) })
	got := output(t, func() {
		if s := Senses(t.Context(), s, "bank", 2, paths...); !s.Has("bank/1") || !s.Has("bank/2") {
			t.Error("the space does not know both senses")
		}
	})
	for _, want := range []string{"Senses of bank", "50.0", "[figure senses]"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// A space is built anew unless it is of the same files and newer than they are.
func TestUpToDate(t *testing.T) {
	dir := t.TempDir()
	text, space := filepath.Join(dir, "my.txt"), filepath.Join(dir, "space")
	now := time.Now()
	write := func(path, content string, age time.Duration) {
		t.Helper()
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(content), 0o666),
			os.Chtimes(path, now.Add(-age), now.Add(-age)))
		if err != nil {
			t.Fatal(err)
		}
	}
	write(text, "text", time.Minute)
	if upToDate(space, []string{text}) {
		t.Error("there is no space")
	}
	s, err := english.Open(cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.Provenance = map[string]any{"text": []string{"my.txt"}}
	if err := s.Pack(t.Context(), space, cmdlib.Packing{Words: 20}); err != nil {
		t.Fatal(err)
	}
	if !upToDate(space, []string{text}) {
		t.Error("the space is not taken although it is of this text")
	}
	if upToDate(space, []string{text, text}) {
		t.Error("the space is of other files")
	}
	write(text, "more", -time.Minute)
	if upToDate(space, []string{text}) {
		t.Error("the text has changed")
	}
}
