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
	"contextmover/internal/parallel"
)

// ErrNoVectors is what an error about an index is that has no vectors of the space that is to be asked by them.
var ErrNoVectors = errors.New("the index has no vectors of this space")

// vectors says what a segment has of vectors: a file beside its sentences, with a row of mips.Rows for each.
type vectors struct {
	Space string `json:"space"` // its identity
	Dim   int    `json:"dim"`
	CRC   uint32 `json:"crc32c"`
}

const vectorsExtension = ".vectors"

// vectorsFile is the name of the file of vectors beside a file of sentences.
func (g *segment) vectorsFile() string {
	return strings.TrimSuffix(g.File, segmentExtension) + vectorsExtension
}

// writeVectors calls write with what takes the vectors of one block after the other, and makes the file of them; with
// nil if the space makes no vectors.
func (g *segment) writeVectors(dir string, s *cmdlib.Space, write func(vectors io.Writer) error) error {
	if s.Encodes() != nil {
		return write(nil)
	}
	g.Vectors = &vectors{Space: s.Identity(), Dim: s.Dim}
	return atomicfile.Write(filepath.Join(dir, g.vectorsFile()), func(w *bufio.Writer) error {
		sum := crc32.New(castagnoli)
		err := write(io.MultiWriter(w, sum))
		g.Vectors.CRC = sum.Sum32()
		return err
	})
}

// mappedRows are the vectors of a segment, mapped when they are first asked for.
type mappedRows struct {
	mu   sync.Mutex
	rows []*mips.Rows // of each segment
	own  [][]byte     // what is mapped
}

// of maps the vectors of all segments, and compares their checksums.
func (m *mappedRows) of(x *Index) ([]*mips.Rows, error) {
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

func (m *mappedRows) open(x *Index, g *segment) (*mips.Rows, error) {
	path := filepath.Join(x.dir, g.vectorsFile())
	size := g.Sentences * int64(mips.Size(g.Vectors.Dim))
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
	if info.Size() != size || int64(int(size)) != size {
		return nil, fmt.Errorf("search: %s: it has %d bytes, expected %d: %w", path, info.Size(), size, ErrDamaged)
	}
	var data []byte
	if size > 0 {
		data, err = mapped.Map(f, int(size))
		if errors.Is(err, errors.ErrUnsupported) {
			data, err = bounded.ReadAll(f, size, bounded.Share(1))
		} else if err == nil {
			m.own = append(m.own, data)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("search: %s: %w", path, err)
	}
	if crc32.Checksum(data, castagnoli) != g.Vectors.CRC {
		return nil, fmt.Errorf("search: %s: it is not what was written: %w", path, ErrDamaged)
	}
	return mips.Of(data, g.Vectors.Dim)
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
// query, the largest first. Distance is 1 − cosine. All sentences are compared, by vectors of 8 bits, and of the n+8
// different ones that are nearest by these the n are returned that are nearest by vectors of float32. Equal sentences
// are one.
//
// A query without words is a *cmdlib.UnknownError; for n < 1 and damage see Search, and for an index without vectors
// HasVectors.
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
	found := &Found{Words: asked[0].Words, Unknown: asked[0].Unknown, Compared: x.Sentences}
	places := newPlaces(x)
	want := n + reserve
	for most := 2 * want; ; most *= 4 {
		nearest, err := nearestRows(ctx, rows, vector, most)
		if err != nil {
			return nil, err
		}
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

// nearestRows returns the rows of all segments with the largest inner products as hits with their positions.
func nearestRows(ctx context.Context, rows []*mips.Rows, vector []float32, n int) ([]Hit, error) {
	var all []Hit
	first := int64(0)
	for _, r := range rows {
		hits, err := r.Nearest(ctx, vector, n)
		if err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		for _, h := range hits {
			all = append(all, Hit{Distance: 1 - h.Score, Position: first + int64(h.Row)})
		}
		first += int64(r.Len())
	}
	slices.SortFunc(all, nearer)
	return all[:min(n, len(all))], nil
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
