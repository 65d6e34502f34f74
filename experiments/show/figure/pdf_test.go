package figure

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/text/encoding/charmap"
)

// font.json is what fpdf says of the font that PDF files embed; -update writes it anew.
func TestFontMetrics(t *testing.T) {
	dir := t.TempDir()
	var ttf, encoding bytes.Buffer
	if _, err := asciiFont().WriteSourceTo(nil, &ttf); err != nil {
		t.Fatal(err)
	}
	for code := range 256 {
		if r := charmap.Windows1252.DecodeByte(byte(code)); code >= ' ' && r != 0xfffd {
			fmt.Fprintf(&encoding, "!%02X U+%04X u%04X\n", code, r, r)
		}
	}
	for name, content := range map[string][]byte{"font.ttf": ttf.Bytes(), "cp1252.map": encoding.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := fpdf.MakeFont(filepath.Join(dir, "font.ttf"), filepath.Join(dir, "cp1252.map"), dir, nil, true); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(dir, "font.json"))
	if err != nil {
		t.Fatal(err)
	}
	// PDF wants a tag of six letters before the name of a font that lacks glyphs [PDF 1.7, 9.6.4].
	want = bytes.Replace(want, []byte(`"Name":"`), []byte(`"Name":"ASCIIA+`), 1)
	if *update {
		if err := os.WriteFile("font.json", want, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(pdfFont, want) {
		t.Errorf("font.json is\n%s\nwant\n%s", pdfFont, want)
	}
}

// Figures need no temporary files.
func TestNoTemporaryFiles(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "nonexistent"))
	for _, f := range examples(t) {
		for _, draw := range formats {
			if len(render(t, draw, f)) == 0 {
				t.Errorf("%s is empty", f.ID)
			}
		}
	}
}
