package profile

import (
	"fmt"

	"contextmover/cmdlib/ground"
	"contextmover/experiments/harness/method"
)

// Geometry describes the experiment on what the ground cost is good for.
type Geometry struct {
	// Rows are ids of rows of histograms that choose nothing and have no mix. An empty list leaves the experiment out.
	Rows []string `toml:"rows" row:"histograms"`
	// Vary has the λ that rows are tried with, and what costs are measured by and K instead of
	// the row's own. Clusters are spherical exactly where the metric is angular. Barycenters, which take ten times as
	// long as averages, keep their K.
	Vary method.Grid `toml:"vary"`
}

// A Variation is a row with one setting changed, and what that is.
type Variation struct {
	Name string
	Row  Row
}

// Variations returns a row with each λ, clipped at the same cost, and
// with each metric that is not its own; an average also with each such K.
func (g Geometry) Variations(row Row) (all []Variation) {
	h := row.Histograms()
	varied := func(name string, vary func(h *method.Histograms)) {
		v, own := row, h
		vary(&own)
		v.Method = method.With(row.Method, own)
		all = append(all, Variation{name, v})
	}
	for _, reg := range method.Values[float64](g.Vary, "reg") {
		varied(fmt.Sprintf("λ = %v", reg), func(v *method.Histograms) { v.Reg, v.Clip = reg, h.Clip*h.Reg/reg })
	}
	for _, metric := range method.Values[ground.Metric](g.Vary, "metric") {
		if metric != h.Metric {
			varied(string(metric), func(v *method.Histograms) {
				v.Metric, v.Spherical = metric, metric == ground.Angular
			})
		}
	}
	for _, k := range method.Values[int](g.Vary, "clusters") {
		if k != h.Clusters && row.Method.Needs().Combined == nil {
			varied(fmt.Sprintf("K = %d", k), func(v *method.Histograms) { v.Clusters = k })
		}
	}
	return all
}

func (c *checker) geometry(g Geometry) {
	for i, id := range g.Rows {
		if r, _ := c.p.Row(id); r.Method != nil && r.Histograms().Mix > 0 {
			key := fmt.Sprintf("geometry.rows[%d]", i)
			c.fail(key, "%q has a mix, whose points are no bins: expected a row without", id)
		}
	}
	c.only("geometry.vary", g.Vary, "reg", "metric", "clusters")
	if len(g.Rows) > 0 && len(g.Vary["reg"]) == 0 {
		c.fail("geometry.vary.reg", "no λ, expected at least one")
	}
}
