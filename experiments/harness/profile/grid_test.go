package profile

import (
	"strings"
	"testing"
)

// Grids are refused with the key of what is wrong, whatever settings they are of.
func TestGrids(t *testing.T) {
	for _, c := range []struct{ profile, set, want string }{
		{"mini", "geometry.vary.reg=[]", "geometry.vary.reg: no λ"},
		{"mini", "geometry.vary.reg=[0]", "geometry.vary.reg[0]: 0"},
		{"mini", `geometry.vary.metric=["cosine"]`, `geometry.vary.metric[0]: "cosine"`},
		{"mini", "geometry.vary.mix=[0.5]", "geometry.vary.mix: values, expected such of reg, metric, clusters alone"},
		{"mini", "hypernymy.select.mix=[0.5]", "hypernymy.select.mix: values, expected such of clusters, smoothing, shift alone"},
		{"alignment", "alignment.select.near=[-1]", "alignment.select.near[0]: -1"},
		{"alignment", "alignment.select.most=[]", "alignment.select.most: no numbers"},
		{"alignment", "alignment.select.iterations=[3]", "alignment.select.iterations[0]: no such setting"},
	} {
		if _, err := Load(c.profile, []string{c.set}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %s: error %v, want %q", c.profile, c.set, err, c.want)
		}
	}
}

// A row of the alignment tries what its aligner has, thresholds last, and nothing else.
func TestAlignmentSettings(t *testing.T) {
	a := load(t, "alignment").Alignment
	n := func(name string) int { return len(a.Select[name]) }
	places := n("near") * n("distortion")
	for aligner, want := range map[string]int{
		AlignMutual: places * n("most"),
		"balanced":  places * n("reg") * n("threshold"),
		"partial":   places * n("reg") * n("price") * n("threshold"),
	} {
		row := AlignmentRow{Aligner: aligner}
		all := a.Settings(row)
		if len(all) != want {
			t.Errorf("%s: %d settings, want %d", aligner, len(all), want)
		}
		for i, s := range all {
			if (s.Most == 0) == (aligner == AlignMutual) || (s.Reg == 0) == (aligner != AlignMutual) || (s.Price > 0) != (aligner == "partial") {
				t.Fatalf("%s: %+v", aligner, s)
			}
			if i > 0 && s.Threshold == all[i-1].Threshold && row.Transport() {
				t.Fatalf("%s: thresholds do not vary fastest: %+v", aligner, s)
			}
		}
		row.Near = []float64{2}
		if all := a.Settings(row); len(all)*n("near") != want || all[0].Near != 2 {
			t.Errorf("%s with its own near: %d settings", aligner, len(all))
		}
	}
}
