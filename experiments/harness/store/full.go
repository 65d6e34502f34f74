package store

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"

	"contextmover/internal/system"
)

// FullError says that the disk is full.
type FullError struct {
	Dir     string // the store
	Stage   string // what was to be made
	Free    int64  // bytes, −1 if unknown
	Written int64  // bytes written when the disk was full, 0 if the making was not begun
	Need    int64  // bytes the artefact takes, 0 if unknown
	Err     error  // the system's error, nil if the making was not begun
}

func (e *FullError) Error() string {
	s := fmt.Sprintf("store: the disk of %s is full: making %s", e.Dir, e.Stage)
	switch {
	case e.Need > 0:
		s += fmt.Sprintf(" needs %s", bytesText(e.Need))
	case e.Written > 0:
		s += fmt.Sprintf(" needs more than the %s it had written", bytesText(e.Written))
	default:
		s += " needs more"
	}
	if e.Free >= 0 {
		s += fmt.Sprintf(", %s are free", bytesText(e.Free))
	}
	return s + ". Nothing is damaged. Free some space (`repro ls` shows what takes it, `repro clean` removes it) or " +
		"move the store with --store DIR"
}

func (e *FullError) Unwrap() error { return e.Err }

// explain turns the system's word for a full disk or quota into a FullError.
func (s *Store) explain(err error, stage Stage, temporary string) error {
	var full *FullError
	if errors.As(err, &full) || !diskFull(err) {
		return err
	}
	full = &FullError{Dir: s.dir, Stage: stage.Name, Free: -1, Need: stage.Size, Err: err}
	if temporary != "" {
		full.Written = sizeOf(temporary)
	}
	if free, ok := system.DiskFree(s.dir); ok {
		full.Free = free + full.Written // what was written is removed now
	}
	return full
}

func diskFull(err error) bool {
	const errorDiskFull = syscall.Errno(112) // Windows
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || runtime.GOOS == "windows" &&
		errors.Is(err, errorDiskFull)
}

func bytesText(n int64) string {
	const units = "kMGTPE"
	if n < 1000 {
		return fmt.Sprintf("%d bytes", n)
	}
	x, u := float64(n)/1000, 0
	for x >= 999.5 && u+1 < len(units) {
		x, u = x/1000, u+1
	}
	return fmt.Sprintf("%.3g %cB", x, units[u])
}
