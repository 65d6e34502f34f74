package cmdlib

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"contextmover/internal/atomicfile"
)

// Replaceable returns an error if Write would not write a space to the folder dir: because
// something is there that is neither an empty folder nor a space, or because the folder that
// it is in is not there.
func Replaceable(dir string) error {
	if _, err := destination(dir); err != nil {
		return fmt.Errorf("cmdlib: write %s: %w", dir, err)
	}
	return nil
}

// destination returns the folder that dir is or links to, if a space may be written there.
func destination(dir string) (string, error) {
	dir = filepath.Clean(dir)
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		_, err := os.Stat(filepath.Dir(dir))
		return dir, err
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		return dir, err
	}
	if _, err := os.Stat(filepath.Join(dir, manifestFile)); err != nil {
		return "", errors.New("the folder is neither empty nor a space, and is left as it is: choose another")
	}
	return dir, nil
}

// restore deals with the old spaces that killed processes left beside dir, where they had
// moved them away to put another in place. It is put back if the other did not come.
func restore(dir string) {
	leftover := regexp.MustCompile(`^\.` + regexp.QuoteMeta(filepath.Base(dir)) + `-[0-9a-f]{16}\` + oldSuffix + `$`)
	entries, err := os.ReadDir(filepath.Dir(dir))
	if err != nil {
		return // Write will say what is wrong
	}
	for _, e := range entries {
		if !leftover.MatchString(e.Name()) {
			continue
		}
		old := filepath.Join(filepath.Dir(dir), e.Name())
		user := old // the folder that the process which moved old has locked, if it lives
		if made := strings.TrimSuffix(old, oldSuffix); exists(made) {
			user = made
		}
		unlock, err := atomicfile.Lock(user)
		if err != nil {
			continue
		}
		if exists(dir) || os.Rename(old, dir) != nil {
			os.RemoveAll(old)
		}
		unlock()
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// oldSuffix marks the space that was there before, while another takes its place.
const oldSuffix = ".old"

// install moves the finished folder to dir; a space that is there is at the place of the
// finished folder afterwards, or removed.
func install(temporary, dir string) error {
	if exchange(temporary, dir) != nil { // nothing is there, or the system cannot
		old := temporary + oldSuffix
		switch err := os.Rename(dir, old); {
		case err == nil:
			defer os.RemoveAll(old)
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
		if err := os.Rename(temporary, dir); err != nil {
			// Put back what was there.
			os.Rename(old, dir)
			return err
		}
	}
	parent, err := os.Open(filepath.Dir(dir))
	if err != nil {
		return err
	}
	defer parent.Close()
	return parent.Sync()
}
