package figure

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Flow shows a transport plan as a Sankey diagram: bands as wide as the mass that moves from the names on the left to
// those on the right. It is for plans that are too large for squares.
//
// The names are contexts, which have the same name on both sides, or the words of two texts. Between contexts, what
// stays is grey. Each word of a text stands on the colour of what it costs to move its mass, which its bands have, too.
type Flow struct {
	From string   `json:"from"` // above the left side; empty for none
	To   string   `json:"to"`
	Rows []string `json:"rows"`
	Cols []string `json:"cols"`
	// Mass has a row for each name of the left side. All mass together is 1.
	Mass [][]float64 `json:"mass"`
	// Cost is that of a unit of the mass, like Mass. It may be nil, but not that of texts.
	Cost [][]float64 `json:"cost,omitempty"`
	// Rest tells that the last row and the last column sum up the contexts that have no
	// row or column. What moves between these two, often most of the mass, is not drawn:
	// it would leave no room for the others.
	Rest bool `json:"rest"`
	// Texts tells that the names are words of texts. One without an estimate has no mass, and is grey.
	Texts bool `json:"texts,omitempty"`
	// Least is the mass from which on what moves has a band.
	Least float64 `json:"least,omitempty"`
}

func (f *Flow) check() error {
	if err := checkTable("masses", f.Mass, f.Rows, f.Cols); err != nil {
		return err
	}
	if f.Cost != nil || f.Texts {
		if err := checkTable("costs", f.Cost, f.Rows, f.Cols); err != nil {
			return err
		}
	}
	if sides, _ := f.sides(); !(sides[0].total > 0) {
		return fmt.Errorf("a flow without mass that is drawn")
	}
	return nil
}

// The colours of what moves, of what moves to or from contexts that are summed up, and of what stays, which has an
// outline as well, because in print without colours all three are grey.
var (
	moves     = withAlpha(colours[0], 0.6)
	movesRest = withAlpha(colours[0], 0.2)
	stays     = color.NRGBA{170, 170, 170, 178}
	outline   = draw.LineStyle{Color: color.NRGBA{90, 90, 90, 255}, Width: 0.3}
)

// costColour is the colour of a cost, a share of the largest: from pale yellow to red, darker the dearer, and
// always so light that black letters can be read on it.
func costColour(share float64) color.NRGBA {
	return mixed(color.NRGBA{255, 247, 220, 255}, color.NRGBA{226, 110, 84, 255}, min(max(share, 0), 1))
}

func (f *Flow) keys(*names) []key {
	if f.Texts {
		_, dearest := f.sides()
		return []key{
			area("moving it costs nothing", costColour(0), draw.LineStyle{}),
			area(fmt.Sprintf("%.2g a unit", dearest), costColour(1), draw.LineStyle{}),
		}
	}
	keys := []key{
		area("stays in its context", stays, outline), area("moves to another", moves, draw.LineStyle{}),
	}
	if f.Rest {
		keys = append(keys, area("to or from other contexts", movesRest, draw.LineStyle{}))
	}
	return keys
}

// side is one side of a flow as it is drawn: its names, their mass, what it costs to move a unit of that, and the upper
// ends of their bars.
type side struct {
	names      []string
	mass, cost []float64
	total      float64 // mass
	lines      int     // how many names are shown
	tops       []vg.Length
	// From the left, where the bars begin, where the names end or begin, and where the shares of mass do.
	bars, text, number vg.Length
	align              draw.XAlignment // of names
}

// sides are the left and the right one, with the largest cost of a unit.
func (f *Flow) sides() (sides [2]*side, dearest float64) {
	for s, names := range [2][]string{f.Rows, f.Cols} {
		sides[s] = &side{names: names, mass: make([]float64, len(names)), cost: make([]float64, len(names))}
	}
	dearest = 1e-300 // above 0, for shares of it
	for i, row := range f.Mass {
		for j, mass := range row {
			if f.hides(i, j) {
				continue
			}
			for s, k := range [2]int{i, j} {
				sides[s].mass[k] += mass
				sides[s].total += mass
				if f.Cost != nil {
					sides[s].cost[k] += mass * f.Cost[i][j]
				}
			}
		}
	}
	for _, s := range sides {
		for k, mass := range s.mass {
			if f.shows(mass) {
				s.lines++
			}
			if mass > 0 {
				s.cost[k] /= mass
				dearest = max(dearest, s.cost[k])
			}
		}
	}
	return sides, dearest
}

// shows tells whether a name of some mass is shown: a word without an estimate is, a context of the other side is not.
func (f *Flow) shows(mass float64) bool { return f.Texts || mass > 0 }

// hides tells whether the flow from a row to a column is not drawn.
func (f *Flow) hides(i, j int) bool { return f.Rest && i == len(f.Rows)-1 && j == len(f.Cols)-1 }

// fill is the colour of the band from a row to a column.
func (f *Flow) fill(i, j int, dearest float64) color.NRGBA {
	switch {
	case f.Texts:
		return withAlpha(darker(costColour(f.Cost[i][j]/dearest), 0.2), 0.6)
	case f.Rest && (i == len(f.Rows)-1 || j == len(f.Cols)-1):
		return movesRest
	case f.Rows[i] == f.Cols[j]:
		return stays
	}
	return moves
}

// flowLine is the least height of a name's line, flowBar the width of a bar.
const (
	flowLine = textSize + 1.5
	flowBar  = 6
)

func (f *Flow) draw(c draw.Canvas, _ *Figure, _ *names) {
	const space = 3
	label := letters(textSize)
	sides, dearest := f.sides()
	if f.From+f.To != "" {
		title := aligned(titleSize, draw.XLeft, draw.YTop)
		half := c.Size().X/2 - space
		c.FillText(title, vg.Point{X: c.Min.X, Y: c.Max.Y}, shortened(title, f.From, half))
		title.XAlign = draw.XRight
		c.FillText(title, c.Max, shortened(title, f.To, half))
		c.Max.Y -= titleSize + 4
	}
	scale := flowScale(c.Size().Y, sides)
	for k, s := range sides {
		f.stack(s, c.Max.Y, c.Size().Y, scale)
		names := make([]string, len(s.names))
		for i, name := range s.names {
			names[i] = shortened(label, name, c.Size().X/3)
		}
		s.names = names
		width := widest(label, names) + 2*space
		if f.Texts {
			width += letters(smallSize).Width("100 %") + space
		}
		s.bars, s.number, s.align = c.Min.X+width, c.Min.X, draw.XRight
		s.text = s.bars - space
		if k == 1 {
			s.bars, s.number, s.align = c.Max.X-width-flowBar, c.Max.X, draw.XLeft
			s.text = s.bars + flowBar + space
		}
		f.drawSide(c, s, scale, dearest)
	}
	f.drawBands(c, sides, scale, dearest)
}

// flowScale is the height of all mass, at which each name of either side has a line besides its bar.
func flowScale(height vg.Length, sides [2]*side) vg.Length {
	lines := vg.Length(max(sides[0].lines, sides[1].lines))
	return max(0, height-flowLine*lines) / vg.Length(sides[0].total)
}

// stack puts the bars under one another, each in the middle of its line.
func (f *Flow) stack(s *side, top, height, scale vg.Length) {
	line := (height - scale*vg.Length(s.total)) / vg.Length(s.lines)
	for _, mass := range s.mass {
		s.tops = append(s.tops, top-line/2)
		if f.shows(mass) {
			top -= line + scale*vg.Length(mass)
		}
	}
}

// drawSide draws the bars of a side and their names, and what mass the words of texts have.
func (f *Flow) drawSide(c draw.Canvas, s *side, scale vg.Length, dearest float64) {
	for i, name := range s.names {
		if !f.shows(s.mass[i]) {
			continue
		}
		height := scale * vg.Length(s.mass[i])
		middle, colour := s.tops[i]-height/2, color.NRGBA{60, 60, 60, 255}
		text := aligned(textSize, s.align, draw.YCenter)
		title := fmt.Sprintf("%s: %s of the mass", name, percent(s.mass[i]))
		switch {
		case f.Texts && s.mass[i] == 0:
			title, text.Color = name+": unknown, left out", grey
		case f.Cost != nil:
			title += fmt.Sprintf(", moved at a cost of %.3g a unit", s.cost[i])
		}
		titled(c, title, func() {
			if f.Texts && s.mass[i] > 0 {
				colour = costColour(s.cost[i] / dearest)
				width := text.Width(name)
				left := s.text + vg.Length(s.align)*width
				c.SetColor(colour)
				c.Fill(rectangle(left-1, middle-flowLine/2, left+width+1, middle+flowLine/2).Path())
				colour = darker(colour, 0.35)
				number := aligned(smallSize, -1-s.align, draw.YCenter)
				c.FillText(number, vg.Point{X: s.number, Y: middle}, fmt.Sprintf("%.0f %%", 100*s.mass[i]))
			}
			c.SetColor(colour)
			c.Fill(rectangle(s.bars, s.tops[i]-height, s.bars+flowBar, s.tops[i]).Path())
			c.FillText(text, vg.Point{X: s.text, Y: middle}, name)
		})
	}
}

// drawBands draws the bands from the top of each bar on, in the order of the bars at the other end.
func (f *Flow) drawBands(c draw.Canvas, sides [2]*side, scale vg.Length, dearest float64) {
	from, to := slices.Clone(sides[0].tops), slices.Clone(sides[1].tops)
	for i, row := range f.Mass {
		for j, mass := range row {
			thick := scale * vg.Length(mass)
			if f.hides(i, j) || mass < f.Least || thick < 0.05 {
				continue
			}
			path := band(vg.Point{X: sides[0].bars + flowBar, Y: from[i]}, vg.Point{X: sides[1].bars, Y: to[j]}, thick)
			from[i] -= thick
			to[j] -= thick
			title := fmt.Sprintf("%s → %s: %s of the mass", f.Rows[i], f.Cols[j], percent(mass))
			if f.Cost != nil {
				title += fmt.Sprintf(", at a cost of %.3g a unit", f.Cost[i][j])
			}
			titled(c, title, func() {
				fill := f.fill(i, j, dearest)
				c.SetColor(fill)
				c.Fill(path)
				if fill == stays && thick > 2 {
					c.SetLineStyle(outline)
					c.Stroke(path)
				}
			})
		}
	}
}

// band is a ribbon of some thickness between two points, which are at its upper edge.
func band(from, to vg.Point, thick vg.Length) (p vg.Path) {
	middle, down := (from.X+to.X)/2, vg.Point{Y: thick}
	p.Move(from)
	p.CubeTo(vg.Point{X: middle, Y: from.Y}, vg.Point{X: middle, Y: to.Y}, to)
	p.Line(to.Sub(down))
	p.CubeTo(vg.Point{X: middle, Y: to.Y - thick}, vg.Point{X: middle, Y: from.Y - thick}, from.Sub(down))
	p.Close()
	return p
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }
