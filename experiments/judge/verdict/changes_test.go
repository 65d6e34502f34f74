package verdict

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/results"
)

// Of two verdicts the claims that changed are named, also if the earlier one is of before
// claims had kinds.
func TestChangedClaims(t *testing.T) {
	path := filepath.Join(t.TempDir(), "verdict.json")
	before := Judge("open", one(average("CoMB", results.Paper, 50, normal(50, .1, 1)), average("NBoW", results.Paper, 48, normal(48, .1, 2))))
	if changes, err := before.ChangedClaims(path); err != nil || len(changes) > 0 {
		t.Errorf("without an earlier verdict: %v, %v", changes, err)
	}
	var text bytes.Buffer
	if err := errors.Join(before.JSON(&text), os.WriteFile(path, text.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
	if changes, err := before.ChangedClaims(path); err != nil || len(changes) > 0 {
		t.Errorf("the same verdict: %v, %v", changes, err)
	}
	after := Judge("open", one(average("CoMB", results.Paper, 46, normal(46, .1, 1)), average("NBoW", results.Paper, 48, normal(48, .1, 2))))
	changes, err := after.ChangedClaims(path)
	if err != nil || len(changes) != 1 || changes[0].ID != "C01" || changes[0].Was != "holds, on our corpus" || changes[0].Now != "fails, on our corpus" || changes[0].Reason == "" {
		t.Errorf("%v, %v", changes, err)
	}
	if err := os.WriteFile(path, []byte(`{"claims": [{"id": "C01", "claim": "x", "verdict": "holds"}]}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if changes, err := before.ChangedClaims(path); err != nil || len(changes) != 1 || changes[0].Was != "holds" {
		t.Errorf("a verdict without kinds: %v, %v", changes, err)
	}
	if err := os.WriteFile(path, text.Bytes()[:100], 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := before.ChangedClaims(path); !errors.Is(err, dataset.ErrData) {
		t.Errorf("a file that was cut off: %v", err)
	}
}
