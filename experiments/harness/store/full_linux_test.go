package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A disk that fills up at any moment, the store's own writing included, leaves the
// artefacts that are there as they are.
func TestSmallDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("SKIPPED: no small disk can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		// Whoever looks at all disks at this moment would keep it busy.
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	s := open(t, filepath.Join(disk, "store"))
	var b builder
	get(t, s, &b)

	failed := 0
	for pages := 230; pages <= 256; pages++ {
		filling := Stage{Name: "filling", Version: 1, Params: pages}
		_, err := s.Get(background, filling, func(_ context.Context, dir string) error {
			return os.WriteFile(filepath.Join(dir, "x"), make([]byte, pages*4096), 0o666)
		})
		var full *FullError
		switch {
		case err == nil:
			if err := remove(s, filling.Key()); err != nil {
				t.Fatal(err)
			}
		case errors.As(err, &full):
			failed++
		default:
			t.Errorf("%d pages: %v", pages, err)
		}
		if s.Has(filling) {
			t.Errorf("%d pages: half an artefact", pages)
		}
		noLeftovers(t, s)
	}
	if failed == 0 || failed == 27 {
		t.Errorf("%d of 27 sizes failed: none of the limits was met", failed)
	}
	get(t, open(t, s.dir), &b)
	if b.runs.Load() != 1 {
		t.Error("an artefact was lost")
	}
}
