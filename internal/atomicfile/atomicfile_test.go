package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"contextmover/internal/disk"
)

func text(s string) func(w *bufio.Writer) error {
	return func(w *bufio.Writer) error {
		_, err := w.WriteString(s)
		return err
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	long := strings.Repeat("0123456789", 100_000) // several buffers
	for _, want := range []string{"first", long, ""} {
		if err := Write(path, text(want)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Fatalf("%d bytes, %v, want %d", len(got), err, len(want))
		}
	}

	// Whatever fails: the old file stays, nothing else does, and the error names the file.
	if err := Write(path, text("old")); err != nil {
		t.Fatal(err)
	}
	mine := errors.New("mine")
	err := Write(path, func(w *bufio.Writer) error {
		return errors.Join(text(long)(w), mine)
	})
	if !errors.Is(err, mine) || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "old" {
		t.Errorf("after an error %q", got)
	}
	nowhere := filepath.Join(dir, "no", "file")
	if err := Write(nowhere, text("")); !errors.Is(err, fs.ErrNotExist) || err.Error() != "writing "+nowhere+": no such file or directory" {
		t.Error(err)
	}
	folder := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(folder, "full"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Write(folder, text("")); err == nil || !strings.Contains(err.Error(), folder) {
		t.Error(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("%v, %v, want the file and the folder", entries, err)
	}
}

// The file's contents are on the disk before it has its name,
// and the name before Write returns. A new folder's name, too.
func TestWriteIsSynced(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: folders are not synced here")
	}
	dir := t.TempDir()
	folder := filepath.Join(dir, "new", "newer")
	path := filepath.Join(folder, "file")
	var got []string
	restore := disk.Inject(func(op disk.Op, at string) error {
		if name, _ := filepath.Rel(dir, at); at == path || !strings.HasPrefix(filepath.Base(at), ".") {
			got = append(got, string(op)+" "+filepath.ToSlash(name))
		} else {
			got = append(got, string(op))
		}
		return nil
	})
	err := errors.Join(disk.MkdirAll(folder), Write(path, text("content")))
	restore()
	want := "create new/newer, sync new, sync ., create, write, sync, rename new/newer/file, sync new/newer"
	if err != nil || strings.Join(got, ", ") != want {
		t.Errorf("%v: %s, want %s", err, strings.Join(got, ", "), want)
	}
	// Where the folder cannot be synced the file is there, and the error says that it may not last.
	restore = disk.Inject(func(op disk.Op, at string) error {
		if op == disk.OpSync && at == folder {
			return fs.ErrInvalid
		}
		return nil
	})
	err = Write(path, text("newer content"))
	restore()
	if !errors.Is(err, fs.ErrInvalid) || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "newer content" {
		t.Errorf("%q", got)
	}
}

func TestDiskFull(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	path := filepath.Join(t.TempDir(), "file")
	err = Write(path, func(*bufio.Writer) error {
		_, err := full.WriteString("x") // an error as the disk gives it
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "/dev/full") {
		t.Errorf("%v: names neither file", err)
	}
}

// A process that is killed while it writes leaves the old file, and what else it leaves is
// removed by the next writer, not by one that writes while it lives.
func TestKilledWriter(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: nothing can be locked here")
	}
	const variable = "WHOLEFILE_TEST_PATH"
	if path := os.Getenv(variable); path != "" {
		t.Fatal(Write(path, func(w *bufio.Writer) error {
			err := errors.Join(text("half")(w), w.Flush())
			fmt.Println("writing")
			time.Sleep(time.Minute)
			return err
		}))
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	count := func(want int) {
		t.Helper()
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != want {
			t.Errorf("%v, %v, want %d", entries, err, want)
		}
	}
	if err := WriteBytes(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	child := exec.Command(self, "-test.run=^TestKilledWriter$")
	child.Env = append(os.Environ(), variable+"="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "writing\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	count(2)
	if err := WriteBytes(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	count(2)
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // killed
	if got, err := os.ReadFile(path); err != nil || string(got) != "new" {
		t.Errorf("%q, %v", got, err)
	}
	count(2)
	if err := WriteBytes(path, []byte("newer")); err != nil {
		t.Fatal(err)
	}
	count(1)
}
