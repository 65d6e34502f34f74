package prepare

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"contextmover/cmdlib/prepare/internal/documents"
)

// bzip2Start is what a bzip2 stream with anything in it begins with, after "BZh" and a digit: the mark of its
// first block, 48 binary digits of π.
const bzip2Start = "1AY&SY"

// nextStream returns where the first stream of a bzip2 file begins that begins at an offset
// or behind it, or the length of the file. A dump called multistream has a stream for every
// hundred pages. That other bytes look like a start, eighty bits, does not happen by chance.
func nextStream(f *os.File, at int64) (int64, error) {
	buffer := make([]byte, 1<<16)
	for {
		n, err := f.ReadAt(buffer, at)
		for i := 0; ; i += 3 {
			found := bytes.Index(buffer[i:n], []byte("BZh"))
			if found < 0 || i+found+10 > n {
				break
			}
			i += found
			if isBzip2(buffer[i:]) && string(buffer[i+4:i+10]) == bzip2Start {
				return at + int64(i), nil
			}
		}
		if err == io.EOF {
			return at + int64(n), nil
		}
		if err != nil {
			return 0, fmt.Errorf("prepare: %w", err)
		}
		at += int64(n - 9)
	}
}

// isMultistream tells whether a file is of several bzip2 streams.
func isMultistream(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, fmt.Errorf("prepare: %w", err)
	}
	defer f.Close()
	var head [4]byte
	if n, _ := f.ReadAt(head[:], 0); !isBzip2(head[:n]) {
		return false, nil
	}
	info, err := f.Stat()
	if err != nil {
		return false, fmt.Errorf("prepare: %w", err)
	}
	second, err := nextStream(f, 1)
	return err == nil && second < info.Size(), err
}

// cutStreams makes a unit of each stream: the pages that begin in it.
func cutStreams(in input, emit emit) error {
	f, err := os.Open(in.path)
	if err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	defer f.Close()
	at, err := nextStream(f, in.from)
	for err == nil && at < in.to {
		start := at
		if at, err = nextStream(f, start+1); err != nil {
			break
		}
		err = emit(in.before+at-in.from, func(ctx context.Context) ([]documents.Document, error) {
			xml, err := pagesOf(ctx, in.path, start)
			if err != nil {
				return nil, err
			}
			return documents.Pages(func(int64) string { return "prepare: " + in.path }, xml)
		})
	}
	return err
}

// pagesOf returns the pages whose <page> begins in the stream that
// begins at an offset. The last of them may end in a later stream.
func pagesOf(ctx context.Context, path string, stream int64) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("prepare: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("prepare: %w", err)
	}
	const open, end = "<page>", "</page>"
	var text []byte
	own := 0 // length of what the stream itself has
	for start, next := stream, int64(0); start < info.Size(); start = next {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if next, err = nextStream(f, start+1); err != nil {
			return "", err
		}
		r := bzip2.NewReader(bufio.NewReaderSize(io.NewSectionReader(f, start, next-start), 1<<18))
		buffer := bytes.NewBuffer(text)
		if _, err := buffer.ReadFrom(io.LimitReader(r, int64(longestDoc)+1)); err != nil {
			return "", fmt.Errorf("prepare: %s, bzip2 stream at byte %d: damaged, fetch or make it again: %w",
				path, start, err)
		}
		text = buffer.Bytes()
		if start == stream {
			own = len(text)
		}
		if len(text) > longestDoc {
			return "", fmt.Errorf("prepare: %s, bzip2 stream at byte %d: more than %d MB in a stream or page; "+
				"decompress the file first",
				path, start, longestDoc>>20)
		}
		// Where the last page that begins in the stream begins.
		last := bytes.LastIndex(text[:min(len(text), own+len(open)-1)], []byte(open))
		if last < 0 {
			if start > stream || !mayBegin(text, open) {
				return "", nil
			}
			continue
		}
		if at := bytes.Index(text[last:], []byte(end)); at >= 0 && (start > stream || !mayBegin(text[last+at:], open)) {
			first := bytes.Index(text, []byte(open))
			return string(text[first : last+at+len(end)]), nil
		}
	}
	if at := strings.Index(string(text), open); at >= 0 && at < own {
		return string(text[at:]), nil
	}
	return "", nil
}

// mayBegin tells whether text ends with a part of tag.
func mayBegin(text []byte, tag string) bool {
	for n := 1; n < len(tag); n++ {
		if bytes.HasSuffix(text, []byte(tag[:n])) {
			return true
		}
	}
	return false
}
