// Package checkpoint is work in steps that go on after a kill: each makes something
// that is there whole or not at all, and under a key of all that it was made from.
// What is there and sound is not made again; what is damaged is told, and made again.
package checkpoint

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
)

// Key names what a step makes: a hash of all that it was made from. What has another key is not taken for it.
type Key [sha256.Size]byte

// KeyOf returns the SHA-256 of what fmt.Sprintf writes.
func KeyOf(format string, args ...any) Key { return sha256.Sum256(fmt.Appendf(nil, format, args...)) }

// DamagedError is the error of a file that is not what was written, or not what is looked for, so it must be made
// again.
type DamagedError struct {
	Path string
	What string
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s: %s; make it again", e.Path, e.What)
}

// Warn tells the log of a file that is made again.
func Warn(d *DamagedError) { slog.Warn("damaged, and rebuilt", "file", d.Path, "what", d.What) }

// NotYetError is the error of a step that needs what other steps have not made yet.
type NotYetError struct {
	Step    string // that has to be done
	Missing int    // so many files
	First   string // the first of them
}

func (e *NotYetError) Error() string {
	return fmt.Sprintf("%s is not there yet, one of %d that %s has to make first", e.First, e.Missing, e.Step)
}

// Need returns a *NotYetError if some of the paths, which the named step makes, are not there.
func Need(step string, paths []string) error {
	absent := slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	})
	if len(absent) == 0 {
		return nil
	}
	return &NotYetError{step, len(absent), absent[0]}
}

// Step makes a T, unless it is there.
type Step[T any] struct {
	// Open returns what has been made. The error is fs.ErrNotExist where
	// nothing is there, and a *DamagedError where something else is.
	Open func(context.Context) (T, error)
	// Make makes it, whole or not at all. A *DamagedError names a file that it reads.
	Make func(context.Context) (T, error)
	// Remake makes such a file again, or returns the error that it is
	// given, for a file that it does not know. Without it none is.
	Remake func(context.Context, *DamagedError) error
	// Tell is told what is damaged and is made again.
	Tell func(*DamagedError)
}

// Get returns what the step makes, and whether it had to make it. What Make finds damaged is made again, each file
// once.
func (s Step[T]) Get(ctx context.Context) (there T, made bool, err error) {
	there, err = s.Open(ctx)
	var damaged *DamagedError
	if errors.As(err, &damaged) {
		s.Tell(damaged)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return there, false, err
	}
	for mended := map[string]bool{}; ; {
		there, err = s.Make(ctx)
		if err == nil || s.Remake == nil || !errors.As(err, &damaged) || mended[damaged.Path] {
			return there, err == nil, err
		}
		mended[damaged.Path] = true
		if err := s.Remake(ctx, damaged); err != nil {
			return there, false, err
		}
	}
}

// ByNumber makes what a number stands for, unless it is there, and returns whether it had to.
type ByNumber func(ctx context.Context, number int, progress func(done, total int64)) (made bool, err error)

// Do is Get of a step whose product nobody wants.
func (s Step[T]) Do(ctx context.Context) (made bool, err error) {
	_, made, err = s.Get(ctx)
	return made, err
}
