package costs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contextmover/experiments/results"
	"contextmover/experiments/verdict"
)

// The page of findings has what each cost brings over the true and over the discrete one, with the contexts of each of
// the vectors, as it was recorded.
func TestFindings(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "findings.md"))
	if err != nil {
		t.Fatal(err)
	}
	recorded := map[[2]string]results.Quantity{}
	for _, name := range []string{"costs", "vectors"} {
		all, err := verdict.RecordedResults(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			for _, q := range r.Quantities {
				recorded[[2]string{q.Row, q.Column}] = q
			}
		}
	}
	if len(recorded) == 0 {
		t.Fatal("nothing is recorded")
	}
	for _, cost := range []string{
		"discrete", "shuffled", "thresholded", "unit length", "squared", "locally scaled", "whitened", "unsupervised",
	} {
		line := "|"
		for _, vectors := range []string{
			"", "glove/", "sent2vec/", "encoders/GloVe-6B-100d.bin/", "encoders/all-MiniLM-L6-v2-words.bin/",
		} {
			var cells []string
			for _, other := range against {
				q, ok := recorded[[2]string{vectors + cost, testAverage + " − " + other}]
				switch {
				case ok:
					cells = append(cells, fmt.Sprintf("%.1f [%.1f, %.1f]", q.Value, *q.Low, *q.High))
				case other == cost:
					cells = append(cells, "–")
				default:
					t.Errorf("no %s%s − %s is recorded", vectors, cost, other)
				}
			}
			line += " " + strings.Join(cells, "<br>") + " |"
		}
		line = strings.ReplaceAll(strings.ReplaceAll(line, "-0.0", "0.0"), "-", "−")
		if !strings.Contains(string(page), line) {
			t.Errorf("%s: the page lacks %s", cost, line)
		}
	}
}
