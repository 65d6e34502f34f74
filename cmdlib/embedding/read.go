package embedding

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"contextmover/cmdlib/corpus"
	"contextmover/internal/archive"
	"contextmover/internal/bounded"
	"contextmover/internal/parallel"
)

// A Format is a file format of word vectors.
type Format string

const (
	// GloVe is text without a header. A word may contain blanks (GloVe 840B has such):
	// the components are the last fields of the line, as many as most of the first
	// lines have.
	GloVe Format = "GloVe text"
	// Word2Vec is text with a header "words dim"; fastText's .vec files too.
	Word2Vec Format = "word2vec text"
	// Word2VecBinary is the header "words dim", then for each word its bytes, a
	// blank, dim little-endian float32 and perhaps a line end.
	Word2VecBinary Format = "word2vec binary"
)

// largest is the largest size of a component in a file: distances between larger ones, which are sums of
// squares, would be too large for float32. Trained vectors have components of about 1.
const largest = 1e15

// usable tells whether x is a number, and not too large.
func usable(x float32) bool { return -largest <= x && x <= largest }

// Read reads word vectors from a file in any Format, compressed or not as with corpus.Open, or from a zip archive: the
// only file in it, or the one that is named as if it were in a folder, "glove.6B.zip/glove.6B.300d.txt". A byte order
// mark at its start is dropped. The format is found by content: a first line of two integers is the header of the
// word2vec formats, and what follows is binary if none of its lines ends with as many numbers as the header states.
//
// An error names the line or record of a file that is cut or malformed. So it does for a word that occurs twice, and
// a component that is not a number of at most the size largest. A file that holds more than half of the free memory
// is an error.
func Read(ctx context.Context, path string) (*Vectors, error) {
	content, err := readAll(ctx, path, bounded.Share(2))
	if err != nil {
		return nil, err
	}
	return decode(ctx, path, content, detect(content))
}

// readAll reads a file of at most limit bytes, decompressed. What a compressed file holds is
// counted first, as growing step by step would take several times the memory; a pipe, which can be
// read only once, has to grow.
func readAll(ctx context.Context, path string, limit int64) ([]byte, error) {
	var size int64
	regular := false
	file, _ := archive.Split(path)
	if info, err := os.Stat(file); err == nil {
		size, regular = info.Size(), info.Mode().IsRegular()
	}
	if !regular {
		return readUpTo(ctx, path, 0, limit/2)
	}
	content, err := readUpTo(ctx, path, size, min(size, limit))
	if errors.Is(err, bounded.ErrTooLarge) && size <= limit {
		if size, err = measure(ctx, path, limit); err == nil {
			content, err = readUpTo(ctx, path, size, limit)
		}
	}
	return content, err
}

// readUpTo reads a file of probably size and at most limit bytes.
func readUpTo(ctx context.Context, path string, size, limit int64) (content []byte, err error) {
	err = open(ctx, path, func(r io.Reader) error {
		content, err = bounded.ReadAll(r, size, limit)
		return err
	})
	return withoutMark(content), err
}

// measure counts the bytes of a file, of which there may be limit.
func measure(ctx context.Context, path string, limit int64) (size int64, err error) {
	err = open(ctx, path, func(r io.Reader) error {
		size, err = io.Copy(io.Discard, bounded.Reader(r, limit))
		return err
	})
	return size, err
}

// openFile opens a file as corpus.Open does, or one in a zip archive.
func openFile(path string) (io.ReadCloser, error) {
	file, name := archive.Split(path)
	if name == "" && !archive.Is(file) {
		return corpus.Open(path)
	}
	r, err := archive.Open(file, name)
	if err != nil {
		return nil, fmt.Errorf("embedding: %s: %w", file, err)
	}
	return r, nil
}

func open(ctx context.Context, path string, read func(io.Reader) error) error {
	file, err := openFile(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if err = read(reader{ctx, file}); errors.Is(err, bounded.ErrTooLarge) {
		return fmt.Errorf("embedding: %s: %w", path, err)
	}
	return err
}

// withoutMark drops the byte order mark that a text may begin with.
func withoutMark(content []byte) []byte { return bytes.TrimPrefix(content, []byte(byteOrderMark)) }

// reader reads in pieces that are small enough to be interrupted between them.
type reader struct {
	ctx context.Context
	io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p[:min(len(p), 1<<20)])
}

// byteOrderMark is what some programs on Windows put before a text.
const byteOrderMark = "\ufeff"

// linesOfSample is the number of lines from which the structure of a file is told.
const linesOfSample = 100

// detect tells the format from the structure of the content. Behind a header, a line that ends with as many
// numbers as the header states is one of a text, whatever characters its word has: a line of a binary file, which
// is what happens to stand between two bytes 0x0a, never does. Where no line is as it should be, bytes that no
// text has decide which of the two readers says what is wrong.
func detect(content []byte) Format {
	_, dim, rest, ok := header(content)
	if !ok {
		return GloVe
	}
	format := Word2Vec
	for range linesOfSample {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte{'\n'})
		if _, _, ok := lastFields(line, dim); ok {
			return Word2Vec
		}
		if bytes.ContainsFunc(line, notText) {
			format = Word2VecBinary
		}
	}
	return format
}

// notText reports whether a character is one that no text has.
func notText(r rune) bool { return r == utf8.RuneError || unicode.IsControl(r) && !unicode.IsSpace(r) }

// lastFields cuts a line before the last n of its fields, and returns false if it has fewer or if one of them is
// no number.
func lastFields(line []byte, n int) (before, fields []byte, ok bool) {
	line = trim(line)
	for at := len(line); n > 0; n-- {
		end := len(trim(line[:at]))
		if end == 0 {
			return nil, nil, false
		}
		at = bytes.LastIndexAny(line[:end], " \t") + 1
		if _, _, ok := parseFloat(line[at:]); !ok {
			return nil, nil, false
		}
		before, fields = line[:at], line[at:]
	}
	return before, fields, true
}

// header reads the line "words dim".
func header(content []byte) (words, dim int, rest []byte, ok bool) {
	line, rest, _ := bytes.Cut(content, []byte{'\n'})
	if len(line) > 64 {
		return 0, 0, nil, false
	}
	fields := bytes.Fields(line)
	if len(fields) != 2 {
		return 0, 0, nil, false
	}
	words, err1 := strconv.Atoi(string(fields[0]))
	dim, err2 := strconv.Atoi(string(fields[1]))
	return words, dim, rest, err1 == nil && err2 == nil && words >= 0 && 0 < dim && dim <= math.MaxInt32
}

func decode(ctx context.Context, path string, content []byte, format Format) (*Vectors, error) {
	if len(content) == 0 {
		return nil, fmt.Errorf("embedding: %s: the file is empty, expected word vectors", path)
	}
	if format == GloVe {
		return decodeText(ctx, path, content, components(content), false)
	}
	announced, dim, content, ok := header(content)
	if !ok {
		return nil, fmt.Errorf("embedding: %s:1: expected the header of %s, two positive integers \"words dim\"",
			path, format)
	}
	if format == Word2VecBinary {
		return decodeBinary(ctx, path, content, announced, dim)
	}
	v, err := decodeText(ctx, path, content, dim, true)
	if err == nil && v.Len() != announced {
		return nil, fmt.Errorf("embedding: %s:1: the header announces %d words, %d lines follow; the file is cut "+
			"(fetch it again) or the header wrong (correct or remove it)",
			path, announced, v.Len())
	}
	return v, err
}

// components returns the number of components that most of the first lines have if
// their words contain no blanks; among equals that of the earliest line.
func components(content []byte) int {
	const sample = 100
	var counts []int
	votes := map[int]int{}
	for len(content) > 0 && len(counts) < sample {
		var line []byte
		line, content, _ = bytes.Cut(content, []byte{'\n'})
		n := -1
		for line = trim(line); len(line) > 0; n++ {
			line = skipBlanks(skipField(line))
		}
		counts = append(counts, n)
		votes[n]++
	}
	best := counts[0]
	for _, n := range counts {
		if votes[n] > votes[best] {
			best = n
		}
	}
	return best
}

func skipField(line []byte) []byte {
	if at := bytes.IndexAny(line, " \t"); at >= 0 {
		return line[at:]
	}
	return nil
}

func skipBlanks(line []byte) []byte { return bytes.TrimLeft(line, " \t") }

// trim drops blanks and a carriage return from the end of a line: fastText writes
// a blank after the last component.
func trim(line []byte) []byte { return bytes.TrimRight(line, " \t\r") }

// bytesPerBlock is the unit of parallel work on text.
const bytesPerBlock = 1 << 20

// allocate fails if there is no memory for n vectors.
func allocate(path string, n, dim int) error {
	const bytesPerWord = 100 // with its place in the index
	if err := bounded.Allocate(int64(n) * (4*int64(dim) + bytesPerWord)); err != nil {
		return fmt.Errorf("embedding: %s: %d vectors of %d components: %w", path, n, dim, err)
	}
	return nil
}

// decodeText reads lines of a word and dim components. They may stand below a header that states dim.
func decodeText(ctx context.Context, path string, content []byte, dim int, headed bool) (*Vectors, error) {
	first := 1 // number of the first line
	if headed {
		first = 2
	}
	if dim < 1 {
		return nil, fmt.Errorf("embedding: %s:%d: no components, expected lines \"word number number …\"", path, first)
	}
	content = bytes.TrimRight(content, " \t\r\n")

	// Blocks of text end at line ends, and know the number of their first line from
	// a first pass that counts.
	blocks := (len(content) + bytesPerBlock - 1) / bytesPerBlock
	starts := make([]int, blocks+1)
	starts[blocks] = len(content)
	for b := 1; b < blocks; b++ {
		if starts[b] = starts[b-1]; starts[b] >= b*bytesPerBlock {
			continue // one line goes on through several blocks
		}
		starts[b] = len(content)
		if end := bytes.IndexByte(content[b*bytesPerBlock-1:], '\n'); end >= 0 {
			starts[b] = b*bytesPerBlock + end
		}
	}
	rows := make([]int, blocks+1)
	err := parallel.Blocks(ctx, blocks, 1, func(b, _ int) error {
		text := content[starts[b]:starts[b+1]]
		rows[b+1] = bytes.Count(text, []byte{'\n'})
		if len(text) > 0 && text[len(text)-1] != '\n' {
			rows[b+1]++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for b := range blocks {
		rows[b+1] += rows[b]
	}
	n := rows[blocks]
	// Guards the multiplication and the allocation below: a component takes two bytes.
	if n > 0 && dim > len(content)/n {
		return nil, fmt.Errorf("embedding: %s:%d: lines of %d bytes on average cannot hold %d components; the header "+
			"is wrong or the file cut", path, first, len(content)/n, dim)
	}
	if err := allocate(path, n, dim); err != nil {
		return nil, err
	}
	words := make([]string, n)
	data := make([]float32, n*dim)
	err = parallel.Blocks(ctx, blocks, 1, func(b, _ int) error {
		text := content[starts[b]:starts[b+1]]
		for i := rows[b]; i < rows[b+1]; i++ {
			var line []byte
			line, text, _ = bytes.Cut(text, []byte{'\n'})
			word, err := parseLine(data[i*dim:(i+1)*dim], line, headed)
			if err != nil {
				return fmt.Errorf("embedding: %s:%d: %w", path, first+i, err)
			}
			words[i] = word
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return finish(path, words, dim, data, func(i int) string { return fmt.Sprintf("line %d", first+i) })
}

// parseLine reads a word and len(to) components. Where a header states their number, the word is all that stands
// before them, such as "No. 1" or a tab; else it has neither numbers behind a blank nor only blanks.
func parseLine(to []float32, line []byte, headed bool) (string, error) {
	if bytes.IndexByte(line, 0) >= 0 {
		return "", fmt.Errorf("%.60q holds a NUL byte, expected UTF-8 text; if this is UTF-16, convert it (iconv -f "+
			"UTF-16 -t UTF-8)", line)
	}
	word, err := parseFields(to, trim(line), headed)
	if err != nil {
		return "", err
	}
	for k, x := range to {
		if !usable(x) {
			return "", fmt.Errorf("word %q: component %d is %v, expected a number from %g to %g; leave the word out "+
				"or train again", word, k+1, x, -largest, largest)
		}
	}
	if len(word) == 0 {
		return "", errors.New("the line begins with a blank, expected a word; remove the line")
	}
	return string(word), nil
}

// parseFields reads a line whose word may contain blanks, and finds what is wrong with it.
func parseFields(to []float32, line []byte, headed bool) (word []byte, err error) {
	starts := make([]int, 0, len(to)+1)
	for rest := line; len(rest) > 0; rest = skipBlanks(skipField(rest)) {
		starts = append(starts, len(line)-len(rest))
	}
	first := len(starts) - len(to) // field of the first component
	if first < 1 {
		return nil, fmt.Errorf("%d components, expected %d; the line is cut or the file mixes vectors of several "+
			"lengths", max(len(starts)-1, 0), len(to))
	}
	word = trim(line[:starts[first]])
	if headed && len(word) == 0 {
		word = line[:starts[first]-1] // all but what separates it from the components
	}
	for field := 1; field < first && !headed; field++ {
		// A number among the fields of the word is more likely one too many.
		if _, _, ok := parseFloat(line[starts[field]:]); ok {
			return nil, fmt.Errorf("%d components, expected %d; the file mixes vectors of several lengths, or lines "+
				"were joined", len(starts)-1, len(to))
		}
	}
	for k := range to {
		text := line[starts[first+k]:]
		x, length, ok := parseFloat(text)
		if !ok {
			return nil, fmt.Errorf("word %q: component %d is %q, expected a number", word, k+1, text[:length])
		}
		to[k] = x
	}
	return word, nil
}

// decodeBinary reads n records of a word, a blank and dim float32.
func decodeBinary(ctx context.Context, path string, content []byte, n, dim int) (*Vectors, error) {
	// The smallest record has a word of one byte and a blank.
	if n > len(content)/(4*dim+2) {
		return nil, fmt.Errorf("embedding: %s: the header announces %d words of %d components, too many for the %d "+
			"bytes that follow; the file is cut (fetch it again) or the header wrong",
			path, n, dim, len(content))
	}
	if err := allocate(path, n, dim); err != nil {
		return nil, err
	}
	words := make([]string, n)
	data := make([]float32, n*dim)
	for i := range n {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for len(content) > 0 && content[0] == '\n' {
			content = content[1:]
		}
		end := bytes.IndexByte(content, ' ')
		if end < 0 || len(content)-end-1 < 4*dim {
			return nil, fmt.Errorf("embedding: %s: record %d of %d is cut: expected a word, a blank and %d bytes; "+
				"fetch the file again", path, i+1, n, 4*dim)
		}
		words[i] = string(content[:end])
		content = content[end+1:]
		row := data[i*dim : (i+1)*dim]
		for k := range row {
			x := math.Float32frombits(binary.LittleEndian.Uint32(content[4*k:]))
			if !usable(x) {
				return nil, fmt.Errorf("embedding: %s: record %d, word %q: component %d is %v, expected a number "+
					"from %g to %g; leave the word out or train again", path, i+1, words[i], k+1, x, -largest, largest)
			}
			row[k] = x
		}
		content = content[4*dim:]
		if strings.Contains(words[i], "\x00") {
			return nil, fmt.Errorf("embedding: %s: record %d: the word %q holds a NUL byte, expected text; the "+
				"header is wrong or the file damaged", path, i+1, words[i])
		}
		if words[i] == "" {
			return nil, fmt.Errorf("embedding: %s: record %d begins with a blank, expected a word", path, i+1)
		}
	}
	if rest := bytes.TrimLeft(content, "\n"); len(rest) > 0 {
		return nil, fmt.Errorf("embedding: %s: %d bytes follow the %d records that the header announces; correct the "+
			"header", path, len(rest), n)
	}
	return finish(path, words, dim, data, func(i int) string { return fmt.Sprintf("record %d", i+1) })
}

// finish makes Vectors and says where in the file a duplicate is.
func finish(path string, words []string, dim int, data []float32, place func(row int) string) (*Vectors, error) {
	corpus.NormalWords(words)
	v, err := New(words, dim, data)
	if twice := (*duplicateError)(nil); errors.As(err, &twice) {
		return nil, fmt.Errorf("embedding: %s: %s: the word %q was already in %s; remove one of them",
			path, place(twice.second), twice.word, place(twice.first))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return v, nil
}
