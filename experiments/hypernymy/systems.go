package hypernymy

import (
	"context"
	"fmt"
	"slices"

	"contextmover/cmdlib/embedding/dive"
	"contextmover/cmdlib/embedding/gaussian"
	"contextmover/cmdlib/embedding/poincare"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/profile"
	"contextmover/experiments/store"
)

// systemMethod is that of rows by systems of others, on vectors of their own.
const systemMethod = "system"

// Trained is what a row of such a system depends on: its training, and how pairs are scored by its vectors.
type Trained struct {
	System pipeline.System `json:"system"`
	Score  string          `json:"score"`
	// Words is how many of the most frequent words stand for general ones, and as many others for specific ones, where
	// that turns the vectors.
	Words int `json:"words,omitempty"`
}

// A Searched row has the settings of its authors. Chosen are those that score best on the set for validation, nil
// where none are searched, and Tried all that were tried there, best first.
type Searched struct {
	Row    Row
	Chosen *Row
	Tried  []Trial
}

// The keys of the systems' rows are those of the paper's Table 2.
const (
	diveKey     = "DIVE"
	geCosineKey = "GE + Cosine"
	geKLKey     = "GE + KL"
	poincareKey = "Poincaré GloVe"
)

// meansCosine is the score of a pair by the cosine of its distributions' means.
const meansCosine = "cosine"

// systemRow returns a row of a system, with a name that says its settings where it is not the authors' row.
func systemRow(key, settings, score string, s pipeline.System) Row {
	row := Row{Key: key, Label: key, Method: systemMethod, Trained: &Trained{System: s, Score: score}}
	if settings != "" {
		row.Key += ", " + settings
		row.Label = row.Key
	}
	return row
}

// A candidate is a system's row and the rows that its settings are chosen from.
type candidate struct {
	row  Row
	grid []Row
}

// systems returns the rows of the profile's systems.
func systems(w *pipeline.Workspace) (all []candidate) {
	p := w.Profile.Hypernymy
	if s := p.DIVE; s.Dim > 0 {
		params := s.Params
		c := candidate{row: systemRow(diveKey, "", profile.CDeltaS, pipeline.System{DIVE: &params})}
		for _, inclusion := range s.Select.Inclusion {
			for _, score := range s.Select.Scores {
				params := params
				params.Inclusion = inclusion
				c.grid = append(c.grid, systemRow(diveKey, fmt.Sprintf("k_I %g, %s", inclusion, score), score,
					pipeline.System{DIVE: &params}))
			}
		}
		all = append(all, c)
	}
	if s := p.Gaussian; s.Dim > 0 {
		params := s.Params
		for _, by := range []struct{ key, score string }{{geCosineKey, meansCosine}, {geKLKey, profile.MinusKL}} {
			c := candidate{row: systemRow(by.key, "", by.score, pipeline.System{Gaussian: &params})}
			for _, spherical := range s.Select.Spherical {
				for _, margin := range s.Select.Margin {
					params := params
					params.Spherical, params.Margin = spherical, margin
					kind := map[bool]string{true: "spherical", false: "diagonal"}[spherical]
					c.grid = append(c.grid, systemRow(by.key, fmt.Sprintf("%s, margin %g", kind, margin), by.score,
						pipeline.System{Gaussian: &params}))
				}
			}
			all = append(all, c)
		}
	}
	if s := p.Poincare; s.Disks > 0 {
		params := s.Params
		c := candidate{row: systemRow(poincareKey, "", profile.IsA, pipeline.System{Poincare: &params})}
		c.row.Trained.Words = s.Words
		for _, rate := range s.Select.Rate {
			for _, words := range s.Select.Words {
				for _, score := range s.Select.Scores {
					params := params
					params.Rate = rate
					row := systemRow(poincareKey, fmt.Sprintf("rate %g, %d words, %s", rate, words, score), score,
						pipeline.System{Poincare: &params})
					row.Trained.Words = words
					c.grid = append(c.grid, row)
				}
			}
		}
		all = append(all, c)
	}
	return append(all, patterns(w)...)
}

// frequentWords is how many of a vocabulary's words, the most frequent ones, general and specific words are taken
// from: the first and the last of them, as by the authors of Poincaré GloVe.
const frequentWords = 50_000

// general returns words, by their numbers, that stand for general and for specific ones.
func general(vocabulary, words int) (generic, specific []int) {
	of := min(vocabulary, frequentWords)
	words = max(1, min(words, of/4))
	for i := range words {
		generic, specific = append(generic, i), append(specific, of-words+i)
	}
	return generic, specific
}

// search scores a grid of rows on the set for validation, and returns it best first; the earlier of equals comes first.
func search(
	ctx context.Context, w *pipeline.Workspace, set profile.HypernymySet, grid []Row,
) (tried []Trial, err error) {
	found, order, err := pipeline.Search(ctx, w.Store, grid,
		func(row Row) store.Node[outcome] {
			return setNode(w, row, set)
		}, func(o outcome) float64 { return o.set.AP.Value })
	for _, i := range order {
		tried = append(tried, Trial{grid[i], found[i].set.AP})
	}
	return tried, err
}

// searchSystems returns the rows of the profile's systems, with their settings chosen.
func searchSystems(ctx context.Context, w *pipeline.Workspace) (all []Searched, err error) {
	for _, c := range systems(w) {
		s := Searched{Row: c.row}
		if len(c.grid) > 0 {
			if s.Tried, err = search(ctx, w, validationSet(w.Profile.Hypernymy), c.grid); err != nil {
				return nil, err
			}
			best := s.Tried[0].Row
			best.Key = chosenKey + " " + c.row.Key
			s.Chosen = &best
		}
		all = append(all, s)
	}
	return all, nil
}

// validationSet is the set that settings are chosen on; a profile that chooses any has one.
func validationSet(p profile.Hypernymy) profile.HypernymySet {
	return p.Sets[slices.IndexFunc(p.Sets, func(s profile.HypernymySet) bool { return s.Validation })]
}

// systemRows are the systems' rows with their authors' settings, and chosenRows those with chosen ones.
func (h *Result) systemRows() (rows []Row) {
	for _, s := range h.Systems {
		rows = append(rows, s.Row)
	}
	return rows
}

func (h *Result) chosenRows() (rows []Row) {
	for _, s := range h.Systems {
		if s.Chosen != nil {
			rows = append(rows, *s.Chosen)
		}
	}
	return rows
}

// trained returns the value of a pair by a system's vectors.
func trained(ctx context.Context, w *pipeline.Workspace, t Trained) (func(p TermPair) float64, error) {
	v, err := w.SystemVectors(ctx, t.System)
	if err != nil {
		return nil, err
	}
	row := func(word int32) []float32 { return v.Row(int(word)) }
	if p := t.System.Poincare; p != nil {
		generic, specific := general(v.Len(), t.Words)
		distributions := poincare.Gaussians(v.Data, p.Disks, generic, specific)
		of := func(word int32) []float32 { return distributions[int(word)*v.Dim:][:v.Dim] }
		if t.Score == profile.IsA {
			return func(p TermPair) float64 { return poincare.IsA(of(p.Narrow), of(p.Wide)) }, nil
		}
		return func(p TermPair) float64 { return -poincare.Divergence(of(p.Narrow), of(p.Wide)) }, nil
	}
	by := func(score func(narrow, wide []float32) float64) func(p TermPair) float64 {
		return func(p TermPair) float64 { return score(row(p.Narrow), row(p.Wide)) }
	}
	switch t.Score {
	case meansCosine:
		return by(gaussian.Cosine), nil
	case profile.MinusKL:
		return by(func(narrow, wide []float32) float64 { return -gaussian.Divergence(narrow, wide) }), nil
	case profile.DeltaS:
		return by(dive.DeltaS), nil
	case profile.CDeltaS:
		return by(dive.CDeltaS), nil
	case profile.AL1:
		return by(dive.AL1), nil
	case profile.WDeltaS:
		cosine, err := pairwise(ctx, w, cosineMethod, nil)
		return func(p TermPair) float64 { return cosine(p) * dive.DeltaS(row(p.Narrow), row(p.Wide)) }, err
	}
	panic("hypernymy: no score " + t.Score)
}
