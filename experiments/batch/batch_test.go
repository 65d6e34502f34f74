package batch

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contextmover/cmdlib/english"
	"contextmover/cmdlib/ot/cpu"
)

// Blocks of a few pairs are made in any order, by several makers, once; a damaged one and one of other pairs are made anew; the file has what all give.
func TestBatch(t *testing.T) {
	space, err := english.Open(cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	defer space.Close()
	before := pairsInBlock
	defer func() { pairsInBlock = before }()
	dir := t.TempDir()
	file := filepath.Join(dir, "pairs.tsv")
	lines := []string{"lion\ttiger", "a lion sleeps\tthe tiger eats", "xqzzy\tlion", "house\tlion", "lion\ttiger", "the house\tof the lion", "the house\thouse"}
	write := func() {
		t.Helper()
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write()
	open := func(out string) *Distances {
		t.Helper()
		b, err := NewDistances(space, file, filepath.Join(dir, out))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	makes := func(b *Distances, number int, want bool) {
		t.Helper()
		if made, err := b.Make(t.Context(), number); err != nil || made != want {
			t.Errorf("block %d: made %t, want %t, %v", number, made, want, err)
		}
	}
	result := func(b *Distances) string {
		t.Helper()
		if err := b.Join(t.Context()); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(filepath.Join(b.dir, Name))
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	whole := open("whole")
	makes(whole, 0, true)
	want := result(whole)
	if got := strings.Split(want, "\n"); len(got) != len(lines)+1 || got[2] != unknownDistance || got[0] == unknownDistance || got[0] != got[4] || got[0] == got[3] {
		t.Fatalf("distances %q", got)
	}
	pairsInBlock = 3
	b := open("blocks")
	if b.Blocks() != 3 {
		t.Fatalf("%d blocks", b.Blocks())
	}
	makes(b, 2, true)
	makes(b, 0, true)
	if err := b.Join(t.Context()); !os.IsNotExist(err) {
		t.Errorf("joined without a block: %v", err)
	}
	makes(open("blocks"), 1, true)
	makes(b, 0, false)
	if got := result(b); got != want {
		t.Errorf("in blocks %q, want %q", got, want)
	}
	content, err := os.ReadFile(b.path(1))
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)-3] ^= 1
	if err := os.WriteFile(b.path(1), content, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := b.Join(t.Context()); err == nil {
		t.Error("joined a damaged block")
	}
	makes(b, 1, true)
	if got := result(b); got != want {
		t.Errorf("mended %q, want %q", got, want)
	}
	// Another pair, or another λ, is another block.
	lines[6] = "lion\ttiger"
	write()
	changed := open("blocks")
	makes(changed, 0, false)
	makes(changed, 2, true)
	space.Settings.Transport.Reg *= 2
	makes(open("blocks"), 0, true)
	if _, err := NewDistances(space, filepath.Join(dir, "absent"), dir); err == nil || !strings.Contains(err.Error(), "absent") {
		t.Errorf("%v, want %v", err, fs.ErrNotExist)
	}
}
