package render

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Terminal is the width in columns that tables in files are made for.
const Terminal = 120

var textSigns = signs{best: "*", second: "°", quoted: "†", notStated: "‡", interval: "Ranges"}

// Text writes t for a terminal of the given number of columns, at least 50. Columns that have no room next to the
// others follow in further panels below.
func Text(w io.Writer, t *Table, columns int) error {
	v, err := newView(t)
	if err != nil {
		return err
	}
	columns = max(columns, 50)
	x := &textTable{view: v, rows: v.textRows(), columns: columns, least: min(24, columns/3)}
	var out bytes.Buffer
	fmt.Fprintln(&out, wrap(v.Title, columns, "  "))
	// The fewest panels that fit, of as equal a number of columns as can be.
	n, panels := len(v.Columns), 1
	for panels < n && !x.fit(panels) {
		panels++
	}
	for p := range panels {
		if err := x.panel(&out, p*n/panels, (p+1)*n/panels); err != nil {
			return err
		}
	}
	for _, line := range append(v.legend(textSigns), v.Notes...) {
		fmt.Fprintln(&out, wrap(line, columns, "  "))
	}
	for line := range strings.Lines(out.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// textTable is a table for a terminal of some columns, in which labels have at least the least room.
type textTable struct {
	*view
	rows           []textRow
	columns, least int
}

// textRow is a row of cells, or a title, an empty row or the coverage. Its label is indented, and more so where it is
// broken.
type textRow struct {
	indent, label, hang string
	cells               []string
}

// textRows formats all cells for a terminal: our number and the printed one each
// in a column of its own, the interval and an unusual coverage in a second line.
func (v *view) textRows() (rows []textRow) {
	printed := make([]int, len(v.Columns)) // widths
	indent := ""
	for _, block := range v.Blocks {
		if block.Title != "" {
			indent = "  "
		}
		for _, r := range block.Rows {
			for k, c := range r.Cells {
				printed[k] = max(printed[k], width(c.beside()))
			}
		}
	}
	empty := textRow{cells: make([]string, len(v.Columns))}
	for b, block := range v.Blocks {
		if b > 0 {
			rows = append(rows, empty)
		}
		if block.Title != "" {
			rows = append(rows, textRow{label: block.Title, cells: empty.cells})
		}
		for _, r := range block.Rows {
			row := textRow{indent: indent, label: r.Label + textSigns.origin(r.Origin, " "), hang: indent + "  "}
			for k, c := range r.Cells {
				row.cells = append(row.cells, c.text(v.Numeric[k], printed[k]))
			}
			rows = append(rows, row)
		}
	}
	if v.Coverage != nil {
		rows = append(rows, empty, textRow{label: "coverage", cells: v.Coverage})
	}
	return rows
}

// beside is the printed number next to ours.
func (c viewCell) beside() string {
	if c.printed == "" {
		return ""
	}
	return " (" + c.printed + ")"
}

// text is the cell in a column in which printed numbers have some width.
func (c viewCell) text(numeric bool, printed int) string {
	cell := map[mark]string{best: textSigns.best, second: textSigns.second}[c.mark] + c.value
	if numeric {
		if cell == "" && c.printed == "" {
			cell = "–"
		}
		cell += padLeft(c.beside(), printed)
	}
	if below := c.below(); below != "" {
		cell += "\n" + below
	}
	return cell
}

// fit tells whether the columns fit in a number of panels.
func (x *textTable) fit(panels int) bool {
	label := width(x.Label)
	for _, row := range x.rows {
		label = max(label, width(row.indent+row.label))
	}
	for p := range panels {
		n := len(x.Columns)
		if min(label, x.least)+total(x.widths(p*n/panels, (p+1)*n/panels)) > x.columns-2 {
			return false
		}
	}
	return true
}

// widths returns the width of each column of a panel, wide enough for its name, its cells
// and, together with its neighbours, its group's name.
func (x *textTable) widths(from, to int) (widths []int) {
	for k := from; k < to; k++ {
		w := width(strings.Join(strings.Fields(x.Columns[k].title()), "\n")) // longer names are broken
		for _, row := range x.rows {
			w = max(w, width(row.cells[k]))
		}
		widths = append(widths, w)
	}
	for _, s := range spans(x.Columns[from:to]) {
		last := s.First + len(s.Columns) - 1
		widths[last] += max(0, width(s.Group)-total(widths[s.First:last+1])+2)
	}
	return widths
}

// total is the width of columns side by side: the table writer puts a blank on both sides of each.
func total(widths []int) (sum int) {
	for _, w := range widths {
		sum += w + 2
	}
	return sum
}

// panel writes some columns side by side.
func (x *textTable) panel(out io.Writer, from, to int) error {
	widths, columns := x.widths(from, to), x.Columns[from:to]
	room := max(x.least, x.columns-2-total(widths)) // for labels
	label := width(x.Label)
	var rows [][]string
	for _, row := range x.rows {
		text := row.indent + wrap(row.label, room-len(row.indent), row.hang)
		label = max(label, width(text))
		rows = append(rows, append([]string{text}, row.cells[from:to]...))
	}

	// Names of columns are broken into lines that fit, and aligned at the bottom.
	header, deepest := []string{x.Label}, 1
	for k, c := range columns {
		lines := strings.Split(wrap(c.title(), widths[k], ""), "\n")
		if last := len(lines) - 1; x.Numeric[from+k] {
			lines[last] = padLeft(lines[last], widths[k]) // which the name of a group may widen
		}
		deepest = max(deepest, len(lines))
		header = append(header, strings.Join(lines, "\n"))
	}
	for i, name := range header {
		header[i] = strings.Repeat("\n", deepest-1-strings.Count(name, "\n")) + name
	}

	fmt.Fprintln(out, strings.Repeat("─", label+2+total(widths)))
	if slices.ContainsFunc(columns, func(c Column) bool { return c.Group != "" }) {
		fmt.Fprintln(out, strings.Repeat(" ", label+2)+groupLine(columns, widths))
	}
	return x.layOut(out, x.Numeric[from:to], header, rows, renderer.NewBlueprint(tw.Rendition{
		Borders: tw.Border{Left: tw.Off, Right: tw.Off, Top: tw.Off, Bottom: tw.On},
		Symbols: tw.NewSymbols(tw.StyleLight),
		Settings: tw.Settings{
			Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off},
			Lines:      tw.Lines{ShowTop: tw.Off, ShowHeaderLine: tw.On, ShowBottom: tw.On},
		},
	}))
}

// groupLine returns the names of groups, each centred in a rule over its columns.
func groupLine(columns []Column, widths []int) (line string) {
	for _, s := range spans(columns) {
		name, room := s.Group, total(widths[s.First:s.First+len(s.Columns)])-2
		if free := room - width(name) - 2; name != "" && free >= 2 {
			name = strings.Repeat("─", free/2) + " " + name + " " + strings.Repeat("─", free-free/2)
		}
		line += " " + name + strings.Repeat(" ", room-width(name)+1)
	}
	return line
}

// Markdown writes t as a GitHub-flavoured Markdown table below a heading line in
// bold, with <u> for underlined cells.
func Markdown(w io.Writer, t *Table) error {
	v, err := newView(t)
	if err != nil {
		return err
	}
	s := signs{best: "**Bold:**", second: "<u>underlined:</u>", quoted: "†", notStated: "‡", interval: "Ranges"}
	header := []string{escapeMarkdown(v.Label)}
	for _, c := range v.Columns {
		name := escapeMarkdown(c.title())
		if c.Group != "" {
			name = escapeMarkdown(c.Group) + "<br>" + name
		}
		header = append(header, name)
	}
	var rows [][]string
	for _, block := range v.Blocks {
		if block.Title != "" {
			title := []string{"*" + escapeMarkdown(block.Title) + "*"}
			rows = append(rows, append(title, make([]string, len(v.Columns))...))
		}
		for _, r := range block.Rows {
			row := []string{escapeMarkdown(r.Label) + s.origin(r.Origin, " ")}
			for k, c := range r.Cells {
				row = append(row, c.markdown(v.Numeric[k]))
			}
			rows = append(rows, row)
		}
	}
	if v.Coverage != nil {
		rows = append(rows, append([]string{"*coverage*"}, v.Coverage...))
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "**%s**\n\n", escapeMarkdown(v.Title))
	if err := v.layOut(&out, v.Numeric, header, rows, renderer.NewMarkdown()); err != nil {
		return err
	}
	notes := v.legend(s)
	for _, n := range v.Notes {
		notes = append(notes, escapeMarkdown(n))
	}
	if len(notes) > 0 {
		fmt.Fprintf(&out, "\n%s\n", strings.Join(notes, "<br>\n"))
	}
	_, err = out.WriteTo(w)
	return err
}

// layOut is the only caller of the table writer: it aligns what it is given and
// changes none of it, whatever the environment says about the terminal.
func (v *view) layOut(w io.Writer, numeric []bool, header []string, rows [][]string, r tw.Renderer) error {
	align := tw.CellAlignment{PerColumn: []tw.Align{tw.AlignLeft}}
	for _, right := range numeric {
		align.PerColumn = append(align.PerColumn, map[bool]tw.Align{false: tw.AlignLeft, true: tw.AlignRight}[right])
	}
	asIs := tw.CellConfig{Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone}, Alignment: align}
	table := tablewriter.NewTable(w,
		tablewriter.WithConfig(tablewriter.Config{
			Header: asIs, Row: asIs,
			Behavior: tw.Behavior{TrimSpace: tw.Off, TrimLine: tw.Off},
		}),
		tablewriter.WithRenderer(r), tablewriter.WithEastAsian(tw.Off))
	table.Header(header)
	err := table.Bulk(rows)
	if err == nil {
		err = table.Render()
	}
	if err != nil {
		return fmt.Errorf("render: table %s: %w", v.ID, err)
	}
	return nil
}

// first returns the first line of a cell: its value, as it is written there, between marks, and the printed one.
func (c viewCell) first(value string, bold [2]string, blank string) string {
	switch c.mark {
	case best:
		value = bold[0] + value + bold[1]
	case second:
		value = "<u>" + value + "</u>"
	}
	if c.printed == "" {
		return value
	}
	if value != "" {
		value += blank
	}
	return value + "(" + c.printed + ")"
}

// below returns the second line of a cell.
func (c viewCell) below() string {
	var parts []string
	if c.low != "" {
		parts = append(parts, c.low+"…"+c.high)
	}
	if c.coverage != "" {
		parts = append(parts, "["+c.coverage+"]")
	}
	return strings.Join(parts, " ")
}

func (c viewCell) markdown(numeric bool) string {
	cell := c.first(escapeMarkdown(c.value), [2]string{"**", "**"}, " ")
	if cell == "" && numeric {
		return "–"
	}
	if below := c.below(); below != "" {
		cell += "<br>" + escapeMarkdown(below)
	}
	return cell
}

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "~", `\~`, "$", `\$`,
	"[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "\r\n", " ", "\n", " ", "\r", " ")

// escapeMarkdown makes s appear as it is.
func escapeMarkdown(s string) string { return markdownEscapes.Replace(s) }

// width counts the terminal columns of the widest line of s as the table writer does.
func width(s string) (widest int) {
	for line := range strings.SplitSeq(s, "\n") {
		widest = max(widest, twwidth.WidthWithOptions(line, twwidth.Options{}))
	}
	return widest
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
