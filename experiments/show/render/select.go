package render

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"contextmover/internal/levenshtein"
)

// A SelectError says which pattern names nothing in a table, and what it might have meant.
type SelectError struct {
	Table, Pattern string
	What           string // "row" or "column"
	Near           []string
}

func (e *SelectError) Error() string {
	near := "none is spelled like it"
	if len(e.Near) > 0 {
		near = "near: " + strings.Join(e.Near, ", ")
	}
	return fmt.Sprintf("table %s has no %s %q; %s", e.Table, e.What, e.Pattern, near)
}

// Select returns the part of t that the patterns name, all of it where there are none, in the order of t.
//
// A pattern is a name, upper or lower case, in which * stands for any text and ? for any letter;
// several may stand in one, with commas between. Rows are named by their label, their key, the
// title of their block, or block/label; columns by their name, their group, or group/name. Notes
// on blocks that are left out are left out. A pattern that names nothing is a *SelectError.
func Select(t *Table, rows, columns []string) (*Table, error) {
	part := *t
	var all []int
	for k := range t.Columns {
		all = append(all, k)
	}
	var columnNames [][]string
	for _, c := range t.Columns {
		columnNames = append(columnNames, []string{c.title(), c.Name, c.Group, c.Address()})
	}
	keep, err := match(t.ID, "column", columns, columnNames)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(k int) bool { return !keep[k] })
	part.Columns, part.Blocks = nil, nil
	for _, k := range all {
		part.Columns = append(part.Columns, t.Columns[k])
	}

	var rowNames [][]string
	for _, b := range t.Blocks {
		for _, r := range b.Rows {
			names := []string{r.Label, r.key()}
			if b.Title != "" {
				names = append(names, b.Title, b.Title+"/"+r.Label)
			}
			rowNames = append(rowNames, names)
		}
	}
	if keep, err = match(t.ID, "row", rows, rowNames); err != nil {
		return nil, err
	}
	at := 0
	left := map[string]bool{} // titles of blocks without a row
	for _, b := range t.Blocks {
		kept := Block{Title: b.Title}
		for _, r := range b.Rows {
			if keep[at] {
				cells := make([]Cell, 0, len(all))
				for _, k := range all {
					cells = append(cells, r.Cells[k])
				}
				r.Key, r.Cells = r.key(), cells
				kept.Rows = append(kept.Rows, r)
			}
			at++
		}
		if len(kept.Rows) > 0 {
			part.Blocks = append(part.Blocks, kept)
		} else {
			left[b.Title] = true
		}
	}
	part.Notes = slices.DeleteFunc(slices.Clone(t.Notes), func(note string) bool {
		for title := range left {
			if title != "" && strings.HasPrefix(note, title+":") {
				return true
			}
		}
		return false
	})
	return &part, nil
}

// Names lists what Select can be asked for: the rows, each with its key and block, and the columns.
func Names(w io.Writer, t *Table) error {
	var out bytes.Buffer
	fmt.Fprintln(&out, "rows (--rows takes the key, the label, the block, or block/label):")
	for _, b := range t.Blocks {
		if b.Title != "" {
			fmt.Fprintf(&out, "  %s\n", b.Title)
		}
		for _, r := range b.Rows {
			fmt.Fprintf(&out, "    %-32s %s\n", r.key(), r.Label)
		}
	}
	fmt.Fprintln(&out, "columns (--columns takes the name, the group, or group/name):")
	for _, c := range t.Columns {
		fmt.Fprintf(&out, "    %s\n", c.Address())
	}
	_, err := out.WriteTo(w)
	return err
}

// WithoutIntervals returns t without the intervals.
func WithoutIntervals(t *Table) *Table {
	plain := *t
	plain.Blocks = nil
	for _, b := range t.Blocks {
		rows := slices.Clone(b.Rows)
		for i := range rows {
			rows[i].Cells = slices.Clone(rows[i].Cells)
			for k := range rows[i].Cells {
				rows[i].Cells[k].Interval = nil
			}
		}
		plain.Blocks = append(plain.Blocks, Block{b.Title, rows})
	}
	return &plain
}

// match tells which of the things with the given names some pattern names.
func match(table, what string, patterns []string, names [][]string) ([]bool, error) {
	keep := make([]bool, len(names))
	if len(patterns) == 0 {
		for i := range keep {
			keep[i] = true
		}
		return keep, nil
	}
	named := func(pattern string) bool {
		any := false
		for i, all := range names {
			if slices.ContainsFunc(all, func(name string) bool { return name != "" && matches(pattern, name) }) {
				keep[i], any = true, true
			}
		}
		return any
	}
	for _, pattern := range patterns {
		// Names have commas too: the longest run of parts that names something is one name.
		parts := strings.Split(pattern, ",")
		for len(parts) > 0 {
			n := len(parts)
			for n > 0 && !named(strings.TrimSpace(strings.Join(parts[:n], ","))) {
				n--
			}
			if n == 0 {
				part := strings.TrimSpace(parts[0])
				var flat []string
				for _, all := range names {
					for _, name := range all {
						if name != "" && !slices.Contains(flat, name) {
							flat = append(flat, name)
						}
					}
				}
				return nil, &SelectError{Table: table, Pattern: part, What: what, Near: near(part, flat)}
			}
			parts = parts[n:]
		}
	}
	return keep, nil
}

// near returns the names that are spelled like a word, or hold it, or all if they are few.
func near(word string, names []string) []string {
	lower := make([]string, len(names))
	for i, name := range names {
		lower[i] = strings.ToLower(name)
	}
	word = strings.ToLower(word)
	var found []string
	add := func(like string) {
		if name := names[slices.Index(lower, like)]; !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	for _, like := range levenshtein.Similar(word, lower, 3, nil) {
		add(like)
	}
	for _, name := range lower {
		if len(found) < 6 && word != "" && (strings.Contains(name, word) || strings.Contains(word, name)) {
			add(name)
		}
	}
	if len(found) == 0 && len(names) <= 12 {
		return names
	}
	return found
}

// matches tells whether a pattern stands for a name.
func matches(pattern, name string) bool {
	pattern, name = strings.ToLower(pattern), strings.ToLower(name)
	if pattern == name {
		return true
	}
	// Of the signs of path.Match only * and ? are meant, and / is a letter.
	pattern = strings.NewReplacer(`\`, `\\`, `[`, `\[`, `/`, "\x00").Replace(pattern)
	ok, err := path.Match(pattern, strings.ReplaceAll(name, "/", "\x00"))
	return ok && err == nil
}
