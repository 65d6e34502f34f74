package cli

import (
	"math"
	"strconv"
	"strings"

	"contextmover/experiments/show/figure"
)

// widths are the widths that have a name, in inches: of a column and of both in the classes of
// AISTATS and ICML, and of the one column of NeurIPS and ICLR.
var widths = map[string]float64{
	"column": figure.Column / 72, "page": figure.Page / 72, "neurips": 5.5,
}

// Widths says in help and errors what Inches reads.
const Widths = "column (3.25 inches: AISTATS, ICML), page (both columns, 6.75 inches), neurips (5.5 inches: NeurIPS, " +
	"ICLR)"

// Inches reads a width that has a name, or a length such as 345pt, 12cm, 120mm or 6.75in;
// points are TeX's, 72.27 an inch. It is false for anything else and for what is not positive.
func Inches(s string) (float64, bool) {
	if inches, ok := widths[s]; ok {
		return inches, true
	}
	for _, unit := range []struct {
		name    string
		perInch float64
	}{{"pt", 72.27}, {"cm", 2.54}, {"mm", 25.4}, {"in", 1}} {
		if number, ok := strings.CutSuffix(s, unit.name); ok {
			x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
			return x / unit.perInch, err == nil && x > 0 && !math.IsInf(x, 0)
		}
	}
	return 0, false
}
