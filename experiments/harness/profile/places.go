package profile

import (
	"fmt"
	"maps"
	"sort"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// place is where a key stands.
type place struct {
	file string
	line int
}

// places are the lines of a file's keys, such as "sts.groups[1].name".
type places struct {
	// told are the lines where a table or a value is given, implied those where a table, a
	// list or one of its entries is first spoken of: a in "[a.b]".
	told, implied map[string]int
	rows          []string // ids, in the file's order

	ends []int // of the file's lines
}

// locate finds the places of a file that is TOML.
func locate(text string) *places {
	p := &places{told: make(map[string]int), implied: make(map[string]int)}
	entries := make(map[string]int) // of lists of tables, so far
	for i := range len(text) {
		if text[i] == '\n' {
			p.ends = append(p.ends, i)
		}
	}
	var parser unstable.Parser
	parser.Reset([]byte(text))
	var table []string
	for parser.NextExpression() {
		e := parser.Expression()
		if e.Kind == unstable.KeyValue {
			p.keyValue(table, e)
			continue
		}
		table = nil
		for keys := e.Key(); keys.Next(); {
			key := keys.Node()
			line := p.line(key)
			table = append(table, string(key.Data))
			name := strings.Join(table, ".")
			p.at(table, line, e.Kind == unstable.Table && keys.IsLast())
			if keys.IsLast() && e.Kind == unstable.ArrayTable {
				entries[name]++
			}
			if n := entries[name]; n > 0 { // what follows is in its last entry
				table[len(table)-1] += fmt.Sprintf("[%d]", n-1)
				p.at(table, line, keys.IsLast())
			}
		}
	}
	return p
}

// line returns the line on which a node begins. (The parser's own Shape counts from the file's
// first line for every node.)
func (p *places) line(node *unstable.Node) int {
	return 1 + sort.SearchInts(p.ends, int(node.Raw.Offset))
}

// at notes that a path is given, or only implied, on a line.
func (p *places) at(path []string, line int, given bool) {
	if len(path) >= 3 && path[0] == "sts" && path[1] == "rows" &&
		(len(p.rows) == 0 || p.rows[len(p.rows)-1] != path[2]) {
		p.rows = append(p.rows, path[2])
	}
	key := strings.Join(path, ".")
	if given {
		p.told[key] = line
	} else if _, ok := p.implied[key]; !ok {
		p.implied[key] = line
	}
}

func (p *places) keyValue(table []string, e *unstable.Node) {
	path := append([]string(nil), table...)
	for keys := e.Key(); keys.Next(); {
		key := keys.Node()
		path = append(path, string(key.Data))
		p.at(path, p.line(key), keys.IsLast())
	}
	p.value(path, e.Value())
}

// value notes what is inside a value.
func (p *places) value(path []string, v *unstable.Node) {
	if v.Raw.Length > 0 { // the parser does not say where lists begin
		p.at(path, p.line(v), false)
	}
	children := v.Children()
	switch v.Kind {
	case unstable.InlineTable:
		for children.Next() {
			p.keyValue(path, children.Node())
		}
	case unstable.Array:
		last := len(path) - 1
		for i := 0; children.Next(); i++ {
			entry := append([]string(nil), path...)
			entry[last] += fmt.Sprintf("[%d]", i)
			p.value(entry, children.Node())
		}
	}
}

// forget removes the places of a key and of what was inside it.
func (d *decoder) forget(key string) {
	for k := range d.places {
		if rest, ok := strings.CutPrefix(k, key); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			delete(d.places, k)
		}
	}
}

// lay lays the places of a file over those of the file that it extends.
func (d *decoder) lay(file string, own *places) {
	lines := maps.Clone(own.told)
	for key, line := range own.implied {
		if _, told := lines[key]; !told && d.places[key].line == 0 {
			lines[key] = line
		}
	}
	for key, line := range lines {
		d.places[key] = place{file, line}
	}
}
