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
	Lambdas
	// Metrics lists what costs are measured by instead of the row's own, with its λ; clusters are spherical
	// exactly where it is angular.
	Metrics []string `toml:"metrics"`
	// Clusters lists K that averages are tried with instead of the row's
	// own. Barycenters, which take ten times as long, keep theirs.
	Clusters []int `toml:"clusters"`
}

// Lambdas lists the λ that something is tried with, in ascending order.
type Lambdas struct {
	Reg []float64 `toml:"reg"`
}

// lambdas checks that there is at least one.
func (c *checker) lambdas(key string, l Lambdas) {
	if key += ".reg"; len(l.Reg) == 0 {
		c.fail(key, "no λ, expected at least one")
	}
	for i, reg := range l.Reg {
		key := fmt.Sprintf("%s[%d]", key, i)
		if c.reg(key, reg); i > 0 && reg <= l.Reg[i-1] {
			c.fail(key, "%v after %v, expected ascending numbers", reg, l.Reg[i-1])
		}
	}
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
	if len(g.Rows) > 0 {
		c.lambdas("geometry", g.Lambdas)
	}
	for i, metric := range g.Metrics {
		c.oneOf(fmt.Sprintf("geometry.metrics[%d]", i), metric, metrics)
	}
	for i, k := range g.Clusters {
		c.k(fmt.Sprintf("geometry.clusters[%d]", i), k)
	}
}
