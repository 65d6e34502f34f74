package profile

import (
	"slices"
	"strings"
)

// Figures describes the figures of words' estimates and of transport plans.
type Figures struct {
	// Row is the id of the row of sentence similarity whose contexts, estimates and cost
	// the figures show.
	Row        string  `toml:"row" row:"histograms"`
	Perplexity float64 `toml:"perplexity" range:">1"`
	Iterations int     `toml:"iterations" range:"1.."`
	Bandwidth  float64 `toml:"bandwidth" range:">0"`
	Labels     int     `toml:"labels" range:"0.."`
	// BarycenterMetric and BarycenterReg are those of Combinations.
	BarycenterMetric string  `toml:"barycenter_metric" oneof:"metrics"`
	BarycenterReg    float64 `toml:"barycenter_reg" range:"1e-9..1e9"`

	// PlanMetric, which may be Entailment, and PlanReg are those of Plans, FlowMetric and
	// FlowReg those of Flows.
	PlanMetric string  `toml:"plan_metric" oneof:"entailment|euclidean|squared euclidean|angular"`
	PlanReg    float64 `toml:"plan_reg" range:"1e-9..1e9"`
	FlowMetric string  `toml:"flow_metric" oneof:"metrics"`
	FlowReg    float64 `toml:"flow_reg" range:"1e-9..1e9"`

	Densities    []DensityFigure `toml:"densities"`
	Combinations []DensityFigure `toml:"combinations"`
	Plans        []PlanFigure    `toml:"plans"`
	Flows        []FlowFigure    `toml:"flows"`
}

// DensityFigure shows words over a map of the contexts.
type DensityFigure struct {
	ID      string   `toml:"id" unique:"figures" form:"stem"`
	Words   []string `toml:"words" need:"no words"`
	Colours []string `toml:"colours" form:"colour"`
}

// PlanFigure shows the transport plan between a few contexts of two words.
type PlanFigure struct {
	ID       string `toml:"id" unique:"figures" form:"stem"`
	From     string `toml:"from" need:"no word"`
	To       string `toml:"to" need:"no word"`
	Contexts int    `toml:"contexts" range:"1.."`
	Top      int    `toml:"top"`
}

// FlowFigure shows the whole transport plan between two words.
type FlowFigure struct {
	ID       string `toml:"id" unique:"figures" form:"stem"`
	From     string `toml:"from" need:"no word"`
	To       string `toml:"to" need:"no word"`
	Contexts int    `toml:"contexts" range:"1.."`
}

// Row returns the row of sentence similarity with the given id.
func (p *Profile) Row(id string) (Row, bool) {
	i := slices.IndexFunc(p.STS.Rows, func(r Row) bool { return r.ID == id })
	if i < 0 {
		return Row{}, false
	}
	return p.STS.Rows[i], true
}

// rowOf checks that a row exists, uses histograms, and has all settings.
func (c *checker) rowOf(key, id string, histograms bool) {
	var known []string
	for _, r := range c.p.STS.Rows {
		if r.Select || histograms && !r.HasHistograms() {
			continue
		}
		if r.ID == id {
			return
		}
		known = append(known, r.ID)
	}
	c.fail(key,
		"%q, expected the id of a row of sentence similarity whose settings are given; nearest: %s; expected one of %s",
		id, nearest(id, known), strings.Join(known, ", "))
}
