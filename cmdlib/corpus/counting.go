package corpus

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
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
	pieces, stats, err := c.pieces(ctx, text, key, dir, progress)
	if err != nil {
		return Stats{}, err
	}
	return stats, c.merge(ctx, pieces, runFile{path, key, 0, c.Parts(), stats})
}

// Merge adds up a part of the runs into a run file of that part alone.
// The error is a *DamagedError if a run is damaged, and names it.
func (c *Counting) Merge(ctx context.Context, pieces []*Run, part int, key Key, path string) error {
	return c.merge(ctx, pieces, runFile{path, key, part, part + 1, totals(pieces)})
}

// runFile is what a run file is to have: the parts first to end of a text of these stats.
type runFile struct {
	path       string
	key        Key
	first, end int
	stats      Stats
}

// merge adds up pieces into a file.
func (c *Counting) merge(ctx context.Context, pieces []*Run, f runFile) error {
	a := runs.NewAccumulator(c.vocabulary.Len())
	return writeWhole(f.path, func(w *bufio.Writer) error {
		out, err := runs.NewWriter(w, f.key, c.bounds, f.first)
		if err != nil {
			return err
		}
		var encoded []byte
		for part := f.first; part < f.end; part++ {
			err := runs.Merge(ctx, pieces, c.bounds, part, a, func(row int, columns []int32, sums []uint64) error {
				encoded = runs.AppendRow(encoded[:0], columns, sums)
				return out.Row(row, encoded)
			})
			if err != nil {
				return err
			}
		}
		return out.Finish(f.end, f.stats.numbers())
	})
}

func totals(pieces []*Run) (stats Stats) {
	for _, r := range pieces {
		stats.add(statsOf(r.Stats))
	}
	return stats
}

// Write adds up pieces, of which each is of all parts or of some, into a file as WriteCooccurrences
// writes it. Progress gets the parts that are done. The error is a *DamagedError if a run is
// damaged, and names it. It takes the memory of the counting, or that of a part where that is more.
func (c *Counting) Write(ctx context.Context, pieces []*Run, path string, progress func(done, total int64)) error {
	// Some parts at a time, in memory: they have to be written
	// in order. A part takes up to twice its size, as it grows.
	parts := make([][]byte, max(1, min(int64(2*runtime.GOMAXPROCS(0)), c.memory/(2*max(c.largest, 1)))))
	return writeWhole(path, func(w *bufio.Writer) error {
		for from := 0; from < c.Parts(); from += len(parts) {
			to := min(from+len(parts), c.Parts())
			err := parallel.Workers(ctx, to-from, 1, func() (func(lo, hi int) error, func()) {
				a, values := runs.NewAccumulator(c.vocabulary.Len()), []float64(nil)
				return func(i, _ int) error {
					parts[i] = parts[i][:0]
					return runs.Merge(ctx, pieces, c.bounds, from+i, a,
						func(row int, columns []int32, sums []uint64) (err error) {
							values = c.weights.counts(sums, values)
							parts[i], err = appendRecords(parts[i], row, columns, values)
							return err
						})
				}, func() {}
			})
			if err != nil {
				return err
			}
			for _, records := range parts[:to-from] {
				if _, err := w.Write(records); err != nil {
					return err
				}
			}
			report(progress, int64(to), int64(c.Parts()))
		}
		return nil
	})
}

// pieces counts a text in pieces of what the memory allows into run files in the folder dir, which nobody else reads.
func (c *Counting) pieces(
	ctx context.Context, text Text, key Key, dir string, progress func(done, total int64),
) (pieces []*Run, stats Stats, err error) {
	// A token takes 4 bytes, its position 4, and up to 8 what is counted of it. Half
	// of the memory, as the collector lets as much garbage gather as there is in use.
	limit := int(min(max(c.memory/2/16, int64(leastTokens)), 1<<31))
	ids := []int32{SentenceEnd}
	var room []uint32
	flush := func(end int) error {
		if err := checkLength(int64(end)); err != nil {
			return err
		}
		path := filepath.Join(dir, strconv.Itoa(len(pieces)))
		file, err := disk.Create(path)
		if err != nil {
			return fmt.Errorf("corpus: %w", err)
		}
		w := bufio.NewWriterSize(file, 1<<18)
		room, err = c.writeRun(ctx, w, key, ids[:end], room)
		if err = errors.Join(err, w.Flush(), file.Close()); err != nil {
			return fmt.Errorf("corpus: writing %s: %w", path, err)
		}
		run, err := OpenRun(path, key)
		if err != nil {
			return err
		}
		pieces = append(pieces, run)
		ids = append(ids[:0], ids[end-1:]...)
		return nil
	}
	chunks := parallel.InOrder[[]int32]{Put: func(_ int, piece []int32) error {
		ids = append(ids, piece...)
		if len(ids) < limit {
			return nil
		}
		end := len(ids)
		for end > 1 && ids[end-1] != SentenceEnd {
			end--
		}
		if end == 1 {
			return nil // a sentence that goes on
		}
		return flush(end)
	}}
	stats, err = text.encodeChunks(ctx, c.vocabulary, progress, func(number int, ids []int32) error {
		return chunks.Add(number, slices.Clone(ids))
	})
	if err != nil {
		return nil, Stats{}, err
	}
	if ids = append(ids, SentenceEnd); len(ids) > 2 || len(pieces) == 0 {
		err = flush(len(ids))
	}
	return pieces, stats, err
}

// CountFile is a file of counts that is to be made.
type CountFile struct {
	Path string
	// Window is how many words to each side count as contexts, 1 to MaxWindow.
	Window int
	// Memory is about the most bytes that are kept of what grows with the text. Less than a few MiB counts as that.
	Memory int64
}

// CountToFile counts as Count does, to the last bit, but writes the counts to a file (see WriteCooccurrences). On top
// of CountFile.Memory it takes the vocabulary, and for each thread 9 bytes per word and a few MiB.
//
// The text is counted in pieces into a temporary folder next to the file (see Counting), of some 6 bytes per token,
// which are then added up.
func CountToFile(
	ctx context.Context, text Text, v *Vocabulary, f CountFile, progress func(done, total int64),
) (Stats, error) {
	// As many parts as Write has at a time, in half of the memory; small ones are spread more evenly over the threads.
	partSize := min(max(f.Memory/2/int64(2*runtime.GOMAXPROCS(0)), 1<<20), 16<<20)
	c, err := NewCounting(v, f.Window, partSize, f.Memory)
	if err != nil {
		return Stats{}, err
	}
	dir, release, err := atomicfile.Folder(f.Path)
	if err != nil {
		return Stats{}, fmt.Errorf("corpus: writing %s: %w", f.Path, err)
	}
	defer release()
	steps := halves{progress: progress}
	pieces, stats, err := c.pieces(ctx, text, Key{}, dir, steps.reading)
	if err != nil {
		return Stats{}, err
	}
	return stats, c.Write(ctx, pieces, f.Path, steps.counting)
}

// writeRun counts an encoded text, which begins and ends with SentenceEnd, into a run file
// of all parts, without its stats. Room is for positions, and is returned, larger perhaps.
func (c *Counting) writeRun(
	ctx context.Context, w io.Writer, key Key, ids []int32, room []uint32,
) ([]uint32, error) {
	out, err := runs.NewWriter(w, key, c.bounds, 0)
	if err != nil {
		return room, err
	}
	o := positions(ids, c.vocabulary.Len(), room)
	rows := parallel.InOrder[[]byte]{Put: func(row int, encoded []byte) error {
		if encoded == nil {
			return nil
		}
		return out.Row(row, encoded)
	}}
	err = countRows(ctx, ids, o, c.weights, func(row int, columns []int32, sums []uint64) error {
		if len(columns) == 0 {
			return rows.Add(row, nil)
		}
		return rows.Add(row, runs.AppendRow(make([]byte, 0, 4*len(columns)+8), columns, sums))
	}, func(int64) {})
	if err != nil {
		return o.at, err
	}
	return o.at, out.Finish(c.Parts(), runs.Stats{})
}
