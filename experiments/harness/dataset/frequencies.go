package dataset

import (
	"strconv"
	"strings"
)

// Frequency is how often a word occurs in some text.
type Frequency struct {
	Word  string
	Count int64 // at least 1
}

// ReadFrequencies reads a list of word frequencies as the code of SIF [Arora, Liang, Ma
// 2017] comes with: a word and its count a line, separated by a blank. No word may stand
// twice.
func ReadFrequencies(path string) ([]Frequency, error) { return read(path, parseFrequencies) }

func parseFrequencies(lines *lines) ([]Frequency, error) {
	first := map[string]int{}
	return each(lines, "word frequencies", func() (f Frequency, err error) {
		word, number, ok := strings.Cut(lines.text, " ")
		if !ok || word == "" {
			return f, lines.errorf("%s, expected a word and its count, separated by one blank", found(lines.text))
		}
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || n < 1 {
			return f, lines.errorf("the count %s of %s is not a whole number of at least 1",
				found(number), found(word))
		}
		if line, twice := first[word]; twice {
			return f, lines.errorf("%s stands in line %d too: remove one of them", found(word), line)
		}
		first[word] = lines.number
		return Frequency{word, n}, nil
	})
}
