package render

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
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
	near := "none is spelled like it, --list shows all"
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
	var columnNames, rowNames [][]string
	for _, c := range t.Columns {
		columnNames = append(columnNames, []string{c.title(), c.Name, c.Group, c.Address()})
	}
	for _, b := range t.Blocks {
		for _, r := range b.Rows {
			rowNames = append(rowNames, []string{r.Label, r.key(), b.Title, b.Title + "/" + r.Label})
		}
	}
	keepColumn, err := match(t.ID, "column", columns, columnNames)
	if err != nil {
		return nil, err
	}
	keepRow, err := match(t.ID, "row", rows, rowNames)
	if err != nil {
		return nil, err
	}

	part.Columns, part.Blocks, part.Notes = chosen(t.Columns, keepColumn), nil, slices.Clone(t.Notes)
	for _, b := range t.Blocks {
		n := len(b.Rows)
		b.Rows = chosen(b.Rows, keepRow[:n])
		keepRow = keepRow[n:]
		for i, r := range b.Rows {
			b.Rows[i].Key, b.Rows[i].Cells = r.key(), chosen(r.Cells, keepColumn)
		}
		if len(b.Rows) > 0 {
			part.Blocks = append(part.Blocks, b)
			continue
		}
		part.Notes = slices.DeleteFunc(part.Notes, func(note string) bool {
			return b.Title != "" && strings.HasPrefix(note, b.Title+":")
		})
	}
	return &part, nil
}

// chosen returns the elements of a list that are to be kept.
func chosen[T any](list []T, keep []bool) (some []T) {
	for i, element := range list {
		if keep[i] {
			some = append(some, element)
		}
	}
	return some
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
	named := func(pattern string) bool {
		// Names are UTF-8, as a regular expression has to be.
		text := regexp.QuoteMeta(strings.ToValidUTF8(strings.TrimSpace(pattern), "\uFFFD"))
		text = strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(text)
		like := regexp.MustCompile("(?is)^" + text + "$")
		any := false
		for i, all := range names {
			if slices.ContainsFunc(all, func(name string) bool { return name != "" && like.MatchString(name) }) {
				keep[i], any = true, true
			}
		}
		return any
	}
	if len(patterns) == 0 {
		named("*")
	}
	for _, pattern := range patterns {
		// Names have commas too: the longest run of parts that names something is one name.
		parts := strings.Split(pattern, ",")
		for len(parts) > 0 {
			n := len(parts)
			for n > 0 && !named(strings.Join(parts[:n], ",")) {
				n--
			}
			if n == 0 {
				part := strings.TrimSpace(parts[0])
				like := near(part, slices.Concat(names...))
				return nil, &SelectError{Table: table, Pattern: part, What: what, Near: like}
			}
			parts = parts[n:]
		}
	}
	return keep, nil
}

// near returns a few of the names that are spelled like a word, or hold it.
func near(word string, names []string) (found []string) {
	word = strings.ToLower(word)
	var lower []string
	for _, name := range names {
		lower = append(lower, strings.ToLower(name))
	}
	similar := levenshtein.Similar(word, lower, 3, nil)
	for i, name := range names {
		like := word != "" && strings.Contains(lower[i], word) || slices.Contains(similar, lower[i])
		if like && len(found) < 6 && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	return found
}
