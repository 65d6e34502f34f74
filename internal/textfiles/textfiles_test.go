package textfiles

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Files come in the order of their names, links to them too; what is no file is told, and what is hidden is not.
func TestList(t *testing.T) {
	dir := t.TempDir()
	at := func(names ...string) (paths []string) {
		for _, name := range names {
			paths = append(paths, filepath.Join(dir, filepath.FromSlash(name)))
		}
		return paths
	}
	for _, path := range at("b.txt", "a/c.txt", ".hidden", ".folder/d.txt") {
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte("text"), 0o666))
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"link": "b.txt", "lost": "nothing", "up": "."} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	files, others, err := List(dir)
	if err != nil || !slices.Equal(files, at("a/c.txt", "b.txt", "link")) || !slices.Equal(others, at("lost", "up")) {
		t.Errorf("%q, %q, %v", files, others, err)
	}
	if files, _, err := List(at("link")[0]); err != nil || !slices.Equal(files, at("link")) {
		t.Errorf("%q, %v", files, err)
	}
	if _, _, err := List(at("lost")[0]); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	_, _, err = List(os.DevNull)
	if err == nil || !strings.Contains(err.Error(), "neither a regular file nor a folder") {
		t.Error(err)
	}
	if got := Names(make([]string, 12)); !strings.HasSuffix(got, " and 2 more") {
		t.Errorf("%q", got)
	}
}
