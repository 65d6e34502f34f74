package render

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Terminal is the width in columns that tables in files are made for.
const Terminal = 120

// least is the room that labels have at least.
func least(columns int) int { return min(24, columns/3) }

var textSigns = signs{best: "*", second: "°", quoted: "†", notStated: "‡", interval: "Ranges"}

var trailing = regexp.MustCompile(`(?m) +$`)

// Text writes t for a terminal of the given number of columns, at least 50. Columns that have no room next to the
// others follow in further panels below.
func Text(w io.Writer, t *Table, columns int) error {
	v, err := newView(t)
	if err != nil {
		return err
	}
	columns = max(columns, 50)
	var out bytes.Buffer
	fmt.Fprintln(&out, wrap(v.Title, columns, "  "))
	for _, panel := range v.panels(columns) {
		panel.text(&out, columns)
	}
	for _, line := range append(v.legend(textSigns), v.Notes...) {
		fmt.Fprintln(&out, wrap(line, columns, "  "))
	}
	_, err = w.Write(trailing.ReplaceAll(out.Bytes(), nil))
	return err
}

// panels returns the fewest parts of the columns that fit, as equal in number as can be.
func (v *view) panels(columns int) (panels []*view) {
	label := width(v.Label)
	for _, b := range v.Blocks {
		for _, r := range b.Rows {
			label = max(label, width(r.Label)+2)
		}
	}
	label = min(label, least(columns))
	_, widths := v.textCells()
	n := len(v.Columns)
	for parts := 1; parts <= n; parts++ {
		panels = nil
		fits := true
		for p := range parts {
			from, to := p*n/parts, (p+1)*n/parts
			fits = fits && label+total(widths[from:to]) <= columns
			panels = append(panels, v.columns(from, to))
		}
		if fits {
			break
		}
	}
	return panels
}

// total is the width of columns next to labels, with a blank on both sides of each.
func total(widths []int) int {
	used := 2
	for _, x := range widths {
		used += x + 2
	}
	return used
}

// columns returns the view of the columns [from, to).
func (v *view) columns(from, to int) *view {
	part := *v
	part.Columns, part.Numeric, part.Blocks = v.Columns[from:to], v.Numeric[from:to], nil
	if v.Coverage != nil {
		part.Coverage = v.Coverage[from:to]
	}
	for _, b := range v.Blocks {
		b.Rows = slices.Clone(b.Rows)
		for i := range b.Rows {
			b.Rows[i].Cells = b.Rows[i].Cells[from:to]
		}
		part.Blocks = append(part.Blocks, b)
	}
	return &part
}

// text writes the columns side by side.
func (v *view) text(out io.Writer, columns int) {
	cells, widths := v.textCells()
	used := total(widths)
	room := max(least(columns), columns-used) // for labels

	rows := [][]string{v.textHeader(widths)}
	add := func(label string, cells []string) {
		row := append([]string{label}, cells...)
		rows = append(rows, append(row, make([]string, 1+len(v.Columns)-len(row))...))
	}
	indent := ""
	if slices.ContainsFunc(v.Blocks, func(b viewBlock) bool { return b.Title != "" }) {
		indent = "  "
	}
	for b, block := range v.Blocks {
		if b > 0 {
			add("", nil)
		}
		if block.Title != "" {
			add(wrap(block.Title, room, ""), nil)
		}
		for r, row := range block.Rows {
			add(indent+wrap(row.Label+textSigns.origin(row.Origin, " "), room-len(indent), indent+"  "), cells[b][r])
		}
	}
	if v.Coverage != nil {
		add("", nil)
		add("coverage", v.Coverage)
	}

	label := 0
	for _, row := range rows {
		label = max(label, widest(row[0]))
	}
	rule := strings.Repeat("─", label+used)
	fmt.Fprintln(out, rule)
	if line := groupLine(v.Columns, label+2, widths); line != "" {
		fmt.Fprintln(out, line)
	}
	for i, row := range rows {
		v.layOut(out, row, append([]int{label}, widths...), "")
		if i == 0 {
			fmt.Fprintln(out, rule)
		}
	}
	fmt.Fprintln(out, rule)
}

// layOut writes a row of cells, which may have several lines, as wide as their columns and with a separator between:
// numbers end at the right.
func (v *view) layOut(out io.Writer, row []string, widths []int, separator string) {
	for more := true; more; {
		more = false
		line := separator
		for k, cell := range row {
			first, rest, found := strings.Cut(cell, "\n")
			row[k], more = rest, more || found
			if k > 0 && v.Numeric[k-1] {
				first = padLeft(first, widths[k])
			} else {
				first += padLeft("", widths[k]-width(first))
			}
			line += " " + first + " " + separator
		}
		fmt.Fprintln(out, line)
	}
}

// textCells formats all cells for a terminal: our number and the printed one each below those of other rows, the
// interval and an unusual coverage in a second line. Each column is wide enough for its name, its cells and, together
// with its neighbours, its group's name.
func (v *view) textCells() (cells [][][]string, widths []int) {
	ours, printed := make([]int, len(v.Columns)), make([]int, len(v.Columns))
	first := func(c viewCell) (string, string) {
		value := []string{plain: "", best: textSigns.best, second: textSigns.second}[c.mark] + c.value
		if c.printed == "" {
			return value, ""
		}
		return value, " (" + c.printed + ")"
	}
	for k, c := range v.Columns {
		widths = append(widths, widest(strings.ReplaceAll(c.Shown(), " ", "\n"))) // longer names are broken
		if v.Coverage != nil {
			widths[k] = max(widths[k], width(v.Coverage[k]))
		}
		for _, block := range v.Blocks {
			for _, r := range block.Rows {
				a, b := first(r.Cells[k])
				ours[k], printed[k] = max(ours[k], width(a)), max(printed[k], width(b))
			}
		}
	}
	cells = make([][][]string, len(v.Blocks))
	for i, block := range v.Blocks {
		cells[i] = make([][]string, len(block.Rows))
		for j, r := range block.Rows {
			for k, c := range r.Cells {
				a, b := first(c)
				if a == "" && v.Numeric[k] && b == "" {
					a = "–"
				}
				cell := a
				if v.Numeric[k] {
					cell = padLeft(a, ours[k]) + padLeft(b, printed[k])
				}
				if below := c.below(); below != "" {
					cell += "\n" + below
				}
				cells[i][j] = append(cells[i][j], cell)
				widths[k] = max(widths[k], widest(cell))
			}
		}
	}
	for _, s := range spans(v.Columns) {
		widths[s.hi-1] += max(0, width(s.Group)+4-total(widths[s.lo:s.hi]))
	}
	return cells, widths
}

// textHeader returns the names of the columns, broken into lines that fit and
// aligned at the bottom.
func (v *view) textHeader(widths []int) []string {
	header := []string{v.Label}
	deepest := 0
	for k, c := range v.Columns {
		name := wrap(c.Shown(), widths[k], "")
		header, deepest = append(header, name), max(deepest, strings.Count(name, "\n"))
	}
	for i, name := range header {
		header[i] = strings.Repeat("\n", deepest-strings.Count(name, "\n")) + name
	}
	return header
}

// groupLine returns the line of group names, each centred in a rule over its
// columns; "" if there is no group.
func groupLine(columns []Column, label int, widths []int) string {
	line := strings.Repeat(" ", label)
	for _, s := range spans(columns) {
		name, room := s.Group, total(widths[s.lo:s.hi])-4
		if free := room - width(name) - 2; name != "" && free >= 2 {
			name = strings.Repeat("─", free/2) + " " + name + " " + strings.Repeat("─", free-free/2)
		}
		line += " " + name + padLeft("", room-width(name)) + " "
	}
	if strings.Trim(line, " ") == "" {
		return ""
	}
	return line
}

// width counts the columns of a terminal that s takes.
func width(s string) int { return displaywidth.String(s) }

// widest is the width of the widest of the lines of s.
func widest(s string) (most int) {
	for line := range strings.SplitSeq(s, "\n") {
		most = max(most, width(line))
	}
	return most
}

func padLeft(s string, to int) string { return strings.Repeat(" ", max(0, to-width(s))) + s }

// wrap breaks s at blanks into lines of at most room columns where its words allow,
// the following lines indented.
func wrap(s string, room int, indent string) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		switch {
		case line == "":
			line = word
		case width(line)+1+width(word) > room:
			lines = append(lines, line)
			line = indent + word
		default:
			line += " " + word
		}
	}
	return strings.Join(append(lines, line), "\n")
}
