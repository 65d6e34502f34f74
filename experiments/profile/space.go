package profile

import (
	"reflect"
	"slices"

	"contextmover/cmdlib/method"
)

// Space describes the space that words and sentences are looked up in: by a method that compares histograms.
type Space struct {
	Method method.Method
}

// Row returns the method as that of a row of sentence similarity.
func (s Space) Row() Row { return Row{ID: "space", Label: "space", Method: s.Method} }

func (d *decoder) space(key string, v reflect.Value, value any) error {
	table, err := d.asTable(key, value)
	if err != nil {
		return err
	}
	id, err := d.methodID(key, table, method.KindOf(method.Average{}).ID)
	if err != nil {
		return err
	}
	m, err := d.method(key, id, nil, table, map[string]bool{"method": true})
	v.Set(reflect.ValueOf(Space{m}))
	return err
}

func (c *checker) space(s Space) {
	if s.Method == nil {
		c.fail("space", "no such table, which says what words and sentences are looked up in")
		return
	}
	c.method(s.Method, func(name string, f func(key string)) { f("space." + name) })
	needs := s.Method.Needs()
	if !needs.Histograms {
		c.fail("space.method", "%q, expected one that compares histograms", s.Row().Kind())
	}
	if slices.ContainsFunc(needs.Marginals, func(m method.Marginal) bool { return m != method.OfCorpus }) {
		c.fail("space.weights", "%q, expected weights by the corpus's own counts, which a space keeps: %q, %q or %q",
			s.Row().Weighting().Weights, Uniform, Inverse, SIFCorpus)
	}
}
