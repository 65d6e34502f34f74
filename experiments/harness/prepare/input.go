package prepare

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"contextmover/cmdlib/corpus"
	"contextmover/experiments/harness/prepare/internal/documents"
	"contextmover/internal/printable"
	"contextmover/internal/textfiles"
)

// input is a file to read. Its name is what the index and errors call it.
type input struct {
	Path     string    `json:"path"`
	Name     string    `json:"name"`
	Bytes    int64     `json:"bytes"` // as stored
	Modified time.Time `json:"modified"`
}

// list returns the files of a source.
func (s Source) list() (list []input, err error) {
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
		if slices.Equal(files, []string{path}) {
			folder = filepath.Dir(path)
		}
		for _, at := range files {
			name, err := filepath.Rel(cmp.Or(s.Root, folder), at)
			var info os.FileInfo
			if err == nil {
				info, err = os.Stat(at)
			}
			if err != nil {
				return nil, fmt.Errorf("prepare: %w", err)
			}
			list = append(list, input{at, filepath.ToSlash(name), info.Size(), info.ModTime().UTC()})
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("prepare: no files of %s in %q, expected at least one", s.Kind, s.Paths)
	}
	return list, nil
}

// work makes documents of a unit of text.
type work func() ([]documents.Document, error)

// result is what became of a unit.
type result struct {
	made  []documents.Document
	bytes int64 // of the file that the unit stands for
	err   error
}

// process cuts the files of a piece into units, prepares them on all processors, and writes what they make in their
// order. It tells read how many bytes of the files are done with.
func (p *plan) process(
	ctx context.Context, piece int, write func(*documents.Document) error, read func(bytes int64),
) error {
	kind := p.Parts[p.Pieces[piece].Part].Kind
	g, ctx := errgroup.WithContext(ctx)
	units := make(chan chan result, 2*runtime.GOMAXPROCS(0)) // no more than these are in memory
	begin := func(bytes int64, do work) error {
		unit := make(chan result, 1)
		select {
		case units <- unit:
		case <-ctx.Done():
			return ctx.Err()
		}
		go func() {
			made, err := do()
			unit <- result{made, bytes, err}
		}()
		return nil
	}
	g.Go(func() error {
		defer close(units)
		for _, in := range p.Pieces[piece].Files {
			left := in.Bytes
			failed := in.cut(kind, func(bytes int, do work) error {
				n := min(int64(bytes), left) // a compressed file is shorter than its text
				left -= n
				return begin(n, do)
			})
			// An error comes after those of the units before it.
			err := begin(left, func() ([]documents.Document, error) { return nil, failed })
			if failed != nil || err != nil {
				return err
			}
		}
		return nil
	})
	g.Go(func() error {
		for unit := range units {
			done := <-unit
			if err := cmp.Or(ctx.Err(), done.err); err != nil {
				return err
			}
			for i := range done.made {
				if err := write(&done.made[i]); err != nil {
					return err
				}
			}
			read(done.bytes)
		}
		return nil
	})
	return g.Wait()
}

// Sizes of units, and of what is longer than any document.
var (
	unitSize   = 1 << 20
	longestDoc = 64 << 20
)

// headSize is how much of a file tells what it is.
const headSize = 1 << 10

// unit is a part of a file that ends where a document or paragraph does.
type unit struct {
	path string
	line int64 // the number of its first line, from 1
	data []byte
}

// where names a line, so many behind the unit's first.
func (u unit) where(lines int64) string { return fmt.Sprintf("prepare: %s:%d", u.path, u.line+lines) }

// cut cuts a file into units, and emits each with the number of its bytes.
func (in input) cut(kind Kind, emit func(bytes int, do work) error) error {
	f, err := corpus.Open(in.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<18)
	head, err := r.Peek(headSize)
	if err != nil && err != io.EOF {
		return err
	}
	separator, layout, err := in.format(kind, head)
	if err != nil {
		return err
	}
	next := unit{path: in.Path, line: 1}
	var rest []byte
	for ended := false; !ended; {
		data := append(make([]byte, 0, len(rest)+unitSize), rest...)
		n, err := io.ReadFull(r, data[len(rest):cap(data)])
		data = data[:len(rest)+n]
		ended = err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !ended {
			return err
		}
		end := len(data)
		if !ended {
			end = bytes.LastIndex(data, []byte(separator)) + len(separator)
			if end < len(separator) {
				if len(data) > longestDoc {
					return fmt.Errorf("%s: more than %d MB, expected a file of one book, or %q at the end of each "+
						"document or paragraph", next.where(0), longestDoc>>20, separator)
				}
				rest = data
				continue
			}
		}
		u := next
		u.data, rest = data[:end], data[end:]
		if at := bytes.IndexByte(u.data, 0); at >= 0 {
			return fmt.Errorf("%s: NUL byte, expected text in UTF-8; if this is UTF-16, convert it (iconv -f UTF-16 "+
				"-t UTF-8)", u.where(int64(bytes.Count(u.data[:at], []byte{'\n'}))))
		}
		if end > 0 || kind == Books {
			do := func() ([]documents.Document, error) { return in.documents(kind, layout, u) }
			if err := emit(end, do); err != nil {
				return err
			}
		}
		next.line += int64(bytes.Count(u.data, []byte{'\n'}))
	}
	return nil
}

// format returns what stands at the ends of units of a file that begins with head, and the layout of text.
func (in input) format(kind Kind, head []byte) (separator string, layout corpus.Layout, err error) {
	start := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	separator = "\n"
	switch {
	case documents.IsDump(head):
		err = fmt.Errorf("prepare: %s: this is a raw dump of a wiki, expected text: have WikiExtractor make it "+
			"(pip install wikiextractor; python -m wikiextractor.WikiExtractor %s --output extracted), and prepare "+
			"the folder extracted as the kind %q", in.Path, printable.Shell(in.Path), Wikipedia)
	case kind == Books:
		separator = "\x00" // no text has it: a book is one unit
	case kind == Text:
		if layout, err = corpus.DetectLayout([]string{in.Path}); layout == corpus.Wrapped {
			separator = "\n\n"
		}
	case kind == Wikipedia:
		separator = "</doc>\n"
		if !bytes.HasPrefix(start, []byte("<doc ")) {
			err = fmt.Errorf(`prepare: %s:1: expected the output of WikiExtractor, <doc id="…" url="…" title="…">`, in.Path)
		}
	}
	return separator, layout, err
}

// documents makes documents of a unit of the file.
func (in input) documents(kind Kind, layout corpus.Layout, u unit) ([]documents.Document, error) {
	switch kind {
	case Books:
		return []documents.Document{documents.Book(in.Name, u.data)}, nil
	case Text:
		return []documents.Document{documents.Text(in.Name, layout, u.data, u.line > 1)}, nil
	case JSON:
		return documents.JSON(in.Name, u.where, u.line, u.data)
	}
	return documents.Extracted(u.where, u.data)
}
