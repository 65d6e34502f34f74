package present

import (
	"math"
	"testing"

	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/results"
)

// Only numbers with seeds are in the table, with their mean and standard deviation.
func TestSeedsTable(t *testing.T) {
	p, err := profile.Load("mini", nil)
	if err != nil {
		t.Fatal(err)
	}
	bound := 1.0
	quantities := []results.Quantity{
		{Table: "t", Row: "a", Value: 5, Low: &bound, High: &bound, Seeds: []float64{8, 9}}, {Table: "t", Row: "count", Value: 3},
	}
	table := SeedsTable(3, p, "test", quantities, func(results.Quantity) bool { return true })[0]
	// Of 5, 8 and 9: mean 22/3, variance (49 + 4 + 25)/9/2 = 13/3.
	cells := table.Blocks[0].Rows[0].Cells
	if len(table.Blocks[0].Rows) != 1 || math.Abs(*cells[0].Value-22.0/3) > 1e-12 || math.Abs(*cells[1].Value-math.Sqrt(13.0/3)) > 1e-12 {
		t.Errorf("mean %v and standard deviation %v", *cells[0].Value, *cells[1].Value)
	}
}
