package figure

import (
	"bytes"
	"encoding/binary"
	"image/png"
	"path/filepath"
	"testing"
)

// Figures need no temporary files.
func TestNoTemporaryFiles(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "nonexistent"))
	for _, f := range examples(t) {
		for _, draw := range Formats {
			if len(render(t, draw, f)) == 0 {
				t.Errorf("%s is empty", f.ID)
			}
		}
	}
}

// A PNG file has the pixels and says the resolution that journals ask for.
func TestResolution(t *testing.T) {
	f := examples(t)[3]
	f.Resize(144)
	if f.Height != 150*144./180 {
		t.Errorf("%g points high", f.Height)
	}
	file := render(t, PNG, f)
	picture, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if w := picture.Bounds().Dx(); w != 2*DPI {
		t.Errorf("%d pixels for 2 inches, want %d", w, 2*DPI)
	}
	at := bytes.Index(file, []byte("pHYs"))
	if at < 0 {
		t.Fatal("no resolution")
	}
	if got := float64(binary.BigEndian.Uint32(file[at+4:])) * 0.0254; got < DPI-0.02 || got > DPI+0.02 || file[at+12] != 1 {
		t.Errorf("%g dots per inch, want %d", got, DPI)
	}
}
