package search

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/internal/npz"
	"contextmover/cmdlib/npy"
	"contextmover/cmdlib/search/internal/mips"
	"contextmover/internal/atomicfile"
	"contextmover/internal/checksum"
	"contextmover/internal/disk"
	"contextmover/internal/shards"
)

// Written says what Write has written.
type Written struct {
	// Files is the number of files of the text that are new, Known that of those that the old index has.
	Files, Known int
	// Sentences is the number of sentences of the new files, Total that of the whole index; Documents and
	// TotalDocuments count documents.
	Sentences, Total, Documents, TotalDocuments int64
	// Invalid is the number of lines of the new files with bytes that are not UTF-8, which are kept as U+FFFD, and
	// FirstInvalid the place of the first of them, as file:line.
	Invalid      int64
	FirstInvalid string
}

// Write makes an index of a text in the file at path, where nothing may be. With old, the file of another index of the
// space, the new one has its sentences too, before those of the text; files of the text whose content the old index
// has, under whatever name, are left out. The sentences of the old index are copied. A file of another
// content that the old index has under the same path is an error.
//
// A text's sentences are what its layout says, and where a sentence is a line, numbers of sentences are those of lines.
// A document is what the index of prepared text next to the file says (shards.Documents), or else, where a sentence is
// a line, what lies between blank lines, or else the file. Files without a sentence have none.
//
// A space that makes no vectors of texts (cmdlib.Space.Encoder) is an error. After an error nothing is at path. Memory
// does not depend on the length of the text, and what is written not on the number of threads.
func Write(
	ctx context.Context, path string, s *cmdlib.Space, text corpus.Text, old string, progress func(done, total int64),
) (*Written, error) {
	encoding, err := encodingOf(s)
	if err != nil {
		return nil, err
	}
	atomicfile.RemoveLeftovers(path)
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("search: %s is there already, and is left as it is: choose another name", path)
	}
	if err := disk.MkdirAll(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	// Sizes and checksums of members precede them, so that long ones wait in files.
	dir, release, err := atomicfile.Folder(path)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	defer release()
	w := &writer{
		space: s, text: text, progress: progress,
		manifest: manifest{Format: format, Space: s.Identity(), Vectors: encoding},
	}
	if old != "" {
		if w.old, err = Open(old, s); err != nil {
			return nil, err
		}
		defer w.old.Close()
		w.manifest.Sources = w.old.manifest.Sources
	}
	if err := w.newFiles(ctx); err != nil {
		return nil, err
	}
	if err := w.write(ctx, dir); err != nil {
		return nil, err
	}
	if err := w.join(ctx, dir, path); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	w.written.Total, w.written.TotalDocuments = w.manifest.Sentences, w.manifest.Documents
	w.written.Sentences, w.written.Documents = w.written.Total, w.written.TotalDocuments
	if w.old != nil {
		w.written.Sentences -= w.old.Sentences
		w.written.Documents -= w.old.Documents
	}
	return &w.written, nil
}

// join writes the index of what write has written.
func (w *writer) join(ctx context.Context, dir, path string) error {
	m := &w.manifest
	m.Documents = w.documents.number
	size := mips.Size(m.Vectors.Dim)
	return npz.Write(path, func(to *npz.Writer) error {
		err := errors.Join(to.AddJSON(manifestFile, m), to.AddBytes(blocksFile, w.blocks),
			to.AddBytes(documentsFile, packed(w.documents.plain)))
		if err == nil {
			err = addFile(ctx, to, filepath.Join(dir, sentencesFile), nil)
		}
		if err == nil {
			err = addFile(ctx, to, filepath.Join(dir, vectorsFile), npy.Header[uint8](int(m.Sentences), size))
		}
		if err == nil && m.Vectors.Lists {
			err = addFile(ctx, to, filepath.Join(dir, listsFile), nil)
		}
		return err
	})
}

// addFile adds a member of the name of a file: so many bytes before it, then what it holds.
func addFile(ctx context.Context, to *npz.Writer, path string, before []byte) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	return to.Add(filepath.Base(path), int64(len(before))+info.Size(), func(to io.Writer) error {
		_, err := to.Write(before)
		if err == nil {
			err = checksum.Copy(ctx, to, io.NewSectionReader(file, 0, info.Size()))
		}
		return err
	})
}

// writer makes an index.
type writer struct {
	space    *cmdlib.Space
	text     corpus.Text
	old      *Index // nil without
	progress func(done, total int64)

	manifest  manifest
	written   Written
	fresh     []fresh
	documents documentWriter
	blocks    []byte

	sentences, vectors output
}

// fresh is a file of text that the old index lacks.
type fresh struct {
	source
	size int64 // in bytes
}

// output is a file that is written. It keeps the first error.
type output struct {
	to  io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.to.Write(p)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// newFiles sets the files whose content the old index lacks, each once.
func (w *writer) newFiles(ctx context.Context) error {
	contents, paths := make(map[string]bool), make(map[string]bool)
	for _, from := range w.manifest.Sources {
		contents[from.SHA256], paths[from.Path] = true, true
	}
	for _, path := range w.text.Files {
		sum, err := checksum.File(ctx, path)
		if err != nil {
			return fmt.Errorf("search: %w", err)
		}
		if contents[sum] {
			w.written.Known++
			continue
		}
		if paths[path] {
			return fmt.Errorf("search: %s has changed since the old index was made, and would be there twice: make "+
				"the index of all files again, or give the new text another name", path)
		}
		info, err := os.Stat(path)
		if err != nil {
			return fmt.Errorf("search: %w", err)
		}
		contents[sum], paths[path] = true, true
		w.fresh = append(w.fresh, fresh{source{Path: path, SHA256: sum}, info.Size()})
		w.written.Files++
	}
	return nil
}

// write writes sentences, vectors and lists to files of the folder.
func (w *writer) write(ctx context.Context, dir string) error {
	var reading error // rather than writing, and so told without the name of what was being written
	sentences := func() error {
		return atomicfile.Write(filepath.Join(dir, sentencesFile), func(to *bufio.Writer) error {
			w.sentences.to = to
			err := w.fill(ctx)
			if w.sentences.err == nil && w.vectors.err == nil {
				reading = err
			}
			return err
		})
	}
	err := atomicfile.Write(filepath.Join(dir, vectorsFile), func(to *bufio.Writer) error {
		w.vectors.to = to
		return sentences()
	})
	if err == nil {
		err = w.manifest.group(ctx, dir)
	}
	if reading != nil {
		return reading
	}
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	return nil
}

// fill writes the sentences and their vectors: those of the old index, then those of the fresh files.
func (w *writer) fill(ctx context.Context) error {
	if w.old != nil {
		if err := w.copyOld(ctx); err != nil {
			return err
		}
	}
	paths, total := make([]string, len(w.fresh)), int64(0)
	for i, from := range w.fresh {
		paths[i], total = from.Path, total+from.size
	}
	prepared, err := shards.Documents(paths)
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	before := int64(0)
	for _, from := range w.fresh {
		step := func(done, _ int64) {
			if w.progress != nil {
				w.progress(before+done, total)
			}
		}
		if err := w.add(ctx, from.source, prepared[from.Path], step); err != nil {
			return err
		}
		before += from.size
	}
	return nil
}

// copyOld writes what the old index has.
func (w *writer) copyOld(ctx context.Context) error {
	documents, err := w.old.documents()
	if err != nil {
		return err
	}
	for _, d := range documents {
		w.documents.append(d)
	}
	blocks, err := w.old.file.Bytes(blocksFile)
	if err != nil {
		return err
	}
	w.blocks = slices.Clone(blocks)
	if err := checksum.Copy(ctx, &w.sentences, bytes.NewReader(w.old.sentences)); err != nil {
		return err
	}
	w.manifest.Sentences = w.old.Sentences
	rows, err := w.old.rows()
	if err == nil {
		err = rows.write(ctx, &w.vectors)
	}
	return w.old.changed(err)
}

// add writes the sentences of a file, with the documents that a prepared text says it has.
func (w *writer) add(
	ctx context.Context, from source, prepared []shards.Document, step func(done, total int64),
) error {
	m, text := &w.manifest, w.text
	text.Files = []string{from.Path}
	var runs []span
	encoder, err := w.space.Encoder()
	if err != nil {
		return err
	}
	encode := func(sentences []corpus.Sentence) (*encoded, error) { return encode(ctx, encoder, sentences) }
	stats, err := corpus.Pieces(ctx, text, step, encode, func(e *encoded) error {
		for _, part := range [][]byte{e.places, e.text} {
			if _, err := w.sentences.Write(part); err != nil {
				return err
			}
		}
		if _, err := w.vectors.Write(e.rows); err != nil {
			return err
		}
		for _, x := range []uint32{e.Sentences, e.Places, e.Text, e.Plain, e.PlacesCRC, e.TextCRC} {
			w.blocks = binary.LittleEndian.AppendUint32(w.blocks, x)
		}
		runs = joined(runs, e.runs, from.Sentences)
		from.Sentences += int64(e.Sentences)
		return nil
	})
	if err != nil {
		return err
	}
	if err := w.documents.add(from, m.Sentences, text.Layout, prepared, runs); err != nil {
		return err
	}
	m.Sentences, m.Sources = m.Sentences+from.Sentences, append(slices.Clip(m.Sources), from)
	w.written.Invalid += stats.Invalid
	w.written.FirstInvalid = cmp.Or(w.written.FirstInvalid, stats.FirstInvalid)
	return nil
}

// packers are zstd encoders, which are large.
var packers = sync.Pool{New: func() any {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // the option is not one
	}
	return z
}}

func packed(plain []byte) []byte {
	z := packers.Get().(*zstd.Encoder)
	defer packers.Put(z)
	return z.EncodeAll(plain, nil)
}

// encoded is a block to be written.
type encoded struct {
	places, text, rows []byte
	block
	runs []span // of sentences with a token, from the first of the block
}

// encode makes a block of sentences, with the rows of their vectors.
func encode(ctx context.Context, encoder *cmdlib.Encoder, sentences []corpus.Sentence) (*encoded, error) {
	e := &encoded{places: encodePlaces(sentences)}
	var plain []byte
	texts := make([]string, len(sentences))
	for at, sentence := range sentences {
		texts[at] = sentence.Text
		plain = append(append(plain, sentence.Text...), '\n')
		if len(sentence.Tokens) > 0 {
			e.runs = joined(e.runs, []span{{0, 1}}, int64(at))
		}
	}
	vectors, err := encoder.Encode(ctx, texts)
	if err != nil {
		return nil, err
	}
	e.rows = mips.Encode(vectors, encoder.Dim())
	e.text = packed(plain)
	e.block = block{
		Sentences: uint32(len(sentences)), Places: uint32(len(e.places)), Text: uint32(len(e.text)),
		Plain: uint32(len(plain)), PlacesCRC: crc32.Checksum(e.places, castagnoli),
		TextCRC: crc32.Checksum(e.text, castagnoli),
	}
	return e, nil
}
