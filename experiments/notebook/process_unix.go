//go:build unix

package notebook

import "syscall"

// kill ends the kernel and everything it has started.
func (k *kernel) kill() {
	syscall.Kill(-k.process.Pid, syscall.SIGKILL)
}

// gone tells whether nothing is left of a killed kernel and what it has started.
func (k *kernel) gone() bool { return syscall.Kill(-k.process.Pid, 0) != nil }
