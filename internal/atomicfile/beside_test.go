package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"contextmover/internal/disk"
)

func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// A renamed file or folder stays, another one goes with its release.
func TestFileAndFolder(t *testing.T) {
	dir := t.TempDir()
	for _, keep := range []bool{false, true} {
		file, release, err := File(filepath.Join(dir, "file"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.Write([]byte("text")); err != nil {
			t.Fatal(err)
		}
		if _, err := file.Reader().Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(file.Reader()); err != nil || string(text) != "text" {
			t.Errorf("read %q, %v", text, err)
		}
		folder, releaseFolder, err := Folder(filepath.Join(dir, "folder"))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(file.Close(), os.WriteFile(filepath.Join(folder, "part"), nil, 0o666)); err != nil {
			t.Fatal(err)
		}
		if n := len(names(t, dir)); n != 2 {
			t.Errorf("%d entries, want 2", n)
		}
		if keep {
			if err := errors.Join(os.Rename(file.Name(), filepath.Join(dir, "file")), os.Rename(folder, filepath.Join(dir, "folder"))); err != nil {
				t.Fatal(err)
			}
		}
		release()
		releaseFolder()
		want := []string(nil)
		if keep {
			want = []string{"file", "folder"}
		}
		if got := names(t, dir); !slices.Equal(got, want) {
			t.Errorf("left: %q, want %q", got, want)
		}
	}
	if _, _, err := File(filepath.Join(dir, "no", "file")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v in a folder that is not there", err)
	}
	if _, _, err := Folder(filepath.Join(dir, "no", "folder")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v in a folder that is not there", err)
	}
}

// Leftovers of the same path go; what is in use stays, and so does what only looks alike.
func TestLeftovers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: nothing can be locked here")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "a.b")
	alike := []string{".a.b-012345678", ".a.b-0123456789abcdef.old", ".a.b-0123456789abcdeF", ".a.bb-0123456789abcdef", ".aab-0123456789abcdef", "a.b-0123456789abcdef"}
	for _, name := range append(alike, ".a.b-0000000000000000") {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, ".a.b-1111111111111111", "part"), 0o777); err != nil {
		t.Fatal(err)
	}
	living, release, err := File(path)
	if err != nil {
		t.Fatal(err)
	}
	defer living.Close()
	folder, releaseFolder, err := Folder(path)
	if err != nil {
		t.Fatal(err)
	}
	want := append(alike, filepath.Base(living.Name()), filepath.Base(folder))
	slices.Sort(want)
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("left: %q, want %q", got, want)
	}
	// Of whatever path: those of others, too, but not what is in use.
	Sweep(dir)
	want = []string{".a.b-012345678", ".a.b-0123456789abcdef.old", ".a.b-0123456789abcdeF", "a.b-0123456789abcdef", filepath.Base(living.Name()), filepath.Base(folder)}
	slices.Sort(want)
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("left after sweeping: %q, want %q", got, want)
	}
	release()
	releaseFolder()
	if got := len(names(t, dir)); got != len(want)-2 {
		t.Errorf("left after release: %q", names(t, dir))
	}
}

// Writers of one path do not take each other's files for leftovers.
func TestManyAtOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for range 200 {
				file, release, err := File(path)
				if err != nil {
					t.Error(err)
					return
				}
				if err := errors.Join(file.Close(), os.Rename(file.Name(), path)); err != nil {
					t.Error(err)
				}
				release()
			}
		})
	}
	writers.Wait()
	if got := names(t, dir); !slices.Equal(got, []string{"file"}) {
		t.Errorf("left: %q", got)
	}
}

// Where the folder for temporary files cannot be written, another one is taken; one in a folder with a long name, too.
func TestTemporary(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(here, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		temp    string
		longest int
		in      bool // that folder
	}{{here, 0, true}, {here, len(here), false}, {file, 0, false}, {filepath.Join(here, "nonexistent"), 0, false}} {
		t.Setenv("TMPDIR", test.temp)
		t.Setenv("TMP", test.temp) // on Windows
		dir, release, err := Temporary("name", test.longest)
		if err != nil {
			t.Errorf("%+v: %v", test, err)
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o666); err != nil || !filepath.IsAbs(dir) || (filepath.Dir(dir) == test.temp) != test.in {
			t.Errorf("%+v: %s, %v", test, dir, err)
		}
		release()
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%+v: %s is left: %v", test, dir, err)
		}
	}
	defer disk.Inject(func(disk.Op, string) error { return fs.ErrPermission })()
	if _, _, err := Temporary("name", 0); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "TMPDIR") {
		t.Errorf("where nothing can be written: %v", err)
	}
}
