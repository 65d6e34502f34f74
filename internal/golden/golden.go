// Package golden holds a text against that of a file, such as the bits of results, whatever processor made either.
package golden

import (
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"contextmover/internal/disk"
)

var update = flag.Bool("update", false, "write the golden files in testdata")

// Bits collects digests of results.
type Bits struct{ text strings.Builder }

// Add adds numbers, a slice of float32 or float64 or whatever encoding/binary writes, under a name.
func (b *Bits) Add(t *testing.T, name string, numbers any) {
	t.Helper()
	h := sha256.New()
	if err := binary.Write(h, binary.LittleEndian, numbers); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&b.text, "%s %x\n", name, h.Sum(nil)[:8])
}

// Check fails where the digests differ from those of a file; with -update it writes the file.
func (b *Bits) Check(t *testing.T, path string) {
	t.Helper()
	Check(t, path, b.text.String())
}

// Check fails where the lines of a text differ from those of a file; with -update it writes the file.
func Check(t *testing.T, path, text string) {
	t.Helper()
	if *update {
		if err := disk.WriteFile(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	wanted, got := strings.Split(string(want), "\n"), strings.Split(text, "\n")
	if len(wanted) != len(got) {
		t.Errorf("%d lines, %s has %d", len(got)-1, path, len(wanted)-1)
	}
	for i := range min(len(got), len(wanted)) {
		if got[i] != wanted[i] {
			t.Errorf("%s, %s has %s", got[i], path, wanted[i])
		}
	}
}
