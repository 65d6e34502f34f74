// Package figure draws figures: one description becomes SVG, PDF and PNG through gonum/plot. A description holds
// numbers and words only, so it can be stored as JSON and drawn again without computing anything. What is written
// depends on it alone, and no file carries a date.
//
// Sizes are those of a paper with columns of 3.25 inches. Text is set in Liberation Serif, which has the metrics of
// Times, in letters of at least 7 points. A name has the same colour, dashes and mark in all panels of a figure (a
// ground cost, in all figures) and is explained once, in a legend for all panels or at the end of its line. Whatever
// colours distinguish is also distinguished by dashes, marks or words, so that figures can be read in grey.
package figure

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"contextmover/internal/atomicfile"
	"contextmover/internal/jsonerror"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// Column is the width of a column of the paper, Page that of both, and Text that of a page with wide margins, in
// points.
const (
	Column = 3.25 * 72
	Page   = 6.75 * 72
	Text   = 6.25 * 72
)

// Figure describes one figure: panels of equal size in rows.
type Figure struct {
	ID string `json:"id"` // stem of its files
	// Title is one line, Caption what a reader needs to know. They are not drawn: the
	// text around a figure has them. SVG and PDF have them as metadata.
	Title   string `json:"title"`
	Caption string `json:"caption"`
	// Provenance tells where the numbers come from; part of the same metadata.
	Provenance Provenance `json:"provenance"`
	// Width and Height are those of the whole figure, in points.
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
	// Columns is the number of panels in a row.
	Columns int     `json:"columns"`
	Panels  []Panel `json:"panels"`
}

// Resize gives the figure another width in points, and the height that keeps its shape. Letters keep their size.
func (f *Figure) Resize(width float64) {
	f.Height *= width / f.Width
	f.Width = width
}

// Decode reads the JSON of a figure, as results keep it; also as they kept it when zero had no name.
func Decode(data []byte) (*Figure, error) {
	f := new(Figure)
	if err := json.Unmarshal(data, f); err != nil {
		return nil, fmt.Errorf("figure: %w", jsonerror.Explain(err))
	}
	for _, p := range f.Panels {
		if p.Intervals != nil && p.Intervals.Zero == 0 {
			p.Intervals.ZeroName = cmp.Or(p.Intervals.ZeroName, "no difference")
		}
	}
	return f, nil
}

// Provenance says what a figure was made from.
type Provenance struct {
	Profile   string   `json:"profile"`
	Space     string   `json:"space,omitempty"` // instead of a profile
	Artefacts []string `json:"artefacts"`       // keys in the store
}

// Panel is one part of a figure; exactly one of its pointers is set.
type Panel struct {
	Title     string     `json:"title,omitempty"`
	Density   *Density   `json:"density,omitempty"`
	Plan      *Plan      `json:"plan,omitempty"`
	Flow      *Flow      `json:"flow,omitempty"`
	Curves    *Curves    `json:"curves,omitempty"`
	Intervals *Intervals `json:"intervals,omitempty"`
}

// kind is what all kinds of panels can do.
type kind interface {
	check() error
	// keys are the entries of the legend, where what the panel shows needs them.
	keys(*names) []key
	draw(draw.Canvas, *Figure, *names)
}

// kinds are the pointers that are set.
func (p Panel) kinds() []kind {
	return slices.DeleteFunc([]kind{p.Density, p.Plan, p.Flow, p.Curves, p.Intervals},
		func(k kind) bool { return reflect.ValueOf(k).IsNil() })
}

// validID is what all systems take for a file's name, in any script.
var validID = regexp.MustCompile(`^[\pL\pN][\pL\pM\pN_.-]*$`)

// check returns an error that names the first place where f breaks the rules of its type.
func (f *Figure) check() error {
	if !validID.MatchString(f.ID) {
		return fmt.Errorf("figure: id %q is not a file's stem: expected letters, digits, '_', '-' and '.'", f.ID)
	}
	if !(f.Width >= 36 && f.Height >= 36 && f.Width <= 5000 && f.Height <= 5000) {
		return fmt.Errorf("figure: %s is %v × %v points, expected 36 to 5000", f.ID, f.Width, f.Height)
	}
	if len(f.Panels) == 0 || f.Columns < 1 {
		return fmt.Errorf("figure: %s has %d panels in %d columns", f.ID, len(f.Panels), f.Columns)
	}
	for i, p := range f.Panels {
		kinds := p.kinds()
		if len(kinds) != 1 {
			return fmt.Errorf("figure: %s, panel %d: %d kinds of content, expected one", f.ID, i+1, len(kinds))
		}
		if err := kinds[0].check(); err != nil {
			return fmt.Errorf("figure: %s, panel %d: %w", f.ID, i+1, err)
		}
	}
	// JSON has no other numbers.
	if _, err := json.Marshal(f); err != nil {
		return fmt.Errorf("figure: %s: expected finite numbers: %w", f.ID, err)
	}
	return nil
}

// gap is the space between panels, margin that around them.
const (
	gap    = 9
	margin = 2
)

// draw draws the figure, which has been checked.
func (f *Figure) draw(c vg.Canvas) {
	whole := draw.NewCanvas(c, vg.Length(f.Width), vg.Length(f.Height))
	whole.Rectangle = draw.Crop(whole, margin, -margin, margin, -margin).Rectangle
	n := new(names)
	var keys []key
	for _, p := range f.Panels {
		if p.Intervals != nil && slices.Contains(costs, p.Intervals.Series[0].Name) {
			*n = slices.Clone(costs)
		}
		for _, entry := range p.kinds()[0].keys(n) {
			if !slices.ContainsFunc(keys, func(other key) bool { return other.name == entry.name }) {
				keys = append(keys, entry)
			}
		}
	}
	whole.Min.Y += legend(whole, keys)
	tiles := draw.Tiles{Cols: f.Columns, Rows: (len(f.Panels) + f.Columns - 1) / f.Columns, PadX: gap, PadY: gap}
	for i, p := range f.Panels {
		part := whole
		part.Rectangle = tiles.At(whole, i%f.Columns, i/f.Columns).Rectangle
		if p.Title != "" {
			title := aligned(titleSize, draw.XLeft, draw.YTop)
			part.FillText(title, vg.Point{X: part.Min.X, Y: part.Max.Y}, shortened(title, p.Title, part.Size().X))
			part.Max.Y -= 1.5 * titleSize
		}
		p.kinds()[0].draw(part, f, n)
	}
}

// Lacking returns the letters of a figure that can be drawn for which its font has no glyph, each once. PDF and PNG
// show a box instead; SVG has them as text, which whoever shows it sets in another font.
func (f *Figure) Lacking() string {
	var c recorder.Canvas
	f.draw(&c)
	var lacking []rune
	for _, action := range c.Actions {
		if text, ok := action.(*recorder.FillString); ok {
			lacking = append(lacking, slices.DeleteFunc([]rune(text.String), func(r rune) bool { return !lacks(r) })...)
		}
	}
	slices.Sort(lacking)
	return string(slices.Compact(lacking))
}

// Write writes the figure to <dir>/<id>.svg, .pdf and .png. It makes the folder if
// need be. All are drawn before the first is written, and each is renamed into place
// whole.
func Write(dir string, f *Figure) error {
	return WriteFiles(f, f.Files(dir)...)
}

// Files are the paths to which Write writes.
func (f *Figure) Files(dir string) (paths []string) {
	for _, extension := range Extensions() {
		paths = append(paths, filepath.Join(dir, f.ID+extension))
	}
	return paths
}

// Formats write figures, by the extensions of their files.
var Formats = map[string]func(io.Writer, *Figure) error{".svg": SVG, ".pdf": PDF, ".png": PNG}

// Extensions are those of the formats that Write writes.
func Extensions() []string { return []string{".svg", ".pdf", ".png"} }

// WriteFiles is Write to paths whose extensions say the format. Another extension is an error.
func WriteFiles(f *Figure, paths ...string) error {
	contents := make([]bytes.Buffer, len(paths))
	for i, path := range paths {
		draw := Formats[filepath.Ext(path)]
		if draw == nil {
			return fmt.Errorf("figure: %s: expected a file called %s", path, strings.Join(Extensions(), ", "))
		}
		if err := draw(&contents[i], f); err != nil {
			return err
		}
	}
	for i, path := range paths {
		if err := atomicfile.WriteInFolder(path, contents[i].Bytes()); err != nil {
			return fmt.Errorf("figure: %w", err)
		}
	}
	return nil
}
