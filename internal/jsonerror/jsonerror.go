// Package jsonerror says in words of JSON what encoding/json says in types of Go.
package jsonerror

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Explain returns an error without types of Go if err is that a value of JSON is of the wrong kind, such as "the field
// \"text\" is a number, expected a string". It returns any other error as it is.
func Explain(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}
	where := "it"
	if wrong.Field != "" {
		where = fmt.Sprintf("the field %q", wrong.Field)
	}
	return fmt.Errorf("%s is %s, expected %s", where, found(wrong.Value), expected(wrong.Type))
}

// found describes a value as the error names it: by its kind, and a number that does not fit by its digits too.
func found(value string) string {
	switch value {
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "bool":
		return "true or false"
	}
	if number, ok := strings.CutPrefix(value, "number "); ok {
		return number
	}
	return "a " + value
}

func expected(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return expected(t.Elem())
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	if t.Kind() >= reflect.Uint { // nothing else is left than whole numbers
		return fmt.Sprintf("a whole number from 0 to 2^%d-1", t.Bits())
	}
	return fmt.Sprintf("a whole number from -2^%d to 2^%d-1", t.Bits()-1, t.Bits()-1)
}
