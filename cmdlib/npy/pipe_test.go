//go:build unix

package npy

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"contextmover/internal/bounded"
)

// pipe returns the name of a pipe into which begin is written, then nothing, or zeros without end
// until nobody reads any more; written is how many bytes went in.
func pipe(t *testing.T, begin []byte, endless bool) (name string, written func() int) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "a.npy")
	if err := syscall.Mkfifo(name, 0o666); err != nil {
		t.Skip("no pipes here:", err)
	}
	all := make(chan int, 1)
	go func() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			t.Error(err)
			all <- 0
			return
		}
		defer f.Close()
		n, err := f.Write(begin)
		for zeros := make([]byte, 1<<12); endless && err == nil; {
			var more int
			more, err = f.Write(zeros)
			n += more
		}
		if err != nil && !errors.Is(err, syscall.EPIPE) {
			t.Error(err)
		}
		all <- n
	}()
	return name, func() int { return <-all }
}

func TestPipe(t *testing.T) {
	head := formatHeader("<f4", []int{3})
	whole := append(slices.Clone(head), 0, 0, 0, 0, 0, 0, 128, 63, 0, 0, 0, 64) // 0, 1, 2
	name, written := pipe(t, whole, false)
	if _, data, err := Read[float32](name); err != nil || !slices.Equal(data, []float32{0, 1, 2}) {
		t.Error(data, err)
	}
	if n := written(); n != len(whole) {
		t.Errorf("%d of %d bytes written", n, len(whole))
	}

	name, written = pipe(t, whole[:len(whole)-1], false)
	if _, _, err := ReadFloats[float32](name); err == nil || !strings.Contains(err.Error(), "ends 1 bytes before") {
		t.Error(err)
	}
	written()
}

func TestPipeWithoutEnd(t *testing.T) {
	name, written := pipe(t, formatHeader("<f8", []int{2, 3}), true)
	_, _, err := ReadFloats[float32](name)
	if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "goes on behind the 48 bytes of the shape (2, 3)") {
		t.Error(err)
	}
	// The reader's buffer and the pipe's.
	if n := written(); n > 1<<20 {
		t.Errorf("%d bytes written before anybody minded", n)
	}
}

func TestPipeOfMoreThanMemory(t *testing.T) {
	if bounded.Allocate(1<<52) == nil {
		t.Skip("the system does not tell how much memory is free")
	}
	head := formatHeader("<f4", []int{1 << 25, 1 << 25})
	for what, read := range map[string]func(string) error{
		"Read":       func(name string) error { _, _, err := Read[float32](name); return err },
		"ReadFloats": func(name string) error { _, _, err := ReadFloats[float32](name); return err },
	} {
		name, written := pipe(t, head, true)
		if err := read(name); !errors.Is(err, bounded.ErrTooLarge) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", what, err)
		}
		if n := written(); n > 1<<20 {
			t.Errorf("%s: %d bytes written before anybody minded", what, n)
		}
	}
}
