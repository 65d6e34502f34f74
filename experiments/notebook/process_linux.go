package notebook

import "syscall"

// processAttributes put a kernel at the head of a process group, so that Ctrl-C at a
// terminal does not reach it and kill does reach what it starts. If this process is
// killed the kernel is asked to end.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
