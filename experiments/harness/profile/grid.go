package profile

import (
	"slices"
	"strings"

	"contextmover/experiments/harness/method"
)

// GridOf has values to try for settings that are no method's: for those with a tag grid (see method.Field).
type GridOf[S comparable] method.Grid

// Vary returns settings with each combination of the values, those of later settings varying faster.
func (g GridOf[S]) Vary(own S) []S { return method.Vary(method.Grid(g), own) }

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
		{"hypernymy.dive.select", method.Grid(h.DIVE.Select), varied(DIVE{})},
		{"hypernymy.gaussian.select", method.Grid(h.Gaussian.Select), varied(h.Gaussian.Params)},
		{"hypernymy.poincare.select", method.Grid(h.Poincare.Select), varied(Poincare{})},
		{"geometry.vary", p.Geometry.Vary, transport},
		{"alignment.select", method.Grid(p.Alignment.Select), varied(AlignmentSetting{})},
	}
}

// varied returns the settings of a struct that grids can vary.
func varied(settings any) []method.Field {
	return slices.DeleteFunc(slices.Clone(method.Fields(settings)), func(f method.Field) bool { return !f.Grid })
}

// gridFields returns the settings that grids can vary, of methods with histograms or of the others.
func gridFields(histograms bool) (fields []method.Field) {
	for _, k := range method.Kinds() {
		if k.New().Needs().Histograms != histograms {
			continue
		}
		for _, f := range varied(k.New()) {
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
