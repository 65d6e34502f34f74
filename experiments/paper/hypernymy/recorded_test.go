package hypernymy

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contextmover/experiments/judge/verdict"
	"contextmover/experiments/show/render"
)

// The page of findings has what the recorded run says of patterns, CMD and frequencies: the mean over the ten sets, six
// of them, and the gains over the entailment vectors alone.
func TestFindings(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "report", "findings.md"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := verdict.RecordedResults("patterns")
	if err != nil {
		t.Fatal(err)
	}
	var table *render.Table
	for _, r := range all {
		for _, of := range r.Tables {
			if of.ID == fullTable {
				table = of
			}
		}
	}
	if table == nil {
		t.Fatalf("no table %s is recorded", fullTable)
	}
	gain := func(key string) string {
		for i, c := range table.Columns {
			if c.Name == "Avg_Gain_printed" {
				cell := find(t, table, key).Cells[i]
				return fmt.Sprintf("%.1f [%.1f, %.1f]", *cell.Value, cell.Interval.Low, cell.Interval.High)
			}
		}
		t.Fatal("no gains are recorded")
		return ""
	}
	const svd = "patterns, PPMI, singular vectors 200"
	for _, key := range []string{
		"CMD K=200 + D_Hend", "chosen patterns, CMD K=200, kinds", "patterns, count", "patterns, PPMI",
		"chosen " + svd, svd, "frequency",
	} {
		if want := apLine(find(t, table, key), table); !strings.Contains(string(page), want) {
			t.Errorf("%s: the page lacks %s", key, want)
		}
	}
	for _, key := range []string{"CMD K=200 + D_Hend", "chosen " + svd} {
		if want := gain(key); !strings.Contains(string(page), want) {
			t.Errorf("%s: the page lacks the gain %s", key, want)
		}
	}
}

func find(t *testing.T, table *render.Table, key string) render.Row {
	t.Helper()
	var keys []string
	for _, b := range table.Blocks {
		for _, row := range b.Rows {
			if row.Key == key {
				return row
			}
			keys = append(keys, row.Key)
		}
	}
	t.Fatalf("no row %q is recorded, but %q", key, keys)
	return render.Row{}
}

// apLine is the part of a row of the page that has numbers.
func apLine(row render.Row, table *render.Table) string {
	mean, n, line := 0.0, 0.0, ""
	for i, c := range table.Columns {
		if strings.HasPrefix(c.Name, "Avg") || strings.HasPrefix(c.Name, "without") {
			continue
		}
		mean, n = mean+*row.Cells[i].Value, n+1
		switch c.Name {
		case "BLESS", "EVALution", "Weeds", "BIBLESS", "Baroni", "HypeNet-Test":
			line += fmt.Sprintf(" %.1f |", *row.Cells[i].Value)
		}
	}
	return fmt.Sprintf("| %.1f |", mean/n) + line
}
