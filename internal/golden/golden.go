// Package golden holds the bits of results against those that a file has, whatever processor made either.
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
	if *update {
		if err := disk.WriteFile(path, []byte(b.text.String())); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	wanted, got := strings.Split(string(want), "\n"), strings.Split(b.text.String(), "\n")
	if len(wanted) != len(got) {
		t.Fatalf("%d digests, %s has %d", len(got)-1, path, len(wanted)-1)
	}
	for i, line := range got {
		if line != wanted[i] {
			t.Errorf("bits %s, %s has %s", line, path, wanted[i])
		}
	}
}
