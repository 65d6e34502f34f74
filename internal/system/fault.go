package system

import (
	"errors"
	"io/fs"
	"slices"
	"syscall"
)

// AtFault tells whether an error is of the system, such as a full disk, a limit of the process or a device
// that fails, and not of the file that was asked for, as that it is not there or is a folder.
func AtFault(err error) bool {
	var errno syscall.Errno
	return errors.As(err, &errno) && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) &&
		!slices.Contains([]syscall.Errno{
			syscall.EISDIR, syscall.ENOTDIR, syscall.ELOOP, syscall.ENAMETOOLONG, syscall.EINVAL,
		}, errno)
}
