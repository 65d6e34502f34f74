package profile

import (
	"slices"
	"strings"

	"contextmover/experiments/harness/method"
)

// grid is a grid of a profile, with the settings that it can have values for.
type grid struct {
	key    string
	values method.Grid
	fields []method.Field
}

// grids returns all grids.
func (p *Profile) grids() []grid {
	transport, vectors := gridFields(true), gridFields(false)
	h := &p.Hypernymy
	return []grid{
		{"sts.select.transport", p.STS.Select.Transport, transport},
		{"sts.select.vectors", p.STS.Select.Vectors, vectors},
		{"sts.tune.transport", p.STS.Tune.Transport, transport},
		{"sts.tune.vectors", p.STS.Tune.Vectors, vectors},
		{"wordsim.select", p.WordSim.Select, transport},
		{"hypernymy.select", h.Select, transport},
		{"hypernymy.dive.select", h.DIVE.Select, varied(DIVE{})},
		{"hypernymy.gaussian.select", h.Gaussian.Select, varied(h.Gaussian.Params)},
		{"hypernymy.poincare.select", h.Poincare.Select, varied(Poincare{})},
		{"geometry.vary", p.Geometry.Vary, transport},
		{"alignment.select", p.Alignment.Select, varied(AlignmentSetting{})},
	}
}

// varied returns the settings of a struct that grids can vary.
func varied(settings any) []method.Field {
	return slices.DeleteFunc(slices.Clone(method.Fields(settings)), func(f method.Field) bool { return !f.Grid })
}

// gridFields returns the settings that grids can vary, of methods with histograms or of the others.
func gridFields(histograms bool) (fields []method.Field) {
	for _, k := range method.Kinds() {
		if k.Method.Needs().Histograms != histograms {
			continue
		}
		for _, f := range varied(k.Method) {
			if !slices.ContainsFunc(fields, func(g method.Field) bool { return g.Name == f.Name }) {
				fields = append(fields, f)
			}
		}
	}
	return fields
}

// only checks that a grid has values for no other settings.
func (c *checker) only(key string, g method.Grid, names ...string) {
	for name := range g {
		if !slices.Contains(names, name) {
			c.fail(key+"."+name, "values, expected such of %s alone", strings.Join(names, ", "))
		}
	}
}
