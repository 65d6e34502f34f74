package disk

import (
	"errors"

	"golang.org/x/sys/unix"
)

func (f *File) allocate(size int64) error {
	for {
		err := unix.Fallocate(int(f.file.Fd()), 0, 0, size)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS): // of the file system
			return f.fill(size)
		default:
			return err
		}
	}
}
