package create

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"contextmover/cmdlib/corpus"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/printable"
	"contextmover/internal/scratch"
	"contextmover/internal/system"
)

// counted is what there is to read: counts in a file.
type counted struct {
	words *corpus.Vocabulary
	pairs int64 // of words
	path  string
}

// openCounts finds the counts in a folder.
func openCounts(dir string) (counted, error) {
	c := counted{path: filepath.Join(dir, countsName)}
	info, err := os.Stat(c.path)
	if err != nil {
		return c, cli.BadData(err)
	}
	c.pairs = info.Size() / 16
	if c.words, err = corpus.ReadVocabulary(filepath.Join(dir, vocabularyName)); err != nil {
		return c, cli.BadData(err)
	}
	return c, nil
}

// read reads the counts, onto disk unless it is nil.
func (c counted) read(ctx context.Context, disk *scratch.Disk) (*corpus.Counts, error) {
	return corpus.ReadCooccurrences(ctx, c.path, c.words.Len(), disk)
}

// takes is what a step takes, in bytes, by predictions that are right within a factor of two or so: memory if all
// is in it; passes if what grows with the number of counts is on disk, and read in passes; and then the disk.
type takes struct{ memory, passes, disk int64 }

// newTakes adds up what the arrays of a step take: base whatever happens, counts
// in memory or on disk, and of these read what should be in memory at a time.
func newTakes(base, counts, read int64) takes {
	// with the program, and garbage that is not collected yet
	all := func(bytes int64) int64 { return 3e7 + int64(1.2*float64(bytes)) }
	return takes{memory: all(base + counts), passes: all(base) + min(read, counts), disk: counts}
}

// place returns where what grows with the counts is to be, and says so: in memory
// where there is room, or on the disk of out. Limit is the room in memory, 0 for
// what is free. It is an error if not even passes have room, or the disk has none.
func (t takes) place(
	limit int64, out string, free func() (int64, bool), diskFree func(dir string) (int64, bool),
) (*scratch.Disk, error) {
	there, ok := limit, true
	if limit == 0 {
		there, ok = free()
	}
	switch {
	case !ok || t.memory <= there:
		slog.Info("takes, within a factor of two or so", "memory", printable.Bytes(t.memory))
		return nil, nil
	case !scratch.Maps:
		return nil, affordable(t.memory, func() (int64, bool) { return there, ok })
	case t.passes/2 > there:
		return nil, fmt.Errorf("this takes about %s of memory, or %s if all counts are left on disk, and %s are "+
			"free: take a smaller --dim, count with a larger --min-count, or use a machine with more",
			printable.Bytes(t.memory), printable.Bytes(t.passes), printable.Bytes(there))
	case t.passes > there:
		slog.Warn("this may take more memory than is free, even in passes",
			"memory", printable.Bytes(t.passes), "free", printable.Bytes(there))
	}
	if room, ok := diskFree(filepath.Dir(filepath.Clean(out))); ok && room < t.disk {
		return nil, fmt.Errorf("this takes about %s of memory, or %s and %s of disk next to %s, of which %s are free: "+
			"make room there, or choose another --out",
			printable.Bytes(t.memory), printable.Bytes(t.passes), printable.Bytes(t.disk), out, printable.Bytes(room))
	}
	slog.Info("takes, within a factor of two or so, in passes over the disk: in memory there is no room",
		"memory", printable.Bytes(t.passes), "disk", printable.Bytes(t.disk),
		"without_passes", printable.Bytes(t.memory))
	return scratch.Beside(filepath.Clean(out)), nil
}

// here is place on this machine.
func (t takes) here(limit ByteSize, out string) (*scratch.Disk, error) {
	return t.place(int64(limit), out, system.FreeMemory, system.DiskFree)
}
