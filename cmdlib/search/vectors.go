package search

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"contextmover/cmdlib"
	"contextmover/cmdlib/internal/mapped"
	"contextmover/cmdlib/search/internal/mips"
	"contextmover/internal/atomicfile"
	"contextmover/internal/bounded"
	"contextmover/internal/disk"
)

// vectors says what an index has of vectors: a file with a row of mips.Rows for each sentence; if there are many, these
// are list by list (mips.Lists), and next to it is the file with the table of the lists.
type vectors struct {
	// Method is the one of the space that makes them, with its settings.
	Method string `json:"method"`
	Dim    int    `json:"dim"`
	Lists  bool   `json:"lists,omitempty"`
	CRC    uint32 `json:"crc32c"` // of the rows, or of the table, which has those of the lists
}

// encodingOf says how a space makes vectors.
func encodingOf(s *cmdlib.Space) (v vectors, err error) {
	encoder, err := s.Encoder()
	if err != nil {
		return v, fmt.Errorf("search: an index compares vectors: %w", err)
	}
	return vectors{Method: encoder.Method.String(), Dim: s.Dim}, nil
}

// fromLists is the number of bytes of vectors, which two threads read in 0.2 s, above which an index has lists;
// listedRows is the number of rows that are sorted at once. Tests set them.
var fromLists, listedRows = int64(3 << 30), 1 << 18

// group sorts many vectors, which have been written, into lists. It takes the memory of one part.
func (m *manifest) group(ctx context.Context, dir string) error {
	size, dim := int64(mips.Size(m.Vectors.Dim)), m.Vectors.Dim
	if m.Sentences*size <= fromLists {
		return nil
	}
	file, err := disk.Open(filepath.Join(dir, vectorsFile))
	if err != nil {
		return err
	}
	defer file.Close()
	read := func(to []byte, row int64) error {
		_, err := file.Reader().ReadAt(to, row*size)
		return err
	}
	lists := mips.DefaultLists(int(m.Sentences))
	some := int64(mips.Sampled(int(m.Sentences), lists))
	data := make([]byte, some*size)
	for i := range some {
		if err := read(data[i*size:(i+1)*size], i*m.Sentences/some); err != nil {
			return err
		}
	}
	sample, err := mips.Of(data, dim)
	if err != nil {
		return err
	}
	grouping, err := mips.NewGrouping(ctx, sample, lists, listedRows, 1)
	if err != nil {
		return ctx.Err() // nearly all sentences are the same: they are compared without lists
	}
	m.Vectors.Lists = true
	return atomicfile.Write(filepath.Join(dir, listsFile), func(w *bufio.Writer) error {
		sum := crc32.New(castagnoli)
		to := io.MultiWriter(w, sum)
		table, sorted := grouping.Head(), []byte(nil)
		for at := int64(0); at < m.Sentences; at += int64(listedRows) {
			part := make([]byte, size*min(int64(listedRows), m.Sentences-at))
			rows, err := mips.Of(part, dim)
			if err == nil {
				err = read(part, at)
			}
			if err == nil {
				sorted, table, err = grouping.Part(ctx, sorted[:0], table, rows)
			}
			if err == nil {
				_, err = file.Write(sorted)
			}
			if err == nil {
				_, err = to.Write(table)
			}
			if err != nil {
				return err
			}
			table = table[:0]
		}
		m.Vectors.CRC = sum.Sum32()
		return file.Sync()
	})
}

// compared are the vectors of an index, as they are in its file, with lists if it has them.
type compared struct {
	*mips.Rows
	data  []byte
	lists *mips.Lists
}

// write writes the vectors in the order of the sentences.
func (c *compared) write(ctx context.Context, w io.Writer) (err error) {
	if c.lists == nil {
		_, err = w.Write(c.data)
		return err
	}
	var part []byte
	for i := range c.lists.Parts() {
		if part, err = c.lists.Part(part[:0], i); err == nil {
			err = ctx.Err()
		}
		if err == nil {
			_, err = w.Write(part)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// mappedRows are the vectors of an index, mapped when they are first asked for.
type mappedRows struct {
	mu   sync.Mutex
	rows *compared
	own  [][]byte // what is mapped
}

// of maps the vectors. Their checksum is compared, those of lists when they are looked at.
func (m *mappedRows) of(x *Index) (*compared, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rows != nil {
		return m.rows, nil
	}
	v := x.manifest.Vectors
	data, err := m.mapped(x, vectorsFile, x.Sentences*int64(mips.Size(v.Dim)))
	if err != nil {
		return nil, err
	}
	name, summed := vectorsFile, data
	if v.Lists {
		name = listsFile
		if summed, err = m.mapped(x, name, -1); err != nil {
			return nil, err
		}
	}
	if crc32.Checksum(summed, castagnoli) != v.CRC {
		return nil, changed(filepath.Join(x.dir, name))
	}
	c := &compared{data: data}
	if c.Rows, err = mips.Of(data, v.Dim); err == nil && v.Lists {
		c.lists, err = mips.OpenLists(data, summed, v.Dim)
	}
	if err == nil {
		m.rows = c
	}
	return c, err
}

func changed(path string) error {
	return fmt.Errorf("search: %s: it is not what was written: %w", path, ErrDamaged)
}

// changed is an error of rows, with the file's name if they are not what was written.
func (x *Index) changed(err error) error {
	if errors.Is(err, mips.ErrDamaged) {
		return changed(filepath.Join(x.dir, vectorsFile))
	}
	return err
}

// mapped maps a file of the index, which has so many bytes; any number if size < 0.
func (m *mappedRows) mapped(x *Index, name string, size int64) (data []byte, err error) {
	path := filepath.Join(x.dir, name)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("search: %w: %w", err, ErrDamaged)
	}
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	if size < 0 {
		size = info.Size()
	}
	if info.Size() != size || int64(int(size)) != size {
		return nil, fmt.Errorf("search: %s: it has %d bytes, expected %d: %w", path, info.Size(), size, ErrDamaged)
	}
	if size == 0 {
		return nil, nil
	}
	data, err = mapped.Map(f, int(size))
	if errors.Is(err, errors.ErrUnsupported) {
		data, err = bounded.ReadAll(f, size, bounded.Share(1))
	} else if err == nil {
		m.own = append(m.own, data)
	}
	if err != nil {
		return nil, fmt.Errorf("search: %s: %w", path, err)
	}
	return data, nil
}

func (m *mappedRows) close() (err error) {
	for _, memory := range m.own {
		err = errors.Join(err, mapped.Unmap(memory))
	}
	m.rows, m.own = nil, nil
	return err
}

// nearest returns the n rows with the largest inner products with a vector as hits with their positions, and the number
// of rows that it has looked at: all, or without exact, if there are lists, those of a part of these.
func (x *Index) nearest(ctx context.Context, vector []float32, n int, exact bool) ([]Hit, int64, error) {
	rows, err := x.rows.of(x)
	if err != nil {
		return nil, 0, err
	}
	var near []mips.Hit
	looked := rows.Len()
	if rows.lists == nil {
		near, err = rows.Nearest(ctx, vector, n)
	} else {
		probes := rows.lists.Len()
		if !exact {
			probes = mips.DefaultProbes(probes)
		}
		near, looked, err = rows.lists.Nearest(ctx, vector, n, probes)
	}
	hits := make([]Hit, len(near))
	for i, h := range near {
		hits[i] = Hit{Distance: 1 - h.Score, Position: int64(h.Row)}
	}
	return hits, int64(looked), x.changed(err)
}
