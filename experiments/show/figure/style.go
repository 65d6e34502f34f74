package figure

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Style is how a figure is drawn, apart from what it shows. The zero Style is that of the paper.
type Style struct {
	// Size is that of most letters in points, 0 for 7.5; lines and marks become larger or smaller with it.
	Size float64
	// Font is one of Fonts, "" for the first.
	Font string
	// DPI is the resolution of PNG, 0 for the constant DPI.
	DPI int
}

// Fonts are the names of the fonts: serif has the metrics of Times, sans those of Helvetica,
// mono those of Courier. PDF has text as text in the first only, and as outlines in the others.
func Fonts() []string { return []string{"serif", "sans", "mono"} }

var fonts = map[string]letters{"": "", "serif": "", "sans": "Sans", "mono": "Mono"}

// families are the names of fonts in SVG: the one that is embedded, and what to fall back on.
var families = map[string][2]string{
	"":      {"Liberation Serif", "'Times New Roman',Times,serif"},
	"serif": {"Liberation Serif", "'Times New Roman',Times,serif"},
	"sans":  {"Liberation Sans", "Arial,Helvetica,sans-serif"},
	"mono":  {"Liberation Mono", "'Courier New',Courier,monospace"},
}

func (s Style) check() error {
	if _, ok := fonts[s.Font]; !ok {
		return fmt.Errorf("font %q, expected one of %s", s.Font, strings.Join(Fonts(), ", "))
	}
	if s.Size != 0 && !(s.Size >= 3 && s.Size <= 40) {
		return fmt.Errorf("letters of %g points, expected 3 to 40", s.Size)
	}
	if s.DPI != 0 && (s.DPI < 30 || s.DPI > 2400) {
		return fmt.Errorf("%d dots an inch, expected 30 to 2400", s.DPI)
	}
	return nil
}

func (s Style) scale() float64 {
	if s.Size == 0 {
		return 1
	}
	return s.Size / textSize
}

func (s Style) dpi() int {
	if s.DPI == 0 {
		return DPI
	}
	return s.DPI
}

// Resize gives the figure another width in points, and the height that keeps its shape.
func (f *Figure) Resize(width float64) {
	f.Height *= width / f.Width
	f.Width = width
}

// Palettes are the names of the colours that Recolour knows: grey, and those of Okabe and Ito (2008, Color universal
// design), which most people tell apart.
func Palettes() []string { return slices.Sorted(maps.Keys(palettes)) }

var palettes = map[string][]string{
	"grey":  {"#000000", "#6e6e6e", "#a8a8a8", "#444444", "#8a8a8a"},
	"okabe": {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"},
}

var colourPattern = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// Recolour replaces the colours that distinguish layers and curves, in the order in which they occur. They become
// those of a palette, or of a list such as #1b9e77,#d95f02 that begins again where it ends. An error names what is no
// colour.
func (f *Figure) Recolour(colours string) error {
	list := palettes[colours]
	if list == nil {
		list = strings.Split(colours, ",")
	}
	for _, c := range list {
		if !colourPattern.MatchString(c) {
			return fmt.Errorf("colour %q, expected %s, or a list such as #1b9e77,#d95f02",
				c, strings.Join(Palettes(), ", "))
		}
	}
	changed := map[string]string{}
	change := func(c *string) {
		if changed[*c] == "" {
			changed[*c] = list[len(changed)%len(list)]
		}
		*c = changed[*c]
	}
	for i := range f.Panels {
		p := &f.Panels[i]
		if p.Density != nil {
			for k := range p.Density.Layers {
				change(&p.Density.Layers[k].Colour)
			}
		}
		if p.Curves != nil {
			for k := range p.Curves.Curves {
				change(&p.Curves.Curves[k].Colour)
			}
		}
		if p.Intervals != nil {
			for k := range p.Intervals.Series {
				change(&p.Intervals.Series[k].Colour)
			}
		}
	}
	return nil
}
