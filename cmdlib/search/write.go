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
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
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

// Write makes an index of a text in the folder dir, which is made if it is not there and must be empty. With old,
// the folder of another index of the space, the new one has its sentences too, before those of the text; files of
// the text whose content the old index has, under whatever name, are left out. What the old index has is copied.
// A file of another content that the old index has under the same path is an error.
//
// A text's sentences are what its layout says; where a sentence is a line, numbers of sentences are those of lines. A
// document is what the index of prepared text next to the file says (shards.Documents), else, where a sentence is a
// line, what lies between blank lines; else the file. Files without a sentence have none.
//
// A space that makes no vectors of texts (cmdlib.Space.Encoder) is an error. After an error dir is no index. Memory
// does not depend on the length of the text, and what is written not on the number of threads.
func Write(
	ctx context.Context, dir string, s *cmdlib.Space, text corpus.Text, old string, progress func(done, total int64),
) (*Written, error) {
	encoding, err := encodingOf(s)
	if err != nil {
		return nil, err
	}
	if err := disk.MkdirAll(dir); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	unlock, err := atomicfile.Lock(dir)
	if errors.Is(err, atomicfile.ErrLocked) {
		return nil, fmt.Errorf("search: %s: another process writes an index there: wait for it to end", dir)
	}
	if err == nil {
		defer unlock()
	}
	if err := empty(dir); err != nil {
		return nil, err
	}
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
	if err := w.manifest.write(dir); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	w.written.Total, w.written.TotalDocuments = w.manifest.Sentences, w.manifest.Documents.Number
	w.written.Sentences, w.written.Documents = w.written.Total, w.written.TotalDocuments
	if w.old != nil {
		w.written.Sentences -= w.old.Sentences
		w.written.Documents -= w.old.Documents
	}
	return &w.written, nil
}

// empty returns an error unless the folder has at most what a killed process has left of an index.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	for _, e := range entries {
		if e.Name() == ManifestFile {
			return fmt.Errorf("search: %s is an index already, and is left as it is: choose another folder, and name "+
				"this one as the old index to take over what it has", dir)
		}
		own := []string{sentencesFile, vectorsFile, listsFile}
		if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(own, e.Name()) {
			return fmt.Errorf("search: %s: the folder is not empty, and is left as it is: choose another", dir)
		}
	}
	return nil
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
	documents sectionWriter
	directory []byte

	sentences, vectors output
}

// fresh is a file of text that the old index lacks.
type fresh struct {
	source
	size int64 // in bytes
}

// output is a file that is written. It counts the bytes, and keeps the first error.
type output struct {
	to    io.Writer
	bytes int64
	err   error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.to.Write(p)
	o.bytes += int64(n)
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

// write writes all files but the manifest.
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
		sum := crc32.New(castagnoli)
		w.vectors.to = io.MultiWriter(to, sum)
		err := sentences()
		w.manifest.Vectors.CRC = sum.Sum32()
		return err
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
	if _, err := io.WriteString(&w.sentences, mark); err != nil {
		return err
	}
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
	packed, section := w.documents.packed()
	m := &w.manifest
	m.Documents, m.Blocks = section, len(w.directory)/blockSize
	m.Directory = crc32.Checksum(w.directory, castagnoli)
	_, err = w.sentences.Write(slices.Concat(packed, w.directory))
	m.Bytes = w.sentences.bytes
	return err
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
	if w.directory, err = w.old.directory(); err != nil {
		return err
	}
	blocks := io.NewSectionReader(w.old.file, int64(len(mark)), w.old.manifest.blocksEnd()-int64(len(mark)))
	if err := checksum.Copy(ctx, &w.sentences, blocks); err != nil {
		return err
	}
	w.manifest.Sentences = w.old.Sentences
	rows, err := w.old.rows.of(w.old)
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
			w.directory = binary.LittleEndian.AppendUint32(w.directory, x)
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
	e := &encoded{places: appendPlaces(nil, sentences)}
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
	e.rows = mips.Append(nil, vectors, encoder.Dim())
	e.text = packed(plain)
	e.block = block{
		Sentences: uint32(len(sentences)), Places: uint32(len(e.places)), Text: uint32(len(e.text)),
		Plain: uint32(len(plain)), PlacesCRC: crc32.Checksum(e.places, castagnoli),
		TextCRC: crc32.Checksum(e.text, castagnoli),
	}
	return e, nil
}
