package cmdlib

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"contextmover/internal/atomicfile"
)

// Under Linux a space is there at any time while others take its place.
func TestInstallLeavesNoGap(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: only Linux exchanges folders in one step")
	}
	dir := filepath.Join(t.TempDir(), "space")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := exchange(dir, t.TempDir()); err != nil {
		t.Skipf("SKIPPED: the file system does not exchange folders: %v", err)
	}
	stop, missed := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		for {
			select {
			case <-stop:
				missed <- n
				return
			default:
				if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
					n++
				}
			}
		}
	}()
	for range 200 {
		made, release, err := atomicfile.Folder(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := install(made, dir); err != nil {
			t.Fatal(err)
		}
		release()
	}
	close(stop)
	if n := <-missed; n > 0 {
		t.Errorf("the folder was missing %d times", n)
	}
}

// What killed processes left is removed, and a space that one had moved away is put back;
// what a living process makes stays, and so does what only looks alike.
func TestWriteSweeps(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: what another process uses is known under Linux only")
	}
	dir := write(t, contents(t, 50, 6, 4))
	beside := func(name string) string { return filepath.Join(filepath.Dir(dir), name) }
	for _, name := range []string{
		".space-0123456789abcdef", ".space-0000000000000000.old", ".space-0123", ".spaces-0123456789abcdef", "space-0123456789abcdef", ".space-0123456789abcdef.tex",
	} {
		if err := os.MkdirAll(filepath.Join(beside(name), "part"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	living, release, err := atomicfile.Folder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if err := os.Mkdir(living+".old", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Write(t.Context(), dir, contents(t, 40, 5, 4)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, living, living + ".old", beside(".space-0123"), beside(".spaces-0123456789abcdef"), beside("space-0123456789abcdef"), beside(".space-0123456789abcdef.tex")} {
		if !exists(path) {
			t.Errorf("%s was removed", path)
		}
	}
	if entries, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(entries) != 7 {
		t.Errorf("left: %v, %v", entries, err)
	}

	// A process was killed between the two renames of a system that cannot exchange.
	if err := os.Rename(dir, beside(".space-0123456789abcdef.old")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(beside(".space-0123456789abcdef"), 0o777); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Write(ended, dir, contents(t, 50, 6, 4)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	if s := open(t, dir); len(s.Words) != 40 {
		t.Errorf("%d words, want the 40 of the space that was moved away", len(s.Words))
	}
}

func TestReplaceable(t *testing.T) {
	dir := write(t, contents(t, 50, 6, 4))
	parent := filepath.Dir(dir)
	if err := errors.Join(os.Symlink("space", filepath.Join(parent, "link")), os.Symlink("nowhere", filepath.Join(parent, "broken")),
		os.WriteFile(filepath.Join(parent, "file"), nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"space": "", "space/": "", "new": "", "link": "",
		".": "neither empty nor a space", "file": "not a directory", "new/new": "no such file", "broken": "no such file",
	} {
		err := Replaceable(filepath.Join(parent, name))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: error %v, want %q", name, err, want)
		}
	}
	// Through a link the space is replaced, not the link.
	link := filepath.Join(parent, "link")
	if err := Write(t.Context(), link, contents(t, 40, 5, 4)); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
	if s := open(t, dir); len(s.Words) != 40 {
		t.Error("the space behind the link was not replaced")
	}
}
