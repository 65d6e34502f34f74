package profile

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Figures describes the figures of words' estimates and of transport plans.
type Figures struct {
	// Row is the id of the row of sentence similarity whose contexts, estimates and cost
	// the figures show.
	Row        string  `toml:"row"`
	Perplexity float64 `toml:"perplexity"`
	Iterations int     `toml:"iterations"`
	Bandwidth  float64 `toml:"bandwidth"`
	Labels     int     `toml:"labels"`
	// BarycenterMetric and BarycenterReg are those of Combinations.
	BarycenterMetric string  `toml:"barycenter_metric"`
	BarycenterReg    float64 `toml:"barycenter_reg"`

	// PlanMetric, which may be Entailment, and PlanReg are those of Plans, FlowMetric and
	// FlowReg those of Flows.
	PlanMetric string  `toml:"plan_metric"`
	PlanReg    float64 `toml:"plan_reg"`
	FlowMetric string  `toml:"flow_metric"`
	FlowReg    float64 `toml:"flow_reg"`

	Densities    []DensityFigure `toml:"densities"`
	Combinations []DensityFigure `toml:"combinations"`
	Plans        []PlanFigure    `toml:"plans"`
	Flows        []FlowFigure    `toml:"flows"`
}

// DensityFigure shows words over a map of the contexts.
type DensityFigure struct {
	ID      string   `toml:"id"`
	Words   []string `toml:"words"`
	Colours []string `toml:"colours"`
}

// PlanFigure shows the transport plan between a few contexts of two words.
type PlanFigure struct {
	ID       string `toml:"id"`
	From     string `toml:"from"`
	To       string `toml:"to"`
	Contexts int    `toml:"contexts"`
	Top      int    `toml:"top"`
}

// FlowFigure shows the whole transport plan between two words.
type FlowFigure struct {
	ID       string `toml:"id"`
	From     string `toml:"from"`
	To       string `toml:"to"`
	Contexts int    `toml:"contexts"`
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
func (c *checker) rowOf(key, id string, rows []Row, histograms bool) {
	var known []string
	for _, r := range rows {
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

func (c *checker) figures(f Figures, rows []Row) {
	if reflect.ValueOf(f).IsZero() {
		return // a profile without figures
	}
	c.rowOf("figures.row", f.Row, rows, true)
	if !(f.Perplexity > 1) {
		c.fail("figures.perplexity", "%v, expected a number above 1", f.Perplexity)
	}
	c.atLeast("figures.iterations", f.Iterations, 1)
	c.positive("figures.bandwidth", f.Bandwidth)
	c.atLeast("figures.labels", f.Labels, 0)
	c.oneOf("figures.barycenter_metric", f.BarycenterMetric, metrics)
	c.reg("figures.barycenter_reg", f.BarycenterReg)
	c.oneOf("figures.plan_metric", f.PlanMetric, append([]string{Entailment}, metrics...))
	c.reg("figures.plan_reg", f.PlanReg)
	c.oneOf("figures.flow_metric", f.FlowMetric, metrics)
	c.reg("figures.flow_reg", f.FlowReg)
	var ids []string
	for _, section := range []struct {
		name    string
		figures []DensityFigure
	}{{"densities", f.Densities}, {"combinations", f.Combinations}} {
		for i, d := range section.figures {
			key := fmt.Sprintf("figures.%s[%d]", section.name, i)
			c.name(key+".id", d.ID, &ids)
			c.stem(key+".id", d.ID)
			if len(d.Words) == 0 {
				c.fail(key+".words", "no words")
			}
			for k, colour := range d.Colours {
				if len(colour) != 7 || colour[0] != '#' || strings.Trim(colour[1:], "0123456789abcdefABCDEF") != "" {
					c.fail(fmt.Sprintf("%s.colours[%d]", key, k), "%q, expected a colour such as #1f77b4", colour)
				}
			}
		}
	}
	for i, p := range f.Plans {
		key := fmt.Sprintf("figures.plans[%d]", i)
		c.name(key+".id", p.ID, &ids)
		c.stem(key+".id", p.ID)
		c.fromTo(key, p.From, p.To)
		c.atLeast(key+".contexts", p.Contexts, 1)
		c.atLeast(key+".top", p.Top, p.Contexts)
	}
	for i, p := range f.Flows {
		key := fmt.Sprintf("figures.flows[%d]", i)
		c.name(key+".id", p.ID, &ids)
		c.stem(key+".id", p.ID)
		c.fromTo(key, p.From, p.To)
		c.atLeast(key+".contexts", p.Contexts, 1)
	}
}

func (c *checker) fromTo(key, from, to string) {
	if from == "" {
		c.fail(key+".from", "no word")
	}
	if to == "" {
		c.fail(key+".to", "no word")
	}
}
