// Package disk is the one door to what changes the disk: files and folders made, written,
// synced, renamed and removed. Tests stand in it and let any of these fail.
//
// Its functions are those of package os, with permissions that only the umask restricts.
package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
)

// Op is a kind of operation.
type Op string

// The operations. OpCreate is the making of a file, folder or link; OpRemove the removal of one or of many.
const (
	OpCreate Op = "create"
	OpWrite  Op = "write"
	OpSync   Op = "sync"
	OpRename Op = "rename"
	OpRemove Op = "remove"
)

var fault atomic.Pointer[func(op Op, path string) error]

// Inject has f asked before every operation of the process, until restore is called: an error of f is that of the
// operation, which is not done; but a write has then written half, and RemoveAll has removed some, as a disk
// that fails leaves it. f may be called from several goroutines at once. It is for tests.
func Inject(f func(op Op, path string) error) (restore func()) {
	before := fault.Swap(&f)
	return func() { fault.Store(before) }
}

func ask(op Op, path string) error {
	if f := fault.Load(); f != nil {
		if err := (*f)(op, path); err != nil {
			return &fs.PathError{Op: string(op), Path: path, Err: err}
		}
	}
	return nil
}

// Mkdir makes a folder.
func Mkdir(path string) error {
	if err := ask(OpCreate, path); err != nil {
		return err
	}
	return os.Mkdir(path, 0o777)
}

// MkdirAll makes a folder and those that it is in, as far as they
// are not there, and syncs those that have a new name in them.
func MkdirAll(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil
	}
	if err := ask(OpCreate, path); err != nil {
		return err
	}
	var parents []string
	for dir := filepath.Clean(path); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			break
		}
		parents = append(parents, filepath.Dir(dir))
	}
	if err := os.MkdirAll(path, 0o777); err != nil {
		return err
	}
	for _, dir := range parents {
		if err := SyncFolder(dir); err != nil {
			return err
		}
	}
	return nil
}

// Symlink makes path a link to target.
func Symlink(target, path string) error {
	if err := ask(OpCreate, path); err != nil {
		return err
	}
	return os.Symlink(target, path)
}

// Rename renames from to to, in place of a file or empty folder that is there.
func Rename(from, to string) error {
	if err := ask(OpRename, to); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// Remove removes a file or an empty folder.
func Remove(path string) error {
	if err := ask(OpRemove, path); err != nil {
		return err
	}
	return os.Remove(path)
}

// RemoveAll removes a file or a folder with all that is in it, if it is there.
func RemoveAll(path string) error {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := ask(OpRemove, path); err != nil {
		if entries, _ := os.ReadDir(path); len(entries) > 1 {
			os.RemoveAll(filepath.Join(path, entries[0].Name()))
		}
		return err
	}
	return os.RemoveAll(path)
}

// SyncFolder has a folder's names written to the disk: without it a name that was
// made or changed may be gone after the machine has lost its power. It does nothing
// on systems and file systems that cannot, and in a folder that may not be read.
func SyncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	if err := ask(OpSync, dir); err != nil {
		return err
	}
	f, err := os.Open(dir)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		err = nil
	}
	return errors.Join(err, f.Close())
}

// SyncFile has a file's contents written to the disk.
func SyncFile(path string) error {
	if err := ask(OpSync, path); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0) // some systems sync only what they could have written
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// WriteFile writes a file that nobody reads before it is whole.
func WriteFile(path string, content []byte) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// File is a file that is open for reading and writing.
type File struct{ file *os.File }

// Create makes an empty file, in place of one that is there.
func Create(path string) (*File, error) { return open(path, os.O_TRUNC) }

// CreateNew makes an empty file; one that is there is fs.ErrExist.
func CreateNew(path string) (*File, error) { return open(path, os.O_EXCL) }

func open(path string, flag int) (*File, error) {
	if err := ask(OpCreate, path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|flag, 0o666)
	if err != nil {
		return nil, err
	}
	return &File{f}, nil
}

// Open opens a file that is there, to be read and gone on with.
func Open(path string) (*File, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	return &File{f}, nil
}

// Reader is the file itself, to be read, sought, mapped or given to
// a child process; what is written to it does not go through here.
func (f *File) Reader() *os.File { return f.file }

// Name is the path that the file was made with.
func (f *File) Name() string { return f.file.Name() }

// Write implements io.Writer.
func (f *File) Write(p []byte) (int, error) {
	if err := ask(OpWrite, f.Name()); err != nil {
		n, _ := f.file.Write(p[:len(p)/2])
		return n, err
	}
	return f.file.Write(p)
}

// Truncate cuts the file to size bytes; the place of the next write stays where it is.
func (f *File) Truncate(size int64) error {
	if err := ask(OpWrite, f.Name()); err != nil {
		return err
	}
	return f.file.Truncate(size)
}

// Allocate makes an empty file one of size zero bytes that have their place on the disk: a file that
// is only declared to be so long ends a process that writes to its mapping when the disk is full.
func (f *File) Allocate(size int64) error {
	if err := ask(OpWrite, f.Name()); err != nil {
		return err
	}
	if size == 0 {
		return nil
	}
	if err := f.allocate(size); err != nil {
		return &fs.PathError{Op: "allocate", Path: f.Name(), Err: err}
	}
	return nil
}

// fill writes zeros.
func (f *File) fill(size int64) error {
	zeros := make([]byte, 1<<20)
	for ; size > 0; size -= int64(len(zeros)) {
		if _, err := f.file.Write(zeros[:min(size, int64(len(zeros)))]); err != nil {
			return err
		}
	}
	return nil
}

// Sync has the contents written to the disk.
func (f *File) Sync() error {
	if err := ask(OpSync, f.Name()); err != nil {
		return err
	}
	return f.file.Sync()
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }
