package pipeline

import (
	"fmt"
	"math"
	"slices"

	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/sppmi"
	"contextmover/experiments/profile"
	"contextmover/experiments/render"
	"contextmover/experiments/results"
)

// Mean is the arithmetic mean, NaN of nothing.
func Mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// Further tells whether the workspace is of a further seed: its numbers are values without
// bootstrap draws, which are the first seed's.
func (w *Workspace) Further() bool { return w.origin != nil }

// WithSeed returns a workspace of the same text, data and store whose vectors, clusters and
// samples come from another seed. A generated world stays that of the first seed. Its artefacts
// have the keys that a run with that seed gives them.
func (w *Workspace) WithSeed(seed uint64) *Workspace {
	p := *w.Profile
	p.Seed = seed
	return &Workspace{
		Profile: &p, Store: w.Store, Data: w.Data, Engine: w.Engine, Progress: w.Progress,
		origin: w.Profile, parts: w.parts, sums: w.sums, vocabulary: w.vocabulary, stats: w.stats, counts: w.counts,
	}
}

// WithParts returns a workspace of the same settings, data and store on the first n files or shards of the corpus.
func (w *Workspace) WithParts(n int) *Workspace {
	return &Workspace{Profile: w.Profile, Store: w.Store, Data: w.Data, Engine: w.Engine, Progress: w.Progress, sums: w.sums, parts: n}
}

// WithRows returns a workspace on the same text, data and store for these rows of sentence similarity alone.
func (w *Workspace) WithRows(rows []profile.Row) *Workspace {
	p := *w.Profile
	p.STS.Rows = rows
	return &Workspace{
		Profile: &p, Store: w.Store, Data: w.Data, Engine: w.Engine, Progress: w.Progress,
		origin: w.origin, parts: w.parts, sums: w.sums, vocabulary: w.vocabulary, stats: w.stats, counts: w.counts,
	}
}

// ForSeeds calls f with a workspace of each further seed of the profile, in their order: those
// after the profile's own, n − 1 of them.
func (w *Workspace) ForSeeds(n int, f func(further *Workspace) error) error {
	if n > 1 { // room for theirs
		w.associations, w.estimates = memo[sppmi.Params, *sppmi.Matrix]{}, memo[EstimateParams, *estimate.Estimates]{}
	}
	for k := 1; k < n; k++ {
		seed := w.Profile.Seed + uint64(k)
		if err := f(w.WithSeed(seed)); err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
	}
	return nil
}

// AddSeeds fills in the seeds of quantities, n with the one they have: values makes those of a workspace of a further
// seed, in any order. A quantity without draws, such as a setting or a count, gets none, nor
// does one that values leaves out.
func (w *Workspace) AddSeeds(n int, quantities []results.Quantity, values func(further *Workspace) ([]results.Quantity, error)) error {
	return w.ForSeeds(n, func(further *Workspace) error {
		made, err := values(further)
		if err != nil {
			return err
		}
		type address struct{ table, row, column, variant, source string }
		at := func(q results.Quantity) address { return address{q.Table, q.Row, q.Column, q.Variant, q.Source} }
		found := map[address]float64{}
		for _, q := range made {
			found[at(q)] = q.Value
		}
		for i := range quantities {
			if v, ok := found[at(quantities[i])]; ok && quantities[i].Low != nil {
				quantities[i].Seeds = append(quantities[i].Seeds, v)
			}
		}
		return nil
	})
}

// SeedsTable shows the spread of quantities over n seeds, of those that keep says; nil where
// none has seeds.
func SeedsTable(n int, p *profile.Profile, experiment string, digits int, quantities []results.Quantity, keep func(q results.Quantity) bool) *render.Table {
	t := &render.Table{
		ID: "seeds_" + experiment, Label: "row",
		Title: fmt.Sprintf("The same numbers with everything random made anew: %s (profile %s)", experiment, p.Name),
		Columns: []render.Column{
			{Name: "mean", Digits: digits, Unmarked: true}, {Name: "standard deviation", Digits: digits + 1, Unmarked: true},
		},
		Notes: []string{"Word vectors, clusters and samples come from the seeds in the columns' names; settings are those that the first seed chose. Of a number x the standard deviation is √(Σ (x − mean)² / (n − 1)) over the n seeds. Intervals in the tables of hypernymy contain this spread; those in other tables are over items alone, with the first seed."},
	}
	for k := range n {
		t.Columns = append(t.Columns, render.Column{Name: fmt.Sprint("seed ", p.Seed+uint64(k)), Digits: digits, Unmarked: true})
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
		average, deviation := Mean(values), 0.0
		for _, v := range values {
			deviation += (v - average) * (v - average)
		}
		deviation = math.Sqrt(deviation / float64(len(values)-1))
		row := render.Row{
			Key: q.Variant + "/" + q.Source + "/" + q.Column, Label: q.Source + ", " + q.Column,
			Cells: []render.Cell{{Value: &average}, {Value: &deviation}},
		}
		for i := range values {
			row.Cells = append(row.Cells, render.Cell{Value: &values[i]})
		}
		b := slices.IndexFunc(t.Blocks, func(b render.Block) bool { return b.Title == q.Variant })
		if b < 0 {
			t.Blocks = append(t.Blocks, render.Block{Title: q.Variant})
			b = len(t.Blocks) - 1
		}
		t.Blocks[b].Rows = append(t.Blocks[b].Rows, row)
	}
	if len(t.Blocks) == 0 {
		return nil
	}
	return t
}
