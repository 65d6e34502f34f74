//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package scratch

import (
	"os"
	"syscall"
)

// Maps tells whether arrays can be on disk here.
const Maps = true

func mapping(file *os.File, bytes int, write bool) ([]byte, error) {
	protection := syscall.PROT_READ
	if write {
		protection |= syscall.PROT_WRITE
	}
	return syscall.Mmap(int(file.Fd()), 0, bytes, protection, syscall.MAP_SHARED)
}

func unmap(memory []byte) error { return syscall.Munmap(memory) }
