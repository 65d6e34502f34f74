package ask

import (
	"strings"
	"testing"

	"contextmover/cmdlib"
	"contextmover/cmdlib/method"
	"contextmover/cmdlib/ot"
)

func TestParseContender(t *testing.T) {
	for text, want := range map[string]contender{
		"english":    {name: "english"},
		"a/b.tsv":    {name: "a/b.tsv", scores: true},
		"v.npy":      {name: "v.npy", scores: true},
		"mine.space": {name: "mine.space"},
		"english,method=comb,reg=0.05,iters=7,remove-pc=true": {
			name: "english", method: "comb", settings: []string{"remove_pc=true"}, override: cmdlib.Override{Settings: ot.Settings{Reg: 0.05, MaxIter: 7}},
		},
	} {
		got, err := parseContender(text)
		if err != nil || got.name != want.name || got.scores != want.scores || got.override != want.override || got.text("") != want.text("") {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "no name", ",method=comb": "no name", "a.tsv,reg=1": "no settings", "english,method=x": "no method", "english,reg=0": "positive",
		"english,reg=": "positive", "english,iters=0.5": "at least 1", "english,remove-pc=maybe": "true or false", "english,method=wmd,mix=0.4": `the method "wmd" has no setting "mix"`, "english,": `has no setting ""`, "english,k=3": `has no setting "k"`,
	} {
		if _, err := parseContender(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error that says %q", text, err, want)
		}
	}
}

// Whatever is accepted names something, with settings that can be had.
func FuzzContender(f *testing.F) {
	f.Add("english,method=comb,reg=0.05")
	f.Add("a.tsv")
	f.Add("x,remove-pc=1,iters=3")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseContender(text)
		if err != nil {
			return
		}
		if c.name == "" || !strings.HasPrefix(text, c.name) || c.override.Reg < 0 || c.override.Reg-c.override.Reg != 0 || c.override.MaxIter < 0 {
			t.Errorf("%q: %+v", text, c)
		}
		if _, err := method.Parse(c.text("average-mix"), nil); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}
