package store

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"

	"contextmover/internal/printable"
	"contextmover/internal/system"
)

// FullError says that the disk is full, and how to go on.
type FullError struct {
	text string
	err  error // the system's
}

func (e *FullError) Error() string { return e.text }

func (e *FullError) Unwrap() error { return e.err }

// explain turns the system's word for a full disk or quota, met in the making of a stage, into a FullError.
func (s *Store) explain(err error, stage Stage, temporary string) error {
	const errorDiskFull = syscall.Errno(112) // Windows
	var full *FullError
	if errors.As(err, &full) || !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT) &&
		(runtime.GOOS != "windows" || !errors.Is(err, errorDiskFull)) {
		return err
	}
	text := fmt.Sprintf("store: the disk of %s is full: making %s needs more", s.dir, stage.Name)
	if free, ok := system.DiskFree(s.dir); ok {
		// What was written is removed now.
		text += fmt.Sprintf(" than the %s that are free", printable.Bytes(free+sizeOf(temporary)))
	}
	return &FullError{text + ". Nothing is damaged. Free some space (`repro ls` shows what takes it, `repro clean` " +
		"removes it) or move the store with --store DIR", err}
}
