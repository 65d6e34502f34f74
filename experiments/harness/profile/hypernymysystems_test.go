package profile

import (
	"strings"
	"testing"
)

// Settings of the systems for hypernymy are refused with their key, and not looked at where there is no such system.
func TestSystemsForHypernymy(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"hypernymy.dive.passes=0", "hypernymy.dive.passes: 0"},
		{"hypernymy.dive.filter=-1", "hypernymy.dive.filter: -1"},
		{"hypernymy.dive.inclusion=0", "hypernymy.dive.inclusion: 0"},
		{"hypernymy.dive.select.inclusion=[0.5, 2000]", "hypernymy.dive.select.inclusion[1]: 2000"},
		{"hypernymy.dive.score=AL2", `hypernymy.dive.score: "AL2"`},
		{`hypernymy.dive.select.score=["AL2"]`, `hypernymy.dive.select.score[0]: "AL2"`},
		{"hypernymy.dive.select.passes=[2]", "hypernymy.dive.select.passes[0]: no such setting"},
		{"hypernymy.gaussian.energy=kl", `hypernymy.gaussian.energy: "kl"`},
		{"hypernymy.gaussian.greatest=0.5", "hypernymy.gaussian.greatest: 0.5"},
		{"hypernymy.gaussian.select.margin=[0]", "hypernymy.gaussian.select.margin[0]: 0"},
		{"hypernymy.poincare.epochs=0", "hypernymy.poincare.epochs: 0"},
		{"hypernymy.poincare.least=-1", "hypernymy.poincare.least: -1"},
		{"hypernymy.poincare.select.words=[0]", "hypernymy.poincare.select.words[0]: 0"},
		{`hypernymy.poincare.select.score=["KL", "x"]`, `hypernymy.poincare.select.score[1]: "x"`},
	} {
		for _, name := range []string{"mini", "systems"} {
			if _, err := Load(name, []string{c.set}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %s: error %v, want %q", name, c.set, err, c.want)
			}
		}
	}
	load(t, "open", "hypernymy.dive.passes=0", "hypernymy.poincare.epochs=0") // there are none
	if _, err := Load("mini", []string{"hypernymy.sets.MiniTrain.validation=false", "hypernymy.select.clusters=[]"}); err == nil || !strings.Contains(err.Error(), "there is nothing to choose on") {
		t.Errorf("nothing to choose on: %v", err)
	}
}
