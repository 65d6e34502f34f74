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

// least is the room that labels have at least.
func least(columns int) int { return min(24, columns/3) }

var textSigns = signs{best: "*", second: "°", quoted: "†", notStated: "‡", interval: "Ranges"}

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
	for _, panel := range v.textPanels(columns) {
		if err := panel.text(&out, columns); err != nil {
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

// textPanels returns the fewest parts of the columns that fit, as equal in number as can be.
func (v *view) textPanels(columns int) (panels []*view) {
	widths := v.textWidths(v.textCells())
	label := width(v.Label)
	for _, b := range v.blocks {
		for _, r := range b {
			label = max(label, width(r.Label)+2)
		}
	}
	label = min(label, least(columns))
	n := len(v.Columns)
	for parts := 1; parts <= n; parts++ {
		panels = nil
		fits := true
		for p := range parts {
			from, to := p*n/parts, (p+1)*n/parts
			used := label + 2
			for _, x := range widths[from:to] {
				used += x + 2
			}
			fits = fits && used <= columns
			panels = append(panels, v.columns(from, to))
		}
		if fits {
			break
		}
	}
	return panels
}

// columns returns the view of the columns [from, to).
func (v *view) columns(from, to int) *view {
	table, part := *v.Table, *v
	table.Columns = table.Columns[from:to]
	part.Table, part.numeric, part.blocks = &table, v.numeric[from:to], nil
	if v.coverage != nil {
		part.coverage = v.coverage[from:to]
	}
	for _, b := range v.blocks {
		rows := slices.Clone(b)
		for i := range rows {
			rows[i].cells = rows[i].cells[from:to]
		}
		part.blocks = append(part.blocks, rows)
	}
	return &part
}

// text writes the columns side by side.
func (v *view) text(out io.Writer, columns int) error {
	t := v.Table
	cells := v.textCells()
	widths := v.textWidths(cells)
	used := 2 // the table writer puts a blank on both sides of a column
	for _, x := range widths {
		used += x + 2
	}
	room := max(least(columns), columns-used) // for labels

	var rows [][]string
	add := func(label string, cells []string) {
		row := append([]string{label}, cells...)
		rows = append(rows, append(row, make([]string, 1+len(t.Columns)-len(row))...))
	}
	indent := ""
	if slices.ContainsFunc(t.Blocks, func(b Block) bool { return b.Title != "" }) {
		indent = "  "
	}
	for b, block := range v.blocks {
		if b > 0 {
			add("", nil)
		}
		if title := t.Blocks[b].Title; title != "" {
			add(wrap(title, room, ""), nil)
		}
		for r, row := range block {
			add(indent+wrap(row.Label+textSigns.origin(row.Origin, " "), room-len(indent), indent+"  "), cells[b][r])
		}
	}
	if v.coverage != nil {
		add("", nil)
		add("coverage", v.coverage)
	}

	header := v.textHeader(widths)
	label := width(t.Label)
	for _, row := range rows {
		for line := range strings.SplitSeq(row[0], "\n") {
			label = max(label, width(line))
		}
	}
	fmt.Fprintln(out, strings.Repeat("─", label+used))
	if line := groupLine(t.Columns, label+2, widths); line != "" {
		fmt.Fprintln(out, line)
	}
	return v.layOut(out, header, rows, renderer.NewBlueprint(tw.Rendition{
		Borders: tw.Border{Left: tw.Off, Right: tw.Off, Top: tw.Off, Bottom: tw.On},
		Symbols: tw.NewSymbols(tw.StyleLight),
		Settings: tw.Settings{
			Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off},
			Lines:      tw.Lines{ShowTop: tw.Off, ShowHeaderLine: tw.On, ShowBottom: tw.On},
		},
	}))
}

// Markdown writes t as a GitHub-flavoured Markdown table below a heading line in
// bold, with <u> for underlined cells.
func Markdown(w io.Writer, t *Table) error {
	v, err := newView(t)
	if err != nil {
		return err
	}
	t = v.Table
	s := signs{best: "**Bold:**", second: "<u>underlined:</u>", quoted: "†", notStated: "‡", interval: "Ranges"}
	header := []string{escapeMarkdown(t.Label)}
	for _, c := range t.Columns {
		name := escapeMarkdown(c.title())
		if c.Group != "" {
			name = escapeMarkdown(c.Group) + "<br>" + name
		}
		header = append(header, name)
	}
	var rows [][]string
	for b, block := range v.blocks {
		if title := t.Blocks[b].Title; title != "" {
			rows = append(rows, append([]string{"*" + escapeMarkdown(title) + "*"}, make([]string, len(t.Columns))...))
		}
		for _, r := range block {
			row := []string{escapeMarkdown(r.Label) + s.origin(r.Origin, " ")}
			for k, c := range r.cells {
				row = append(row, c.markdown(v.numeric[k]))
			}
			rows = append(rows, row)
		}
	}
	if v.coverage != nil {
		rows = append(rows, append([]string{"*coverage*"}, v.coverage...))
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "**%s**\n\n", escapeMarkdown(t.Title))
	if err := v.layOut(&out, header, rows, renderer.NewMarkdown()); err != nil {
		return err
	}
	notes := v.legend(s)
	for _, n := range t.Notes {
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
func (v *view) layOut(w io.Writer, header []string, rows [][]string, r tw.Renderer) error {
	align := tw.CellAlignment{PerColumn: []tw.Align{tw.AlignLeft}}
	for k := range v.Columns {
		a := tw.AlignLeft
		if v.numeric[k] {
			a = tw.AlignRight
		}
		align.PerColumn = append(align.PerColumn, a)
	}
	asIs := tw.CellConfig{Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone}, Alignment: align}
	table := tablewriter.NewTable(w,
		tablewriter.WithConfig(tablewriter.Config{
			Header: asIs, Row: asIs,
			Behavior: tw.Behavior{TrimSpace: tw.Off, TrimLine: tw.Off},
		}),
		tablewriter.WithRenderer(r), tablewriter.WithEastAsian(tw.Off))
	table.Header(header)
	if err := table.Bulk(rows); err != nil {
		return fmt.Errorf("render: table %s: %w", v.ID, err)
	}
	if err := table.Render(); err != nil {
		return fmt.Errorf("render: table %s: %w", v.ID, err)
	}
	return nil
}

// textCells formats all cells for a terminal: our number and the printed one each
// in a column of its own, the interval and an unusual coverage in a second line.
func (v *view) textCells() [][][]string {
	ours, printed := make([]int, len(v.Columns)), make([]int, len(v.Columns))
	first := func(c viewCell) (string, string) {
		value := c.value
		switch c.mark {
		case best:
			value = textSigns.best + value
		case second:
			value = textSigns.second + value
		}
		if c.printed == "" {
			return value, ""
		}
		return value, " (" + c.printed + ")"
	}
	for _, block := range v.blocks {
		for _, r := range block {
			for k, c := range r.cells {
				a, b := first(c)
				ours[k], printed[k] = max(ours[k], width(a)), max(printed[k], width(b))
			}
		}
	}
	cells := make([][][]string, len(v.blocks))
	for i, block := range v.blocks {
		cells[i] = make([][]string, len(block))
		for j, r := range block {
			for k, c := range r.cells {
				a, b := first(c)
				if a == "" && v.numeric[k] && b == "" {
					a = "–"
				}
				cell := a
				if v.numeric[k] {
					cell = padLeft(a, ours[k]) + padLeft(b, printed[k])
				}
				if below := c.below(); below != "" {
					cell += "\n" + below
				}
				cells[i][j] = append(cells[i][j], cell)
			}
		}
	}
	return cells
}

// textWidths returns the width of each column, wide enough for its name, its cells
// and, together with its neighbours, its group's name.
func (v *view) textWidths(cells [][][]string) []int {
	widths := make([]int, len(v.Columns))
	for k, c := range v.Columns {
		for word := range strings.FieldsSeq(c.title()) { // longer names are broken
			widths[k] = max(widths[k], width(word))
		}
		if v.coverage != nil {
			widths[k] = max(widths[k], width(v.coverage[k]))
		}
		for _, block := range cells {
			for _, row := range block {
				for line := range strings.SplitSeq(row[k], "\n") {
					widths[k] = max(widths[k], width(line))
				}
			}
		}
	}
	for _, s := range spans(v.Columns) {
		room := 2*(s.hi-s.lo) - 2
		for _, x := range widths[s.lo:s.hi] {
			room += x
		}
		widths[s.hi-1] += max(0, width(s.group)-room)
	}
	return widths
}

// textHeader returns the names of the columns, broken into lines that fit and
// aligned at the bottom.
func (v *view) textHeader(widths []int) []string {
	names := [][]string{{v.Label}}
	deepest := 1
	for k, c := range v.Columns {
		lines := strings.Split(wrap(c.title(), widths[k], ""), "\n")
		if v.numeric[k] {
			for i := range lines {
				lines[i] = padLeft(lines[i], widths[k])
			}
		}
		names = append(names, lines)
		deepest = max(deepest, len(lines))
	}
	header := make([]string, len(names))
	for i, lines := range names {
		header[i] = strings.Repeat("\n", deepest-len(lines)) + strings.Join(lines, "\n")
	}
	return header
}

// groupLine returns the line of group names, each centred in a rule over its
// columns; "" if there is no group.
func groupLine(columns []Column, label int, widths []int) string {
	line := strings.Repeat(" ", label)
	any := false
	for _, s := range spans(columns) {
		room := 2*(s.hi-s.lo) - 2
		for _, x := range widths[s.lo:s.hi] {
			room += x
		}
		if s.group == "" {
			line += strings.Repeat(" ", room+2)
			continue
		}
		any = true
		name := s.group
		if free := room - width(name) - 2; free >= 2 {
			name = strings.Repeat("─", free/2) + " " + name + " " + strings.Repeat("─", free-free/2)
		}
		line += " " + name + strings.Repeat(" ", room-width(name)) + " "
	}
	if !any {
		return ""
	}
	return line
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

// width counts the terminal columns of s as the table writer does.
func width(s string) int { return twwidth.WidthWithOptions(s, twwidth.Options{}) }

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
