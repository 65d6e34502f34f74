package answer

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/english"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/experiments/show/render"
)

func space(t *testing.T) *cmdlib.Space {
	t.Helper()
	s, err := english.Open(cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// What is shown of a similarity of vectors adds up to it, and its links leave pairs of function words out.
func TestSum(t *testing.T) {
	built := space(t)
	for method, kind := range map[string]string{cmdlib.Nearest: "similarity", cmdlib.SIF: "cosine"} {
		s, err := built.With(cmdlib.Options{Method: method, Engine: cpu.New()})
		if err != nil {
			t.Fatal(err)
		}
		a, err := Explain(t.Context(), s, "a cat chased the mouse", "the kitten ran after the rat", 4)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Stand(t.Context()); err != nil {
			t.Fatal(err)
		}
		v, sum := a.View(4), 0.0
		for _, p := range append(v.Pairs, v.Sums[:len(v.Sums)-1]...) {
			sum += p.Brings
		}
		if math.Abs(sum-a.Similarity) > 1e-9 || len(v.Pairs) != 4 || a.Distance != 1-a.Similarity || a.Kind != kind {
			t.Errorf("%s: the parts sum to %v, the %s is %v", method, sum, a.Kind, a.Similarity)
		}
		// People's judgements are those of the method that they were fitted to.
		if (a.People != nil) != (method == cmdlib.Nearest) {
			t.Errorf("%s: people say %v", method, a.People)
		}
		if links := a.linked(); !strings.Contains(links, "cat – kitten") || strings.Contains(links, "the – the") {
			t.Errorf("linked are %q", links)
		}
		if table := a.Table(4); !strings.Contains(table.Notes[0], "--method "+method) || len(table.Blocks) != 2 {
			t.Errorf("the table is %+v", table)
		}
	}
}

// Of a comparison alone, JSON has neither a plan nor links; of an explanation by transport it has the plan, and a table of
// what moves.
func TestTransport(t *testing.T) {
	s := space(t).ByTransport()
	for text, id := range map[string]string{"music": "plan", "some music": "flows"} {
		alone, err := Compare(t.Context(), s, "dog", text)
		if err != nil {
			t.Fatal(err)
		}
		a, err := Explain(t.Context(), s, "dog", text, 3)
		if err == nil {
			err = a.Stand(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		for x, want := range map[*Comparison]bool{alone: false, a: true} {
			content, err := json.Marshal(x)
			if err != nil || strings.Contains(string(content), `"plan":`) != want || strings.Contains(string(content), `"similarity"`) {
				t.Errorf("%s, %v", content, err)
			}
		}
		table := a.Table(3)
		if table.ID != id || (a.Sentences == "") != (id == "plan") {
			t.Errorf("%s: a table of %s, sentences %q", text, table.ID, a.Sentences)
		}
		var shown strings.Builder
		if err := render.Text(&shown, table, render.Terminal); err != nil || !strings.Contains(shown.String(), "distance 0.") {
			t.Errorf("%s, %v", shown.String(), err)
		}
	}
}

func TestBrought(t *testing.T) {
	bare, full := cmdlib.Context{Bin: 1}, cmdlib.Context{Bin: 2, Sources: []cmdlib.Source{{Word: "w", Share: 1}}}
	if got := Brought([]cmdlib.Context{bare, full}); len(got) != 1 || got[0].Bin != 2 {
		t.Errorf("%+v", got)
	}
	if got := Brought([]cmdlib.Context{bare, bare}); len(got) != 2 {
		t.Errorf("a space that keeps no sources: %+v", got)
	}
}

// Sentences of one text are one example, with their number; a word that stands twice in a sentence counts once.
func TestOccurring(t *testing.T) {
	occurrences, err := corpus.FindOccurrences([]string{"a bank is a bank", "a bank is a bank", "the bank"}, "bank")
	if err != nil {
		t.Fatal(err)
	}
	for i := range occurrences {
		occurrences[i].In.Line = int64(i / 2)
	}
	got := occurring(occurrences, 2, 10)
	if len(got) != 2 || got[0].Equal != 2 || got[1].Equal != 1 || !strings.HasPrefix(got[0].String(), got[0].Path+":0\ta bank is a bank\t2 times") {
		t.Errorf("%v", got)
	}
}
