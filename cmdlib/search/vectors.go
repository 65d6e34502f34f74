package search

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"contextmover/cmdlib"
	"contextmover/cmdlib/internal/mapped"
	"contextmover/cmdlib/mips"
	"contextmover/internal/atomicfile"
	"contextmover/internal/bounded"
	"contextmover/internal/disk"
	"contextmover/internal/parallel"
)

// ErrNoVectors is what an error about an index is that has no vectors of the space that is to be asked by them.
var ErrNoVectors = errors.New("the index has no vectors of this space")

// vectors says what a segment has of vectors: a file beside its sentences, with a row of mips.Rows for each; if there
// are many, these are list by list (mips.Lists), and beside them is the table of the lists.
type vectors struct {
	Space string `json:"space"` // its identity
	Dim   int    `json:"dim"`
	Lists bool   `json:"lists,omitempty"`
	CRC   uint32 `json:"crc32c"` // of the rows, or of the table, which has those of the lists
}

const vectorsExtension, listsExtension = ".vectors", ".lists"

// fromLists is the number of bytes of vectors, which two threads read in 0.2 s, above which a segment has lists;
// listedRows is the number of rows that are sorted at once. Tests set them.
var fromLists, listedRows = int64(3 << 30), 1 << 18

// vectorsFile and listsFile are the names of files beside one of sentences.
func (g *segment) vectorsFile() string {
	return strings.TrimSuffix(g.File, segmentExtension) + vectorsExtension
}

func (g *segment) listsFile() string {
	return strings.TrimSuffix(g.File, segmentExtension) + listsExtension
}

// writeVectors calls write with what takes the vectors of one block after the other, and makes the file of them; with
// nil if the space makes no vectors.
func (g *segment) writeVectors(
	ctx context.Context, dir string, s *cmdlib.Space, write func(vectors io.Writer) error,
) error {
	if s.Encodes() != nil {
		return write(nil)
	}
	g.Vectors = &vectors{Space: s.Identity(), Dim: s.Dim}
	err := atomicfile.Write(filepath.Join(dir, g.vectorsFile()), func(w *bufio.Writer) error {
		sum := crc32.New(castagnoli)
		err := write(io.MultiWriter(w, sum))
		g.Vectors.CRC = sum.Sum32()
		return err
	})
	if err != nil {
		return err
	}
	return g.group(ctx, dir)
}

// group sorts the vectors of a large segment, which no manifest names yet, into lists. It takes the memory of one part.
func (g *segment) group(ctx context.Context, dir string) error {
	size, dim := int64(mips.Size(g.Vectors.Dim)), g.Vectors.Dim
	if g.Sentences*size <= fromLists {
		return nil
	}
	file, err := disk.Open(filepath.Join(dir, g.vectorsFile()))
	if err != nil {
		return err
	}
	defer file.Close()
	read := func(to []byte, row int64) error {
		_, err := file.Reader().ReadAt(to, row*size)
		return err
	}
	lists := mips.DefaultLists(int(g.Sentences))
	some := int64(mips.Sampled(int(g.Sentences), lists))
	data := make([]byte, some*size)
	for i := range some {
		if err := read(data[i*size:(i+1)*size], i*g.Sentences/some); err != nil {
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
	g.Vectors.Lists = true
	return atomicfile.Write(filepath.Join(dir, g.listsFile()), func(w *bufio.Writer) error {
		sum := crc32.New(castagnoli)
		to := io.MultiWriter(w, sum)
		table, sorted := grouping.Head(), []byte(nil)
		for at := int64(0); at < g.Sentences; at += int64(listedRows) {
			part := make([]byte, size*min(int64(listedRows), g.Sentences-at))
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
		g.Vectors.CRC = sum.Sum32()
		return file.Sync()
	})
}

// compared are the vectors of a segment, as they are in its file, with lists if it has them.
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
	rows []compared // of each segment
	own  [][]byte   // what is mapped
}

// of maps the vectors of all segments. Checksums are compared, those of lists when they are looked at.
func (m *mappedRows) of(x *Index) ([]compared, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.rows) < len(x.manifest.Segments) {
		for i := len(m.rows); i < len(x.manifest.Segments); i++ {
			rows, err := m.open(x, &x.manifest.Segments[i])
			if err != nil {
				return nil, err
			}
			m.rows = append(m.rows, rows)
		}
	}
	return m.rows, nil
}

func (m *mappedRows) open(x *Index, g *segment) (compared, error) {
	name := g.vectorsFile()
	data, err := m.mapped(x, name, g.Sentences*int64(mips.Size(g.Vectors.Dim)))
	if err != nil {
		return compared{}, err
	}
	summed := data
	if g.Vectors.Lists {
		name = g.listsFile()
		if summed, err = m.mapped(x, name, -1); err != nil {
			return compared{}, err
		}
	}
	if crc32.Checksum(summed, castagnoli) != g.Vectors.CRC {
		return compared{}, changed(filepath.Join(x.dir, name))
	}
	c := compared{data: data}
	if c.Rows, err = mips.Of(data, g.Vectors.Dim); err == nil && g.Vectors.Lists {
		c.lists, err = mips.OpenLists(data, summed, g.Vectors.Dim)
	}
	return c, err
}

func changed(path string) error {
	return fmt.Errorf("search: %s: it is not what was written: %w", path, ErrDamaged)
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

// HasVectors returns nil if the index can be searched by the vectors of its space, else what SearchVectors returns: an
// ErrNoVectors, or that the space makes none.
func (x *Index) HasVectors() error {
	if err := x.space.Encodes(); err != nil {
		return err
	}
	for _, g := range x.manifest.Segments {
		if g.Vectors == nil || g.Vectors.Space != x.space.Identity() {
			return fmt.Errorf("search: %s: %w: make it anew with this space, or search by the context mover's distance",
				x.dir, ErrNoVectors)
		}
	}
	return nil
}

// reserve is how many sentences more than are asked for are compared by vectors of float32.
const reserve = 8

// SearchVectors returns the n sentences whose vectors (cmdlib.Space.Encode) have the largest cosines with that of
// query, the largest first. Distance is 1 − cosine. Sentences are compared by vectors of 8 bits, and of the n+8
// different ones that are nearest by these the n are returned that are nearest by vectors of float32. Equal sentences
// are one.
//
// All sentences are compared, unless the vectors of a segment, which one Add has written or joined, take more than
// 3 GiB. Then those of a sixteenth of its lists are (mips.Lists), and Found is Approximate. With Exact all are.
//
// A query without any known word is a *cmdlib.UnknownError; for n < 1 and damage see Search, and for an index without
// vectors HasVectors.
func (x *Index) SearchVectors(ctx context.Context, query string, n int) (*Found, error) {
	if n < 1 {
		return nil, fmt.Errorf("search: %d are asked for, expected at least 1", n)
	}
	if err := x.HasVectors(); err != nil {
		return nil, err
	}
	asked, err := x.space.Sentences(ctx, []string{query})
	if err != nil {
		return nil, err
	}
	if len(asked[0].Words) == 0 { // they may still have vectors
		if _, err := x.space.Nearest(ctx, query, 1); err != nil {
			return nil, err
		}
	}
	vector, err := x.space.Encode(ctx, []string{query})
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(vector, func(c float32) bool { return c != 0 }) {
		_, err := x.space.Sentence(ctx, query)
		return nil, cmp.Or(err, fmt.Errorf("search: %q has no vector: its words are what all texts have", query))
	}
	rows, err := x.rows.of(x)
	if err != nil {
		return nil, err
	}
	found := &Found{Words: asked[0].Words, Unknown: asked[0].Unknown}
	places := newPlaces(x)
	want := n + reserve
	for most := 2 * want; ; most *= 4 {
		nearest, looked, err := x.nearestRows(ctx, rows, vector, most)
		if err != nil {
			return nil, err
		}
		found.Compared, found.Approximate = looked, looked < x.Sentences
		hits, err := places.distinct(nearest)
		if err != nil {
			return nil, err
		}
		// Of the last some equals may be missing.
		if whole := len(nearest) < most || most >= int(x.Sentences); !whole {
			last := nearest[len(nearest)-1].Distance
			hits = slices.DeleteFunc(hits, func(h Hit) bool { return h.Distance == last })
			if len(hits) < want {
				continue
			}
		}
		found.Nearest, err = x.rescore(ctx, places, hits[:min(len(hits), want)], vector)
		found.Nearest = found.Nearest[:min(n, len(found.Nearest))]
		return found, err
	}
}

// nearestRows returns the rows of all segments with the largest inner products as hits with their positions, and the
// number of rows that it has looked at.
func (x *Index) nearestRows(
	ctx context.Context, rows []compared, vector []float32, n int,
) (all []Hit, looked int64, err error) {
	first := int64(0)
	for i, r := range rows {
		var hits []mips.Hit
		of := r.Len()
		if r.lists == nil {
			hits, err = r.Nearest(ctx, vector, n)
		} else {
			probes := r.lists.Len()
			if !x.Exact {
				probes = mips.DefaultProbes(probes)
			}
			hits, of, err = r.lists.Nearest(ctx, vector, n, probes)
		}
		if errors.Is(err, mips.ErrDamaged) {
			err = changed(filepath.Join(x.dir, x.manifest.Segments[i].vectorsFile()))
		}
		if err != nil {
			return nil, 0, err
		}
		for _, h := range hits {
			all = append(all, Hit{Distance: 1 - h.Score, Position: first + int64(h.Row)})
		}
		first, looked = first+int64(r.Len()), looked+int64(of)
	}
	slices.SortFunc(all, nearer)
	return all[:min(n, len(all))], looked, nil
}

// rescore sets the texts of hits, and their distances by their vectors in float32, and sorts them.
func (x *Index) rescore(ctx context.Context, places *places, hits []Hit, vector []float32) ([]Hit, error) {
	err := parallel.Blocks(ctx, len(hits), 1, func(i, _ int) error { return places.fill(ctx, &hits[i]) })
	if err != nil {
		return nil, err
	}
	hits = slices.DeleteFunc(hits, func(h Hit) bool { return h.Text == "" })
	texts := make([]string, len(hits))
	for i, h := range hits {
		texts[i] = h.Text
	}
	all, err := x.space.Encode(ctx, texts)
	if err != nil {
		return nil, err
	}
	for i := range hits {
		cos := 0.0
		for j, a := range all[i*len(vector) : (i+1)*len(vector)] {
			cos += float64(float64(a) * float64(vector[j]))
		}
		hits[i].Distance = max(0, 1-cos)
	}
	slices.SortFunc(hits, nearer)
	return hits, nil
}
