package profile

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"contextmover/cmdlib/method"
)

// GridOf has values to try for settings that are no method's: for those with a tag grid (see method.Field).
type GridOf[S comparable] method.Grid

// Vary returns settings with each combination of the values, those of later settings varying faster.
func (g GridOf[S]) Vary(own S) []S { return method.Vary(method.Grid(g), own) }

// A gridOf is a GridOf any settings.
type gridOf interface {
	values() method.Grid
	fields() []method.Field
}

func (g GridOf[S]) values() method.Grid { return method.Grid(g) }

func (g GridOf[S]) fields() []method.Field {
	var settings S
	return slices.DeleteFunc(method.Fields(settings), func(f method.Field) bool { return !f.Grid })
}

// A methodGrid is a grid of settings of methods with the given key.
type methodGrid struct {
	key  string
	grid method.Grid
}

func (g methodGrid) values() method.Grid { return g.grid }

// fields are settings of methods with histograms, or of the others.
func (g methodGrid) fields() (fields []method.Field) {
	histograms := !strings.HasSuffix(g.key, ".vectors")
	seen := map[string]bool{}
	for _, k := range method.Kinds() {
		if k.New().Needs().Histograms != histograms {
			continue
		}
		for _, f := range method.Fields(k.New()) {
			if f.Grid && !seen[f.Name] {
				seen[f.Name] = true
				fields = append(fields, f)
			}
		}
	}
	return fields
}

// asGrid returns the grid that a field of a profile is, nil for another.
func asGrid(key string, field any) gridOf {
	switch g := field.(type) {
	case gridOf:
		return g
	case method.Grid:
		return methodGrid{key, g}
	}
	return nil
}

// grid decodes a grid. The list of a setting that only others have must be empty.
func (d *decoder) grid(key string, v reflect.Value, of gridOf, value any) error {
	table, err := d.asTable(key, value)
	if err != nil {
		return err
	}
	known, all := map[string]method.Field{}, map[string]method.Field{}
	if _, ok := of.(methodGrid); ok {
		for _, f := range method.AllFields() {
			all[f.Name] = f
		}
	}
	for _, f := range of.fields() {
		known[f.Name], all[f.Name] = f, f
	}
	grid := method.Grid{}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		f, exists := all[name]
		child := join(key, name)
		if !exists || !f.Grid {
			return d.errorf(child, "unknown key; nearest known key: %s",
				join(key, nearest(name, slices.Sorted(maps.Keys(known)))))
		}
		list := reflect.New(reflect.SliceOf(f.Type)).Elem()
		if err := d.value(child, list, table[name], v); err != nil {
			return err
		}
		if _, ok := known[name]; !ok && list.Len() > 0 {
			names := slices.Sorted(maps.Keys(known))
			return d.errorf(child, "no such setting of the methods that this grid is for, expected the keys %s",
				strings.Join(names, ", "))
		}
		for i := range list.Len() {
			grid[name] = append(grid[name], list.Index(i).Interface())
		}
	}
	v.Set(reflect.ValueOf(grid).Convert(v.Type()))
	return nil
}

func encodeGrid(b *strings.Builder, g gridOf) {
	for _, f := range g.fields() {
		fmt.Fprintf(b, "%s = %s\n", f.Name, encodeValue(reflect.ValueOf(g.values()[f.Name])))
	}
}

// grid checks the values of a grid for methods.
func (c *checker) grid(key string, g method.Grid) { c.values(key, methodGrid{key, g}) }

// only checks that a grid has values for no other settings.
func (c *checker) only(key string, g method.Grid, names ...string) {
	for name := range g {
		if !slices.Contains(names, name) {
			c.fail(key+"."+name, "values, expected such of %s alone", strings.Join(names, ", "))
		}
	}
}

// values checks the values of a grid.
func (c *checker) values(key string, g gridOf) {
	for _, f := range g.fields() {
		each(join(key, f.Name), g.values()[f.Name], func(k string, v any) {
			if problem := f.Check(v); problem != "" {
				c.fail(k, "%s", problem)
			}
			if f.AtMostWords {
				c.atMostWords(k, v.(int))
			}
		})
	}
}
