package cli

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
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

// A step of unknown length is told of in the log where there is no terminal.
func TestWhile(t *testing.T) {
	defer slog.SetDefault(slog.Default())
	f, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := NewProgress(f)
	slog.SetDefault(slog.New(slog.NewTextHandler(p, nil)))
	p.While("long")()
	p.Close()
	if content, err := os.ReadFile(f.Name()); err != nil || strings.Count(string(content), "step=long") != 1 {
		t.Errorf("log %q, %v", content, err)
	}
}
