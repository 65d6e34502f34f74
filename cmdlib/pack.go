package cmdlib

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/internal/quantised"
)

// histogramLevels is the largest code of a bin, keptNames the number of words that are kept for the name of one.
const (
	histogramLevels = 1<<10 - 1
	keptNames       = 16
)

// packHistogram returns the codes of a histogram h, 0 for a bin without mass: with m = max h and L = histogramLevels,
//
//	code_k = round(L √(h_k/m)),    h'_k = code_k² / Σ code²                            (1)
//
// The root gives small masses, of which there are many, smaller steps. |√(h_k/m) − code_k/L| ≤ 1/(2L), so with
// Σ √h_k ≤ √K the L1 distance of h and h' is at most 2 (√(mK)/L + mK/(4L²)).
func packHistogram(h []float32) []uint16 {
	codes := make([]uint16, len(h))
	if m := float64(slices.Max(h)); m > 0 {
		for k, x := range h {
			codes[k] = uint16(math.Round(histogramLevels * math.Sqrt(float64(x)/m)))
		}
	}
	return codes
}

// Packing says what of a space is packed.
type Packing struct {
	// Words is the number of words that are packed with their estimates, the first ones, 0
	// for all. Vectors is that of words that are packed with their vectors: those beyond
	// Words have no estimate, but take part in Encode, and are contexts. 0 stands for Words.
	Words, Vectors int
	// Dim is the number of dimensions of vectors and centroids, the first ones, 0
	// for all. Singular vectors have most in the first; of others all are needed.
	Dim int
	// Bits are those of a number of a vector, 3, 4 or 8; 0 stands for 8.
	Bits int
	// Calibrate, if not nil, returns the calibration of the packed
	// space, which it is given; else it is that of the space.
	Calibrate func(packed *Space) (*Calibration, error)
	// Keep, if not nil, tells which words are packed.
	Keep func(word string) bool
}

// Pack writes a space of some words to one small file, which Open takes too. What is asked of it is answered as
// by s, with histograms of fewer digits, and vectors in 3, 4 or 8 bits. Words weigh in sentences as in s. It has
// no words that s has learned. Estimate takes the words that are left for contexts. A space at path is replaced.
//
// It is an error if no word is left, where Replaceable returns one, and where writing fails.
func (s *Space) Pack(ctx context.Context, path string, p Packing) error {
	if err := Replaceable(path); err != nil {
		return err
	}
	packed, err := s.packed(ctx, p)
	if err == nil {
		err = packed.write(ctx, path)
	}
	if err != nil {
		return fmt.Errorf("cmdlib: packing a space: %w", err)
	}
	return nil
}

// chosen are the words that are packed.
type chosen struct {
	ids       []int32 // of the space
	place     []int32 // of each word of the space in ids, 1 more; 0 for a word that is left out
	estimated []uint8 // 1 for each word of ids that keeps its estimate
}

// choose returns the words that are packed.
func (s *Space) choose(p Packing) chosen {
	c := chosen{place: make([]int32, s.OwnWords())}
	words := cmp.Or(p.Words, math.MaxInt)
	vectors := cmp.Or(p.Vectors, words)
	row := make([]float32, s.Dim)
	for id := range int32(len(c.place)) {
		if p.Keep != nil && !p.Keep(s.Words[id]) {
			continue
		}
		estimated := words > 0 && s.estimated[id] != 0
		if !estimated && (vectors <= 0 || !s.Vector(row, id)) {
			continue
		}
		has := uint8(0)
		if estimated {
			words--
			has = 1
		}
		vectors--
		c.ids, c.estimated = append(c.ids, id), append(c.estimated, has)
		c.place[id] = int32(len(c.ids))
	}
	return c
}

// packed returns what the file of the packed space holds.
func (s *Space) packed(ctx context.Context, p Packing) (*stored, error) {
	c := s.choose(p)
	f := &stored{
		manifest: manifest{
			Text: corpus.Form, Packed: true, Words: len(c.ids), Bins: s.Cost.K, Dim: cmp.Or(p.Dim, s.Dim),
			Tokens: s.tokens, Settings: s.Settings, Calibration: s.Calibration, Provenance: s.Provenance,
		},
		cost: s.Cost.Data,
	}
	for _, has := range c.estimated {
		f.Estimated += int(has)
	}
	switch {
	case f.Estimated == 0:
		return nil, errors.New("no word is left")
	case p.Bits != 0 && !quantised.Valid(p.Bits):
		return nil, fmt.Errorf("vectors of %d bits, expected 3, 4 or 8", p.Bits)
	case p.Dim < 0 || p.Dim > s.Dim:
		return nil, fmt.Errorf("%d dimensions of vectors that have %d", p.Dim, s.Dim)
	}
	s.packWords(f, c)
	if err := s.packEstimates(ctx, f, c); err != nil {
		return nil, err
	}
	if s.HasVectors() {
		vectors, lengths := s.packedVectors(c.ids, f.Dim, cmp.Or(p.Bits, 8))
		f.Bits, f.factors, f.vectorCodes, f.lengths = vectors.Bits, vectors.Factors, vectors.Codes, lengths
		f.directions = s.directions
		if s.components != nil {
			f.Shares = s.components.Shares
		}
		if s.components != nil && f.Dim < s.Dim {
			var err error
			if f.directions, f.Shares, err = s.fitted(ctx, f.Dim); err != nil {
				return nil, err
			}
		}
	}
	// Random pairs are drawn of the words that are left, as they are once packed.
	space, err := f.drawn(ctx)
	if err != nil {
		return nil, err
	}
	if p.Calibrate != nil {
		f.Identity = f.identity()
		f.Calibration, err = p.Calibrate(space)
	}
	return f, err
}

// packWords sets the words that are chosen, the centroids and the names.
func (s *Space) packWords(f *stored, c chosen) {
	words, counts := make([]string, len(c.ids)), make([]int64, len(c.ids))
	for i, id := range c.ids {
		words[i], counts[i] = s.Words[id], s.Counts[id]
	}
	f.vocabulary, f.estimated = wordLines(words, counts), c.estimated
	f.names = slices.Repeat([]int32{-1}, f.Bins*keptNames)
	for bin := range f.Bins {
		f.centroids = append(f.centroids, s.Centroids[bin*s.Dim:bin*s.Dim+f.Dim]...)
		for i, id := range s.name(bin, func(id int32) bool { return c.place[id] > 0 }) {
			f.names[bin*keptNames+i] = c.place[id] - 1
		}
	}
}

// packEstimates sets the histograms of the words that are chosen, and what they were made from.
func (s *Space) packEstimates(ctx context.Context, f *stored, c chosen) error {
	own, err := s.estimates()
	if err != nil {
		return err
	}
	if len(own.assignment) > 0 {
		f.Sources, f.Reference = sourcesWidth, s.reference
	}
	for i, id := range c.ids {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if f.Sources > 0 {
			f.assignment = append(f.assignment, own.assignment[id])
		}
		if f.Reference != nil {
			f.marginals = append(f.marginals, s.reference.Marginals[id])
		}
		if c.estimated[i] == 0 {
			continue
		}
		f.codes = append(f.codes, packHistogram(own.Row(int(id)))...)
		for at := int(id) * f.Sources; at < (int(id)+1)*f.Sources; at++ {
			source, share := int32(-1), uint8(0)
			if w := own.sources[at]; w >= 0 && int(w) < len(c.place) && c.place[w] > 0 {
				source, share = c.place[w]-1, uint8(math.Round(255*float64(max(0, min(1, own.shares[at])))))
			}
			f.sources, f.packedShares = append(f.sources, source), append(f.packedShares, share)
		}
	}
	return nil
}

// unpackHistogram sets the row of a word by (1), and reports whether there is mass in it.
func unpackHistogram(row []float32, codes []uint16) bool {
	sum := 0.0
	for k, code := range codes {
		if code > 0 {
			c := float64(code)
			row[k] = float32(c * c)
			sum += float64(c * c)
		}
	}
	if sum > 0 {
		for k := range row {
			row[k] = float32(float64(row[k]) / sum)
		}
	}
	return sum > 0
}
