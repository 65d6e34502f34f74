// Package present makes tables of what rows of a profile ran with, and of what seeds change.
package present

import (
	"cmp"
	"fmt"
	"strconv"

	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/published"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/show/render"
)

// settingColumns are what the tables of settings show of a row of transport.
var settingColumns = []struct {
	name string
	text func(method.Histograms) string
}{
	{"α", func(r method.Histograms) string { return Number(r.Smoothing) }},
	{"s", func(r method.Histograms) string { return Number(r.Shift) }},
	{"β", func(r method.Histograms) string {
		if r.Normalisation != "total" {
			return string(r.Normalisation)
		}
		return Number(r.Beta)
	}},
	{"K", func(r method.Histograms) string { return strconv.Itoa(r.Clusters) }},
	{"cost", func(r method.Histograms) string { return string(r.Metric) + ", " + string(r.CostNormalisation) }},
	{"clip/λ", func(r method.Histograms) string { return Number(r.Clip) }},
	{"λ", func(r method.Histograms) string { return Number(r.Reg) }},
	{"m", func(r method.Histograms) string {
		if r.Mix == 0 || r.PointWeights == "uniform" {
			return Number(r.Mix)
		}
		return fmt.Sprintf("%s, a = %s", Number(r.Mix), Number(r.PointA))
	}},
}

// Table returns a table of a profile, which its title names, without columns and rows.
func Table(p *profile.Profile, id, label, title string, notes ...string) *render.Table {
	return render.NewTable(id, label, fmt.Sprintf("%s (profile %s)", title, p.Name), notes...)
}

// Cell shows an estimate, – where there is none.
func Cell(e *score.Estimate) render.Cell {
	if e == nil {
		return render.Cell{Text: "–"}
	}
	return pipeline.Cell(*e)
}

// PrintedOnly adds a row that the paper prints and the program has none for.
func PrintedOnly(t *render.Table, printed published.Row, key string, cells []render.Cell) {
	row := t.Add("printed only", key, printed.Label, cells...)
	if printed.Origin != published.Run {
		row.Origin = render.Origin(printed.Origin)
	}
}

// SettingHeaders names the columns of tables of settings: first, which are the section's own, and
// those that rows of transport fill.
func SettingHeaders(first ...string) []string {
	for _, c := range settingColumns {
		first = append(first, c.name)
	}
	return first
}

// SettingCells are the cells under SettingHeaders.
func SettingCells(r profile.Row, first ...string) []render.Cell {
	cells := render.Texts(first...)
	h, histograms := method.GroupOf[method.Histograms](r.Method)
	transport, transported := method.GroupOf[method.Transport](r.Method)
	h.Transport = transport
	for _, c := range settingColumns {
		text := c.text(h)
		if !histograms && !(c.name == "λ" && transported) || text == "0" {
			text = "–"
		}
		if c.name == "cost" { // and what the method alone has
			for _, f := range method.Others(r.Method) {
				text += fmt.Sprintf(", %s %s", cmp.Or(f.Sign, f.Name), f.Text(r.Method))
			}
		}
		cells = append(cells, render.Cell{Text: text})
	}
	return cells
}

// ByBlock adds rows under the titles of the blocks that they name, in the blocks' order. cells returns what row r
// shows.
func ByBlock(t *render.Table, blocks []profile.Block, rows []profile.Row, cells func(r int) []render.Cell) {
	for _, b := range blocks {
		for r, row := range rows {
			if row.Block == b.ID {
				t.Add(b.Title, row.ID, row.Label, cells(r)...)
			}
		}
	}
}

// shownBest is how many of the settings tried for a row are shown.
const shownBest = 5

// Best adds a block for each row whose settings were chosen: the best of those tried. title is what the block is of,
// cells is told the place of a candidate, from 0.
func Best(t *render.Table, rows []profile.Row, tried pipeline.Tried,
	title func(row profile.Row) string, cells func(place int, c pipeline.Trial[profile.Row]) []render.Cell) {
	for _, row := range rows {
		own := tried[row.ID]
		for place, c := range own[:min(shownBest, len(own))] {
			rank := strconv.Itoa(place + 1)
			t.Add(fmt.Sprintf("%s: %d tried", title(row), len(own)), row.ID+"/"+rank, rank, cells(place, c)...)
		}
	}
}

// Number writes a setting with as many digits as it takes.
func Number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
