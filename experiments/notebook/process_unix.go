//go:build unix

package notebook

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// groupAttributes put a process at the head of a process group, so that Ctrl-C at a terminal does not reach it and
// kill does reach what it starts.
func groupAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// interrupt interrupts a process group.
func interrupt(head *os.Process) error { return syscall.Kill(-head.Pid, syscall.SIGINT) }

// leash starts a process that kills the group of head as soon as this process is gone without having called
// unleash: what the head of a group has started gets no signal when it dies, as the compiler of a cell.
func leash(head *os.Process) (unleash func(), err error) {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	// The pipe ends with this process, and no other has its end.
	guard := exec.Command("/bin/sh", "-c", `read line || kill -s KILL -- "-$1"`, "sh", strconv.Itoa(head.Pid))
	guard.Stdin, guard.SysProcAttr = theirs, groupAttributes()
	if err := guard.Start(); err != nil {
		ours.Close()
		return nil, fmt.Errorf("notebook: what ends a kernel after this program cannot be started: %w", err)
	}
	return func() {
		fmt.Fprintln(ours)
		ours.Close()
		guard.Wait()
	}, nil
}

// kill ends the kernel and everything it has started.
func (k *kernel) kill() {
	syscall.Kill(-k.process.Pid, syscall.SIGKILL)
}

// gone tells whether nothing is left of a killed kernel and what it has started.
func (k *kernel) gone() bool { return syscall.Kill(-k.process.Pid, 0) != nil }
