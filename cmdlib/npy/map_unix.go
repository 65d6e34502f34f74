//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package npy

import (
	"os"
	"syscall"
)

func mapMemory(file *os.File, size int) ([]byte, error) {
	return syscall.Mmap(int(file.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
}

func unmapMemory(memory []byte) error { return syscall.Munmap(memory) }
