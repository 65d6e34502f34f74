package render

import (
	"math"
	"slices"
	"strings"
)

// tabColSep is the space on either side of a column, in points.
const tabColSep = 3

// pageHeight is what a float may be high, in points: less than the text of any usual page.
const pageHeight = 515

// letterSize is a size of LaTeX with what a letter's width, in em of cmr10, becomes in points. Computer Modern is
// wider than Times and, at small sizes, wider than its size says.
type letterSize struct {
	name    string
	letters float64
	limits  float64 // of what is raised or lowered
	line    float64 // from one base line to the next, in points
}

var letterSizes = []letterSize{
	{"small", 9 * 1.03, 6 * 1.22, 11},
	{"footnotesize", 8 * 1.0625, 6 * 1.22, 9.5},
	{"scriptsize", 7 * 1.14, 5 * 1.36, 8},
}

const (
	boldWidth = 1.15
	// Rows with limits stand so much further apart, so that those of two rows do not touch.
	limitStretch = 1.2
	// What stands in a column of text that is broken into lines: less cannot be read.
	readableLabel, readableText = 0.22, 0.15
)

// latexLayout says where everything of a table stands.
type latexLayout struct {
	*view
	fit     Fit
	size    letterSize
	panels  [][]int       // the columns of each
	labels  []latexColumn // of each panel
	columns []latexColumn
}

// latexColumn is a column of a table as LaTeX has it.
type latexColumn struct {
	limits, printed bool // which parts it has beside our number; an unusual coverage stands with the printed one
	width           float64
	wraps           bool // its cells are broken into lines of width
	spec            string
	header          []string // lines of its name
}

// piece is a part of a float: rows of a panel, or a note.
type piece struct {
	panel int
	items []item
	note  string
}

// item is a line of a table: a rule, the title of a block, a row or the coverage.
type item struct {
	rule     bool
	title    string
	lines    []string // of the title
	row      *viewRow
	coverage bool
	height   float64
}

// arrange finds the fewest panels, and for these the largest letters, with which everything
// fits. One column a panel, in the smallest letters, is what it ends with in any case.
func (v *view) arrange(fit Fit) *latexLayout {
	n := len(v.Columns)
	for panels := 1; ; panels++ {
		sizes := letterSizes
		if panels > 1 && panels < n {
			sizes = sizes[:2] // rather more panels than letters that are too small
		}
		for i, size := range sizes {
			x := &latexLayout{view: v, fit: fit, size: size}
			for p := range panels {
				var columns []int
				for k := p * n / panels; k < (p+1)*n/panels; k++ {
					columns = append(columns, k)
				}
				x.panels = append(x.panels, columns)
			}
			if x.place() || panels == n && i == len(sizes)-1 {
				return x
			}
		}
	}
}

// place sets the widths of all columns, and tells whether they fit.
func (x *latexLayout) place() bool {
	fits := true
	x.columns = make([]latexColumn, len(x.Columns))
	for k := range x.Columns {
		x.columns[k] = x.measure(k)
	}
	labels := []string{x.Label}
	for _, b := range x.blocks {
		for _, r := range b {
			labels = append(labels, r.Label+latexOrigin(r.Origin))
		}
	}
	if x.coverage != nil {
		labels = append(labels, "coverage")
	}
	natural, word := x.widest(labels)
	x.labels = make([]latexColumn, len(x.panels))
	for p, panel := range x.panels {
		x.widen(panel)
		x.labels[p].width = natural
		room := 0.985*x.fit.Width - 2*tabColSep*float64(len(panel)) // other fonts are not exactly as wide
		flexible := []*latexColumn{&x.labels[p]}
		// A label's further lines are indented by an em.
		least := []float64{max(min(natural, word+x.size.letters), min(natural, readableLabel*x.fit.Width))}
		wanted := []float64{natural}
		for _, k := range panel {
			c := &x.columns[k]
			if x.numeric[k] {
				room -= c.width
				continue
			}
			_, word := x.widest(x.texts(k))
			flexible = append(flexible, c)
			least = append(least, max(word, min(c.width, readableText*x.fit.Width)))
			wanted = append(wanted, c.width)
		}
		widths, ok := share(room, wanted, least)
		fits = fits && ok
		for i, c := range flexible {
			if widths[i] < wanted[i]-1e-9 {
				c.width, c.wraps = widths[i], true
			}
		}
	}
	finish := func(c *latexColumn, numeric bool, indent string) {
		switch {
		case c.wraps:
			c.spec = `>{\raggedright\arraybackslash` + indent + `}p{` + trimmed(c.width) + `pt}`
		case !numeric:
			c.spec = "l"
		default:
			c.spec = "r"
			if c.limits {
				c.spec += "@{\\,}l"
			}
			if c.printed {
				c.spec += "@{ }r"
			}
		}
	}
	for p := range x.labels {
		finish(&x.labels[p], false, `\hangindent=1em`)
	}
	for k := range x.columns {
		finish(&x.columns[k], x.numeric[k], "")
		x.columns[k].header = x.wrap(x.Columns[k].title(), x.columns[k].width, 1)
	}
	return fits
}

// widen makes the columns of a panel wide enough for the longest word of the groups above them.
func (x *latexLayout) widen(panel []int) {
	for _, s := range x.spans(panel) {
		total := -2.0 * tabColSep
		for _, k := range panel[s.lo:s.hi] {
			total += x.columns[k].width + 2*tabColSep
		}
		_, word := x.widest([]string{s.group})
		x.columns[panel[s.hi-1]].width += max(0, word-total)
	}
}

// group breaks the name of a group into lines that fit over its columns.
func (x *latexLayout) group(panel []int, s span) []string {
	total := -2.0 * tabColSep
	for _, k := range panel[s.lo:s.hi] {
		total += x.columns[k].width + 2*tabColSep
	}
	return x.wrap(s.group, total, 1)
}

func (x *latexLayout) spans(panel []int) []span {
	var named []Column
	for _, k := range panel {
		named = append(named, x.Columns[k])
	}
	return spans(named)
}

// latexOrigin is as wide as the sign of an origin.
func latexOrigin(o Origin) string {
	if o == Run {
		return ""
	}
	return "."
}

// share gives each column what it wants, or where that is more than the room, the widest ones less, but none
// less than the least; false where the least are too much.
func share(room float64, wanted, least []float64) ([]float64, bool) {
	sum := func(limit float64) (total float64) {
		for i := range wanted {
			total += max(least[i], min(wanted[i], limit))
		}
		return total
	}
	low, high := 0.0, slices.Max(wanted)
	if sum(high) > room {
		for range 50 {
			if middle := (low + high) / 2; sum(middle) > room {
				high = middle
			} else {
				low = middle
			}
		}
		high = low
	}
	widths := make([]float64, len(wanted))
	for i := range wanted {
		widths[i] = min(wanted[i], max(least[i], min(wanted[i], high)))
	}
	return widths, sum(0) <= room
}

// measure finds the parts of a column and its width where nothing is broken into lines.
func (x *latexLayout) measure(k int) latexColumn {
	var c latexColumn
	var value, limits, printed, text float64
	for _, b := range x.blocks {
		for _, r := range b {
			cell := r.cells[k]
			w := ems(minus(cell.value, x.numeric[k])) * x.size.letters
			if cell.mark == best {
				w *= boldWidth
			}
			value = max(value, w)
			if !x.numeric[k] {
				continue
			}
			if cell.low != "" {
				c.limits = true
				limits = max(limits, max(ems(minus(cell.low, true)), ems(minus(cell.high, true)))*x.size.limits+2)
			}
			beside := ""
			if cell.printed != "" {
				beside += " (" + minus(cell.printed, true) + ")"
			}
			if cell.coverage != "" {
				beside += " [" + cell.coverage + "]"
			}
			if beside != "" {
				c.printed = true
				printed = max(printed, ems(beside)*x.size.letters)
			}
		}
	}
	_, word := x.widest([]string{x.Columns[k].title()})
	if x.numeric[k] {
		text = word
	} else {
		text, _ = x.widest([]string{x.Columns[k].title()})
		text = min(text, max(word, value)) // its name may be broken
	}
	if x.coverage != nil {
		text = max(text, ems(x.coverage[k])*x.size.letters)
	}
	c.width = max(text, value+limits+printed)
	return c
}

// minus sets minus signs for hyphens before numbers, for their widths.
func minus(s string, numeric bool) string {
	if numeric && strings.HasPrefix(s, "-") {
		return "+" + s[1:] // which is as wide
	}
	return s
}

// texts are the cells of a column of text.
func (x *latexLayout) texts(k int) (all []string) {
	for _, b := range x.blocks {
		for _, r := range b {
			all = append(all, r.cells[k].value)
		}
	}
	return append(all, x.Columns[k].title())
}

// widest returns the width of the widest text and of the widest word in points.
func (x *latexLayout) widest(texts []string) (text, word float64) {
	for _, t := range texts {
		text = max(text, ems(t)*x.size.letters)
		for _, w := range words(t) {
			word = max(word, ems(strings.TrimRight(w, " "))*x.size.letters)
		}
	}
	return text, word
}

// words cuts a text where a line may end: after blanks and hyphens between letters. Joined they are the text.
func words(text string) (all []string) {
	from := 0
	r := []rune(text)
	for i := 1; i < len(r); i++ {
		if r[i-1] == ' ' && r[i] != ' ' || r[i-1] == '-' && i > 1 && isLetter(r[i-2]) && isLetter(r[i]) {
			all = append(all, string(r[from:i]))
			from = i
		}
	}
	return append(all, string(r[from:]))
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// wrap breaks a text into lines of a width in points, letters scale times as wide as usual.
func (x *latexLayout) wrap(text string, width, scale float64) (lines []string) {
	line := ""
	for _, w := range words(text) {
		if line != "" && ems(strings.TrimRight(line+w, " "))*x.size.letters*scale > width+0.01 {
			lines = append(lines, strings.TrimRight(line, " "))
			line = ""
		}
		line += w
	}
	return append(lines, strings.TrimRight(line, " "))
}

// continued follows the title of a block that goes on in another float.
const continued = " (continued)"

var rule = item{rule: true, height: 5}

// title is the title of a block over a panel.
func (x *latexLayout) title(title string, panel int) item {
	width := x.labels[panel].width
	for _, k := range x.panels[panel] {
		width += x.columns[k].width + 2*tabColSep
	}
	lines := x.wrap(title, width, 1.05) // italics
	return item{title: title, lines: lines, height: x.size.line * float64(len(lines))}
}

// stretch is how much further apart than usual rows stand.
func (x *latexLayout) stretch() float64 {
	if x.interval {
		return limitStretch
	}
	return 1
}

// items lists the lines of a panel with their heights.
func (x *latexLayout) items(panel int) (all []item) {
	line := x.size.line
	for b, block := range x.blocks {
		all = append(all, rule)
		if title := x.Blocks[b].Title; title != "" {
			all = append(all, x.title(title, panel))
		}
		for i := range block {
			r := &block[i]
			lines, raised := 1, x.stretch()
			count := func(c *latexColumn, text string, indent float64) {
				if c.wraps {
					lines = max(lines, len(x.wrap(text, c.width-indent, 1)))
				}
			}
			count(&x.labels[panel], r.Label, x.size.letters)
			for _, k := range x.panels[panel] {
				count(&x.columns[k], r.cells[k].value, 0)
			}
			all = append(all, item{row: r, height: line * (raised + float64(lines-1))})
		}
	}
	if x.coverage != nil {
		all = append(all, rule, item{coverage: true, height: line})
	}
	return all
}

// floats cuts the panels and the notes into what fits a page each.
func (x *latexLayout) floats() [][]piece {
	top := 14 * (1 + math.Floor(ems(x.Title)*10/x.fit.Width)) // the caption
	var all [][]piece
	var float []piece
	left := pageHeight - top
	next := func() {
		all, float, left = append(all, float), nil, pageHeight-top
	}
	for p := range x.panels {
		items, open := x.items(p), x.head(p)
		var title string
		for len(items) > 0 {
			// A rule and a title stay with the row below them.
			n, used := 0, open
			for n < len(items) {
				m, more := n+1, items[n].height
				for m < len(items) && items[m-1].row == nil && !items[m-1].coverage {
					more += items[m].height
					m++
				}
				if used+more > left && (n > 0 || len(float) > 0) {
					break
				}
				n, used = m, used+more
			}
			if n == 0 {
				next()
				continue
			}
			float = append(float, piece{panel: p, items: items[:n]})
			for _, it := range items[:n] {
				if it.title != "" {
					title = strings.TrimSuffix(it.title, continued)
				}
			}
			left -= used
			if items = items[n:]; len(items) > 0 {
				next()
				if items[0].row != nil && title != "" {
					items = slices.Insert(items, 0, rule, x.title(title+continued, p))
				} else if items[0].row != nil {
					items = slices.Insert(items, 0, rule)
				}
			}
		}
	}
	notes := x.latexNotes()
	height := func(note string) float64 { // all notes are one paragraph
		return 9.5 * ems(note) * 8 * 1.0625 / x.fit.Width * 1.03
	}
	total := 20.0
	for _, note := range notes {
		total += height(note)
	}
	if len(notes) > 0 && total > left && len(float) > 0 {
		// A float of notes alone tells nobody what they are about: the second half of the last rows goes with them.
		last := &float[len(float)-1]
		var rest piece
		last.items, rest = x.halves(*last)
		next()
		if rest.items != nil {
			float = append(float, rest)
			left -= x.head(rest.panel)
			for _, it := range rest.items {
				left -= it.height
			}
		}
	}
	left -= 20
	for _, note := range notes {
		if height(note) > left && len(float) > 0 {
			next()
		}
		float = append(float, piece{note: note})
		left -= height(note)
	}
	next()
	return all
}

// head is the height of rules, header with groups and the space around in a panel.
func (x *latexLayout) head(panel int) float64 {
	lines := 1
	for _, k := range x.panels[panel] {
		lines = max(lines, len(x.columns[k].header))
	}
	return 30 + x.size.line*float64(lines+1)
}

// halves cuts a piece behind a row near its middle. The second part begins with
// the title of its block; it is empty where there are fewer than two rows.
func (x *latexLayout) halves(p piece) (first []item, second piece) {
	title := ""
	for i := 1; i < len(p.items); i++ {
		if t := p.items[i-1].title; t != "" {
			title = strings.TrimSuffix(t, continued)
		}
		if i < len(p.items)/2 || p.items[i-1].row == nil || p.items[i].coverage {
			continue
		}
		second = piece{panel: p.panel, items: slices.Clone(p.items[i:])}
		if second.items[0].row == nil {
			return p.items[:i], second
		}
		begin := []item{rule}
		if title != "" {
			begin = append(begin, x.title(title+continued, p.panel))
		}
		second.items = append(begin, second.items...)
		return p.items[:i], second
	}
	return p.items, piece{}
}

// ems is the width of a text in cmr10, in em.
func ems(text string) (width float64) {
	for _, r := range text {
		switch {
		case r >= ' ' && int(r-' ') < len(romanWidths):
			width += float64(romanWidths[r-' ']) / 1000
		case r > 0x2e80: // scripts with wide letters
			width++
		default:
			width += 0.62
		}
	}
	return width
}

// romanWidths are those of the letters of ASCII in cmr10, in thousandths of an em [Knuth 1986, Computer Modern
// Typefaces].
var romanWidths = [...]int16{
	333, 278, 500, 833, 500, 833, 778, 278, 389, 389, 500, 778, 278, 333, 278, 500, // to /
	500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 278, 278, 778, 778, 778, 472, // 0 to ?
	778, 750, 708, 722, 764, 681, 653, 785, 750, 361, 514, 778, 625, 917, 750, 778, // @ to O
	681, 778, 736, 556, 722, 750, 750, 1028, 750, 750, 611, 278, 500, 278, 500, 500, // P to _
	278, 500, 556, 444, 556, 444, 306, 500, 556, 278, 306, 528, 278, 833, 556, 500, // ` to o
	556, 528, 392, 394, 389, 556, 528, 722, 528, 528, 444, 500, 278, 500, 500, // p to ~
}

func trimmed(points float64) string {
	return strings.TrimSuffix(number(&points, 1), ".0")
}
