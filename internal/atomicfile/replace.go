package atomicfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"contextmover/internal/disk"
)

// Kind is a kind of folder that is written as a whole.
type Kind struct {
	// Name says what such a folder is, as in "the folder is not a space".
	Name string
	// Files are the names that are its own.
	Files []string
	// Mark, if not empty, is the one without which a folder is none of them.
	Mark string
}

// Replace lets write fill a new folder dir and puts it in the place of path, under Linux in one step. What was at
// path must be nothing, an empty folder, or one of this kind. What is in that apart from the kind's own files, such as
// a user's notes, stays in it. The folder that path is in must exist. Where path is a link, the folder that it
// leads to is replaced. After an error what was at path is as it was; only where the system cannot exchange
// folders and the process is killed between two renames it is missing, until the next Replace puts it back.
//
// An error of write is returned as it is, others name path.
func Replace(path string, kind Kind, write func(dir string) error) error {
	failed := func(err error) error { return fmt.Errorf("writing %s: %w", path, err) }
	final, err := kind.destination(path)
	if err != nil {
		return failed(err)
	}
	restore(final)
	made, release, err := Folder(final)
	if err != nil {
		return failed(cause(err))
	}
	defer release()
	if err := write(made); err != nil {
		return err
	}
	for taken := true; taken; {
		if taken, err = kind.place(made, path, final); err != nil {
			return failed(err)
		}
	}
	return nil
}

// place puts the finished folder made at final, where path leads to, unless something has been put there just now.
func (k Kind) place(made, path, final string) (taken bool, err error) {
	// Nobody else exchanges it meanwhile, who might bring back what we replace.
	unlock, err := lockWhatIsThere(final)
	if err != nil {
		return false, err
	}
	defer unlock()
	if _, err := k.destination(path); err != nil { // writing may have taken long
		return false, err
	}
	if !exists(final) {
		err := disk.Rename(made, final)
		if errors.Is(err, fs.ErrExist) { // a folder that is not empty
			return true, nil
		}
		if err != nil {
			return false, cause(err)
		}
		return false, cause(disk.SyncFolder(filepath.Dir(final)))
	}
	if err := k.keep(final, made); err != nil {
		return false, err
	}
	if err := install(made, final); err != nil {
		if errors.Is(err, syscall.EXDEV) || errors.Is(err, syscall.EBUSY) {
			return false, fmt.Errorf(
				"%w: the folder is a disk of its own, whose root cannot be replaced: name a folder in it", cause(err),
			)
		}
		return false, cause(err)
	}
	return false, nil
}

// Replaceable returns the error with which Replace would begin.
func Replaceable(path string, kind Kind) error {
	if _, err := kind.destination(path); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// destination returns the folder that path is or links to, if one of this kind may be written there.
func (k Kind) destination(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		_, err := os.Stat(filepath.Dir(path))
		return path, err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", err
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return "", cmp.Or(err, error(syscall.ENOTDIR))
	}
	if same(path, ".") {
		return "", errors.New("it is the folder that the program runs in, which cannot be replaced under its feet: " +
			"name another, such as one in it")
	}
	if k.Mark == "" || exists(filepath.Join(path, k.Mark)) {
		return path, nil
	}
	if entries, err := os.ReadDir(path); err != nil || len(entries) > 0 {
		if err != nil {
			return "", err
		}
		return "", fmt.Errorf("the folder is neither empty nor %s, and is left as it is: choose another", k.Name)
	}
	return path, nil
}

// keep puts what is in the folder from, but is not of this kind, into the folder to, too: files under a second
// name, so that nothing can happen to their contents.
func (k Kind) keep(from, to string) error {
	entries, err := os.ReadDir(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if k.owns(e) {
			continue
		}
		if err := linkAll(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return fmt.Errorf("the folder has %s, which is no part of %s and cannot be kept (%w): choose another, or "+
				"move that away", e.Name(), k.Name, cause(err))
		}
	}
	return nil
}

// linkAll gives a file, a link or all that is in a folder a second name.
func linkAll(from, to string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := to + strings.TrimPrefix(path, from)
		if e.IsDir() {
			return disk.Mkdir(name)
		}
		return disk.Link(path, name)
	})
}

// owns tells whether an entry is a file of the kind, or a leftover of one.
func (k Kind) owns(e fs.DirEntry) bool {
	return slices.ContainsFunc(k.Files, func(name string) bool {
		return e.Name() == name && !e.IsDir() || leftover(name).MatchString(e.Name())
	})
}

// lockWhatIsThere locks a folder, waiting for others that have. Where there is none, or nothing can be locked,
// it locks nothing.
func lockWhatIsThere(path string) (unlock func(), err error) {
	const patience = 30 * time.Second // others only rename while they have it
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		unlock, err := Lock(path)
		if err == nil {
			return unlock, nil
		}
		if _, there := os.Lstat(path); there != nil || !errors.Is(err, ErrLocked) && !errors.Is(err, fs.ErrNotExist) {
			return func() {}, nil
		}
		if time.Since(start) > patience {
			return nil, fmt.Errorf("another process has had the folder locked for %v", patience)
		}
	}
}

func same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// oldSuffix marks the folder that was there before, while another takes its place.
const oldSuffix = ".old"

// restore deals with the old folders that killed processes left next to path, where they had
// moved them away to put another in place. It is put back if the other did not come.
func restore(path string) {
	moved := regexp.MustCompile(strings.TrimSuffix(leftover(filepath.Base(path)).String(),
		"$") + regexp.QuoteMeta(oldSuffix) + "$")
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return // Replace will say what is wrong
	}
	for _, e := range entries {
		if !moved.MatchString(e.Name()) {
			continue
		}
		old := filepath.Join(filepath.Dir(path), e.Name())
		user := old // the folder that the process which moved old has locked, if it lives
		if made := strings.TrimSuffix(old, oldSuffix); exists(made) {
			user = made
		}
		unlock, err := Lock(user)
		if err != nil {
			continue
		}
		if exists(path) {
			disk.RemoveAll(old)
		} else {
			_ = disk.Rename(old, path) // else it stays for the next time
		}
		unlock()
	}
}

// install exchanges the finished folder with the one at path, and removes that, at the latest with the finished one.
func install(made, path string) error {
	err := disk.Exchange(made, path)
	if errors.Is(err, errors.ErrUnsupported) {
		old := made + oldSuffix
		if err := disk.Rename(path, old); err != nil {
			return err
		}
		if err := disk.Rename(made, path); err != nil {
			_ = disk.Rename(old, path) // what was there, else the next Replace puts it back
			return err
		}
		disk.RemoveAll(old)
		err = nil
	}
	if err != nil {
		return err
	}
	return disk.SyncFolder(filepath.Dir(path))
}
