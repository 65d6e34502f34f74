package corpus

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/cespare/xxhash/v2"

	"contextmover/internal/checksum"
)

// Piece is a part of a file: the bytes from From up to To of a plain
// one, or, where To is 0, a whole file, which may be compressed.
type Piece struct {
	Path     string
	From, To int64
	// Sum is the checksum that it must have, or 0: whoever reads another text gets an error.
	Sum uint64
}

// Checksum returns the xxHash64 of the piece's bytes as stored, which it reads.
// An error is that of reading, or the context's once that has ended.
func (p Piece) Checksum(ctx context.Context) (uint64, error) {
	f, err := os.Open(p.Path)
	if err != nil {
		return 0, fmt.Errorf("corpus: %w", err)
	}
	defer f.Close()
	var bytes io.Reader = f
	if p.To > 0 {
		bytes = io.NewSectionReader(f, p.From, p.To-p.From)
	}
	h := xxhash.New()
	if err := checksum.Copy(ctx, h, bytes); err != nil {
		return 0, fmt.Errorf("corpus: %w", err)
	}
	return h.Sum64(), nil
}

// Unchanged returns an error if the piece's file was changed at a time or later, and the piece has no
// longer the checksum Sum. Without a change it reads nothing. A file that is gone is unchanged.
func (p Piece) Unchanged(ctx context.Context, since time.Time) error {
	info, err := os.Stat(p.Path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.ModTime().Before(since) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("corpus: %w", err)
	}
	sum, err := p.Checksum(ctx)
	if err != nil {
		return err
	}
	return p.Is(sum)
}

// Is returns an error if the piece must have another checksum.
func (p Piece) Is(sum uint64) error {
	if p.Sum == 0 || p.Sum == sum {
		return nil
	}
	return fmt.Errorf("corpus: %s was changed since it was read first: put back what it had, "+
		"or start from scratch in another folder", p)
}

// String names the file, and the bytes where it is not a whole one.
func (p Piece) String() string {
	if p.To == 0 {
		return p.Path
	}
	return fmt.Sprintf("%s (bytes %d to %d)", p.Path, p.From, p.To)
}

// LinesBefore counts the lines before the piece, which only an
// error needs to know. Where they cannot be read it returns 0.
func (p Piece) LinesBefore() (lines int64) {
	if p.From == 0 {
		return 0
	}
	f, err := os.Open(p.Path)
	if err != nil {
		return 0
	}
	defer f.Close()
	before := io.LimitReader(f, p.From)
	buffer := make([]byte, 1<<18)
	for {
		n, err := before.Read(buffer)
		lines += int64(bytes.Count(buffer[:n], []byte{'\n'}))
		if err != nil {
			return lines
		}
	}
}

// Shard is a part of a text that is counted by itself.
type Shard []Piece

// Shard returns the shard of a text that Shards has cut, read as the text is.
func (t Text) Shard(s Shard) Text {
	t.Files, t.shard = nil, s
	return t
}

// Shards cuts the text into shards of about size bytes as stored, at least 1, in order. Plain files are cut at the
// ends of lines, or of paragraphs where the layout is Wrapped. A compressed file is in one shard, and small files
// share one. Counts of the shards add up to those of the text; only where a line of more than 4 MiB is not tokenised
// may a few sentences end elsewhere.
//
// Errors are those of opening and reading the files.
func (t Text) Shards(size int64) (shards []Shard, err error) {
	if size < 1 {
		return nil, fmt.Errorf("corpus: shards of %d bytes, expected at least 1", size)
	}
	var shard Shard
	size = min(size, 1<<60)
	filled := int64(0)
	put := func(p Piece, n int64) {
		if filled > 0 && filled+n > size+size/2 {
			shards = append(shards, shard)
			shard, filled = nil, 0
		}
		shard = append(shard, p)
		filled += n
	}
	for _, path := range t.Files {
		f, err := Piece{Path: path}.open()
		if err != nil {
			return nil, err
		}
		plain, n := f.plain(), f.size
		if err := f.Close(); err != nil {
			return nil, err
		}
		if !plain || n < size+size/2 {
			put(Piece{Path: path}, n)
			continue
		}
		for from := int64(0); from < n; {
			to := n
			if n-from >= size+size/2 {
				if to, err = t.Layout.nextBreak(path, from+size); err != nil {
					return nil, err
				}
			}
			put(Piece{Path: path, From: from, To: to}, to-from)
			from = to
		}
	}
	return append(shards, shard), nil
}

// nextBreak returns the end of the line, or of the paragraph, that goes on at an offset of a file.
func (l Layout) nextBreak(path string, at int64) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("corpus: %w", err)
	}
	defer f.Close()
	if _, err := f.Seek(at, io.SeekStart); err != nil {
		return 0, fmt.Errorf("corpus: %w", err)
	}
	r := bufio.NewReaderSize(f, 1<<16)
	blank := false // all of the line so far; its start may lie before
	for {
		line, err := r.ReadSlice('\n')
		at += int64(len(line))
		blank = blank && len(bytes.TrimRight(line, " \t\r\n")) == 0
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF:
			return at, nil
		case err != nil:
			return 0, fmt.Errorf("corpus: %w", err)
		case l != Wrapped || blank:
			return at, nil
		}
		blank = true
	}
}
