package cli

import (
	"math"
	"testing"
)

func TestInches(t *testing.T) {
	for s, want := range map[string]float64{"column": 3.25, "page": 6.75, "neurips": 5.5, "72.27pt": 1, "2.54cm": 1, "254mm": 10, "6.75in": 6.75, "345 pt": 345 / 72.27} {
		if got, ok := Inches(s); !ok || math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %v, %t; want %v", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "pt", "12", "12px", "-1in", "0cm", "NaNpt", "Infin", "1e400in", "acl"} {
		if got, ok := Inches(s); ok {
			t.Errorf("%q: %v, want no length", s, got)
		}
	}
}

func FuzzInches(f *testing.F) {
	f.Add("12cm")
	f.Fuzz(func(t *testing.T, s string) {
		if x, ok := Inches(s); ok && !(x >= 0 && !math.IsInf(x, 0)) {
			t.Errorf("%q is %v inches", s, x)
		}
	})
}
