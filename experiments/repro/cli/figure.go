package cli

import (
	"cmp"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"contextmover/experiments/show/figure"
	"contextmover/internal/printable"
)

// FigureFlags say where a figure goes, into a file of one format or a folder, and how wide it is.
type FigureFlags struct {
	Out   string `placeholder:"FILE|DIR" help:"Write a .svg, .pdf or .png file, or all three into a folder (default: figures/ and the name of the profile or space)."`
	Width string `placeholder:"WIDTH" help:"Width: ${widths} or a length such as 8cm or 345pt (default: as the figure is described)."`

	points float64 // the width; 0 where none is given
}

// AfterApply refuses what no figure can be, before the work: a width that is none, and the name of a file in another
// format, which would become a folder. A folder that is there may be called anything, and one that is not is named
// without a dot or with a / behind.
func (o *FigureFlags) AfterApply() error {
	if o.Width != "" {
		inches, ok := Inches(o.Width)
		if !ok || inches < 1 || inches > 40 {
			return fmt.Errorf("--width=%s: expected %s or a length of 1 to 40 inches such as 8cm, 345pt or 3.25in",
				o.Width, Widths)
		}
		o.points = 72 * inches
	}
	extension := filepath.Ext(o.Out)
	if extension == "" || slices.Contains(figure.Extensions(), extension) || strings.Trim(filepath.Base(o.Out),
		".") == "" || os.IsPathSeparator(o.Out[len(o.Out)-1]) {
		return nil
	}
	if info, err := os.Stat(o.Out); err == nil && info.IsDir() {
		return nil
	}
	return fmt.Errorf("--out=%s: no figure can be written as %s, expected a file called %s, or a folder that is "+
		"there or ends in /", o.Out, extension, strings.Join(figure.Extensions(), ", "))
}

// Write draws a figure of what name names, and prints the paths
// of its files. Its errors are those of figure.WriteFiles.
func (o *FigureFlags) Write(e *Env, f *figure.Figure, name string) error {
	if o.points != 0 {
		f.Resize(o.points)
	}
	files := []string{o.Out}
	if !slices.Contains(figure.Extensions(), filepath.Ext(o.Out)) {
		files = f.Files(cmp.Or(o.Out, filepath.Join("figures", name)))
	}
	if err := figure.WriteFiles(f, files...); err != nil {
		return err
	}
	if lacking := f.Lacking(); lacking != "" {
		slog.Warn("the font of figures lacks letters: PDF and PNG show boxes, SVG has them as text", "letters", lacking)
	}
	if e.AsJSON {
		for i := range files {
			files[i] = printable.Path(files[i])
		}
		return e.JSON(map[string][]string{"files": files})
	}
	for _, path := range files {
		fmt.Fprintln(e.Out, path)
	}
	return nil
}
