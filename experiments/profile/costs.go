package profile

import (
	"fmt"
	"slices"
)

// BuiltIn stands for the built-in space among the vectors of Costs.
const BuiltIn = "built in"

// Costs describes the experiment on other ground costs.
type Costs struct {
	// Vectors lists word vectors whose clusters are the contexts: BuiltIn, or as a row of sentences names them. Their
	// space is that of the profile, with these vectors.
	Vectors []string `toml:"vectors"`
	// Families are compared; "true" and "discrete" are those that others are compared with. An empty list leaves the
	// experiment out.
	Families []CostFamily `toml:"families"`
}

// CostFamily is a kind of cost. Methods are as repro score --method takes them; one is chosen on the validation group.
type CostFamily struct {
	Name    string   `toml:"name"`
	Methods []string `toml:"methods"`
}

func (c *checker) costs(s Costs, groups []Group) {
	if len(s.Families) == 0 {
		return
	}
	var names, vectors []string
	for i, v := range s.Vectors {
		c.name(fmt.Sprintf("costs.vectors[%d]", i), v, &vectors)
	}
	if len(vectors) == 0 {
		c.fail("costs.vectors", "no vectors, expected at least one, such as %q", BuiltIn)
	}
	for i, f := range s.Families {
		key := fmt.Sprintf("costs.families[%d]", i)
		c.name(key+".name", f.Name, &names)
		if len(f.Methods) == 0 {
			c.fail(key+".methods", "no methods, expected at least one")
		}
	}
	if !slices.ContainsFunc(groups, func(g Group) bool { return g.Validation }) || !slices.ContainsFunc(groups,
		Group.Test) {
		c.fail("costs.families", "no group of sentence pairs to choose on with validation = true, or none for test; "+
			"expected both")
	}
}
