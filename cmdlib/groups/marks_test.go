package groups

import (
	"slices"
	"testing"

	"contextmover/cmdlib/english"
	"contextmover/cmdlib/ot/cpu"
)

// Words that are frequent everywhere come behind those that tell a topic, though
// the group has them more often; signs are no marks.
func TestFrequentWordsMarkLittle(t *testing.T) {
	s, err := english.Open(cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	group := &tally{texts: 100, words: map[string]float64{".": 100, "the": 95, "to": 80, "violin": 12, "concert": 10}}
	all := &tally{texts: 1000, words: map[string]float64{".": 600, "the": 600, "to": 350, "violin": 14, "concert": 15}}
	words, _ := group.marks(s, all)
	var names []string
	for _, m := range words {
		names = append(names, m.Name)
	}
	if len(names) != 4 || !slices.Contains(names[:2], "violin") || !slices.Contains(names[:2], "concert") {
		t.Errorf("marks %q", names)
	}
}
