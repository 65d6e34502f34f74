// Package search finds the sentences of a text, or the documents, that are nearest to a query, among millions: by the
// cosines of vectors (cmdlib.Encoder), and on request the nearest thousand of these by optimal transport.
//
// An Index is a file that Write makes as a whole: a zip file, of which numpy.load opens the vectors. It has the
// sentences as text, in blocks of about a megabyte, the documents that they belong to, and a vector of 8 bits a number
// for each sentence; many vectors are sorted into lists (package mips). An index belongs to the space that it was
// written with, and needs the text no more.
package search

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"sort"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"contextmover/cmdlib"
	"contextmover/cmdlib/internal/npz"
	"contextmover/cmdlib/search/internal/mips"
)

var (
	// ErrDamaged is returned when an index is not as it was written.
	ErrDamaged = npz.ErrDamaged
	// ErrOtherSpace is returned when an index was written with another space.
	ErrOtherSpace = errors.New("the index is one of another space")
	// ErrNoIndex is returned when a file is no index, or is not there.
	ErrNoIndex = errors.New("no index")
)

// The members of an index; the last one is there if there are lists.
const (
	manifestFile  = "index.json"
	sentencesFile = "sentences" // the blocks, each its places (see places.go) and its text
	blocksFile    = "blocks"    // blockSize bytes a block, see block
	documentsFile = "documents" // see documents.go
	vectorsFile   = "vectors.npy"
	listsFile     = "lists"
)

const format = 6

// manifest is index.json.
type manifest struct {
	Format    int      `json:"format"`
	Space     string   `json:"space"` // its identity
	Sentences int64    `json:"sentences"`
	Documents int64    `json:"documents"`
	Vectors   vectors  `json:"vectors"`
	Sources   []source `json:"sources"`
}

// source is a file of text, whose sentences follow those of the one before.
type source struct {
	Path      string `json:"path"`
	SHA256    string `json:"sha256"`
	Sentences int64  `json:"sentences"`
}

// block is some sentences: their places, and their text, each sentence with a line feed behind it, as a zstd frame.
// They have checksums of their own, as a search reads few blocks. Numbers have their lowest byte first.
type block struct {
	Sentences, Places, Text, Plain uint32 // all but the first are bytes; Plain those of the text unpacked
	PlacesCRC, TextCRC             uint32 // CRC-32C

	offset int64
	first  int64 // position of its first sentence
}

// end is the position behind the block's last sentence.
func (b *block) end() int64 { return b.first + int64(b.Sentences) }

const blockSize = 6 * 4

// mostPlain is more than the text of a block has: its sentences come from a megabyte, or from a line of four.
const mostPlain = 64 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// damage is an error about a file that is not as it was written.
func damage(path string, err error) error {
	if errors.Is(err, ErrDamaged) { // which names the file
		return fmt.Errorf("search: %w: remove the index and make it again", err)
	}
	return fmt.Errorf("search: %s is %w: %w: remove the index and make it again", path, ErrDamaged, err)
}

// readManifest reads and checks the index.json of an index of a space.
func readManifest(from *npz.File, path string, s *cmdlib.Space) (*manifest, error) {
	var m manifest
	if err := from.JSON(manifestFile, &m); err != nil {
		return nil, damage(path, err)
	}
	if m.Format != format {
		return nil, fmt.Errorf("search: %s: the index has format %d, this program reads format %d: make it again",
			path, m.Format, format)
	}
	if err := m.check(); err != nil {
		return nil, damage(path, fmt.Errorf("%s: %w", manifestFile, err))
	}
	encoding, err := encodingOf(s)
	if err != nil {
		return nil, err
	}
	if m.Space != s.Identity() || m.Vectors.Method != encoding.Method || m.Vectors.Dim != encoding.Dim {
		return nil, fmt.Errorf("search: %s: %w: open it with the space that it was written with, as that space was "+
			"then, or make an index for this one", path, ErrOtherSpace)
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
	if m.Sentences != sentences || m.Documents < 0 || m.Documents > sentences {
		return fmt.Errorf("%d sentences in %d documents, of sources with %d", m.Sentences, m.Documents, sentences)
	}
	if dim := m.Vectors.Dim; dim < 1 || m.Sentences > math.MaxInt64/int64(mips.Size(dim)) {
		return fmt.Errorf("vectors of dimension %d of %d sentences", dim, m.Sentences)
	}
	return nil
}

// Index is an opened index. It may be asked from several goroutines at once.
type Index struct {
	// Sentences is the number of sentences, Documents that of documents.
	Sentences, Documents int64
	// Files are the files of text whose sentences it has, as Write was given them.
	Files []string

	path      string
	space     *cmdlib.Space
	encoder   *cmdlib.Encoder
	manifest  *manifest
	file      *npz.File
	sentences []byte // that member
	blocks    []block
	documents func() ([]document, error)
	rows      func() (*compared, error)
}

// IsIndex reports whether the file at path is an index.
func IsIndex(path string) bool {
	file, err := npz.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	return file.Has(manifestFile)
}

// Open opens the index in the file at path for the space that it was written with. It may be used until the space is
// closed. Another space is an ErrOtherSpace, even if it is the same with another method of vectors (cmdlib.Options);
// ErrNoIndex and ErrDamaged are other errors. Blocks and vectors are checked when they are read.
func Open(path string, s *cmdlib.Space) (*Index, error) {
	file, err := npz.Open(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !file.Has(manifestFile) || errors.Is(err, npz.ErrDamaged) {
		return nil, fmt.Errorf("search: %s: %w", path, ErrNoIndex)
	}
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	x := &Index{path: path, space: s, file: file}
	if err := x.open(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return x, nil
}

// open reads all but text and vectors.
func (x *Index) open() (err error) {
	if x.manifest, err = readManifest(x.file, x.path, x.space); err != nil {
		return err
	}
	x.Sentences, x.Documents = x.manifest.Sentences, x.manifest.Documents
	for _, from := range x.manifest.Sources {
		x.Files = append(x.Files, from.Path)
	}
	if x.encoder, err = x.space.Encoder(); err != nil {
		return err
	}
	if x.sentences, err = x.file.Mapped(sentencesFile); err != nil {
		return damage(x.path, err)
	}
	x.documents, x.rows = sync.OnceValues(x.readDocuments), sync.OnceValues(x.readRows)
	return x.readBlocks()
}

// HasLists reports whether the vectors are so many that they are in lists, of which Search compares those near the
// query alone, unless it is to be exact.
func (x *Index) HasLists() bool { return x.manifest.Vectors.Lists }

// Checksum is that of what the index holds: indexes of other text or another space have another one.
func (x *Index) Checksum() string { return x.file.Sum() }

// Close releases the file.
func (x *Index) Close() error { return x.file.Close() }

// damaged is the error about a byte of the sentences.
func (x *Index) damaged(offset int64, format string, args ...any) error {
	return damage(x.path, fmt.Errorf("%s: at byte %d: %s", sentencesFile, offset, fmt.Sprintf(format, args...)))
}

// readBlocks reads what the index has of its blocks.
func (x *Index) readBlocks() error {
	list, err := x.file.Bytes(blocksFile)
	if err != nil {
		return damage(x.path, err)
	}
	offset, sentences := int64(0), int64(0)
	for ; len(list) >= blockSize; list = list[blockSize:] {
		number := func(i int) uint32 { return binary.LittleEndian.Uint32(list[4*i:]) }
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
	if offset != int64(len(x.sentences)) || sentences != x.Sentences || len(list) > 0 {
		return x.damaged(offset, "the blocks have %d sentences and end there, expected %d in %d bytes",
			sentences, x.Sentences, len(x.sentences))
	}
	return nil
}

// part returns a part of the sentences, with its checksum compared.
func (x *Index) part(from int64, length, crc uint32) ([]byte, error) {
	part := x.sentences[from : from+int64(length)]
	if crc32.Checksum(part, castagnoli) != crc {
		return nil, x.damaged(from, "it is not what was written")
	}
	return part, nil
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
func (x *Index) text(b *block) ([]string, error) {
	packed, err := x.part(b.offset+int64(b.Places), b.Text, b.TextCRC)
	if err != nil {
		return nil, err
	}
	plain, err := unpacked(packed, mostPlain)
	if err != nil {
		return nil, x.damaged(b.offset, "its text: %v", err)
	}
	lines := strings.Split(string(plain), "\n")
	lines = lines[:len(lines)-1] // nothing is behind the last line feed
	if len(lines) != int(b.Sentences) || len(plain) != int(b.Plain) {
		return nil, x.damaged(b.offset, "%d sentences of text in %d bytes, expected %d in %d", len(lines), len(plain),
			b.Sentences, b.Plain)
	}
	return lines, nil
}

// placesOf returns the places of a block's sentences.
func (x *Index) placesOf(b *block) ([]place, error) {
	packed, err := x.part(b.offset, b.Places, b.PlacesCRC)
	if err != nil {
		return nil, err
	}
	list, ok := readPlaces(packed, int(b.Sentences))
	if !ok {
		return nil, x.damaged(b.offset, "the places of %d sentences are not in %d bytes", b.Sentences, b.Places)
	}
	return list, nil
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
