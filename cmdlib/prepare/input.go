package prepare

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/bzip2"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"contextmover/cmdlib/corpus"
)

// input is a file to read. Its name is what the index and errors call it.
type input struct {
	path, name string
	size       int64
	before     int64 // bytes of the inputs that are read before it
}

// list returns the files of a source.
func (s Source) list() ([]input, error) {
	var list []input
	add := func(path, folder string, size int64) error {
		if s.Root != "" {
			folder = s.Root
		}
		name, err := filepath.Rel(folder, path)
		if err == nil {
			list = append(list, input{path: path, name: filepath.ToSlash(name), size: size})
		}
		return err
	}
	for _, path := range s.Paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("prepare: %w", err)
		}
		if !info.IsDir() {
			if err := add(path, filepath.Dir(path), info.Size()); err != nil {
				return nil, fmt.Errorf("prepare: %w", err)
			}
			continue
		}
		err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case p != path && strings.HasPrefix(d.Name(), "."):
				if d.IsDir() {
					return fs.SkipDir
				}
				return nil
			case d.IsDir():
				return nil
			}
			info, err := os.Stat(p)
			if err != nil {
				return err
			}
			if !info.Mode().IsRegular() {
				return fmt.Errorf("%s is no regular file", p)
			}
			return add(p, path, info.Size())
		})
		if err != nil {
			return nil, fmt.Errorf("prepare: %w", err)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("prepare: no files of %s in %q, expected at least one", s.Kind, s.Paths)
	}
	return list, nil
}

// open opens a file, decompressed.
func open(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	var head [4]byte
	n, err := io.ReadFull(f, head[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		f.Close()
		return nil, fmt.Errorf("prepare: %w", err)
	}
	if !isBzip2(head[:n]) {
		f.Close()
		return corpus.Open(path)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		f.Close()
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
type emit func(stored int64, prepare func(context.Context) ([]document, error)) error

// cutter cuts the files of a source into units.
type cutter struct{ kind Kind }

// Sizes of units, and of what is longer than any document.
var (
	unitSize   = 1 << 20
	longestDoc = 64 << 20
)

func (c *cutter) file(in input, emit emit) error {
	end := in.before + in.size
	switch c.kind {
	case Books:
		return emit(end, func(ctx context.Context) ([]document, error) {
			data, err := readAll(in.path)
			if err != nil {
				return nil, err
			}
			return []document{bookDocument(in.name, data)}, nil
		})
	case Wikipedia:
		return c.wikipedia(in, emit)
	}
	layout := corpus.Paragraphs
	if c.kind == Text {
		if f, err := open(in.path); err != nil {
			return err
		} else if f.Close(); isCompressedBy(in.path, isBzip2) {
			// Its layout cannot be guessed without reading it twice.
		} else if layout, err = corpus.DetectLayout([]string{in.path}); err != nil {
			return err
		}
	}
	first := true
	separator := "\n"
	if layout == corpus.Wrapped {
		separator = "\n\n"
	}
	return pieces(in, separator, func(line int64, data []byte) error {
		continues := !first
		first = false
		return emit(end, func(ctx context.Context) ([]document, error) {
			if c.kind == JSON {
				return jsonDocuments(in, line, data)
			}
			return []document{textDocument(in, layout, data, continues)}, nil
		})
	})
}

// isCompressedBy tells whether the start of a file passes a test.
func isCompressedBy(path string, test func([]byte) bool) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [4]byte
	n, _ := io.ReadFull(f, head[:])
	return test(head[:n])
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
		return nil, fmt.Errorf("prepare: %s: longer than %d MB, expected one book a file; for other text there is the kind %q", path, longestDoc>>20, Text)
	}
	if at := bytes.IndexByte(data, 0); at >= 0 {
		return nil, fmt.Errorf("prepare: %s:%d: NUL byte, expected text in UTF-8; if this is UTF-16, convert it (iconv -f UTF-16 -t UTF-8)", path, 1+bytes.Count(data[:at], []byte{'\n'}))
	}
	return data, nil
}

// pieces calls piece for consecutive parts of a file that end with the separator (the last one
// maybe without), with the number of their first line.
func pieces(in input, separator string, piece func(line int64, data []byte) error) error {
	f, err := open(in.path)
	if err != nil {
		return err
	}
	defer f.Close()
	line := int64(1)
	var rest []byte
	for {
		data := append(make([]byte, 0, len(rest)+unitSize), rest...)
		n, err := io.ReadFull(f, data[len(data):cap(data)])
		data = data[:len(data)+n]
		last := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !last {
			return err
		}
		cut := len(data)
		if !last {
			at := bytes.LastIndex(data, []byte(separator))
			if at < 0 {
				if len(data) > longestDoc {
					return fmt.Errorf("prepare: %s:%d: %d MB without %q, expected it at the end of a document or paragraph", in.path, line, longestDoc>>20, strings.TrimSpace(cmp.Or(strings.TrimSpace(separator), "a line break")))
				}
				rest = data
				continue
			}
			cut = at + len(separator)
		}
		rest = data[cut:]
		data = data[:cut]
		if at := bytes.IndexByte(data, 0); at >= 0 {
			return fmt.Errorf("prepare: %s:%d: NUL byte, expected text in UTF-8; if this is UTF-16, convert it (iconv -f UTF-16 -t UTF-8)", in.path, line+int64(bytes.Count(data[:at], []byte{'\n'})))
		}
		if len(data) > 0 {
			if err := piece(line, data); err != nil {
				return err
			}
		}
		line += int64(bytes.Count(data, []byte{'\n'}))
		if last {
			return nil
		}
	}
}

// textDocument prepares a piece of any text.
func textDocument(in input, layout corpus.Layout, data []byte, continues bool) document {
	d := document{title: in.name, source: in.name, continues: continues}
	text := strings.ReplaceAll(decode(data), "\r", "")
	d.running(text, layout)
	return d
}

// running adds the sentences of a text.
func (d *document) running(text string, layout corpus.Layout) {
	separator := "\n"
	if layout == corpus.Wrapped {
		separator = "\n\n"
	}
	for p := range strings.SplitSeq(text, separator) {
		if p = clean(strings.ReplaceAll(p, "\n", " ")); p == "" {
			continue
		}
		if layout == corpus.Sentences {
			d.sentence(p, false)
		} else {
			d.add(p, false)
		}
	}
}

// jsonDocuments prepares the objects in lines of JSON. Line is the number of the first.
func jsonDocuments(in input, line int64, data []byte) ([]document, error) {
	var list []document
	for l := range bytes.Lines(data) {
		if l := bytes.TrimSpace(bytes.TrimPrefix(l, []byte("\ufeff"))); len(l) > 0 {
			var o struct {
				Text                                         *string
				Title, Author, URL, Source, Licence, License any
			}
			if err := json.Unmarshal(l, &o); err != nil {
				return nil, fmt.Errorf("prepare: %s:%d: %w: expected a JSON object a line", in.path, line, err)
			}
			if o.Text == nil {
				return nil, fmt.Errorf(`prepare: %s:%d: the object has no field "text", expected the document's text there`, in.path, line)
			}
			word := func(values ...any) string {
				for _, v := range values {
					if s, ok := v.(string); ok && s != "" {
						return s
					}
				}
				return ""
			}
			d := document{
				title: cmp.Or(word(o.Title), fmt.Sprintf("%s:%d", in.name, line)), author: word(o.Author),
				source: cmp.Or(word(o.URL, o.Source), in.name), licence: word(o.Licence, o.License),
			}
			d.running(decode([]byte(*o.Text)), corpus.Paragraphs)
			list = append(list, d)
		}
		line++
	}
	return list, nil
}

// wikipedia cuts a dump, or the output of WikiExtractor.
func (c *cutter) wikipedia(in input, emit emit) error {
	end := in.before + in.size
	f, err := open(in.path)
	if err != nil {
		return err
	}
	head := make([]byte, 1<<10)
	n, err := io.ReadFull(f, head)
	f.Close()
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	start := strings.TrimLeft(strings.TrimPrefix(string(head[:n]), "\ufeff"), " \t\r\n")
	switch {
	case strings.HasPrefix(start, "<mediawiki") || strings.HasPrefix(start, "<?xml"):
		if isCompressedBy(in.path, isBzip2) {
			streams, err := streamsOf(in.path)
			if err != nil {
				return err
			}
			if len(streams) > 2 {
				return cutStreams(in, streams, emit)
			}
		}
		return pieces(in, "</page>", func(line int64, data []byte) error {
			return emit(end, func(context.Context) ([]document, error) { return pageDocuments(in, line, string(data)) })
		})
	case strings.HasPrefix(start, "<doc "):
		return pieces(in, "</doc>\n", func(line int64, data []byte) error {
			return emit(end, func(context.Context) ([]document, error) {
				var list []document
				at, problem, err := extracted(decode(data), func(a article) error {
					list = append(list, articleDocument(a))
					return nil
				})
				if problem != "" {
					err = fmt.Errorf("prepare: %s:%d: %s", in.path, line+int64(at), problem)
				}
				return list, err
			})
		})
	}
	return fmt.Errorf(`prepare: %s:1: expected MediaWiki's XML export (<mediawiki …>) or the output of WikiExtractor (<doc id="…" url="…" title="…">); JSON lines are the kind %q`, in.path, JSON)
}

// pageDocuments prepares the pages of a piece of a dump that ends with one.
func pageDocuments(in input, line int64, xml string) ([]document, error) {
	var list []document
	at := 0
	for {
		i := strings.Index(xml[at:], "<page>")
		if i < 0 {
			return list, nil
		}
		start := at + i
		j := strings.Index(xml[start:], "</page>")
		where := fmt.Sprintf("prepare: %s:%d", in.path, line+int64(strings.Count(xml[:start], "\n")))
		if line == 0 {
			where = "prepare: " + in.path
		}
		if j < 0 {
			return nil, fmt.Errorf("%s: the page has no end, expected </page>: the file may be cut off", where)
		}
		a, err := pageOf(decode([]byte(xml[start : start+j])))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
		if a.skipped == "" {
			list = append(list, articleDocument(a))
		} else {
			list = append(list, document{left: a.skipped})
		}
		at = start + j
	}
}
