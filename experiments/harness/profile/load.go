package profile

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"contextmover/experiments/harness/dataset"
	"contextmover/internal/bounded"
	"contextmover/internal/levenshtein"
)

// Error says what is wrong with a profile.
type Error struct {
	File         string // the profile's file, empty if there is none
	Line, Column int    // from 1, 0 if unknown
	Override     string // the override at fault, empty if none is known to be
	Key          string // the key at fault, with the tables it is in, or empty
	Problem      string
}

func (e *Error) Error() string {
	where := ""
	switch {
	case e.Override != "":
		where = "--set " + shortened(e.Override) + ": "
	case e.Line > 0:
		where = fmt.Sprintf("%s:%d:%d: ", e.File, e.Line, e.Column)
	case e.File != "":
		where = e.File + ": "
	}
	if e.Key != "" {
		where += shortened(e.Key) + ": "
	}
	return "profile: " + where + e.Problem
}

// shortened returns the beginning of a text that may be long.
func shortened(text string) string {
	if len(text) > 120 {
		return strings.ToValidUTF8(text[:120], "") + "…"
	}
	return text
}

// Load reads the embedded profile with the given name or, if the name ends in
// .toml, the file at that path, and applies overrides of the form "key=value":
//
//	seed=2
//	vectors.dim=100
//	sts.rows.comb.method=comb,weights=inverse
//	sts.groups.STS16.validation=false
//	sts.select.transport.mix=[0.4, 0.6]
//
// A file with the key extends = "open" only names what it has different from that
// embedded profile: its tables are laid over those, and so are the entries of its lists of tables over those with the
// same id or name; its other values and lists replace them. The keys of its list "without", such as "sts.blocks.chosen"
// and "scaling", are left out of that profile before.
//
// An entry of a list of data sets that only has a name is the set that package dataset declares under it.
//
// Entries of a list are named by their id, their name or their number from 0. A value
// is TOML, but text needs no quotes.
//
// Each file is decoded by itself, so that an unknown key or a value of the wrong type is an *Error with its file, line
// and column, or the override. A value out of range is an *Error with its key.
func Load(name string, overrides []string) (*Profile, error) {
	file, text := name, ""
	switch {
	case strings.HasSuffix(name, ".toml"):
		b, err := bounded.ReadFile(name, bounded.Document)
		if err != nil {
			return nil, &Error{File: name, Problem: "cannot be read: " + cause(err).Error()}
		}
		file, text = filepath.Clean(name), string(b)
	case slices.Contains(Names(), name):
		file, text = name+".toml", embeddedText(name)
	default:
		return nil, &Error{Problem: fmt.Sprintf("no profile %q, expected %s or the path of a .toml file; nearest: %s",
			name, strings.Join(Names(), ", "), nearest(name, Names()))}
	}
	return parse(file, text, overrides)
}

func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// document is a file.
type document struct {
	Extends string   `toml:"extends"`
	Without []string `toml:"without"`
	Profile
}

func parse(file, text string, overrides []string) (*Profile, error) {
	tree, err := read(file, text)
	if err != nil {
		return nil, err
	}
	complete(tree)
	var p *Profile
	for _, o := range append([]string{""}, overrides...) {
		p = new(Profile)
		if e := p.from(tree, o); e != nil {
			return nil, &Error{File: file, Override: o, Key: e.Key, Problem: e.Problem}
		}
	}
	p.file, p.overrides = file, overrides
	c := &checker{p: p, words: math.MaxInt}
	if c.resolve(); c.err == nil {
		c.check()
	}
	return p, c.err
}

// from decodes a tree, into which it puts what an override says, if there is one.
func (p *Profile) from(tree map[string]any, override string) *Error {
	if override != "" {
		key, value, _ := strings.Cut(override, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if key == "" || value == "" {
			return &Error{Key: key, Problem: "expected key=value, as in vectors.dim=100"}
		}
		if key == "extends" || key == "without" {
			return &Error{Key: key, Problem: "only a file says what it extends"}
		}
		if _, key, problem := edit(tree, "", strings.Split(key, "."), parseValue(value)); problem != "" {
			return &Error{Key: key, Problem: problem}
		}
	}
	if key, problem := irregular("", tree); problem != "" {
		return &Error{Key: key, Problem: problem}
	}
	text, err := toml.Marshal(tree)
	if err != nil {
		return &Error{Problem: err.Error()}
	}
	return decode("", string(text), p)
}

// decode decodes the text of a file to a *Profile or *document.
func decode(file, text string, to any) *Error {
	err := toml.NewDecoder(strings.NewReader(text)).DisallowUnknownFields().Decode(to)
	if err == nil {
		return nil
	}
	e := &Error{File: file, Problem: strings.TrimPrefix(err.Error(), "toml: ")}
	var unknown *toml.StrictMissingError
	var at *toml.DecodeError
	if errors.As(err, &unknown) {
		at = &unknown.Errors[0]
		e.Problem = "unknown key"
		key := at.Key()
		if names := keysOf(reflect.TypeOf(to), key[:len(key)-1]); len(names) > 0 {
			e.Problem += "; nearest known key: " + strings.Join(append(slices.Clone(key[:len(key)-1]),
				nearest(key[len(key)-1], names)), ".")
		}
	} else if errors.As(err, &at) {
		e.Problem = strings.TrimPrefix(at.Error(), "toml: ")
		if m := mismatch.FindStringSubmatch(e.Problem); m != nil {
			e.Problem = "is of the type " + m[1] + ", expected " + kinds[m[2]]
		}
	}
	if at != nil {
		e.Key = strings.Join(at.Key(), ".")
		e.Line, e.Column = at.Position()
	}
	return e
}

// mismatch is what the decoder says of a value of another type, in terms of Go.
var mismatch = regexp.MustCompile(`^cannot decode TOML (\w+) into .* of type (int|int64|uint64|float64|bool|string)$`)

var kinds = map[string]string{
	"int": "a whole number", "int64": "a whole number", "uint64": "a whole number of 0 or more",
	"float64": "a number", "bool": "true or false", "string": "text in quotes",
}

// keysOf returns the keys of the table that has the given key in a type.
func keysOf(t reflect.Type, key []string) (names []string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() == reflect.Map && len(key) > 0 {
		return keysOf(t.Elem(), key[1:])
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
		switch {
		case f.Anonymous && name == "":
			names = append(names, keysOf(f.Type, key)...)
		case len(key) == 0 && name != "" && name != "-":
			names = append(names, name)
		case len(key) > 0 && name == key[0]:
			return keysOf(f.Type, key[1:])
		}
	}
	return names
}

// read returns the tree of a file, laid over that of the embedded profile that it extends, if it does.
func read(file, text string) (map[string]any, error) {
	var doc document
	if err := decode(file, text, &doc); err != nil {
		return nil, err
	}
	tree := make(map[string]any)
	if err := toml.Unmarshal([]byte(text), &tree); err != nil {
		return nil, &Error{File: file, Problem: err.Error()}
	}
	extends := tree["extends"] != nil
	delete(tree, "extends")
	delete(tree, "without")
	if !extends {
		if doc.Without != nil {
			return nil, &Error{File: file, Key: "without",
				Problem: "only a profile that extends another can leave out something of it"}
		}
		return tree, nil
	}
	if !slices.Contains(Names(), doc.Extends) || doc.Extends+".toml" == file {
		return nil, &Error{File: file, Key: "extends",
			Problem: fmt.Sprintf("%q, expected the name of a profile that comes with the program: %s",
				doc.Extends, strings.Join(Names(), ", "))}
	}
	base, err := read(doc.Extends+".toml", embeddedText(doc.Extends))
	if err != nil {
		return nil, err
	}
	for _, key := range doc.Without {
		if _, _, problem := edit(base, "", strings.Split(key, "."), nil); problem != "" {
			problem = fmt.Sprintf("%q, expected a key of the profile that is extended, as \"scaling\" or "+
				"\"sts.blocks.chosen\": %s", key, problem)
			return nil, &Error{File: file, Key: "without", Problem: problem}
		}
	}
	merge(base, tree)
	return base, nil
}

// complete gives the entries of lists of data sets that only name a set what its declaration says, but for what they
// say themselves.
func complete(tree map[string]any) {
	for _, key := range []string{"sts.groups", "wordsim.sets", "hypernymy.sets", "alignment.sets", "documents.sets"} {
		section, list, _ := strings.Cut(key, ".")
		table, _ := tree[section].(map[string]any)
		entries, _ := table[list].([]any)
		for _, e := range entries {
			entry, _ := e.(map[string]any)
			set, ok := dataset.Declared(key, nameOf(e))
			has := func(key string) bool { return entry[key] != nil }
			if !ok || slices.ContainsFunc([]string{"file", "files", "sets", "test"}, has) {
				continue
			}
			maps.Copy(set, entry)
			maps.Copy(entry, set)
		}
	}
}

// irregular returns the first key in a tree that the decoder takes though it is in capitals, so that two layers could
// have it in two spellings, or though its value is no finite number.
func irregular(key string, value any) (string, string) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			child := join(key, name)
			if strings.Count(child, ".") > 16 {
				return child, "unknown key, deeper than any"
			}
			if name != strings.ToLower(name) && key != "sts.rows" && key != "sts.published" {
				return child, "unknown key, expected lower-case letters"
			}
			if child, problem := irregular(child, v[name]); problem != "" {
				return child, problem
			}
		}
	case []any:
		for i, entry := range v {
			if key, problem := irregular(fmt.Sprintf("%s[%d]", key, i), entry); problem != "" {
				return key, problem
			}
		}
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return key, fmt.Sprintf("%v, expected a finite number", v)
		}
	}
	return "", ""
}

// merge lays the table over onto the table base.
func merge(base, over map[string]any) {
	for name, value := range over {
		switch below := base[name].(type) {
		case map[string]any:
			if above, ok := value.(map[string]any); ok {
				merge(below, above)
				continue
			}
		case []any:
			if above, ok := value.([]any); ok && named(above) && named(below) {
				base[name] = mergeLists(below, above)
				continue
			}
		}
		base[name] = value
	}
}

// mergeLists lays the entries of the list above over those of the list below with the same names, each over one.
func mergeLists(below, above []any) []any {
	all := slices.Clone(below)
	done := make(map[int]bool)
	for _, entry := range above {
		i := slices.IndexFunc(below, func(b any) bool { return nameOf(b) == nameOf(entry) })
		if i < 0 || done[i] {
			all = append(all, entry)
			continue
		}
		done[i] = true
		merge(all[i].(map[string]any), entry.(map[string]any))
	}
	return all
}

// named reports whether a list is of tables with names, and not empty.
func named(list []any) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(entry any) bool { return nameOf(entry) == "" })
}

// nameOf returns the id or name of an entry of a list, "" of one that has none.
func nameOf(entry any) string {
	table, _ := entry.(map[string]any)
	for _, key := range []string{"id", "name"} {
		if s, ok := table[key].(string); ok {
			return s
		}
	}
	return ""
}

// edit returns a tree in which the key of the parts, below the given one, has a value or, if that is nil, is left out;
// else the key at fault, and what is wrong with it.
func edit(node any, key string, parts []string, value any) (edited any, at, problem string) {
	name, rest := parts[0], parts[1:]
	at = join(key, name)
	switch n := node.(type) {
	case map[string]any:
		child, ok := n[name]
		switch {
		case !ok && value == nil:
			known := slices.Sorted(maps.Keys(n))
			return nil, at, fmt.Sprintf("there is no %q; nearest: %s", name, nearest(name, known))
		case len(rest) > 0:
			if !ok {
				child = make(map[string]any)
			}
			n[name], at, problem = edit(child, at, rest, value)
		case value == nil:
			delete(n, name)
		default:
			n[name] = value
		}
		return n, at, problem
	case []any:
		i, problem := entry(n, name)
		switch {
		case problem != "":
			return nil, at, problem
		case len(rest) > 0:
			n[i], at, problem = edit(n[i], at, rest, value)
			return n, at, problem
		case value != nil:
			return nil, at, "is an entry of a list, expected one of its keys"
		}
		return slices.Delete(slices.Clone(n), i, i+1), at, ""
	}
	return nil, at, key + " is no table"
}

// parseValue reads the value of an override as TOML; what is none is text.
func parseValue(text string) any {
	var tree map[string]any
	if err := toml.Unmarshal([]byte("x = "+text), &tree); err == nil && len(tree) == 1 {
		return tree["x"]
	}
	return text
}

// entry returns the index of the entry with the given id, name or number, or what is wrong.
func entry(list []any, name string) (int, string) {
	var known []string
	for i := range list {
		if n := nameOf(list[i]); n == name {
			return i, ""
		} else if n != "" {
			known = append(known, n)
		}
	}
	if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(list) {
		return i, ""
	}
	if len(known) == 0 {
		return 0, fmt.Sprintf("the list has %d entries without names, expected a number from 0", len(list))
	}
	return 0, fmt.Sprintf("there is no such entry; nearest: %s; expected one of %s",
		nearest(name, known), strings.Join(known, ", "))
}

func join(key, part string) string {
	if key == "" {
		return part
	}
	return key + "." + part
}

// nearest returns the word with the least edit distance, "" of none.
func nearest(word string, words []string) string {
	if len(words) == 0 {
		return ""
	}
	distance := func(w string) int { return levenshtein.Distance(word, w) }
	return slices.MinFunc(words, func(a, b string) int { return distance(a) - distance(b) })
}
