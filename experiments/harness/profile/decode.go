package profile

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"contextmover/cmdlib/method"
	"contextmover/internal/levenshtein"
)

// Error says what is wrong with a profile.
type Error struct {
	File     string // the profile's file, empty if there is none
	Line     int    // from 1, 0 if unknown
	Override string // the override at fault, empty if the file is
	Key      string // the key at fault, with the tables it is in, or empty
	Problem  string
}

func (e *Error) Error() string {
	where := ""
	switch {
	case e.Override != "":
		where = "--set " + e.Override + ": "
	case e.Line > 0:
		where = fmt.Sprintf("%s:%d: ", e.File, e.Line)
	case e.File != "":
		where = e.File + ": "
	}
	if e.Key != "" {
		where += e.Key + ": "
	}
	return "profile: " + where + e.Problem
}

// override is a value in the tree that an override has put there.
type override struct {
	text  string // the whole override
	value string
}

// decoder turns the tree of a TOML file, and of those it extends, into a Profile.
type decoder struct {
	file   string
	places map[string]place
	rows   []string            // ids, in the files' order
	from   map[string]override // the overrides, by key
}

func parse(file, text string, overrides []string) (*Profile, error) {
	d := &decoder{file: file, places: make(map[string]place), from: make(map[string]override)}
	tree, err := d.read(file, text)
	if err != nil {
		return nil, err
	}
	for _, o := range overrides {
		if err := d.override(tree, o); err != nil {
			return nil, err
		}
	}
	p := new(Profile)
	if err := d.table("", reflect.ValueOf(p).Elem(), tree); err != nil {
		return nil, err
	}
	p.read = d
	return p, d.check(p, math.MaxInt).err
}

// read returns the tree of a file, laid over that of the embedded profile that it
// extends, if it does: tables are merged, other values replaced, lists as a whole; what
// "without" lists is left out of the other first.
func (d *decoder) read(file, text string) (map[string]any, error) {
	tree := make(map[string]any)
	if err := toml.Unmarshal([]byte(text), &tree); err != nil {
		e := &Error{File: file, Problem: strings.TrimPrefix(err.Error(), "toml: ")}
		var syntax *toml.DecodeError
		if errors.As(err, &syntax) {
			e.Line, _ = syntax.Position()
		}
		return nil, e
	}
	if key := tooDeep(tree, mostParts); key != "" {
		return nil, &Error{File: file, Key: shortened(key), Problem: deepKey}
	}
	own := locate(text)
	if _, ok := tree["without"]; ok && tree["extends"] == nil {
		return nil, &Error{
			File: file, Line: own.told["without"], Key: "without",
			Problem: "only a profile that extends another can leave out something of it",
		}
	}
	if value, ok := tree["extends"]; ok {
		delete(tree, "extends")
		name, _ := value.(string)
		if !slices.Contains(Names(), name) || name+".toml" == file {
			return nil, &Error{File: file, Line: own.told["extends"], Key: "extends",
				Problem: fmt.Sprintf("%s, expected the name of a profile that comes with the program: %s",
					describe(value), strings.Join(Names(), ", "))}
		}
		base, err := d.read(name+".toml", embeddedText(name))
		if err != nil {
			return nil, err
		}
		if err := d.leaveOut(base, tree, file, own); err != nil {
			return nil, err
		}
		d.merge("", base, tree)
		tree = base
	}
	d.lay(file, own)
	for _, id := range own.rows {
		if !slices.Contains(d.rows, id) {
			d.rows = append(d.rows, id)
		}
	}
	return tree, nil
}

// mostParts is how many parts a dotted key may have, far more than any setting's: what is known of a key is kept for
// each of its beginnings, whose lengths add up to the square of its own.
const mostParts = 16

var deepKey = fmt.Sprintf("a key of more than %d parts, which no setting has", mostParts)

// tooDeep returns a key below value that has more than most parts, or "".
func tooDeep(value any, most int) string {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if most == 0 {
				return name
			}
			if below := tooDeep(v[name], most-1); below != "" {
				return join(name, below)
			}
		}
	case []any:
		for _, entry := range v {
			if below := tooDeep(entry, most); below != "" {
				return below
			}
		}
	}
	return ""
}

// shortened is the beginning of a key that may be long.
func shortened(key string) string {
	if len(key) > 60 {
		return strings.ToValidUTF8(key[:60], "") + "…"
	}
	return key
}

// leaveOut takes the keys that over has in the list "without" out of the tree base.
func (d *decoder) leaveOut(base, over map[string]any, file string, own *places) error {
	value, ok := over["without"]
	delete(over, "without")
	list, isList := value.([]any)
	if ok && !isList {
		return &Error{
			File: file, Line: own.told["without"], Key: "without",
			Problem: describe(value) + ", expected a list of keys, as [\"scaling\", \"sts.rows\"]",
		}
	}
	for _, entry := range list {
		key, _ := entry.(string)
		table, parts := base, strings.Split(key, ".")
		for _, part := range parts[:len(parts)-1] {
			table, _ = table[part].(map[string]any)
		}
		last := parts[len(parts)-1]
		if _, ok := table[last]; !ok {
			problem := describe(entry) +
				", expected a key of the profile that is extended, as \"scaling\" or \"sts.rows\""
			if len(table) > 0 {
				problem += "; nearest: " + strings.Join(append(slices.Clone(parts[:len(parts)-1]),
					nearest(last, slices.Sorted(maps.Keys(table)))), ".")
			}
			return &Error{File: file, Line: own.told["without"], Key: "without", Problem: problem}
		}
		delete(table, last)
		d.forget(key)
	}
	return nil
}

// merge lays the table over onto the table base, which has the given key.
func (d *decoder) merge(key string, base, over map[string]any) {
	for name, value := range over {
		child := join(key, name)
		below, ok := base[name].(map[string]any)
		above, same := value.(map[string]any)
		if ok && same {
			d.merge(child, below, above)
			continue
		}
		base[name] = value
		d.forget(child)
	}
}

func (d *decoder) errorf(key, format string, args ...any) error {
	e := &Error{File: d.file, Key: key, Problem: fmt.Sprintf(format, args...)}
	if d.places[key].line == 0 { // perhaps a table that an override has made on its way
		for k, o := range d.from {
			if strings.HasPrefix(k, key+".") {
				e.Override = o.text
				return e
			}
		}
	}
	// The nearest enclosing key whose place is known.
	for k := key; k != ""; k = k[:max(strings.LastIndexAny(k, ".["), 0)] {
		if o, ok := d.from[k]; ok {
			e.Override = o.text
			return e
		}
		if at, ok := d.places[k]; ok {
			e.File, e.Line = at.file, at.line
			return e
		}
	}
	return e
}

func join(key, part string) string {
	if key == "" {
		return part
	}
	return key + "." + part
}

// override puts a value into the tree.
func (d *decoder) override(tree map[string]any, text string) error {
	path, value, ok := strings.Cut(text, "=")
	path, value = strings.TrimSpace(path), strings.TrimSpace(value)
	if !ok || path == "" || value == "" {
		return &Error{Override: text, Problem: "expected key=value, as in vectors.dim=100"}
	}
	o := override{text, value}
	parts := strings.Split(path, ".")
	if len(parts) > mostParts {
		return &Error{Override: shortened(text), Problem: deepKey}
	}
	var node any = tree
	key := ""
	for i, part := range parts {
		last := i == len(parts)-1
		switch n := node.(type) {
		case map[string]any:
			child, ok := n[part]
			if !ok && key == "sts.rows" {
				known := slices.Sorted(maps.Keys(n))
				return &Error{Override: text, Key: join(key, part), Problem: fmt.Sprintf("there is no such entry; "+
					"nearest: %s; expected one of %s", nearest(part, known), strings.Join(known, ", "))}
			}
			key = join(key, part)
			if last {
				n[part] = o
			} else if !ok {
				child = make(map[string]any)
				n[part] = child
			}
			node = child
		case []any:
			list := entries(n)
			at, err := find(list, part)
			if err != nil {
				return &Error{Override: text, Key: join(key, part), Problem: err.Error()}
			}
			key = fmt.Sprintf("%s[%d]", key, at)
			if last {
				return &Error{Override: text, Key: path, Problem: "is an entry of a list, expected one of its keys"}
			}
			node = list[at]
		default:
			return &Error{Override: text, Key: join(key, part), Problem: key + " is no table"}
		}
	}
	d.forget(key)
	d.from[key] = o
	return nil
}

// entries returns the tables of a list, and nil for what is none.
func entries(list []any) []map[string]any {
	tables := make([]map[string]any, len(list))
	for i := range list {
		tables[i], _ = list[i].(map[string]any)
	}
	return tables
}

// find returns the entry with the given name, id or number.
func find(list []map[string]any, name string) (int, error) {
	var known []string
	for i, entry := range list {
		for _, key := range []string{"name", "id"} {
			if s, ok := entry[key].(string); ok {
				if s == name {
					return i, nil
				}
				known = append(known, s)
			}
		}
	}
	if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(list) && list[i] != nil {
		return i, nil
	}
	if len(known) == 0 {
		return 0, fmt.Errorf("the list has %d entries without names, expected a number from 0", len(list))
	}
	return 0, fmt.Errorf("there is no such entry; nearest: %s; expected one of %s",
		nearest(name, known), strings.Join(known, ", "))
}

// asTable returns the table that a value is.
func (d *decoder) asTable(key string, value any) (map[string]any, error) {
	if o, ok := value.(override); ok {
		value = o.parse()
	}
	table, ok := value.(map[string]any)
	if !ok {
		return nil, d.errorf(key, "%s, expected a table", describe(value))
	}
	return table, nil
}

// known checks that all keys of a table are known.
func (d *decoder) known(key string, table map[string]any, known []string) error {
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if !slices.Contains(known, name) {
			return d.errorf(join(key, name), "unknown key; nearest known key: %s", join(key, nearest(name, known)))
		}
	}
	return nil
}

// table decodes value, a TOML table, over what is in the struct v.
func (d *decoder) table(key string, v reflect.Value, value any) error {
	table, err := d.asTable(key, value)
	if err != nil {
		return err
	}
	fields := fieldsOf(v.Type())
	var known []string
	for _, f := range fields {
		known = append(known, f.name)
	}
	slices.Sort(known)
	if err := d.known(key, table, known); err != nil {
		return err
	}
	method.SetDefaults(v.Addr().Interface())
	// In the struct's order: the defaults of rows come before the rows.
	for _, f := range fields {
		child, ok := table[f.name]
		if !ok {
			continue
		}
		if err := d.value(join(key, f.name), v.FieldByIndex(f.index), child, v); err != nil {
			return err
		}
	}
	return nil
}

// field is a key of a table and the field of a struct that it is decoded to.
type field struct {
	name  string
	index []int
}

// fieldsOf returns the fields with a key, those of embedded structs among them.
func fieldsOf(t reflect.Type) (fields []field) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			for _, inner := range fieldsOf(f.Type) {
				fields = append(fields, field{inner.name, append([]int{i}, inner.index...)})
			}
			continue
		}
		if name := f.Tag.Get("toml"); name != "-" {
			fields = append(fields, field{name, []int{i}})
		}
	}
	return fields
}

func (d *decoder) value(key string, v reflect.Value, value any, parent reflect.Value) error {
	switch v.Interface().(type) {
	case []Row:
		return d.decodeRows(key, v, value, parent.Addr().Interface().(*STS).Defaults)
	case Defaults:
		return d.defaults(key, v, value)
	case Space:
		return d.space(key, v, value)
	}
	if g := asGrid(key, v.Interface()); g != nil {
		return d.grid(key, v, g, value)
	}
	if v.Kind() == reflect.Struct {
		return d.table(key, v, value)
	}
	if o, ok := value.(override); ok {
		value = o.parse()
		if _, text := value.(string); v.Kind() == reflect.String && !text {
			value = o.value // true or 300 may be meant as text
		}
	}
	switch v.Kind() {
	case reflect.String:
		s, ok := value.(string)
		if !ok {
			return d.errorf(key, "%s, expected text in quotes", describe(value))
		}
		v.SetString(s)
	case reflect.Bool:
		b, ok := value.(bool)
		if !ok {
			return d.errorf(key, "%s, expected true or false", describe(value))
		}
		v.SetBool(b)
	case reflect.Int, reflect.Int64:
		n, ok := value.(int64)
		if !ok || v.OverflowInt(n) {
			return d.errorf(key, "%s, expected a whole number", describe(value))
		}
		v.SetInt(n)
	case reflect.Uint64:
		n, ok := value.(int64)
		if !ok || n < 0 {
			return d.errorf(key, "%s, expected a whole number of 0 or more", describe(value))
		}
		v.SetUint(uint64(n))
	case reflect.Float64:
		x, ok := value.(float64)
		if n, whole := value.(int64); whole {
			x, ok = float64(n), true
		}
		if !ok || math.IsNaN(x) || math.IsInf(x, 0) {
			return d.errorf(key, "%s, expected a finite number", describe(value))
		}
		v.SetFloat(x)
	case reflect.Slice:
		list, ok := value.([]any)
		if !ok {
			return d.errorf(key, "%s, expected a list in brackets", describe(value))
		}
		s := reflect.MakeSlice(v.Type(), len(list), len(list))
		for i, item := range list {
			if err := d.value(fmt.Sprintf("%s[%d]", key, i), s.Index(i), item, v); err != nil {
				return err
			}
		}
		v.Set(s)
	default:
		panic("profile: no decoding of " + v.Type().String())
	}
	return nil
}

// parse reads the value as TOML; what is none is text.
func (o override) parse() any {
	var tree map[string]any
	if err := toml.Unmarshal([]byte("x = "+o.value), &tree); err == nil && len(tree) == 1 {
		return tree["x"]
	}
	return o.value
}

func describe(value any) string {
	switch v := value.(type) {
	case string:
		return strconv.Quote(v)
	case bool, int64, float64:
		return fmt.Sprint(v)
	case map[string]any:
		return "a table"
	case []any:
		return "a list"
	}
	return fmt.Sprintf("%v", value)
}

// nearest returns the word with the least edit distance; a word that only lacks its
// beginning or end is near.
func nearest(word string, words []string) string {
	best, least := "", math.MaxInt
	for _, w := range words {
		n := levenshtein.Distance([]rune(word), []rune(w), len(word)+len(w))
		if strings.HasPrefix(w, word) || strings.HasPrefix(word, w) {
			n = min(n, 2)
		}
		if n < least {
			best, least = w, n
		}
	}
	return best
}
