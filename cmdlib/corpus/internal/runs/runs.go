// Package runs has the files that processes which count a text in pieces leave for each other: counts as sorted rows of
// whole numbers, with a key and checksums.
package runs

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"contextmover/internal/checkpoint"
)

// A run file has the counts of a part of a text, as sorted rows of whole numbers L·X
// (see corpus.Count): what can be added up exactly, in any order. Its rows are those of
// one or more consecutive parts of a corpus.Counting. All numbers are little-endian:
//
//	magic     8 bytes
//	key       32 bytes: what was counted, and how
//	sections  one a part: for each row that is not empty, as uvarints, the row less the one before (that of the
//	          section's first row is counted from the part's first), the number of its entries, and for each of
//	          them the column less the one before less 1 (the first column itself) and the sum
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

// Key names what a file of a job holds: a hash of all that it
// was made from. A file with another key is not taken for it.
type Key = checkpoint.Key

// Stats are the lines, tokens, known tokens and invalid lines of what was counted.
type Stats [4]int64

func statsOf(b []byte) (s Stats) {
	for i := range s {
		s[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return s
}

func (s Stats) append(b []byte) []byte {
	for _, n := range s {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return b
}

// DamagedError is the error of a file that is not what was written, or not what is looked for, so it must be made
// again.
type DamagedError = checkpoint.DamagedError

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

// Open returns the run file at path. The error is fs.ErrNotExist if there is none, and a *DamagedError if its index is
// damaged or its key another one.
func Open(path string, key Key) (*Run, error) {
	damaged := func(what string) (*Run, error) { return nil, &DamagedError{Path: path, What: what} }
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("corpus: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("corpus: %w", err)
	}
	size := info.Size()
	if size < int64(runHead+runTail) {
		return damaged("is cut short")
	}
	read := func(from int64, n int) ([]byte, error) {
		b := make([]byte, n)
		if _, err := file.ReadAt(b, from); err != nil && err != io.EOF {
			return nil, fmt.Errorf("corpus: %w", err)
		}
		return b, nil
	}
	head, err := read(0, runHead)
	if err != nil {
		return nil, err
	}
	if string(head[:len(runMagic)]) != runMagic {
		return damaged("is no run file")
	}
	tail, err := read(size-int64(runTail), runTail)
	if err != nil {
		return nil, err
	}
	parts := int64(binary.LittleEndian.Uint32(tail[36:]))
	if parts*indexEntry > size-int64(runHead+runTail) {
		return damaged("has a damaged index")
	}
	index, err := read(size-int64(runTail)-parts*indexEntry, int(parts*indexEntry))
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
	r.Stats = statsOf(tail)
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

// Writer writes a run file: Row in increasing order, then Finish.
type Writer struct {
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

// NewWriter returns the writer of a run whose parts begin with first; part p has the rows bounds[p] to bounds[p+1].
func NewWriter(w io.Writer, key Key, bounds []int, first int) (*Writer, error) {
	_, err := w.Write(append([]byte(runMagic), key[:]...))
	return &Writer{w: w, key: key, bounds: bounds, first: first, lastRow: bounds[first]}, err
}

// Row writes a row that AppendRow has made.
func (r *Writer) Row(row int, encoded []byte) error {
	r.upTo(row)
	r.head = binary.AppendUvarint(r.head[:0], uint64(row-r.lastRow))
	r.lastRow = row
	return errors.Join(r.write(r.head), r.write(encoded))
}

func (r *Writer) write(b []byte) error {
	r.length += uint64(len(b))
	r.crc = crc32.Update(r.crc, castagnoli, b)
	_, err := r.w.Write(b)
	return err
}

// upTo ends the sections before that of a row.
func (r *Writer) upTo(row int) {
	for row >= r.bounds[r.first+len(r.index)/indexEntry+1] {
		r.endSection()
	}
}

func (r *Writer) endSection() {
	r.index = binary.LittleEndian.AppendUint64(r.index, r.length)
	r.index = binary.LittleEndian.AppendUint32(r.index, r.crc)
	r.length, r.crc = 0, 0
	r.lastRow = r.bounds[r.first+len(r.index)/indexEntry]
}

// Finish ends the sections before part end, and writes the index.
func (r *Writer) Finish(end int, stats Stats) error {
	for r.first+len(r.index)/indexEntry < end {
		r.endSection()
	}
	tail := stats.append(r.index)
	tail = binary.LittleEndian.AppendUint32(tail, uint32(r.first))
	tail = binary.LittleEndian.AppendUint32(tail, uint32(end-r.first))
	crc := crc32.Checksum(append([]byte(runMagic), r.key[:]...), castagnoli)
	tail = binary.LittleEndian.AppendUint32(tail, crc32.Update(crc, castagnoli, tail))
	_, err := r.w.Write(tail)
	return err
}

// AppendRow appends a row in the form that a run file has behind its number.
func AppendRow(b []byte, columns []int32, sums []uint64) []byte {
	b = binary.AppendUvarint(b, uint64(len(columns)))
	last := int32(-1)
	for i, c := range columns {
		b = binary.AppendUvarint(b, uint64(c-last-1))
		b = binary.AppendUvarint(b, sums[i])
		last = c
	}
	return b
}
