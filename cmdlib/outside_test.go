package cmdlib_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The program of docs/example lies in a module of its own and imports the library alone: what it
// needs is public.
func TestProgramOutside(t *testing.T) {
	run := exec.Command("go", "run", "-mod=readonly", ".")
	run.Dir = "../docs/example"
	run.Env = append(os.Environ(), "GOARCH=") // it runs by itself where these tests run in an emulator
	var errors strings.Builder
	run.Stderr = &errors
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errors.String())
	}
	for _, want := range []string{
		"nearest to elephant: rhinoceros", "30 words in 6 contexts", "nearest to song: tune melody",
		"dog to song, mass that stays: 0.", "the first pair is more similar: true", "found: the band plays a lovely",
		"senses of song: 2",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	imports := exec.Command("go", "list", "-f", `{{join .Imports "\n"}}`, ".")
	imports.Dir = run.Dir
	if out, err = imports.Output(); err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(out)) {
		if strings.Contains(path, "/") && !strings.Contains(path, "contextmover/cmdlib") && path != "path/filepath" {
			t.Errorf("it imports %s", path)
		}
	}
}
