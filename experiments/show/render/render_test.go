package render

import (
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"html"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"contextmover/internal/latex"
	"contextmover/internal/printable"
)

var update = flag.Bool("update", false, "write the golden files in testdata")

// sample has every feature once: groups, blocks, intervals, printed values, quoted
// rows, coverages, texts, negative numbers and characters that need escaping.
func sample() *Table {
	all := &Coverage{750, 750}
	score := func(value, low, high, printed float64, coverage *Coverage) Cell {
		return Cell{Value: new(value), Interval: &Interval{low, high}, Printed: new(printed), Coverage: coverage}
	}
	return &Table{
		ID:    "tableS9z_sample",
		Title: "A sample & its 100 % of #special {characters}: α_1 ≤ β^2 \\ $~",
		Notes: []string{"Pearson × 100 [one note]."},
		Label: "method",
		Columns: []Column{
			{Name: "corpus", Unmarked: true},
			{Name: "MSRpar", Group: "STS12", Digits: 1},
			{Name: "MSRvid", Group: "STS12", Digits: 1},
			{Name: "FNWN", Group: "STS13 (one set)", Digits: 1},
			{Name: "pairs", Unmarked: true},
			{Name: "seconds (of one thread)", Digits: 2, LowerIsBetter: true},
		},
		Blocks: []Block{
			{Title: "unsupervised, GloVe", Rows: []Row{
				{Key: "a/NBoW", Label: "NBoW", Cells: []Cell{
					{Text: "books_1"}, score(17.52, 11.2, 23.4, 17.5, all), score(-6.44, -12.04, 0.5, -6.4, all),
					{Value: new(14.0), Coverage: &Coverage{188, 189}}, {Value: new(1689.0)}, {Value: new(0.25)}}},
				{Key: "a/CoMB", Label: "CoMB (GloVe) + Mix + PC removed (TBC + News Crawl)", Cells: []Cell{
					{Text: "books_1 & wiki"}, score(33.0, 30, 36, 33.0, all), score(82.81, 80, 85, 82.8, &Coverage{749, 750}),
					{Value: new(14.04), Coverage: &Coverage{188, 189}}, {Value: new(1689.0)}, {Value: new(1.5)}}},
				{Key: "a/mean", Label: "[mean] * of both", Cells: []Cell{
					{}, score(33.04, 30, 36, 31.0, all), score(70, 66, 74, 60.0, all), {}, {Value: new(1689.0)}, {Value: new(0.5)}}},
			}},
			{Title: "other work", Rows: []Row{
				{Key: "b/CoMB", Label: "Skip-thought", Origin: Quoted, Cells: []Cell{
					{Text: "TBC"}, {Printed: new(30.8)}, {Printed: new(99.0)}, {}, {}, {}}},
				{Key: "b/InferSent", Label: "InferSent", Origin: NotStated, Cells: []Cell{
					{}, {Printed: new(59.2)}, {Text: "not run", Printed: new(1.0)}, {}, {}, {}}},
			}},
		},
	}
}

var formats = []struct {
	extension string
	render    func(*bytes.Buffer, *Table) error
}{
	{".txt", func(b *bytes.Buffer, t *Table) error { return Text(b, t, Terminal) }},
	{".md", func(b *bytes.Buffer, t *Table) error { return Markdown(b, t) }},
	{".tex", func(b *bytes.Buffer, t *Table) error { return LaTeX(b, t) }},
	{".csv", func(b *bytes.Buffer, t *Table) error { return CSV(b, t) }},
}

func TestGolden(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir, sample()); err != nil {
		t.Fatal(err)
	}
	for _, f := range formats {
		name := "tableS9z_sample" + f.extension
		var b bytes.Buffer
		if err := f.render(&b, sample()); err != nil {
			t.Fatal(err)
		}
		got := b.Bytes()
		if written, err := os.ReadFile(filepath.Join(dir, name)); slices.Contains(kept, f.extension) && !bytes.Equal(written, got) {
			t.Errorf("%s was not written as it is rendered: %v", name, err)
		}
		golden := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from %s (go test -update writes it anew):\n%s", name, golden, got)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(kept) {
		t.Errorf("%d files in the folder, want %d and no temporary ones", len(entries), len(kept))
	}
}

func render(t *testing.T, extension string, table *Table) string {
	t.Helper()
	for _, f := range formats {
		if f.extension == extension {
			var b bytes.Buffer
			if err := f.render(&b, table); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
	}
	panic("no format " + extension)
}

func TestMarks(t *testing.T) {
	column := func(c Column, values ...any) (marks []mark) {
		b := Block{}
		for _, v := range values {
			r := Row{Cells: []Cell{{}}}
			switch v := v.(type) {
			case float64:
				r.Cells[0].Value = new(v)
			case Origin: // a row of others with a value that would win
				r.Origin = v
				r.Cells[0].Value = new(1e6)
			}
			b.Rows = append(b.Rows, r)
		}
		for _, m := range b.marks([]Column{c}) {
			marks = append(marks, m[0])
		}
		return marks
	}
	for _, c := range []struct {
		column Column
		values []any
		want   []mark
	}{
		{Column{}, []any{1., 3., 2.}, []mark{plain, best, second}},
		{Column{LowerIsBetter: true}, []any{1., 3., 2.}, []mark{best, plain, second}},
		{Column{Unmarked: true}, []any{1., 3., 2.}, []mark{plain, plain, plain}},
		{Column{}, []any{1.}, []mark{plain}},
		{Column{}, []any{2., 2.}, []mark{plain, plain}},
		{Column{Digits: 1}, []any{2.01, 2.04, 1.98, 1.9}, []mark{best, best, best, second}}, // equal as shown
		{Column{}, []any{1., Quoted, nil, 2.}, []mark{second, plain, plain, best}},
		{Column{}, []any{-1., -3.}, []mark{best, second}},
	} {
		got := column(c.column, c.values...)
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%+v, values %v: marks %v, want %v", c.column, c.values, got, c.want)
				break
			}
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		v      float64
		digits int
		want   string
	}{{-0.04, 1, "0.0"}, {-0.05001, 1, "−0.1"}, {48.25, 1, "48.2"}, {1689, 0, "1689"}, {math.Copysign(0, -1), 2, "0.00"}} {
		if got := number(&c.v, c.digits); got != c.want {
			t.Errorf("number(%v, %d) = %q, want %q", c.v, c.digits, got, c.want)
		}
	}
	for c, want := range map[Coverage]string{{1, 1}: "100 %", {1999, 2000}: "99.9 %", {99999, 100000}: "99.9 %", {0, 3}: "0.0 %"} {
		if got := c.percent(); got != want {
			t.Errorf("%v: %q, want %q", c, got, want)
		}
	}
}

func TestTextFitsTheTerminal(t *testing.T) {
	for line := range strings.Lines(render(t, ".txt", sample())) {
		if w := width(strings.TrimSuffix(line, "\n")); w > Terminal {
			t.Errorf("%d columns: %s", w, line)
		}
		if strings.HasSuffix(line, " \n") {
			t.Errorf("blanks at the end of %q", line)
		}
	}
}

// A narrow terminal gets the columns in panels below each other.
func TestTextFitsANarrowTerminal(t *testing.T) {
	for _, columns := range []int{50, 60, 80} {
		var b bytes.Buffer
		if err := Text(&b, sample(), columns); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if w := width(strings.TrimSuffix(line, "\n")); w > columns {
				t.Errorf("%d of %d columns: %s", w, columns, line)
			}
		}
		if n := strings.Count(b.String(), "(31.0)"); n != 1 {
			t.Errorf("a cell is there %d times in %d columns", n, columns)
		}
	}
}

// TestTextIgnoresTheLocale guards against ambiguous characters that become two
// columns wide in an East Asian locale.
func TestTextIgnoresTheLocale(t *testing.T) {
	want := render(t, ".txt", sample())
	for _, v := range []string{"LC_ALL", "LANG", "RUNEWIDTH_EASTASIAN", "TERM"} {
		t.Setenv(v, "ja_JP.UTF-8")
	}
	if got := render(t, ".txt", sample()); got != want {
		t.Errorf("another text under another locale:\n%s", got)
	}
}

func TestMarkdownHasEqualRows(t *testing.T) {
	rows := 0
	for line := range strings.Lines(render(t, ".md", sample())) {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		rows++
		if n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"); n != 8 {
			t.Errorf("%d bars in %q, want 8", n, line)
		}
	}
	if rows != 2+2+5+1 {
		t.Errorf("%d lines, want a header, a rule, two titles, five rows and the coverage", rows)
	}
}

// Braces close, and every row has as many cells as its table has columns: as a tabular, and as a longtable where there
// are more than 40 rows.
func TestLaTeXStructure(t *testing.T) {
	tall := sample()
	block := &tall.Blocks[len(tall.Blocks)-1]
	for i := range longest {
		row := block.Rows[0]
		row.Key, row.Label, row.Origin = fmt.Sprint("row ", i), fmt.Sprintf("row %d.", i), Run
		block.Rows = append(block.Rows, row)
	}
	for environment, table := range map[string]*Table{"tabular": sample(), "longtable": tall} {
		text := render(t, ".tex", table)
		depth, columns, values := 0, 0, 0
		for line := range strings.Lines(text) {
			for i := range line {
				if i > 0 && line[i-1] == '\\' {
					continue
				}
				switch line[i] {
				case '{':
					depth++
				case '}':
					depth--
				}
			}
			if spec, ok := strings.CutPrefix(line, `\begin{`+environment+`}{@{}`); ok {
				spec = regexp.MustCompile(`p\{[0-9.]+\\linewidth\}`).ReplaceAllString(spec, "p")
				spec = regexp.MustCompile(`[>@]\{[^}]*\}|\}`).ReplaceAllString(spec, "")
				columns = len(strings.TrimSpace(spec))
			}
			cells, ok := strings.CutSuffix(line, " \\\\\n")
			if !ok || strings.HasPrefix(line, `\caption`) {
				continue
			}
			if strings.HasPrefix(line, "[") || strings.HasPrefix(line, "*") {
				t.Errorf("the line before would take an argument: %s", line)
			}
			n := 0
			for cell := range strings.SplitSeq(cells, " & ") {
				var span int
				if _, err := fmt.Sscanf(strings.TrimSpace(cell), `\multicolumn{%d}`, &span); err != nil {
					span = 1
				}
				n += span
			}
			if n != columns {
				t.Errorf("%s: %d columns of %d in %s", environment, n, columns, line)
			}
			values += strings.Count(line, "(31.0)")
		}
		if depth != 0 {
			t.Errorf("%s: %d braces are open at the end", environment, depth)
		}
		if values != 1 {
			t.Errorf("%s: a cell is there %d times", environment, values)
		}
		for part, want := range map[string]int{
			`\label{tab:tableS9z_sample}`: 1, `\toprule`: 1, `\bottomrule`: 1, `\begin{` + environment + `}`: 1,
			`\end{` + environment + `}`: 1, `\begin{table*}`: map[string]int{"tabular": 1}[environment],
		} {
			if n := strings.Count(text, part); n != want {
				t.Errorf("%s: %s is there %d times, expected %d", environment, part, n, want)
			}
		}
		for i := range longest {
			if n := strings.Count(text, fmt.Sprintf("\nrow %d. &", i)); environment == "longtable" && n != 1 {
				t.Errorf("row %d is there %d times", i, n)
			}
		}
	}
}

func TestEscaping(t *testing.T) {
	for in, want := range map[string]string{
		`50 % & #1_a {b} \c`: `50 \% \& \#1\_a \{b\} \textbackslash{}c`,
		"~^$|<>":             `\textasciitilde{}\textasciicircum{}\$\textbar{}\textless{}\textgreater{}`,
		"Poincaré, λ ≥ 0.1…": `Poincaré, $\lambda$ $\geq$ 0.1\ldots{}`,
		"[a] *":              `{[}a] {*}`,
		"two\nlines":         "two lines",
		"log₂ n":             `log$_2$ n`,
	} {
		if got := latex.Escape(in); got != want {
			t.Errorf("LaTeX of %q: %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"a|b *c* _d_ `e`": "a\\|b \\*c\\* \\_d\\_ \\`e\\`",
		`<b> & \ [x] $y$`: `&lt;b&gt; &amp; \\ \[x\] \$y\$`,
		"two\r\nlines, é": "two lines, é",
	} {
		if got := escapeMarkdown(in); got != want {
			t.Errorf("Markdown of %q: %q, want %q", in, got, want)
		}
	}
}

func TestCSVIsComplete(t *testing.T) {
	table := sample()
	records, err := csv.NewReader(strings.NewReader(render(t, ".csv", table))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(records) != 1+5*6 {
		t.Fatalf("%d lines, want a header and 5 × 6 cells", len(records))
	}
	want := map[string][]string{
		"a/NBoW STS12/MSRpar":      {"17.52", "11.2", "23.4", "17.5", "0.020000", "1", "run"},
		"a/CoMB corpus":            {"books_1 & wiki", "", "", "", "", "", "run"},
		"b/CoMB STS12/MSRpar":      {"", "", "", "30.8", "", "", "quoted"},
		"b/InferSent STS12/MSRvid": {"not run", "", "", "1", "", "", "not_stated"},
	}
	for _, r := range records[1:] {
		if w, ok := want[r[1]+" "+r[2]]; ok {
			if got := strings.Join(r[3:], "|"); got != strings.Join(w, "|") {
				t.Errorf("%s %s: %s, want %s", r[1], r[2], got, strings.Join(w, "|"))
			}
			delete(want, r[1]+" "+r[2])
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

func TestBadTables(t *testing.T) {
	cell := func(t *Table) *Cell { return &t.Blocks[0].Rows[0].Cells[1] }
	for want, spoil := range map[string]func(*Table){
		`table id "a/b"`:                func(t *Table) { t.ID = "a/b" },
		"has no columns":                func(t *Table) { t.Columns = nil },
		`two columns "STS12/MSRpar"`:    func(t *Table) { t.Columns[2].Name = "MSRpar" },
		"-1 digits":                     func(t *Table) { t.Columns[2].Digits = -1 },
		`two rows with the key "a/NBoW`: func(t *Table) { t.Blocks[1].Rows[0].Key = "a/NBoW" },
		"5 cells for 6 columns":         func(t *Table) { t.Blocks[0].Rows[0].Cells = t.Blocks[0].Rows[0].Cells[:5] },
		"unknown origin":                func(t *Table) { t.Blocks[0].Rows[0].Origin = "run" },
		`row "a/NBoW", column "STS12/MSRpar": the value is NaN`: func(t *Table) { cell(t).Value = new(math.NaN()) },
		"the printed value is +Inf":                             func(t *Table) { cell(t).Printed = new(math.Inf(1)) },
		"interval [3, 2]":                                       func(t *Table) { cell(t).Interval = &Interval{3, 2} },
		"interval [2, NaN]":                                     func(t *Table) { cell(t).Interval = &Interval{2, math.NaN()} },
		"coverage of 3 of 2":                                    func(t *Table) { cell(t).Coverage = &Coverage{3, 2} },
		"both a value":                                          func(t *Table) { cell(t).Text = "x" },
	} {
		table := sample()
		spoil(table)
		dir := filepath.Join(t.TempDir(), "tables")
		if err := Write(dir, table); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s: a bad table left a folder behind", want)
		}
	}
}

func TestWriteFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Write(file, sample()); err == nil {
		t.Error("no error for a folder that is a file")
	}
}

// Words of any script stand in all formats; what would act on a terminal or break a file is escaped in
// those for readers, and as it is in the CSV.
func TestAnyWord(t *testing.T) {
	for _, word := range []string{
		"müller", "café", "собака", "東京", "עברית", "عربي", "🦁", "\x1b[31mred", "\x1b]0;title\a", "a\u202eb", "a\x00b", "two\nlines", "a\r\nb", "\xffbad", "\u2028",
	} {
		table := &Table{
			ID: "words", Title: "Title " + word, Notes: []string{"Note " + word}, Label: "Label " + word,
			Columns: []Column{{Name: "Name " + word, Group: "Group " + word}, {Name: "number"}},
			Blocks: []Block{{Title: "Block " + word, Rows: []Row{
				{Key: "Key " + word, Label: "Row " + word, Cells: []Cell{{Text: "Cell " + word}, {Value: new(1.0)}}},
			}}},
		}
		for _, format := range append(formats[:3:3], struct {
			extension string
			render    func(*bytes.Buffer, *Table) error
		}{".html", func(b *bytes.Buffer, t *Table) error { return HTML(b, t) }}) {
			var b bytes.Buffer
			if err := format.render(&b, table); err != nil {
				t.Fatal(err)
			}
			text := b.String()
			for line := range strings.Lines(text) {
				if line = strings.TrimSuffix(line, "\n"); printable.Text(line) != line {
					t.Errorf("%q in %s: %q", word, format.extension, line)
				}
			}
			want := printable.Text(word)
			switch format.extension {
			case ".md":
				want = escapeMarkdown(want)
			case ".tex":
				want = latex.Escape(want)
				text = strings.ReplaceAll(text, `\\`, " ") // lines of a header
			case ".html":
				want = html.EscapeString(want)
			}
			for _, part := range []string{"Title", "Note", "Label", "Name", "Group", "Block", "Row", "Cell"} {
				if !strings.Contains(text, part+" "+want) {
					t.Errorf("%q in %s: no %s %s in\n%s", word, format.extension, part, want, text)
				}
			}
		}
		records, err := csv.NewReader(strings.NewReader(render(t, ".csv", table))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		// The reader takes \r\n for \n.
		if got, want := records[1][1:4], []string{"Key " + word, "Group " + word + "/Name " + word, "Cell " + word}; strings.Join(got, "|") != strings.ReplaceAll(strings.Join(want, "|"), "\r\n", "\n") {
			t.Errorf("CSV %q, want %q", got, want)
		}
	}
}

// Rows of one title stand in one block, whatever comes between them.
func TestAdd(t *testing.T) {
	table := &Table{}
	table.Plain("g", 2, "a", "b")
	for _, block := range []string{"", "differences", "", "differences"} {
		table.Add(block, "", "x")
	}
	if len(table.Columns) != 2 || table.Columns[1] != (Column{Group: "g", Name: "b", Digits: 2, Unmarked: true}) {
		t.Errorf("columns %+v", table.Columns)
	}
	if len(table.Blocks) != 2 || table.Blocks[1].Title != "differences" || len(table.Blocks[1].Rows) != 2 {
		t.Errorf("blocks %+v", table.Blocks)
	}
}
