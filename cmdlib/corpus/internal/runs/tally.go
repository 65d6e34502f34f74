package runs

import (
	"container/heap"
	"context"
	"encoding/binary"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"slices"
)

// A tally file has all words of a shard, in the order of their
// bytes, with how often they occur. Numbers are little-endian:
//
//	magic     8 bytes
//	key       32 bytes
//	texts     their number (uint32), and a checksum each (uint64)
//	words     for each the length that it shares with the one before and that of the rest (uvarints), the rest, and
//	          its count (uvarint)
//	stats     lines, tokens, known tokens, invalid lines (int64 each)
//	checksum  CRC-32C of all before (uint32)
const (
	tallyMagic = "cmtally\x02"
	tallyTail  = 4*8 + 4
)

// longestWord bounds the bytes of a word: corpus cuts longer tokens.
const longestWord = 999

// WriteTally writes a tally file of texts with these checksums.
func WriteTally(w io.Writer, key Key, texts []uint64, sums map[string]int64, stats Stats) error {
	crc := crc32.New(castagnoli)
	out := io.MultiWriter(w, crc)
	record := append([]byte(tallyMagic), key[:]...)
	record = binary.LittleEndian.AppendUint32(record, uint32(len(texts)))
	for _, sum := range texts {
		record = binary.LittleEndian.AppendUint64(record, sum)
	}
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
	if _, err := out.Write(stats.append(record)); err != nil {
		return err
	}
	_, err := w.Write(binary.LittleEndian.AppendUint32(nil, crc.Sum32()))
	return err
}

// tallyReader reads a tally's words, one after the other.
type tallyReader struct {
	rangeReader
	texts []uint64
	tail  []byte // without the checksum
	want  uint32
	stats Stats
	word  []byte
	count uint64
	more  bool // a word is there
}

// OpenTally returns the checksums of the texts of a tally file. The error is fs.ErrNotExist if there is none. It is a
// *DamagedError if the file was cut or made of something else, as far as its header and its length tell.
func OpenTally(path string, key Key) ([]uint64, error) {
	t, err := openTally(path, key, 0)
	if err != nil {
		return nil, err
	}
	return t.texts, nil
}

// tallyHead is the length of what stands before the texts.
const tallyHead = int64(runHead + 4)

func openTally(path string, key Key, room int) (*tallyReader, error) {
	file, err := openEnds(path, tallyMagic, "is no tally of words", tallyHead, tallyTail)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	head, tail, size := file.head, file.tail, file.size
	if Key(head[len(tallyMagic):]) != key {
		return nil, &DamagedError{Path: path, What: "was made of something else"}
	}
	texts := int64(binary.LittleEndian.Uint32(head[runHead:]))
	if texts > (size-tallyHead-tallyTail)/8 {
		return nil, &DamagedError{Path: path, What: "is cut short"}
	}
	sums, err := file.read(tallyHead, 8*texts)
	if err != nil {
		return nil, err
	}
	t := &tallyReader{want: binary.LittleEndian.Uint32(tail[tallyTail-4:])}
	for at := 0; at < len(sums); at += 8 {
		t.texts = append(t.texts, binary.LittleEndian.Uint64(sums[at:]))
	}
	t.rangeReader = rangeReader{
		path: path, from: tallyHead + 8*texts, to: size - tallyTail, room: make([]byte, room),
		crc: crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, sums),
	}
	t.stats = statsOf(tail)
	t.tail = tail[:tallyTail-4]
	return t, nil
}

// next goes to the next word, and verifies the file where there is none.
func (t *tallyReader) next() error {
	if err := t.fill(longestEntry + longestWord); err != nil {
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
	if same > uint64(len(t.word)) || rest > uint64(len(t.rest)) || rest > longestWord {
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

// MergeTallies adds up tally files, of which each has the key of its place. It calls emit for each word, in the order
// of their bytes; the slice is valid during the call. After an error, a *DamagedError that names the file or another
// one, nothing of what emit got may be used.
func MergeTallies(
	ctx context.Context, paths []string, keys []Key, emit func(word []byte, count int64),
) (stats Stats, err error) {
	room := max(4<<10, min(256<<10, mergeRoom/max(1, len(paths))))
	var (
		open tallies
		read int
	)
	for i, path := range paths {
		t, err := openTally(path, keys[i], room)
		if err != nil {
			return stats, err
		}
		for i, n := range t.stats {
			stats[i] += n
		}
		if err := t.next(); err != nil {
			return stats, err
		}
		if t.more {
			open = append(open, t)
		}
	}
	heap.Init(&open)
	var word []byte
	for len(open) > 0 {
		if read++; read%1024 == 0 && ctx.Err() != nil {
			return stats, ctx.Err()
		}
		word = append(word[:0], open[0].word...)
		total := int64(0)
		for len(open) > 0 && string(open[0].word) == string(word) {
			t := open[0]
			if t.count > uint64(math.MaxInt64-total) {
				return stats, t.damaged("has a count that is none")
			}
			total += int64(t.count)
			if err := t.next(); err != nil {
				return stats, err
			}
			if t.more {
				heap.Fix(&open, 0)
			} else {
				heap.Pop(&open)
			}
		}
		emit(word, total)
	}
	return stats, nil
}
