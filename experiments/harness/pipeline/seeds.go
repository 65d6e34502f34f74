package pipeline

import (
	"fmt"
	"strings"

	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/results"
)

// Further tells whether the workspace is of a further seed: its numbers are values without
// bootstrap draws, which are the first seed's.
func (w *Workspace) Further() bool { return w.origin != nil }

// WithSeed returns a workspace of the same text, data and store whose vectors, clusters and
// samples come from another seed. A generated world stays that of the first seed. Its artefacts
// have the keys that a run with that seed gives them.
func (w *Workspace) WithSeed(seed uint64) *Workspace {
	p := *w.Profile
	p.Seed = seed
	return w.with(&p, w.Profile, w.parts)
}

// WithParts returns a workspace of the same settings, data and store on the first n files or shards of the corpus.
func (w *Workspace) WithParts(n int) *Workspace { return w.with(w.Profile, w.origin, n) }

// with returns a workspace of another profile on the same data and store. What is known of data files holds there, too.
func (w *Workspace) with(p, origin *profile.Profile, parts int) *Workspace {
	other := &Workspace{
		Profile: p, Store: w.Store, Data: w.Data, Engine: w.Engine, Progress: w.Progress, origin: origin, parts: parts,
	}
	w.keys.Range(func(name, key any) bool {
		if strings.HasPrefix(name.(string), fileName("")) {
			other.keys.Store(name, key)
		}
		return true
	})
	return other
}

// ForSeeds calls f with a workspace of each further seed of the profile, in their order: those
// after the profile's own, n − 1 of them.
func (w *Workspace) ForSeeds(n int, f func(further *Workspace) error) error {
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
func (w *Workspace) AddSeeds(
	n int, quantities []results.Quantity, values func(further *Workspace) ([]results.Quantity, error),
) error {
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
