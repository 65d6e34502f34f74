// Package report writes a run's results as one self-contained HTML page: it asks for
// nothing from outside, and shows in light and dark, on a phone and on paper. Its script only filters
// and sorts: everything is there without it.
package report

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"contextmover/experiments/harness/published"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/judge/verdict"
	"contextmover/experiments/show/figure"
	"contextmover/experiments/show/render"
	"contextmover/internal/printable"
)

// Page is what a report shows.
type Page struct {
	Profile     string
	Description string
	// Experiments are shown in this order.
	Experiments []Experiment
	// Verdict compares with the paper, nil where the profile has nothing in it.
	Verdict *verdict.Report
}

// Experiment is what one experiment found.
type Experiment struct {
	Title   string
	Results *results.Result
}

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"class": class, "draw": draw, "duration": duration, "printable": printable.Text,
	"table": func(t *render.Table) (template.HTML, error) {
		var b strings.Builder
		err := render.HTML(&b, t)
		return template.HTML(b.String()), err
	},
	"verdicts": verdict.Verdicts,
}).Parse(pageText))

// Write writes the page.
func Write(w io.Writer, p Page) error {
	v := view{Page: p, Stages: p.stages()}
	if p.Verdict != nil {
		v.Verdict = viewVerdict(p.Verdict)
	}
	var b bytes.Buffer
	if err := page.Execute(&b, v); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err := b.WriteTo(w)
	return err
}

// view is the page as the template wants it.
type view struct {
	Page
	Verdict *verdictView
	Stages  []*stage
}

// Settings are those of the last experiment.
func (v view) Settings() string {
	settings := ""
	for _, e := range v.Experiments {
		settings = e.Results.Settings
	}
	return settings
}

type picture struct {
	Caption string
	Source  template.URL
	Width   float64
}

type stage struct {
	Name      string
	Artefacts int
	Seconds   float64
}

type verdictView struct {
	*verdict.Report
	Tolerance     string
	Counts, Apart []count // of cells computed here, and of others
	Tables        []tableVerdict
	Claims        []claimView
}

type count struct {
	Name  verdict.Verdict
	N     int
	Share float64 // per cent
}

type tableVerdict struct {
	ID, Number, Title string
	Cells             []cell
	Counts            []count
}

type cell struct {
	verdict.Cell
	Anchor, Row, Column string // for people
	Ours, Interval      string
}

type claimView struct {
	verdict.Claim
	Cells []link // what it is about
}

type link struct{ Anchor, Text string }

// class is that of a verdict or a decision in the style sheet.
func class(of any) string {
	switch v := fmt.Sprint(of); {
	case v == string(verdict.Within), v == string(verdict.SameWord), v == string(verdict.Holds),
		v == string(verdict.Shown), v == string(verdict.Reached):
		return "good"
	case strings.HasPrefix(v, string(verdict.Differs)), v == string(verdict.Fails):
		return "bad"
	case v == string(verdict.Indistinguishable), v == string(verdict.Undecided):
		return "open"
	}
	return "none"
}

// stages sums up what all experiments used, by the names of the stages.
func (p Page) stages() []*stage {
	stages := map[string]*stage{}
	seen := map[string]bool{}
	for _, e := range p.Experiments {
		for _, a := range e.Results.Artefacts {
			if seen[a.Key] {
				continue
			}
			seen[a.Key] = true
			if stages[a.Stage] == nil {
				stages[a.Stage] = &stage{Name: a.Stage}
			}
			stages[a.Stage].Artefacts++
			stages[a.Stage].Seconds += a.Seconds
		}
	}
	return slices.SortedFunc(maps.Values(stages), func(a, b *stage) int { return strings.Compare(a.Name, b.Name) })
}

func viewVerdict(r *verdict.Report) *verdictView {
	v := &verdictView{
		Report: r, Tolerance: verdict.Tolerance,
		Counts: counts(r.Cells, verdict.Computed()), Apart: counts(r.Cells, verdict.Apart()),
	}
	anchors := map[published.Address]string{}
	for _, id := range append(published.IDs(), published.TextTable) {
		t := tableVerdict{ID: id, Number: "Text", Title: "Numbers in the running text"}
		if paper, err := published.Load(id); err == nil {
			t.Number, t.Title = paper.PaperNumber, paper.Title
		}
		var own []verdict.Cell
		for _, cells := range [][]verdict.Cell{r.Cells, r.Text} {
			for _, c := range cells {
				if c.Table != id {
					continue
				}
				ours, interval := c.Show()
				own = append(own, c)
				_, row, column := c.People()
				anchors[c.Address] = fmt.Sprintf("%s-%d", id, len(own))
				t.Cells = append(t.Cells, cell{
					Cell: c, Anchor: anchors[c.Address], Row: row, Column: column, Ours: ours, Interval: interval,
				})
			}
		}
		if t.Counts = counts(own, verdict.Verdicts()); len(own) > 0 {
			v.Tables = append(v.Tables, t)
		}
	}
	for i, p := range published.Claims() {
		view := claimView{Claim: r.Claims[i]}
		for _, t := range p.Tests {
			for _, a := range slices.Concat(t.Left, t.Right) {
				table, row, column := a.People()
				cell := link{anchors[a], table + ": " + row + ", " + column}
				if cell.Anchor != "" && !slices.Contains(view.Cells, cell) {
					view.Cells = append(view.Cells, cell)
				}
			}
		}
		v.Claims = append(v.Claims, view)
	}
	return v
}

// counts lists those of the verdicts that occur, with their shares of one another.
func counts(cells []verdict.Cell, of []verdict.Verdict) (all []count) {
	n, total := verdict.Count(cells), 0
	for _, v := range of {
		total += n[v]
	}
	for _, v := range of {
		if n[v] > 0 {
			all = append(all, count{v, n[v], 100 * float64(n[v]) / float64(total)})
		}
	}
	return all
}

// draw draws a figure from its data into the page.
func draw(f results.Figure) (picture, error) {
	described, err := figure.Decode(f.Data)
	if err != nil {
		return picture{}, fmt.Errorf("report: figure %s: %w", f.ID, err)
	}
	// As pixels: text in an SVG shows in whatever font a reader has.
	var png bytes.Buffer
	if err := figure.PNG(&png, described); err != nil {
		return picture{}, fmt.Errorf("report: %w", err)
	}
	return picture{
		Caption: printable.Text(described.Caption), Width: described.Width * 4 / 3, // points to pixels
		Source: template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(png.Bytes())),
	}, nil
}

func duration(seconds float64) string {
	switch {
	case seconds < 1:
		return fmt.Sprintf("%.2f s", seconds)
	case seconds < 60:
		return fmt.Sprintf("%.1f s", seconds)
	}
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}
