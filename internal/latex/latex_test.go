package latex

import (
	"os"
	"path/filepath"
	"testing"
	"unicode"
)

// LaTeX stops at a sign that it does not know: escaped, the recorded tables have none but Latin letters, which it does.
func TestRecordedTables(t *testing.T) {
	files, err := filepath.Glob("../../tables/*/*.csv")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d tables, %v", len(files), err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range Escape(string(content)) {
			if r > unicode.MaxASCII && !unicode.Is(unicode.Latin, r) {
				t.Errorf("%s has %q (%U), which Escape has no replacement for", file, r, r)
			}
		}
	}
}
