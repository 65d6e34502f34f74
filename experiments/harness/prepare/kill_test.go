package prepare

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// A run that is killed in the middle leaves what was there as it was; the next one writes the same bytes
// as if nothing had happened, and removes what the killed one left.
func TestKilledRun(t *testing.T) {
	const variable = "CONTEXTMOVER_TEST_PREPARE"
	if text := os.Getenv(variable); text != "" {
		var o struct {
			Out     string
			Sources []Source
		}
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			t.Fatal(err)
		}
		_, err := Run(context.Background(), o.Out, Options{Sources: o.Sources, Seed: 1, Progress: func(done, total int64) {
			if 2*done > total {
				fmt.Println("half")
				time.Sleep(time.Minute)
			}
		}})
		t.Fatalf("not killed: %v", err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	list := sources(t)
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	text, err := json.Marshal(map[string]any{"Out": out, "Sources": list})
	if err != nil {
		t.Fatal(err)
	}
	kill := func() {
		t.Helper()
		child := exec.Command(self, "-test.run=^TestKilledRun$")
		child.Env = append(os.Environ(), variable+"="+string(text))
		said, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); errors.Is(err, syscall.ENOEXEC) {
			t.Skip("this system runs programs of this processor in an emulator alone")
		} else if err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(said).ReadString('\n')
		if killed := child.Process.Kill(); killed != nil || err != nil || line != "half\n" {
			t.Fatalf("the other process says %q, %v, %v", line, err, killed)
		}
		_ = child.Wait() // killed
	}
	kill()
	if _, err := os.Stat(out); err == nil {
		t.Fatal("a killed run has put a folder in place")
	}
	if _, err := Run(context.Background(), out, Options{Sources: list, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	after := folder(t, out)
	reference := filepath.Join(t.TempDir(), "out")
	if _, err := Run(context.Background(), reference, Options{Sources: list, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	want := folder(t, reference)
	if len(want) < 7 || len(after) != len(want) {
		t.Errorf("%d files, want %d", len(after), len(want))
	}
	for name, text := range want {
		if after[name] != text {
			t.Errorf("%s differs after a killed run", name)
		}
	}
	// A second one leaves the first as it is.
	kill()
	for name, text := range folder(t, out) {
		if text != want[name] {
			t.Errorf("%s was changed by a killed run", name)
		}
	}
	if _, err := Run(context.Background(), out, Options{Sources: list, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); runtime.GOOS != "windows" && (err != nil || len(entries) != 1) {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}
