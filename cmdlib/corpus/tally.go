package corpus

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"contextmover/cmdlib/corpus/internal/runs"
)

// CountWords counts the words of a text into a tally file, which is there whole or not at all,
// and keeps the checksum of each piece of the text there. For the errors of reading see Text.
func CountWords(
	ctx context.Context, text Text, key Key, path string, progress func(done, total int64),
) (Stats, error) {
	var texts []uint64
	text.read = func(sum uint64) { texts = append(texts, sum) }
	sums, stats, err := text.countWords(ctx, progress)
	if err != nil {
		return Stats{}, err
	}
	return stats, writeWhole(path, func(w *bufio.Writer) error {
		return runs.WriteTally(w, key, texts, sums, stats.numbers())
	})
}

// OpenTally returns the checksum of each piece of the text that the tally at path was counted of, see Piece.Checksum.
// The error is fs.ErrNotExist if there is none. It is a *DamagedError if the file was cut or made of something else,
// as far as its header and its length tell.
func OpenTally(path string, key Key) (texts []uint64, err error) { return runs.OpenTally(path, key) }

// MergeTallies adds up tally files, of which each has the key of its place, to the vocabulary
// that BuildVocabulary would make of all of the text. It keeps the words in memory that are
// frequent enough. The error is that of BuildVocabulary, or a *DamagedError that names the file.
func MergeTallies(ctx context.Context, paths []string, keys []Key, minCount int64) (*Vocabulary, Stats, error) {
	kept, distinct := map[string]int64{}, 0
	numbers, err := runs.MergeTallies(ctx, paths, keys, func(word []byte, count int64) {
		distinct++
		if count >= minCount {
			kept[string(word)] = count
		}
	})
	if err != nil {
		return nil, Stats{}, err
	}
	stats := statsOf(numbers)
	v, err := frequentWords(kept, minCount, distinct, "the text")
	if err != nil {
		return nil, Stats{}, err
	}
	stats.Known = v.total
	return v, stats, nil
}

// frequentWords returns the vocabulary of the words that occur at least
// minCount times, of so many distinct ones in a text of that name.
func frequentWords(sums map[string]int64, minCount int64, distinct int, name string) (*Vocabulary, error) {
	var words []string
	for word, n := range sums {
		if n >= minCount {
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		return nil, fmt.Errorf("corpus: %w: none of the %d distinct words of %s occurs %d times; give more text or a "+
			"smaller minimum count",
			ErrRare, distinct, name, minCount)
	}
	slices.SortFunc(words, func(a, b string) int {
		return cmp.Or(cmp.Compare(sums[b], sums[a]), strings.Compare(a, b))
	})
	counts := make([]int64, len(words))
	for i, word := range words {
		counts[i] = sums[word]
	}
	return NewVocabulary(words, counts)
}
