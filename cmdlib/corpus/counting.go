package corpus

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"

	"contextmover/cmdlib/corpus/internal/runs"
	"contextmover/internal/atomicfile"
	"contextmover/internal/disk"
	"contextmover/internal/parallel"
)

// Key names what a file of a job holds: a hash of all that it
// was made from. A file with another key is not taken for it.
type Key = runs.Key

// DamagedError is the error of a file that is not what was written, or not what is looked for, so it must be made
// again.
type DamagedError = runs.DamagedError

// Run is a file with the counts of a piece of a text, or of some parts of it. It has sorted rows of whole numbers, an
// index, a key and checksums.
type Run = runs.Run

// OpenRun returns the run file at path. The error is fs.ErrNotExist if there is none, and a *DamagedError if its index
// is damaged or its key another one; the rest is verified while it is read.
func OpenRun(path string, key Key) (*Run, error) { return runs.Open(path, key) }

// Counting counts a text in pieces: shards into run files, which are then added up
// by parts, ranges of the vocabulary's rows. What comes out is what Count counts,
// to the last bit, however the text was cut: sums are whole numbers until the end.
type Counting struct {
	vocabulary *Vocabulary
	weights    weights
	bounds     []int // part p has the rows bounds[p] to bounds[p+1]
	largest    int64 // the most bytes of a part's counts
	memory     int64
}

// leastTokens is the fewest tokens that a piece has, if the text
// has as many; a variable so that tests can cut everywhere.
var leastTokens = 1 << 16

// mostParts bounds the number of parts: each run file has an entry a part.
const mostParts = 1024

// NewCounting returns the counting of a vocabulary's words in a window of 1 to MaxWindow words.
// What grows with a shard takes about memory bytes at most; on top of that come the vocabulary, for
// each thread 9 bytes per word, and a few MiB. No part has more than partSize bytes of counts in the
// file that comes out, but for one of a single row, or where that would make more than 1024 parts.
// All processes of a job have to agree on vocabulary, window and partSize; memory may differ.
func NewCounting(v *Vocabulary, window int, partSize, memory int64) (*Counting, error) {
	weights, err := inverseDistances(window)
	if err != nil {
		return nil, err
	}
	// A word has no more entries than there are words, or than places in its windows.
	size := func(row int) int64 {
		return recordSize * min(int64(v.Len()), 2*int64(window)*min(v.Counts[row], int64(v.Len())))
	}
	total := int64(0)
	for row := range v.Len() {
		total += size(row)
	}
	partSize = max(partSize, total/mostParts+1)
	c := &Counting{vocabulary: v, weights: weights, bounds: []int{0}, memory: memory}
	part := int64(0)
	for row := range v.Len() {
		if part > 0 && part+size(row) > partSize {
			c.bounds = append(c.bounds, row)
			part = 0
		}
		part += size(row)
		c.largest = max(c.largest, part)
	}
	c.bounds = append(c.bounds, v.Len())
	return c, nil
}

// Parts returns the number of parts.
func (c *Counting) Parts() int { return len(c.bounds) - 1 }

// counted is a text that has been read to be counted, of which the parts first to end are wanted.
type counted struct {
	ids        []int32 // all of it, as encodeChunks makes them; nil where memory was short
	pieces     []*Run  // else what was counted of it, each of all parts or of some
	first, end int
}

// Shard counts a text into a run file of all parts, which is
// there whole or not at all. For the errors of reading see Text.
func (c *Counting) Shard(
	ctx context.Context, text Text, key Key, path string, progress func(done, total int64),
) (Stats, error) {
	dir, release, err := atomicfile.Folder(path)
	if err != nil {
		return Stats{}, fmt.Errorf("corpus: writing %s: %w", path, err)
	}
	defer release()
	from, stats, err := c.read(ctx, text, dir, progress)
	if err != nil {
		return Stats{}, err
	}
	return stats, writeWhole(path, func(w *bufio.Writer) error {
		return c.writeRun(ctx, w, from, key, stats)
	})
}

// Merge adds up a part of the runs into a run file of that part alone.
// The error is a *DamagedError if a run is damaged, and names it.
func (c *Counting) Merge(ctx context.Context, pieces []*Run, part int, key Key, path string) error {
	var stats Stats
	for _, r := range pieces {
		stats.add(statsOf(r.Stats))
	}
	return writeWhole(path, func(w *bufio.Writer) error {
		return c.writeRun(ctx, w, counted{pieces: pieces, first: part, end: part + 1}, key, stats)
	})
}

// Write adds up pieces, of which each is of all parts or of some, into a file as WriteCooccurrences
// writes it. Progress gets the parts that are done. The error is a *DamagedError if a run is
// damaged, and names it. It takes the memory of the counting, or that of a part where that is more.
func (c *Counting) Write(ctx context.Context, pieces []*Run, path string, progress func(done, total int64)) error {
	return c.write(ctx, counted{pieces: pieces, end: c.Parts()}, path, progress)
}

// CountFile is a file of counts that is to be made.
type CountFile struct {
	Path string
	// Window is how many words to each side count as contexts, 1 to MaxWindow.
	Window int
	// Memory is about the most bytes that are kept of what grows with the text; 0 stands for all that it takes, and
	// less than a few MiB for these.
	Memory int64
}

// CountToFile counts as Count does, to the last bit, but writes the counts to a file (see WriteCooccurrences). On top
// of CountFile.Memory it takes the vocabulary, and for each thread 9 bytes per word and a few MiB.
//
// A text that needs more memory is counted in pieces into a temporary folder next to the file (see Counting), of some
// 6 bytes per token, which are then added up.
func CountToFile(
	ctx context.Context, text Text, v *Vocabulary, f CountFile, progress func(done, total int64),
) (Stats, error) {
	memory := cmp.Or(f.Memory, math.MaxInt64)
	// As many parts as are added up at a time, in half of the memory; small ones are spread more evenly over threads.
	partSize := min(max(memory/2/int64(2*runtime.GOMAXPROCS(0)), 1<<20), 16<<20)
	c, err := NewCounting(v, f.Window, partSize, memory)
	if err != nil {
		return Stats{}, err
	}
	dir, release, err := atomicfile.Folder(f.Path)
	if err != nil {
		return Stats{}, fmt.Errorf("corpus: writing %s: %w", f.Path, err)
	}
	defer release()
	steps := halves{progress: progress}
	from, stats, err := c.read(ctx, text, dir, steps.reading)
	if err != nil {
		return Stats{}, err
	}
	return stats, c.write(ctx, from, f.Path, steps.counting)
}

// read reads a text. What needs more than the memory of the counting is counted in pieces into run files in the folder
// dir, which nobody else reads; without a folder all of it stays in memory.
func (c *Counting) read(
	ctx context.Context, text Text, dir string, progress func(done, total int64),
) (counted, Stats, error) {
	// A token takes 4 bytes, its position 4, and up to 8 what is counted of it. Half
	// of the memory, as the collector lets as much garbage gather as there is in use.
	limit := int(min(max(c.memory/2/16, int64(leastTokens)), 1<<31))
	ids := []int32{SentenceEnd}
	var pieces []*Run
	spill := func(end int) error {
		path := filepath.Join(dir, strconv.Itoa(len(pieces)))
		file, err := disk.Create(path)
		if err != nil {
			return fmt.Errorf("corpus: %w", err)
		}
		w := bufio.NewWriterSize(file, 1<<18)
		err = c.writeRun(ctx, w, counted{ids: ids[:end], end: c.Parts()}, Key{}, Stats{})
		if err = errors.Join(err, w.Flush(), file.Close()); err != nil {
			return fmt.Errorf("corpus: writing %s: %w", path, err)
		}
		run, err := OpenRun(path, Key{})
		if err != nil {
			return err
		}
		pieces = append(pieces, run)
		ids = append(ids[:0], ids[end-1:]...)
		return nil
	}
	stats, err := text.encodeChunks(ctx, c.vocabulary, progress, func(chunk []int32) error {
		ids = append(ids, chunk...)
		end := 0
		if dir != "" && len(ids) >= limit {
			for end = len(ids); ids[end-1] != SentenceEnd; {
				end--
			}
		}
		if end > 1 { // else a sentence that goes on
			return spill(end)
		}
		return checkLength(int64(len(ids)) + 1)
	})
	if err != nil {
		return counted{}, Stats{}, err
	}
	ids = append(ids, SentenceEnd)
	if len(pieces) == 0 {
		return counted{ids: ids, end: c.Parts()}, stats, nil
	}
	err = spill(len(ids))
	return counted{pieces: pieces, end: c.Parts()}, stats, err
}

// writeRun writes a run file with the parts of what has been counted.
func (c *Counting) writeRun(ctx context.Context, w io.Writer, from counted, key Key, stats Stats) error {
	out, err := runs.NewWriter(w, key, c.bounds, from.first)
	if err != nil {
		return err
	}
	encode := func(to []byte, _ int, columns []int32, sums []uint64) []byte {
		return runs.AppendRow(to, columns, sums)
	}
	if err := c.rows(ctx, from, encode, out.Row, nil); err != nil {
		return err
	}
	return out.Finish(from.end, stats.numbers())
}

// write writes all that has been counted to a file as WriteCooccurrences does.
func (c *Counting) write(ctx context.Context, from counted, path string, progress func(done, total int64)) error {
	encode := func(to []byte, row int, columns []int32, sums []uint64) []byte {
		to = slices.Grow(to, recordSize*len(columns))
		for i, column := range columns {
			to = appendRecord(to, row, column, c.weights.count(sums[i]))
		}
		return to
	}
	return writeWhole(path, func(w *bufio.Writer) error {
		put := func(_ int, encoded []byte) error {
			_, err := w.Write(encoded)
			return err
		}
		return c.rows(ctx, from, encode, put, progress)
	})
}

// rows hands the rows of what has been counted that are not empty to put, in order. Encode appends a row, in several
// goroutines. A text in memory is counted, all parts of it, and pieces are added up.
func (c *Counting) rows(
	ctx context.Context, from counted, encode func(to []byte, row int, columns []int32, sums []uint64) []byte,
	put func(row int, encoded []byte) error, progress func(done, total int64),
) error {
	if from.ids != nil {
		ordered := parallel.InOrder[[]byte]{Put: func(row int, encoded []byte) error {
			if encoded == nil {
				return nil
			}
			return put(row, encoded)
		}}
		emit := func(row int, columns []int32, sums []uint64) error {
			if len(columns) == 0 {
				return ordered.Add(row, nil)
			}
			return ordered.Add(row, encode(make([]byte, 0, 4*len(columns)+8), row, columns, sums))
		}
		return countRows(ctx, from.ids, c.vocabulary.Len(), c.weights, emit, progress)
	}
	// Some parts at a time, in memory: they have to be handed on in order. A part takes up to twice its size, as it
	// grows.
	type part struct {
		encoded   []byte
		row, ends []int // each row, and its end in encoded
	}
	parts := make([]part, max(1, min(int64(2*runtime.GOMAXPROCS(0)), c.memory/(2*max(c.largest, 1)))))
	for first := from.first; first < from.end; first += len(parts) {
		n := min(len(parts), from.end-first)
		err := parallel.Workers(ctx, n, 1, func() func(lo, hi int) error {
			a := runs.NewAccumulator(c.vocabulary.Len())
			return func(i, _ int) error {
				p := &parts[i]
				p.encoded, p.row, p.ends = p.encoded[:0], p.row[:0], p.ends[:0]
				return runs.Merge(ctx, from.pieces, c.bounds, first+i, a,
					func(row int, columns []int32, sums []uint64) error {
						p.encoded = encode(p.encoded, row, columns, sums)
						p.row, p.ends = append(p.row, row), append(p.ends, len(p.encoded))
						return nil
					})
			}
		})
		if err != nil {
			return err
		}
		for _, p := range parts[:n] {
			start := 0
			for i, stop := range p.ends {
				if err := put(p.row[i], p.encoded[start:stop]); err != nil {
					return err
				}
				start = stop
			}
		}
		report(progress, int64(first+n), int64(from.end))
	}
	return nil
}
