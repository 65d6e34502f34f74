package method

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"contextmover/internal/setting"
)

// Field is a setting: a field of a method or of a group that methods embed. Its tags are
//
//	toml     its name
//	default  its value where nobody sets it
//	range    "0..1", "0..1)" without the end, "1.." without one, ">0", "0|2.." with a value outside
//	oneof    the list of options that it chooses from, or these: "KL|EL"
//	words    "y" for a number that the vocabulary's number of words bounds
//	grid     "y" if searches can vary it
//	sign     its sign in formulas
//	help     what it is, in a line
type Field struct {
	Name, Sign, Help, Default string
	OneOf                     []string
	Grid                      bool
	// AtMostWords tells that no more are possible than there are words.
	AtMostWords bool
	Type        reflect.Type
	Tag         reflect.StructTag

	index   []int
	numbers setting.Range
	kinds   bool // of vectors: "" and the names of files, too
}

// SettingError is about a setting that a method or a training cannot have.
type SettingError = setting.Error

func wrong(name, problem string) error { return &SettingError{Name: name, Problem: problem} }

// Fields returns the settings of a method, or of a group of them, in order; those of embedded groups as its own.
func Fields(v any) []Field {
	t := reflect.TypeOf(v)
	if known, ok := fields.Load(t); ok {
		return known.([]Field)
	}
	all := slices.Clip(fieldsOf(t, nil))
	fields.Store(t, all)
	return all
}

// fields are the settings of types that were asked for: parsing tags takes longer than all else that a key needs.
var fields sync.Map

func fieldsOf(t reflect.Type, at []int) (all []Field) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clone(at), i)
		switch name, _, _ := strings.Cut(f.Tag.Get("toml"), ","); {
		case name == "-":
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			all = append(all, fieldsOf(f.Type, index)...)
		case name != "":
			all = append(all, newField(f, name, index))
		}
	}
	return all
}

func newField(f reflect.StructField, name string, index []int) Field {
	field := Field{
		Name: name, Sign: f.Tag.Get("sign"), Help: f.Tag.Get("help"), Default: f.Tag.Get("default"), Type: f.Type,
		Grid: f.Tag.Get("grid") == "y", AtMostWords: f.Tag.Get("words") == "y", Tag: f.Tag, index: index,
	}
	if list := f.Tag.Get("oneof"); list != "" {
		field.kinds = list == "kinds"
		if field.OneOf = options[list]; field.OneOf == nil {
			field.OneOf = strings.Split(list, "|")
		}
	}
	if text, ok := f.Tag.Lookup("range"); ok {
		field.numbers = setting.ParseRange(text)
	}
	return field
}

// Check returns the problem with a value of the setting, "" if it can have it: "1.5, expected 0 to 1".
func (f Field) Check(value any) string {
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.String:
		if s := v.String(); f.OneOf != nil && !(f.kinds && (s == "" || IsVectorFile(s))) {
			return setting.OneOf(s, f.OneOf)
		}
	case reflect.Int, reflect.Int64, reflect.Float64:
		return f.numbers.Check(value)
	}
	return ""
}

// Range says what the setting can be, in words.
func (f Field) Range() string {
	switch {
	case f.OneOf != nil:
		return strings.Join(f.OneOf, ", ")
	case f.Type.Kind() == reflect.Bool:
		return "true, false"
	case f.Type.Kind() == reflect.String:
		return "text"
	}
	return f.numbers.String()
}

// Text is the value of the setting in v, as people write it.
func (f Field) Text(v any) string { return fmt.Sprint(f.In(v).Interface()) }

// In returns the setting in v, a method or group that has it, to be read or, if v is a pointer, set.
func (f Field) In(v any) reflect.Value {
	return reflect.Indirect(reflect.ValueOf(v)).FieldByIndex(f.index)
}

// Parse reads a value of the setting as people write it.
func (f Field) Parse(text string) (any, error) {
	switch f.Type.Kind() {
	case reflect.String:
		return text, nil
	case reflect.Bool:
		if b, err := strconv.ParseBool(text); err == nil {
			return b, nil
		}
		return nil, wrong(f.Name, fmt.Sprintf("%q, expected true or false", text))
	case reflect.Int, reflect.Int64:
		if n, err := strconv.Atoi(text); err == nil {
			return n, nil
		}
		return nil, wrong(f.Name, fmt.Sprintf("%q, expected a whole number", text))
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		return x, nil
	}
	return nil, wrong(f.Name, fmt.Sprintf("%q, expected a number", text))
}

// set writes a value to the setting in the struct that v is.
func (f Field) set(v reflect.Value, value any) {
	v.FieldByIndex(f.index).Set(reflect.ValueOf(value).Convert(f.Type))
}

// check returns a *SettingError for the first setting of a method or group that is out of its range.
func check(v any) error {
	for _, f := range Fields(v) {
		if problem := f.Check(f.In(v).Interface()); problem != "" {
			return wrong(f.Name, problem)
		}
	}
	return nil
}

// SetDefaults gives all settings of what v points to, a method or group, their defaults.
func SetDefaults(v any) {
	for _, f := range Fields(v) {
		if f.Default == "" {
			continue
		}
		value, err := f.Parse(f.Default)
		if err != nil {
			panic("method: default of " + err.Error())
		}
		f.set(reflect.ValueOf(v).Elem(), value)
	}
}

// Set returns the method with another value of a setting. It panics if the method has no such setting, or not with
// such values: what comes from users goes through Parse or is checked before.
func Set(m Method, name string, value any) Method {
	for _, f := range Fields(m) {
		if f.Name == name {
			return with(m, f, value)
		}
	}
	panic(fmt.Sprintf("method: %T has no setting %q", m, name))
}

// with returns a method or a struct of settings with another value of a setting that it has.
func with[S any](v S, f Field, value any) S {
	changed := reflect.New(reflect.TypeOf(v)).Elem()
	changed.Set(reflect.ValueOf(v))
	f.set(changed, value)
	return changed.Interface().(S)
}

// Others returns the settings of a method that are in none of the groups that several methods share.
func Others(m Method) (own []Field) {
	shared := map[string]bool{}
	for _, group := range []any{Averaged{}, Histograms{}, Encoder{}} {
		for _, f := range Fields(group) {
			shared[f.Name] = true
		}
	}
	for _, f := range Fields(m) {
		if !shared[f.Name] {
			own = append(own, f)
		}
	}
	return own
}

// Settings are values by the names of settings.
type Settings map[string]any

// On returns the method with those of the settings that it has.
func (s Settings) On(m Method) Method {
	for _, f := range Fields(m) {
		if value, ok := s[f.Name]; ok {
			m = with(m, f, value)
		}
	}
	return m
}

// GroupOf returns the group of settings G that a method has, such as Estimates or Transport, and whether it has it.
func GroupOf[G any](m Method) (group G, ok bool) {
	if v, ok := find(reflect.ValueOf(m), reflect.TypeFor[G]()); ok {
		return v.Interface().(G), true
	}
	return group, false
}

// With returns the method with another group of settings G. It panics if the method has no such group.
func With[G any](m Method, group G) Method {
	changed := reflect.New(reflect.TypeOf(m)).Elem()
	changed.Set(reflect.ValueOf(m))
	v, ok := find(changed, reflect.TypeFor[G]())
	if !ok {
		panic(fmt.Sprintf("method: %T has no settings %T", m, group))
	}
	v.Set(reflect.ValueOf(group))
	return changed.Interface().(Method)
}

// find returns the embedded struct of type t in v, or v itself.
func find(v reflect.Value, t reflect.Type) (reflect.Value, bool) {
	if !v.IsValid() || v.Type() == t {
		return v, v.IsValid()
	}
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Anonymous && f.Type.Kind() == reflect.Struct {
			if found, ok := find(v.Field(i), t); ok {
				return found, true
			}
		}
	}
	return v, false
}
