package corpus

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

const (
	// excerptFiles is the number of files that WriteExcerpt takes from.
	excerptFiles = 16
	// excerptPieces is the number of pieces that it takes from a plain file.
	excerptPieces = 8
)

// WriteExcerpt writes about limit bytes of the text to w, decompressed, in whole lines. Up to 16 files give an equal
// share each, a plain file from places all over it, a compressed one from its start. It returns the number of bytes
// written and an estimate of the size of the whole text, decompressed; where they are equal, the excerpt is the text.
func WriteExcerpt(w io.Writer, text Text, limit int64) (written, total int64, err error) {
	if len(text.Files) == 0 {
		return 0, 0, errors.New("corpus: no files given, expected at least one text file")
	}
	out := &counter{w: w}
	step := (len(text.Files) + excerptFiles - 1) / excerptFiles
	left := (len(text.Files) + step - 1) / step
	var stored, expanded, unseen int64 // of compressed files: looked at, and not
	for i, path := range text.Files {
		f, err := Piece{Path: path}.open()
		if err != nil {
			return 0, 0, err
		}
		plain, size := f.plain(), f.size
		if i%step == 0 {
			// What small files leave over is for the others.
			size, err = f.excerpt(out, (limit-out.n)/int64(left))
			left--
		}
		f.Close()
		if err != nil {
			return 0, 0, err
		}
		switch {
		case plain:
			total += size
		case i%step == 0:
			stored, expanded = stored+f.size, expanded+size
		default:
			unseen += f.size
		}
	}
	total += expanded
	if stored > 0 {
		total += int64(float64(unseen) * float64(expanded) / float64(stored))
	} else {
		total += unseen
	}
	return out.n, max(total, out.n), nil
}

type counter struct {
	w    io.Writer
	n    int64
	last byte
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	if n > 0 {
		c.last = p[n-1]
	}
	return n, err
}

// excerpt writes share bytes of the file and returns an estimate of its whole size.
func (f *input) excerpt(out *counter, share int64) (int64, error) {
	before := out.n
	plain := f.plain()
	if plain && f.size > share {
		length := share / excerptPieces
		for piece := range int64(excerptPieces) {
			if _, err := f.file.Seek(piece*(f.size/excerptPieces), io.SeekStart); err != nil {
				return 0, fmt.Errorf("corpus: %w", err)
			}
			r := bufio.NewReaderSize(f.file, 1<<16)
			if piece > 0 {
				if err := skipLine(r); err != nil {
					return 0, f.named(err)
				}
			}
			if err := copyLines(out, r, length); err != nil {
				return 0, f.named(err)
			}
		}
		return f.size, nil
	}
	r := bufio.NewReaderSize(f, 1<<16)
	if err := copyLines(out, r, share); err != nil {
		return 0, f.named(err)
	}
	taken := out.n - before
	if plain {
		return f.size, nil
	}
	// A decompressor reads ahead of what it hands out, so that little says too little.
	const enough = 1 << 25
	rest, err := io.Copy(io.Discard, io.LimitReader(r, enough))
	if err != nil {
		return 0, f.named(err)
	}
	taken += rest
	if rest < enough {
		return taken, nil
	}
	return int64(float64(taken) / float64(f.consumed.Load()) * float64(f.size)), nil
}

// plain tells whether the file is not compressed.
func (f *input) plain() bool { _, compressed := f.Reader.(damage); return !compressed }

// skipLine reads to the end of a line, or far enough.
func skipLine(r *bufio.Reader) error {
	for range longestLine >> 16 {
		if _, err := r.ReadSlice('\n'); err == nil || err == io.EOF {
			return nil
		} else if err != bufio.ErrBufferFull {
			return err
		}
	}
	return nil
}

// copyLines copies whole lines until there are n bytes, and ends the last one.
func copyLines(out *counter, r *bufio.Reader, n int64) error {
	for n > 0 {
		line, err := r.ReadSlice('\n')
		n -= int64(len(line))
		if err == bufio.ErrBufferFull {
			// Without halves of words, and a line that has no end ends here.
			if at := bytes.LastIndexByte(line, ' '); at > 0 && n <= 0 {
				line = slices.Concat(line[:at], []byte{'\n'})
			}
			err = nil
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	if out.n > 0 && out.last != '\n' {
		if _, err := out.Write([]byte{'\n'}); err != nil {
			return err
		}
	}
	return nil
}
