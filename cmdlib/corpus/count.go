package corpus

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"contextmover/cmdlib/corpus/internal/runs"
	"contextmover/cmdlib/sparse"
	"contextmover/internal/parallel"
)

// Counts are co-occurrence counts: row w, column c holds X(w, c). Both are ids of
// a vocabulary.
type Counts = sparse.Matrix[float64]

// MaxWindow is the widest window Count takes. Up to it the weights 1/d are small
// multiples of 1/lcm(1, …, window), which is what makes exact sums possible.
const MaxWindow = 22

// Count counts the co-occurrences of the vocabulary's words in a text, with a
// symmetric window of 1 to MaxWindow words (GloVe's cooccur):
//
//	X(w, c) = Σ 1/d   over the pairs of w and c in one line, at distance d ≤ window
//
// where each pair is counted in both directions and distance is measured in words of the
// vocabulary: other tokens are skipped as if they were not there. X is symmetric.
//
// The sums are exact: with L = lcm(1, …, window) they are accumulated as the
// integers L·X and divided at the end, so that no order of summation shows in the
// result. X is the double nearest to the true sum as long as L·X < 2^53 (L = 2520 for a
// window of 10: X up to 3.5e12), else within one unit in the last place.
//
// Memory: 8 bytes per token of the text and 18 bytes per non-zero entry of the result, not all at the same
// time. For the errors of reading see Text; a text of 2^32 vocabulary tokens or more is an error too.
func Count(
	ctx context.Context, text Text, v *Vocabulary, window int, progress func(done, total int64),
) (*Counts, Stats, error) {
	c, err := NewCounting(v, window, math.MaxInt64, math.MaxInt64)
	if err != nil {
		return nil, Stats{}, err
	}
	steps := halves{progress: progress}
	read, stats, err := c.read(ctx, text, "", steps.reading)
	if err != nil {
		return nil, Stats{}, err
	}
	half := make([]sparseRow, v.Len())
	err = countRows(ctx, read.ids, v.Len(), c.weights, func(row int, columns []int32, sums []uint64) error {
		n, _ := slices.BinarySearch(columns, int32(row+1))
		values := make([]float64, n)
		for i := range n {
			values[i] = c.weights.count(sums[i])
		}
		half[row] = sparseRow{slices.Clone(columns[:n]), values}
		return nil
	}, steps.counting)
	if err != nil {
		return nil, Stats{}, err
	}
	counts, err := mirror(ctx, half)
	if err != nil {
		return nil, Stats{}, err
	}
	return counts, stats, nil
}

// halves reports reading as the first half of the work and counting as the second, both in
// the bytes of the files.
type halves struct {
	progress func(done, total int64)
	size     int64
}

func (h *halves) reading(done, total int64) {
	h.size = total
	report(h.progress, done, 2*total)
}

func (h *halves) counting(done, tokens int64) {
	report(h.progress, h.size+int64(float64(done)/float64(tokens)*float64(h.size)), 2*h.size)
}

// weights holds L/d for the distances d from 1; scale is L.
type weights struct {
	of    []uint64 // of[d-1] = L/d
	scale uint64
}

func inverseDistances(window int) (weights, error) {
	if window < 1 || window > MaxWindow {
		return weights{}, fmt.Errorf("corpus: window of %d words, expected 1 to %d", window, MaxWindow)
	}
	w := weights{make([]uint64, window), 1}
	for d := uint64(2); d <= uint64(window); d++ {
		a, b := w.scale, d
		for b > 0 {
			a, b = b, a%b
		}
		w.scale *= d / a
	}
	for i := range w.of {
		w.of[i] = w.scale / uint64(i+1)
	}
	return w, nil
}

// count is a sum of weights divided by L.
func (w weights) count(sum uint64) float64 { return float64(sum) / float64(w.scale) }

// SentenceEnd stands between the sentences of an encoded text, and at both of its ends.
const SentenceEnd = -1

// checkLength checks that a position in the encoded text fits into an uint32.
func checkLength(n int64) error {
	if n > math.MaxUint32 {
		return errors.New("corpus: the text has 2^32 words and lines or more; count it in parts")
	}
	return nil
}

// encodeChunks hands the ids of each chunk, those of the vocabulary's words in order, to put, in the order of the text.
// A SentenceEnd follows each line.
func (t Text) encodeChunks(
	ctx context.Context, v *Vocabulary, progress func(done, total int64), put func(ids []int32) error,
) (Stats, error) {
	chunks := parallel.InOrder[[]int32]{Put: func(_ int, ids []int32) error { return put(ids) }}
	return t.scan(ctx, progress, func() func(*chunk) error {
		var ids []int32
		return func(c *chunk) error {
			ids = ids[:0]
			c.words(t, func(word []byte) {
				if id, ok := v.index[string(word)]; ok {
					ids = append(ids, id)
					c.stats.Known++
				}
			}, func() {
				if n := len(ids); n == 0 || ids[n-1] != SentenceEnd {
					ids = append(ids, SentenceEnd)
				}
			})
			return chunks.Add(c.number, slices.Clone(ids))
		}
	})
}

// occurrences lists where the words stand: word w at at[start[w]:start[w+1]], in increasing order.
type occurrences struct {
	start []int64
	at    []uint32
}

// positions lists where words stand.
func positions(ids []int32, words int) occurrences {
	o := occurrences{start: make([]int64, words+1)}
	for _, id := range ids {
		if id != SentenceEnd {
			o.start[id+1]++
		}
	}
	for i := range words {
		o.start[i+1] += o.start[i]
	}
	o.at = make([]uint32, o.start[words])
	next := slices.Clone(o.start)
	for i, id := range ids {
		if id != SentenceEnd {
			o.at[next[id]] = uint32(i)
			next[id]++
		}
	}
	return o
}

// sparseRow holds entries of one row.
type sparseRow struct {
	columns []int32
	values  []float64
}

// countRows counts the rows of all words of an encoded text, which begins and ends with SentenceEnd. It calls emit for
// each, from several goroutines at once, with the words that it occurs with, in increasing order, and the sums of their
// weights; both are valid during the call. Rows are begun in increasing order. Progress gets the occurrences done.
func countRows(ctx context.Context, ids []int32, words int, w weights, emit func(
	row int, columns []int32, sums []uint64,
) error, progress func(done, total int64)) error {
	var (
		mu             sync.Mutex
		done, reported int64
	)
	o := positions(ids, words)
	total := int64(len(o.at))
	// Rows come with the most frequent words first, which take longest; a block of
	// one row keeps all workers busy to the end.
	return parallel.Workers(ctx, words, 1, func() func(lo, hi int) error {
		a := &rowCounter{Accumulator: runs.NewAccumulator(words)}
		return func(row, _ int) error {
			for at := range slices.Chunk(o.at[o.start[row]:o.start[row+1]], 16) {
				a.fetch(ids, at, len(w.of))
				for _, at := range at {
					a.window(ids, int(at), w.of)
				}
			}
			columns, sums := a.Take()
			if err := emit(row, columns, sums); err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			done += o.start[row+1] - o.start[row]
			if done-reported > total/1000 {
				reported = done
				report(progress, done, total)
			}
			return nil
		}
	})
}

// rowCounter counts the rows of words.
type rowCounter struct {
	*runs.Accumulator
	fetched int32 // keeps fetch from being optimised away
}

// window adds the neighbours of position at, on both sides, with the weights of their distances.
func (a *rowCounter) window(ids []int32, at int, weights []uint64) {
	for i, weight := range weights {
		id := ids[at-1-i]
		if id == SentenceEnd {
			break
		}
		a.Add(id, weight)
	}
	for i, weight := range weights {
		id := ids[at+1+i]
		if id == SentenceEnd {
			break
		}
		a.Add(id, weight)
	}
}

// fetch reads the ends of some windows, so that the processor waits for the cache
// lines of all of them at once and not for one after the other: the places where a rare
// word stands are far apart.
func (a *rowCounter) fetch(ids []int32, at []uint32, window int) {
	sum := int32(0)
	for _, at := range at {
		sum += ids[max(0, int(at)-window)] + ids[min(len(ids)-1, int(at)+window)]
	}
	a.fetched = sum
}

// mirror makes the symmetric matrix of its lower half.
func mirror(ctx context.Context, half []sparseRow) (*Counts, error) {
	words := len(half)
	m := &Counts{Rows: words, Cols: words, Start: make([]int64, words+1)}
	for w, row := range half {
		m.Start[w+1] += int64(len(row.columns))
		for _, c := range row.columns {
			if int(c) != w {
				m.Start[c+1]++
			}
		}
	}
	for w := range half {
		m.Start[w+1] += m.Start[w]
	}
	m.Index = make([]int32, m.Start[words])
	m.Value = make([]float64, m.Start[words])

	// A row is its own lower half, then what the rows below it hold in its column. A block
	// makes rows of about the same number of entries together.
	bounds := []int{0}
	for w := 1; w <= words; w++ {
		if w == words || m.Start[w+1]-m.Start[bounds[len(bounds)-1]] > mirrorBlock {
			bounds = append(bounds, w)
		}
	}
	err := parallel.Blocks(ctx, len(bounds)-1, 1, func(block, _ int) error {
		lo, hi := bounds[block], bounds[block+1]
		next := slices.Clone(m.Start[lo:hi])
		for w := lo; w < words; w++ {
			row := half[w]
			if w < hi {
				copy(m.Index[next[w-lo]:], row.columns)
				copy(m.Value[next[w-lo]:], row.values)
				next[w-lo] += int64(len(row.columns))
			}
			first, _ := slices.BinarySearch(row.columns, int32(lo))
			for i, c := range row.columns[first:] {
				if int(c) >= min(w, hi) {
					break
				}
				at := next[int(c)-lo]
				m.Index[at], m.Value[at] = int32(w), row.values[first+i]
				next[int(c)-lo]++
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// mirrorBlock is the number of entries that mirror makes in one block.
const mirrorBlock = 4 << 20
