package sent2vec

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"

	"contextmover/cmdlib/corpus"
	"contextmover/experiments/harness/trainers"
	"contextmover/experiments/harness/trainers/internal/draw"
	"contextmover/internal/parallel"
)

// readers is the number of sentences of a step: 64, and less where there are so few words that the sentences of a
// step would move the same ones over and over.
func readers(words int) int { return min(max(words/64, 1), 64) }

// longest is the number of words that a sentence is cut at.
const longest = 256

// Random streams: what for. The rest of a stream's number is a place in the text and an epoch, or a row.
const (
	sentenceStream = iota
	startStream
)

// Result is what a training makes: vectors of words, and of the buckets of n-grams, and the losses of a word predicted
// with its negatives.
type Result struct {
	trainers.Result
	Grams []float32
}

// Source is what is trained on.
type Source struct {
	Text corpus.Text
	// Vocabulary has the words that get vectors. One without rare words keeps the memory small.
	Vocabulary *corpus.Vocabulary
	// Scratch is the folder of a temporary file, in which the text lies as numbers meanwhile, 4 bytes per token.
	Scratch string
}

// Train fits vectors to the sentences of a text with at least two words of the vocabulary; other words are left out, as
// if their neighbours stood side by side.
//
// progress is told how many tokens of all epochs are done, from one goroutine; it may be nil.
//
// An error tells which parameter is bad, what reading the text met (see corpus.Text), or in which epoch the loss
// stopped being a number. It is also an error if the text has fewer than two different words.
func Train(
	ctx context.Context, from Source, p Params, progress func(done, total int64),
) (result *Result, err error) {
	v := from.Vocabulary
	if err := p.Validate(); err != nil {
		return nil, err
	}
	defer trainers.Named("sent2vec", &err)
	encoded, err := corpus.Encode(ctx, from.Text, v, filepath.Join(from.Scratch, "text"), nil)
	if err != nil {
		return nil, err
	}
	defer encoded.Close()
	t, err := newTrainer(encoded.Occurrences, encoded.Stats.Tokens, p)
	if err != nil {
		return nil, err
	}
	if err := t.start(ctx); err != nil {
		return nil, err
	}
	result = new(Result)
	total := encoded.Stats.Known * int64(p.Epochs)
	var done int64
	for epoch := range p.Epochs {
		loss, targets := 0.0, 0
		cursors := cut(encoded.IDs, readers(v.Len()))
		for {
			step := next(cursors, encoded.IDs)
			if len(step) == 0 {
				break
			}
			rate := p.Rate * (1 - float64(done)/float64(total))
			if err := t.step(ctx, epoch, step, rate); err != nil {
				return nil, err
			}
			for _, s := range step {
				done += int64(len(s.words))
				loss += s.loss
				targets += s.targets
			}
			if math.IsNaN(loss) || math.IsInf(loss, 0) {
				return nil, trainers.Diverged("epoch", epoch, p.Epochs)
			}
			if progress != nil {
				progress(done, total)
			}
		}
		result.Add("epoch", loss/float64(max(targets, 1)))
	}
	result.Vectors, result.Grams = t.vectors(1, t.words), t.vectors(t.words, t.inputs())
	return result, nil
}

// newTrainer makes a trainer of words with these counts in a text of so many tokens.
func newTrainer(counts []int64, tokens int64, p Params) (*trainer, error) {
	n := len(counts) + 1
	t := &trainer{model: newModel(p, n), keep: make([]float64, n)}
	weights := make([]float64, n)
	there := 0
	for i, n := range counts {
		weights[i+1] = math.Sqrt(float64(n))
		if n > 0 {
			there++
			if n >= p.MinTarget {
				r := p.Subsample * float64(tokens) / float64(n)
				t.keep[i+1] = math.Sqrt(r) + r
			}
		}
	}
	if there < 2 {
		return nil, errors.New("less than two words of the vocabulary are in the text, so there is nothing " +
			"to tell apart; does the vocabulary belong to it?")
	}
	t.negative = draw.NewAlias(weights).Draw
	return t, nil
}

// start draws the input rows uniform in ±1/Dim; those of outputs start at 0.
func (t *trainer) start(ctx context.Context) error {
	return parallel.Blocks(ctx, t.inputs(), 1024, func(lo, hi int) error {
		width := 2 / float32(t.p.Dim)
		for i := lo; i < hi; i++ {
			random := rand.NewPCG(t.p.Seed, uint64(i)<<1+startStream)
			row := t.row(i)[:t.p.Dim]
			for k := 0; k < len(row); k += 2 {
				bits := random.Uint64()
				row[k] = (float32(float32(bits>>40)/(1<<24)) - 0.5) * width
				if k+1 < len(row) {
					row[k+1] = (float32(float32(bits<<24>>40)/(1<<24)) - 0.5) * width
				}
			}
		}
		return nil
	})
}

// A cursor is a reader's place in its part of the text, and the part's end.
type cursor struct {
	at, end int
	sentence
}

// cut deals the text to n readers at most, in parts of about the same length that end between sentences.
func cut(ids []int32, n int) []*cursor {
	var cursors []*cursor
	from := 1
	for r := range n {
		to := max(from, len(ids)*(r+1)/n)
		for to < len(ids) && ids[to-1] != corpus.SentenceEnd {
			to++
		}
		if to > from {
			cursors = append(cursors, &cursor{at: from, end: to})
			from = to
		}
	}
	return cursors
}

// next reads the next sentence of each reader, and returns those that have one.
func next(cursors []*cursor, ids []int32) []*cursor {
	var step []*cursor
	for _, c := range cursors {
		c.words = c.words[:0]
		for c.at < c.end && len(c.words) < longest {
			id := ids[c.at]
			c.at++
			if id != corpus.SentenceEnd {
				c.words = append(c.words, id+1)
			} else if len(c.words) > 0 {
				break
			}
		}
		if len(c.words) > 0 {
			step = append(step, c)
		}
	}
	return step
}

// step trains on a sentence of each reader; those of one word have nothing to predict it from.
func (t *trainer) step(ctx context.Context, epoch int, step []*cursor, rate float64) error {
	err := parallel.Blocks(ctx, len(step), 1, func(i, _ int) error {
		c := step[i]
		t.gradient(&c.sentence, rand.NewPCG(t.p.Seed, uint64(epoch)<<34+uint64(c.at)<<1+sentenceStream), rate)
		return nil
	})
	if err != nil {
		return err
	}
	return parallel.Blocks(ctx, parts, 1, func(part, _ int) error {
		t.apply(step, part)
		return nil
	})
}
