package cmdlib

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// wordLines returns a line for each word, as corpus.Vocabulary writes it: the word, a blank and its count.
func wordLines(words []string, counts []int64) (to []byte) {
	for i, word := range words {
		to = append(append(to, word...), ' ')
		to = append(strconv.AppendInt(to, counts[i], 10), '\n')
	}
	return to
}

// setWords sets the words, their counts and their ids by vocab.txt, a text of wordLines. The words are parts of it.
func (s *Data) setWords(text string) error {
	lines := strings.Count(text, "\n")
	s.words, s.counts = make([]string, 0, lines), make([]int64, 0, lines)
	s.ids = make(map[string]int32, lines)
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		word, number, _ := strings.Cut(line, " ")
		count, err := strconv.ParseInt(number, 10, 64)
		if word == "" || strings.Contains(word, "\x00") || err != nil || count < 0 {
			return fmt.Errorf("%s:%d: %.60q, expected a word, a blank and its count",
				vocabularyFile, len(s.words)+1, line)
		}
		if count > math.MaxInt64-s.tokens {
			return fmt.Errorf("%s:%d: count %d, with which the sum of counts exceeds 2^63",
				vocabularyFile, len(s.words)+1, count)
		}
		s.ids[word] = int32(len(s.words))
		s.words, s.counts = append(s.words, word), append(s.counts, count)
		if n := len(s.words); len(s.ids) < n {
			return fmt.Errorf("%s:%d: word %q again, first in line %d",
				vocabularyFile, n, word, slices.Index(s.words, word)+1)
		}
		s.tokens += count
	}
	return nil
}

// id returns the id of one of the words that the space was made with, and whether it is one.
func (s *Data) id(word string) (int32, bool) {
	id, ok := s.ids[word]
	return id, ok
}
