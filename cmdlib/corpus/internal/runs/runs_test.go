package runs

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMerge adds up runs of a few rows by hand, each alone, in two parts and both together.
func TestMerge(t *testing.T) {
	bounds := []int{0, 2, 2, 5}
	dir := t.TempDir()
	type entries map[[2]int]uint64
	write := func(name string, rows entries, first, end int) *Run {
		t.Helper()
		var b bytes.Buffer
		w, err := NewWriter(&b, Key{1}, bounds, first)
		if err != nil {
			t.Fatal(err)
		}
		for row := bounds[first]; row < bounds[end]; row++ {
			var columns []int32
			var sums []uint64
			for column := range 5 {
				if n := rows[[2]int{row, column}]; n > 0 {
					columns, sums = append(columns, int32(column)), append(sums, n)
				}
			}
			if columns != nil {
				if err := w.Row(row, AppendRow(nil, columns, sums)); err != nil {
					t.Fatal(err)
				}
			}
		}
		path := filepath.Join(dir, name)
		if err := errors.Join(w.Finish(end, Stats{1, 2, 3, 4}), os.WriteFile(path, b.Bytes(), 0o666)); err != nil {
			t.Fatal(err)
		}
		run, err := Open(path, Key{1})
		if err != nil {
			t.Fatal(err)
		}
		if run.Stats != (Stats{1, 2, 3, 4}) {
			t.Errorf("stats %v", run.Stats)
		}
		return run
	}
	a := entries{{0, 0}: 1, {0, 4}: math.MaxUint64 - 7, {1, 2}: 300, {4, 0}: 128}
	b := entries{{0, 4}: 7, {1, 1}: 5, {3, 3}: 127}
	both := entries{{0, 0}: 1, {0, 4}: math.MaxUint64, {1, 1}: 5, {1, 2}: 300, {3, 3}: 127, {4, 0}: 128}
	runA, runB := write("a", a, 0, 3), write("b", b, 0, 3)
	for name, c := range map[string]struct {
		runs []*Run
		want entries
	}{"a": {[]*Run{runA}, a}, "both": {[]*Run{runA, runB}, both}, "parts": {[]*Run{write("a1", a, 0, 1), write("a2", a, 1, 3), runB}, both}, "none": {nil, entries{}}} {
		got := entries{}
		var rows []int
		for part := range 3 {
			err := Merge(t.Context(), c.runs, bounds, part, NewAccumulator(5), func(row int, columns []int32, sums []uint64) error {
				rows = append(rows, row)
				for i, column := range columns {
					got[[2]int{row, int(column)}] = sums[i]
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" || !slices.IsSorted(rows) {
			t.Errorf("%s: rows %v: %s", name, rows, diff)
		}
	}
}

// With its checksums made right again, what is damaged gives an error or other counts, never a panic.
func FuzzRun(f *testing.F) {
	f.Add([]byte{0, 2, 0, 1, 1, 0x80, 2, 1, 1, 4, 3})
	f.Add([]byte{0, 1, 0, 0})
	f.Add([]byte{2, 5})
	dir := f.TempDir()
	bounds := []int{0, 3, 6}
	f.Fuzz(func(t *testing.T, section []byte) {
		path := filepath.Join(dir, fmt.Sprint(os.Getpid()))
		var b bytes.Buffer
		w, err := NewWriter(&b, Key{7}, bounds, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.write(section), w.Finish(2, Stats{}), os.WriteFile(path, b.Bytes(), 0o666)); err != nil {
			t.Fatal(err)
		}
		run, err := Open(path, Key{7})
		if err != nil {
			t.Fatal(err)
		}
		err = Merge(t.Context(), []*Run{run}, bounds, 0, NewAccumulator(6), func(row int, columns []int32, sums []uint64) error {
			if row < 0 || row >= 3 || len(columns) != len(sums) || !slices.IsSorted(columns) || slices.Contains(sums, 0) {
				t.Errorf("row %d: %v %v", row, columns, sums)
			}
			return nil
		})
		var damaged *DamagedError
		if err != nil && !errors.As(err, &damaged) {
			t.Errorf("error %v", err)
		}
	})
}
