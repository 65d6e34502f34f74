//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package dataset

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// trap makes a pipe that nobody is to open. Who does gets an end of file instead of waiting for ever, and is told of.
func trap(t *testing.T, path string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), unix.Mkfifo(path, 0o666)); err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for caught := false; ; {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
			// It opens only where somebody reads, or waits to.
			writer, err := unix.Open(path, unix.O_WRONLY|unix.O_NONBLOCK, 0)
			if err != nil {
				continue
			}
			var is unix.Stat_t
			err = unix.Fstat(writer, &is)
			unix.Close(writer)
			if err == nil && is.Mode&unix.S_IFMT != unix.S_IFIFO {
				return // it was replaced by a file
			}
			if !caught {
				t.Errorf("the pipe %s was opened", path)
			}
			caught = true
		}
	}()
	t.Cleanup(func() { close(stop); <-stopped })
}

// Nothing waits for what a pipe may bring: not a copy from one,
// not a look at one in the data folder, not a fetch to one.
func TestPipes(t *testing.T) {
	contents := known(t)
	words, _ := Lookup("words/w.txt")
	sentences, _ := Lookup("sts/STS.input.X.txt")
	from, dir := t.TempDir(), t.TempDir()
	trap(t, filepath.Join(from, "words", "w.txt"))
	trap(t, filepath.Join(from, "sts", "STS.input.X.txt"))
	f := &Fetcher{Dir: dir}
	if got, lacking, err := f.Copy(t.Context(), from, []File{sentences, words}); got != 0 || len(lacking) != 2 || err != nil {
		t.Errorf("%d files, %v, %v", got, lacking, err)
	}
	trap(t, filepath.Join(dir, "words", "w.txt"))
	if states, err := Verify(t.Context(), dir); err != nil || states[len(states)-1].Status != Damaged {
		t.Errorf("%v %v", states, err)
	}
	if _, err := Locate(dir, "words/w.txt"); !errors.Is(err, ErrData) || !strings.Contains(err.Error(), "is no regular file") {
		t.Error(err)
	}
	write(t, from, "elsewhere", contents["words/w.txt"])
	if got, _, err := f.Copy(t.Context(), from, []File{words}); got != 1 || err != nil {
		t.Errorf("%d files, %v", got, err)
	}
	s, dir := newRemote(t, 5000), t.TempDir()
	trap(t, filepath.Join(dir, "sets", "file.bin.part"))
	if err := s.fetch(t.Context(), dir); err != nil {
		t.Error(err)
	}
	s.whole(t, dir)
}
