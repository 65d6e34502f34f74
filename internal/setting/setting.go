// Package setting checks settings, fields of structs, by the ranges that their tags tell.
package setting

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Error is about a setting that something cannot have.
type Error struct {
	Owner   string // what has the setting: "glove"; empty for a method
	Name    string // of the setting
	Problem string // "1.5, expected 0 to 1"
}

func (e *Error) Error() string {
	if e.Owner == "" {
		return "setting " + e.Name + ": " + e.Problem
	}
	return e.Owner + ": " + e.Name + " " + e.Problem
}

// Range is what numbers a setting can be: all that are finite, by its zero value.
type Range struct {
	low, high           *float64
	aboveLow, belowHigh bool // without this end
	orZero              bool
}

// ParseRange reads a range as tags have it: "0..1", "0..1)" without the end, "1.." without one, ">0", "0|2.." with a
// value outside. It panics on another text, a mistake in a program.
func ParseRange(text string) (r Range) {
	end := func(s string) *float64 {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			panic("setting: range: " + err.Error())
		}
		return &x
	}
	if low, ok := strings.CutPrefix(text, ">"); ok {
		r.low, r.aboveLow = end(low), true
		return r
	}
	text, r.orZero = strings.CutPrefix(text, "0|")
	low, high, _ := strings.Cut(text, "..")
	r.low = end(low)
	if high, r.belowHigh = strings.CutSuffix(high, ")"); high != "" {
		r.high = end(high)
	}
	return r
}

// String says what numbers the setting can be, as in "0 or more and below 1".
func (r Range) String() string {
	number := func(x *float64) string {
		if *x == math.Trunc(*x) && math.Abs(*x) < 1e9 {
			return strconv.Itoa(int(*x))
		}
		return fmt.Sprint(*x)
	}
	var want string
	switch {
	case r.low == nil:
		want = "a finite number"
	case r.aboveLow:
		want = "a number above " + number(r.low)
	case r.belowHigh:
		want = number(r.low) + " or more and below " + number(r.high)
	case r.high == nil:
		want = number(r.low) + " or more"
	default:
		want = number(r.low) + " to " + number(r.high)
	}
	if r.orZero {
		want = "0, or " + want
	}
	return want
}

// Check returns the problem with a number, an int, int64 or float64, "" if it is in the range: "1.5, expected 0 to 1".
func (r Range) Check(value any) string {
	v := reflect.ValueOf(value)
	x := 0.0
	if v.CanInt() {
		x = float64(v.Int())
	} else {
		x = v.Float()
	}
	out := r.low != nil && (x < *r.low || r.aboveLow && x == *r.low) || r.high != nil &&
		(x > *r.high || r.belowHigh && x == *r.high)
	if r.orZero && x == 0 || !out && !math.IsNaN(x) && !math.IsInf(x, 0) {
		return ""
	}
	return fmt.Sprintf("%v, expected %s", value, r)
}

// OneOf returns the problem with a name that is none of those known, "" if it is one.
func OneOf(name string, known []string) string {
	if slices.Contains(known, name) {
		return ""
	}
	return fmt.Sprintf(`%q, expected one of "%s"`, name, strings.Join(known, `", "`))
}

// Check returns an *Error for the first field of params, a struct, that is out of its range. The tag toml is the
// setting's name, range its range, and oneof the names that it chooses from: "KL|EL".
func Check(of string, params any) error {
	v := reflect.ValueOf(params)
	for i := range v.NumField() {
		tag, problem := v.Type().Field(i).Tag, ""
		if text, ok := tag.Lookup("range"); ok {
			problem = ParseRange(text).Check(v.Field(i).Interface())
		} else if list, ok := tag.Lookup("oneof"); ok {
			problem = OneOf(v.Field(i).String(), strings.Split(list, "|"))
		}
		if problem != "" {
			return &Error{of, tag.Get("toml"), problem}
		}
	}
	return nil
}
