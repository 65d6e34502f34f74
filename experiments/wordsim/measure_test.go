package wordsim

import (
	"encoding/json"
	"testing"

	"contextmover/cmdlib/score"
)

// A store made before score.Estimate was a part of Measure is to be read, and written alike.
func TestStoredMeasure(t *testing.T) {
	const stored = `{"Spearman":64.4931625602758,"Low":60.07199019961248,"High":68.44630268508172,"Pairs":750,"Covered":749}`
	m := Measure{Estimate: score.Estimate{Draws: []float64{1}}}
	if err := json.Unmarshal([]byte(stored), &m); err != nil {
		t.Fatal(err)
	}
	if m.Value != 64.4931625602758 || m.Low != 60.07199019961248 || m.High != 68.44630268508172 || m.Pairs != 750 || m.Covered != 749 || len(m.Draws) != 1 {
		t.Errorf("read %+v", m)
	}
	if text, err := json.Marshal(m); err != nil || string(text) != stored {
		t.Errorf("written %s, %v; expected %s", text, err, stored)
	}
}
