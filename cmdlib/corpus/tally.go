package corpus

import (
	"bufio"
	"cmp"
	"container/heap"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
)

// A tally file has all words of a shard, in the order of their bytes, with how often they occur. Numbers are little-endian:
//
//	magic     8 bytes
//	key       32 bytes
//	words     for each the length that it shares with the one before and that of the rest (uvarints), the rest, and its count (uvarint)
//	stats     lines, tokens, known tokens, invalid lines (int64 each)
//	checksum  CRC-32C of all before (uint32)
const (
	tallyMagic = "cmtally\x01"
	tallyTail  = 4*8 + 4
)

// CountWords counts the words of a text into a tally file, which is there whole or not at all. For the errors of reading see
// Text.
func CountWords(ctx context.Context, text Text, key Key, path string, progress func(done, total int64)) (Stats, error) {
	sums, stats, err := text.countWords(ctx, progress)
	if err != nil {
		return Stats{}, err
	}
	return stats, writeWhole(path, func(w *bufio.Writer) error {
		crc := crc32.New(castagnoli)
		out := io.MultiWriter(w, crc)
		record := append([]byte(tallyMagic), key[:]...)
		last := ""
		for _, word := range slices.Sorted(maps.Keys(sums)) {
			same := 0
			for same < min(len(word), len(last)) && word[same] == last[same] {
				same++
			}
			record = binary.AppendUvarint(record, uint64(same))
			record = binary.AppendUvarint(record, uint64(len(word)-same))
			record = append(record, word[same:]...)
			record = binary.AppendUvarint(record, uint64(sums[word]))
			if len(record) > 1<<16 {
				if _, err := out.Write(record); err != nil {
					return err
				}
				record = record[:0]
			}
			last = word
		}
		for _, n := range []int64{stats.Lines, stats.Tokens, stats.Known, stats.Invalid} {
			record = binary.LittleEndian.AppendUint64(record, uint64(n))
		}
		if _, err := out.Write(record); err != nil {
			return err
		}
		_, err := w.Write(binary.LittleEndian.AppendUint32(nil, crc.Sum32()))
		return err
	})
}

// tallyReader reads a tally's words, one after the other.
type tallyReader struct {
	rangeReader
	tail  []byte // without the checksum
	want  uint32
	stats Stats
	word  []byte
	count uint64
	more  bool // a word is there
}

// OpenTally checks the file at path as far as that takes no walk over it, and returns what the text held. The error is fs.ErrNotExist if there is
// none, and a *DamagedError if it was cut or made of something else.
func OpenTally(path string, key Key) (Stats, error) {
	t, err := openTally(path, key, 1<<10)
	if err != nil {
		return Stats{}, err
	}
	return t.stats, nil
}

func openTally(path string, key Key, room int) (*tallyReader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("corpus: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("corpus: %w", err)
	}
	if info.Size() < int64(runHead+tallyTail) {
		return nil, &DamagedError{path, "is cut short"}
	}
	head, tail := make([]byte, runHead), make([]byte, tallyTail)
	if _, err := file.ReadAt(head, 0); err != nil {
		return nil, fmt.Errorf("corpus: %w", err)
	}
	if _, err := file.ReadAt(tail, info.Size()-tallyTail); err != nil {
		return nil, fmt.Errorf("corpus: %w", err)
	}
	if string(head[:len(tallyMagic)]) != tallyMagic {
		return nil, &DamagedError{path, "is no tally of words"}
	}
	if Key(head[len(tallyMagic):]) != key {
		return nil, &DamagedError{path, "was made of something else"}
	}
	t := &tallyReader{want: binary.LittleEndian.Uint32(tail[tallyTail-4:])}
	t.rangeReader = rangeReader{path: path, from: int64(runHead), to: info.Size() - tallyTail, room: make([]byte, room), crc: crc32.Checksum(head, castagnoli)}
	for i, n := range []*int64{&t.stats.Lines, &t.stats.Tokens, &t.stats.Known, &t.stats.Invalid} {
		*n = int64(binary.LittleEndian.Uint64(tail[8*i:]))
	}
	t.tail = tail[:tallyTail-4]
	return t, nil
}

// next goes to the next word, and verifies the file where there is none.
func (t *tallyReader) next() error {
	if err := t.fill(longestEntry + longestToken); err != nil {
		return err
	}
	if t.more = !t.end(); !t.more {
		if crc32.Update(t.crc, castagnoli, t.tail) != t.want {
			return t.damaged("has a wrong checksum")
		}
		return nil
	}
	var numbers [2]uint64
	for i := range numbers {
		var err error
		if numbers[i], err = t.uvarint(); err != nil {
			return err
		}
	}
	same, rest := numbers[0], numbers[1]
	if same > uint64(len(t.word)) || rest > uint64(len(t.rest)) || rest > longestToken {
		return t.damaged("has a word that is none")
	}
	before := string(t.word)
	t.word = append(t.word[:same], t.rest[:rest]...)
	t.rest = t.rest[rest:]
	if string(t.word) <= before {
		return t.damaged("has words out of order")
	}
	var err error
	if t.count, err = t.uvarint(); err == nil && (t.count < 1 || t.count > math.MaxInt64) {
		err = t.damaged("has a count that is none")
	}
	return err
}

// tallies are readers of tallies by the order of their words.
type tallies []*tallyReader

func (t tallies) Len() int           { return len(t) }
func (t tallies) Less(i, j int) bool { return string(t[i].word) < string(t[j].word) }
func (t tallies) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *tallies) Push(x any)        { *t = append(*t, x.(*tallyReader)) }
func (t *tallies) Pop() any {
	last := (*t)[len(*t)-1]
	*t = (*t)[:len(*t)-1]
	return last
}

// MergeTallies adds up tally files, of which each has the key of its place, to the vocabulary that BuildVocabulary would make of all of the text. It keeps the
// words in memory that are frequent enough. The error is that of BuildVocabulary, or a *DamagedError that names the file.
func MergeTallies(ctx context.Context, paths []string, keys []Key, minCount int64) (*Vocabulary, Stats, error) {
	room := max(4<<10, min(256<<10, mergeRoom/max(1, len(paths))))
	var (
		stats    Stats
		open     tallies
		kept     = map[string]int64{}
		distinct = 0
	)
	for i, path := range paths {
		t, err := openTally(path, keys[i], room)
		if err != nil {
			return nil, Stats{}, err
		}
		stats.add(t.stats)
		if err := t.next(); err != nil {
			return nil, Stats{}, err
		}
		if t.more {
			open = append(open, t)
		}
	}
	heap.Init(&open)
	var word []byte
	for len(open) > 0 {
		if distinct%1024 == 0 && ctx.Err() != nil {
			return nil, Stats{}, ctx.Err()
		}
		word = append(word[:0], open[0].word...)
		total := int64(0)
		for len(open) > 0 && string(open[0].word) == string(word) {
			t := open[0]
			if t.count > uint64(math.MaxInt64-total) {
				return nil, Stats{}, t.damaged("has a count that is none")
			}
			total += int64(t.count)
			if err := t.next(); err != nil {
				return nil, Stats{}, err
			}
			if t.more {
				heap.Fix(&open, 0)
			} else {
				heap.Pop(&open)
			}
		}
		distinct++
		if total >= minCount {
			kept[string(word)] = total
		}
	}
	v, err := frequentWords(kept, minCount, distinct, "the text")
	if err != nil {
		return nil, Stats{}, err
	}
	stats.Known = v.total
	return v, stats, nil
}

// frequentWords returns the vocabulary of the words that occur at least minCount times, of so many distinct ones in a text of that name.
func frequentWords(sums map[string]int64, minCount int64, distinct int, name string) (*Vocabulary, error) {
	var words []string
	for word, n := range sums {
		if n >= minCount {
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		return nil, fmt.Errorf("corpus: %w: none of the %d distinct words of %s occurs %d times; give more text or a smaller minimum count",
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
