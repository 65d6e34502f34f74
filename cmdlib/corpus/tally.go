package corpus

import (
	"bufio"
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// CountWords counts the words of a text into the file at path, which is there whole or not at all: a line of each, with
// a blank and its count behind it, in the order of their bytes. It returns the checksum of each piece of the text, too,
// see Piece.Checksum. For the errors of reading see Text.
func CountWords(
	ctx context.Context, text Text, path string, progress func(done, total int64),
) (stats Stats, texts []uint64, err error) {
	text.read = func(sum uint64) { texts = append(texts, sum) }
	sums, stats, err := text.countWords(ctx, progress)
	if err != nil {
		return Stats{}, nil, err
	}
	return stats, texts, writeWhole(path, func(w *bufio.Writer) error {
		for _, word := range slices.Sorted(maps.Keys(sums)) {
			if _, err := fmt.Fprintf(w, "%s %d\n", word, sums[word]); err != nil {
				return err
			}
		}
		return nil
	})
}

// MergeWords adds up files of CountWords to the vocabulary that BuildVocabulary would make of all of the text. It keeps
// the words in memory that are frequent enough. The error is that of BuildVocabulary, or a *DamagedError that names a
// file.
func MergeWords(ctx context.Context, paths []string, minCount int64) (*Vocabulary, error) {
	var open wordFiles
	for _, path := range paths {
		f := &wordFile{path: path, lines: bufio.NewScanner(&reopened{path: path})}
		room := max(4<<10, min(256<<10, mergeRoom/len(paths)))
		f.lines.Buffer(make([]byte, room), room)
		if more, err := f.next(); err != nil {
			return nil, err
		} else if more {
			open = append(open, f)
		}
	}
	heap.Init(&open)
	kept, distinct := map[string]int64{}, 0
	for ; len(open) > 0; distinct++ {
		if distinct%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		word, total := open[0].word, int64(0)
		for len(open) > 0 && open[0].word == word {
			total += open[0].count
			more, err := open[0].next()
			switch {
			case err != nil:
				return nil, err
			case more:
				heap.Fix(&open, 0)
			default:
				heap.Pop(&open)
			}
		}
		if total >= minCount {
			kept[word] = total
		}
	}
	return frequentWords(kept, minCount, distinct, "the text")
}

// mergeRoom is the memory for reading files of words.
const mergeRoom = 64 << 20

// reopened is a file that is open only while it is read from, so that there can be thousands.
type reopened struct {
	path string
	at   int64
}

func (r *reopened) Read(p []byte) (int, error) {
	file, err := os.Open(r.path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	n, err := file.ReadAt(p, r.at)
	r.at += int64(n)
	if n > 0 {
		err = nil
	}
	return n, err
}

// wordFile is a file of CountWords at one of its words.
type wordFile struct {
	path  string
	lines *bufio.Scanner
	word  string
	count int64
}

// next goes to the next word, and reports whether there is one.
func (f *wordFile) next() (bool, error) {
	if !f.lines.Scan() {
		if err := f.lines.Err(); err != nil {
			return false, fmt.Errorf("corpus: %s: %w", f.path, err)
		}
		return false, nil
	}
	word, number, _ := strings.Cut(f.lines.Text(), " ")
	count, err := strconv.ParseInt(number, 10, 64)
	if err != nil || count < 1 || word <= f.word {
		return false, &DamagedError{Path: f.path, What: fmt.Sprintf("has the line %.60q", f.lines.Text())}
	}
	f.word, f.count = word, count
	return true, nil
}

// wordFiles are files by the order of their words.
type wordFiles []*wordFile

func (w wordFiles) Len() int           { return len(w) }
func (w wordFiles) Less(i, j int) bool { return w[i].word < w[j].word }
func (w wordFiles) Swap(i, j int)      { w[i], w[j] = w[j], w[i] }
func (w *wordFiles) Push(x any)        { *w = append(*w, x.(*wordFile)) }
func (w *wordFiles) Pop() any {
	last := (*w)[len(*w)-1]
	*w = (*w)[:len(*w)-1]
	return last
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
