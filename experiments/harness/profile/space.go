package profile

import (
	"reflect"

	"contextmover/cmdlib"
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
	if _, err := cmdlib.SettingsOf(s.Method); err != nil {
		c.fail("space.method", "%v", err)
	}
}
