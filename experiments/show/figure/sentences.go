package figure

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sentences shows what moves between two texts, word by word. Each side has the words in the order of the text, on
// the colour of what it costs to move their mass, and bars as high as that mass. Bands between them are the largest
// flows. It is drawn for texts, as wide as a column takes them, one word per line.
type Sentences struct {
	From []TextWord `json:"from"`
	To   []TextWord `json:"to"`
	// Mass and Cost have a row for each word of From: the mass that moves from it to the words of To, and what
	// a unit of that costs. All mass together is 1.
	Mass [][]float64 `json:"mass"`
	Cost [][]float64 `json:"cost"`
	// Bands are the pairs of words with the largest mass, as positions in From and To; others have no band.
	Bands [][2]int `json:"bands"`
}

// TextWord is a word of a text. One without an estimate has no mass, and a line through it.
type TextWord struct {
	Text  string `json:"text"`
	Known bool   `json:"known"`
}

// SentencesHeight is the height of a figure of texts with so many words.
func SentencesHeight(from, to int) float64 {
	return min(max(0.6*Column, 1.35*sentenceLine*float64(max(from, to))+3*sentenceLine), 5000)
}

// sentenceLine is the least height of a word's line.
const sentenceLine = textSize + 3.5

func (s *Sentences) check() error {
	from, to := texts(s.From), texts(s.To)
	if err := checkPlan(s.Mass, from, to); err != nil {
		return err
	}
	if err := checkCost(s.Cost, from, len(to)); err != nil {
		return err
	}
	for _, b := range s.Bands {
		if b[0] < 0 || b[0] >= len(s.From) || b[1] < 0 || b[1] >= len(s.To) {
			return fmt.Errorf("a band from word %d of %d to word %d of %d", b[0], len(s.From), b[1], len(s.To))
		}
	}
	if total(s.Mass) <= 0 {
		return fmt.Errorf("sentences without mass")
	}
	return nil
}

func texts(words []TextWord) (all []string) {
	for _, w := range words {
		all = append(all, w.Text)
	}
	return all
}

// costColour is the colour of a cost, a share of the largest: from pale yellow to red, darker the dearer, and
// always so light that black letters can be read on it.
func costColour(share float64) color.NRGBA {
	ramp := []color.NRGBA{{255, 247, 220, 255}, {250, 205, 130, 255}, {226, 110, 84, 255}}
	at := min(max(share, 0), 1) * float64(len(ramp)-1)
	i := min(int(at), len(ramp)-2)
	part := at - float64(i)
	mix := func(a, b uint8) uint8 { return uint8(float64(a)*(1-part) + float64(b)*part + 0.5) }
	a, b := ramp[i], ramp[i+1]
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

// sentenceSide is one side as it is drawn.
type sentenceSide struct {
	words      []TextWord
	names      []string  // of the words, as they fit
	mass, cost []float64 // of each word, and the mean of moving it
	tops       []float64
	bar        vg.Length // the left end of its bars
	word       vg.Length // where its words begin, or end on the left side
	number     vg.Length // and where their shares end
	align      draw.XAlignment
	verb       string
}

func newSide(words []TextWord, most vg.Length) *sentenceSide {
	side := &sentenceSide{words: words, mass: make([]float64, len(words)), cost: make([]float64, len(words))}
	for _, w := range words {
		side.names = append(side.names, shortened(letters(textSize), w.Text, most))
	}
	return side
}

// keys implements kind: the scale of colours is part of the panel.
func (s *Sentences) keys() []key { return nil }

func (s *Sentences) draw(c draw.Canvas, _ *common) {
	label := letters(textSize)
	const bar, space, between, pad = 5, 4, 2.0, 2
	numberWidth := letters(smallSize).Width("100")
	legend := vg.Length(2 * smallSize)
	top, bottom := float64(c.Max.Y), float64(c.Min.Y+legend+space)
	// A third of the width for the words of a side at most.
	most := (c.Max.X-c.Min.X)/3 - numberWidth - 3*space
	left, right := newSide(s.From, most), newSide(s.To, most)
	sides := []*sentenceSide{left, right}
	for i, row := range s.Mass {
		for j, mass := range row {
			left.mass[i] += mass
			left.cost[i] += mass * s.Cost[i][j]
			right.mass[j] += mass
			right.cost[j] += mass * s.Cost[i][j]
		}
	}
	scale, dearest := math.Inf(1), 0.0
	for _, side := range sides {
		scale = min(scale, fit(side.mass, top-bottom, sentenceLine, between))
		for i, mass := range side.mass {
			if mass > 0 {
				side.cost[i] /= mass
			}
			dearest = max(dearest, side.cost[i])
		}
	}
	for _, side := range sides {
		side.tops = stack(positions(len(side.words)), side.mass, scale, sentenceLine, top, bottom)
	}
	left.align, left.verb = draw.XRight, "moving it away costs"
	left.number = c.Min.X + numberWidth
	left.word = left.number + 2*space + widest(label, left.names) + pad
	left.bar = left.word + pad + 1
	right.align, right.verb = draw.XLeft, "bringing it here costs"
	right.number = c.Max.X
	right.word = right.number - numberWidth - 2*space - widest(label, right.names) - pad
	right.bar = right.word - pad - 1 - bar

	colour := func(cost float64) color.NRGBA {
		if dearest <= 0 {
			return costColour(0)
		}
		return costColour(cost / dearest)
	}
	s.bands(c, scale, left, right, bar, colour)
	for _, side := range sides {
		for i, w := range side.words {
			y, h := vg.Length(side.tops[i]), vg.Length(side.mass[i]*scale)
			title := fmt.Sprintf("%s: brings %s of the mass; %s %.3g a unit",
				w.Text, percent(side.mass[i]), side.verb, side.cost[i])
			if !w.Known {
				title = w.Text + ": unknown, left out"
			}
			titled(c, title, func() {
				middle, wide, left := y-h/2, label.Width(side.names[i]), side.word
				if side.align == draw.XRight {
					left -= wide
				}
				t := aligned(textSize, side.align, draw.YCenter)
				if !w.Known {
					t.Color = color.NRGBA{110, 110, 110, 255}
				} else {
					edge := colour(side.cost[i])
					c.SetColor(edge)
					c.Fill(rectangle(left-pad, middle-textSize/2-1, left+wide+pad, middle+textSize/2+1).Path())
					c.SetColor(darker(edge, 0.35))
					c.Fill(rectangle(side.bar, y-max(h, 0.3), side.bar+bar, y).Path())
					n := aligned(smallSize, draw.XRight, draw.YCenter)
					n.Color = color.NRGBA{90, 90, 90, 255}
					c.FillText(n, vg.Point{X: side.number, Y: middle}, fmt.Sprintf("%.0f", 100*side.mass[i]))
				}
				c.FillText(t, vg.Point{X: side.word, Y: middle}, side.names[i])
				if !w.Known {
					c.StrokeLine2(draw.LineStyle{Color: t.Color, Width: 0.5}, left, middle-0.5, left+wide, middle-0.5)
				}
			})
		}
	}
	s.legend(c, c.Min.Y+legend/2, dearest)
}

// bands draws the flows, the smaller ones over the larger. The bands of a word follow each other in the order
// of the words at their other ends, from the top of its bar.
func (s *Sentences) bands(
	c draw.Canvas, scale float64, left, right *sentenceSide, bar vg.Length, colour func(cost float64) color.NRGBA,
) {
	type flow struct {
		i, j   int
		y0, y1 float64
	}
	var bands []flow
	for _, b := range s.Bands {
		bands = append(bands, flow{i: b[0], j: b[1]})
	}
	rowUsed, colUsed := slices.Clone(left.tops), slices.Clone(right.tops)
	slices.SortFunc(bands, func(a, b flow) int { return cmp.Or(cmp.Compare(a.i, b.i), cmp.Compare(a.j, b.j)) })
	for n := range bands {
		b := &bands[n]
		b.y0, rowUsed[b.i] = rowUsed[b.i], rowUsed[b.i]-s.Mass[b.i][b.j]*scale
	}
	slices.SortFunc(bands, func(a, b flow) int { return cmp.Or(cmp.Compare(a.j, b.j), cmp.Compare(a.i, b.i)) })
	for n := range bands {
		b := &bands[n]
		b.y1, colUsed[b.j] = colUsed[b.j], colUsed[b.j]-s.Mass[b.i][b.j]*scale
	}
	slices.SortStableFunc(bands, func(a, b flow) int { return cmp.Compare(s.Mass[b.i][b.j], s.Mass[a.i][a.j]) })
	for _, b := range bands {
		h := vg.Length(max(s.Mass[b.i][b.j]*scale, 0.3))
		p := band(vg.Point{X: left.bar + bar, Y: vg.Length(b.y0)}, vg.Point{X: right.bar, Y: vg.Length(b.y1)}, h)
		titled(c, s.From[b.i].Text+" → "+s.To[b.j].Text+": "+moved(s.Mass, s.Cost, b.i, b.j), func() {
			c.SetColor(withAlpha(darker(colour(s.Cost[b.i][b.j]), 0.2), 0.6))
			c.Fill(p)
		})
	}
}

// legend says what colours and numbers mean; y is its middle.
func (s *Sentences) legend(c draw.Canvas, y vg.Length, dearest float64) {
	text := aligned(smallSize, draw.XLeft, draw.YCenter)
	const steps, width = 24, 48.0
	parts := []string{"cost of moving: 0", fmt.Sprintf("%.2g", dearest), "numbers: % of the mass"}
	x := c.Min.X
	c.FillText(text, vg.Point{X: x, Y: y}, parts[0])
	x += text.Width(parts[0]) + 3
	for i := range steps {
		c.SetColor(costColour((float64(i) + 0.5) / steps))
		// Each reaches a little under the next, so that no line shows between them.
		c.Fill(rectangle(
			x+vg.Length(i)*width/steps, y-3, x+min(vg.Length(i)+1.3, steps)*width/steps, y+3,
		).Path())
	}
	x += width + 3
	c.FillText(text, vg.Point{X: x, Y: y}, parts[1])
	text.XAlign = draw.XRight
	c.FillText(text, vg.Point{X: c.Max.X, Y: y}, parts[2])
}
