package search

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"strings"
	"sync"

	"contextmover/cmdlib/corpus"
)

// place is where a sentence begins, and the hash of its text, which equal sentences have in common.
type place struct {
	line int64
	hash uint64
}

// encodePlaces returns those of a block's sentences: for each its line, less that of the one before, as a varint, and
// 8 bytes of hash, the lowest first.
func encodePlaces(sentences []corpus.Sentence) (to []byte) {
	before := int64(0)
	for _, s := range sentences {
		h := fnv.New64a()
		h.Write([]byte(s.Text))
		to = binary.LittleEndian.AppendUint64(binary.AppendVarint(to, s.Line-before), h.Sum64())
		before = s.Line
	}
	return to
}

// readPlaces reads what encodePlaces has encoded.
func readPlaces(from []byte, sentences int) ([]place, bool) {
	list := make([]place, sentences)
	line := int64(0)
	for i := range list {
		delta, n := binary.Varint(from)
		if n <= 0 || len(from) < n+8 {
			return nil, false
		}
		line += delta
		list[i] = place{line, binary.LittleEndian.Uint64(from[n:])}
		from = from[n+8:]
	}
	return list, len(from) == 0
}

// places knows the places and the texts of some blocks, which a search has read. It may be used from several
// goroutines.
type places struct {
	*Index
	mu   sync.Mutex
	read map[*block]*contents
}

// contents are those of a block, each read when it is first asked for.
type contents struct {
	places func() ([]place, error)
	texts  func() ([]string, error)
}

func newPlaces(x *Index) *places { return &places{Index: x, read: make(map[*block]*contents)} }

// of returns the contents of a block.
func (p *places) of(b *block) *contents {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.read[b] == nil {
		p.read[b] = &contents{
			sync.OnceValues(func() ([]place, error) { return p.placesOf(b) }),
			sync.OnceValues(func() ([]string, error) { return p.text(b) }),
		}
	}
	return p.read[b]
}

// at returns the place of a sentence.
func (p *places) at(position int64) (place, error) {
	b := p.blockOf(position)
	list, err := p.of(b).places()
	if err != nil {
		return place{}, err
	}
	return list[position-b.first], nil
}

// fill sets the text and the place of a hit by its position.
func (p *places) fill(hit *Hit) error {
	b := p.blockOf(hit.Position)
	texts, err := p.of(b).texts()
	if err != nil {
		return err
	}
	at, err := p.at(hit.Position)
	hit.Text = strings.Clone(texts[hit.Position-b.first]) // not to keep the whole block
	hit.Path, hit.Number = p.source(hit.Position), at.line
	hit.Equal = max(hit.Equal, 1)
	return err
}

// distinct makes one hit of those that have the same text, are as far away and, of documents, in the same one: the
// first of them, with their number.
func (p *places) distinct(hits []Hit, documents []document) ([]Hit, error) {
	type text struct {
		hash     uint64
		distance float64
		document int
	}
	first := make(map[text]int)
	var list []Hit
	for _, h := range hits {
		at, err := p.at(h.Position)
		if err != nil {
			return nil, err
		}
		key := text{at.hash, h.Distance, documentOf(documents, h.Position)}
		if i, ok := first[key]; ok {
			list[i].Equal++
			continue
		}
		first[key], h.Equal = len(list), 1
		list = append(list, h)
	}
	return list, nil
}

// nearer is the order of hits.
func nearer(a, b Hit) int {
	return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Position, b.Position))
}
