package dataset

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestDefaultDir(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_DATA_HOME", home)
	if dir, err := DefaultDir(); dir != filepath.Join(home, "contextmover") || err != nil {
		t.Error(dir, err)
	}
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: what follows is about Linux")
	}
	t.Setenv("HOME", home)
	for _, unset := range []string{"", "relative"} { // which the specification of these variables says to ignore
		t.Setenv("XDG_DATA_HOME", unset)
		if dir, err := DefaultDir(); dir != filepath.Join(home, ".local", "share", "contextmover") || err != nil {
			t.Error(dir, err)
		}
	}
	t.Setenv("HOME", "")
	if dir, err := DefaultDir(); err == nil || !strings.Contains(err.Error(), "--data DIR") {
		t.Error(dir, err)
	}
}
