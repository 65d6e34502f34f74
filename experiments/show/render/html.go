package render

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"strings"
)

var htmlSigns = signs{best: "Bold:", second: "underlined:", quoted: "†", notStated: "‡", interval: "Small ranges"}

// HTML writes t as a fragment of a page: a table with the printed number in
// parentheses next to ours and the interval below, and the notes. It needs no
// style sheet, so that it shows wherever styles are taken out of pages.
func HTML(w io.Writer, t *Table) error {
	v, err := newView(t)
	if err != nil {
		return err
	}
	t = v.Table
	var out bytes.Buffer
	columns := 1 + len(t.Columns)
	fmt.Fprintf(&out, "<table>\n<caption style=\"text-align:left\"><b>%s</b></caption>\n<thead>\n",
		html.EscapeString(t.Title))
	rows := 1
	for _, c := range t.Columns {
		if c.Group != "" {
			rows = 2
		}
	}
	fmt.Fprintf(&out, "<tr><th align=\"left\" style=\"text-align:left\" rowspan=\"%d\">%s</th>", rows,
		html.EscapeString(t.Label))
	var below []int
	for _, s := range spans(t.Columns) {
		if s.group != "" {
			fmt.Fprintf(&out, "<th align=\"center\" style=\"text-align:center\" colspan=\"%d\">%s</th>", s.hi-s.lo,
				html.EscapeString(s.group))
			for k := s.lo; k < s.hi; k++ {
				below = append(below, k)
			}
			continue
		}
		fmt.Fprintf(&out, "<th %s rowspan=\"%d\">%s</th>", v.align(s.lo), rows,
			html.EscapeString(t.Columns[s.lo].title()))
	}
	out.WriteString("</tr>\n")
	if rows == 2 {
		out.WriteString("<tr>")
		for _, k := range below {
			fmt.Fprintf(&out, "<th %s>%s</th>", v.align(k), html.EscapeString(t.Columns[k].title()))
		}
		out.WriteString("</tr>\n")
	}
	out.WriteString("</thead>\n<tbody>\n")
	for b, block := range v.blocks {
		if title := t.Blocks[b].Title; title != "" {
			fmt.Fprintf(&out, "<tr><th align=\"left\" style=\"text-align:left\" colspan=\"%d\"><i>%s</i></th></tr>\n",
				columns, html.EscapeString(title))
		}
		for _, r := range block {
			fmt.Fprintf(&out, "<tr><td align=\"left\" style=\"text-align:left\">%s%s</td>", html.EscapeString(r.Label),
				htmlSigns.origin(r.Origin, "\u00a0"))
			for k, c := range r.cells {
				fmt.Fprintf(&out, "<td %s>%s</td>", v.align(k), c.html(v.numeric[k]))
			}
			out.WriteString("</tr>\n")
		}
	}
	if v.coverage != nil {
		out.WriteString("<tr><td align=\"left\" style=\"text-align:left\"><i>coverage</i></td>")
		for k, c := range v.coverage {
			fmt.Fprintf(&out, "<td %s>%s</td>", v.align(k), html.EscapeString(c))
		}
		out.WriteString("</tr>\n")
	}
	out.WriteString("</tbody>\n</table>\n")
	if notes := append(v.legend(htmlSigns), t.Notes...); len(notes) > 0 {
		for i := range notes {
			notes[i] = html.EscapeString(notes[i])
		}
		fmt.Fprintf(&out, "<p><small>%s</small></p>\n", strings.Join(notes, "<br>\n"))
	}
	_, err = out.WriteTo(w)
	return err
}

// align returns the attributes that align a column: one for viewers that take styles
// out, one for those whose own style comes first.
func (v *view) align(k int) string {
	side := "left"
	if v.numeric[k] {
		side = "right"
	}
	return fmt.Sprintf("align=\"%s\" style=\"text-align:%s\"", side, side)
}

func (c viewCell) html(numeric bool) string {
	// A number and its neighbour stay in one line.
	cell := c.first(html.EscapeString(c.value), [2]string{"<b>", "</b>"}, "\u00a0")
	if cell == "" && numeric {
		return "–"
	}
	if below := c.below(); below != "" {
		// Word joiners keep an interval in one line too.
		below = strings.ReplaceAll(below, "…", "\u2060…\u2060")
		cell += "<br><small>" + html.EscapeString(below) + "</small>"
	}
	return cell
}
