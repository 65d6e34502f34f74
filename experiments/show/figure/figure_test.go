package figure

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/vg"

	"contextmover/experiments/show/density"
)

// examples returns a small figure of each kind.
func examples(t *testing.T) []*Figure {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	points := make([]float64, 80)
	for i := range points {
		points[i] = 3 * random.NormFloat64()
	}
	frame, err := density.Around(points, 2, 40)
	if err != nil {
		t.Fatal(err)
	}
	d := &Density{X: frame.X, Y: frame.Y, Step: frame.Step, NX: frame.NX, NY: frame.NY, Points: points}
	for l, name := range []string{"rock", "musée"} {
		weights := make([]float64, len(points)/2)
		for i := range weights {
			weights[i] = math.Exp(2 * math.Sin(float64((i+1)*(l+1))))
		}
		g, err := density.Estimate(t.Context(), frame, points, weights, 0.9)
		if err != nil {
			t.Fatal(err)
		}
		layer := Layer{Name: name, Masses: []float64{0.3, 0.6, 0.8}, Z: make([]float32, len(g.Z))}
		for i, z := range g.Z {
			layer.Z[i] = float32(z)
		}
		for _, m := range layer.Masses {
			layer.Levels = append(layer.Levels, g.Level(m))
		}
		d.Layers = append(d.Layers, layer)
	}
	for i, word := range []string{"stone", "song", "band", "hard"} {
		d.Labels = append(d.Labels, Label{word, points[8*i], points[8*i+1]})
	}
	mass := [][]float64{{0.2, 0.05, 0.05}, {0.05, 0.3, 0}, {0.1, 0.05, 0.2}}
	rows, cols := []string{"ivory", "tusks", "zoo"}, []string{"milk", "warm-blooded", "species"}
	source := Provenance{Profile: "test", Artefacts: []string{"0123abcd"}}
	return []*Figure{
		{ID: "density", Title: "Two words", Caption: "α < β & so on", Provenance: source, Width: 180, Height: 150, Columns: 1, Panels: []Panel{{Density: d}}},
		{ID: "plan", Title: "A plan", Provenance: source, Width: 160, Height: 140, Columns: 1, Panels: []Panel{{Plan: &Plan{"elephant", "mammal", rows, cols, mass}}}},
		{ID: "flow", Title: "A flow", Provenance: source, Width: 180, Height: 140, Columns: 1, Panels: []Panel{{Flow: &Flow{From: "elephant", To: "mammal", Rows: rows, Cols: cols, Mass: mass, Rest: true}}}},
		{ID: "curves", Title: "Curves", Provenance: source, Width: 180, Height: 150, Columns: 1, Panels: []Panel{{Curves: &Curves{
			X: "K", Y: "Pearson × 100", Marks: []Mark{{200, "plateau"}},
			Curves: []Curve{
				{Name: "A (β = 1)", X: []float64{50, 100, 200, 300}, Y: []float64{40, 45, 48, 49}, Low: []float64{38, 43, 46, 47}, High: []float64{42, 47, 50, 51}},
				{Name: "mean", Strong: true, X: []float64{50, 100, 200, 300}, Y: []float64{41, 44, 47, 46}},
			},
		}}}},
		{ID: "sentences", Title: "Two texts", Provenance: source, Width: 240, Height: SentencesHeight(3, 4), Columns: 1, Panels: []Panel{{Sentences: &Sentences{
			From: []TextWord{{"the", true}, {"ivory", true}, {"zyzzyva", false}}, To: []TextWord{{"a", true}, {"warm-blooded", true}, {"species", true}, {"of", true}},
			Mass: [][]float64{{0.05, 0.02, 0.01, 0.02}, {0.05, 0.5, 0.3, 0.05}, {0, 0, 0, 0}}, Cost: [][]float64{{0.1, 0.5, 0.9, 0.2}, {0.8, 0.2, 1.1, 0.6}, {0, 0, 0, 0}},
			Bands: [][2]int{{1, 1}, {1, 2}, {0, 0}},
		}}}},
		{ID: "panels", Title: "Two panels", Provenance: source, Width: 300, Height: 150, Columns: 2, Panels: []Panel{{Title: "(a) both", Density: d}, {Title: "(b) plan", Plan: &Plan{"elephant", "mammal", rows, cols, mass}}}},
	}
}

func render(t *testing.T, draw func(w io.Writer, f *Figure) error, f *Figure) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := draw(&b, f); err != nil {
		t.Fatalf("%s: %v", f.ID, err)
	}
	return b.Bytes()
}

func decode(t *testing.T, b []byte) image.Image {
	t.Helper()
	i, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func TestSameBytes(t *testing.T) {
	for name, draw := range map[string]func(w io.Writer, f *Figure) error{"SVG": SVG, "PDF": PDF, "PNG": PNG} {
		for i, f := range examples(t) {
			if !bytes.Equal(render(t, draw, f), render(t, draw, examples(t)[i])) {
				t.Errorf("%s of %s differs from one time to the next", name, f.ID)
			}
		}
	}
}

// svgTexts parses an SVG file as XML and returns its texts.
func svgTexts(t *testing.T, svg []byte) (texts []string) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	for element := ""; ; {
		token, err := d.Token()
		if err == io.EOF {
			return texts
		}
		if err != nil {
			t.Fatal(err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			element = x.Name.Local
		case xml.CharData:
			if s := strings.TrimSpace(string(x)); s != "" && slices.Contains([]string{"text", "title", "desc", "source"}, element) {
				texts = append(texts, s)
			}
		}
	}
}

// Every name stands in the SVG as text, and so does where the figure comes from.
func TestSVG(t *testing.T) {
	for _, f := range examples(t) {
		svg := render(t, SVG, f)
		texts := svgTexts(t, svg)
		want := []string{f.Title, f.Provenance.source()}
		for _, p := range f.Panels {
			if p.Title != "" {
				want = append(want, p.Title)
			}
			switch {
			case p.Density != nil:
				want = append(want, "rock", "musée", "stone", "song", "30, 60, 80 % of the mass")
			case p.Plan != nil:
				want = append(want, slices.Concat(p.Plan.Rows, p.Plan.Cols, []string{"elephant", "mammal"})...)
			case p.Flow != nil:
				want = append(want, slices.Concat(p.Flow.Rows, p.Flow.Cols, []string{"elephant", "mammal", "stays in its context"})...)
			case p.Sentences != nil:
				want = append(want, "the", "ivory", "zyzzyva", "a", "warm-blooded", "species", "of", "90", "52", "1.1",
					"ivory → species: 30.0 % of the mass, at a cost of 1.1: 62.5 % of the distance", "zyzzyva: unknown, left out")
			case p.Curves != nil:
				want = append(want, "A (β = 1)", "mean", "K", "Pearson × 100", "plateau", "50", "300")
			}
		}
		for _, s := range want {
			if !slices.Contains(texts, s) {
				t.Errorf("%s: no %q in the texts %q", f.ID, s, texts)
			}
		}
		if bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
			t.Errorf("%s has coordinates that are not finite", f.ID)
		}
	}
}

// An SVG file is for any page: on white, as large as a screen needs it, not wider than its page; and what stands
// for a number tells it.
func TestSVGOnAPage(t *testing.T) {
	for _, f := range examples(t) {
		svg := string(render(t, SVG, f))
		head := fmt.Sprintf(`<svg width="%g" height="%g" viewBox="0 0 %g %g" style="max-width:100%%;height:auto"`, 2*f.Width, 2*f.Height, f.Width, f.Height)
		if strings.Count(svg, "<svg") != 1 || !strings.Contains(svg, head) {
			t.Errorf("%s: no %s", f.ID, head)
		}
		if at := strings.Index(svg, `<rect width="100%" height="100%" fill="#ffffff"/>`); at < 0 || at > strings.Index(svg, "<g") {
			t.Errorf("%s: the background is at %d", f.ID, at)
		}
	}
	flow := examples(t)[2]
	flow.Panels[0].Flow.Cost = [][]float64{{1, 2, 3}, {1, 0.5, 1}, {1, 1, 1}}
	texts := svgTexts(t, render(t, SVG, flow))
	// 0.05·3 of 1 in all
	for _, want := range []string{"ivory → species: 5.0 % of the mass, at a cost of 3: 15.0 % of the distance",
		"zoo: 35.0 % of the mass, of which 20.0 % between other contexts is not drawn"} {
		if !slices.Contains(texts, want) {
			t.Errorf("no title %q in %q", want, texts)
		}
	}
	// What moves between the rest of both is not drawn, and takes no room.
	if slices.ContainsFunc(texts, func(s string) bool { return strings.HasPrefix(s, "zoo → species") }) {
		t.Errorf("the flow between the rest has a band: %q", texts)
	}
	if texts := svgTexts(t, render(t, SVG, examples(t)[1])); !slices.Contains(texts, "tusks → warm-blooded: 30.0 % of the mass") {
		t.Errorf("the plan has the titles %q", texts)
	}
}

// Names that are too long for their place are cut, and tell that they are.
func TestShortened(t *testing.T) {
	s := letters(textSize)
	const long = "an uncommonly long sentence about nothing"
	for width := vg.Length(5); width < 200; width += 13 {
		got := shortened(s, long, width)
		if got == long {
			if s.Rectangle(long).Size().X > width {
				t.Errorf("%v points: not cut", width)
			}
			continue
		}
		if start, ok := strings.CutSuffix(got, "…"); !ok || !strings.HasPrefix(long, start) || got != "…" && s.Rectangle(got).Size().X > width {
			t.Errorf("%v points: %q", width, got)
		}
	}
}

// Colours get darker with the cost, and all can be written on in black.
func TestCostColours(t *testing.T) {
	light := func(share float64) float64 {
		c := costColour(share)
		linear := func(v uint8) float64 { // WCAG 2.2, relative luminance
			x := float64(v) / 255
			if x <= 0.04045 {
				return x / 12.92
			}
			return math.Pow((x+0.055)/1.055, 2.4)
		}
		return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
	}
	for i := range 20 {
		a, b := light(float64(i)/20), light(float64(i+1)/20)
		if b >= a || (b+0.05)/0.05 < 4.5 {
			t.Errorf("luminance %v, then %v", a, b)
		}
	}
}

// The page draws text as text, in a font that says it is a part of one.
func TestPDF(t *testing.T) {
	tags := map[string]string{}
	for _, f := range examples(t) {
		pdf := render(t, PDF, f)
		found := regexp.MustCompile(`/BaseFont /([A-Z]{6})\+LiberationSerif\n`).FindSubmatch(pdf)
		if found == nil || bytes.Contains(pdf, []byte("utf8")) {
			t.Fatalf("%s: the font has no tag", f.ID)
		}
		if other, ok := tags[string(found[1])]; ok {
			t.Errorf("%s and %s have the same tag", f.ID, other)
		}
		tags[string(found[1])] = f.ID
		wellFormed(t, pdf)
		if len(pdf) > 60_000 {
			t.Errorf("%s: %d bytes", f.ID, len(pdf))
		}
		stream := regexp.MustCompile(`(?s)/Length \d+>>\nstream\n(.*?)\nendstream`).FindSubmatch(pdf)
		if stream == nil {
			t.Fatalf("%s: no page", f.ID)
		}
		z, err := zlib.NewReader(bytes.NewReader(stream[1]))
		if err != nil {
			t.Fatal(err)
		}
		page, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(page, []byte(") Tj")) {
			t.Errorf("%s: the page has no text", f.ID)
		}
		// In colours that alpha does not darken.
		if f.ID == "density" && !bytes.Contains(page, []byte("0.000 0.447 0.698 rg")) { // #0072b2
			t.Errorf("the page has no area in the colour of the first layer")
		}
	}
}

// wellFormed checks that the table of objects of a PDF file says where they are.
func wellFormed(t *testing.T, pdf []byte) {
	t.Helper()
	var start int
	if _, err := fmt.Sscanf(string(pdf[bytes.LastIndex(pdf, []byte("startxref")):]), "startxref\n%d\n%%%%EOF", &start); err != nil || !bytes.HasPrefix(pdf[start:], []byte("xref\n0 ")) {
		t.Fatalf("no table of objects at %d: %v", start, err)
	}
	entries := regexp.MustCompile(`(?m)^(\d{10}) 00000 n $`).FindAllSubmatch(pdf[start:], -1)
	if len(entries) < 5 {
		t.Errorf("%d objects", len(entries))
	}
	for i, e := range entries {
		at, err := strconv.Atoi(string(e[1]))
		if err != nil || !bytes.HasPrefix(pdf[at:], fmt.Appendf(nil, "%d 0 obj\n", i+1)) {
			t.Errorf("object %d is not at %d", i+1, at)
		}
	}
}

// No line of text is smaller than 7 points, and none is wider than the figure.
func TestSizesOfLetters(t *testing.T) {
	for _, f := range examples(t) {
		for _, e := range regexp.MustCompile(`font-size:([0-9.]+)(px|pt)`).FindAllSubmatch(render(t, SVG, f), -1) {
			if size, err := strconv.ParseFloat(string(e[1]), 64); err != nil || size < 7 {
				t.Errorf("%s: letters of %s%s", f.ID, e[1], e[2])
			}
		}
	}
}

// What colours tell apart is told apart in grey, and has the same colour in all panels.
func TestNames(t *testing.T) {
	var n names
	seen := map[string]string{}
	for i := range len(shapes) {
		name := fmt.Sprint(i)
		look := fmt.Sprintf("%T %v", n.glyph(name).Shape, n.dash(name))
		if other, ok := seen[look]; ok {
			t.Errorf("%s looks as %s in grey", name, other)
		}
		seen[look] = name
		if n.colour(name) != colours[i] || n.at(name) != i {
			t.Errorf("%s has another colour the second time", name)
		}
	}
}

func TestPNG(t *testing.T) {
	f := examples(t)[0]
	file := render(t, PNG, f)
	decode(t, file) // checks the checksums, too
	texts := map[string]string{}
	for b := file[8:]; len(b) > 0; {
		n := binary.BigEndian.Uint32(b)
		kind, data := string(b[4:8]), b[8:8+n]
		if kind == "tEXt" || kind == "iTXt" {
			keyword, rest, _ := bytes.Cut(data, []byte{0})
			texts[string(keyword)] = strings.TrimLeft(string(rest), "\x00")
		}
		b = b[12+n:]
	}
	if texts["Title"] != f.Title || texts["Description"] != f.Caption || texts["Source"] != "profile test; artefacts 0123abcd" {
		t.Errorf("texts %q", texts)
	}
}

// Labels cover neither each other nor the border.
func TestLabelsDoNotCollide(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	frame := vg.Rectangle{Max: vg.Point{X: 200, Y: 150}}
	p := placer{frame: frame}
	var labels []placed
	for i := range 60 {
		at := vg.Point{X: vg.Length(200 * random.Float64()), Y: vg.Length(150 * random.Float64())}
		if l, ok := p.place(letters(smallSize), fmt.Sprintf("word%d", i), at); ok {
			labels = append(labels, l)
		}
	}
	if len(labels) < 40 {
		t.Errorf("only %d of 60 labels have a place", len(labels))
	}
	for i, a := range labels {
		if !inside(a.box, frame) {
			t.Errorf("label %q lies outside: %v", a.text, a.box)
		}
		for _, b := range labels[:i] {
			if a.box.Min.X < b.box.Max.X && b.box.Min.X < a.box.Max.X && a.box.Min.Y < b.box.Max.Y && b.box.Min.Y < a.box.Max.Y {
				t.Errorf("labels %q and %q cover each other", a.text, b.text)
			}
		}
	}
}

// Every bar of a flow is as high as its mass, and the middles of neighbours are a line of
// text or more apart.
func TestFlowHasRoomForNames(t *testing.T) {
	const between, top, bottom = 3.0, 250.0, 20.0
	for _, mass := range [][]float64{
		{1}, {0.5, 0.5}, {0.9, 0.05, 0.05}, {1, 0, 0, 0}, {0.6, 0.1, 0.1, 0.05, 0.05, 0.02, 0.02, 0.02, 0.02, 0.01, 0.01},
		slices.Repeat([]float64{0.05}, 20),
	} {
		scale := fit(mass, top-bottom, textSize, between)
		order := make([]int, len(mass))
		for i := range order {
			order[i] = i
		}
		tops := stack(order, mass, scale, textSize, top, bottom)
		above := math.Inf(1)
		for i, v := range mass {
			middle := tops[i] - v*scale/2
			if tops[i] > top+1e-9 || tops[i]-v*scale < bottom-1e-9 || middle > above-textSize {
				t.Errorf("masses %v: bar %d from %v to %v, the name above at %v", mass, i, tops[i], tops[i]-v*scale, above)
			}
			above = middle
		}
		// At any larger scale the slots are too high together.
		height := between * float64(len(mass)-1)
		for _, v := range mass {
			height += max(v*scale*1.01, textSize)
		}
		if height < top-bottom {
			t.Errorf("masses %v: the scale %v is too small", mass, scale)
		}
	}
}

// A font of some letters has their outlines and widths, and lost the others'.
func TestSubset(t *testing.T) {
	var ascii []rune
	for r := ' '; r < 0x7f; r++ {
		ascii = append(ascii, r)
	}
	small, err := subset(ascii)
	if err != nil {
		t.Fatal(err)
	}
	var b sfnt.Buffer
	same := func(r rune) bool {
		i, err := face.GlyphIndex(&b, r)
		j, err2 := small.GlyphIndex(&b, r)
		if err != nil || err2 != nil || i != j {
			t.Fatalf("glyph of %q: %d and %d, %v, %v", r, i, j, err, err2)
		}
		x, err := face.LoadGlyph(&b, i, fixed.I(10), nil)
		x = slices.Clone(x)
		y, err2 := small.LoadGlyph(&b, j, fixed.I(10), nil)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		v, _ := face.GlyphAdvance(&b, i, fixed.I(10), 0)
		w, _ := small.GlyphAdvance(&b, j, fixed.I(10), 0)
		return v == w && slices.Equal(x, y)
	}
	for r := ' '; r < 0x7f; r++ {
		if !same(r) {
			t.Errorf("%q looks different", r)
		}
	}
	if same('Ж') {
		t.Error("the small font still has Cyrillic letters")
	}
	var large, little bytes.Buffer
	if _, err := face.WriteSourceTo(nil, &large); err != nil {
		t.Fatal(err)
	}
	if _, err := small.WriteSourceTo(nil, &little); err != nil {
		t.Fatal(err)
	}
	if little.Len() > large.Len()/3 {
		t.Errorf("%d bytes of %d are left", little.Len(), large.Len())
	}
}

func TestRoundTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{34.5, 48.1, "36 38 40 42 44 46 48"}, {0, 1, "0.0 0.2 0.4 0.6 0.8 1.0"}, {-3, 17, "0 5 10 15"}, {-0.3, 0.3, "−0.3 −0.2 −0.1 0.0 0.1 0.2 0.3"},
		{0.011, 0.019, "0.012 0.014 0.016 0.018"}, {100, 900, "200 400 600 800"},
	} {
		var got []string
		for _, tick := range roundTicks(c.low, c.high, 8) {
			got = append(got, tick.Label)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("ticks of %g to %g: %q, want %s", c.low, c.high, got, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for want, spoil := range map[string]func(f []*Figure) *Figure{
		"not a file's stem":         func(f []*Figure) *Figure { f[0].ID = "a/b"; return f[0] },
		"expected 36 to 5000":       func(f []*Figure) *Figure { f[0].Width = 1; return f[0] },
		"0 panels":                  func(f []*Figure) *Figure { f[0].Panels = nil; return f[0] },
		"2 kinds of content":        func(f []*Figure) *Figure { f[0].Panels[0].Plan = f[1].Panels[0].Plan; return f[0] },
		"0 kinds of content":        func(f []*Figure) *Figure { f[0].Panels[0] = Panel{}; return f[0] },
		"the density at node 3":     func(f []*Figure) *Figure { f[0].Panels[0].Density.Layers[0].Z[3] = float32(math.NaN()); return f[0] },
		"a map without layers":      func(f []*Figure) *Figure { f[0].Panels[0].Density.Layers = nil; return f[0] },
		`layer "rock" has 0 values`: func(f []*Figure) *Figure { f[0].Panels[0].Density.Layers[0].Z = nil; return f[0] },
		`mass 1 of row "tusks"`:     func(f []*Figure) *Figure { f[1].Panels[0].Plan.Mass[1][1] = -1; return f[1] },
		"a flow without mass": func(f []*Figure) *Figure {
			f[2].Panels[0].Flow.Mass = [][]float64{{0}}
			f[2].Panels[0].Flow.Rows = f[2].Panels[0].Flow.Rows[:1]
			f[2].Panels[0].Flow.Cols = f[2].Panels[0].Flow.Cols[:1]
			return f[2]
		},
		`row "ivory" has 3 costs`: func(f []*Figure) *Figure {
			f[4].Panels[0].Sentences.Cost[1] = []float64{1, 2, 3}
			return f[4]
		},
		"a band from word 3 of 3": func(f []*Figure) *Figure {
			f[4].Panels[0].Sentences.Bands[0] = [2]int{3, 0}
			return f[4]
		},
		"sentences without mass": func(f []*Figure) *Figure {
			for _, row := range f[4].Panels[0].Sentences.Mass {
				clear(row)
			}
			return f[4]
		},
		"does not ascend":         func(f []*Figure) *Figure { f[3].Panels[0].Curves.Curves[0].X[0] = 1000; return f[3] },
		"curve A (β = 1): number": func(f []*Figure) *Figure { f[3].Panels[0].Curves.Curves[0].Y[1] = math.Inf(1); return f[3] },
		"0 for x, y, low": func(f []*Figure) *Figure {
			return &Figure{ID: "x", Width: 99, Height: 99, Columns: 1, Panels: []Panel{{Curves: &Curves{Curves: []Curve{{Name: "empty"}}}}}}
		},
	} {
		f := spoil(examples(t))
		for _, draw := range []func(w io.Writer, f *Figure) error{SVG, PDF, PNG} {
			if err := draw(io.Discard, f); err == nil || !strings.Contains(err.Error(), want) && !strings.Contains(want, "for x") {
				t.Errorf("error %v, want one that says %q", err, want)
			}
		}
	}
}

// Zero that was recorded without a name has one.
func TestDecode(t *testing.T) {
	v := intervals()
	v.Panels[0].Intervals.Zero, v.Panels[0].Intervals.ZeroName = 0, ""
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(text)
	if err != nil || got.Panels[0].Intervals.ZeroName != "no difference" || got.Panels[1].Intervals.ZeroName != v.Panels[1].Intervals.ZeroName {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := Decode([]byte("{")); err == nil {
		t.Error("no error for half of a figure")
	}
}

func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "figures", "test")
	if err := Write(dir, examples(t)[1]); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
	}
	if got := strings.Join(names, " "); got != "plan.pdf plan.png plan.svg" {
		t.Errorf("files %s", got)
	}
}
