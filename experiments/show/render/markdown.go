package render

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

var markdownSigns = signs{
	best: "**Bold:**", second: "<u>underlined:</u>", quoted: "†", notStated: "‡", interval: "Ranges",
}

// Markdown writes t as a GitHub-flavoured Markdown table below a heading line in
// bold, with <u> for underlined cells.
func Markdown(w io.Writer, t *Table) error {
	v, err := newView(t)
	if err != nil {
		return err
	}
	header := []string{escapeMarkdown(v.Label)}
	for _, c := range v.Columns {
		name := escapeMarkdown(c.Shown())
		if c.Group != "" {
			name = escapeMarkdown(c.Group) + "<br>" + name
		}
		header = append(header, name)
	}
	rows := [][]string{header}
	add := func(label string, cells []string) { rows = append(rows, append([]string{label}, cells...)) }
	for _, block := range v.Blocks {
		if block.Title != "" {
			add("*"+escapeMarkdown(block.Title)+"*", make([]string, len(v.Columns)))
		}
		for _, r := range block.Rows {
			var cells []string
			for k, c := range r.Cells {
				cells = append(cells, c.markdown(v.Numeric[k]))
			}
			add(escapeMarkdown(r.Label)+markdownSigns.origin(r.Origin, " "), cells)
		}
	}
	if v.Coverage != nil {
		add("*coverage*", v.Coverage)
	}
	widths := make([]int, len(header))
	for _, row := range rows {
		for k, cell := range row {
			widths[k] = max(widths[k], width(cell))
		}
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "**%s**\n\n", escapeMarkdown(v.Title))
	for i, row := range rows {
		v.layOut(&out, row, widths, "|")
		if i > 0 {
			continue
		}
		for k, n := range widths {
			rule := strings.Repeat("-", n+1)
			if k > 0 && v.Numeric[k-1] {
				out.WriteString("|" + rule + ":")
			} else {
				out.WriteString("|:" + rule)
			}
		}
		out.WriteString("|\n")
	}
	notes := v.legend(markdownSigns)
	for _, n := range v.Notes {
		notes = append(notes, escapeMarkdown(n))
	}
	if len(notes) > 0 {
		fmt.Fprintf(&out, "\n%s\n", strings.Join(notes, "<br>\n"))
	}
	_, err = out.WriteTo(w)
	return err
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
