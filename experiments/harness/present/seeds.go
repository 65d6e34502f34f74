package present

import (
	"fmt"

	"gonum.org/v1/gonum/stat"

	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/show/render"
)

// SeedsID and an experiment is the id of its table of seeds.
const SeedsID = "seeds_"

// SeedsNote says of a table what of it are means of n seeds; nothing for one seed.
func SeedsNote(rows string, n int) []string {
	if n < 2 {
		return nil
	}
	return []string{fmt.Sprintf("%s are means of %d seeds of vectors and clusters, whose spread the intervals contain.",
		rows, n)}
}

// SeedsTable is the table of the spread of quantities over n seeds, of those that keep says; none where none has seeds.
func SeedsTable(n int, p *profile.Profile, experiment string, quantities []results.Quantity, keep func(
	q results.Quantity,
) bool) []*render.Table {
	t := Table(p, SeedsID+experiment, "row", "The same numbers with other seeds: "+experiment,
		"Word vectors, clusters and samples come from the seeds in the columns' names; settings are "+
			"those that the first seed chose. Of a number x the standard deviation is √(Σ (x − mean)² / (n − 1)) "+
			"over the n seeds. Other tables print the mean, with intervals that contain this spread.")
	t.Plain("", 1, "mean")
	t.Plain("", 2, "standard deviation")
	for k := range n {
		t.Plain("", 1, fmt.Sprint("seed ", p.Seed+uint64(k)))
	}
	type address struct{ variant, source, column string }
	seen := map[address]bool{}
	for _, q := range quantities {
		// A row of ours may stand for several of the paper's.
		a := address{q.Variant, q.Source, q.Column}
		if len(q.Seeds) != n-1 || len(q.Seeds) == 0 || seen[a] || !keep(q) {
			continue
		}
		seen[a] = true
		values := append([]float64{q.Value}, q.Seeds...)
		row := t.Add(q.Variant, q.Variant+"/"+q.Source+"/"+q.Column, q.Source+", "+q.Column,
			render.Number(results.Mean(values)), render.Number(stat.StdDev(values, nil)))
		for _, v := range values {
			row.Cells = append(row.Cells, render.Number(v))
		}
	}
	if len(t.Blocks) == 0 {
		return nil
	}
	return []*render.Table{t}
}
