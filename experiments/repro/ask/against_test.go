package ask

import (
	"strings"
	"testing"
)

func TestParseContender(t *testing.T) {
	for text, want := range map[string]contender{
		"english":                    {space: "english"},
		"a/b.tsv":                    {file: "a/b.tsv"},
		"v.npy":                      {file: "v.npy"},
		"comb":                       {method: "comb"},
		"comb,reg=0.05,iters=7":      {method: "comb,reg=0.05,iters=7"},
		"mine.space,sif,a=1e-4":      {space: "mine.space", method: "sif,a=1e-4"},
		"sif,remove_pc=true":         {method: "sif,remove_pc=true"},
		"english,comb-mix,mix=0.125": {space: "english", method: "comb-mix,mix=0.125"},
	} {
		if got, err := parseContender(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "expected a method", ",comb": "expected a method", "a.tsv,reg=1": "no settings", "english,x": "no method",
		"comb,reg=0": "positive", "comb,reg=": "positive", "comb,iters=0.5": "at least 1",
		"sif,remove_pc=maybe": "true or false", "wmd,mix=0.4": `has no setting "mix"`, "comb,": `has no setting ""`,
	} {
		if _, err := parseContender(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error that says %q", text, err, want)
		}
	}
}

// Whatever is accepted is one of the three, with a method that there is.
func FuzzContender(f *testing.F) {
	for _, text := range []string{"english,comb,reg=0.05", "a.tsv", "x,iters=3", "sif,remove_pc=1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseContender(text)
		if err != nil {
			return
		}
		if c == (contender{}) || c.file != "" && c != (contender{file: c.file}) {
			t.Errorf("%q: %+v", text, c)
		}
		if err := checkMethod(c.method); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}
