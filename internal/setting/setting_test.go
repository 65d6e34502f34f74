package setting

import (
	"errors"
	"math"
	"testing"
)

func TestCheck(t *testing.T) {
	type params struct {
		Part   float64 `toml:"part" range:"0..1)"`
		Rate   float64 `toml:"rate" range:">0"`
		Batch  int     `toml:"batch" range:"0|2.."`
		Reg    float64 `toml:"reg" range:"1e-9..1e9"`
		Energy string  `toml:"energy" oneof:"KL|EL"`
		Seed   uint64  `toml:"-"`
	}
	good := params{0, 1, 0, 1, "EL", 7}
	if err := Check("x", good); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(p *params){
		"x: part 1, expected 0 or more and below 1":  func(p *params) { p.Part = 1 },
		"x: rate 0, expected a number above 0":       func(p *params) { p.Rate = 0 },
		"x: rate NaN, expected a number above 0":     func(p *params) { p.Rate = math.NaN() },
		"x: rate +Inf, expected a number above 0":    func(p *params) { p.Rate = math.Inf(1) },
		"x: batch 1, expected 0, or 2 or more":       func(p *params) { p.Batch = 1 },
		"x: reg 2e+09, expected 1e-09 to 1e+09":      func(p *params) { p.Reg = 2e9 },
		`x: energy "A", expected one of "KL", "EL"`:  func(p *params) { p.Energy = "A" },
		"x: part -1, expected 0 or more and below 1": func(p *params) { p.Part, p.Rate = -1, -1 }, // the first
	} {
		p := good
		change(&p)
		var e *Error
		if err := Check("x", p); !errors.As(err, &e) || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if got := (&Error{Name: "a", Problem: "b"}).Error(); got != "setting a: b" {
		t.Error(got)
	}
}
