package corpus

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestWriteExcerpt(t *testing.T) {
	var content strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&content, "line %d of this text %s\n", i, strings.Repeat("x", i%17))
	}
	whole := content.String()
	known := map[string]bool{}
	for line := range strings.Lines(whole) {
		known[line] = true
	}
	for _, kind := range []string{"plain", "gzip", "zstd"} {
		path := write(t, "text", compressed(t, kind, whole))
		for _, limit := range []int64{1000, 100_000, 1 << 30} {
			var b bytes.Buffer
			written, total, err := WriteExcerpt(&b, Text{Files: []string{path, path}}, limit)
			if err != nil || written != int64(b.Len()) {
				t.Fatalf("%s: %d of %d bytes, %v", kind, written, b.Len(), err)
			}
			if math.Abs(float64(total)/float64(2*len(whole))-1) > 0.01 {
				t.Errorf("%s: %d bytes in all, expected about %d", kind, total, 2*len(whole))
			}
			if limit > total && (b.String() != whole+whole || written != total) {
				t.Errorf("%s: the excerpt of %d of %d bytes is not the text", kind, written, total)
			}
			if limit < total && (written < limit || written > limit+limit/2+1000) {
				t.Errorf("%s: %d bytes, expected about %d", kind, written, limit)
			}
			for line := range strings.Lines(b.String()) {
				if !known[line] {
					t.Fatalf("%s: %q is no line of the text", kind, line)
				}
			}
			if kind == "plain" && limit == 100_000 && !strings.Contains(b.String(), "line 29") {
				t.Error("nothing from the end of the file")
			}
		}
	}
	// More files than are looked at.
	files := make([]string, 40)
	for i := range files {
		files[i] = write(t, "text", compressed(t, []string{"gzip", "plain"}[i%2], whole))
	}
	var many bytes.Buffer
	if n, total, err := WriteExcerpt(&many, Text{Files: files}, 100_000); err != nil || n > 200_000 || math.Abs(float64(total)/float64(40*len(whole))-1) > 0.01 {
		t.Errorf("%d of %d bytes, %v; expected about %d", n, total, err, 40*len(whole))
	}
	// A single long line.
	var b bytes.Buffer
	long := strings.Repeat("word ", 1_000_000)
	if n, total, err := WriteExcerpt(&b, Text{Files: []string{write(t, "long", long)}}, 500_000); err != nil || n < 100_000 || n > 1_500_000 || total != int64(len(long)) {
		t.Errorf("%d of %d bytes of one line, %v", n, total, err)
	}
	for word := range strings.FieldsSeq(b.String()) {
		if word != "word" && len(word) > 4 {
			t.Fatalf("word %q", word)
		}
	}
	if _, _, err := WriteExcerpt(&b, Text{Files: []string{t.TempDir()}}, 1); err == nil {
		t.Error("no error for a folder")
	}
}
