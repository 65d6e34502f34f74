// Package present makes tables of what rows of a profile ran with, and of what seeds change.
package present

import (
	"cmp"
	"fmt"
	"strconv"

	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
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

// SettingHeaders are the columns of tables of settings: first, which are the section's own, and
// those that rows of transport fill.
func SettingHeaders(first ...string) []render.Column {
	var columns []render.Column
	for _, name := range first {
		columns = append(columns, render.Column{Name: name, Unmarked: true})
	}
	for _, c := range settingColumns {
		columns = append(columns, render.Column{Name: c.name, Unmarked: true})
	}
	return columns
}

// SettingCells are the cells under SettingHeaders.
func SettingCells(r profile.Row, first ...string) []render.Cell {
	var cells []render.Cell
	for _, text := range first {
		cells = append(cells, render.Cell{Text: text})
	}
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

// ByBlock puts rows under the titles of the blocks that they name, in the blocks' order. cells
// returns what row r shows; nil leaves it out, and a block without rows is left out too.
func ByBlock(blocks []profile.Block, rows []profile.Row, cells func(r int) []render.Cell) []render.Block {
	var out []render.Block
	for _, b := range blocks {
		block := render.Block{Title: b.Title}
		for r, row := range rows {
			if row.Block != b.ID {
				continue
			}
			if shown := cells(r); shown != nil {
				block.Rows = append(block.Rows, render.Row{Key: row.ID, Label: row.Label, Cells: shown})
			}
		}
		if block.Rows != nil {
			out = append(out, block)
		}
	}
	return out
}

// Best returns a block for each row whose settings were chosen: the shown best of tried, which has
// each row's best first. title is told how many were tried, cells the place of a candidate, from 0.
func Best(shown int, rows []profile.Row, tried []pipeline.Trial[profile.Row], title func(
	row profile.Row, tried int,
) string, cells func(place int, c pipeline.Trial[profile.Row]) []render.Cell) []render.Block {
	var out []render.Block
	for _, row := range rows {
		if !row.Select {
			continue
		}
		place, block := 0, render.Block{}
		for _, c := range tried {
			if c.Row.ID != row.ID {
				continue
			}
			if place < shown {
				rank := strconv.Itoa(place + 1)
				block.Rows = append(block.Rows, render.Row{
					Key: row.ID + "/" + rank, Label: rank, Cells: cells(place, c),
				})
			}
			place++
		}
		block.Title = title(row, place)
		out = append(out, block)
	}
	return out
}

// Number writes a setting with as many digits as it takes.
func Number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
