package search

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"contextmover/cmdlib/mips"
	"contextmover/internal/atomicfile"
	"contextmover/internal/disk"
)

// newName is that of a segment's file: numbers grow, so that no name comes twice.
func (m *manifest) newName() string {
	last := 0
	for _, g := range m.Segments {
		if n, err := strconv.Atoi(strings.TrimSuffix(g.File, segmentExtension)); err == nil {
			last = max(last, n)
		}
	}
	return fmt.Sprintf("%06d%s", last+1, segmentExtension)
}

// compact joins the last segments into one while the one before is at most twice as large, so that their number grows
// with the logarithm of what is added, and each sentence is copied about as often. The index holds the same, in the
// same order.
func (m *manifest) compact(ctx context.Context, dir string) error {
	at := len(m.Segments) - 1
	bytes, documents := m.Segments[at].Bytes, m.Segments[at].Documents.Plain
	for at > 0 {
		before := m.Segments[at-1]
		if v, w := before.Vectors, m.Segments[at].Vectors; (v == nil) != (w == nil) ||
			v != nil && (v.Space != w.Space || v.Dim != w.Dim) {
			break
		}
		if before.Bytes > 2*bytes || documents+before.Documents.Plain > mostDocuments {
			break
		}
		at--
		bytes, documents = bytes+before.Bytes, documents+before.Documents.Plain
	}
	if at == len(m.Segments)-1 {
		return nil
	}
	g, err := joinSegments(ctx, dir, m.newName(), m.Segments[at:])
	if err != nil {
		return err
	}
	m.Segments = append(slices.Clip(m.Segments[:at]), g)
	return nil
}

// joinSegments writes a segment with all that others have, one after the other.
func joinSegments(ctx context.Context, dir, name string, list []segment) (segment, error) {
	g := segment{File: name, Bytes: int64(len(segmentMark))}
	x := &Index{dir: dir, manifest: &manifest{Segments: list}}
	defer x.Close()
	var documents sectionWriter
	var directory []byte
	for i := range list {
		if err := x.openSegment(i); err != nil {
			return g, err
		}
		found, err := x.documentsOf(i, g.Sentences, nil)
		if err != nil {
			return g, err
		}
		for _, d := range found {
			documents.append(d)
		}
		raw, err := x.directory(i)
		if err != nil {
			return g, err
		}
		directory = append(directory, raw...)
		g.Blocks, g.Sentences = g.Blocks+list[i].Blocks, g.Sentences+list[i].Sentences
		g.Sources = append(g.Sources, list[i].Sources...)
	}
	packed, s := documents.packed()
	g.Documents, g.Directory = s, crc32.Checksum(directory, castagnoli)
	err := atomicfile.Write(filepath.Join(dir, name), func(w *bufio.Writer) error {
		if _, err := w.WriteString(segmentMark); err != nil {
			return err
		}
		for i, from := range list {
			if err := ctx.Err(); err != nil {
				return err
			}
			length := from.blocks() - int64(len(segmentMark))
			if _, err := io.Copy(w, io.NewSectionReader(x.files[i], int64(len(segmentMark)), length)); err != nil {
				return err
			}
			g.Bytes += length
		}
		g.Bytes += int64(len(packed) + len(directory))
		_, err := w.Write(slices.Concat(packed, directory))
		return err
	})
	if err == nil && list[0].Vectors != nil {
		g.Vectors = &vectors{Space: list[0].Vectors.Space, Dim: list[0].Vectors.Dim}
		err = g.joinVectors(ctx, x)
	}
	if err != nil {
		return g, fmt.Errorf("search: %w", err)
	}
	return g, nil
}

// joinVectors writes the vectors of segments one after the other. Damage is found as it was before, by their checksums.
func (g *segment) joinVectors(ctx context.Context, x *Index) error {
	rows, err := x.rows.of(x)
	if err != nil {
		return err
	}
	err = atomicfile.Write(filepath.Join(x.dir, g.vectorsFile()), func(w *bufio.Writer) error {
		whole := crc32.New(castagnoli)
		to := io.MultiWriter(w, whole)
		for i, from := range rows {
			err := from.write(ctx, to)
			if errors.Is(err, mips.ErrDamaged) {
				err = changed(filepath.Join(x.dir, x.manifest.Segments[i].vectorsFile()))
			}
			if err != nil {
				return err
			}
		}
		g.Vectors.CRC = whole.Sum32()
		return nil
	})
	if err != nil {
		return err
	}
	return g.group(ctx, x.dir)
}

// isSegment tells whether a file's name is that of one of an index beside its manifest.
func isSegment(name string) bool {
	return slices.Contains([]string{segmentExtension, vectorsExtension, listsExtension}, filepath.Ext(name))
}

// clean removes files of sentences that the manifest in the folder does not name: what compact has joined, and what
// killed processes have left. What cannot be removed, as a file that somebody reads under Windows, is left to the next
// time.
func (m *manifest) clean(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		named := func(g segment) bool {
			return g.File == e.Name() || g.Vectors != nil &&
				(g.vectorsFile() == e.Name() || g.Vectors.Lists && g.listsFile() == e.Name())
		}
		if isSegment(e.Name()) && !slices.ContainsFunc(m.Segments, named) {
			_ = disk.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
