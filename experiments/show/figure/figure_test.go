package figure

import (
	"bytes"
	"compress/zlib"
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
	frame := density.Around(points, 2, 40)
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
		{ID: "sentences", Title: "Two texts", Provenance: source, Width: 240, Height: 150, Columns: 1, Panels: []Panel{{Flow: &Flow{
			Texts: true, Rows: []string{"the", "ivory", "zyzzyva"}, Cols: []string{"a", "warm-blooded", "species", "of"},
			Mass: [][]float64{{0.05, 0.02, 0.01, 0.02}, {0.05, 0.5, 0.3, 0.05}, {0, 0, 0, 0}}, Cost: [][]float64{{0.1, 0.5, 0.9, 0.2}, {0.8, 0.2, 1.1, 0.6}, {0, 0, 0, 0}},
			Least: 0.05,
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
			if s := strings.TrimSpace(string(x)); s != "" && slices.Contains([]string{"text", "title", "desc"}, element) {
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
		want := []string{f.Title, f.description()}
		for _, p := range f.Panels {
			if p.Title != "" {
				want = append(want, p.Title)
			}
			switch {
			case p.Density != nil:
				want = append(want, "rock", "musée", "stone", "song", "30, 60, 80 % of the mass")
			case p.Plan != nil:
				want = append(want, slices.Concat(p.Plan.Rows, p.Plan.Cols, []string{"elephant", "mammal"})...)
			case p.Flow != nil && p.Flow.Texts:
				want = append(want, "the", "ivory", "zyzzyva", "a", "warm-blooded", "species", "of", "90 %", "52 %", "1.1 a unit",
					"ivory → species: 30.0 % of the mass, at a cost of 1.1 a unit", "zyzzyva: unknown, left out")
				if slices.ContainsFunc(texts, func(s string) bool { return strings.HasPrefix(s, "the → warm-blooded") }) {
					t.Errorf("what is too little has a band: %q", texts)
				}
			case p.Flow != nil:
				want = append(want, slices.Concat(p.Flow.Rows, p.Flow.Cols, []string{"elephant", "mammal", "stays in its context"})...)
			case p.Curves != nil:
				want = append(want, "A (β = 1)", "mean", "K", "Pearson × 100", "plateau", "100", "300")
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
	for _, want := range []string{"ivory → species: 5.0 % of the mass, at a cost of 3 a unit",
		"zoo: 15.0 % of the mass, moved at a cost of 1 a unit"} {
		if !slices.Contains(texts, want) {
			t.Errorf("no title %q in %q", want, texts)
		}
	}
	// What moves between the rest of both is not drawn, and takes no room.
	if slices.ContainsFunc(texts, func(s string) bool { return strings.HasPrefix(s, "zoo → species") }) {
		t.Errorf("the flow between the rest has a band: %q", texts)
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

// Labels cover neither each other nor the border.
func TestLabelsDoNotCollide(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	frame := vg.Rectangle{Max: vg.Point{X: 200, Y: 150}}
	text := letters(smallSize)
	var boxes []vg.Rectangle
	for i := range 60 {
		at := vg.Point{X: vg.Length(200 * random.Float64()), Y: vg.Length(150 * random.Float64())}
		half := vg.Point{X: text.Width(fmt.Sprintf("word%d", i))/2 + 1, Y: smallSize / 2}
		if box, ok := free(frame, boxes, at, half); ok {
			boxes = append(boxes, box)
		}
	}
	if len(boxes) < 40 {
		t.Errorf("only %d of 60 labels have a place", len(boxes))
	}
	for i, a := range boxes {
		if !inside(a, frame) {
			t.Errorf("label %d lies outside: %v", i, a)
		}
		for j, b := range boxes[:i] {
			if a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y {
				t.Errorf("labels %d and %d cover each other", i, j)
			}
		}
	}
}

// Every bar of a flow is as high as its mass, and the middles of neighbours are a line of
// text or more apart.
func TestFlowHasRoomForNames(t *testing.T) {
	const top, height = 250.0, 230.0
	for _, mass := range [][]float64{
		{1}, {0.5, 0.5}, {0.9, 0.05, 0.05}, {1, 0, 0, 0}, {0.6, 0.1, 0.1, 0.05, 0.05, 0.02, 0.02, 0.02, 0.02, 0.01, 0.01},
		slices.Repeat([]float64{0.05}, 20),
	} {
		for _, f := range []*Flow{{Texts: true}, {}} {
			s := &side{mass: mass}
			for _, v := range mass {
				s.total += v
				if f.shows(v) {
					s.lines++
				}
			}
			scale := float64(flowScale(height, [2]*side{s, s}))
			f.stack(s, top, height, vg.Length(scale))
			above := math.Inf(1)
			for i, v := range mass {
				if !f.shows(v) {
					continue
				}
				at := float64(s.tops[i])
				middle := at - v*scale/2
				if scale <= 0 || at > top+1e-9 || at-v*scale < top-height-1e-9 || middle > above-textSize {
					t.Errorf("masses %v: bar %d from %v to %v, the name above at %v", mass, i, at, at-v*scale, above)
				}
				above = middle
			}
		}
	}
}

// Ticks have minus signs.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{{34.5, 48.1, "36 40 44 48"}, {0, 1, "0.0 0.5 1.0"}, {-0.3, 0.3, "−0.25 0.00 0.25"}, {5, 5, ""}} {
		var got []string
		for _, tick := range ticks(c.low, c.high) {
			if !tick.IsMinor() {
				got = append(got, tick.Label)
			}
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
		"expected finite numbers":   func(f []*Figure) *Figure { f[0].Panels[0].Density.Layers[0].Z[3] = float32(math.NaN()); return f[0] },
		", 0 layers":                func(f []*Figure) *Figure { f[0].Panels[0].Density.Layers = nil; return f[0] },
		`layer "rock" has 0 values`: func(f []*Figure) *Figure { f[0].Panels[0].Density.Layers[0].Z = nil; return f[0] },
		`row "tusks" has 2 masses`:  func(f []*Figure) *Figure { f[1].Panels[0].Plan.Mass[1] = []float64{1, 1}; return f[1] },
		"a flow without mass": func(f []*Figure) *Figure {
			f[2].Panels[0].Flow.Mass = [][]float64{{0}}
			f[2].Panels[0].Flow.Rows = f[2].Panels[0].Flow.Rows[:1]
			f[2].Panels[0].Flow.Cols = f[2].Panels[0].Flow.Cols[:1]
			return f[2]
		},
		`row "ivory" has 3 costs`: func(f []*Figure) *Figure {
			f[4].Panels[0].Flow.Cost[1] = []float64{1, 2, 3}
			return f[4]
		},
		"0 rows of costs":         func(f []*Figure) *Figure { f[4].Panels[0].Flow.Cost = nil; return f[4] },
		"unsupported value: +Inf": func(f []*Figure) *Figure { f[3].Panels[0].Curves.Curves[0].Y[1] = math.Inf(1); return f[3] },
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
