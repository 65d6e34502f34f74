package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"contextmover/experiments/harness/pipeline"
)

// What the system does not let happen is no fault of the data, however the error is marked on its way.
func TestExitCode(t *testing.T) {
	_, missing := os.Open(filepath.Join(t.TempDir(), "missing"))
	of := func(errno error) error {
		return fmt.Errorf("corpus: %w", &fs.PathError{Op: "read", Path: "text", Err: errno})
	}
	for _, c := range []struct {
		err  error
		want int
	}{
		{BadData(missing), ExitData},
		{BadData(of(syscall.EISDIR)), ExitData},
		{BadData(of(syscall.EACCES)), ExitData},
		{BadData(of(syscall.EMFILE)), ExitFailed},
		{BadData(of(syscall.ENFILE)), ExitFailed},
		{BadData(of(syscall.EFBIG)), ExitFailed},
		{BadData(of(syscall.EIO)), ExitFailed},
		{pipeline.DataError(of(syscall.EMFILE)), ExitFailed},
		{pipeline.DataError(of(syscall.ENOSPC)), ExitFailed},
		{pipeline.DataError(errors.New("text:1: no word")), ExitData},
		{pipeline.DataError(of(context.Canceled)), ExitInterrupted},
		{BadUsage("--n=0"), ExitUsage},
		{errors.New("else"), ExitFailed},
	} {
		if got := ExitCode(c.err); got != c.want {
			t.Errorf("%v: exit code %d, want %d", c.err, got, c.want)
		}
	}
}
