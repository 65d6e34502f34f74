package profile

import (
	"fmt"

	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/method"
)

// Geometry describes the experiment on what the ground cost is good for.
type Geometry struct {
	// Rows are ids of rows of histograms that choose nothing and have no mix. An empty list leaves the experiment out.
	Rows []string `toml:"rows"`
	// Reg lists the λ that each of them is tried with.
	Reg []float64 `toml:"reg"`
	// Metrics lists what costs are measured by instead of the row's own, with its λ; clusters are spherical
	// exactly where it is angular.
	Metrics []string `toml:"metrics"`
	// Clusters lists K that averages are tried with instead of the row's
	// own. Barycenters, which take ten times as long, keep theirs.
	Clusters []int `toml:"clusters"`
}

// A Variation is a row with one setting changed, and what that is; Reg tells that it is λ.
type Variation struct {
	Name string
	Row  Row
	Reg  bool
}

// Variations returns a row with each λ, clipped at the same cost, and
// with each metric that is not its own; an average also with each such K.
func (g Geometry) Variations(row Row) (all []Variation) {
	h := row.Histograms()
	varied := func(name string, reg bool, vary func(h *method.Histograms)) {
		v, own := row, h
		vary(&own)
		v.Method = method.With(row.Method, own)
		all = append(all, Variation{name, v, reg})
	}
	for _, reg := range g.Reg {
		varied(fmt.Sprintf("λ = %v", reg), true, func(v *method.Histograms) { v.Reg, v.Clip = reg, h.Clip*h.Reg/reg })
	}
	for _, metric := range g.Metrics {
		if metric := ground.Metric(metric); metric != h.Metric {
			varied(string(metric), false, func(v *method.Histograms) {
				v.Metric, v.Spherical = metric, metric == ground.Angular
			})
		}
	}
	for _, k := range g.Clusters {
		if k != h.Clusters && row.Method.Needs().Combined == nil {
			varied(fmt.Sprintf("K = %d", k), false, func(v *method.Histograms) { v.Clusters = k })
		}
	}
	return all
}

func (c *checker) geometry(g Geometry, rows []Row) {
	for i, id := range g.Rows {
		key := fmt.Sprintf("geometry.rows[%d]", i)
		c.rowOf(key, id, rows, true)
		for _, r := range rows {
			if r.ID == id && r.Histograms().Mix > 0 {
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
	for i, metric := range g.Metrics {
		c.oneOf(fmt.Sprintf("geometry.metrics[%d]", i), metric, metrics)
	}
	for i, k := range g.Clusters {
		c.k(fmt.Sprintf("geometry.clusters[%d]", i), k)
	}
}
