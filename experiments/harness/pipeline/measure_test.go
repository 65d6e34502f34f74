package pipeline

import (
	"os"
	"path/filepath"
	"testing"

	"contextmover/experiments/harness/score"
)

// Measures have the names of their correlations in the files of stores, and no draws.
func TestStoredMeasure(t *testing.T) {
	for _, correlation := range []string{Pearson, Spearman} {
		stored := "{\n  \"" + correlation + "\": 64.4931625602758,\n  \"Low\": 60.07199019961248,\n" +
			"  \"High\": 68.44630268508172,\n  \"Pairs\": 750,\n  \"Covered\": 749\n}\n"
		path := filepath.Join(t.TempDir(), "measure.json")
		if err := os.WriteFile(path, []byte(stored), 0o666); err != nil {
			t.Fatal(err)
		}
		m := Measure{Estimate: score.Estimate{Draws: []float64{1}}}
		if err := m.Part(correlation).Read(path); err != nil {
			t.Fatal(err)
		}
		if m.Value != 64.4931625602758 || m.Low != 60.07199019961248 || m.High != 68.44630268508172 ||
			m.Pairs != 750 || m.Covered != 749 || len(m.Draws) != 1 {
			t.Errorf("read %+v", m)
		}
		if err := m.Part(correlation).Write(path); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != stored {
			t.Errorf("written %s, %v; expected %s", text, err, stored)
		}
	}
}
