package create

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/corpus/job"
	"contextmover/cmdlib/scratch"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/system"
)

// counted is what there is to read: counts in a file, or in the merged parts of a job.
type counted struct {
	words *corpus.Vocabulary
	pairs int64 // of words, about
	read  func(context.Context, *scratch.Disk) (*corpus.Counts, error)
}

// openCounts opens the counts in a folder, or those of a job.
func openCounts(ctx context.Context, dir string) (counted, error) {
	switch j, err := job.Open(dir); {
	case err == nil:
		return ofJob(ctx, j)
	case !errors.Is(err, fs.ErrNotExist):
		return counted{}, cli.BadData(err)
	}
	path := filepath.Join(dir, countsName)
	v, err := corpus.ReadVocabulary(filepath.Join(dir, vocabularyName))
	if err != nil {
		return counted{}, cli.BadData(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return counted{}, cli.BadData(err)
	}
	return counted{v, info.Size() / 16, func(ctx context.Context, d *scratch.Disk) (*corpus.Counts, error) {
		return corpus.ReadCooccurrences(ctx, path, v.Len(), d)
	}}, nil
}

func ofJob(ctx context.Context, j *job.Job) (counted, error) {
	c, err := j.Counter(ctx, 0)
	if err != nil {
		return counted{}, cli.BadData(err)
	}
	pairs, err := c.Size(ctx)
	if err != nil {
		return counted{}, cli.BadData(err)
	}
	return counted{c.Words.Vocabulary, pairs, c.Matrix}, nil
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
		slog.Info("takes, within a factor of two or so", "memory", cli.Size(t.memory))
		return nil, nil
	case !scratch.Maps:
		return nil, affordable(t.memory, func() (int64, bool) { return there, ok })
	case t.passes/2 > there:
		return nil, fmt.Errorf("this takes about %s of memory, or %s if all counts are left on disk, and %s are "+
			"free: take a smaller --dim, count with a larger --min-count, or use a machine with more",
			cli.Size(t.memory), cli.Size(t.passes), cli.Size(there))
	case t.passes > there:
		slog.Warn("this may take more memory than is free, even in passes",
			"memory", cli.Size(t.passes), "free", cli.Size(there))
	}
	if room, ok := diskFree(filepath.Dir(filepath.Clean(out))); ok && room < t.disk {
		return nil, fmt.Errorf("this takes about %s of memory, or %s and %s of disk beside %s, of which %s are free: "+
			"make room there, or choose another --out",
			cli.Size(t.memory), cli.Size(t.passes), cli.Size(t.disk), out, cli.Size(room))
	}
	slog.Info("takes, within a factor of two or so, in passes over the disk: in memory there is no room",
		"memory", cli.Size(t.passes), "disk", cli.Size(t.disk),
		"without_passes", cli.Size(t.memory))
	return scratch.Beside(filepath.Clean(out)), nil
}

// here is place on this machine.
func (t takes) here(limit ByteSize, out string) (*scratch.Disk, error) {
	return t.place(int64(limit), out, system.FreeMemory, system.DiskFree)
}
