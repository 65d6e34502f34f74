//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package atomicfile

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Lock locks a file or folder until unlock is called or the process ends. The error is
// ErrLocked where that has been done already, fs.ErrNotExist where nothing is at the path
// (any more), and another one where nothing can be locked.
func Lock(path string) (unlock func(), err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, ErrLocked
		}
		return nil, err
	}
	// Whoever had the lock may have removed what was there, or put something else in its place.
	locked, err := f.Stat()
	if err == nil {
		var there os.FileInfo
		if there, err = os.Lstat(path); err == nil && !os.SameFile(locked, there) {
			err = fs.ErrNotExist
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}

// Shared is a lock that several processes have at the same time, and each of them once.
type Shared struct{ folder *os.File }

// Share locks a folder for this process and others that share it, until the process ends. The error is ErrLocked
// where another process is in Alone, and another one where nothing can be locked.
func Share(folder string) (Shared, error) {
	f, err := os.Open(folder)
	if err != nil {
		return Shared{}, err
	}
	s := Shared{f}
	if err := s.lock(unix.LOCK_SH); err != nil {
		f.Close()
		return Shared{}, err
	}
	return s, nil
}

// Alone calls f while no other process shares the folder. It returns ErrLocked, and does not call f, where one does.
func (s Shared) Alone(f func() error) error {
	if s.folder == nil {
		return f()
	}
	err := s.lock(unix.LOCK_EX)
	if err == nil {
		err = f()
	}
	// A lock that could not become exclusive may have been lost.
	return errors.Join(err, s.lock(unix.LOCK_SH))
}

func (s Shared) lock(how int) error {
	err := unix.Flock(int(s.folder.Fd()), how|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}
