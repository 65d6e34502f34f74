package figure

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"

	"contextmover/internal/latex"
	"contextmover/internal/printable"
)

// PGF writes the figure as a picture of PGF, for \input in a document that loads the package pgf
// or tikz: its text is set in the document's own letters. Words take the room of the figure's
// font, and are scaled to it along the line, so that nothing overlaps whatever the letters are.
func PGF(w io.Writer, f *Figure) error {
	if err := f.check(); err != nil {
		return err
	}
	var c recorder.Canvas
	f.draw(&c)
	title, caption, source := f.metadata()
	var b bytes.Buffer
	for _, line := range []string{title, caption, source, `needs \usepackage{pgf,graphicx}`} {
		if line != "" {
			fmt.Fprintf(&b, "%% %s\n", line)
		}
	}
	// The sizes of this program are PostScript's points, bp in TeX.
	fmt.Fprintf(&b,
		"\\begin{pgfpicture}\n\\pgfpathrectangle{\\pgfpointorigin}{\\pgfqpoint{%sbp}{%sbp}}\\pgfusepath{use as "+
			"bounding box}\n",
		short(f.Width), short(f.Height))
	b.WriteString("\\pgfsetxvec{\\pgfqpoint{1bp}{0bp}}\\pgfsetyvec{\\pgfqpoint{0bp}{1bp}}\n")
	if err := writePGF(&b, c.Actions); err != nil {
		return err
	}
	b.WriteString("\\end{pgfpicture}\n")
	_, err := b.WriteTo(w)
	return err
}

// pgfState is what a canvas keeps: PGF has colours apart from lines.
type pgfState struct {
	width  vg.Length  // of lines; those of no width are not drawn
	matrix [6]float64 // from the figure's coordinates to the page's: x' = a x + c y + e, y' = b x + d y + f
}

func writePGF(b *bytes.Buffer, actions []recorder.Action) error {
	state := pgfState{matrix: [6]float64{1, 0, 0, 1, 0, 0}}
	var stack []pgfState
	apply := func(m [6]float64) {
		s := state.matrix
		state.matrix = [6]float64{
			s[0]*m[0] + s[2]*m[1], s[1]*m[0] + s[3]*m[1],
			s[0]*m[2] + s[2]*m[3], s[1]*m[2] + s[3]*m[3],
			s[0]*m[4] + s[2]*m[5] + s[4], s[1]*m[4] + s[3]*m[5] + s[5],
		}
	}
	// The scale of lengths, which is the same along both axes.
	scale := func() float64 { return math.Hypot(state.matrix[0], state.matrix[1]) }
	point := func(p vg.Point) string {
		x, y := float64(p.X), float64(p.Y)
		m := state.matrix
		return fmt.Sprintf("\\pgfqpoint{%sbp}{%sbp}", short(m[0]*x+m[2]*y+m[4]), short(m[1]*x+m[3]*y+m[5]))
	}
	path := func(p vg.Path) error {
		for _, part := range p {
			switch part.Type {
			case vg.MoveComp:
				fmt.Fprintf(b, "\\pgfpathmoveto{%s}", point(part.Pos))
			case vg.LineComp:
				fmt.Fprintf(b, "\\pgfpathlineto{%s}", point(part.Pos))
			case vg.CurveComp:
				if len(part.Control) != 2 {
					return fmt.Errorf("figure: a curve that is not cubic")
				}
				fmt.Fprintf(b, "\\pgfpathcurveto{%s}{%s}{%s}", point(part.Control[0]),
					point(part.Control[1]), point(part.Pos))
			case vg.ArcComp:
				at := part.Pos.Add(vg.Point{
					X: part.Radius * vg.Length(math.Cos(part.Start)), Y: part.Radius * vg.Length(math.Sin(part.Start)),
				})
				fmt.Fprintf(b, "\\pgfpathlineto{%s}\\pgfpatharc{%s}{%s}{%sbp}", point(at), short(
					part.Start*180/math.Pi,
				), short((part.Start+part.Angle)*180/math.Pi), short(float64(part.Radius)*scale()))
			case vg.CloseComp:
				b.WriteString("\\pgfpathclose")
			}
		}
		return nil
	}
	for _, action := range actions {
		switch a := action.(type) {
		case *recorder.Push:
			stack = append(stack, state)
			b.WriteString("\\begin{pgfscope}\n")
		case *recorder.Pop:
			state, stack = stack[len(stack)-1], stack[:len(stack)-1]
			b.WriteString("\\end{pgfscope}\n")
		case *recorder.Translate:
			apply([6]float64{1, 0, 0, 1, float64(a.Point.X), float64(a.Point.Y)})
		case *recorder.Scale:
			apply([6]float64{a.X, 0, 0, a.Y, 0, 0})
		case *recorder.Rotate:
			sin, cos := math.Sincos(a.Angle)
			apply([6]float64{cos, sin, -sin, cos, 0, 0})
		case *recorder.SetColor:
			c := plainColour(a.Color)
			fmt.Fprintf(b,
				"\\definecolor{figurecolour}{RGB}{%d,%d,%d}\\pgfsetcolor{figurecolour}"+
					"\\pgfsetstrokeopacity{%s}\\pgfsetfillopacity{%[4]s}\n",
				c.R, c.G, c.B, short(float64(c.A)/255))
		case *recorder.SetLineWidth:
			state.width = a.Width
			fmt.Fprintf(b, "\\pgfsetlinewidth{%sbp}\n", short(float64(a.Width)*scale()))
		case *recorder.SetLineDash:
			b.WriteString("\\pgfsetdash{")
			for _, d := range a.Dashes {
				fmt.Fprintf(b, "{%sbp}", short(float64(d)*scale()))
			}
			fmt.Fprintf(b, "}{%sbp}\n", short(float64(a.Offsets)*scale()))
		case *recorder.Stroke:
			if state.width <= 0 {
				continue
			}
			if err := path(a.Path); err != nil {
				return err
			}
			b.WriteString("\\pgfusepath{stroke}\n")
		case *recorder.Fill:
			if err := path(a.Path); err != nil {
				return err
			}
			b.WriteString("\\pgfusepath{fill}\n")
		case *recorder.FillString:
			size := float64(a.Font.Size) * scale()
			width := float64(fontWidth(a)) * scale()
			turned := math.Atan2(state.matrix[1], state.matrix[0]) * 180 / math.Pi
			fmt.Fprintf(b,
				"\\pgftext[left,base,at={%s},rotate=%s]{\\fontsize{%sbp}{%[3]sbp}\\selectfont"+
					"\\resizebox{%sbp}{\\height}{%s}}\n",
				point(a.Point), short(turned), short(size), short(width), latex.Escape(printable.Text(a.String)))
		default:
			return fmt.Errorf("figure: PGF has no %T", a)
		}
	}
	return nil
}

// fontWidth is the width of a text in the figure's font.
func fontWidth(a *recorder.FillString) vg.Length {
	face := font.DefaultCache.Lookup(a.Font, a.Size)
	return face.Width(a.String)
}

func plainColour(c color.Color) color.NRGBA {
	if c == nil {
		return color.NRGBA{A: 255}
	}
	return color.NRGBAModel.Convert(c).(color.NRGBA)
}

// short writes a number with few digits, as TeX reads it.
func short(x float64) string {
	s := strconv.FormatFloat(x, 'f', 3, 64)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}
