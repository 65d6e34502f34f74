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

// What the fonts of LaTeX would join to another sign stays as it is.
func TestEscapeLigatures(t *testing.T) {
	for text, want := range map[string]string{
		"glove--300":    "glove-{}-{}300",
		"a---b -c":      "a-{}-{}-b -c",
		"``x''":         `\textasciigrave{}\textasciigrave{}x'{}'{}`,
		"?`!`":          `?\textasciigrave{}!\textasciigrave{}`,
		"a,,b, c":       "a,{},{}b, c",
		"don't 1–2 “q”": "don't 1--2 ``q''",
	} {
		if got := Escape(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
