package cli

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
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

// A step of unknown length says that it goes on, once it takes long, and no more when it has ended.
func TestWhile(t *testing.T) {
	defer func(before time.Duration) { heartbeat = before }(heartbeat)
	defer slog.SetDefault(slog.Default())
	for _, wait := range []time.Duration{time.Millisecond, time.Hour} {
		heartbeat = wait
		f, err := os.Create(filepath.Join(t.TempDir(), "log"))
		if err != nil {
			t.Fatal(err)
		}
		p := NewProgress(f)
		slog.SetDefault(slog.New(slog.NewTextHandler(p, nil)))
		done := p.While("long")
		for said := wait > time.Minute; !said; {
			content, err := os.ReadFile(f.Name())
			if err != nil {
				t.Fatal(err)
			}
			said = strings.Contains(string(content), "step=long")
			time.Sleep(time.Millisecond)
		}
		done()
		p.Close()
		if content, err := os.ReadFile(f.Name()); err != nil || wait > time.Minute && len(content) > 0 {
			t.Errorf("log %q, %v", content, err)
		}
		f.Close()
	}
}
