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

	"contextmover/experiments/harness/results"
	"contextmover/experiments/judge/verdict"
	"contextmover/experiments/show/render"
)

// Rows of Table 1 stand between markers that name them, <!-- table 1: id, id --> and <!-- end -->, of the profile open or
// of another, as in <!-- table 1 of systems: id -->; with "averages" for "table 1", the last column alone.
var marked = regexp.MustCompile(`(?s)<!-- (table 1|averages)(?: of ([a-z]+))?: (.*?) -->\n+(.*?)\n*<!-- end -->`)

// What stands in the README and on the page of results is what the recorded run says.
func TestReadmeNumbers(t *testing.T) {
	r := recordedRuns{"": recorded(t, "open"), "systems": recorded(t, "systems"), "encoders": recorded(t, "encoders"), "best": recorded(t, "best")}
	claims := whole(t).Claims
	for _, name := range []string{"README.md", "docs/report/results.md", "docs/choose.md"} {
		page, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if !marked.Match(page) {
			t.Fatalf("%s has no numbers between markers", name)
		}
		for _, problem := range r.problems(string(page), claims) {
			t.Errorf("%s: %s", name, problem)
		}
	}
	// A number has one interval, in Table 1 as in the verdict.
	compared := 0
	open := r[""]
	for _, c := range whole(t).Cells {
		if c.Table != open.table.ID || c.Column != "Avg_STS12_15" || c.Low == nil || c.Profile != "open" {
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

// whole is the verdict of the recorded runs.
func whole(t *testing.T) *verdict.Report {
	t.Helper()
	r, err := verdict.Whole(verdict.RecordedResults)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The totals in the README and on the page of results are those of the recorded verdict.
func TestReadmeTotals(t *testing.T) {
	want := whole(t).Totals.String()
	for _, name := range []string{"README.md", "docs/report/results.md"} {
		page, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(strings.Fields(strings.ReplaceAll(string(page), "**", "")), " "); !strings.Contains(text, want) {
			t.Errorf("%s does not say %q", name, want)
		}
	}
}

// A number that is changed in the README, or an interval in its prose that no claim has, is seen.
func TestReadmeNumbersAreChecked(t *testing.T) {
	run := recorded(t, "open")
	r := recordedRuns{"": run}
	const rows = "glove-sif, glove-comb, chosen-comb"
	text, err := run.block(rows, false)
	if err != nil {
		t.Fatal(err)
	}
	all := whole(t).Claims
	shown := interval.FindString(all[0].Evidence)
	good := fmt.Sprintf("<!-- table 1: %s -->\n\n%s\n\n<!-- end -->\nCoMB gains %s.\n", rows, text, shown)
	if problems := r.problems(good, all); len(problems) > 0 {
		t.Errorf("%s\n%s", problems, good)
	}
	for was, is := range map[string]string{
		"| CoMB |":    "| Barycenters |",
		shown + ".":   "+99.9 [99.8, 99.9].",
		"glove-comb,": "glove-bomb,",
	} {
		bad := strings.Replace(good, was, is, 1)
		if bad == good {
			t.Fatalf("no %q in\n%s", was, good)
		}
		if len(r.problems(bad, all)) == 0 {
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
	table *render.Table
	cells map[[2]string]render.Cell // of the profile's folder of tables, by row and column
}

func recorded(t *testing.T, profile string) *recordedRun {
	t.Helper()
	all, err := results.ReadProfile(filepath.Join("..", "judge", "verdict", "reference"), profile)
	if err != nil {
		t.Fatal(err)
	}
	const id = "table1_sts_summary"
	r := &recordedRun{cells: map[[2]string]render.Cell{}}
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
func (r recordedRuns) problems(readme string, claims []verdict.Claim) (all []string) {
	for _, m := range marked.FindAllStringSubmatch(readme, -1) {
		run := r[m[2]]
		if run == nil {
			all = append(all, fmt.Sprintf("no run of the profile %q is recorded", m[2]))
			continue
		}
		want, err := run.block(m[3], m[1] == "averages")
		switch {
		case err != nil:
			all = append(all, err.Error())
		case want != m[4]:
			all = append(all, fmt.Sprintf("between the markers there should be\n\n%s\n\nand there is\n\n%s", want, m[4]))
		}
	}
	var known []string
	for _, c := range claims {
		for _, o := range append([]verdict.Outcome{c.Outcome}, c.Others...) {
			for _, text := range interval.FindAllString(o.Evidence, -1) {
				for digits := range 3 {
					known = append(known, shortened(text, digits))
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
func (r *recordedRun) block(of string, averages bool) (string, error) {
	columns := r.table.Columns
	if averages {
		columns = columns[len(columns)-1:]
	}
	var b bytes.Buffer
	b.WriteString("| |")
	for _, c := range columns {
		b.WriteString(" " + c.Name + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(columns)) + "\n")
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
				b.WriteString("| **" + block.Title + "** |" + strings.Repeat(" |", len(columns)) + "\n")
			}
			shown++
			b.WriteString("| " + row.Label + " |")
			for i, column := range columns {
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
				if last := i == len(columns)-1; last && c.Interval != nil {
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
