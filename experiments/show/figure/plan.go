package figure

import (
	"fmt"
	"image/color"
	"math"

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

func (p *Plan) check() error { return checkPlan(p.Mass, p.Rows, p.Cols) }

func checkPlan(mass [][]float64, rows, cols []string) error {
	if len(rows) == 0 || len(cols) == 0 || len(mass) != len(rows) {
		return fmt.Errorf("a plan with %d rows of mass for %d × %d contexts", len(mass), len(rows), len(cols))
	}
	for i, row := range mass {
		if len(row) != len(cols) {
			return fmt.Errorf("row %q has %d masses for %d columns", rows[i], len(row), len(cols))
		}
		for j, v := range row {
			if !(v >= 0) || math.IsInf(v, 0) {
				return fmt.Errorf("mass %d of row %q is %v", j, rows[i], v)
			}
		}
	}
	return nil
}

// checkCost is checkPlan for costs, which may be negative.
func checkCost(cost [][]float64, rows []string, cols int) error {
	if len(cost) != len(rows) {
		return fmt.Errorf("%d rows of costs for %d of mass", len(cost), len(rows))
	}
	for i, row := range cost {
		if len(row) != cols {
			return fmt.Errorf("row %q has %d costs for %d columns", rows[i], len(row), cols)
		}
		if err := finite(fmt.Sprintf("costs of row %q", rows[i]), row...); err != nil {
			return err
		}
	}
	return nil
}

// keys implements kind: numbers stand in the squares.
func (p *Plan) keys() []key { return nil }

func (p *Plan) draw(c draw.Canvas, _ *common) {
	label, word := letters(textSize), aligned(titleSize, draw.XCenter, draw.YTop)
	const space = 4
	rowWidth, colWidth := widest(label, p.Rows), widest(label, p.Cols)
	wordHeight := vg.Length(titleSize) + space
	left, top := wordHeight+rowWidth+2*space, wordHeight+space
	size := c.Size()
	square := min((size.X-left)/vg.Length(len(p.Cols)), (size.Y-top-textSize)/vg.Length(len(p.Rows)))
	// Names of columns that are wider than the squares are turned.
	turned := colWidth > square-3
	if turned {
		top += colWidth + 3
		square = min(square, (size.Y-top)/vg.Length(len(p.Rows)))
	} else {
		top += textSize
	}
	width, height := square*vg.Length(len(p.Cols)), square*vg.Length(len(p.Rows))
	x0 := c.Min.X + left + max(0, (size.X-left-width)/2)
	y1 := c.Max.Y - top

	var most float64
	for _, row := range p.Mass {
		for _, v := range row {
			most = max(most, v)
		}
	}
	for i, row := range p.Mass {
		y := y1 - square*vg.Length(i+1)
		for j, v := range row {
			x := x0 + square*vg.Length(j)
			dark := 0.0
			if most > 0 {
				dark = v / most
			}
			shade := uint8(255*(1-0.88*dark) + 0.5)
			box := rectangle(x, y, x+square, y+square).Path()
			titled(c, p.Rows[i]+" → "+p.Cols[j]+": "+moved(p.Mass, nil, i, j), func() {
				c.SetColor(color.NRGBA{shade, shade, shade, 255})
				c.Fill(box)
				c.SetLineStyle(draw.LineStyle{Color: lightGrey, Width: 0.4})
				c.Stroke(box)
				if square > 20 {
					t := aligned(smallSize, draw.XCenter, draw.YCenter)
					if dark > 0.62 {
						t.Color = color.White
					}
					c.FillText(t, vg.Point{X: x + square/2, Y: y + square/2}, fmt.Sprintf("%.2f", v))
				}
			})
		}
		c.FillText(aligned(textSize, draw.XRight, draw.YCenter), vg.Point{X: x0 - space, Y: y + square/2}, p.Rows[i])
	}
	for j, name := range p.Cols {
		t := aligned(textSize, draw.XCenter, draw.YBottom)
		if turned {
			t = aligned(textSize, draw.XLeft, draw.YCenter)
			t.Rotation = math.Pi / 2
		}
		c.FillText(t, vg.Point{X: x0 + square*(vg.Length(j)+0.5), Y: y1 + space}, name)
	}
	c.SetLineStyle(draw.LineStyle{Color: grey, Width: 0.5})
	c.Stroke(rectangle(x0, y1-height, x0+width, y1).Path())

	c.FillText(word, vg.Point{X: x0 + width/2, Y: c.Max.Y}, p.To)
	word.Rotation = math.Pi / 2
	c.FillText(word, vg.Point{X: x0 - left, Y: y1 - height/2}, p.From)
}
