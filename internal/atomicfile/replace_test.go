package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"contextmover/internal/disk"
)

var pair = Kind{Name: "a pair", Files: []string{"one", "two"}}

// writePair writes a pair with the same text in both files.
func writePair(text string) func(dir string) error {
	return func(dir string) error {
		return errors.Join(WriteBytes(filepath.Join(dir, "one"), []byte(text)), WriteBytes(filepath.Join(dir, "two"), []byte(text)))
	}
}

// wantPair checks that the folder is a pair of this text.
func wantPair(t *testing.T, dir, text string) {
	t.Helper()
	if got := names(t, dir); !slices.Equal(got, pair.Files) {
		t.Errorf("%q in the folder", got)
	}
	for _, name := range pair.Files {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != text {
			t.Errorf("%s is %q, %v, want %q", name, got, err, text)
		}
	}
}

func TestReplace(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "pair")
	for _, text := range []string{"first", "second"} {
		if err := Replace(dir, pair, writePair(text)); err != nil {
			t.Fatal(err)
		}
		wantPair(t, dir, text)
	}
	mine := errors.New("mine")
	if err := Replace(dir, pair, func(dir string) error { return errors.Join(writePair("third")(dir), mine) }); !errors.Is(err, mine) {
		t.Errorf("error %v, want write's own", err)
	}
	wantPair(t, dir, "second")
	if got := names(t, parent); !slices.Equal(got, []string{"pair"}) {
		t.Errorf("left: %q", got)
	}
}

// What is no part of the folder stays in it: files, links, and folders with all that is in them, also what comes
// while the new folder is written.
func TestReplaceKeepsOtherFiles(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "pair")
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	if err := Replace(dir, pair, writePair("old")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.MkdirAll(at("sub/sub"), 0o777), os.Symlink("nowhere", at("link")),
		os.WriteFile(at("sub/sub/precious"), []byte("precious"), 0o600), os.WriteFile(at("note"), []byte("note"), 0o666)); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"new", "newer"} {
		err := Replace(dir, pair, func(made string) error {
			return errors.Join(writePair(text)(made), os.WriteFile(at("late"), []byte("late"), 0o666))
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := names(t, dir); !slices.Equal(got, []string{"late", "link", "note", "one", "sub", "two"}) {
			t.Errorf("in the folder: %q", got)
		}
		for name, want := range map[string]string{"one": text, "two": text, "sub/sub/precious": "precious", "note": "note", "late": "late"} {
			if got, err := os.ReadFile(at(name)); err != nil || string(got) != want {
				t.Errorf("%s is %q, %v, want %q", name, got, err, want)
			}
		}
		if to, err := os.Readlink(at("link")); err != nil || to != "nowhere" {
			t.Errorf("the link leads to %q, %v", to, err)
		}
		if info, err := os.Stat(at("sub/sub/precious")); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the mode is %v, %v", info, err)
		}
	}
	if got := names(t, parent); !slices.Equal(got, []string{"pair"}) {
		t.Errorf("left: %q", got)
	}
}

// Two kinds in one folder, written at once, do not bring back each other's old files.
func TestReplaceTwoKinds(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: nothing can be locked here")
	}
	dir := filepath.Join(t.TempDir(), "both")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	for _, name := range []string{"one", "two"} {
		go func() {
			var err error
			for i := range 40 {
				err = errors.Join(err, Replace(dir, Kind{Name: name, Files: []string{name}}, func(made string) error {
					return WriteBytes(filepath.Join(made, name), fmt.Append(nil, i))
				}))
				if got, reading := os.ReadFile(filepath.Join(dir, name)); reading == nil && string(got) != fmt.Sprint(i) {
					err = errors.Join(err, fmt.Errorf("%s is %s after %d", name, got, i))
				}
			}
			done <- err
		}()
	}
	if err := errors.Join(<-done, <-done); err != nil {
		t.Error(err)
	}
	wantPair(t, dir, "39")
}

func TestReplaceable(t *testing.T) {
	parent := t.TempDir()
	at := func(name string) string { return filepath.Join(parent, name) }
	if err := Replace(at("pair"), pair, writePair("old")); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"empty", "noted/sub", "half"} {
		if err := os.MkdirAll(at(dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"file", "noted/one", "half/one"} {
		if err := os.WriteFile(at(file), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink("pair", at("link")), os.Symlink("nowhere", at("broken"))); err != nil {
		t.Fatal(err)
	}
	marked := Kind{Name: "a pair", Files: []string{"two", "one"}, Marked: true}
	for _, c := range []struct {
		name string
		kind Kind
		want string
	}{
		{"pair", pair, ""}, {"pair/", pair, ""}, {"new", pair, ""}, {"empty", marked, ""}, {"link", marked, ""}, {"half", pair, ""},
		{"noted", pair, ""}, {"half", marked, "neither empty nor a pair"}, {"noted", marked, "neither empty nor a pair"}, {"file", pair, "not a directory"}, {"new/new", pair, "no such file"}, {"broken", pair, "no such file"},
	} {
		err := Replaceable(at(c.name), c.kind)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), at(c.name))) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
		if c.want != "" {
			if again := Replace(at(c.name), c.kind, writePair("new")); again == nil || again.Error() != err.Error() {
				t.Errorf("%s: Replace says %v, Replaceable %v", c.name, again, err)
			}
		}
	}
	// Through a link the folder is replaced, not the link.
	if err := Replace(at("link"), pair, writePair("new")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(at("link")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
	wantPair(t, at("pair"), "new")
}

// What killed processes left in the folder is removed; what a living process makes stays, and so does what only looks
// alike.
func TestReplaceSweeps(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: nothing can be locked here")
	}
	dir := filepath.Join(t.TempDir(), "pair")
	marked := Kind{Name: "a pair", Files: pair.Files, Marked: true}
	left := filepath.Join(dir, ".new-0123456789abcdef")
	if err := os.MkdirAll(filepath.Join(left, "part"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Replace(dir, marked, writePair("old")); err != nil {
		t.Fatal(err)
	}
	wantPair(t, dir, "old")
	for _, name := range []string{".new-0123456789abcdef", ".new-0123", "new-0123456789abcdef"} {
		if err := os.MkdirAll(filepath.Join(dir, name, "part"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	living, release, err := Folder(filepath.Join(dir, "new"))
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if err := Replace(dir, marked, writePair("new")); err != nil {
		t.Fatal(err)
	}
	want := []string{".new-0123", filepath.Base(living), "new-0123456789abcdef", "one", "two"}
	slices.Sort(want)
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("left: %q, want %q", got, want)
	}
}

// Whichever operation fails, and whether or not others fail after it, a writer leaves what was there or what is new,
// of a folder with a file less at worst and never some of each, and the next one succeeds and leaves nothing beside it.
func TestFaults(t *testing.T) {
	file := func(dir string) error { return WriteBytes(filepath.Join(dir, "file"), []byte("new")) }
	folder := func(dir string) error { return Replace(filepath.Join(dir, "pair"), pair, writePair("new")) }
	for name, write := range map[string]func(dir string) error{"file": file, "folder": folder} {
		for _, killed := range []bool{false, true} {
			outcomes := map[string]int{}
			for n, more := 1, true; more; n++ {
				dir := t.TempDir()
				if err := errors.Join(WriteBytes(filepath.Join(dir, "file"), []byte("old")), Replace(filepath.Join(dir, "pair"), pair, writePair("old"))); err != nil {
					t.Fatal(err)
				}
				done := 0
				broken := errors.New("broken")
				restore := disk.Inject(func(op disk.Op, path string) error {
					if done++; done == n || killed && done > n {
						return broken
					}
					return nil
				})
				err := write(dir)
				restore()
				more = done >= n
				state := ""
				for _, path := range []string{"file", "pair/one", "pair/two"} {
					text, _ := os.ReadFile(filepath.Join(dir, path))
					state += string(text) + " "
				}
				switch {
				case state == "old old old ":
					outcomes["old"]++
				case name == "file" && state == "new old old ", name == "folder" && state == "old new new ":
					outcomes["new"]++
				case name == "folder" && (state == "old old  " || state == "old   " || state == "old new  "):
					outcomes["part"]++
				default:
					t.Errorf("%s, killed %v: after a fault at operation %d: %s", name, killed, n, state)
				}
				if err == nil && !strings.Contains(state, "new") {
					t.Errorf("%s: no error of operation %d, and nothing written", name, n)
				}
				if err := write(dir); err != nil {
					t.Errorf("%s: again after a fault at operation %d: %v", name, n, err)
				}
				if name == "folder" {
					wantPair(t, filepath.Join(dir, "pair"), "new")
				}
				if got := names(t, dir); !slices.Equal(got, []string{"file", "pair"}) {
					t.Errorf("%s: left after operation %d: %q", name, n, got)
				}
			}
			t.Logf("%s, killed %v: %v", name, killed, outcomes)
			if outcomes["old"] == 0 || outcomes["new"] == 0 || name == "folder" && outcomes["part"] == 0 {
				t.Errorf("%s: %v, want some of each", name, outcomes)
			}
		}
	}
}
