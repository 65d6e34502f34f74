package hypernymy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"contextmover/cmdlib/embedding"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/harness/store"
	"contextmover/experiments/harness/trainers/dive"
	"contextmover/experiments/harness/trainers/gaussian"
	"contextmover/experiments/harness/trainers/poincare"
)

// A system scores pairs by vectors that a method of others trains on the counts. Its exported fields are what stores
// have of how they are compared.
type system struct {
	Score string `json:"score"`
	Words int    `json:"words,omitempty"`

	// trained is the folder of the vectors, read what is compared of them.
	trained func(w *pipeline.Workspace) store.Node[string]
	read    func(v *embedding.Vectors) *embedding.Vectors
	compare func(narrow, wide []float32) float64
}

func (m system) in(w *pipeline.Workspace) scoring {
	s := scoring{
		kind: "system", settings: map[string]any{"trained": m}, inputs: []store.Input{m.trained(w)}, random: true,
	}
	if m.Score == profile.WDeltaS {
		s.inputs = append(s.inputs, w.VectorsNode(profile.SVD))
	}
	s.by = byWords(func(ctx context.Context) (comparison, error) {
		v, err := w.VectorsIn(ctx, m.trained(w))
		if err != nil {
			return nil, err
		}
		if m.read != nil {
			v = m.read(v)
		}
		compare := func(narrow, wide int32) float64 { return m.compare(v.Row(int(narrow)), v.Row(int(wide))) }
		if m.Score != profile.WDeltaS {
			return compare, nil
		}
		cosine, err := cosines(ctx, w)
		return func(narrow, wide int32) float64 { return cosine(narrow, wide) * compare(narrow, wide) }, err
	})
	return s
}

// less compares by how little the narrow one's distribution diverges from the wide one's.
func less(divergence func(narrow, wide []float32) float64) func(narrow, wide []float32) float64 {
	return func(narrow, wide []float32) float64 { return -divergence(narrow, wide) }
}

func byDIVE(s profile.DIVE) Method {
	m := system{Score: s.Score, compare: dive.DeltaS} // with profile.WDeltaS, too
	m.trained = func(w *pipeline.Workspace) store.Node[string] { return w.DIVENode(s.Params) }
	switch s.Score {
	case profile.CDeltaS:
		m.compare = dive.CDeltaS
	case profile.AL1:
		m.compare = dive.AL1
	}
	return m
}

// meansCosine is the score of a pair by the cosine of its distributions' means.
const meansCosine = "cosine"

// byGaussian scores pairs by Gaussian embeddings, by meansCosine or profile.MinusKL.
func byGaussian(s gaussian.Params, score string) Method {
	m := system{Score: score, compare: gaussian.Cosine}
	m.trained = func(w *pipeline.Workspace) store.Node[string] { return w.GaussianNode(s) }
	if score == profile.MinusKL {
		m.compare = less(gaussian.Divergence)
	}
	return m
}

func byPoincare(s profile.Poincare) Method {
	m := system{Score: s.Score, Words: s.Words, compare: poincare.IsA}
	m.trained = func(w *pipeline.Workspace) store.Node[string] { return w.PoincareNode(s.Params) }
	m.read = func(v *embedding.Vectors) *embedding.Vectors {
		generic, specific := general(v.Len(), s.Words)
		return &embedding.Vectors{Dim: v.Dim, Data: poincare.Gaussians(v.Data, s.Disks, generic, specific)}
	}
	if s.Score == profile.MinusKL {
		m.compare = less(poincare.Divergence)
	}
	return m
}

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

// systemOf returns a system's row of the settings own, and those of the settings to choose from, which tell says; none
// where the grid has no values.
func systemOf[S comparable](
	key string, own S, grid method.Grid, row func(S) Method, tell func(S) string,
) Searched {
	c := Searched{Row: Row{key, key, row(own)}, note: systemsNote}
	if len(grid) == 0 {
		return c
	}
	for _, s := range method.Vary(grid, own) {
		name := key + ", " + tell(s)
		c.grid = append(c.grid, Row{name, name, row(s)})
	}
	return c
}

// systems returns the rows of the profile's systems.
func systems(w *pipeline.Workspace) (all []Searched) {
	p := w.Profile.Hypernymy
	if s := p.DIVE; s.Dim > 0 {
		all = append(all, systemOf(diveKey, s.DIVE, s.Select, byDIVE,
			func(s profile.DIVE) string { return fmt.Sprintf("k_I %g, %s", s.Inclusion, s.Score) }))
	}
	if s := p.Gaussian; s.Dim > 0 {
		for _, by := range []struct{ key, score string }{{geCosineKey, meansCosine}, {geKLKey, profile.MinusKL}} {
			all = append(all, systemOf(by.key, s.Params, s.Select,
				func(s gaussian.Params) Method { return byGaussian(s, by.score) },
				func(s gaussian.Params) string {
					kind := map[bool]string{true: "spherical", false: "diagonal"}[s.Spherical]
					return fmt.Sprintf("%s, margin %g", kind, s.Margin)
				}))
		}
	}
	if s := p.Poincare; s.Disks > 0 {
		all = append(all, systemOf(poincareKey, s.Poincare, s.Select, byPoincare,
			func(s profile.Poincare) string { return fmt.Sprintf("rate %g, %d words, %s", s.Rate, s.Words, s.Score) }))
	}
	return append(all, patterns(w)...)
}

// frequentWords is how many of a vocabulary's words, the most frequent ones, general and specific words are taken
// from: the first and the last of them, as by the authors of Poincaré GloVe.
const frequentWords = 50_000

// general returns words, by their numbers, that stand for general and for specific ones.
func general(vocabulary, words int) (generic, specific []int) {
	known := min(vocabulary, frequentWords)
	words = max(1, min(words, known/4))
	for i := range words {
		generic, specific = append(generic, i), append(specific, known-words+i)
	}
	return generic, specific
}

// validationSet is the set that settings are chosen on; a profile that chooses any has one.
func validationSet(p profile.Hypernymy) (set profile.HypernymySet) {
	if at := slices.IndexFunc(p.Sets, func(s profile.HypernymySet) bool { return s.Validation }); at >= 0 {
		set = p.Sets[at]
	}
	return set
}

// systemRows are the systems' rows with their authors' settings, and chosenRows those with chosen ones, of CMD, too.
func (h *Result) systemRows() (rows []Row) {
	for _, s := range h.Systems {
		rows = append(rows, s.Row)
	}
	return rows
}

func (h *Result) chosenRows() []Row {
	rows := slices.Clone(h.CMD.Chosen)
	for _, s := range h.Systems {
		rows = append(rows, s.Chosen...)
	}
	return rows
}
