//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package corpus

import (
	"os"
	"syscall"
)

// mapIDs maps a file of ids into memory, until unmap is called.
func mapIDs(file *os.File) (ids []int32, unmap func() error, err error) {
	info, err := file.Stat()
	if err != nil {
		return nil, nil, err
	}
	memory, err := syscall.Mmap(int(file.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil, err
	}
	return asIDs(memory), func() error { return syscall.Munmap(memory) }, nil
}
