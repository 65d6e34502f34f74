package store

import (
	"errors"
	"fmt"
	"syscall"
)

// FullError says that the disk is full, and how to go on.
type FullError struct{ error }

// Unwrap returns an error that is the system's.
func (e *FullError) Unwrap() error { return e.error }

// explain turns the system's word for a full disk or quota, met in the making of a stage, into a FullError.
func (s *Store) explain(err error, stage Stage) error {
	var full *FullError
	if errors.As(err, &full) || !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT) {
		return err
	}
	return &FullError{fmt.Errorf("store: the disk of %s is full: making %s needs more. Nothing is damaged. Free some "+
		"space (`repro ls` shows what takes it, `repro clean` removes it) or move the store with --store DIR: %w",
		s.dir, stage.Name, err)}
}
