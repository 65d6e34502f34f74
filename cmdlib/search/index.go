// Package search finds the sentences of a text, or the documents, that are nearest to a query, among millions: by the
// cosines of vectors (cmdlib.Encoder), and on request the nearest thousand of these by optimal transport.
//
// An Index is a folder that Write makes as a whole. It has the sentences as text, in blocks of about a megabyte, the
// documents that they belong to, and a vector of 8 bits a number for each sentence; many vectors are sorted into lists
// (package mips). An index belongs to the space that it was written with, and needs the text no more.
package search

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sort"
	"sync"

	"github.com/klauspost/compress/zstd"

	"contextmover/cmdlib"
	"contextmover/cmdlib/search/internal/mips"
	"contextmover/internal/atomicfile"
	"contextmover/internal/bounded"
	"contextmover/internal/jsonerror"
)

var (
	// ErrDamaged is returned when an index is not as it was written.
	ErrDamaged = errors.New("damaged: remove the index and make it again")
	// ErrOtherSpace is returned when an index was written with another space.
	ErrOtherSpace = errors.New("the index is one of another space")
	// ErrNoIndex is returned when a folder is no index.
	ErrNoIndex = errors.New("no index")
)

// ManifestFile is the file without which a folder is no index.
const ManifestFile = "index.json"

// The other files of an index; the last one is there if there are lists.
const (
	sentencesFile = "sentences"
	vectorsFile   = "vectors"
	listsFile     = "lists"
)

const format = 5

// manifest is index.json, which is written last. It describes the file of sentences: a mark, then the blocks, each its
// places (see places.go) and its text, then the documents (see documents.go), then the directory, blockSize bytes a
// block. Numbers have their lowest byte first.
type manifest struct {
	Format    int    `json:"format"`
	Space     string `json:"space"` // its identity
	Bytes     int64  `json:"bytes"` // of the file of sentences
	Blocks    int    `json:"blocks"`
	Sentences int64  `json:"sentences"`
	// Directory is the CRC-32C of the directory.
	Directory uint32   `json:"directory_crc32c"`
	Documents section  `json:"documents"`
	Vectors   vectors  `json:"vectors"`
	Sources   []source `json:"sources"`
	// Checksum is the SHA-256 of the manifest with an empty one.
	Checksum string `json:"checksum"`
}

// source is a file of text, whose sentences follow those of the one before.
type source struct {
	Path      string `json:"path"`
	SHA256    string `json:"sha256"`
	Sentences int64  `json:"sentences"`
}

const mark = "cmsents2"

// blocksEnd is the offset behind the last block.
func (m *manifest) blocksEnd() int64 { return m.Bytes - int64(m.Blocks)*blockSize - m.Documents.Bytes }

// block is some sentences: their places, and their text, each sentence with a line feed behind it, as a zstd frame.
type block struct {
	Sentences, Places, Text, Plain uint32 // all but the first are bytes; Plain those of the text unpacked
	PlacesCRC, TextCRC             uint32

	offset int64
	first  int64 // position of its first sentence
}

// end is the position behind the block's last sentence.
func (b *block) end() int64 { return b.first + int64(b.Sentences) }

const blockSize = 6 * 4

// mostPlain is more than the text of a block has: its sentences come from a megabyte, or from a line of four.
const mostPlain = 64 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (m *manifest) checksum() string {
	c := *m
	c.Checksum = ""
	text, err := json.Marshal(c)
	if err != nil {
		panic(err) // there is nothing in it that JSON cannot have
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func (m *manifest) write(dir string) error {
	m.Checksum = m.checksum()
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(filepath.Join(dir, ManifestFile), append(text, '\n'))
}

// readManifest reads and checks the index.json of an index of a space.
func readManifest(dir string, s *cmdlib.Space) (*manifest, error) {
	path := filepath.Join(dir, ManifestFile)
	text, err := bounded.ReadFile(path, bounded.Document)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("search: %s: %w: it has no %s", dir, ErrNoIndex, ManifestFile)
	}
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("search: %s: %w: %w", path, jsonerror.Explain(err), ErrDamaged)
	}
	if m.Format != format {
		return nil, fmt.Errorf("search: %s: the index has format %d, this program reads format %d: make it again",
			path, m.Format, format)
	}
	if m.Checksum != m.checksum() {
		return nil, fmt.Errorf("search: %s: its checksum is not that of its content: %w", path, ErrDamaged)
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("search: %s: %w: %w", path, err, ErrDamaged)
	}
	encoding, err := encodingOf(s)
	if err != nil {
		return nil, err
	}
	if m.Space != s.Identity() || m.Vectors.Method != encoding.Method || m.Vectors.Dim != encoding.Dim {
		return nil, fmt.Errorf("search: %s: %w: open it with the space that it was written with, as that space was "+
			"then, or make an index for this one", dir, ErrOtherSpace)
	}
	return &m, nil
}

// check returns an error if the numbers of a manifest do not fit together.
func (m *manifest) check() error {
	sentences := int64(0)
	for _, from := range m.Sources {
		if from.Sentences < 0 {
			return fmt.Errorf("%d sentences of %s", from.Sentences, from.Path)
		}
		sentences += from.Sentences
	}
	if m.Blocks < 0 || int64(m.Blocks) > m.Bytes/blockSize || m.Sentences != sentences {
		return fmt.Errorf("%d blocks in %d bytes, %d sentences, of sources with %d",
			m.Blocks, m.Bytes, m.Sentences, sentences)
	}
	if dim := m.Vectors.Dim; dim < 1 || m.Sentences > math.MaxInt64/int64(mips.Size(dim)) {
		return fmt.Errorf("vectors of dimension %d of %d sentences", dim, m.Sentences)
	}
	return m.Documents.check(m.Bytes, m.Sentences)
}

// Index is an opened index. It may be asked from several goroutines at once.
type Index struct {
	// Sentences is the number of sentences, Documents that of documents.
	Sentences, Documents int64
	// Files are the files of text whose sentences it has, as Write was given them.
	Files []string

	path      string // of the file of sentences
	dir       string
	space     *cmdlib.Space
	encoder   *cmdlib.Encoder
	manifest  *manifest
	file      *os.File
	blocks    []block
	documents func() ([]document, error)
	rows      mappedRows
}

// Open opens the index in the folder dir for the space that it was written with; it may be used until the space is
// closed. Another space is an ErrOtherSpace, even if it is the same with another method of vectors (cmdlib.Override);
// ErrNoIndex and ErrDamaged are other errors. Blocks and vectors are checked when they are read.
func Open(dir string, s *cmdlib.Space) (*Index, error) {
	m, err := readManifest(dir, s)
	if err != nil {
		return nil, err
	}
	encoder, err := s.Encoder()
	if err != nil {
		return nil, err
	}
	x := &Index{
		Sentences: m.Sentences, Documents: m.Documents.Number,
		path: filepath.Join(dir, sentencesFile), dir: dir, space: s, encoder: encoder, manifest: m,
	}
	x.documents = sync.OnceValues(x.readDocuments)
	for _, from := range m.Sources {
		x.Files = append(x.Files, from.Path)
	}
	x.file, err = os.Open(x.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("search: %w: %w", err, ErrDamaged)
	}
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	if err := x.readDirectory(); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// HasLists reports whether the vectors are so many that they are in lists, of which Search compares those near the
// query alone, unless it is to be exact.
func (x *Index) HasLists() bool { return x.manifest.Vectors.Lists }

// Checksum is that of what the index says of itself: indexes of other text or another space have another one.
func (x *Index) Checksum() string { return x.manifest.Checksum }

// Close releases the files.
func (x *Index) Close() error { return errors.Join(x.rows.close(), x.file.Close()) }

// damaged is the error about a byte of the file of sentences.
func (x *Index) damaged(offset int64, format string, args ...any) error {
	return fmt.Errorf("search: %s: at byte %d: %s: %w", x.path, offset, fmt.Sprintf(format, args...), ErrDamaged)
}

// readDirectory reads what the file has of its blocks.
func (x *Index) readDirectory() error {
	m := x.manifest
	info, err := x.file.Stat()
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	if info.Size() != m.Bytes {
		return x.damaged(info.Size(), "the file ends there, expected %d bytes", m.Bytes)
	}
	directory, err := x.directory()
	if err != nil {
		return err
	}
	offset, sentences := int64(len(mark)), int64(0)
	for ; len(directory) > 0; directory = directory[blockSize:] {
		number := func(i int) uint32 { return binary.LittleEndian.Uint32(directory[4*i:]) }
		b := block{
			Sentences: number(0), Places: number(1), Text: number(2), Plain: number(3),
			PlacesCRC: number(4), TextCRC: number(5), offset: offset, first: sentences,
		}
		if b.Sentences > b.Places || b.Plain > mostPlain {
			return x.damaged(offset, "%d sentences in %d bytes of places, %d of text", b.Sentences, b.Places, b.Plain)
		}
		offset, sentences = offset+int64(b.Places)+int64(b.Text), b.end()
		x.blocks = append(x.blocks, b)
	}
	if offset != m.blocksEnd() || sentences != m.Sentences {
		return x.damaged(m.blocksEnd(), "the blocks have %d sentences and end at byte %d, expected %d",
			sentences, offset, m.Sentences)
	}
	return nil
}

func (x *Index) directory() ([]byte, error) {
	length := int64(x.manifest.Blocks) * blockSize
	if length > math.MaxUint32 {
		return nil, x.damaged(0, "the directory has %d bytes", length)
	}
	return x.read(x.manifest.Bytes-length, uint32(length), x.manifest.Directory)
}

// read returns a part of the file of sentences, with its checksum compared.
func (x *Index) read(from int64, length, crc uint32) ([]byte, error) {
	room := make([]byte, length)
	if _, err := x.file.ReadAt(room, from); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, x.damaged(from, "the file ends behind it")
		}
		return nil, fmt.Errorf("search: %w", err)
	}
	if crc32.Checksum(room, castagnoli) != crc {
		return nil, x.damaged(from, "it is not what was written")
	}
	return room, nil
}

// unpacked returns what zstd has packed, at most so many bytes.
func unpacked(packed []byte, most uint64) ([]byte, error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(most))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return z.DecodeAll(packed, nil)
}

// text returns the text of a block's sentences.
func (x *Index) text(ctx context.Context, b *block) ([]string, error) {
	packed, err := x.read(b.offset+int64(b.Places), b.Text, b.TextCRC)
	if err != nil {
		return nil, err
	}
	plain, err := unpacked(packed, mostPlain)
	if err != nil {
		return nil, x.damaged(b.offset, "its text: %v", err)
	}
	var lines []string
	for from, at := 0, 0; at < len(plain); at++ {
		if plain[at] == '\n' {
			lines = append(lines, string(plain[from:at]))
			from = at + 1
		}
	}
	if len(lines) != int(b.Sentences) || len(plain) != int(b.Plain) {
		return nil, x.damaged(b.offset, "%d sentences of text in %d bytes, expected %d in %d", len(lines), len(plain),
			b.Sentences, b.Plain)
	}
	return lines, ctx.Err()
}

// blockOf is the block of a sentence.
func (x *Index) blockOf(position int64) *block {
	return &x.blocks[sort.Search(len(x.blocks), func(i int) bool { return x.blocks[i].end() > position })]
}

// source returns the path of the file that a sentence is in.
func (x *Index) source(position int64) string {
	for _, from := range x.manifest.Sources {
		if position < from.Sentences {
			return from.Path
		}
		position -= from.Sentences
	}
	panic("search: a position beyond the last sentence")
}
