package notebook

import (
	"os"
	"syscall"
)

// kill ends the kernel.
func (k *kernel) kill() { k.process.Kill() }

// gone is not known here.
func (k *kernel) gone() bool { return true }

func groupAttributes() *syscall.SysProcAttr { return new(syscall.SysProcAttr) }

func interrupt(head *os.Process) error { return head.Kill() }

// leash does nothing here: what a killed process has started lives on.
func leash(*os.Process) (unleash func(), err error) { return func() {}, nil }
