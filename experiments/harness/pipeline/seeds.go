package pipeline

import (
	"fmt"
	"strings"

	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/profile"
)

// Further tells whether the workspace is of a further seed or shuffle: its numbers are values without
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

// Shuffles returns a workspace of the same artefacts for each further arrangement of what is shuffled.
func (w *Workspace) Shuffles() (all []*Workspace) {
	for k := 1; k < w.Profile.Seeds.Shuffles; k++ {
		other := w.with(w.Profile, w.Profile, w.parts)
		other.shuffle = k
		all = append(all, other)
	}
	return all
}

// Seed is the seed of a random stream that methods draw from.
func (w *Workspace) Seed(name string) uint64 {
	if name == method.ShuffledStream && w.shuffle > 0 {
		name += fmt.Sprintf(" %d", w.shuffle)
	}
	return Seed(w.Profile.Seed, name)
}

// WithParts returns a workspace of the same settings, data and store on the first n files or shards of the corpus.
func (w *Workspace) WithParts(n int) *Workspace { return w.with(w.Profile, w.origin, n) }

// with returns a workspace of another profile on the same data and store. What is known of data files holds there, too.
func (w *Workspace) with(p, origin *profile.Profile, parts int) *Workspace {
	other := &Workspace{
		Profile: p, Store: w.Store, Data: w.Data, Engine: w.Engine, Progress: w.Progress, origin: origin, parts: parts,
	}
	w.refs.Range(func(name, refs any) bool {
		if strings.HasPrefix(name.(string), fileName("")) {
			other.refs.Store(name, refs)
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
