// Package report writes a run's results as one self-contained HTML page: it asks for
// nothing from outside, and shows in light and dark, on a phone and on paper. Its script only filters
// and sorts: everything is there without it.
package report

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
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

var page = template.Must(template.New("page").Parse(pageText))

// Write writes the page.
func Write(w io.Writer, p Page) error {
	v, err := p.view()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := page.Execute(&b, v); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err = b.WriteTo(w)
	return err
}

// view is the page as the template wants it.
type view struct {
	Profile, Description string
	Experiments          []experiment
	Runs                 []run
	Settings             string
	Verdict              *verdictView
	Stages               []stage
}

type experiment struct {
	Name    string
	Title   string
	Tables  []fragment
	Figures []picture
}

type fragment struct {
	ID, Title string
	HTML      template.HTML
	Wide      bool // has small letters on paper
}

type picture struct {
	ID, Title, Caption string
	Source             template.URL
	Width              float64
}

type run struct {
	Experiment, Engine, Program, Go, Machine, Started string
	Seed                                              uint64
	Seconds                                           string
}

type stage struct {
	Name      string
	Artefacts int
	Seconds   string
	seconds   float64
}

type verdictView struct {
	*verdict.Report
	Tolerance     string
	Why           string // the largest effects
	Effects       []effectView
	Names         []string // of all verdicts on cells
	Counts, Apart []count  // of cells computed here, and of others
	Tables        []tableVerdict
	Claims        []claimView
	HowDecided    string
}

type count struct {
	Name, Class string
	N           int
	Share       float64 // per cent
}

type tableVerdict struct {
	ID, Number, Title string
	Cells             []cell
	Counts            []count
}

type cell struct {
	verdict.Cell
	Anchor, Row, Column               string // for people
	Class, Ours, Interval, Difference string
}

type claimView struct {
	verdict.Claim
	Class  string
	Others []other
	Cells  []link // what it is about
	More   int    // further ones
}

type link struct{ Anchor, Text string }

type effectView struct {
	Change, Row, Before, After, Size, Class, Said string
}

type other struct {
	verdict.Outcome
	Class string
}

func class(v string) string {
	switch {
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

func (p Page) view() (*view, error) {
	v := &view{Profile: p.Profile, Description: p.Description}
	stages := map[string]*stage{}
	seen := map[string]bool{}
	for _, e := range p.Experiments {
		r := e.Results
		x := experiment{Name: r.Experiment, Title: e.Title}
		for _, t := range r.Tables {
			var b bytes.Buffer
			if err := render.HTML(&b, t); err != nil {
				return nil, err
			}
			x.Tables = append(x.Tables, fragment{
				t.ID, printable.Text(t.Title), template.HTML(b.String()), len(t.Columns) > 8,
			})
		}
		for _, f := range r.Figures {
			drawn, err := draw(f)
			if err != nil {
				return nil, err
			}
			x.Figures = append(x.Figures, drawn)
		}
		v.Experiments = append(v.Experiments, x)
		m := r.Machine
		v.Runs = append(v.Runs, run{
			Experiment: r.Experiment, Engine: r.Engine, Program: r.Program, Go: r.Go, Seed: r.Seed,
			Seconds: duration(r.Seconds),
			Started: r.Started.Format(time.RFC3339),
			Machine: fmt.Sprintf("%s, %s, %d threads, %.0f GB",
				m.System, m.Processor, m.Threads, float64(m.Memory)/1e9),
		})
		for _, a := range r.Artefacts {
			if seen[a.Key] {
				continue
			}
			seen[a.Key] = true
			if stages[a.Stage] == nil {
				stages[a.Stage] = &stage{Name: a.Stage}
			}
			stages[a.Stage].Artefacts++
			stages[a.Stage].seconds += a.Seconds
		}
		v.Settings = r.Settings
	}
	for _, s := range stages {
		s.Seconds = duration(s.seconds)
		v.Stages = append(v.Stages, *s)
	}
	slices.SortFunc(v.Stages, func(a, b stage) int { return strings.Compare(a.Name, b.Name) })
	if p.Verdict != nil {
		v.Verdict = viewVerdict(p.Verdict, effects(p.Experiments))
	}
	return v, nil
}

func viewVerdict(r *verdict.Report, effects []effect) *verdictView {
	v := &verdictView{
		Report: r, Tolerance: verdict.Tolerance, HowDecided: r.HowDecided(),
		Counts: counts(r.Cells, verdict.Computed()), Apart: counts(r.Cells, verdict.Apart()),
		Why: causes(effects),
	}
	for _, e := range effects {
		view := effectView{
			Change: e.Change, Row: e.Row, Before: show(e.Before), After: show(e.After),
			Size: fmt.Sprintf("%+.1f", e.Size), Class: "open", Said: "within chance",
		}
		if e.Shown {
			view.Class, view.Said = "good", "beyond chance"
		}
		v.Effects = append(v.Effects, view)
	}
	for _, name := range verdict.Verdicts() {
		v.Names = append(v.Names, string(name))
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
				if cause := shown(c, effects); cause != "" {
					c.Reason += "; " + cause
				}
				own = append(own, c)
				a := published.Address{Table: c.Table, Row: c.Row, Column: c.Column}
				_, row, column := a.People()
				anchors[a] = fmt.Sprintf("%s-%d", id, len(own))
				t.Cells = append(t.Cells, cell{
					Cell: c, Anchor: anchors[a], Row: row, Column: column, Class: class(string(c.Verdict)), Ours: ours,
					Interval: interval, Difference: c.Difference(),
				})
			}
		}
		if t.Counts = counts(own, verdict.Verdicts()); len(own) > 0 {
			v.Tables = append(v.Tables, t)
		}
	}
	about := map[string][]published.Address{}
	for _, c := range published.Claims() {
		for _, t := range c.Tests {
			about[c.ID] = append(append(about[c.ID], t.Left...), t.Right...)
		}
	}
	for _, c := range r.Claims {
		view := claimView{Claim: c, Class: class(string(c.Decision))}
		for _, o := range c.Others {
			view.Others = append(view.Others, other{o, class(string(o.Decision))})
		}
		seen := map[published.Address]bool{}
		for _, a := range about[c.ID] {
			switch anchor := anchors[a]; {
			case anchor == "" || seen[a]:
			case len(view.Cells) == mostLinks:
				view.More++
			default:
				table, row, column := a.People()
				view.Cells = append(view.Cells, link{anchor, table + ": " + row + ", " + column})
			}
			seen[a] = true
		}
		v.Claims = append(v.Claims, view)
	}
	return v
}

// mostLinks is the number of cells that a claim links to.
const mostLinks = 4

func show(c render.Cell) string {
	return fmt.Sprintf("%.1f [%.1f, %.1f]", *c.Value, c.Interval.Low, c.Interval.High)
}

// counts lists those of the verdicts that occur, with their shares of one another.
func counts(cells []verdict.Cell, of []verdict.Verdict) (all []count) {
	n, total := verdict.Count(cells), 0
	for _, v := range of {
		total += n[v]
	}
	for _, v := range of {
		if n[v] > 0 {
			all = append(all, count{string(v), class(string(v)), n[v], 100 * float64(n[v]) / float64(total)})
		}
	}
	return all
}

// draw draws a figure from its data into the page.
func draw(f results.Figure) (picture, error) {
	var described figure.Figure
	if err := json.Unmarshal(f.Data, &described); err != nil {
		return picture{}, fmt.Errorf("report: figure %s: %w", f.ID, err)
	}
	// As pixels: text in an SVG shows in whatever font a reader has.
	var png bytes.Buffer
	if err := figure.PNG(&png, &described); err != nil {
		return picture{}, fmt.Errorf("report: %w", err)
	}
	return picture{
		ID: f.ID, Title: printable.Text(f.Title), Caption: printable.Text(described.Caption),
		Width:  described.Width * 4 / 3, // points to pixels
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
