package corpus

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"contextmover/cmdlib/sparse"
	"contextmover/internal/bounded"
	"contextmover/internal/parallel"
	"contextmover/internal/scratch"
)

// recordSize is the size of a record of cooccurrence.bin: the ids of word and context,
// from 1, as int32, and the count as float64, all little-endian.
const recordSize = 16

// bytesPerCount is what an entry of Counts takes in memory, index and value.
const bytesPerCount = 4 + 8

// WriteCooccurrences writes counts as GloVe's cooccur does: a 16-byte record for each entry
// (int32 word, int32 context, float64 count, little-endian; ids from 1), sorted by
// word, then context. The file appears under its name only when it is complete.
//
// An entry that is not positive and finite is an error.
func WriteCooccurrences(ctx context.Context, path string, c *Counts) error {
	return writeWhole(path, func(w *bufio.Writer) error {
		var records []byte
		for i := range c.Rows {
			if err := ctx.Err(); err != nil {
				return err
			}
			columns, values := c.Row(i)
			records = records[:0]
			for e, context := range columns {
				if !isCount(values[e]) {
					return fmt.Errorf("count of words %d and %d is %v, expected a positive number",
						i+1, context+1, values[e])
				}
				records = appendRecord(records, i, context, values[e])
			}
			if _, err := w.Write(records); err != nil {
				return err
			}
		}
		return nil
	})
}

func appendRecord(b []byte, word int, context int32, count float64) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(word+1))
	b = binary.LittleEndian.AppendUint32(b, uint32(context+1))
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(count))
}

// isCount tells whether x is positive and finite.
func isCount(x float64) bool { return x > 0 && x <= math.MaxFloat64 }

// ReadCooccurrences reads the counts of a vocabulary of the given number of words from a file of the format that
// WriteCooccurrences writes. The file may be compressed (see Open). Its records may come in any order, as in GloVe's
// cooccurrence.shuf.bin. Counts of records with the same pair of words are added in the order of the file, as GloVe's
// cooccur does when it merges its parts. So files of several of its runs may be joined; GloVe's own glove would take
// each record for a pair of its own.
//
// The file is read twice, so it must be a regular file. Errors name the record
// (from 1): one that is cut short, an id that is not within 1 to words, a count that is not
// positive and finite. A file without records gives counts without entries.
//
// The counts are on d, in memory if that is nil. Records that are not sorted
// are placed all over it, which is slow where memory has no room for them.
func ReadCooccurrences(ctx context.Context, path string, words int, d *scratch.Disk) (*Counts, error) {
	if words < 0 || words > math.MaxInt32 {
		return nil, fmt.Errorf("corpus: %s: %d words, expected 0 to 2^31−1", path, words)
	}
	start := make([]int64, words+1)
	sorted, before := true, int64(-1)
	err := eachRecord(ctx, path, func(number, word, context int64, count float64) error {
		switch {
		case word < 1 || word > int64(words) || context < 1 || context > int64(words):
			return fmt.Errorf("ids %d and %d, expected 1 to %d; does the vocabulary belong to these counts?",
				word, context, words)
		case !isCount(count):
			return fmt.Errorf("count of words %d and %d is %v, expected a positive number", word, context, count)
		}
		place := word<<32 | context
		sorted = sorted && place > before
		before = place
		start[word]++
		return nil
	})
	if err != nil {
		return nil, err
	}
	c, err := makeCounts(start, d)
	if err != nil {
		return nil, fmt.Errorf("corpus: %s: %w", path, err)
	}
	next := slices.Clone(c.Start)
	err = eachRecord(ctx, path, func(number, word, context int64, count float64) error {
		if word < 1 || word > int64(words) || next[word-1] == c.Start[word] {
			return errors.New("the file changed while it was read; read it again when it is finished")
		}
		at := next[word-1]
		c.Index[at], c.Value[at] = int32(context-1), count
		next[word-1]++
		return nil
	})
	if err == nil {
		for w := range words {
			if next[w] != c.Start[w+1] {
				err = fmt.Errorf("corpus: %s: the file changed while it was read; read it again when it is finished",
					path)
			}
		}
	}
	if err == nil && !sorted {
		if err = sum(ctx, c); err != nil {
			err = fmt.Errorf("corpus: %s: %w", path, err)
		}
	}
	if err != nil {
		c.Free()
		return nil, err
	}
	return c, nil
}

// makeCounts makes room for counts, where start[w+1] is first the number of those of word w.
func makeCounts(start []int64, d *scratch.Disk) (*Counts, error) {
	words := len(start) - 1
	for w := range words {
		start[w+1] += start[w]
	}
	if d == nil {
		if err := bounded.Allocate(bytesPerCount * start[words]); err != nil {
			return nil, fmt.Errorf("%d counts: %w", start[words], err)
		}
	}
	return sparse.Make[float64](d, words, words, start)
}

// eachRecord calls f for the records of a file. An error of f gets the file and the
// record's number.
func eachRecord(ctx context.Context, path string, f func(number, word, context int64, count float64) error) error {
	file, err := Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	buffer := make([]byte, recordSize<<14)
	for number := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := io.ReadFull(file, buffer)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return err
		}
		for at := 0; at+recordSize <= n; at += recordSize {
			number++
			record := buffer[at : at+recordSize]
			word := int64(int32(binary.LittleEndian.Uint32(record)))
			context := int64(int32(binary.LittleEndian.Uint32(record[4:])))
			if err := f(number, word, context,
				math.Float64frombits(binary.LittleEndian.Uint64(record[8:]))); err != nil {
				return fmt.Errorf("corpus: %s: record %d: %w", path, number, err)
			}
		}
		if rest := n % recordSize; rest != 0 {
			return fmt.Errorf("corpus: %s: record %d: %d bytes, expected %d; the file is cut short or not GloVe's "+
				"cooccurrence.bin, make it again", path, number+1, rest, recordSize)
		}
		if err != nil {
			return nil
		}
	}
}

// sum sorts each row by column and adds entries of the same column, in their order.
func sum(ctx context.Context, c *Counts) error {
	type entry struct {
		column int32
		value  float64
	}
	kept := make([]int64, c.Rows)
	err := parallel.Workers(ctx, c.Rows, 64, func() func(lo, hi int) error {
		var row []entry
		return func(lo, hi int) error {
			for w := lo; w < hi; w++ {
				columns, values := c.Row(w)
				row = row[:0]
				for i, j := range columns {
					row = append(row, entry{j, values[i]})
				}
				slices.SortStableFunc(row, func(a, b entry) int { return int(a.column - b.column) })
				n := 0
				for _, e := range row {
					if n > 0 && columns[n-1] == e.column {
						if values[n-1] += e.value; !isCount(values[n-1]) {
							return fmt.Errorf("the counts of words %d and %d add up to more than a float64 holds",
								w+1, e.column+1)
						}
						continue
					}
					columns[n], values[n] = e.column, e.value
					n++
				}
				kept[w] = int64(n)
			}
			return nil
		}
	})
	if err != nil {
		return err
	}
	to := int64(0)
	for w, n := range kept {
		from := c.Start[w]
		copy(c.Index[to:], c.Index[from:from+n])
		copy(c.Value[to:], c.Value[from:from+n])
		c.Start[w] = to
		to += n
	}
	c.Start[c.Rows] = to
	c.Index, c.Value = c.Index[:to], c.Value[:to]
	return nil
}
