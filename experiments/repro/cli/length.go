package cli

import (
	"math"
	"strconv"
	"strings"
)

// Inches reads a length such as 345pt, 12cm, 120mm or 6.75in; points are TeX's, 72.27 an inch. It is false for anything else
// and for what is not positive.
func Inches(s string) (float64, bool) {
	for unit, perInch := range map[string]float64{"pt": 72.27, "cm": 2.54, "mm": 25.4, "in": 1} {
		if number, ok := strings.CutSuffix(s, unit); ok {
			x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
			return x / perInch, err == nil && x > 0 && !math.IsInf(x, 0)
		}
	}
	return 0, false
}
