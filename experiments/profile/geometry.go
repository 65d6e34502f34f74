package profile

import "fmt"

// Geometry describes the experiment on what the ground cost is good for.
type Geometry struct {
	// Rows are ids of rows of histograms that choose nothing and have no mix. An empty list leaves the experiment out.
	Rows []string `toml:"rows"`
	// Reg lists the λ that each of them is tried with.
	Reg []float64 `toml:"reg"`
}

func (c *checker) geometry(g Geometry, rows []Row) {
	for i, id := range g.Rows {
		key := fmt.Sprintf("geometry.rows[%d]", i)
		c.rowOf(key, id, rows, true)
		for _, r := range rows {
			if r.ID == id && r.Mix > 0 {
				c.fail(key, "%q has a mix, whose points are no bins: expected a row without", id)
			}
		}
	}
	if len(g.Rows) > 0 && len(g.Reg) == 0 {
		c.fail("geometry.reg", "no λ, expected at least one")
	}
	for i, reg := range g.Reg {
		key := fmt.Sprintf("geometry.reg[%d]", i)
		c.reg(key, reg)
		if i > 0 && reg <= g.Reg[i-1] {
			c.fail(key, "%v after %v, expected ascending numbers", reg, g.Reg[i-1])
		}
	}
}
