package search

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sort"

	"contextmover/cmdlib/corpus"
	"contextmover/internal/shards"
)

// span are count sentences, from first on.
type span struct{ first, count int64 }

func (s span) end() int64 { return s.first + s.count }

// document is one of an index.
type document struct {
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

// mostDocuments is the number of bytes that documents take
// unpacked at most: those of ten million with titles of a hundred letters.
const mostDocuments = 1 << 30

// documentWriter makes the member of documents: for each the sentences between it and the one before, those that it has
// and the bytes of its title, as varints, then its title; all in one zstd frame.
type documentWriter struct {
	plain  []byte
	number int64
	end    int64 // of the document before
}

// add adds the documents of a source whose sentences begin at offset: those that its index
// lists, else its runs without a blank line, where lines are sentences, else all of it.
func (w *documentWriter) add(
	from source, offset int64, layout corpus.Layout, documents []shards.Document, runs []span,
) error {
	var list []document
	lines := layout == "" || layout == corpus.Sentences
	switch {
	case lines && documents != nil:
		for _, d := range documents {
			if d.FirstLine+d.Lines-1 > from.Sentences {
				return fmt.Errorf("search: %s has %d lines, but the index next to it has the document %q in lines %d "+
					"to %d: prepare the text again, or move it to another folder",
					from.Path, from.Sentences, d.Title, d.FirstLine, d.FirstLine+d.Lines-1)
			}
			list = append(list, document{span{d.FirstLine - 1, d.Lines}, d.Title})
		}
	case lines:
		for _, r := range runs {
			list = append(list, document{span: r})
		}
	case from.Sentences > 0:
		list = []document{{span: span{0, from.Sentences}}}
	}
	for _, d := range list {
		d.first += offset
		w.append(d)
	}
	if len(w.plain) > mostDocuments {
		return fmt.Errorf("search: the list of the first %d documents takes more than %d bytes: make several "+
			"indexes", w.number, mostDocuments)
	}
	return nil
}

// append adds a document behind those before.
func (w *documentWriter) append(d document) {
	for _, n := range []int64{d.first - w.end, d.count, int64(len(d.title))} {
		w.plain = binary.AppendUvarint(w.plain, uint64(n))
	}
	w.plain = append(w.plain, d.title...)
	w.number++
	w.end = d.end()
}

// readDocuments reads the documents of an index, in its order.
func (x *Index) readDocuments() ([]document, error) {
	var list []document
	packed, err := x.file.Bytes(documentsFile)
	if err == nil {
		var plain []byte
		if plain, err = unpacked(packed, mostDocuments); err == nil {
			list, err = decodeDocuments(plain, x.Documents, x.Sentences)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", documentsFile, err)
		}
	}
	if err != nil {
		return nil, damage(x.path, err)
	}
	return list, nil
}

// documentOf returns the number of the document that a sentence is in, −1 of one that is in none.
func documentOf(documents []document, position int64) int {
	at := sort.Search(len(documents), func(i int) bool { return documents[i].end() > position })
	if at == len(documents) || documents[at].first > position {
		return -1
	}
	return at
}

// decodeDocuments reads a section, whose documents lie within so many sentences.
func decodeDocuments(from []byte, number, sentences int64) (list []document, err error) {
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
		d := document{span{end + int64(numbers[0]), int64(numbers[1])}, text[at : at+int(numbers[2])]}
		list, end, from = append(list, d), d.end(), from[numbers[2]:]
	}
	if len(from) > 0 {
		return nil, fmt.Errorf("%d bytes behind them", len(from))
	}
	return list, nil
}
