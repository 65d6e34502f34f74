package cmdlib

import (
	"fmt"
	"hash/maphash"
	"math"
	"strconv"
	"strings"
)

// wordIndex finds words by hashing. It is quick to make, which a Go map of as many
// strings is not: every notebook cell opens its space again.
type wordIndex struct {
	words []string
	// slots is an open-addressing table of ids, −1 where free; its length is a power
	// of 2 and at least twice the number of words.
	slots []int32
	seed  maphash.Seed
}

// newWordIndex returns the index of words, or the ids of two equal ones.
func newWordIndex(words []string) (x *wordIndex, first, second int32, ok bool) {
	size := 2
	for size < 2*len(words) {
		size *= 2
	}
	x = &wordIndex{words: words, slots: make([]int32, size), seed: maphash.MakeSeed()}
	for i := range x.slots {
		x.slots[i] = -1
	}
	for id, word := range words {
		slot := x.slot(word)
		if taken := x.slots[slot]; taken >= 0 {
			return nil, taken, int32(id), false
		}
		x.slots[slot] = int32(id)
	}
	return x, 0, 0, true
}

// slot returns the slot that word is in, or the free one where it belongs.
func (x *wordIndex) slot(word string) int {
	mask := len(x.slots) - 1
	slot := int(maphash.String(x.seed, word)) & mask
	for x.slots[slot] >= 0 && x.words[x.slots[slot]] != word {
		slot = (slot + 1) & mask
	}
	return slot
}

func (x *wordIndex) id(word string) (int32, bool) {
	id := x.slots[x.slot(word)]
	return id, id >= 0
}

// appendWords appends a line for each word, as corpus.Vocabulary writes it: the word, a blank and its count.
func appendWords(to []byte, words []string, counts []int64) []byte {
	for i, word := range words {
		to = append(append(to, word...), ' ')
		to = append(strconv.AppendInt(to, counts[i], 10), '\n')
	}
	return to
}

// setWords sets the words, their counts and the index by a text of appendWords, which errors call by this name. The
// words are parts of the text.
func (s *Data) setWords(text, name string) error {
	lines := strings.Count(text, "\n")
	words, counts := make([]string, 0, lines), make([]int64, 0, lines)
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		word, number, _ := strings.Cut(line, " ")
		count, err := strconv.ParseInt(number, 10, 64)
		if word == "" || strings.Contains(word, "\x00") || err != nil || count < 0 {
			return fmt.Errorf("%s:%d: %.60q, expected a word, a blank and its count", name, len(words)+1, line)
		}
		if count > math.MaxInt64-s.tokens {
			return fmt.Errorf("%s:%d: count %d, with which the sum of counts exceeds 2^63", name, len(words)+1, count)
		}
		words, counts = append(words, word), append(counts, count)
		s.tokens += count
	}
	index, first, second, ok := newWordIndex(words)
	if !ok {
		return fmt.Errorf("%s:%d: word %q again, first in line %d", name, second+1, words[second], first+1)
	}
	s.words, s.counts = index, counts
	return nil
}
