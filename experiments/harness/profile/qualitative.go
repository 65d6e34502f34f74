package profile

import (
	"fmt"
	"slices"
)

// Qualitative describes the comparison of CoMB and SIF sentence by sentence.
type Qualitative struct {
	// CoMB, SIF and SIFWords are ids of rows of sentence similarity: those whose scores
	// are compared, and the one whose vectors give SIF's nearest words.
	CoMB     string `toml:"comb" row:"histograms"`
	SIF      string `toml:"sif" row:"y"`
	SIFWords string `toml:"sif_words" row:"y"`
	// Pairs are the sets whose most differently ranked pairs are shown.
	Pairs []RankedPairs `toml:"pairs"`
	// Queries are the texts whose nearest words are shown, Neighbours how many.
	Queries    []string `toml:"queries"`
	Neighbours int      `toml:"neighbours" range:"1.."`
}

// RankedPairs names a set of sentence pairs and the table that shows its pairs.
type RankedPairs struct {
	Table string `toml:"table" unique:"y"`
	Group string `toml:"group"`
	Set   string `toml:"set"`
}

// Set returns the set of sentence pairs with the given name in the given group.
func (p *Profile) Set(group, set string) (Set, error) {
	s, known := p.STS.find(group, set)
	if s == nil {
		return Set{}, fmt.Errorf("no set %q; nearest: %s", group+" "+set, nearest(group+" "+set, known))
	}
	return *s, nil
}

func (s STS) find(group, set string) (found *Set, known []string) {
	for _, g := range s.Groups {
		for i, x := range g.Sets {
			known = append(known, g.Name+" "+x.Name)
			if g.Name == group && x.Name == set {
				found = &g.Sets[i]
			}
		}
	}
	return found, known
}

func (c *checker) qualitative(q Qualitative, s STS) {
	if q.CoMB == "" {
		return // a profile without the comparison
	}
	if !slices.ContainsFunc(s.Rows, func(r Row) bool { return r.ID == q.SIFWords && r.isAverage() }) {
		c.fail("qualitative.sif_words", "%q, expected the id of a row with the method nbow or sif", q.SIFWords)
	}
	for i, p := range q.Pairs {
		if set, known := s.find(p.Group, p.Set); set == nil {
			name := p.Group + " " + p.Set
			c.fail(fmt.Sprintf("qualitative.pairs[%d].set", i), "there is no set %q; nearest: %s", name,
				nearest(name, known))
		}
	}
}
