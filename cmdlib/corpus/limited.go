package corpus

import (
	"bufio"
	"context"
)

// CountToFile counts as Count does, to the last bit, but writes the counts to a file (see
// WriteCooccurrences) and keeps no more than about memory bytes of what grows with the text. On top of
// that come the vocabulary, 20 bytes a word, and for each thread 9 bytes a word and a few MiB.
//
// The text is encoded into a temporary file beside path, of 4 bytes a token, which is
// memory-mapped (where the system has no memory mapping, it is read into memory as a whole); the rows are
// counted a range at a time, each range taking a walk over that file. With less memory there are
// more ranges. A memory below 1 counts as 1, which is slow but right.
func CountToFile(ctx context.Context, text Text, v *Vocabulary, window int, memory int64, path string, progress func(done, total int64)) (Stats, error) {
	weights, err := inverseDistances(window)
	if err != nil {
		return Stats{}, err
	}
	steps := halves{progress: progress}
	encoded, err := Encode(ctx, text, v, path, steps.reading)
	if err != nil {
		return Stats{}, err
	}
	defer encoded.Close()

	stats := encoded.Stats
	err = writeWhole(path, func(w *bufio.Writer) error {
		// Half of the memory, as the collector lets as much garbage gather as there is in use.
		l := limited{ctx, encoded.IDs, v.Len(), weights, memory / 2, encoded.Occurrences, w}
		return l.count(func(done int64) { steps.counting(done, stats.Known) })
	})
	if err != nil {
		return Stats{}, err
	}
	return stats, nil
}

// limited counts rows in bounded memory.
type limited struct {
	ctx         context.Context
	ids         []int32
	words       int
	weights     weights
	memory      int64
	occurrences []int64
	w           *bufio.Writer
}

// size bounds the memory for a row: 4 bytes an occurrence, and 12 a non-zero.
func (l *limited) size(row int) int64 {
	n := l.occurrences[row]
	return 4*n + 12*min(int64(l.words), 2*int64(len(l.weights.of))*n)
}

func (l *limited) count(progress func(done int64)) error {
	var (
		done int64
		room []uint32
	)
	for lo := 0; lo < l.words; {
		hi, size, n := lo+1, l.size(lo), l.occurrences[lo]
		for hi < l.words && size+l.size(hi) <= l.memory {
			size += l.size(hi)
			n += l.occurrences[hi]
			hi++
		}
		var rows []sparseRow
		var err error
		if hi == lo+1 && size > l.memory {
			rows, err = l.oneRow(lo)
		} else {
			o := positions(l.ids, lo, hi, room)
			room = o.at
			rows, err = countRows(l.ctx, l.ids, o, l.words, l.weights, false, func(n int64) { progress(done + n) })
		}
		if err != nil {
			return err
		}
		for i, row := range rows {
			if err := writeRow(l.w, lo+i, row.columns, row.values); err != nil {
				return err
			}
		}
		done += n
		progress(done)
		lo = hi
	}
	return nil
}

// oneRow counts a single row without a list of positions.
func (l *limited) oneRow(row int) ([]sparseRow, error) {
	if err := l.ctx.Err(); err != nil {
		return nil, err
	}
	a := newAccumulator(l.words)
	if l.occurrences[row] > 0 {
		for at, id := range l.ids {
			if int(id) == row {
				a.add(l.ids, at, l.weights.of)
			}
		}
	}
	return []sparseRow{a.take(l.words, l.weights.scale)}, nil
}
