package cmdlib

import (
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/ot/reference"
)

// learning returns a space that has learned a word or phrase, whose contexts are all in the first bin.
func learning(s *Space, word string) *Space {
	histogram := make([]float32, s.Cost.K)
	histogram[0] = 1
	return s.Learn(map[string]*Estimate{word: {Histogram: histogram, Occurrences: 3}})
}

// A word of the space that is learned again, or twice, is one word, with its new estimate.
func TestLearnAgain(t *testing.T) {
	s := open(t, write(t, contents(t, 30, 6, 4)))
	for name, l := range map[string]*Space{
		"own": learning(s, "rock"), "learned": learning(learning(s, "sea lion"), "sea lion"),
		"both": learning(learning(s, "rock"), "rock"),
	} {
		word := "rock"
		if name == "learned" {
			word = "sea lion"
		}
		near, err := l.Neighbours(t.Context(), word, 40)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(near.Nearest, func(n Neighbour) bool { return n.Word == word }) {
			t.Errorf("%s: %q is its own neighbour", name, word)
		}
		for list, words := range map[string][]string{"Words": l.Words, "Similar": l.similar(word[:len(word)-1], 5)} {
			if n := len(slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w != word })); n != 1 {
				t.Errorf("%s: %s has %q %d times", name, list, word, n)
			}
		}
		id, ok := l.ID(word)
		if h, err := l.Row(id); !ok || err != nil || h[0] != 1 {
			t.Errorf("%s: the histogram is %v, %v", name, h, err)
		}
		if l.OwnWords() != s.OwnWords() {
			t.Errorf("%s: %d own words, expected %d", name, l.OwnWords(), s.OwnWords())
		}
	}
	if id, _ := s.ID("rock"); decoded(t, s).Row(int(id))[0] == 1 {
		t.Error("the space itself has learned")
	}
}

// Words are learned in the form that texts have them in, whatever form their names come in.
func TestLearnNormalises(t *testing.T) {
	s := open(t, write(t, contents(t, 30, 6, 4)))
	for composed, other := range map[string]string{"caf\u00e9": "cafe\u0301", "caf\u00e9 noir": "cafe\u0301 noir"} {
		for _, name := range []string{composed, other} {
			learned := learning(s, name)
			id, ok := learned.ID(composed)
			if same, also := learned.ID(other); !ok || !also || same != id || learned.Words[id] != composed {
				t.Errorf("%q is learned as %v (%v), and in its other form as %v (%v)", name, id, ok, same, also)
			}
			if _, err := learned.Compare(t.Context(), "the "+other, "the "+composed); err != nil {
				t.Errorf("%q in a text: %v", name, err)
			}
		}
	}
}

// Learned words are not packed, those learned again with the estimates that the space was made with.
func TestPackLearned(t *testing.T) {
	c := contents(t, 30, 6, 4)
	clear(c.Histograms.Row(slices.Index(c.Vocabulary.Words, "silent")))
	s := open(t, write(t, c))
	before, after := packedAs(t, s, Packing{}), packedAs(t, learning(learning(s, "silent"), "sea lion"), Packing{})
	if before.Identity() != after.Identity() {
		t.Errorf("%d words packed, with what was learned %d others", len(before.Words), len(after.Words))
	}
}

// Phrases are joined in linear time, the longest first, from left to right.
func TestPhrases(t *testing.T) {
	s := open(t, write(t, contents(t, 30, 6, 4)))
	for _, phrase := range []string{"new york", "new york times", "york times square", "rock rock"} {
		s = learning(s, phrase)
	}
	for text, want := range map[string]string{
		"new york":                    "new york",
		"the new york times square":   "the|new york times|square",
		"a new york rock in york new": "a|new york|rock|in|york|new",
		"rock rock rock":              "rock rock|rock",
		"york times square new":       "york times square|new",
	} {
		if got := strings.Join(s.read(text).words, "|"); got != want {
			t.Errorf("%q: %s, expected %s", text, got, want)
		}
	}
	const words = 2000
	text := strings.Repeat("rock music ", words/2)
	if n := testing.AllocsPerRun(1, func() { s.read(text) }); n > 10*words {
		t.Errorf("%v allocations for %d words", n, words)
	}
}

// An error about unknown words can be printed whatever became of the space, and where none returned it.
func TestUnknownAfterClose(t *testing.T) {
	s, err := Open(write(t, contents(t, 50, 6, 4)), reference.New())
	if err != nil {
		t.Fatal(err)
	}
	asked, err := s.With(Options{Engine: reference.New()})
	if err != nil {
		t.Fatal(err)
	}
	var wrong []error
	for _, view := range []*Space{s, asked, learning(s, "sea lion"), learning(asked, "sea lion")} {
		_, err := view.Compare(t.Context(), "rock", "elefant")
		if err == nil || !strings.Contains(err.Error(), "elephant") {
			t.Errorf("while the space is open: %v", err)
		}
		wrong = append(wrong, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, err := range append(wrong, &UnknownError{Words: []string{"elefant"}}) {
		if text := err.Error(); !strings.Contains(text, "elefant") || strings.Contains(text, "elephant") {
			t.Errorf("after it is closed: %s", text)
		}
	}
}
