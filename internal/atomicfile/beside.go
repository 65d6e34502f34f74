package atomicfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"

	"contextmover/internal/disk"
)

// File removes what killed processes left next to path, and makes an empty file there, open
// for reading and writing. The caller closes it, renames it to path if all is well, and then
// calls release, which removes it if it has not been renamed. An error is the system's.
func File(path string) (file *disk.File, release func(), err error) {
	_, release, err = create(path, func(name string) error {
		if file != nil { // of a name that was taken away
			file.Close()
		}
		file, err = disk.CreateNew(name)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return file, release, nil
}

// Folder does the same with an empty folder, which release removes with all that is in it.
func Folder(path string) (dir string, release func(), err error) {
	return create(path, disk.Mkdir)
}

// Temporary makes a folder for what nobody keeps, as Folder does, named after name: in the
// system's folder for temporary files or, where nothing can be made in that, in /tmp or the
// working folder. The folder's path is absolute and has no more than longest bytes; 0 is any
// number. The error says what kept it from being made in the first of these, and what to do.
func Temporary(name string, longest int) (dir string, release func(), err error) {
	var failed error
	for _, parent := range []string{os.TempDir(), "/tmp", "."} {
		path, err := filepath.Abs(filepath.Join(parent, name))
		if err == nil && longest > 0 && len(path)+len(".-0123456789abcdef") > longest {
			err = fmt.Errorf("%s: its path is too long", parent)
		}
		if err == nil {
			if dir, release, err = Folder(path); err == nil {
				return dir, release, nil
			}
		}
		failed = cmp.Or(failed, err)
	}
	return "", nil, fmt.Errorf("no folder for temporary files: %w: set the variable TMPDIR to one that can be written",
		failed)
}

func create(path string, make func(name string) error) (name string, release func(), err error) {
	RemoveLeftovers(path)
	for {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s-%016x", filepath.Base(path), rand.Uint64()))
		if err := make(name); err != nil {
			return "", nil, err
		}
		unlock, err := Lock(name)
		if errors.Is(err, ErrLocked) || errors.Is(err, fs.ErrNotExist) {
			continue // before it was locked, another process took it for a leftover
		}
		if err != nil {
			unlock = func() {}
		}
		return name, func() {
			disk.RemoveAll(name)
			unlock()
		}, nil
	}
}

// RemoveLeftovers removes what killed processes left next to path, as File and Folder do
// before they make something there.
func RemoveLeftovers(path string) {
	remove(filepath.Dir(path), leftover(filepath.Base(path)))
}

// Sweep removes what killed processes left in a folder, of whatever path.
func Sweep(dir string) { remove(dir, anyLeftover) }

var anyLeftover = regexp.MustCompile(`^\..+-[0-9a-f]{16}$`)

func remove(dir string, leftover *regexp.Regexp) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // making something there will say what is wrong
	}
	for _, e := range entries {
		if !leftover.MatchString(e.Name()) {
			continue
		}
		name := filepath.Join(dir, e.Name())
		if unlock, err := Lock(name); err == nil {
			disk.RemoveAll(name)
			unlock()
		}
	}
}

// leftover matches the names that are made next to name.
func leftover(name string) *regexp.Regexp {
	return regexp.MustCompile(`^\.` + regexp.QuoteMeta(name) + `-[0-9a-f]{16}$`)
}

// ErrLocked is the error of Lock when somebody else, or this process, has locked the path.
var ErrLocked = errors.New("locked")
