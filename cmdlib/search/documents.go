package search

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/prepare"
)

// Document is what a Hit has of a document, beside its first sentence.
type Document struct {
	// Title is that of prepared text, or empty.
	Title string
	// Last is the number of the line in the file that its last sentence begins in.
	Last int64
	// Sentence is the one of its sentences that is nearest to the query.
	Sentence Hit
}

// SearchDocuments returns the n documents to which query has the smallest distance, as Search does
// sentences: a document is one text, the average of all its words' histograms. The same bounds hold,
// so the result is that of solving all, with Search's reserve; and of each document that is found,
// the sentence that is nearest to the query. Which part of a text is a document was decided by Add.
//
// All words of a document are in memory at once. Errors are those of Search.
func (x *Index) SearchDocuments(ctx context.Context, query string, n int) (*Found, error) {
	list, err := x.inOrder.of(x)
	if err != nil {
		return nil, err
	}
	return x.search(ctx, query, n, list)
}

// span are count sentences, from first on.
type span struct{ first, count int64 }

func (s span) end() int64 { return s.first + s.count }

// listed is a document of an index.
type listed struct {
	span
	title string
}

// joined appends runs of sentences that begin at offset; one that goes on where the last ends is a part of it.
func joined(runs, more []span, offset int64) []span {
	for _, r := range more {
		r.first += offset
		if n := len(runs); n > 0 && runs[n-1].end() == r.first {
			runs[n-1].count += r.count
			continue
		}
		runs = append(runs, r)
	}
	return runs
}

// section says what a segment has of documents: for each the sentences between it and the one before,
// those that it has and the bytes of its title, as varints, then its title; all in one zstd frame.
type section struct {
	Number int64  `json:"number"`
	Bytes  int64  `json:"bytes"`
	Plain  int64  `json:"plain"` // bytes unpacked
	CRC    uint32 `json:"crc32c"`
}

// mostDocuments is the number of bytes that documents of one Add take
// unpacked at most: those of ten million with titles of a hundred letters.
const mostDocuments = 1 << 30

func (s section) check(bytes, sentences int64) error {
	if s.Bytes < 0 || s.Bytes > bytes || s.Plain < 0 || s.Plain > mostDocuments || s.Number < 0 ||
		s.Number > sentences || s.Number > s.Plain {
		return fmt.Errorf("%d documents in %d bytes, %d unpacked", s.Number, s.Bytes, s.Plain)
	}
	return nil
}

// sectionWriter makes a section.
type sectionWriter struct {
	plain  []byte
	number int64
	end    int64 // of the document before
}

// add adds the documents of a source whose sentences begin at offset: those that its index
// lists, else its runs without a blank line, where lines are sentences, else all of it.
func (w *sectionWriter) add(
	from *source, offset int64, layout corpus.Layout, documents []prepare.Document, runs []span,
) error {
	var list []listed
	lines := layout == "" || layout == corpus.Sentences
	switch {
	case lines && documents != nil:
		for _, d := range documents {
			if d.FirstLine+d.Lines-1 > from.Sentences {
				return fmt.Errorf("search: %s has %d lines, but the index beside it has the document %q in lines %d "+
					"to %d: prepare the text again, or move it to another folder",
					from.Path, from.Sentences, d.Title, d.FirstLine, d.FirstLine+d.Lines-1)
			}
			list = append(list, listed{span{d.FirstLine - 1, d.Lines}, d.Title})
		}
	case lines:
		for _, r := range runs {
			list = append(list, listed{span: r})
		}
	case from.Sentences > 0:
		list = []listed{{span: span{0, from.Sentences}}}
	}
	for _, d := range list {
		d.first += offset
		w.append(d)
	}
	if len(w.plain) > mostDocuments {
		return fmt.Errorf("search: more than %d documents are added at once, whose list would take more than %d "+
			"bytes: add the files in parts", w.number, mostDocuments)
	}
	return nil
}

// append adds a document behind those before.
func (w *sectionWriter) append(d listed) {
	for _, n := range []int64{d.first - w.end, d.count, int64(len(d.title))} {
		w.plain = binary.AppendUvarint(w.plain, uint64(n))
	}
	w.plain = append(w.plain, d.title...)
	w.number++
	w.end = d.end()
}

func (w *sectionWriter) packed() ([]byte, section) {
	z := packers.Get().(*zstd.Encoder)
	defer packers.Put(z)
	packed := z.EncodeAll(w.plain, nil)
	return packed, section{
		Number: w.number, Bytes: int64(len(packed)), Plain: int64(len(w.plain)),
		CRC: crc32.Checksum(packed, castagnoli),
	}
}

// documents are those of an index, in its order; read when they
// are first asked for, so that opening takes no longer for them.
type documents struct {
	mu   sync.Mutex
	list []listed
}

func (d *documents) of(x *Index) ([]listed, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.list != nil {
		return d.list, nil
	}
	list := make([]listed, 0, x.Documents)
	first := int64(0)
	for i := range x.manifest.Segments {
		g := &x.manifest.Segments[i]
		var err error
		if list, err = x.documentsOf(i, first, list); err != nil {
			return nil, err
		}
		first += g.Sentences
	}
	d.list = list
	return list, nil
}

// documentsOf appends the documents of a segment whose sentences begin at first.
func (x *Index) documentsOf(i int, first int64, list []listed) ([]listed, error) {
	g := &x.manifest.Segments[i]
	at := block{segment: i, offset: g.blocks()} // for errors
	if g.Documents.Bytes > math.MaxUint32 {
		return nil, x.damaged(&at, "its documents have %d bytes", g.Documents.Bytes)
	}
	packed, err := x.read(&at, nil, at.offset, uint32(g.Documents.Bytes), g.Documents.CRC)
	if err != nil {
		return nil, err
	}
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mostDocuments))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	plain, err := z.DecodeAll(packed, nil)
	if err != nil {
		return nil, x.damaged(&at, "its documents: %v", err)
	}
	made, err := decodeDocuments(plain, g.Documents.Number, g.Sentences)
	if err == nil && int64(len(plain)) != g.Documents.Plain {
		err = fmt.Errorf("%d bytes unpacked, expected %d", len(plain), g.Documents.Plain)
	}
	if err != nil {
		return nil, x.damaged(&at, "its documents: %v", err)
	}
	for _, d := range made {
		d.first += first
		list = append(list, d)
	}
	return list, nil
}

// decodeDocuments reads a section, whose documents lie within so many sentences.
func decodeDocuments(from []byte, number, sentences int64) (list []listed, err error) {
	text := string(from)
	end := int64(0)
	for range number {
		var numbers [3]uint64
		for i := range numbers {
			x, n := binary.Uvarint(from)
			if n <= 0 {
				return nil, errors.New("a number without an end")
			}
			numbers[i], from = x, from[n:]
		}
		left := uint64(sentences - end)
		if skip, count := numbers[0], numbers[1]; skip > left || count < 1 || count > left-skip {
			return nil, fmt.Errorf("%d sentences behind %d more, of %d", count, skip, left)
		}
		if numbers[2] > uint64(len(from)) {
			return nil, fmt.Errorf("a title of %d bytes in %d", numbers[2], len(from))
		}
		at := len(text) - len(from)
		d := listed{span{end + int64(numbers[0]), int64(numbers[1])}, text[at : at+int(numbers[2])]}
		list, end, from = append(list, d), d.end(), from[numbers[2]:]
	}
	if len(from) > 0 {
		return nil, fmt.Errorf("%d bytes behind them", len(from))
	}
	return list, nil
}

// beginIn are the documents that begin in a block: documents[from:to].
func (s *searching) beginIn(b *block) (from, to int) {
	at := func(position int64) int {
		return sort.Search(len(s.documents), func(i int) bool { return s.documents[i].first >= position })
	}
	return at(b.first), at(b.end())
}

// units is the number of sentences of a block, or of documents that begin there.
func (s *searching) units(b *block) int {
	if s.documents == nil {
		return int(b.Sentences)
	}
	from, to := s.beginIn(b)
	return to - from
}

// each calls do with the position and the words of each sentence of a block, or of each document
// that begins there. The words are valid until it returns; room is for reading, and is returned.
func (s *searching) each(b *block, room []byte, do func(position int64, ids []int32)) ([]byte, error) {
	if s.documents == nil {
		return s.sentences(b, room, func(i int, ids []int32) { do(b.first+int64(i), ids) })
	}
	at, to := s.beginIn(b)
	var words []int32
	for number := b.number; at < to; number++ {
		if number == len(s.blocks) {
			return room, s.damaged(b, "a document goes on behind the last block")
		}
		next := &s.blocks[number]
		var err error
		room, err = s.sentences(next, room, func(i int, ids []int32) {
			position := next.first + int64(i)
			if at == to || position < s.documents[at].first {
				return
			}
			words = append(words, ids...)
			if position == s.documents[at].end()-1 {
				do(int64(at), words)
				words = words[:0]
				at++
			}
		})
		if err != nil {
			return room, err
		}
	}
	return room, nil
}

// shown makes a hit of a document that is found.
func (s *searching) shown(ctx context.Context, c candidate, places *places) (Hit, error) {
	d := s.documents[c.Position]
	hit := Hit{Distance: c.Value, Position: d.first}
	err := places.fill(ctx, &hit)
	last, errL := places.at(d.end() - 1)
	nearest, errN := s.within(ctx, d.span)
	if err := errors.Join(err, errL, errN); err != nil {
		return hit, err
	}
	hit.Position = c.Position
	hit.Document = &Document{
		Title: strings.Clone(d.title), Last: last.line,
		Sentence: Hit{Distance: nearest.Value, Position: nearest.Position},
	}
	return hit, places.fill(ctx, &hit.Document.Sentence)
}

// within is the sentence nearest to the query of a document that has one with a known word.
func (s *searching) within(ctx context.Context, d span) (candidate, error) {
	run := s.searching(s.query, 1, new(Found))
	run.rows, run.columns, run.first = s.rows, s.columns, s.first
	var list []candidate
	var room []byte
	for number := s.blockOf(d.first).number; number < len(s.blocks) && s.blocks[number].first < d.end(); number++ {
		b := &s.blocks[number]
		var err error
		room, err = run.each(b, room, func(position int64, ids []int32) {
			if total := run.total(ids); position >= d.first && position < d.end() && total > 0 {
				bound := run.first.bound(ids, total, math.Inf(1))
				list = append(list, candidate{Position: position, Value: bound, Of: content{ids: slices.Clone(ids)}})
			}
		})
		if err != nil {
			return candidate{}, err
		}
	}
	if err := run.near.Run(ctx, list); err != nil {
		return candidate{}, err
	}
	if len(run.near.Nearest) == 0 {
		return candidate{}, errors.New("search: no sentence of a document with known words has one")
	}
	return run.near.Nearest[0], nil
}
