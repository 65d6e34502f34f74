package scratch

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"contextmover/internal/disk"
)

// An array on disk holds what is written to it, takes no memory of
// the program's own, and has no name that could be left behind.
func TestMake(t *testing.T) {
	if !Maps {
		t.Skip("SKIPPED: this system maps no files here")
	}
	dir := t.TempDir()
	d := Beside(filepath.Join(dir, "out"))
	const n = 1 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	x, err := Make[float64](d, n)
	if err != nil {
		t.Fatal(err)
	}
	y, err := Make[int32](d, 3)
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > n {
		t.Errorf("%d numbers on disk take %d bytes of memory", n, took)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
	for i := range x {
		if x[i] != 0 {
			t.Fatalf("number %d is %v, want 0", i, x[i])
		}
		x[i] = float64(i)
	}
	y[2] = 7
	for i := range x {
		if x[i] != float64(i) {
			t.Fatalf("number %d is %v", i, x[i])
		}
	}
	Free(d, x)
	if y[2] != 7 {
		t.Error("freeing one array has changed another")
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("half an array was freed")
			}
		}()
		Free(d, y[1:])
	}()
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if len(d.mapped) != 0 {
		t.Errorf("%d arrays are left", len(d.mapped))
	}
}

func TestMemory(t *testing.T) {
	x, err := Make[int32](nil, 5)
	if err != nil || len(x) != 5 {
		t.Fatal(x, err)
	}
	Free(nil, x)
	if err := (*Disk)(nil).Close(); err != nil {
		t.Error(err)
	}
	if empty, err := Make[int32](Beside(filepath.Join(t.TempDir(), "out")), 0); err != nil || len(empty) != 0 {
		t.Error(empty, err)
	}
}

// A disk without room is an error, before anything is written to the array, and leaves nothing.
func TestFullDisk(t *testing.T) {
	if !Maps {
		t.Skip("SKIPPED: this system maps no files here")
	}
	dir := t.TempDir()
	defer disk.Inject(func(op disk.Op, _ string) error {
		if op == disk.OpWrite {
			return syscall.ENOSPC
		}
		return nil
	})()
	if _, err := Make[byte](Beside(filepath.Join(dir, "out")), 10); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
	if _, err := Make[byte](Beside(filepath.Join(dir, "absent", "out")), 10); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}
