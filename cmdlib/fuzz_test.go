package cmdlib

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contextmover/cmdlib/ot/reference"
)

// Whatever space.json and vocab.txt say, opening a space neither panics nor takes more memory than its files justify,
// and what is open has the sizes that are promised.
func FuzzOpen(f *testing.F) {
	dir := filepath.Join(f.TempDir(), "space")
	if err := Write(f.Context(), dir, contents(f, 8, 3, 2)); err != nil {
		f.Fatal(err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			f.Fatal(err)
		}
		return string(text)
	}
	manifest, words := read(manifestFile), read(vocabularyFile)
	sum := func(text string) string {
		s := sha256.Sum256([]byte(text))
		return hex.EncodeToString(s[:])
	}
	of := sum(words)
	f.Add(manifest, words)
	// Without a checksum of its own, what else is in it is looked at.
	if at := strings.Index(manifest, ",\n  \"checksum\""); at > 0 {
		manifest = manifest[:at] + "\n}\n"
	} else {
		f.Fatal("space.json has no checksum at its end")
	}
	f.Add(manifest, words)
	f.Add(manifest, "a 1\n")
	f.Add(strings.Replace(manifest, `"words": 8`, `"words": 9223372036854775807`, 1), words)
	f.Add(strings.Replace(manifest, `"bins": 3`, `"bins": -3`, 1), words)
	f.Add("{}", "")
	f.Fuzz(func(t *testing.T, manifest, words string) {
		manifest = strings.ReplaceAll(manifest, of, sum(words)) // else other words are damage, and no more
		for name, text := range map[string]string{manifestFile: manifest, vocabularyFile: words} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		verified := Verify(t.Context(), dir)
		s, err := Open(dir, reference.New())
		if err != nil {
			if !strings.HasPrefix(err.Error(), "cmdlib: ") && !strings.HasPrefix(err.Error(), "npy: ") {
				t.Fatalf("error %q", err)
			}
			return
		}
		defer s.Close()
		n, k := len(s.Words), s.Cost.K
		if n == 0 || len(s.Counts) != n || len(decoded(t, s).Data) != n*k || len(s.Vectors) != n*s.Dim || len(s.Centroids) != k*s.Dim || len(s.Cost.Data) != k*k {
			t.Fatalf("%d words, %d counts, %d bins, %d dimensions (verified: %v)", n, len(s.Counts), k, s.Dim, verified)
		}
		for i, w := range s.Words {
			if id, ok := s.ID(w); !ok || int(id) != i {
				t.Fatalf("word %d, %q, is found at %d, %t", i, w, id, ok)
			}
		}
		s.Similar("wrod1", 3)
		s.Name(0, 2)
		s.Sources(0, 0)
	})
}
