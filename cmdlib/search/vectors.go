package search

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"contextmover/cmdlib"
	"contextmover/cmdlib/npy"
	"contextmover/cmdlib/search/internal/mips"
	"contextmover/internal/atomicfile"
	"contextmover/internal/disk"
)

// vectors says what an index has of vectors: a row of mips.Rows for each sentence; if there are many, these are list by
// list (mips.Lists), and another member is the table of the lists.
type vectors struct {
	// Method is the one of the space that makes them, with its settings.
	Method string `json:"method"`
	Dim    int    `json:"dim"`
	Lists  bool   `json:"lists,omitempty"`
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
	sample, err := mips.NewRows(data, dim)
	if err != nil {
		return err
	}
	grouping, err := mips.NewGrouping(ctx, sample, lists, listedRows)
	if err != nil {
		return ctx.Err() // nearly all sentences are the same: they are compared without lists
	}
	m.Vectors.Lists = true
	return atomicfile.Write(filepath.Join(dir, listsFile), func(w *bufio.Writer) error {
		table, sorted := grouping.Head(), []byte(nil)
		for at := int64(0); at < m.Sentences; at += int64(listedRows) {
			part := make([]byte, size*min(int64(listedRows), m.Sentences-at))
			rows, err := mips.NewRows(part, dim)
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
				_, err = w.Write(table)
			}
			if err != nil {
				return err
			}
			table = table[:0]
		}
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

// readRows reads the vectors. Their checksum is compared, those of lists when they are looked at.
func (x *Index) readRows() (*compared, error) {
	c, v := new(compared), x.manifest.Vectors
	get, size := x.file.Bytes, mips.Size(v.Dim)
	if v.Lists {
		get = x.file.Mapped
	}
	content, err := get(vectorsFile)
	if err == nil {
		var shape []int
		shape, c.data, err = npy.View[uint8](content)
		if want := []int{int(x.Sentences), size}; err == nil && !slices.Equal(shape, want) {
			err = fmt.Errorf("it has the shape %v, expected %v", shape, want)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", vectorsFile, err)
		}
	}
	if err == nil {
		c.Rows, err = mips.NewRows(c.data, v.Dim)
	}
	if err == nil && v.Lists {
		var table []byte
		if table, err = x.file.Bytes(listsFile); err == nil {
			c.lists, err = mips.OpenLists(c.data, table, v.Dim)
		}
	}
	if err != nil {
		return nil, damage(x.path, err)
	}
	return c, nil
}

// changed is an error of rows, with the file's name if they are not what was written.
func (x *Index) changed(err error) error {
	if errors.Is(err, mips.ErrDamaged) {
		return damage(x.path, fmt.Errorf("%s: %w", vectorsFile, err))
	}
	return err
}

// nearest returns the n rows with the largest inner products with a vector as hits with their positions, and the number
// of rows that it has looked at: all, or without exact, if there are lists, those of a part of these.
func (x *Index) nearest(ctx context.Context, vector []float32, n int, exact bool) ([]Hit, int64, error) {
	rows, err := x.rows()
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
