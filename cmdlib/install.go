package cmdlib

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
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

// temporary makes a folder beside dir, which is locked until release is called or the
// process ends.
func temporary(dir string) (path string, release func(), err error) {
	path = filepath.Join(filepath.Dir(dir), fmt.Sprintf(".%s-%016x", filepath.Base(dir), rand.Uint64()))
	if err := os.Mkdir(path, 0o777); err != nil {
		return "", nil, err
	}
	locked, ok := lock(path)
	return path, func() {
		os.RemoveAll(path)
		if ok {
			locked.Close()
		}
	}, nil
}

// sweep removes what processes that were killed while they wrote the space dir left beside
// it. One that was killed after it moved the old space away, and before the new one was in
// place, left the old one: that is put back.
func sweep(dir string) {
	leftover := regexp.MustCompile(`^\.` + regexp.QuoteMeta(filepath.Base(dir)) + `-[0-9a-f]{16}(\.old)?$`)
	entries, err := os.ReadDir(filepath.Dir(dir))
	if err != nil {
		return // Write will say what is wrong
	}
	for _, e := range entries {
		parts := leftover.FindStringSubmatch(e.Name())
		if parts == nil || !e.IsDir() {
			continue
		}
		path := filepath.Join(filepath.Dir(dir), e.Name())
		isOld := parts[1] != ""
		user := path // the folder that the process which made path has locked, if it lives
		if made := strings.TrimSuffix(path, oldSuffix); isOld && exists(made) {
			user = made
		}
		locked, ok := lock(user)
		if !ok {
			continue
		}
		if !isOld || exists(dir) || os.Rename(path, dir) != nil {
			os.RemoveAll(path)
		}
		locked.Close()
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
