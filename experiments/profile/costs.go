package profile

import (
	"fmt"
	"slices"
)

// Costs describes the experiment on other ground costs, in the built-in space.
type Costs struct {
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
	var names []string
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
