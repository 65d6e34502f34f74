package entailment

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"contextmover/cmdlib/internal/draw"
	"contextmover/cmdlib/internal/parallel"
	"contextmover/cmdlib/sparse"
)

// A sampler draws co-occurrences from a matrix of counts that is cut into
// parts×parts blocks of words and contexts.
type sampler struct {
	counts *sparse.Matrix[float64]
	p      Params
	parts  int
	// part and position tell where a word lies: position first[q] to first[q+1] is part q.
	part     []uint8
	position []int32
	first    []int32
	word     []int32 // by position
	keep     []float64
	perPass  float64 // draws per kept count
	// noise draws a context of each part.
	noise []draw.Alias
	// drawn[r][c] holds what was drawn last for the words of part r and the contexts of part c.
	drawn [][]sample
}

// A sample is a list of co-occurrences, those of one word together.
type sample struct {
	runs     []run
	contexts []int32 // positions
}

type run struct {
	word int32 // position
	n    int32
}

// Random streams: what for, which pass, which part.
const (
	diagonalStream = iota
	drawStream
	orderStream
	negativeStream
	startStream
)

func stream(purpose, pass, part int) uint64 {
	return uint64(pass)<<32 | uint64(part)<<8 | uint64(purpose)
}

const (
	maxParts     = 32
	wordsPerPart = 64
)

func newSampler(ctx context.Context, counts *sparse.Matrix[float64], p Params) (*sampler, error) {
	if err := counts.Validate(); err != nil {
		return nil, fmt.Errorf("entailment: %w", err)
	}
	n := counts.Rows
	switch {
	case n != counts.Cols:
		return nil, fmt.Errorf("entailment: counts of %d words in %d contexts, expected a square matrix", n, counts.Cols)
	case counts.NonZeros() == 0:
		return nil, errEmpty
	}
	s := &sampler{counts: counts, p: p, parts: min(max(n/wordsPerPart, 1), maxParts)}

	rows, columns := make([]float64, n), make([]float64, n)
	total := 0.0
	for i := range n {
		index, values := counts.Row(i)
		for e, j := range index {
			x := values[e]
			if !(x > 0) || math.IsInf(x, 0) {
				return nil, fmt.Errorf("entailment: word %d, context %d: the count is %v, expected a positive number", i, j, x)
			}
			rows[i] += x
			columns[j] += x
			total += x
		}
	}
	s.keep = make([]float64, n)
	for i := range s.keep {
		s.keep[i] = 1
		if f := (rows[i] + columns[i]) / (2 * total); p.Subsample > 0 && f > p.Subsample {
			s.keep[i] = math.Sqrt(p.Subsample / f)
		}
	}
	kept := 0.0
	for i := range n {
		index, values := counts.Row(i)
		sum := 0.0
		for e, j := range index {
			sum += values[e] * s.keep[j]
		}
		kept += s.keep[i] * sum
	}
	s.perPass = float64(p.Samples) / float64(p.Passes) / kept
	// Parts that weigh the same have about the same number of co-occurrences, and negatives drawn
	// from a part are about as frequent as those drawn from all.
	weight := make([]float64, n)
	for i := range weight {
		weight[i] = rows[i] + columns[i]
	}
	s.word, s.position, s.first = parallel.Balanced(weight, s.parts)
	s.part = make([]uint8, n)
	for q := range s.parts {
		for _, w := range s.word[s.first[q]:s.first[q+1]] {
			s.part[w] = uint8(q)
		}
	}
	for q := range s.parts {
		weights := make([]float64, s.first[q+1]-s.first[q])
		for i := range weights {
			weights[i] = math.Pow(columns[s.word[int(s.first[q])+i]], p.Noise)
		}
		s.noise = append(s.noise, draw.NewAlias(weights))
	}
	s.drawn = make([][]sample, s.parts)
	for q := range s.drawn {
		s.drawn[q] = make([]sample, s.parts)
	}
	return s, nil
}

// draw fills drawn: of a count X it draws the whole part of perPass·X and one more with
// the probability of the rest.
func (s *sampler) draw(ctx context.Context, pass int) error {
	return parallel.Blocks(ctx, s.parts, 1, func(q, _ int) error {
		random := rand.New(rand.NewPCG(s.p.Seed, stream(drawStream, pass, q)))
		blocks := s.drawn[q]
		for c := range blocks {
			blocks[c].runs, blocks[c].contexts = blocks[c].runs[:0], blocks[c].contexts[:0]
		}
		words := append([]int32(nil), s.word[s.first[q]:s.first[q+1]]...)
		random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		before := make([]int, s.parts)
		for _, w := range words {
			for c := range blocks {
				before[c] = len(blocks[c].contexts)
			}
			index, values := s.counts.Row(int(w))
			scale := s.perPass * s.keep[w]
			for e, j := range index {
				x := scale*s.keep[j]*values[e] + random.Float64()
				if x < 1 {
					continue
				}
				b := &blocks[s.part[j]]
				for range int(x) {
					b.contexts = append(b.contexts, s.position[j])
				}
			}
			for c := range blocks {
				b := &blocks[c]
				if k := len(b.contexts) - before[c]; k > 0 {
					b.runs = append(b.runs, run{s.position[w], int32(k)})
					of := b.contexts[before[c]:]
					random.Shuffle(k, func(i, j int) { of[i], of[j] = of[j], of[i] })
				}
			}
		}
		return nil
	})
}
