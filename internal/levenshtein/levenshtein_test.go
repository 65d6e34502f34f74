package levenshtein

import (
	"slices"
	"testing"
)

// Insertions, deletions, replacements and swaps of neighbours.
func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"abc", "abc", 0}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"ab", "ba", 1},
		{"ca", "abc", 3}, {"über", "uber", 1}, {"a cat", "an act", 2},
	} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestSimilar(t *testing.T) {
	words := []string{"house", "mouse", "horse", "über", "uber", "hose", "rock", "saxophone"}
	for word, want := range map[string][]string{
		"house": {"house", "mouse", "horse"}, "huose": {"house", "hose"}, "ueber": {"uber"}, "úber": {"über", "uber"}, "xyzzy": nil,
		"smartphone": nil,
	} {
		if got := Similar(word, words, 3, nil); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
	if got := Similar("house", words, 2, func(at int) bool { return at > 0 }); !slices.Equal(got, []string{"mouse", "horse"}) {
		t.Errorf("%q", got)
	}
}
