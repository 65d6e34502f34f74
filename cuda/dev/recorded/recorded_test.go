package recorded

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"contextmover/cmdlib/ot"
)

// TestRoundTrip: what is read is what was solved, and histograms keep 8 bits.
func TestRoundTrip(t *testing.T) {
	rows := []float32{0.1, 0, 0.9, 0.25, 0.25, 0.5}
	p := &Problem{
		What: "test", Settings: ot.Settings{Reg: 0.1, MaxIter: 3}, Cost: ot.Cost{K: 3, Data: make([]float32, 9)},
		Rows: Round(rows, 3, []int32{1, 0}), Pairs: []ot.Pair{{Source: 0, Target: 1}},
		Mass: 0.5, FromPoint: Round(rows, 3, []int32{0, 1}), Between: []float32{1}, Costs: []float64{2},
	}
	p.Restore()
	want := slices.Clone(p.Distances.Rows.Data)
	path := filepath.Join(t.TempDir(), "problems")
	if err := Write(path, []*Problem{p}); err != nil {
		t.Fatal(err)
	}
	got, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	got[0].Restore()
	if err := got[0].Distances.Validate(); err != nil {
		t.Error(err)
	}
	if x := got[0].Distances.Rows.Data; !slices.Equal(x, want) {
		t.Errorf("read %v, want %v", x, want)
	}
	for i, x := range []float32{0.25, 0.25, 0.5, 0.1, 0, 0.9} {
		if math.Abs(float64(want[i]-x)) > float64(x)*0x1p-7 {
			t.Errorf("bin %d: %g, want about %g", i, want[i], x)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that does not exist was read")
	}
}
