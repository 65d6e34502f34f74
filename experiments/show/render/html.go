package render

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"strings"
	"text/template"
)

var htmlSigns = signs{best: "Bold:", second: "underlined:", quoted: "†", notStated: "‡", interval: "Small ranges"}

// htmlTable has the alignment of each column twice: for viewers that take styles out, and for those whose own style
// comes first. Numbers are HTML when they come to it, everything else is text.
var htmlTable = template.Must(template.New("table").Funcs(template.FuncMap{
	"title": Column.title, "cell": viewCell.html, "spans": spans,
	"origin": func(o Origin) string { return htmlSigns.origin(o, "\u00a0") },
	"align": func(numeric bool) string {
		side := map[bool]string{false: "left", true: "right"}[numeric]
		return fmt.Sprintf(`align="%s" style="text-align:%s"`, side, side)
	},
	"above": func(columns []Column) int { // rows of the header
		for _, c := range columns {
			if c.Group != "" {
				return 2
			}
		}
		return 1
	},
	"width": func(v *view) int { return 1 + len(v.Columns) },
	"below": func(v *view) string {
		lines := strings.Join(append(v.legend(htmlSigns), v.Notes...), "\n")
		return strings.ReplaceAll(html.EscapeString(lines), "\n", "<br>\n")
	},
}).Parse(`{{$rows := above .Columns -}}
<table>
<caption style="text-align:left"><b>{{html .Title}}</b></caption>
<thead>
<tr><th {{align false}} rowspan="{{$rows}}">{{html .Label}}</th>
{{- range spans .Columns}}{{if .Group -}}
<th align="center" style="text-align:center" colspan="{{len .Columns}}">{{html .Group}}</th>
{{- else}}<th {{align (index $.Numeric .First)}} rowspan="{{$rows}}">{{html (title (index .Columns 0))}}</th>
{{- end}}{{end}}</tr>
{{if eq $rows 2}}<tr>
{{- range $k, $c := .Columns}}{{if .Group}}<th {{align (index $.Numeric $k)}}>{{html (title $c)}}</th>{{end}}{{end}}</tr>
{{end}}</thead>
<tbody>
{{range .Blocks}}{{with .Title -}}
<tr><th {{align false}} colspan="{{width $}}"><i>{{html .}}</i></th></tr>
{{end}}{{range .Rows}}<tr><td {{align false}}>{{html .Label}}{{origin .Origin}}</td>
{{- range $k, $c := .Cells}}{{$n := index $.Numeric $k}}<td {{align $n}}>{{cell $c $n}}</td>{{end}}</tr>
{{end}}{{end}}{{with .Coverage}}<tr><td {{align false}}><i>coverage</i></td>
{{- range $k, $c := .}}<td {{align (index $.Numeric $k)}}>{{html $c}}</td>{{end}}</tr>
{{end}}</tbody>
</table>
{{with below .}}<p><small>{{.}}</small></p>
{{end}}`))

// HTML writes t as a fragment of a page: a table with the printed number in
// parentheses next to ours and the interval below, and the notes. It needs no
// style sheet, so that it shows wherever styles are taken out of pages.
func HTML(w io.Writer, t *Table) error {
	v, err := newView(t)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := htmlTable.Execute(&out, v); err != nil {
		return fmt.Errorf("render: table %s: %w", t.ID, err)
	}
	_, err = out.WriteTo(w)
	return err
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
