package search

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/mips"
	"contextmover/cmdlib/prepare"
	"contextmover/internal/atomicfile"
	"contextmover/internal/checksum"
	"contextmover/internal/disk"
)

// Added is what Add did.
type Added struct {
	// Files is the number of files that are new, Known that of those that the index had.
	Files, Known int
	// Sentences is the number of sentences of the new ones, Total that of
	// the whole index, Documents and AllDocuments the same of documents.
	Sentences, Total, Documents, AllDocuments int64
	// Invalid is the number of lines of the new ones with bytes that are not UTF-8, which are kept as U+FFFD, and
	// FirstInvalid the place of the first of them, as file:line.
	Invalid      int64
	FirstInvalid string
}

// Add adds the files of a text to the index in the folder dir, which is made if it is not there. It skips those whose
// content is in the index under any name. A text's sentences are what its layout says, in tokens; where a sentence is
// a line, numbers of sentences are those of lines.
//
// A document is what the index of prepared text beside the file says (prepare.Documents), else, where a
// sentence is a line, what lies between blank lines; else the file. Files without a sentence have none.
//
// A file of another content that the index has under the same path is an error, as is a folder that is not empty and
// no index. So is an index of another space (ErrOtherSpace), or one that another process adds to. After an error, and
// for who is reading, the index is what it was. Memory does not depend on the length of the text, and what is written
// not on the number of threads. What small additions have written is joined as they pile up.
func Add(
	ctx context.Context, dir string, s *cmdlib.Space, text corpus.Text, progress func(done, total int64),
) (*Added, error) {
	if err := disk.MkdirAll(dir); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	unlock, err := atomicfile.Lock(dir)
	if errors.Is(err, atomicfile.ErrLocked) {
		return nil, fmt.Errorf("search: %s: another process is adding to the index: wait for it to end", dir)
	}
	if err == nil {
		defer unlock()
	}
	m, err := readManifest(dir, s)
	if errors.Is(err, ErrNoIndex) {
		m, err = newManifest(dir, s)
	}
	if err != nil {
		return nil, err
	}
	added := new(Added)
	files, err := m.newFiles(ctx, text.Files, added)
	if err != nil {
		return nil, err
	}
	if len(files) > 0 || len(m.Segments) == 0 {
		g := segment{File: m.newName(), Sources: files}
		stats, err := g.write(ctx, dir, s, text, progress)
		if err != nil {
			return nil, err
		}
		added.Sentences, added.Documents = g.Sentences, g.Documents.Number
		added.Invalid, added.FirstInvalid = stats.Invalid, stats.FirstInvalid
		m.Segments = append(m.Segments, g)
		if err := m.compact(ctx, dir); err != nil {
			return nil, err
		}
		if err := m.write(dir); err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		m.clean(dir)
	}
	for _, g := range m.Segments {
		added.Total += g.Sentences
		added.AllDocuments += g.Documents.Number
	}
	return added, nil
}

// newManifest is that of an index without sentences, for an empty folder.
func newManifest(dir string, s *cmdlib.Space) (*manifest, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	for _, e := range entries {
		// What a killed process was about to write.
		if !strings.HasPrefix(e.Name(), ".") && !isSegment(e.Name()) {
			return nil, fmt.Errorf(
				"search: %s: the folder is neither empty nor an index, and is left as it is: choose another", dir,
			)
		}
	}
	m := &manifest{Format: format}
	m.Vocabulary, m.Words = vocabulary(s)
	return m, nil
}

// newFiles returns those files that are not in the index.
func (m *manifest) newFiles(ctx context.Context, files []string, added *Added) (list []source, err error) {
	contents, paths := make(map[string]bool), make(map[string]bool)
	for _, g := range m.Segments {
		for _, from := range g.Sources {
			contents[from.SHA256], paths[from.Path] = true, true
		}
	}
	for _, path := range files {
		sum, err := checksum.File(ctx, path)
		switch {
		case err != nil:
			return nil, fmt.Errorf("search: %w", err)
		case contents[sum]:
			added.Known++
			continue
		case paths[path]:
			return nil, fmt.Errorf("search: %s has changed since it was added to the index, which would then have "+
				"its sentences twice: make a new index, or give the new text another name", path)
		}
		contents[sum], paths[path] = true, true
		list = append(list, source{Path: path, SHA256: sum})
		added.Files++
	}
	return list, nil
}

// encoded is a block to be written.
type encoded struct {
	words, places, text, rows []byte
	block
	runs []span // of sentences with a token, from the first of the block
}

// write writes the sentences of the sources, which are files of the text, and sets what the manifest says of them. It
// returns what of them is not UTF-8.
func (g *segment) write(
	ctx context.Context, dir string, s *cmdlib.Space, text corpus.Text, progress func(done, total int64),
) (stats corpus.Stats, err error) {
	var total, before int64
	sizes := make([]int64, len(g.Sources))
	for i, from := range g.Sources {
		info, err := os.Stat(from.Path)
		if err != nil {
			return stats, fmt.Errorf("search: %w", err)
		}
		sizes[i] = info.Size()
		total += sizes[i]
	}
	paths := make([]string, len(g.Sources))
	for i, from := range g.Sources {
		paths[i] = from.Path
	}
	prepared, err := prepare.Documents(paths)
	if err != nil {
		return stats, fmt.Errorf("search: %w", err)
	}
	var read, written error // a failure of reading is told as it is
	fill := func(w *bufio.Writer, vectors io.Writer) error {
		var directory []byte
		var documents sectionWriter
		g.Bytes = int64(len(segmentMark))
		if _, err := w.WriteString(segmentMark); err != nil {
			return err
		}
		for i := range g.Sources {
			from := &g.Sources[i]
			var runs []span
			one := text
			one.Files = []string{from.Path}
			step := func(done, _ int64) {
				if progress != nil {
					progress(before+done, total)
				}
			}
			work := func(sentences []corpus.Sentence) (*encoded, error) { return encode(ctx, s, sentences) }
			of, err := corpus.Pieces(ctx, one, step, work, func(e *encoded) error {
				for _, part := range [][]byte{e.words, e.places, e.text} {
					if _, written = w.Write(part); written != nil {
						return written
					}
				}
				if vectors != nil {
					if _, written = vectors.Write(e.rows); written != nil {
						return written
					}
				}
				for _, x := range []uint32{
					e.Sentences, e.Words, e.Places, e.Text, e.Plain, e.WordsCRC, e.PlacesCRC, e.TextCRC,
				} {
					directory = binary.LittleEndian.AppendUint32(directory, x)
				}
				runs = joined(runs, e.runs, from.Sentences)
				from.Sentences += int64(e.Sentences)
				g.Bytes += int64(len(e.words) + len(e.places) + len(e.text))
				return nil
			})
			if err != nil {
				if written == nil {
					read = err
				}
				return err
			}
			if read = documents.add(from, g.Sentences, text.Layout, prepared[from.Path], runs); read != nil {
				return read
			}
			g.Sentences += from.Sentences
			before += sizes[i]
			stats.Invalid, stats.FirstInvalid = stats.Invalid+of.Invalid, cmp.Or(stats.FirstInvalid, of.FirstInvalid)
		}
		var packed []byte
		packed, g.Documents = documents.packed()
		g.Bytes += g.Documents.Bytes
		if _, err := w.Write(packed); err != nil {
			return err
		}
		g.Blocks, g.Directory = len(directory)/blockSize, crc32.Checksum(directory, castagnoli)
		g.Bytes += int64(len(directory))
		_, err := w.Write(directory)
		return err
	}
	err = g.writeVectors(ctx, dir, s, func(vectors io.Writer) error {
		return atomicfile.Write(filepath.Join(dir, g.File), func(w *bufio.Writer) error { return fill(w, vectors) })
	})
	if read != nil {
		return stats, read
	}
	if err != nil {
		return stats, fmt.Errorf("search: %w", err)
	}
	return stats, nil
}

// packers are zstd encoders, which are large.
var packers = sync.Pool{New: func() any {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // the option is not one
	}
	return z
}}

// encode makes a block of sentences, with rows of vectors if the space makes these.
func encode(ctx context.Context, s *cmdlib.Space, sentences []corpus.Sentence) (*encoded, error) {
	e := &encoded{places: appendPlaces(nil, sentences)}
	words := int32(s.OwnWords())
	var plain []byte
	var ids []int32
	texts := make([]string, len(sentences))
	for at, sentence := range sentences {
		texts[at] = sentence.Text
		plain = append(append(plain, sentence.Text...), '\n')
		if len(sentence.Tokens) > 0 {
			e.runs = joined(e.runs, []span{{0, 1}}, int64(at))
		}
		ids = ids[:0]
		for _, token := range sentence.Tokens {
			if id, ok := s.ID(token); ok && id < words {
				ids = append(ids, id)
			}
		}
		e.words = binary.AppendUvarint(e.words, uint64(len(ids)))
		for _, id := range ids {
			e.words = binary.AppendUvarint(e.words, uint64(id))
		}
	}
	if s.Encodes() == nil {
		vectors, err := s.Encode(ctx, texts)
		if err != nil {
			return nil, err
		}
		e.rows = mips.Append(nil, vectors, s.Dim)
	}
	z := packers.Get().(*zstd.Encoder)
	defer packers.Put(z)
	e.text = z.EncodeAll(plain, nil)
	e.block = block{
		Sentences: uint32(len(sentences)), Words: uint32(len(e.words)), Places: uint32(len(e.places)),
		Text: uint32(len(e.text)), Plain: uint32(len(plain)), WordsCRC: crc32.Checksum(e.words, castagnoli),
		PlacesCRC: crc32.Checksum(e.places, castagnoli), TextCRC: crc32.Checksum(e.text, castagnoli),
	}
	return e, nil
}
