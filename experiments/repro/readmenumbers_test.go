package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"contextmover/experiments/harness/published"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/judge/verdict"
	"contextmover/experiments/show/render"
)

// The README's numbers stand between markers that name what they are made from:
//
//	<!-- claims: C01 C02 -->   the counts of all claims, and these
//	<!-- table 1: id, id -->   these rows of Table 1
//
// each up to <!-- end -->, of the profile open, or as in <!-- claims of systems: C08 --> of another.
var marked = regexp.MustCompile(`(?s)<!-- (claims|table 1)(?: of ([a-z]+))?: (.*?) -->\n+(.*?)\n*<!-- end -->`)

// What stands in the README and on the page of results is what the recorded run says.
func TestReadmeNumbers(t *testing.T) {
	r := recordedRuns{"": recorded(t, "open"), "systems": recorded(t, "systems"), "encoders": recorded(t, "encoders"), "best": recorded(t, "best")}
	for _, name := range []string{"README.md", "docs/report/results.md", "docs/choose.md"} {
		page, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if !marked.Match(page) {
			t.Fatalf("%s has no numbers between markers", name)
		}
		for _, problem := range r.problems(string(page)) {
			t.Errorf("%s: %s", name, problem)
		}
	}
	// A number has one interval, in Table 1 as in the verdict.
	compared := 0
	open := r[""]
	for _, c := range open.verdict.Cells {
		if c.Table != open.table.ID || c.Column != "Avg_STS12_15" || c.Low == nil {
			continue
		}
		compared++
		const rounding = 1e-9
		cell := open.cells[[2]string{c.Source, "average"}]
		if cell.Interval == nil || math.Abs(cell.Interval.Low-*c.Low) > rounding || math.Abs(cell.Interval.High-*c.High) > rounding {
			t.Errorf("%s: %v in the table, [%v, %v] in the verdict", c.Source, cell.Interval, *c.Low, *c.High)
		}
	}
	if compared == 0 {
		t.Error("no average is compared")
	}
}

// The totals in the README and on the page of results are those of the recorded verdicts of open and systems together: a claim has the decision of the
// profile that decides it, open's where both do, and a cell is within tolerance where one of them has it so.
func TestReadmeTotals(t *testing.T) {
	open, systems := recorded(t, "open").verdict, recorded(t, "systems").verdict
	decisions := map[string]int{}
	for i, c := range open.Claims {
		if c.Kind != published.CouldFail {
			continue
		}
		decision := c.Decision
		if decision == verdict.NotTestable {
			decision = systems.Claims[i].Decision
		}
		decisions[string(decision)]++
		decisions["testable"]++
	}
	within := 0
	for i, c := range open.Cells {
		if c.Verdict == verdict.Within || systems.Cells[i].Verdict == verdict.Within {
			within++
		}
	}
	want := fmt.Sprintf("%d testable claims **%d hold, %d fail, %d are undecided** and %d cannot be tested",
		decisions["testable"], decisions["holds"], decisions["fails"], decisions["undecided"], decisions["not testable"])
	near := regexp.MustCompile(`Of the (\d+) scores in points (\d+) are within 1 point`).FindStringSubmatch(open.Headline())
	if near == nil {
		t.Fatalf("the headline counts no scores: %s", open.Headline())
	}
	for _, name := range []string{"README.md", "docs/report/results.md"} {
		page, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(string(page)), " ")
		for _, want := range []string{
			want,
			fmt.Sprintf("%d of %d,%03d printed numbers", within, len(open.Cells)/1000, len(open.Cells)%1000),
			fmt.Sprintf("%s of the %s scores of `open` are within one point", near[2], near[1]),
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q", name, want)
			}
		}
	}
}

// A number that is changed in the README, or an interval in its prose that no claim has, is seen.
func TestReadmeNumbersAreChecked(t *testing.T) {
	run := recorded(t, "open")
	r := recordedRuns{"": run}
	block := func(kind, of string) string {
		text, err := run.block(kind, of)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("<!-- %s: %s -->\n\n%s\n\n<!-- end -->\n", kind, of, text)
	}
	claim := run.verdict.Claims[0]
	shown := interval.FindString(claim.Evidence)
	good := block("claims", "C01 C02") + block("table 1", "glove-sif, glove-comb, chosen-comb") + "CoMB gains " + shown + ".\n"
	if problems := r.problems(good); len(problems) > 0 {
		t.Errorf("%s\n%s", problems, good)
	}
	for was, is := range map[string]string{
		claim.Verdict: "holds",
		shown + " |":  "+99.9 [99.8, 99.9] |",
		"| CoMB |":    "| Barycenters |",
		shown + ".":   "+99.9 [99.8, 99.9].",
		"glove-comb,": "glove-bomb,",
		"C01 C02":     "C01 C03",
	} {
		bad := strings.Replace(good, was, is, 1)
		if bad == good {
			t.Fatalf("no %q in\n%s", was, good)
		}
		if len(r.problems(bad)) == 0 {
			t.Errorf("%q for %q is not seen", is, was)
		}
	}
}

// interval is a signed number with its interval, as evidence has them.
var interval = regexp.MustCompile(`[-−+]\d+(?:\.\d+)?(?: %)? \[[^\]]*\]`)

// recordedRuns are what the README is held against, by profile; "" is that of open.
type recordedRuns map[string]*recordedRun

// recordedRun is one of them.
type recordedRun struct {
	verdict *verdict.Report
	table   *render.Table
	cells   map[[2]string]render.Cell // of the profile's folder of tables, by row and column
}

func recorded(t *testing.T, profile string) *recordedRun {
	t.Helper()
	all, err := results.ReadProfile(filepath.Join("..", "judge", "verdict", "reference"), profile)
	if err != nil {
		t.Fatal(err)
	}
	const id = "table1_sts_summary"
	r := &recordedRun{verdict: verdict.Judge(profile, all), cells: map[[2]string]render.Cell{}}
	for _, result := range all {
		for _, table := range result.Tables {
			if table.ID == id {
				r.table = table
			}
		}
	}
	f, err := os.Open(filepath.Join("..", "..", "tables", profile, id+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil || r.table == nil {
		t.Fatalf("Table 1: %v", err)
	}
	at := func(line []string, column string) *float64 {
		v, err := strconv.ParseFloat(line[slices.Index(lines[0], column)], 64)
		if err != nil {
			return nil
		}
		return &v
	}
	for _, line := range lines[1:] {
		c := render.Cell{Value: at(line, "ours"), Printed: at(line, "printed")}
		if low, high := at(line, "low"), at(line, "high"); low != nil && high != nil {
			c.Interval = &render.Interval{Low: *low, High: *high}
		}
		r.cells[[2]string{line[1], line[2]}] = c
	}
	return r
}

// problems lists what the README has otherwise than the recorded run. The intervals of its prose
// are those of claims, with as many digits as they are shown with.
func (r recordedRuns) problems(readme string) (all []string) {
	for _, m := range marked.FindAllStringSubmatch(readme, -1) {
		run := r[m[2]]
		if run == nil {
			all = append(all, fmt.Sprintf("no run of the profile %q is recorded", m[2]))
			continue
		}
		want, err := run.block(m[1], m[3])
		switch {
		case err != nil:
			all = append(all, fmt.Sprintf("%s: %v", m[1], err))
		case want != m[4]:
			all = append(all, fmt.Sprintf("between the markers of %q there should be\n\n%s\n\nand there is\n\n%s", m[1], want, m[4]))
		}
	}
	var known []string
	for _, run := range r {
		for _, c := range run.verdict.Claims {
			for _, o := range append([]verdict.Outcome{c.Outcome}, c.Others...) {
				for _, text := range interval.FindAllString(o.Evidence, -1) {
					for digits := range 3 {
						known = append(known, shortened(text, digits))
					}
				}
			}
		}
	}
	prose := marked.ReplaceAllString(readme, "")
	for _, text := range interval.FindAllString(prose, -1) {
		if plain := strings.ReplaceAll(text, "−", "-"); !slices.Contains(known, plain) {
			all = append(all, fmt.Sprintf("no claim has %s", text))
		}
	}
	return all
}

var decimals = regexp.MustCompile(`\d+\.\d+`)

func shortened(text string, digits int) string {
	return decimals.ReplaceAllStringFunc(text, func(s string) string {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return s
		}
		return strconv.FormatFloat(v, 'f', digits, 64)
	})
}

// block is what belongs between two markers.
func (r *recordedRun) block(kind, of string) (string, error) {
	var b bytes.Buffer
	if kind == "claims" {
		err := r.verdict.ClaimsMarkdown(&b, strings.Fields(of)...)
		return strings.TrimSpace(b.String()), err
	}
	b.WriteString("| |")
	for _, c := range r.table.Columns {
		b.WriteString(" " + c.Name + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(r.table.Columns)) + "\n")
	shown := 0
	wanted := strings.Split(of, ", ")
	for _, block := range r.table.Blocks {
		headed := false
		for _, row := range block.Rows {
			if !slices.Contains(wanted, row.Key) {
				continue
			}
			if !headed {
				headed = true
				b.WriteString("| **" + block.Title + "** |" + strings.Repeat(" |", len(r.table.Columns)) + "\n")
			}
			shown++
			b.WriteString("| " + row.Label + " |")
			for i, column := range r.table.Columns {
				c, ok := r.cells[[2]string{row.Key, column.Address()}]
				if !ok {
					return "", fmt.Errorf("no cell %s, %s in the CSV file", row.Key, column.Address())
				}
				var parts []string
				if c.Value != nil {
					parts = append(parts, fmt.Sprintf("%.1f", *c.Value))
				}
				if c.Printed != nil {
					parts = append(parts, fmt.Sprintf("(%.1f)", *c.Printed))
				}
				if last := i == len(r.table.Columns)-1; last && c.Interval != nil {
					parts = append(parts, fmt.Sprintf("[%.1f, %.1f]", c.Interval.Low, c.Interval.High))
				}
				b.WriteString(" " + strings.Join(parts, " ") + " |")
			}
			b.WriteByte('\n')
		}
	}
	if shown != len(wanted) {
		return "", fmt.Errorf("%d of the %d rows %q are in Table 1", shown, len(wanted), of)
	}
	return strings.TrimSpace(b.String()), nil
}
