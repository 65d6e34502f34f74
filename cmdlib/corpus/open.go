// Package corpus turns text into tokens, a vocabulary and co-occurrence counts,
// and reads and writes the files GloVe's tools use for them: vocab.txt and
// cooccurrence.bin [Pennington, Socher, Manning 2014].
//
// The counts X(w, c) that the rest of the library starts from are weighted by distance. Every pair of vocabulary
// words at distance d ≤ window within a line adds 1/d to X(w, c) and to X(c, w).
package corpus

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Open opens a file for reading. A file that begins with the magic bytes of gzip (RFC 1952, also several members in a
// row) or zstd (RFC 8878) is decompressed. Any other file is read as it is, whatever its name. The error of a damaged
// stream, from Open or a later Read, names the file.
//
// Other common compressions (bzip2, xz, zip) are an error rather than text. So is a zstd
// stream with a window of more than 128 MiB (zstd --long=28 and above). How much a file holds is
// not bounded: who keeps what it reads has to do that.
func Open(path string) (io.ReadCloser, error) {
	f, err := Piece{Path: path}.open()
	if err != nil {
		return nil, err
	}
	return f, nil
}

// input is an opened file and the number of its bytes, as stored, read so far.
type input struct {
	io.Reader // what the file holds, decompressed
	path      string
	file      *os.File
	size      int64        // as stored
	consumed  atomic.Int64 // decompressors read ahead in goroutines of their own
	sum       *xxhash.Digest
	finish    func() // releases the decompressor
}

func (p Piece) open() (*input, error) {
	file, err := os.Open(p.Path)
	if err != nil {
		return nil, fmt.Errorf("corpus: %w", err)
	}
	f := &input{path: p.Path, file: file, sum: xxhash.New(), finish: func() {}}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("is a directory, expected a file")
	}
	switch {
	case err != nil:
	case p.To > 0: // of a plain file
		f.size = p.To - p.From
		if info.Size() < p.To {
			err = fmt.Errorf("has %d bytes, and had %d or more when it was cut into shards; shard it again",
				info.Size(), p.To)
		} else if _, err = file.Seek(p.From, io.SeekStart); err == nil {
			f.Reader = bufio.NewReaderSize(io.LimitReader(stored{f}, f.size), 1<<18)
		}
	default:
		f.size = info.Size()
		err = f.decompress()
	}
	if err != nil {
		file.Close()
		return nil, f.named(err)
	}
	return f, nil
}

// magics maps the first bytes of a file to what it is.
var magics = []struct{ magic, kind string }{
	{"\x1f\x8b", "gzip"},
	{"\x28\xb5\x2f\xfd", "zstd"},
	{"BZh91AY&SY", "bzip2"},
	{"\xfd7zXZ\x00", "xz"},
	{"PK\x03\x04", "zip"},
}

// maxWindow bounds what a zstd stream may refer back to, which is memory that its first bytes ask
// for. The program zstd has the same bound, unless it is told to take more.
const maxWindow = 128 << 20

func (f *input) decompress() error {
	stored := bufio.NewReaderSize(stored{f}, 1<<18)
	head, err := stored.Peek(10)
	if err != nil && err != io.EOF {
		return err
	}
	kind := "plain"
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.magic)) {
			kind = m.kind
		}
	}
	switch kind {
	case "plain":
		f.Reader = stored
	case "gzip":
		r, err := gzip.NewReader(stored)
		if err != nil {
			return fmt.Errorf("damaged gzip file, fetch or make it again: %w", err)
		}
		f.Reader = damage{r, kind}
	case "zstd":
		r, err := zstd.NewReader(stored, zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return fmt.Errorf("damaged zstd file, fetch or make it again: %w", err)
		}
		f.Reader, f.finish = damage{r, kind}, r.Close
	default:
		return fmt.Errorf("is compressed with %s, expected plain text, gzip or zstd; decompress it first", kind)
	}
	return nil
}

// stored counts the bytes read from the disk, and sums them up.
type stored struct{ f *input }

func (s stored) Read(p []byte) (int, error) {
	n, err := s.f.file.Read(p)
	s.f.consumed.Add(int64(n))
	s.f.sum.Write(p[:n])
	return n, err
}

// damage tells the errors of a decompressor from those of the disk.
type damage struct {
	io.Reader
	kind string
}

func (d damage) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("damaged %s file, fetch or make it again: %w", d.kind, err)
	}
	return n, err
}

func (f *input) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = f.named(err)
	}
	return n, err
}

func (f *input) Close() error {
	f.finish()
	if err := f.file.Close(); err != nil {
		return fmt.Errorf("corpus: %w", err)
	}
	return nil
}

// named adds the package and the file to an error that names neither.
func (f *input) named(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("corpus: %w", err)
	}
	return fmt.Errorf("corpus: %s: %w", f.path, err)
}
