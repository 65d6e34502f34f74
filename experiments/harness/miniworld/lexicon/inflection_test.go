package lexicon

import (
	"strings"
	"testing"
)

func TestInflection(t *testing.T) {
	for entry, want := range map[string]string{
		"walk": "walks walked walked walking", "plan": "plans planned planned planning", "carry": "carries carried carried carrying",
		"bake": "bakes baked baked baking", "fix": "fixes fixed fixed fixing", "visit": "visits visited visited visiting",
		"eat/ate/eaten": "eats ate eaten eating", "have/had/had": "has had had having", "tie/tied/tied/tying": "ties tied tied tying",
		"play": "plays played played playing", "sow/sowed/sown": "sows sowed sown sowing", "see/saw/seen": "sees saw seen seeing",
	} {
		f := verbForms(entry)
		if got := strings.Join([]string{f.Third, f.Past, f.Participle, f.Gerund}, " "); got != want {
			t.Errorf("%s: %s, want %s", entry, got, want)
		}
	}
	for word, want := range map[string]string{"city": "cities", "box": "boxes", "day": "days", "church": "churches", "dog": "dogs"} {
		if got := withS(word); got != want {
			t.Errorf("plural of %s: %s, want %s", word, got, want)
		}
	}
	for next, want := range map[string]string{"apple": "an", "dog": "a", "hour": "an", "university": "a", "umbrella": "an", "useful": "a"} {
		if got := Article(next); got != want {
			t.Errorf("article before %s: %s, want %s", next, got, want)
		}
	}
}
