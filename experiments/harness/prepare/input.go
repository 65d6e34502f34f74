package prepare

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/bzip2"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"contextmover/cmdlib/corpus"
	"contextmover/experiments/harness/prepare/internal/documents"
	"contextmover/internal/printable"
	"contextmover/internal/textfiles"
)

// input is a file to read, or the part of one from the byte from up
// to the byte to. Its name is what the index and errors call it.
type input struct {
	path, name string
	size       int64 // of the file
	from, to   int64
	before     int64 // bytes of the inputs that are read before it
}

// whole tells whether it is all of the file.
func (in input) whole() bool { return in.from == 0 && in.to == in.size }

// list returns the files of a source.
func (s Source) list() ([]input, error) {
	var list []input
	add := func(path, folder string, size int64) error {
		if s.Root != "" {
			folder = s.Root
		}
		name, err := filepath.Rel(folder, path)
		if err == nil {
			list = append(list, input{path: path, name: filepath.ToSlash(name), size: size, to: size})
		}
		return err
	}
	for _, path := range s.Paths {
		files, others, err := textfiles.List(path)
		if err != nil {
			return nil, fmt.Errorf("prepare: %w", err)
		}
		if len(others) > 0 {
			return nil, fmt.Errorf("prepare: %s: in the folder of text is what cannot be read as text "+
				"(links that lead to no file, pipes, devices and the like): %s: remove it, or name the files",
				path, textfiles.Names(others))
		}
		folder := path
		if len(files) == 1 && files[0] == path {
			folder = filepath.Dir(path)
		}
		for _, at := range files {
			info, err := os.Stat(at)
			if err == nil {
				err = add(at, folder, info.Size())
			}
			if err != nil {
				return nil, fmt.Errorf("prepare: %w", err)
			}
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("prepare: no files of %s in %q, expected at least one", s.Kind, s.Paths)
	}
	return list, nil
}

// open opens a file, decompressed.
func open(path string) (io.ReadCloser, error) {
	if !isBzip2(magic(path)) {
		return corpus.Open(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	return struct {
		io.Reader
		io.Closer
	}{damaged{bzip2.NewReader(bufio.NewReaderSize(f, 1<<18)), path}, f}, nil
}

func isBzip2(head []byte) bool {
	return len(head) >= 4 && string(head[:3]) == "BZh" && '1' <= head[3] && head[3] <= '9'
}

// damaged names the file in the errors of its decompressor.
type damaged struct {
	io.Reader
	path string
}

func (d damaged) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("prepare: %s: damaged bzip2 file, fetch or make it again: %w", d.path, err)
	}
	return n, err
}

// emit takes a unit: the bytes of the inputs up to its end, and how it is prepared.
type emit func(stored int64, prepare func(context.Context) ([]documents.Document, error)) error

// cutter cuts the files of a source into units.
type cutter struct {
	kind  Kind
	lines int64 // of what was read last, if it is text whose lines are counted
}

// Sizes of units, and of what is longer than any document.
var (
	unitSize   = 1 << 20
	longestDoc = 64 << 20
)

func (c *cutter) file(in input, emit emit) error {
	end := in.before + in.to - in.from
	head, err := head(in.path)
	if err != nil {
		return err
	}
	if documents.IsDump(head) {
		return fmt.Errorf("prepare: %s: this is a raw dump of a wiki, expected text: have WikiExtractor make it "+
			"(pip install wikiextractor; python -m wikiextractor.WikiExtractor %s --output extracted), and prepare "+
			"the folder extracted as the kind %q", in.path, printable.Shell(in.path), Wikipedia)
	}
	switch c.kind {
	case Books:
		return emit(end, func(ctx context.Context) ([]documents.Document, error) {
			data, err := readAll(in.path)
			if err != nil {
				return nil, err
			}
			return []documents.Document{documents.Book(in.name, data)}, nil
		})
	case Wikipedia:
		return c.wikipedia(in, head, emit)
	case JSON:
		return c.pieces(in, "\n", func(p piece) error {
			return emit(end, func(ctx context.Context) ([]documents.Document, error) {
				return documents.JSON(in.name, p.where, p.line, p.data)
			})
		})
	}
	layout := corpus.Paragraphs
	if isBzip2(magic(in.path)) {
		// Its layout cannot be guessed without reading it twice.
	} else if layout, err = corpus.DetectLayout([]string{in.path}); err != nil {
		return err
	}
	separator := "\n"
	if layout == corpus.Wrapped {
		separator = "\n\n"
	}
	return c.pieces(in, separator, func(p piece) error {
		return emit(end, func(ctx context.Context) ([]documents.Document, error) {
			return []documents.Document{documents.Text(in.name, layout, p.data, p.at > 0)}, nil
		})
	})
}

// magic returns the first bytes of a file, which tell how it is compressed; none of one that cannot be read.
func magic(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	var head [4]byte
	n, _ := io.ReadFull(f, head[:])
	return head[:n]
}

func readAll(path string) ([]byte, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(longestDoc)+1))
	if err != nil {
		return nil, err
	}
	if len(data) > longestDoc {
		return nil, fmt.Errorf("prepare: %s: longer than %d MB, expected one book per file; for other text there is "+
			"the kind %q", path, longestDoc>>20, Text)
	}
	if at := bytes.IndexByte(data, 0); at >= 0 {
		return nil, fmt.Errorf("prepare: %s:%d: NUL byte, expected text in UTF-8; if this is UTF-16, convert it "+
			"(iconv -f UTF-16 -t UTF-8)", path, 1+bytes.Count(data[:at], []byte{'\n'}))
	}
	return data, nil
}

// piece is a part of an input that ends with a separator, or with the file.
type piece struct {
	in   input
	at   int64 // of the bytes that the file has, decompressed
	line int64 // the number of its first line in the input, from 1
	data []byte
}

// where names a line, so many behind the piece's first.
func (p piece) where(lines int64) string {
	number := p.line + lines
	if !p.in.whole() {
		number = 1 + corpus.Piece{Path: p.in.path, From: p.at}.LinesBefore() + lines
	}
	return fmt.Sprintf("prepare: %s:%d", p.in.path, number)
}

// pieces calls do for consecutive pieces of an input. Those of a part of a file are those that the whole
// file has there: each ends with the last separator before a multiple of unitSize, and begins where the
// one before ends. Parts begin and end at such multiples, and a piece is of the part in which it ends.
func (c *cutter) pieces(in input, separator string, do func(piece) error) error {
	var f io.ReadCloser
	var rest []byte
	var err error
	if in.whole() {
		f, err = open(in.path)
	} else {
		f, rest, err = in.open(separator)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	next := piece{in: in, at: in.from - int64(len(rest)), line: 1}
	for {
		data := append(make([]byte, 0, len(rest)+unitSize), rest...)
		n, err := io.ReadFull(f, data[len(data):cap(data)])
		data = data[:len(data)+n]
		ended := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !ended {
			return err
		}
		cut := len(data)
		if !ended || in.to < in.size {
			at := bytes.LastIndex(data, []byte(separator))
			if at < 0 {
				if len(data) > longestDoc {
					return next.tooLong(separator)
				}
				if ended {
					break
				}
				rest = data
				continue
			}
			cut = at + len(separator)
		}
		rest = data[cut:]
		next.data = data[:cut]
		if at := bytes.IndexByte(next.data, 0); at >= 0 {
			return fmt.Errorf("%s: NUL byte, expected text in UTF-8; if this is UTF-16, convert it (iconv -f UTF-16 "+
				"-t UTF-8)", next.where(int64(bytes.Count(data[:at], []byte{'\n'}))))
		}
		if cut > 0 {
			if err := do(next); err != nil {
				return err
			}
		}
		next.at += int64(cut)
		next.line += int64(bytes.Count(next.data, []byte{'\n'}))
		if ended {
			break
		}
	}
	c.lines = next.line - 1
	return nil
}

func (p piece) tooLong(separator string) error {
	return fmt.Errorf("%s: %d MB without %q, expected it at the end of a document or paragraph",
		p.where(0), longestDoc>>20, cmp.Or(strings.TrimSpace(separator), "a line break"))
}

// open opens a part of a plain file. What of the file before it belongs to its first piece is in rest.
func (in input) open(separator string) (f io.ReadCloser, rest []byte, err error) {
	file, err := os.Open(in.path)
	if err != nil {
		return nil, nil, fmt.Errorf("prepare: %w", err)
	}
	for at := in.from; at > 0; {
		n := min(at, int64(unitSize))
		at -= n
		more := make([]byte, n, n+int64(len(rest)))
		if _, err := file.ReadAt(more, at); err != nil {
			file.Close()
			return nil, nil, fmt.Errorf("prepare: %s: %w", in.path, err)
		}
		rest = append(more, rest...)
		// Most of rest has been searched already.
		if end := bytes.LastIndex(rest[:min(len(rest), int(n)+len(separator)-1)], []byte(separator)); end >= 0 {
			rest = rest[end+len(separator):]
			break
		}
		if len(rest) > longestDoc {
			file.Close()
			return nil, nil, piece{in: in, at: at, line: 1}.tooLong(separator)
		}
	}
	return struct {
		io.Reader
		io.Closer
	}{io.NewSectionReader(file, in.from, in.to-in.from), file}, rest, nil
}

// headSize is how much of a file tells what it is.
const headSize = 1 << 10

// head returns the start of a file, decompressed.
func head(path string) ([]byte, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, headSize)
	n, err := io.ReadFull(f, data)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	return data[:n], nil
}

// wikipedia cuts the output of WikiExtractor.
func (c *cutter) wikipedia(in input, head []byte, emit emit) error {
	end := in.before + in.to - in.from
	start := strings.TrimLeft(strings.TrimPrefix(string(head), "\ufeff"), " \t\r\n")
	switch {
	case strings.HasPrefix(start, "<doc "):
		return c.pieces(in, "</doc>\n", func(p piece) error {
			return emit(end, func(context.Context) ([]documents.Document, error) {
				return documents.Extracted(p.where, p.data)
			})
		})
	case strings.HasPrefix(start, "{"):
		return c.pieces(in, "\n", func(p piece) error {
			return emit(end, func(context.Context) ([]documents.Document, error) {
				return documents.ExtractedJSON(p.where, p.data)
			})
		})
	}
	return fmt.Errorf(`prepare: %s:1: expected the output of WikiExtractor: <doc id="…" url="…" title="…">, or a JSON `+
		`object a line`, in.path)
}
