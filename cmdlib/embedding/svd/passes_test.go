package svd

import (
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"contextmover/cmdlib/sparse"
	"contextmover/internal/scratch"
)

func onDisk(t *testing.T, m *sparse.Matrix[float32]) *sparse.Matrix[float32] {
	t.Helper()
	d := scratch.Beside(filepath.Join(t.TempDir(), "out"))
	t.Cleanup(func() { d.Close() })
	c, err := sparse.Make[float32](d, m.Rows, m.Cols, m.Start)
	if err != nil {
		t.Fatal(err)
	}
	copy(c.Index, m.Index)
	copy(c.Value, m.Value)
	return c
}

// The vectors of a matrix on disk, in passes over few entries at a time, are
// those of one in memory, to the last bit; its transposed copy takes no memory.
func TestPasses(t *testing.T) {
	m := randomMatrix(3000, 2500, 0.1, 21)
	p := Params{Dim: 30, Oversampling: 10, PowerIterations: 1, Exponent: 0.5, Seed: 3}
	allocated := func(m *sparse.Matrix[float32]) (*Result, int) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := compute(t, m, p)
		runtime.ReadMemStats(&after)
		return r, int(after.TotalAlloc - before.TotalAlloc)
	}
	want, memory := allocated(m)
	disk := onDisk(t, m)
	got, little := allocated(disk)
	if scratch.Maps && memory-little < 8*m.NonZeros()*9/10 {
		t.Errorf("%d bytes in memory, %d with a matrix of %d entries on disk", memory, little, m.NonZeros())
	}
	same := func(what string, got *Result) {
		t.Helper()
		if !slices.Equal(got.Vectors, want.Vectors) || !slices.Equal(got.Values, want.Values) {
			t.Errorf("%s: other bits", what)
		}
	}
	same("on disk", got)
	defer func(group, placed int64) { groupEntries, placedEntries = group, placed }(groupEntries, placedEntries)
	groupEntries, placedEntries = 1, 1000 // 16 entries a column make groups of 160 rows
	same("few entries at a time, on disk", compute(t, disk, p))
	same("few entries at a time, in memory", compute(t, m, p))
	placedEntries = 1
	same("a column at a time", compute(t, disk, p))
}

func TestUpTo(t *testing.T) {
	start := []int64{0, 3, 3, 10, 11, 12}
	for _, c := range []struct {
		lo      int
		entries int64
		want    int
	}{{0, 3, 2}, {0, 2, 1}, {0, 100, 5}, {2, 1, 3}, {2, 7, 3}, {2, 8, 4}, {1, 6, 2}, {4, 1, 5}} {
		if got := upTo(start, c.lo, c.entries); got != c.want {
			t.Errorf("from %d, %d entries: up to %d, want %d", c.lo, c.entries, got, c.want)
		}
	}
}
