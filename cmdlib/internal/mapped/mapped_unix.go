//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

// Package mapped maps files into memory.
package mapped

import (
	"os"
	"syscall"
)

// Map returns the first size > 0 bytes of a file, mapped into memory for reading until Unmap. The error is
// errors.ErrUnsupported where the system does not map files.
func Map(file *os.File, size int) ([]byte, error) {
	return syscall.Mmap(int(file.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
}

// Unmap releases what Map returned.
func Unmap(memory []byte) error { return syscall.Munmap(memory) }
