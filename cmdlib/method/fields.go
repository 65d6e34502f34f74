package method

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Field is a setting: a field of a method or of a group that methods embed. Its tags are
//
//	toml     its name
//	default  its value where nobody sets it
//	range    "0..1", "0..1)" without the end, "1.." without one, ">0", "0|2.." with a value outside
//	oneof    the list of options that it chooses from
//	words    "y" for a number that the vocabulary's number of words bounds
//	grid     "y" if searches can vary it
//	follow   "metric=angular" if a search without values for it makes it true exactly where that is so
//	sign     its sign in formulas
//	help     what it is, in a line
type Field struct {
	Name, Sign, Help, Default string
	OneOf                     []string
	Grid                      bool
	// AtMostWords tells that no more are possible than there are words.
	AtMostWords bool
	Type        reflect.Type

	index               []int
	low, high           float64
	aboveLow, belowHigh bool
	orZero              bool
	kinds               bool // of vectors: "" and the names of files, too
	follow              string
}

// SettingError is about a setting that a method cannot have.
type SettingError struct {
	Name    string // of the setting
	Problem string // "1.5, expected 0 to 1"
}

func (e *SettingError) Error() string { return "setting " + e.Name + ": " + e.Problem }

// Fields returns the settings of a method, or of a group of them, in order; those of embedded groups as its own.
func Fields(v any) []Field { return fieldsOf(reflect.TypeOf(v), nil) }

func fieldsOf(t reflect.Type, at []int) (all []Field) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clone(at), i)
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			all = append(all, fieldsOf(f.Type, index)...)
			continue
		}
		if name := f.Tag.Get("toml"); name != "" && name != "-" {
			all = append(all, newField(f, name, index))
		}
	}
	return all
}

func newField(f reflect.StructField, name string, index []int) Field {
	field := Field{
		Name: name, Sign: f.Tag.Get("sign"), Help: f.Tag.Get("help"), Default: f.Tag.Get("default"), Type: f.Type,
		Grid: f.Tag.Get("grid") == "y", AtMostWords: f.Tag.Get("words") == "y", index: index,
		low: math.Inf(-1), high: math.Inf(1), follow: f.Tag.Get("follow"),
	}
	if list := f.Tag.Get("oneof"); list != "" {
		field.kinds = list == "kinds"
		if field.OneOf = options[list]; field.OneOf == nil {
			panic("method: there are no options " + list)
		}
	}
	if text, ok := f.Tag.Lookup("range"); ok {
		field.parseRange(text)
	}
	return field
}

func (f *Field) parseRange(text string) {
	number := func(s string) float64 {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			panic("method: range of " + f.Name + ": " + err.Error())
		}
		return x
	}
	if low, ok := strings.CutPrefix(text, ">"); ok {
		f.low, f.aboveLow = number(low), true
		return
	}
	text, f.orZero = strings.CutPrefix(text, "0|")
	low, high, _ := strings.Cut(text, "..")
	f.low = number(low)
	if high, f.belowHigh = strings.CutSuffix(high, ")"); high != "" {
		f.high = number(high)
	}
}

// Check returns the problem with a value of the setting, "" if it can have it: "1.5, expected 0 to 1".
func (f Field) Check(value any) string {
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.String:
		s := v.String()
		if f.OneOf != nil && !slices.Contains(f.OneOf, s) && !(f.kinds && (s == "" || IsVectorFile(s))) {
			return fmt.Sprintf("%q, expected one of %s", s, `"`+strings.Join(f.OneOf, `", "`)+`"`)
		}
	case reflect.Int, reflect.Int64:
		return f.checkNumber(value, float64(v.Int()))
	case reflect.Float64:
		return f.checkNumber(value, v.Float())
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
	return f.want()
}

// Text is the value of the setting in v, as people write it.
func (f Field) Text(v any) string { return fmt.Sprint(f.In(v).Interface()) }

// want says what numbers the setting can be.
func (f Field) want() string {
	var want string
	switch {
	case f.aboveLow:
		want = fmt.Sprintf("a number above %v", f.low)
	case f.belowHigh:
		want = fmt.Sprintf("%v or more and below %v", f.low, f.high)
	case math.IsInf(f.low, -1):
		want = "a finite number"
	case math.IsInf(f.high, 1):
		want = fmt.Sprintf("%v or more", f.low)
	default:
		want = fmt.Sprintf("%v to %v", f.low, f.high)
	}
	if f.orZero {
		want = "0, or " + want
	}
	return want
}

func (f Field) checkNumber(value any, x float64) string {
	if f.orZero && x == 0 {
		return ""
	}
	out := x < f.low || x > f.high || f.aboveLow && x == f.low || f.belowHigh && x == f.high
	if !out && !math.IsNaN(x) && !math.IsInf(x, 0) {
		return ""
	}
	return fmt.Sprintf("%v, expected %s", value, f.want())
}

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
		return nil, &SettingError{f.Name, fmt.Sprintf("%q, expected true or false", text)}
	case reflect.Int, reflect.Int64:
		if n, err := strconv.Atoi(text); err == nil {
			return n, nil
		}
		return nil, &SettingError{f.Name, fmt.Sprintf("%q, expected a whole number", text)}
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		return x, nil
	}
	return nil, &SettingError{f.Name, fmt.Sprintf("%q, expected a number", text)}
}

// set writes a value to the setting in the struct that v is.
func (f Field) set(v reflect.Value, value any) {
	v.FieldByIndex(f.index).Set(reflect.ValueOf(value).Convert(f.Type))
}

// check returns a *SettingError for the first setting of a method or group that is out of its range.
func check(v any) error {
	for _, f := range Fields(v) {
		if problem := f.Check(f.In(v).Interface()); problem != "" {
			return &SettingError{f.Name, problem}
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

// Get returns a setting of a method by its name, and whether it has such.
func Get(m Method, name string) (any, bool) {
	for _, f := range Fields(m) {
		if f.Name == name {
			return f.In(m).Interface(), true
		}
	}
	return nil, false
}

// Set returns the method with another value of a setting. It panics if the method has no such setting, or not with
// such values: what comes from users goes through Parse or is checked before.
func Set(m Method, name string, value any) Method {
	changed, ok := set(m, name, value)
	if !ok {
		panic(fmt.Sprintf("method: %T has no setting %q", m, name))
	}
	return changed
}

// set returns the method with another value of a setting, and whether it has such.
func set(m Method, name string, value any) (Method, bool) {
	for _, f := range Fields(m) {
		if f.Name == name {
			changed := reflect.New(reflect.TypeOf(m)).Elem()
			changed.Set(reflect.ValueOf(m))
			f.set(changed, value)
			return changed.Interface().(Method), true
		}
	}
	return m, false
}

// Others returns the settings of a method that are in none of the groups that several methods share.
func Others(m Method) (own []Field) {
	shared := map[string]bool{}
	for _, group := range []any{Averaged{}, Histograms{}, Features{}, Encoder{}} {
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
			m = Set(m, f.Name, value)
		}
	}
	return m
}

// Of returns the group of settings G that a method has, such as Estimates or Transport, and whether it has it.
func Of[G any](m Method) (group G, ok bool) {
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
