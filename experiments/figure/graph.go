package figure

import (
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Graph shows boxes in columns, and a line from each box to those that come from it.
type Graph struct {
	Boxes []Box `json:"boxes"`
}

// Box is one of them, with what is written in it.
type Box struct {
	Name   string   `json:"name"`
	Lines  []string `json:"lines"`
	Column int      `json:"column"`
	From   []int    `json:"from"` // boxes in columns further left
	Colour string   `json:"colour"`
}

func (g *Graph) check() error {
	if len(g.Boxes) == 0 {
		return fmt.Errorf("a graph without boxes")
	}
	for i, b := range g.Boxes {
		if b.Column < 0 || b.Column > len(g.Boxes) {
			return fmt.Errorf("box %d, %q, is in column %d of a graph of %d boxes", i, b.Name, b.Column, len(g.Boxes))
		}
		for _, from := range b.From {
			if from < 0 || from >= len(g.Boxes) || g.Boxes[from].Column >= b.Column {
				return fmt.Errorf("box %d, %q, comes from box %d, expected one in a column further left",
					i, b.Name, from)
			}
		}
		if _, err := parseColour(b.Colour); err != nil {
			return fmt.Errorf("box %q: %w", b.Name, err)
		}
	}
	return nil
}

// draw spreads the boxes of each column evenly, and cuts text that is wider than its box.
func (g *Graph) draw(canvas draw.Canvas, in letters) {
	columns, inColumn := 0, map[int]int{}
	for _, b := range g.Boxes {
		columns = max(columns, b.Column+1)
		inColumn[b.Column]++
	}
	width := canvas.Max.X - canvas.Min.X
	step := width / vg.Length(columns)
	boxes := make([]vg.Rectangle, len(g.Boxes))
	placed := map[int]int{}
	for i, b := range g.Boxes {
		height := vg.Length(len(b.Lines)+1)*(smallSize+1) + 4
		space := (canvas.Max.Y - canvas.Min.Y) / vg.Length(inColumn[b.Column])
		middle := canvas.Max.Y - space*(vg.Length(placed[b.Column])+0.5)
		placed[b.Column]++
		left := canvas.Min.X + step*vg.Length(b.Column) + 1
		boxes[i] = vg.Rectangle{
			Min: vg.Point{X: left, Y: middle - min(height, space-2)/2},
			Max: vg.Point{X: left + 0.78*step, Y: middle + min(height, space-2)/2},
		}
	}
	for i, b := range g.Boxes {
		for _, from := range b.From {
			start := vg.Point{X: boxes[from].Max.X, Y: (boxes[from].Min.Y + boxes[from].Max.Y) / 2}
			end := vg.Point{X: boxes[i].Min.X, Y: (boxes[i].Min.Y + boxes[i].Max.Y) / 2}
			bend := (end.X - start.X) / 2
			var line vg.Path
			line.Move(start)
			line.CubeTo(vg.Point{X: start.X + bend, Y: start.Y}, vg.Point{X: end.X - bend, Y: end.Y}, end)
			canvas.SetLineStyle(draw.LineStyle{Color: grey, Width: 0.4})
			canvas.Stroke(line)
		}
	}
	for i, b := range g.Boxes {
		r := boxes[i]
		corners := []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}}
		canvas.FillPolygon(lighter(mustColour(b.Colour), 0.8), corners)
		canvas.StrokeLines(draw.LineStyle{Color: mustColour(b.Colour), Width: 0.5}, append(corners, corners[0]))
		text := in.style(smallSize)
		text.YAlign = draw.YTop
		y := r.Max.Y - 2
		for _, line := range append([]string{b.Name}, b.Lines...) {
			for text.Rectangle(line).Size().X > r.Max.X-r.Min.X-4 && len(line) > 2 {
				runes := []rune(line)
				line = string(runes[:len(runes)-2]) + "…"
			}
			canvas.FillText(text, vg.Point{X: r.Min.X + 2, Y: y}, line)
			y -= smallSize + 1
		}
	}
}
