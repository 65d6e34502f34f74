package profile

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// TOML returns the profile as a file that Load reads: every key with its value,
// overrides included, and no comments, but for sections that the profile is without.
func (p *Profile) TOML() string {
	var b strings.Builder
	encodeTable(&b, "", reflect.ValueOf(*p))
	return strings.TrimPrefix(b.String(), "\n")
}

// encodeTable writes the plain keys of a struct, then its tables.
func encodeTable(b *strings.Builder, key string, v reflect.Value) {
	encodePlain(b, v)
	for _, f := range fieldsOf(v.Type()) {
		value, name := v.FieldByIndex(f.index), join(key, f.name)
		if !isTable(value.Type()) || value.IsZero() { // a section that the profile is without
			continue
		}
		header := func(format string, args ...any) { fmt.Fprintf(b, "\n"+format+"\n", args...) }
		switch x := value.Interface().(type) {
		case []Row:
			for _, row := range x {
				header("[%s.%s]", name, row.ID)
				encodeRow(b, row)
			}
		case Defaults:
			header("[%s]", name)
			encodeDefaults(b, x)
		case Space:
			header("[%s]", name)
			encodeMethod(b, x.Method)
		default:
			if g := asGrid(name, x); g != nil {
				header("[%s]", name)
				encodeGrid(b, g)
				continue
			}
			if value.Kind() == reflect.Struct {
				header("[%s]", name)
				encodeTable(b, name, value)
				continue
			}
			for i := range value.Len() {
				header("[[%s]]", name)
				encodeTable(b, name, value.Index(i))
			}
		}
	}
}

// encodePlain writes the keys of a struct that are no tables.
func encodePlain(b *strings.Builder, v reflect.Value) {
	for _, f := range fieldsOf(v.Type()) {
		if value := v.FieldByIndex(f.index); !isTable(value.Type()) {
			fmt.Fprintf(b, "%s = %s\n", f.name, encodeValue(value))
		}
	}
}

func isTable(t reflect.Type) bool {
	return t.Kind() == reflect.Struct || t.Kind() == reflect.Map || t.Kind() == reflect.Slice &&
		t.Elem().Kind() == reflect.Struct
}

func encodeValue(v reflect.Value) string {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.String:
		return quote(v.String())
	case reflect.Float64:
		if x := v.Float(); x == math.Trunc(x) && math.Abs(x) < 1e15 {
			return strconv.FormatFloat(x, 'f', 1, 64)
		}
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.Slice:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = encodeValue(v.Index(i))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return fmt.Sprint(v.Interface())
}

// quote writes a basic string of TOML.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}
