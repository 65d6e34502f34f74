package figure

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Flow shows a transport plan as a Sankey diagram: bands as wide as the mass that moves from the contexts on the left
// to those on the right. It is for plans that are too large for squares. A context has the same name on both sides,
// and what stays in it is grey.
type Flow struct {
	From string   `json:"from"`
	To   string   `json:"to"`
	Rows []string `json:"rows"`
	Cols []string `json:"cols"`
	// Mass has a row for each context of From.
	Mass [][]float64 `json:"mass"`
	// Cost is that of a unit of the mass, like Mass; titles tell it. It may be nil.
	Cost [][]float64 `json:"cost,omitempty"`
	// Rest tells that the last row and the last column sum up the contexts that have no
	// row or column; they stay last. What moves between these two, often most of the mass, is not drawn:
	// it would leave no room for the others.
	Rest bool `json:"rest"`
}

func (f *Flow) check() error {
	if err := checkPlan(f.Mass, f.Rows, f.Cols); err != nil {
		return err
	}
	if !(total(f.Mass) > f.hidden()) {
		return fmt.Errorf("a flow without mass that is drawn")
	}
	if f.Cost == nil {
		return nil
	}
	return checkCost(f.Cost, f.Rows, len(f.Cols))
}

// The colours of what moves, of what moves to or from contexts that are summed up, and of what stays, which has an
// outline as well, because in print without colours all three are grey.
var (
	moves     = withAlpha(colours[0], 0.6)
	movesRest = withAlpha(colours[0], 0.2)
	stays     = color.NRGBA{170, 170, 170, 178}
	outline   = draw.LineStyle{Color: color.NRGBA{90, 90, 90, 255}, Width: 0.3}
)

func (f *Flow) keys() []key {
	sample := func(c color.NRGBA, line draw.LineStyle) func(draw.Canvas, *names, vg.Point) {
		return func(canvas draw.Canvas, _ *names, at vg.Point) { swatch(canvas, at, c, line) }
	}
	keys := []key{
		{"stays in its context", sample(stays, outline)}, {"moves to another", sample(moves, draw.LineStyle{})},
	}
	if f.Rest {
		keys = append(keys, key{"to or from other contexts", sample(movesRest, draw.LineStyle{})})
	}
	return keys
}

// rest reports whether a row or a column sums up contexts.
func (f *Flow) rest(i, j int) bool { return f.Rest && (i == len(f.Rows)-1 || j == len(f.Cols)-1) }

func (f *Flow) draw(c draw.Canvas, _ *common) {
	label := letters(textSize)
	const space, bar, between = 3, 6, 3.0
	rowWidth, colWidth := widest(label, f.Rows), widest(label, f.Cols)
	left, right := c.Min.X+rowWidth+space, c.Max.X-colWidth-space
	top := c.Max.Y - titleSize - 4

	rowMass, colMass := make([]float64, len(f.Rows)), make([]float64, len(f.Cols)) // as drawn
	for i, row := range f.Mass {
		for j, v := range row {
			if f.hides(i, j) {
				continue
			}
			rowMass[i] += v
			colMass[j] += v
		}
	}
	// Each bar has a slot that holds its mass and a line of text.
	height := float64(top - c.Min.Y)
	scale := min(fit(rowMass, height, textSize, between), fit(colMass, height, textSize, between))
	rows, cols := f.orders(rowMass, colMass)
	rowTop := stack(rows, rowMass, scale, textSize, float64(top), float64(c.Min.Y))
	colTop := stack(cols, colMass, scale, textSize, float64(top), float64(c.Min.Y))

	// Bands from the top of each bar on, in the order of the bars at the other end.
	rowUsed, colUsed := slices.Clone(rowTop), slices.Clone(colTop)
	for _, i := range rows {
		for _, j := range cols {
			if f.hides(i, j) {
				continue
			}
			v := f.Mass[i][j] * scale
			from := vg.Point{X: left + bar, Y: vg.Length(rowUsed[i])}
			to := vg.Point{X: right - bar, Y: vg.Length(colUsed[j])}
			rowUsed[i] -= v
			colUsed[j] -= v
			if v < 0.05 {
				continue // thinner than a hair
			}
			ribbon := band(from, to, vg.Length(v))
			title, fill := f.Rows[i]+" → "+f.Cols[j], moves
			switch {
			case f.rest(i, j):
				fill = movesRest
			case f.Rows[i] == f.Cols[j]:
				title, fill = f.Rows[i]+" stays", stays
			}
			titled(c, title+": "+moved(f.Mass, f.Cost, i, j), func() {
				c.SetColor(fill)
				c.Fill(ribbon)
				if fill == stays && v > 2 {
					c.SetLineStyle(outline)
					c.Stroke(ribbon)
				}
			})
		}
	}
	side := func(order []int, names []string, mass, tops []float64, x, textX vg.Length, align draw.XAlignment) {
		for _, i := range order {
			y, h := vg.Length(tops[i]), vg.Length(mass[i]*scale)
			title := fmt.Sprintf("%s: %s of the mass", names[i], percent(mass[i]))
			if hidden := f.hidden(); hidden > 0 && i == len(names)-1 {
				title = fmt.Sprintf("%s: %s of the mass, of which %s between other contexts is not drawn",
					names[i], percent(mass[i]+hidden), percent(hidden))
			}
			titled(c, title, func() {
				c.SetColor(color.NRGBA{60, 60, 60, 255})
				c.Fill(rectangle(x, y-h, x+bar, y).Path())
				c.FillText(aligned(textSize, align, draw.YCenter), vg.Point{X: textX, Y: y - h/2}, names[i])
			})
		}
	}
	side(rows, f.Rows, rowMass, rowTop, left, left-space, draw.XRight)
	side(cols, f.Cols, colMass, colTop, right-bar, right+space, draw.XLeft)
	word := aligned(titleSize, draw.XRight, draw.YTop)
	// Words stand over their bars; texts, which are longer, take half of the width each.
	from, to := word.Width(f.From), word.Width(f.To)
	half := (c.Max.X-c.Min.X)/2 - 2*space
	if from > left+bar-c.Min.X {
		word.XAlign, left = draw.XLeft, c.Min.X-bar
	}
	c.FillText(word, vg.Point{X: left + bar, Y: c.Max.Y}, shortened(word, f.From, half))
	word.XAlign = draw.XLeft
	if to > c.Max.X-right+bar {
		word.XAlign, right = draw.XRight, c.Max.X+bar
	}
	c.FillText(word, vg.Point{X: right - bar, Y: c.Max.Y}, shortened(word, f.To, half))
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

// widest is the width of the widest of some texts.
func widest(style draw.TextStyle, texts []string) (width vg.Length) {
	for _, text := range texts {
		width = max(width, style.Width(text))
	}
	return width
}

// hides tells whether the flow from a row to a column is not drawn.
func (f *Flow) hides(i, j int) bool { return f.Rest && i == len(f.Rows)-1 && j == len(f.Cols)-1 }

// hidden is the mass that is not drawn.
func (f *Flow) hidden() float64 {
	if !f.Rest {
		return 0
	}
	return f.Mass[len(f.Rows)-1][len(f.Cols)-1]
}

// total is the sum of all mass.
func total(mass [][]float64) (total float64) {
	for _, row := range mass {
		for _, v := range row {
			total += v
		}
	}
	return total
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// moved says how much mass moves, at which cost where that is known, and what that makes of the whole cost.
func moved(mass, cost [][]float64, i, j int) string {
	s := percent(mass[i][j]) + " of the mass"
	if cost == nil {
		return s
	}
	var total float64
	for i, row := range mass {
		for j, v := range row {
			total += v * cost[i][j]
		}
	}
	s += fmt.Sprintf(", at a cost of %.3g", cost[i][j])
	if total > 0 {
		s += fmt.Sprintf(": %s of the distance", percent(mass[i][j]*cost[i][j]/total))
	}
	return s
}

// orders returns the order of the rows (the heaviest first, the rest last) and that
// of the columns, by the mean place of the rows that their mass comes from, so that
// few bands cross.
func (f *Flow) orders(rowMass, colMass []float64) (rows, cols []int) {
	sorted := func(n int, compare func(a, b int) int) []int {
		order := positions(n)
		movable := order
		if f.Rest {
			movable = order[:n-1]
		}
		slices.SortStableFunc(movable, compare)
		return order
	}
	rows = sorted(len(rowMass), func(a, b int) int { return cmp.Compare(rowMass[b], rowMass[a]) })
	place := make([]float64, len(colMass))
	for j := range place {
		if colMass[j] == 0 {
			place[j] = float64(slices.Index(rows, j)) // that of the same context on the other side
		}
	}
	for at, i := range rows {
		for j, v := range f.Mass[i] {
			if colMass[j] > 0 {
				place[j] += float64(at) * v / colMass[j]
			}
		}
	}
	cols = sorted(len(colMass), func(a, b int) int { return cmp.Compare(place[a], place[b]) })
	return rows, cols
}

// positions are those of n things, in order.
func positions(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// fit returns the largest scale at which bars of the given masses, in slots of at least
// the given size with so much between them, are not higher than height together; if
// there is no such scale, that of bars without slots.
func fit(mass []float64, height, slot, between float64) float64 {
	var total float64
	for _, v := range mass {
		total += v
	}
	height -= between * float64(len(mass)-1)
	if height <= slot*float64(len(mass)) {
		return max(0, height) / total
	}
	// The heaviest n bars fill their slots, the others have the least one.
	sorted := slices.Clone(mass)
	slices.Sort(sorted)
	for _, v := range sorted {
		if scale := height / total; v*scale >= slot {
			return scale
		}
		height -= slot
		total -= v
	}
	return slot / sorted[len(sorted)-1]
}

// stack returns the upper end of each bar: bars of the given masses, in order, in the
// middle of slots of at least the given size, which are spread evenly between top and
// bottom.
func stack(order []int, mass []float64, scale, slot, top, bottom float64) []float64 {
	free := top - bottom
	for _, v := range mass {
		free -= max(v*scale, slot)
	}
	step := 0.0
	if len(order) > 1 {
		step = free / float64(len(order)-1)
	}
	tops := make([]float64, len(order))
	for _, i := range order {
		height := max(mass[i]*scale, slot)
		tops[i] = top - (height-mass[i]*scale)/2
		top -= height + step
	}
	return tops
}
