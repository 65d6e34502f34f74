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
	each := func(f func(name string, field reflect.Value)) {
		for i := range v.NumField() {
			if name := v.Type().Field(i).Tag.Get("toml"); name != "-" {
				f(name, v.Field(i))
			}
		}
	}
	each(func(name string, field reflect.Value) {
		if !isTable(field.Type()) {
			fmt.Fprintf(b, "%s = %s\n", name, encodeValue(field))
		}
	})
	each(func(name string, field reflect.Value) {
		switch name = join(key, name); {
		case !isTable(field.Type()):
		case field.IsZero(): // a section that the profile is without
		case field.Kind() == reflect.Struct:
			fmt.Fprintf(b, "\n[%s]\n", name)
			encodeTable(b, name, field)
		default:
			for i := range field.Len() {
				entry := field.Index(i)
				if row, ok := entry.Interface().(Row); ok {
					fmt.Fprintf(b, "\n[%s.%s]\n", name, row.ID)
				} else {
					fmt.Fprintf(b, "\n[[%s]]\n", name)
				}
				encodeTable(b, name, entry)
			}
		}
	})
}

func isTable(t reflect.Type) bool {
	return t.Kind() == reflect.Struct || t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct
}

func encodeValue(v reflect.Value) string {
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
