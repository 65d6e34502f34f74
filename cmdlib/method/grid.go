package method

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Grid has values to try for settings, by their names. A setting without values, or with none, keeps its own, but for
// one that follows another (see Field).
type Grid map[string][]any

// Of returns the method with each combination of the values, those of later settings varying faster. What a method does
// not have, or does not vary with its other settings (see Method), stays as it is, so that no combination comes twice.
func (g Grid) Of(m Method) []Method {
	all := []Method{m}
	for _, f := range Fields(m) {
		values := g[f.Name]
		if len(values) == 0 {
			continue
		}
		var varied []Method
		for _, m := range all {
			if !m.Varies(f.Name) {
				varied = append(varied, m)
				continue
			}
			first := len(varied)
			for _, v := range values {
				if variant := Set(m, f.Name, v); !slices.Contains(varied[first:], variant) {
					varied = append(varied, variant)
				}
			}
		}
		all = varied
	}
	for i := range all {
		all[i] = g.follow(all[i])
	}
	return all
}

// follow sets what follows other settings and has no values of its own.
func (g Grid) follow(m Method) Method {
	for _, f := range Fields(m) {
		if name, value, ok := strings.Cut(f.follow, "="); ok && len(g[f.Name]) == 0 {
			other, _ := Get(m, name)
			m = Set(m, f.Name, reflect.ValueOf(other).String() == value)
		}
	}
	return m
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
