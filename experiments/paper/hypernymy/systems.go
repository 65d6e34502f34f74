package hypernymy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"contextmover/cmdlib/embedding"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/harness/store"
	"contextmover/experiments/harness/trainers/dive"
	"contextmover/experiments/harness/trainers/gaussian"
	"contextmover/experiments/harness/trainers/poincare"
)

// DIVE scores pairs by vectors trained by that method of others.
type DIVE struct{ profile.DIVE }

// Gaussian scores pairs by Gaussian embeddings, by meansCosine or profile.MinusKL.
type Gaussian struct {
	gaussian.Params
	Score string
}

// Poincare scores pairs by Poincaré GloVe.
type Poincare struct{ profile.Poincare }

// A system is a method by vectors that are trained on the counts.
type system interface {
	Method
	// trained is the folder of the vectors.
	trained(w *pipeline.Workspace) store.Node[string]
}

func (m DIVE) trained(w *pipeline.Workspace) store.Node[string]     { return w.DIVENode(m.Params) }
func (m Gaussian) trained(w *pipeline.Workspace) store.Node[string] { return w.GaussianNode(m.Params) }
func (m Poincare) trained(w *pipeline.Workspace) store.Node[string] { return w.PoincareNode(m.Params) }

// byVectors is how a system's vectors score pairs, as stores have it.
type byVectors struct {
	Score string `json:"score"`
	Words int    `json:"words,omitempty"`
}

func (by byVectors) needs(w *pipeline.Workspace, s system) needs {
	return needs{
		kind: "system", settings: map[string]any{"trained": by},
		inputs: []store.Input{s.trained(w)}, random: true,
	}
}

func (m DIVE) needs(w *pipeline.Workspace) needs {
	n := byVectors{Score: m.Score}.needs(w, m)
	if m.Score == profile.WDeltaS {
		n.inputs = append(n.inputs, w.VectorsNode(profile.SVD))
	}
	return n
}

func (m Gaussian) needs(w *pipeline.Workspace) needs { return byVectors{Score: m.Score}.needs(w, m) }
func (m Poincare) needs(w *pipeline.Workspace) needs { return byVectors{m.Score, m.Words}.needs(w, m) }

// A Searched row is tried with the settings of a grid on the set for validation. Tried lists them, best first, and
// Chosen is the best one, the earlier of equals; both are empty without a grid.
type Searched struct {
	Row    Row // with the settings of its authors
	grid   []Row
	Chosen []Row
	Tried  []pipeline.Trial[Row]
	note   string // what tables say of such rows
}

// search scores the grid on the set for validation.
func (s *Searched) search(ctx context.Context, w *pipeline.Workspace) (err error) {
	if len(s.grid) == 0 {
		return nil
	}
	set := validationSet(w.Profile.Hypernymy)
	if s.Tried, err = pipeline.Search(ctx, w.Store, s.grid,
		func(row Row) store.Node[outcome] { return setNode(w, row, set) },
		func(o outcome) score.Estimate { return o.(*Measure).AP }); err != nil {
		return err
	}
	best := s.Tried[0].Row
	best.Key = strings.TrimSpace(chosenKey + " " + s.Row.Key)
	s.Chosen = []Row{best}
	return nil
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

// systemOf returns a system's row of the settings own, and those of the settings to choose from, which tell says; none
// where the grid has no values.
func systemOf[S comparable](
	key string, own S, grid profile.GridOf[S], row func(S) Method, tell func(S) string,
) Searched {
	c := Searched{Row: Row{key, key, row(own)}, note: systemsNote}
	if len(grid) == 0 {
		return c
	}
	for _, s := range grid.Vary(own) {
		name := key + ", " + tell(s)
		c.grid = append(c.grid, Row{name, name, row(s)})
	}
	return c
}

// systems returns the rows of the profile's systems.
func systems(w *pipeline.Workspace) (all []Searched) {
	p := w.Profile.Hypernymy
	if s := p.DIVE; s.Dim > 0 {
		all = append(all, systemOf(diveKey, s.DIVE, s.Select,
			func(s profile.DIVE) Method { return DIVE{s} },
			func(s profile.DIVE) string { return fmt.Sprintf("k_I %g, %s", s.Inclusion, s.Score) }))
	}
	if s := p.Gaussian; s.Dim > 0 {
		for _, by := range []struct{ key, score string }{{geCosineKey, meansCosine}, {geKLKey, profile.MinusKL}} {
			all = append(all, systemOf(by.key, s.Params, s.Select,
				func(s gaussian.Params) Method { return Gaussian{s, by.score} },
				func(s gaussian.Params) string {
					kind := map[bool]string{true: "spherical", false: "diagonal"}[s.Spherical]
					return fmt.Sprintf("%s, margin %g", kind, s.Margin)
				}))
		}
	}
	if s := p.Poincare; s.Disks > 0 {
		all = append(all, systemOf(poincareKey, s.Poincare, s.Select,
			func(s profile.Poincare) Method { return Poincare{s} },
			func(s profile.Poincare) string { return fmt.Sprintf("rate %g, %d words, %s", s.Rate, s.Words, s.Score) }))
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
		rows = append(rows, s.Chosen...)
	}
	return rows
}

func (m DIVE) scorer(ctx context.Context, w *pipeline.Workspace, name string, pairs []TermPair) (scorer, error) {
	v, err := w.VectorsIn(ctx, m.trained(w))
	if err != nil {
		return nil, err
	}
	switch m.Score {
	case profile.DeltaS:
		return compare(v, dive.DeltaS), nil
	case profile.CDeltaS:
		return compare(v, dive.CDeltaS), nil
	case profile.AL1:
		return compare(v, dive.AL1), nil
	}
	words, err := cosine.scorer(ctx, w, name, pairs) // profile.WDeltaS
	difference := compare(v, dive.DeltaS)
	return func(p TermPair) (float64, bool) {
		c, _ := words(p)
		d, ok := difference(p)
		return c * d, ok
	}, err
}

func (m Gaussian) scorer(ctx context.Context, w *pipeline.Workspace, _ string, _ []TermPair) (scorer, error) {
	v, err := w.VectorsIn(ctx, m.trained(w))
	if err != nil {
		return nil, err
	}
	if m.Score == meansCosine {
		return compare(v, gaussian.Cosine), nil
	}
	return compare(v, func(narrow, wide []float32) float64 { return -gaussian.Divergence(narrow, wide) }), nil
}

func (m Poincare) scorer(ctx context.Context, w *pipeline.Workspace, _ string, _ []TermPair) (scorer, error) {
	v, err := w.VectorsIn(ctx, m.trained(w))
	if err != nil {
		return nil, err
	}
	generic, specific := general(v.Len(), m.Words)
	turned := &embedding.Vectors{Dim: v.Dim, Data: poincare.Gaussians(v.Data, m.Disks, generic, specific)}
	if m.Score == profile.IsA {
		return compare(turned, poincare.IsA), nil
	}
	return compare(turned, func(narrow, wide []float32) float64 { return -poincare.Divergence(narrow, wide) }), nil
}

// compare scores pairs of known words by their vectors.
func compare(v *embedding.Vectors, score func(narrow, wide []float32) float64) scorer {
	return known(func(p TermPair) float64 { return score(v.Row(int(p.Narrow)), v.Row(int(p.Wide))) })
}
