//go:build unix

package notebook

import "syscall"

// kill ends the kernel and everything it has started.
func (k *kernel) kill() {
	syscall.Kill(-k.process.Pid, syscall.SIGKILL)
}
