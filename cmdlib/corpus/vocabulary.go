package corpus

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"contextmover/internal/atomicfile"
	"contextmover/internal/bounded"
)

// Vocabulary is a list of distinct words with their number of occurrences in a
// corpus. The position of a word in Words is its id. Make one with NewVocabulary,
// BuildVocabulary or ReadVocabulary; its fields are for reading only.
type Vocabulary struct {
	Words  []string
	Counts []int64 // one a word

	index map[string]int32
	total int64 // of Counts: the number of the corpus's tokens that are in the vocabulary
}

// ErrRare is returned for a text in which no word occurs as often as is asked for.
var ErrRare = errors.New("no word is frequent enough")

// NewVocabulary returns the vocabulary of the given words, in the given order. It
// keeps both slices.
//
// It is an error if the slices differ in length, or if a count is negative. A word must be UTF-8, occur once, and
// have no NUL byte and none of ASCII's white space, which separates words in files; other white space, such as
// U+00A0, is a letter for GloVe's tools.
func NewVocabulary(words []string, counts []int64) (*Vocabulary, error) {
	if len(words) != len(counts) {
		return nil, fmt.Errorf("corpus: %d words with %d counts, expected one count per word", len(words), len(counts))
	}
	v := &Vocabulary{Words: words, Counts: counts, index: make(map[string]int32, len(words))}
	for i, word := range words {
		if err := v.add(word, counts[i], int32(i)); err != nil {
			return nil, fmt.Errorf("corpus: word %d of the vocabulary: %w", i, err)
		}
	}
	return v, nil
}

// add enters a word into the index.
func (v *Vocabulary) add(word string, count int64, id int32) error {
	switch {
	case word == "":
		return errors.New("is empty")
	case !utf8.ValidString(word):
		return fmt.Errorf("%q is not valid UTF-8", word)
	case strings.Contains(word, "\x00"):
		return fmt.Errorf("%q holds a NUL byte, expected text", word)
	case strings.ContainsAny(word, " \t\n\v\f\r"):
		return fmt.Errorf("%q holds white space", word)
	case count < 0:
		return fmt.Errorf("%q has the count %d, expected none below 0", word, count)
	case count > math.MaxInt64-v.total:
		return fmt.Errorf("%q has the count %d, with which the sum of counts exceeds 2^63", word, count)
	}
	if first, twice := v.index[word]; twice {
		return fmt.Errorf("%q is also word %d, expected each word once", word, first)
	}
	v.index[word] = id
	v.total += count
	return nil
}

// ID returns the position of the word in Words, and whether it is there.
func (v *Vocabulary) ID(word string) (int32, bool) {
	id, ok := v.index[word]
	return id, ok
}

// Len returns the number of words.
func (v *Vocabulary) Len() int { return len(v.Words) }

// Probability returns p(w) for each word, its share in the sum of all counts; all zeros if that is 0.
func (v *Vocabulary) Probability() []float64 {
	p := make([]float64, len(v.Counts))
	if v.total > 0 {
		for i, n := range v.Counts {
			p[i] = float64(n) / float64(v.total)
		}
	}
	return p
}

// BuildVocabulary counts the tokens of a text and returns those that occur at
// least minCount times, the most frequent first, equally frequent ones in
// byte-wise alphabetical order (GloVe's vocab_count). A minCount below 1 counts as 1.
//
// It is an error if no word is left. For the errors of reading see Text.
func BuildVocabulary(
	ctx context.Context, text Text, minCount int64, progress func(done, total int64),
) (*Vocabulary, Stats, error) {
	sums, stats, err := text.countWords(ctx, progress)
	if err != nil {
		return nil, Stats{}, err
	}
	v, err := frequentWords(sums, minCount, len(sums), strings.Join(text.Files, ", "))
	if err != nil {
		return nil, Stats{}, err
	}
	stats.Known = v.total
	return v, stats, nil
}

// countWords counts all words of a text.
func (t Text) countWords(ctx context.Context, progress func(done, total int64)) (map[string]int64, Stats, error) {
	var (
		mu  sync.Mutex
		all []map[string]*int64 // of each worker: counting a known word neither allocates nor writes to the map
	)
	stats, err := t.scan(ctx, progress, func() func(*chunk) error {
		counts := map[string]*int64{}
		mu.Lock()
		defer mu.Unlock()
		all = append(all, counts)
		count := func(word []byte) {
			n := counts[string(word)]
			if n == nil {
				n = new(int64)
				counts[string(word)] = n
			}
			*n++
		}
		return func(c *chunk) error {
			c.words(t, count, func() {})
			return nil
		}
	})
	sums := map[string]int64{}
	for _, counts := range all {
		for word, n := range counts {
			sums[word] += *n
		}
	}
	return sums, stats, err
}

// ReadVocabulary reads a vocabulary in the format of GloVe's vocab_count: a line
// "word count" for each word, the position of the line being the id. The file may
// be compressed (see Open); a byte order mark at its start and a \r before the end of a
// line are ignored. The order of
// the lines is kept, whatever the counts.
//
// Errors name the file and line. A line must be a word, one blank and a number that is not negative. A word must
// occur once. A file must have words, and no more of them than there is memory for.
func ReadVocabulary(path string) (*Vocabulary, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readVocabulary(bounded.Reader(file, bounded.Share(memoryPerByte)), path)
}

// memoryPerByte is what the shortest word takes in memory, 80 bytes, for each byte of its line.
const memoryPerByte = 20

func readVocabulary(r io.Reader, path string) (*Vocabulary, error) {
	v := &Vocabulary{index: map[string]int32{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 1<<16), 1<<16)
	for lines.Scan() && lines.Err() == nil { // an error of reading cuts the last line
		line := bytes.TrimSuffix(lines.Bytes(), []byte("\r"))
		if len(v.Words) == 0 {
			line = bytes.TrimPrefix(line, byteOrderMark)
		}
		fail := func(format string, a ...any) (*Vocabulary, error) {
			return nil, fmt.Errorf("corpus: %s:%d: %w", path, len(v.Words)+1, fmt.Errorf(format, a...))
		}
		word, number, ok := bytes.Cut(line, []byte(" "))
		if !ok {
			return fail("%.60q, expected a word, a blank and its count; is this GloVe's vocab.txt?", line)
		}
		count, err := strconv.ParseInt(string(number), 10, 64)
		if err != nil {
			return fail("count %.60q, expected a whole number after the word and one blank", number)
		}
		if first, twice := v.index[string(word)]; twice {
			return fail("word %q again, first in line %d; write another word in one of the two, whose numbers are the "+
				"ids of the words in the counts", word, first+1)
		}
		if err := v.add(string(word), count, int32(len(v.Words))); err != nil {
			return fail("word %w; write another word in this line, whose number is the id of the word in the counts",
				err)
		}
		v.Words = append(v.Words, string(word))
		v.Counts = append(v.Counts, count)
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil,
			fmt.Errorf("corpus: %s:%d: longer than %d bytes, expected a word and its count; is this GloVe's vocab.txt?",
				path, len(v.Words)+1, 1<<16)
	} else if errors.Is(err, bounded.ErrTooLarge) {
		return nil, fmt.Errorf("corpus: %s:%d: %w", path, len(v.Words)+1, err)
	} else if err != nil {
		return nil, err
	}
	if len(v.Words) == 0 {
		return nil, fmt.Errorf("corpus: %s: holds no words, expected a line \"word count\" for each", path)
	}
	// Texts are read in the form of Normal, so a word in another form would never be found.
	written := slices.Clone(v.Words)
	for _, id := range NormalWords(v.Words) {
		delete(v.index, written[id])
		v.index[v.Words[id]] = int32(id)
	}
	return v, nil
}

// Write writes the vocabulary in the format that ReadVocabulary reads. The file
// appears under its name only when it is complete.
func (v *Vocabulary) Write(path string) error {
	return writeWhole(path, func(w *bufio.Writer) error {
		if len(v.Words) > 0 && strings.HasPrefix(v.Words[0], string(byteOrderMark)) {
			w.Write(byteOrderMark) // ReadVocabulary drops one
		}
		var line []byte
		for i, word := range v.Words {
			line = append(append(line[:0], word...), ' ')
			line = append(strconv.AppendInt(line, v.Counts[i], 10), '\n')
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
		return nil
	})
}

func writeWhole(path string, content func(w *bufio.Writer) error) error {
	if err := atomicfile.Write(path, content); err != nil {
		return fmt.Errorf("corpus: %w", err)
	}
	return nil
}
