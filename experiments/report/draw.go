package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"contextmover/experiments/verdict"
)

// forest is the intervals of claims on one scale.
type forest struct {
	Scale string
	Ticks []tick
	Rows  []forestRow
}

// tick and forestRow have places in per cent of the axis.
type tick struct {
	At   string
	Text string
}

type forestRow struct {
	ID, Text, What   string // Text only in the first row of a claim, What where a claim has several
	Class            string // of the interval
	Verdict, Said    string
	Decided          string // the class of the claim's verdict
	Left, Width, Dot string // of the interval and its value
	From, Room       string // of what the claim says
}

// forests draws the intervals of the claims that have one, those of one scale over one axis.
func forests(claims []verdict.Claim) (all []forest) {
	type drawn struct {
		claim verdict.Claim
		m     verdict.Measured
	}
	scales := map[string][]drawn{}
	var order []string
	for _, c := range claims {
		for _, m := range c.Measured {
			if m.Of > 1 && strings.HasPrefix(m.Scale(), "sets") { // as shares
				share := 100 / float64(m.Of)
				m.Value, m.Low, m.High, m.From, m.To = m.Value*share, m.Low*share, m.High*share,
					m.From*share, m.To*share
			}
			if !slices.Contains(order, m.Scale()) {
				order = append(order, m.Scale())
			}
			scales[m.Scale()] = append(scales[m.Scale()], drawn{c, m})
		}
	}
	for _, scale := range order {
		low, high := 0.0, 0.0
		for _, d := range scales[scale] {
			low, high = min(low, d.m.Low), max(high, d.m.High)
			for _, bound := range []float64{d.m.From, d.m.To} {
				if !math.IsInf(bound, 0) {
					low, high = min(low, bound), max(high, bound)
				}
			}
		}
		step := niceStep(high - low)
		low, high = step*math.Floor(low/step), step*math.Ceil(high/step)
		if high == low {
			high = low + step
		}
		place := func(x float64) float64 { return 100 * (min(max(x, low), high) - low) / (high - low) }
		f := forest{Scale: scale}
		for k := 0; ; k++ {
			x := low + float64(k)*step
			if x > high+step/2 {
				break
			}
			f.Ticks = append(f.Ticks, tick{short(place(x)), strconv.FormatFloat(math.Round(x*1e6)/1e6+0, 'g', 6, 64)})
		}
		for i, d := range scales[scale] {
			said := map[bool]string{
				true: "the claim says at least " + short(d.m.From), false: "the claim says at most " + short(d.m.To),
			}[!math.IsInf(d.m.From, 0)]
			if !math.IsInf(d.m.From, 0) && !math.IsInf(d.m.To, 0) {
				said = fmt.Sprintf("the claim says from %s to %s", short(d.m.From), short(d.m.To))
			}
			row := forestRow{
				ID: d.claim.ID, Text: d.claim.Text, Class: where(d.m), Verdict: d.claim.Verdict,
				Decided: class(string(d.claim.Decision)),
				Said: fmt.Sprintf("%.*f, 95 %% interval %.*f to %.*f; %s",
					d.m.Digits, d.m.Value, d.m.Digits, d.m.Low, d.m.Digits, d.m.High, said),
				Left: short(place(d.m.Low)), Width: short(place(d.m.High) - place(d.m.Low)),
				Dot:  short(place(d.m.Value)),
				From: short(place(d.m.From)), Room: short(place(d.m.To) - place(d.m.From)),
			}
			if len(d.claim.Measured) > 1 {
				row.What = d.m.What
			}
			if i > 0 && f.Rows[i-1].ID == row.ID {
				row.Text = ""
			}
			f.Rows = append(f.Rows, row)
		}
		all = append(all, f)
	}
	return all
}

// where is the class of an interval beside what the claim says:
// good inside, bad outside, open where it reaches over a bound.
func where(m verdict.Measured) string {
	switch {
	case m.Low > m.From && m.High < m.To, m.Low == m.High && m.From <= m.Low && m.High <= m.To:
		return "good"
	case m.High < m.From || m.Low > m.To:
		return "bad"
	}
	return "open"
}

// niceStep cuts a range into four to ten parts of 1, 2 or 5 times a power of ten.
func niceStep(width float64) float64 {
	if !(width > 0) {
		return 1
	}
	step := math.Pow(10, math.Floor(math.Log10(width)))
	for _, f := range []float64{1, 0.5, 0.2, 0.1} {
		if width/(step*f) >= 4 {
			return step * f
		}
	}
	return step / 10
}

// short writes a number with at most two decimals.
func short(x float64) string {
	if math.IsInf(x, 0) {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	s := strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(x, 'f', 2, 64), "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}

// scatter draws the printed numbers of a table against ours,
// each a link to its cell; "" where there are fewer than four.
func scatter(cells []cell) template.HTML {
	const size, left, bottom = 240.0, 38.0, 30.0
	var points []cell
	low, high := math.Inf(1), math.Inf(-1)
	for _, c := range cells {
		if c.Cell.Ours == nil || c.Number == nil || !slices.Contains(verdict.Computed(), c.Verdict) {
			continue
		}
		points = append(points, c)
		low, high = min(low, *c.Cell.Ours, *c.Number), max(high, *c.Cell.Ours, *c.Number)
	}
	if len(points) < 4 || !(high > low) {
		return ""
	}
	margin := (high - low) / 20
	low, high = low-margin, high+margin
	x := func(v float64) string { return short(left + size*(v-low)/(high-low)) }
	y := func(v float64) string { return short(10 + size - size*(v-low)/(high-low)) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="scatter" viewBox="0 0 %g %g" role="group" aria-label="printed numbers against ours">`,
		left+size+10, size+bottom+16)
	fmt.Fprintf(&b, `<rect class="frame" x="%g" y="10" width="%g" height="%g"/>`, left, size, size)
	step := niceStep(high - low)
	for v := step * math.Ceil(low/step); v <= high; v += step {
		text := strconv.FormatFloat(math.Round(v*1e6)/1e6+0, 'g', 6, 64)
		fmt.Fprintf(&b, `<path class="grid" d="M%s 10v%gM%g %sh%g"/>`, x(v), size, left, y(v), size)
		fmt.Fprintf(&b,
			`<text x="%s" y="%g" text-anchor="middle">%s</text><text x="%g" y="%s" text-anchor="end" dy="3.5">%s</text>`,
			x(v), 10+size+13, text, left-4, y(v), text)
	}
	fmt.Fprintf(&b, `<path class="same" d="M%s %sL%s %s"/>`, x(low), y(low), x(high), y(high))
	fmt.Fprintf(&b,
		`<text x="%g" y="%g" text-anchor="middle">printed</text><text transform="translate(10 %g) rotate(-90)" text-anchor="middle">ours</text>`,
		left+size/2, size+bottom+10, 10+size/2)
	for _, c := range points {
		title := fmt.Sprintf("%s, %s: printed %s, ours %s %s: %s",
			c.Row, c.Column, c.Printed, c.Ours, c.Interval, c.Verdict)
		fmt.Fprintf(&b, `<a href="#%s"><title>%s</title>`, c.Anchor, template.HTMLEscapeString(title))
		cx, cy := x(*c.Number), y(*c.Cell.Ours)
		switch c.Class { // shapes tell what colours do
		case "good":
			fmt.Fprintf(&b, `<circle class="good" cx="%s" cy="%s" r="3.6"/>`, cx, cy)
		case "open":
			fmt.Fprintf(&b, `<path class="open" d="M%s %sm0 -4.2l4.2 4.2l-4.2 4.2l-4.2 -4.2z"/>`, cx, cy)
		default:
			fmt.Fprintf(&b, `<path class="%s" d="M%s %sm-3 -3h6v6h-6z"/>`, c.Class, cx, cy)
		}
		b.WriteString("</a>")
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}
