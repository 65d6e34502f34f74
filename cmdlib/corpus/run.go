package corpus

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"sync"
)

// A run file has the counts of a part of a text, as sorted rows of whole numbers L·X (see Count): what can be added up exactly, in
// any order. Its rows are those of one or more consecutive parts of a Counting. All numbers are little-endian:
//
//	magic     8 bytes
//	key       32 bytes: what was counted, and how
//	sections  one a part: for each row that is not empty, as uvarints, the row less the one before (that of the section's
//	          first row is counted from the part's first), the number of its entries, and for each of them the
//	          column less the one before less 1 (the first column itself) and the sum
//	index     for each section its length (uint64) and its CRC-32C (uint32)
//	stats     lines, tokens, known tokens, invalid lines (int64 each)
//	first     the first part, and the number of parts (uint32 each)
//	checksum  CRC-32C of magic, key, index, stats and first (uint32)
const (
	runMagic   = "cmruns\x00\x01"
	runHead    = len(runMagic) + len(Key{})
	indexEntry = 8 + 4
	runTail    = 4*8 + 2*4 + 4 // without the index
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Key names what a file of a job holds: a hash of all that it was made from. A file with another key is not taken for it.
type Key [32]byte

// DamagedError is the error of a file that is not what was written, or not what is looked for. It is to be made anew.
type DamagedError struct {
	Path string
	What string
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("corpus: %s: %s; it is to be made anew", e.Path, e.What)
}

// Run is a run file that is whole, as far as its index tells; its sections are verified while they are read.
type Run struct {
	Path  string
	Stats Stats

	first    int // part
	sections []section
}

type section struct {
	from, to int64 // in the file
	crc      uint32
}

// OpenRun returns the run file at path. The error is fs.ErrNotExist if there is none, and a *DamagedError if its index is
// damaged or its key another one.
func OpenRun(path string, key Key) (*Run, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("corpus: %w", err)
	}
	defer file.Close()
	damaged := func(what string) (*Run, error) { return nil, &DamagedError{path, what} }
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("corpus: %w", err)
	}
	size := info.Size()
	read := func(from, n int64) ([]byte, error) {
		b := make([]byte, n)
		if _, err := file.ReadAt(b, from); err != nil && err != io.EOF {
			return nil, fmt.Errorf("corpus: %w", err)
		}
		return b, nil
	}
	if size < int64(runHead+runTail) {
		return damaged("is cut short")
	}
	head, err := read(0, int64(runHead))
	if err != nil {
		return nil, err
	}
	tail, err := read(size-int64(runTail), int64(runTail))
	if err != nil {
		return nil, err
	}
	if string(head[:len(runMagic)]) != runMagic {
		return damaged("is no run file")
	}
	parts := int64(binary.LittleEndian.Uint32(tail[36:]))
	if parts*indexEntry > size-int64(runHead+runTail) {
		return damaged("has a damaged index")
	}
	index, err := read(size-int64(runTail)-parts*indexEntry, parts*indexEntry)
	if err != nil {
		return nil, err
	}
	crc := crc32.Checksum(head, castagnoli)
	crc = crc32.Update(crc, castagnoli, index)
	crc = crc32.Update(crc, castagnoli, tail[:runTail-4])
	if crc != binary.LittleEndian.Uint32(tail[runTail-4:]) {
		return damaged("has a damaged index")
	}
	if Key(head[len(runMagic):]) != key {
		return damaged("was made of something else")
	}
	r := &Run{Path: path, first: int(binary.LittleEndian.Uint32(tail[32:]))}
	for i, n := range []*int64{&r.Stats.Lines, &r.Stats.Tokens, &r.Stats.Known, &r.Stats.Invalid} {
		*n = int64(binary.LittleEndian.Uint64(tail[8*i:]))
	}
	at := int64(runHead)
	for ; len(index) > 0; index = index[indexEntry:] {
		n := binary.LittleEndian.Uint64(index)
		if n > uint64(size-at) {
			return damaged("has a damaged index")
		}
		r.sections = append(r.sections, section{at, at + int64(n), binary.LittleEndian.Uint32(index[8:])})
		at += int64(n)
	}
	if at+parts*indexEntry+int64(runTail) != size {
		return damaged("is cut short")
	}
	return r, nil
}

// runWriter writes a run file: rows in increasing order, then finish.
type runWriter struct {
	w       io.Writer
	key     Key
	bounds  []int // part p has the rows bounds[p] to bounds[p+1]
	first   int   // part
	index   []byte
	length  uint64 // of the section that is being written
	crc     uint32
	lastRow int
	head    []byte
}

func newRunWriter(w io.Writer, key Key, bounds []int, first int) (*runWriter, error) {
	_, err := w.Write(append([]byte(runMagic), key[:]...))
	return &runWriter{w: w, key: key, bounds: bounds, first: first, lastRow: bounds[first]}, err
}

// row writes a row that appendRow has made.
func (r *runWriter) row(row int, encoded []byte) error {
	r.upTo(row)
	r.head = binary.AppendUvarint(r.head[:0], uint64(row-r.lastRow))
	r.lastRow = row
	return errors.Join(r.write(r.head), r.write(encoded))
}

func (r *runWriter) write(b []byte) error {
	r.length += uint64(len(b))
	r.crc = crc32.Update(r.crc, castagnoli, b)
	_, err := r.w.Write(b)
	return err
}

// upTo ends the sections before that of a row.
func (r *runWriter) upTo(row int) {
	for row >= r.bounds[r.first+len(r.index)/indexEntry+1] {
		r.endSection()
	}
}

func (r *runWriter) endSection() {
	r.index = binary.LittleEndian.AppendUint64(r.index, r.length)
	r.index = binary.LittleEndian.AppendUint32(r.index, r.crc)
	r.length, r.crc = 0, 0
	r.lastRow = r.bounds[r.first+len(r.index)/indexEntry]
}

// finish ends the sections before part end, and writes the index.
func (r *runWriter) finish(end int, stats Stats) error {
	for r.first+len(r.index)/indexEntry < end {
		r.endSection()
	}
	tail := r.index
	for _, n := range []int64{stats.Lines, stats.Tokens, stats.Known, stats.Invalid} {
		tail = binary.LittleEndian.AppendUint64(tail, uint64(n))
	}
	tail = binary.LittleEndian.AppendUint32(tail, uint32(r.first))
	tail = binary.LittleEndian.AppendUint32(tail, uint32(end-r.first))
	crc := crc32.Checksum(append([]byte(runMagic), r.key[:]...), castagnoli)
	tail = binary.LittleEndian.AppendUint32(tail, crc32.Update(crc, castagnoli, tail))
	_, err := r.w.Write(tail)
	return err
}

// appendRow appends a row as it stands in a run file behind its number.
func appendRow(b []byte, columns []int32, sums []uint64) []byte {
	b = binary.AppendUvarint(b, uint64(len(columns)))
	last := int32(-1)
	for i, c := range columns {
		b = binary.AppendUvarint(b, uint64(c-last-1))
		b = binary.AppendUvarint(b, sums[i])
		last = c
	}
	return b
}

// writeRun counts an encoded text, which begins and ends with SentenceEnd, into a run file of all parts. Room is for positions, and is
// returned, larger perhaps.
func writeRun(ctx context.Context, w io.Writer, key Key, ids []int32, weights weights, bounds []int, stats Stats, room []uint32) ([]uint32, error) {
	out, err := newRunWriter(w, key, bounds, 0)
	if err != nil {
		return room, err
	}
	o := positions(ids, bounds[len(bounds)-1], room)
	rows := inOrder[[]byte]{put: func(row int, encoded []byte) error {
		if encoded == nil {
			return nil
		}
		return out.row(row, encoded)
	}}
	err = countRows(ctx, ids, o, weights, func(row int, columns []int32, sums []uint64) error {
		if len(columns) == 0 {
			return rows.add(row, nil)
		}
		return rows.add(row, appendRow(make([]byte, 0, 4*len(columns)+8), columns, sums))
	}, func(int64) {})
	if err != nil {
		return o.at, err
	}
	return o.at, out.finish(len(bounds)-1, stats)
}

// inOrder hands what comes numbered from 0 on, in any order and from several goroutines, to put, in order.
type inOrder[T any] struct {
	put func(number int, x T) error

	mu      sync.Mutex
	next    int
	waiting map[int]T
	err     error
}

func (o *inOrder[T]) add(number int, x T) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if number != o.next {
		if o.waiting == nil {
			o.waiting = map[int]T{}
		}
		o.waiting[number] = x
		return o.err
	}
	for ok := true; ok && o.err == nil; x, ok = o.waiting[o.next] {
		delete(o.waiting, o.next)
		o.err = o.put(o.next, x)
		o.next++
	}
	return o.err
}

// rangeReader reads a range of a file with a checksum. It has the file open only while it reads from it, so that there can be
// thousands.
type rangeReader struct {
	path     string
	from, to int64  // what is not read yet
	rest     []byte // what is read and not used yet
	room     []byte
	crc      uint32
}

// longestEntry bounds the bytes of an entry of a run or a tally that next needs at once.
const longestEntry = 4 * binary.MaxVarintLen64

// fill reads on, so that at least n bytes are there, or all that are left.
func (r *rangeReader) fill(n int) error {
	if len(r.rest) >= n || r.from == r.to {
		return nil
	}
	if len(r.room) < n {
		r.room = make([]byte, 2*n)
	}
	have := copy(r.room, r.rest)
	more := r.room[have : have+int(min(int64(len(r.room)-have), r.to-r.from))]
	file, err := os.Open(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		return r.damaged("has gone")
	}
	if err != nil {
		return fmt.Errorf("corpus: %w", err)
	}
	defer file.Close()
	if n, err := file.ReadAt(more, r.from); n < len(more) {
		if err == io.EOF {
			return r.damaged("is cut short")
		}
		return fmt.Errorf("corpus: %w", err)
	}
	r.from += int64(len(more))
	r.crc = crc32.Update(r.crc, castagnoli, more)
	r.rest = r.room[:have+len(more)]
	return nil
}

// uvarint returns the next number, of which there are enough bytes.
func (r *rangeReader) uvarint() (uint64, error) {
	if len(r.rest) > 0 && r.rest[0] < 0x80 {
		x := uint64(r.rest[0])
		r.rest = r.rest[1:]
		return x, nil
	}
	x, n := binary.Uvarint(r.rest)
	if n <= 0 {
		return 0, r.damaged("has a number that is cut")
	}
	r.rest = r.rest[n:]
	return x, nil
}

func (r *rangeReader) end() bool { return len(r.rest) == 0 && r.from == r.to }

func (r *rangeReader) damaged(what string) error { return &DamagedError{r.path, what} }

// cursor stands before a row of a section.
type cursor struct {
	rangeReader
	want uint32 // checksum
	row  int    // its number, math.MaxInt behind the last
	stop int    // the section's rows are less
}

// next goes to the row behind, and verifies the section where there is none.
func (c *cursor) next() error {
	if err := c.fill(longestEntry); err != nil {
		return err
	}
	if c.end() {
		c.row = math.MaxInt
		if c.crc != c.want {
			return c.damaged("has a wrong checksum")
		}
		return nil
	}
	delta, err := c.uvarint()
	if err != nil {
		return err
	}
	if delta >= uint64(c.stop-c.row) {
		return c.damaged("has a row that is not its own")
	}
	c.row += int(delta)
	return nil
}

// addTo adds the row to a, and goes to the next one.
func (c *cursor) addTo(a *accumulator) error {
	n, err := c.uvarint()
	if err != nil {
		return err
	}
	words := uint64(len(a.sum))
	column := uint64(0)
	for range n {
		if len(c.rest) < longestEntry {
			if err := c.fill(longestEntry); err != nil {
				return err
			}
		}
		delta, err := c.uvarint()
		if err != nil {
			return err
		}
		sum, err := c.uvarint()
		if err != nil {
			return err
		}
		if delta >= words-column || sum == 0 {
			return c.damaged("has an entry that is none")
		}
		a.add(int32(column+delta), sum)
		column += delta + 1
	}
	return c.next()
}

// mergePart adds up the rows of a part, and calls emit for those that are not empty, in order, with slices that are valid during
// the call. After an error, nothing of what emit got may be used.
func mergePart(ctx context.Context, runs []*Run, bounds []int, part int, a *accumulator, emit func(row int, columns []int32, sums []uint64) error) error {
	room := max(4<<10, min(256<<10, mergeRoom/max(1, len(runs))))
	var cursors []*cursor
	for _, r := range runs {
		if part < r.first || part >= r.first+len(r.sections) {
			continue
		}
		s := r.sections[part-r.first]
		c := &cursor{rangeReader: rangeReader{path: r.Path, from: s.from, to: s.to, room: make([]byte, min(int64(room), s.to-s.from))}, want: s.crc, row: bounds[part], stop: bounds[part+1]}
		if err := c.next(); err != nil {
			return err
		}
		cursors = append(cursors, c)
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		row := math.MaxInt
		for _, c := range cursors {
			row = min(row, c.row)
		}
		if row == math.MaxInt {
			return nil
		}
		for _, c := range cursors {
			if c.row == row {
				if err := c.addTo(a); err != nil {
					return err
				}
			}
		}
		columns, sums := a.take()
		if err := emit(row, columns, sums); err != nil {
			return err
		}
	}
}

// mergeRoom is the memory for reading runs.
const mergeRoom = 64 << 20
