package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"contextmover/internal/disk"
)

// Kind is a kind of folder that is written as a whole.
type Kind struct {
	// Name says what such a folder is, as in "the folder is not a space".
	Name string
	// Files are the names that are its own.
	Files []string
	// Marked tells that a folder without the first of them is of another kind.
	Marked bool
}

// Replace lets write fill a new folder dir and puts what is in it in the place of path. What was at path must be
// nothing, an empty folder, or one of this kind. What is in that apart from the kind's own files, such as a user's
// notes, stays in it. The folder that path is in must exist. Where path is a link, the folder that it leads to is
// filled. A new folder appears in one step. In one that is there, the kind's old files are removed before the new
// ones, finished and on the disk, get their names: it never holds some of each.
//
// An error of write, after which what was at path is as it was, is returned as it is; others name path.
func Replace(path string, kind Kind, write func(dir string) error) error {
	path = filepath.Clean(path)
	if err := Replaceable(path, kind); err != nil {
		return err
	}
	next, there := path, exists(path)
	if there {
		next = filepath.Join(path, unfinished) // on the same disk, which may be the folder's alone
	}
	made, release, err := Folder(next)
	if err != nil {
		return failed(path, err)
	}
	defer release()
	if err := write(made); err != nil {
		return err
	}

	if there {
		err = kind.fill(path, made)
	} else if err = disk.Rename(made, path); err == nil {
		err = disk.SyncFolder(filepath.Dir(path))
	}
	if err != nil {
		return failed(path, err)
	}
	return nil
}

// unfinished is what the folder of new files is named after, in one that is there.
const unfinished = "new"

// fill moves the files in the folder made to the folder path, in place of the kind's files there. The first, which
// may mark the folder as one of the kind, is the last to go and the first to come.
func (k Kind) fill(path, made string) error {
	Sweep(path)
	for _, name := range slices.Backward(k.Files) {
		if err := disk.RemoveAll(filepath.Join(path, name)); err != nil {
			return err
		}
	}
	for _, name := range k.Files {
		err := disk.Rename(filepath.Join(made, name), filepath.Join(path, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return disk.SyncFolder(path)
}

func failed(path string, err error) error { return fmt.Errorf("writing %s: %w", path, cause(err)) }

// Replaceable returns the error with which Replace would begin.
func Replaceable(path string, kind Kind) error {
	if err := kind.fits(filepath.Clean(path)); err != nil {
		return failed(path, err)
	}
	return nil
}

// fits returns why no folder of this kind may be written at path.
func (k Kind) fits(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil && exists(path): // a link to nothing
		return err
	case errors.Is(err, fs.ErrNotExist):
		_, err = os.Stat(filepath.Dir(path))
		return err
	case err != nil:
		return err
	case !info.IsDir():
		return syscall.ENOTDIR
	case !k.Marked || exists(filepath.Join(path, k.Files[0])):
		return nil
	}
	RemoveLeftovers(filepath.Join(path, unfinished))
	entries, err := os.ReadDir(path)
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("the folder is neither empty nor %s, and is left as it is: choose another", k.Name)
	}
	return err
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
