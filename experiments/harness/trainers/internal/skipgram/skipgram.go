// Package skipgram trains on co-occurrences that are drawn from counts, each with contexts drawn against it
// [skip-gram with negative sampling, Mikolov et al. 2013].
//
// The words are dealt to parts, which cut the matrix of counts into blocks. The blocks of a diagonal share neither a
// word nor a context, so they are trained at once, one diagonal after the other. The result does not depend on the
// number of threads.
package skipgram

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"contextmover/cmdlib/sparse"
	"contextmover/experiments/harness/trainers"
	"contextmover/experiments/harness/trainers/internal/draw"
	"contextmover/internal/elementary"
	"contextmover/internal/parallel"
)

// Params are what and how much is drawn; those who train have checked them.
type Params struct {
	// Passes is the number of passes over the counts, at least 1; Samples the number of co-occurrences that are drawn
	// in all of them together, about, at least 1.
	Passes  int
	Samples int64
	// Noise ≥ 0: contexts are drawn against a word with probabilities proportional to their count to this power.
	Noise float64
	// Subsample is t > 0: of a word with the share f of all counts, the share min(1, √(t/f)) is used, on both sides
	// [word2vec]. 0 uses all.
	Subsample float64
	// Filter is k_f ≥ 0: a co-occurrence is left out where its count is below k_f times that of independent words, (sum
	// of the word's counts)·(sum of the context's)/(sum of all) [the PMI filter of Chang et al. 2018, section 2.3].
	Filter float64
	Seed   uint64
}

// A Sampler draws co-occurrences from a square matrix of counts.
type Sampler struct {
	trainers.Deal
	counts *sparse.Matrix[float64]
	p      Params
	// Kept is the sum of the counts of each word that are drawn from, by word: those that pass the filter, and of these
	// what subsampling keeps; Total is the sum of all counts.
	Kept    []float64
	Total   float64
	rows    []float64 // sums
	columns []float64
	keep    []float64
	perPass float64 // draws per kept count
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

// What random numbers are for. What a seed gives depends on these numbers; 0 is that of trainers.Training.
const (
	drawStream     = 1
	negativeStream = 3
	startStream    = 4
)

const maxParts = 32

// New returns a sampler of counts, whose stored entries have to be positive finite numbers. An error tells which
// setting or count is bad, or that nothing is left to draw.
func New(ctx context.Context, counts *sparse.Matrix[float64], p Params) (*Sampler, error) {
	if p.Samples < 1 {
		return nil, fmt.Errorf("samples %d, expected 1 or more", p.Samples)
	}
	if err := trainers.Check(counts); err != nil {
		return nil, err
	}
	n := counts.Rows
	s := &Sampler{
		counts: counts, p: p, rows: make([]float64, n), columns: make([]float64, n),
	}
	for i := range n {
		index, values := counts.Row(i)
		for e, j := range index {
			x := values[e]
			s.rows[i] += x
			s.columns[j] += x
			s.Total += x
		}
	}
	s.keep = make([]float64, n)
	for i := range s.keep {
		s.keep[i] = 1
		if f := (s.rows[i] + s.columns[i]) / (2 * s.Total); p.Subsample > 0 && f > p.Subsample {
			s.keep[i] = math.Sqrt(p.Subsample / f)
		}
	}
	s.Kept = make([]float64, n)
	kept := 0.0
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		index, values := counts.Row(i)
		least := s.least(int32(i))
		sum := 0.0
		for e, j := range index {
			if values[e] >= least*s.columns[j] {
				sum += float64(values[e] * s.keep[j])
			}
		}
		s.Kept[i] = s.keep[i] * sum
		kept += s.Kept[i]
	}
	if kept == 0 {
		return nil, fmt.Errorf("no count is at least %v times that of independent words, so there is nothing to "+
			"learn: take a lower filter", p.Filter)
	}
	s.perPass = float64(p.Samples) / float64(p.Passes) / kept
	// Parts that weigh the same have about the same number of co-occurrences, and negatives drawn
	// from a part are about as frequent as those drawn from all.
	weight := make([]float64, n)
	for i := range weight {
		weight[i] = s.rows[i] + s.columns[i]
	}
	s.Deal = trainers.NewDeal(weight, maxParts, p.Seed)
	for q := range s.Parts {
		var weights []float64
		for _, word := range s.In(q) {
			weights = append(weights, elementary.Pow(s.columns[word], p.Noise))
		}
		s.noise, s.drawn = append(s.noise, draw.NewAlias(weights)), append(s.drawn, make([]sample, s.Parts))
	}
	return s, nil
}

// least is what a count of the word has to be at least, for each unit of its context's sum.
func (s *Sampler) least(word int32) float64 { return s.p.Filter * s.rows[word] / s.Total }

// Start calls f for each position of words and contexts, as trainers.Deal does.
func (s *Sampler) Start(ctx context.Context, f func(side int, at int32, random *rand.Rand) error) error {
	return s.Deal.Start(ctx, startStream, f)
}

// draw fills drawn: of a count X it draws the whole part of perPass·X and one more with
// the probability of the rest.
func (s *Sampler) draw(ctx context.Context, pass int) error {
	return parallel.Blocks(ctx, s.Parts, 1, func(q, _ int) error {
		random := rand.New(s.Random(drawStream, pass, q))
		blocks := s.drawn[q]
		for c := range blocks {
			blocks[c].runs, blocks[c].contexts = blocks[c].runs[:0], blocks[c].contexts[:0]
		}
		words := slices.Clone(s.In(q))
		random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		before := make([]int, s.Parts)
		for _, w := range words {
			if err := ctx.Err(); err != nil { // a part of a large matrix takes a while
				return err
			}
			for c := range blocks {
				before[c] = len(blocks[c].contexts)
			}
			index, values := s.counts.Row(int(w))
			least, scale := s.least(w), s.perPass*s.keep[w]
			for e, j := range index {
				if values[e] < least*s.columns[j] {
					continue
				}
				x := float64(scale*s.keep[j]*values[e]) + float64(random.Float64())
				if x < 1 {
					continue
				}
				b := &blocks[s.Part[j]]
				for range int(x) {
					b.contexts = append(b.contexts, s.Positions[j])
				}
			}
			for c := range blocks {
				b := &blocks[c]
				if k := len(b.contexts) - before[c]; k > 0 {
					b.runs = append(b.runs, run{s.Positions[w], int32(k)})
					of := b.contexts[before[c]:]
					random.Shuffle(k, func(i, j int) { of[i], of[j] = of[j], of[i] })
				}
			}
		}
		return nil
	})
}

// A Block is what one worker trains on at a time.
type Block struct {
	sample
	// Left is the share of the training that is still to come, from 1 to 1e-4: what a rate that falls linearly is
	// multiplied by.
	Left float64

	noise  draw.Alias
	first  int32
	random *rand.PCG
}

// Pairs yields the co-occurrences, as positions of word and context, those of a word together.
func (b *Block) Pairs(yield func(word, context int32) bool) {
	contexts := b.contexts
	for _, run := range b.runs {
		for _, c := range contexts[:run.n] {
			if !yield(run.word, c) {
				return
			}
		}
		contexts = contexts[run.n:]
	}
}

// Negative draws a context.
func (b *Block) Negative() int32 { return b.first + b.noise.Draw(b.random.Uint64()) }

// Train trains in passes as t says but for what the sampler knows; train returns the sum of the losses of a block, of
// co-occurrences with their negatives.
func (s *Sampler) Train(
	ctx context.Context, train func(b *Block) float64, t trainers.Training,
) (*trainers.Result, error) {
	t.Deal, t.Passes, t.Pass, t.Total, t.Before = s.Deal, s.p.Passes, "pass", s.p.Samples, s.draw
	t.Block = func(pass, row, column int, done int64) (float64, int64) {
		drawn := s.drawn[row][column]
		return train(&Block{
			sample: drawn, Left: max(1e-4, 1-float64(done)/float64(s.p.Samples)), noise: s.noise[column],
			first: s.First[column], random: s.Random(negativeStream, pass, row*s.Parts+column),
		}), int64(len(drawn.contexts))
	}
	return t.Run(ctx)
}
