package ask

import (
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// What senses and shift claim of their methods is what the recorded run has.
func TestMeasured(t *testing.T) {
	for _, test := range []struct{ table, column, claim, text string }{
		{"uses_senses", "chosen number", ": %.1f on average", sensesMeasured},
		{"uses_change", "DWUG EN, 46 words/ρ", "%.1f (DWUG EN, 46 words)", shiftMeasured},
		{"uses_change", "SemEval-2020, 37 words/ρ", "%.1f (SemEval-2020, 37 words)", shiftMeasured},
	} {
		f, err := os.Open("../../../tables/uses/" + test.table + ".csv")
		if err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(f).ReadAll()
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, line := range lines {
			if line[1] != "uses" || line[2] != test.column {
				continue
			}
			found = true
			value, err := strconv.ParseFloat(line[3], 64)
			if err != nil {
				t.Fatal(err)
			}
			if want := fmt.Sprintf(test.claim, value); !strings.Contains(test.text, want) {
				t.Errorf("the recorded run has %q, the command claims %q", want, test.text)
			}
		}
		if !found {
			t.Errorf("%s has no row uses with %q", test.table, test.column)
		}
	}
}
