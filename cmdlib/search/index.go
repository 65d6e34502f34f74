// Package search finds the sentences of a text that are nearest to a query by the context mover's distance of a
// space, among millions. The result is exact: only sentences that a lower bound does not rule out are solved. The
// same for documents.
//
// An Index is a folder. It has the sentences as numbers of a space's words and as text, in blocks that are read one
// by one. So it opens at once and grows by further files (Add). It holds no histograms, so that every space with the
// same vocabulary can be asked, with any settings. Sentences are the averages of their words' histograms.
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
	"sync"
	"syscall"

	"github.com/klauspost/compress/zstd"

	"contextmover/cmdlib"
	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/internal/relaxation"
	"contextmover/cmdlib/mips"
	"contextmover/cmdlib/sentence"
	"contextmover/internal/atomicfile"
	"contextmover/internal/bounded"
	"contextmover/internal/jsonerror"
)

// ErrDamaged is the error of an index that is not as it was written, ErrOtherSpace that of an index of another
// vocabulary. ErrNoIndex is the error of a folder that is no index, ErrCombination that of a space whose sentences
// are not averages.
var (
	ErrDamaged    = errors.New("damaged: remove the index and make it again")
	ErrOtherSpace = errors.New("the index is one of another space")
	ErrNoIndex    = errors.New("no index")

	ErrCombination = errors.New("bounds are known for averages alone")
)

// ManifestFile is the file without which a folder is no index.
const ManifestFile = "index.json"

const format = 4

// manifest is index.json. It is written last, so that what it does not name is not there.
type manifest struct {
	Format int `json:"format"`
	// Vocabulary is the SHA-256 of the space's words, each followed by a line feed.
	Vocabulary string    `json:"vocabulary"`
	Words      int       `json:"words"`
	Segments   []segment `json:"segments"`
	// Checksum is the SHA-256 of the manifest with an empty one.
	Checksum string `json:"checksum"`
}

// segment is a file of sentences, which one Add wrote, or several: segmentMark, then the blocks, each its words,
// its places (see places.go) and its text, then the documents (see documents.go), then the directory, blockSize
// bytes a block. Numbers have their lowest byte first. Beside it are files of vectors and of
// their lists, if the space makes vectors.
type segment struct {
	File      string `json:"file"`
	Bytes     int64  `json:"bytes"`
	Blocks    int    `json:"blocks"`
	Sentences int64  `json:"sentences"`
	// Directory is the CRC-32C of the directory.
	Directory uint32   `json:"directory_crc32c"`
	Documents section  `json:"documents"`
	Vectors   *vectors `json:"vectors,omitempty"`
	Sources   []source `json:"sources"`
}

// source is a file of text, whose sentences follow those of the one before.
type source struct {
	Path      string `json:"path"`
	SHA256    string `json:"sha256"`
	Sentences int64  `json:"sentences"`
}

const (
	segmentMark      = "cmsents1"
	segmentExtension = ".sentences"
)

// blocks is where the blocks end.
func (g *segment) blocks() int64 { return g.Bytes - int64(g.Blocks)*blockSize - g.Documents.Bytes }

// block is some sentences: their words, for each sentence the number of words and then their ids,
// all as varints; and their text, each sentence with a line feed behind it, as a zstd frame.
type block struct {
	Sentences, Words, Places, Text, Plain uint32 // all but the first are bytes; Plain those of the text unpacked
	WordsCRC, PlacesCRC, TextCRC          uint32

	number  int // in the index
	segment int
	offset  int64
	first   int64 // position of its first sentence
}

// end is the position behind the block's last sentence.
func (b *block) end() int64 { return b.first + int64(b.Sentences) }

const blockSize = 8 * 4

// mostPlain is more than the text of a block has: its sentences come from a megabyte, or from a line of four.
const mostPlain = 64 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// vocabulary is the checksum of a space's own words, and their number; words that it has learned are not in an index.
func vocabulary(s *cmdlib.Space) (sum string, words int) {
	h, words := sha256.New(), s.OwnWords()
	var line []byte
	for _, word := range s.Words[:words] {
		line = append(append(line[:0], word...), '\n')
		h.Write(line)
	}
	return hex.EncodeToString(h.Sum(nil)), words
}

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

// readManifest reads and checks the index.json of an index for a space.
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
	for _, g := range m.Segments {
		sentences := int64(0)
		for _, from := range g.Sources {
			if from.Sentences < 0 {
				return nil, fmt.Errorf("search: %s: %d sentences of %s: %w",
					path, from.Sentences, from.Path, ErrDamaged)
			}
			sentences += from.Sentences
		}
		if err := g.Documents.check(g.Bytes, g.Sentences); err != nil {
			return nil, fmt.Errorf("search: %s: %w: %w", path, err, ErrDamaged)
		}
		if v := g.Vectors; v != nil && (v.Dim < 1 || g.Sentences > math.MaxInt64/int64(mips.Size(v.Dim))) {
			return nil, fmt.Errorf("search: %s: vectors of dimension %d of %d sentences: %w",
				path, v.Dim, g.Sentences, ErrDamaged)
		}
		if g.File != filepath.Base(g.File) || g.Blocks < 0 || int64(g.Blocks) > g.Bytes/blockSize ||
			g.Sentences != sentences {
			return nil, fmt.Errorf("search: %s: %d blocks in the %d bytes of %q, %d sentences, of sources with %d: %w",
				path, g.Blocks, g.Bytes, g.File, g.Sentences, sentences, ErrDamaged)
		}
	}
	if sum, words := vocabulary(s); m.Vocabulary != sum {
		return nil, fmt.Errorf("search: %s: %w: its vocabulary has %d words, that of the space %d, and they are not "+
			"the same; make an index for this space, or name the other", dir, ErrOtherSpace, m.Words, words)
	}
	return &m, nil
}

// Index is an opened index. It may be asked from several goroutines at once.
type Index struct {
	// Sentences is the number of sentences, Documents that of documents.
	Sentences, Documents int64
	// Exact has SearchVectors compare all sentences of a large index, too. It is set before the index is asked.
	Exact bool

	dir      string
	space    *cmdlib.Space
	manifest *manifest
	files    []*os.File
	blocks   []block

	words   sentence.HistogramAverage
	weights []float32 // of each word; 0 without an estimate
	relaxed relaxation.Both
	largest float64 // cost

	landmarked               sync.Mutex
	ofSentences, ofDocuments *landmarks

	inOrder documents
	rows    mappedRows
}

// Open opens the index in the folder dir for a space that is to be asked; it may be used until the
// space is closed. The space has the vocabulary of the one that the index was made with, else it is
// an ErrOtherSpace, and its sentences are averages (cmdlib.Average), else it is an ErrCombination.
// An ErrNoIndex or ErrDamaged is another error. The blocks are checked when they are read.
func Open(dir string, s *cmdlib.Space) (*Index, error) {
	if c := s.Settings.Sentence.Combination; c != cmdlib.Average {
		return nil, fmt.Errorf("search: the space combines words by their %s, expected the average: %w",
			c, ErrCombination)
	}
	for {
		m, err := readManifest(dir, s)
		if err != nil {
			return nil, err
		}
		x := &Index{dir: dir, space: s, manifest: m}
		if err := x.prepare(); err != nil {
			return nil, err
		}
		if err = x.openSegments(); err == nil {
			return x, nil
		}
		err = errors.Join(err, x.Close())
		// Another process may have joined files meanwhile.
		if now, again := readManifest(dir, s); again != nil || now.Checksum == m.Checksum {
			return nil, err
		}
	}
}

// openSegments opens all files of sentences.
func (x *Index) openSegments() error {
	for i := range x.manifest.Segments {
		if err := x.openSegment(i); err != nil {
			return err
		}
	}
	return nil
}

// prepare sets what the space says of its words.
func (x *Index) prepare() error {
	h, err := x.space.Histograms()
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	words := h.Len()
	known, probability := make([]bool, words), make([]float64, words)
	x.weights = make([]float32, words)
	weighting := x.space.Settings.Sentence.Weighting
	for id := range words {
		probability[id] = x.space.Probability(int32(id))
		for _, mass := range h.Row(id) {
			if mass != 0 {
				known[id] = true
				x.weights[id] = float32(weighting.Of(probability[id]))
				break
			}
		}
	}
	x.words = sentence.HistogramAverage{
		Estimates: &estimate.Estimates{Histograms: h, Known: known}, Weighting: weighting,
		Probability: probability,
	}
	for _, c := range x.space.Cost.Data {
		x.largest = max(x.largest, float64(c))
	}
	return nil
}

// openSegment opens a file of sentences and reads its directory.
func (x *Index) openSegment(i int) error {
	g := &x.manifest.Segments[i]
	path := filepath.Join(x.dir, g.File)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("search: %w: %w", err, ErrDamaged)
	}
	if errors.Is(err, syscall.EMFILE) {
		return fmt.Errorf("search: %w: the index has %d files: raise the limit of open files (ulimit -n)",
			err, len(x.manifest.Segments))
	}
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	x.files = append(x.files, f)
	damaged := func(format string, args ...any) error {
		return fmt.Errorf("search: %s: %s: %w", path, fmt.Sprintf(format, args...), ErrDamaged)
	}
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	if info.Size() != g.Bytes {
		return damaged("it has %d bytes, expected %d", info.Size(), g.Bytes)
	}
	directory, err := x.directory(i)
	if err != nil {
		return err
	}
	end := g.blocks()
	offset, sentences := int64(len(segmentMark)), int64(0)
	for at := range g.Blocks {
		numbers := directory[at*blockSize:]
		number := func(i int) uint32 { return binary.LittleEndian.Uint32(numbers[4*i:]) }
		b := block{
			Sentences: number(0), Words: number(1), Places: number(2), Text: number(3), Plain: number(4),
			WordsCRC: number(5), PlacesCRC: number(6), TextCRC: number(7),
		}
		if b.Plain > mostPlain {
			return damaged("block %d has %d bytes of text, expected at most %d", at, b.Plain, mostPlain)
		}
		b.number, b.segment, b.offset, b.first = len(x.blocks), i, offset, x.Sentences
		offset += int64(b.Words) + int64(b.Places) + int64(b.Text)
		sentences += int64(b.Sentences)
		x.Sentences += int64(b.Sentences)
		x.blocks = append(x.blocks, b)
	}
	x.Documents += g.Documents.Number
	if offset != end || sentences != g.Sentences {
		return damaged("its blocks have %d bytes and %d sentences, expected %d and %d",
			offset, sentences, end, g.Sentences)
	}
	return nil
}

// directory reads the directory of a segment that is open.
func (x *Index) directory(i int) ([]byte, error) {
	g := &x.manifest.Segments[i]
	directory := make([]byte, g.Blocks*blockSize)
	if _, err := x.files[i].ReadAt(directory, g.blocks()+g.Documents.Bytes); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	if crc32.Checksum(directory, castagnoli) != g.Directory {
		return nil, fmt.Errorf("search: %s: its directory is not the one that was written: %w",
			filepath.Join(x.dir, g.File), ErrDamaged)
	}
	return directory, nil
}

// Checksum is that of what the index says of itself: it is another as soon as text is added.
func (x *Index) Checksum() string { return x.manifest.Checksum }

// Close releases the files.
func (x *Index) Close() error {
	errs := []error{x.rows.close()}
	for _, f := range x.files {
		errs = append(errs, f.Close())
	}
	x.files = nil
	return errors.Join(errs...)
}

// damaged is the error about a block.
func (x *Index) damaged(b *block, format string, args ...any) error {
	return fmt.Errorf("search: %s: the block at byte %d: %s: %w",
		filepath.Join(x.dir, x.manifest.Segments[b.segment].File), b.offset, fmt.Sprintf(format, args...), ErrDamaged)
}

// read returns a section of a block, which may use room, with its checksum compared.
func (x *Index) read(b *block, room []byte, from int64, length, crc uint32) ([]byte, error) {
	if uint32(cap(room)) < length {
		room = make([]byte, length)
	}
	room = room[:length]
	if _, err := x.files[b.segment].ReadAt(room, from); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, x.damaged(b, "the file ends there")
		}
		return nil, fmt.Errorf("search: %w", err)
	}
	if crc32.Checksum(room, castagnoli) != crc {
		return nil, x.damaged(b, "it is not what was written")
	}
	return room, nil
}

// sentences calls each with the ids of each sentence of a block, which
// are valid until it returns. room is for reading, and is returned.
func (x *Index) sentences(b *block, room []byte, each func(i int, ids []int32)) ([]byte, error) {
	room, err := x.read(b, room, b.offset, b.Words, b.WordsCRC)
	if err != nil {
		return nil, err
	}
	if err := decode(room, int(b.Sentences), int32(len(x.weights)), each); err != nil {
		return nil, x.damaged(b, "%v", err)
	}
	return room, nil
}

// decode reads the words of a block's sentences, ids below words.
func decode(from []byte, sentences int, words int32, each func(i int, ids []int32)) error {
	var ids []int32
	next := func() (uint64, error) {
		if len(from) > 0 && from[0] < 0x80 {
			x := from[0]
			from = from[1:]
			return uint64(x), nil
		}
		x, n := binary.Uvarint(from)
		if n <= 0 {
			return 0, errors.New("a number without an end")
		}
		from = from[n:]
		return x, nil
	}
	for i := range sentences {
		n, err := next()
		if err != nil {
			return err
		}
		if n > uint64(len(from)) {
			return fmt.Errorf("sentence %d has %d words in %d bytes", i, n, len(from))
		}
		ids = ids[:0]
		for range n {
			id, err := next()
			if err != nil {
				return err
			}
			if id >= uint64(words) {
				return fmt.Errorf("sentence %d has word %d of %d", i, id, words)
			}
			ids = append(ids, int32(id))
		}
		each(i, ids)
	}
	if len(from) > 0 {
		return fmt.Errorf("%d bytes behind its sentences", len(from))
	}
	return nil
}

// text returns the text of a block's sentences.
func (x *Index) text(ctx context.Context, b *block) ([]string, error) {
	packed, err := x.read(b, nil, b.offset+int64(b.Words)+int64(b.Places), b.Text, b.TextCRC)
	if err != nil {
		return nil, err
	}
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mostPlain))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	plain, err := z.DecodeAll(packed, nil)
	if err != nil {
		return nil, x.damaged(b, "its text: %v", err)
	}
	var lines []string
	for from, at := 0, 0; at < len(plain); at++ {
		if plain[at] == '\n' {
			lines = append(lines, string(plain[from:at]))
			from = at + 1
		}
	}
	if len(lines) != int(b.Sentences) || len(plain) != int(b.Plain) {
		return nil, x.damaged(b, "%d sentences of text in %d bytes, expected %d in %d", len(lines), len(plain),
			b.Sentences, b.Plain)
	}
	return lines, ctx.Err()
}

// source returns the path of the file that a sentence is in.
func (x *Index) source(position int64) string {
	for _, g := range x.manifest.Segments {
		if position >= g.Sentences {
			position -= g.Sentences
			continue
		}
		for _, from := range g.Sources {
			if position < from.Sentences {
				return from.Path
			}
			position -= from.Sentences
		}
	}
	panic("search: a position beyond the last sentence")
}
