package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Plan shows a transport plan as squares: the darker, the more mass moves from the
// row's context to the column's. The share of the mass is written into each square.
type Plan struct {
	// From and To are the words whose contexts are the rows and the columns.
	From string   `json:"from"`
	To   string   `json:"to"`
	Rows []string `json:"rows"`
	Cols []string `json:"cols"`
	// Mass has a row for each context of From.
	Mass [][]float64 `json:"mass"`
}

func (p *Plan) check() error { return checkTable("masses", p.Mass, p.Rows, p.Cols) }

// checkTable returns an error if the values are not those of each row and column.
func checkTable(what string, values [][]float64, rows, cols []string) error {
	if len(rows) == 0 || len(cols) == 0 || len(values) != len(rows) {
		return fmt.Errorf("%d rows of %s for %d × %d names", len(values), what, len(rows), len(cols))
	}
	for i, row := range values {
		if len(row) != len(cols) {
			return fmt.Errorf("row %q has %d %s for %d columns", rows[i], len(row), what, len(cols))
		}
	}
	return nil
}

// keys implements kind: numbers stand in the squares.
func (p *Plan) keys(*names) []key { return nil }

func (p *Plan) draw(c draw.Canvas, _ *Figure, _ *names) {
	label, word := letters(textSize), aligned(titleSize, draw.XCenter, draw.YTop)
	const space = 4
	colWidth := widest(label, p.Cols)
	left, top := titleSize+3*space+widest(label, p.Rows), vg.Length(titleSize+2*space)
	size := c.Size()
	square := min((size.X-left)/vg.Length(len(p.Cols)), (size.Y-top-textSize)/vg.Length(len(p.Rows)))
	// Names of columns that are wider than the squares are turned.
	column := aligned(textSize, draw.XCenter, draw.YBottom)
	if colWidth > square-3 {
		column = aligned(textSize, draw.XLeft, draw.YCenter)
		column.Rotation = math.Pi / 2
		top += colWidth + 3
		square = min(square, (size.Y-top)/vg.Length(len(p.Rows)))
	} else {
		top += textSize
	}
	width, height := square*vg.Length(len(p.Cols)), square*vg.Length(len(p.Rows))
	x0, y1 := c.Min.X+left+max(0, (size.X-left-width)/2), c.Max.Y-top

	most := math.SmallestNonzeroFloat64
	for _, row := range p.Mass {
		most = max(most, slices.Max(row))
	}
	for i, row := range p.Mass {
		y := y1 - square*vg.Length(i+1)
		for j, mass := range row {
			x, dark := x0+square*vg.Length(j), mass/most
			box := rectangle(x, y, x+square, y+square).Path()
			c.SetColor(darker(color.NRGBA{255, 255, 255, 255}, 0.88*dark))
			c.Fill(box)
			c.SetLineStyle(draw.LineStyle{Color: lightGrey, Width: 0.4})
			c.Stroke(box)
			if square > 20 {
				number := aligned(smallSize, draw.XCenter, draw.YCenter)
				if dark > 0.62 {
					number.Color = color.White
				}
				c.FillText(number, vg.Point{X: x + square/2, Y: y + square/2}, fmt.Sprintf("%.2f", mass))
			}
		}
		c.FillText(aligned(textSize, draw.XRight, draw.YCenter), vg.Point{X: x0 - space, Y: y + square/2}, p.Rows[i])
	}
	for j, name := range p.Cols {
		c.FillText(column, vg.Point{X: x0 + square*(vg.Length(j)+0.5), Y: y1 + space}, name)
	}
	c.FillText(word, vg.Point{X: x0 + width/2, Y: c.Max.Y}, p.To)
	word.Rotation = math.Pi / 2
	c.FillText(word, vg.Point{X: x0 - left, Y: y1 - height/2}, p.From)
}
