package uses

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contextmover/experiments/render"
	"contextmover/experiments/verdict"
)

// The page on occurrences has each row of the recorded tables as it was recorded.
func TestPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "occurrences.md"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := verdict.RecordedResults("uses")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, r := range all {
		for _, table := range r.Tables {
			for _, row := range table.Blocks[0].Rows {
				rows++
				if want := line(table, row); !strings.Contains(string(page), want) {
					t.Errorf("%s, %s: the page lacks %s", table.ID, row.Key, want)
				}
			}
		}
	}
	if want := len(ways) + len(likenesses) + len(finders); rows != want {
		t.Errorf("%d rows are recorded, want %d", rows, want)
	}
}

// line is the part of a row of the page that has numbers: without differences.
func line(table *render.Table, row render.Row) string {
	var cells []string
	for i, c := range table.Columns {
		if strings.HasSuffix(c.Name, minus) {
			continue
		}
		cell := fmt.Sprintf("%.1f", *row.Cells[i].Value)
		if v := row.Cells[i].Interval; v != nil && !strings.HasPrefix(c.Name, "first") && c.Name != "train and dev" {
			cell += fmt.Sprintf(" [%.1f, %.1f]", v.Low, v.High)
		}
		cells = append(cells, cell)
	}
	return "| " + strings.ReplaceAll(strings.Join(cells, " | "), "-", "−") + " |"
}
