package render

import (
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
	"text/template"
)

var htmlSigns = signs{best: "Bold:", second: "underlined:", quoted: "†", notStated: "‡", interval: "Small ranges"}

var fragment = template.Must(template.New("").Funcs(template.FuncMap{"sign": htmlSigns.origin}).Parse(`<table>
<caption style="text-align:left"><b>{{html .Title}}</b></caption>
<thead>
<tr><th align="left" style="text-align:left" rowspan="{{.HeaderRows}}">{{html .Label}}</th>
{{- range .Spans -}}
	{{if .Group -}}
		<th align="center" style="text-align:center" colspan="{{len .Columns}}">{{html .Group}}</th>
	{{- else -}}
		{{range .Columns}}<th {{$.Align .}} rowspan="{{$.HeaderRows}}">{{html (index $.Columns .).Shown}}</th>{{end}}
	{{- end}}
{{- end}}</tr>
{{if eq .HeaderRows 2}}<tr>
	{{- range .Spans}}{{if .Group}}{{range .Columns}}<th {{$.Align .}}>{{html (index $.Columns .).Shown}}</th>{{end}}{{end}}{{end -}}
</tr>
{{end}}</thead>
<tbody>
{{range .Blocks}}
	{{- with .Title}}<tr><th align="left" style="text-align:left" colspan="{{$.Wide}}"><i>{{html .}}</i></th></tr>
{{end}}
	{{- range .Rows}}<tr><td align="left" style="text-align:left">{{html .Label}}{{sign .Origin " "}}</td>
		{{- range $k, $c := .Cells}}<td {{$.Align $k}}>{{$.Cell $k $c}}</td>{{end}}</tr>
{{end}}
{{- end}}
{{- with .Coverage}}<tr><td align="left" style="text-align:left"><i>coverage</i></td>
	{{- range $k, $c := .}}<td {{$.Align $k}}>{{html $c}}</td>{{end}}</tr>
{{end}}</tbody>
</table>
{{with .Lines}}<p><small>{{range $i, $l := .}}{{if $i}}<br>
{{end}}{{html $l}}{{end}}</small></p>
{{end}}`))

// HTML writes t as a fragment of a page: a table with the printed number in
// parentheses next to ours and the interval below, and the notes. It needs no
// style sheet, so that it shows wherever styles are taken out of pages.
func HTML(w io.Writer, t *Table) error {
	v, err := newView(t)
	if err != nil {
		return err
	}
	x := htmlView{
		view: v, Spans: spans(v.Columns), HeaderRows: 1, Wide: 1 + len(v.Columns),
		Lines: append(v.legend(htmlSigns), v.Notes...),
	}
	if slices.ContainsFunc(v.Columns, func(c Column) bool { return c.Group != "" }) {
		x.HeaderRows = 2
	}
	return fragment.Execute(w, x)
}

// htmlView is what the template shows.
type htmlView struct {
	*view
	Spans            []span
	HeaderRows, Wide int // lines of the header, and columns with that of the labels
	Lines            []string
}

// Align returns the attributes that align a column: one for viewers that take styles
// out, one for those whose own style comes first.
func (v htmlView) Align(k int) string {
	side := "left"
	if v.Numeric[k] {
		side = "right"
	}
	return fmt.Sprintf("align=\"%s\" style=\"text-align:%s\"", side, side)
}

// Cell returns what a cell of a column shows.
func (v htmlView) Cell(k int, c viewCell) string {
	// A number and its neighbour stay in one line, and word joiners keep an interval in one, too.
	below := strings.ReplaceAll(html.EscapeString(c.below()), "…", "\u2060…\u2060")
	cell := c.first(html.EscapeString(c.value), [2]string{"<b>", "</b>"}, "\u00a0")
	switch {
	case cell == "" && v.Numeric[k]:
		return "–"
	case below != "":
		return cell + "<br><small>" + below + "</small>"
	}
	return cell
}
