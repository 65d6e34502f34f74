package cli

import (
	"os"
	"path/filepath"
	"testing"
)

func TestHeartbeatsAreQuietForShortSteps(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := NewProgress(f)
	step := p.Step("short")
	for i := range int64(1000) {
		step(i, 1000)
	}
	p.Close()
	if content, err := os.ReadFile(f.Name()); err != nil || len(content) > 0 {
		t.Errorf("log %q, %v", content, err)
	}
}
