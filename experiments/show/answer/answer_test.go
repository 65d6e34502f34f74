package answer

import (
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// The agreement with people that answers claim for their links is the recorded one, of the sets whose words are linked.
func TestLinksF1(t *testing.T) {
	f, err := os.Open("../../../tables/alignment/alignment.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, line := range lines {
		set, isF1 := strings.CutSuffix(line[2], "/F1")
		if line[1] != "explain" || !isF1 || strings.HasPrefix(set, "iSTS") { // links chunks
			continue
		}
		found++
		ours, err := strconv.ParseFloat(line[3], 64)
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("%.1f (%s", ours, set); !strings.Contains(linksF1, want) {
			t.Errorf("the recorded run has %s), answers claim %s", want, linksF1)
		}
	}
	if found != 3 {
		t.Errorf("%d sets in the recorded table, expected 3", found)
	}
}
