package runs

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
)

// rangeReader reads a range of a file with a checksum. It has the file
// open only while it reads from it, so that there can be thousands.
type rangeReader struct {
	path     string
	from, to int64  // what is not read yet
	rest     []byte // what is read and not used yet
	room     []byte
	crc      uint32
}

// longestEntry bounds the bytes of an entry of a run that next needs at once.
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

func (r *rangeReader) damaged(what string) error { return &DamagedError{Path: r.path, What: what} }

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
func (c *cursor) addTo(a *Accumulator) error {
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
		a.Add(int32(column+delta), sum)
		column += delta + 1
	}
	return c.next()
}

// Merge adds up the rows of a part, and calls emit for those that are not empty, in order, with
// slices that are valid during the call. After an error, nothing of what emit got may be used.
func Merge(ctx context.Context, runs []*Run, bounds []int, part int, a *Accumulator, emit func(
	row int, columns []int32, sums []uint64,
) error) error {
	room := max(4<<10, min(256<<10, mergeRoom/max(1, len(runs))))
	var cursors []*cursor
	for _, r := range runs {
		if part < r.first || part >= r.first+len(r.sections) {
			continue
		}
		s := r.sections[part-r.first]
		c := &cursor{rangeReader: rangeReader{
			path: r.Path, from: s.from, to: s.to, room: make([]byte, min(int64(room), s.to-s.from)),
		}, want: s.crc, row: bounds[part], stop: bounds[part+1]}
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
		columns, sums := a.Take()
		if err := emit(row, columns, sums); err != nil {
			return err
		}
	}
}

// mergeRoom is the memory for reading runs.
const mergeRoom = 64 << 20
