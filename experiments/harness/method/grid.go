package method

import (
	"maps"
	"slices"

	"contextmover/cmdlib/ground"
)

// Grid has values to try for settings, by their names. A setting without values, or with none, keeps its own, but
// clusters without values of "spherical" are so exactly where the metric is angular.
type Grid map[string][]any

// Vary returns the method with each combination of the values, those of later settings varying faster. Settings that a
// method does not have, or that make no difference with its other settings (see Method), stay as they are, so that no
// combination comes twice.
func (g Grid) Vary(m Method) []Method {
	all := combine(g, m, Varies)
	for i, m := range all {
		if h, ok := GroupOf[Histograms](m); ok && len(g["spherical"]) == 0 {
			h.Spherical = h.Metric == ground.Angular
			all[i] = With(m, h)
		}
	}
	return all
}

// Vary returns settings, a struct with the tags of Field, with each combination of the values of a grid, those of later
// settings varying faster. It is for settings that all count, such as those of a training.
func Vary[S comparable](g Grid, settings S) []S {
	return combine(g, settings, func(S, string) bool { return true })
}

// combine returns v with each combination of the values of the settings that vary, by what those before them are.
func combine[S comparable](g Grid, v S, varies func(v S, name string) bool) []S {
	all := []S{v}
	for _, f := range Fields(v) {
		values := g[f.Name]
		if len(values) == 0 {
			continue
		}
		var varied []S
		for _, v := range all {
			if !varies(v, f.Name) {
				varied = append(varied, v)
				continue
			}
			first := len(varied)
			for _, value := range values {
				if variant := with(v, f, value); !slices.Contains(varied[first:], variant) {
					varied = append(varied, variant)
				}
			}
		}
		all = varied
	}
	return all
}

// Values returns the values for a setting, of its type.
func Values[T any](g Grid, name string) (values []T) {
	for _, v := range g[name] {
		values = append(values, v.(T))
	}
	return values
}

// Without returns the grid without the values for a setting.
func (g Grid) Without(name string) Grid {
	less := maps.Clone(g)
	delete(less, name)
	return less
}

// Coordinates returns a grid for each setting that has values, with these alone, in the order of the settings of the
// method.
func (g Grid) Coordinates(m Method) (one []Grid) {
	for _, f := range Fields(m) {
		if len(g[f.Name]) > 0 {
			one = append(one, Grid{f.Name: g[f.Name]})
		}
	}
	return one
}
