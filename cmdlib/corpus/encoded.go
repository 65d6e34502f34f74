package corpus

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"contextmover/internal/atomicfile"
	"contextmover/internal/disk"
	"contextmover/internal/scratch"
)

// Encoded is a text as numbers, on disk.
type Encoded struct {
	// IDs are those of the vocabulary's words in the order of the text, with a SentenceEnd before,
	// between and after sentences; other words are left out. They are for reading only, until Close.
	IDs []int32
	// Occurrences has how often each word stands in IDs.
	Occurrences []int64
	Stats       Stats

	unmap   func() error
	file    *disk.File
	release func()
}

// Encode writes a text as numbers, 4 bytes per token, into a temporary file next to path. The file is memory-mapped, or
// read as a whole where the system has no memory mapping. For the errors of reading see Text; a text of 2^32
// vocabulary tokens or more is an error too.
func Encode(
	ctx context.Context, text Text, v *Vocabulary, path string, progress func(done, total int64),
) (*Encoded, error) {
	file, release, err := atomicfile.File(path)
	if err != nil {
		return nil, fmt.Errorf("corpus: %w", err)
	}
	e := &Encoded{Occurrences: make([]int64, v.Len()), unmap: func() error { return nil }, file: file, release: release}
	if err = e.write(ctx, text, v, progress); err != nil {
		e.Close()
		return nil, err
	}
	ids, unmap, err := scratch.File[int32](file.Reader())
	if err != nil {
		e.Close()
		return nil, fmt.Errorf("corpus: reading %s: %w", file.Name(), err)
	}
	e.IDs, e.unmap = ids, unmap
	return e, nil
}

// Close removes the file.
func (e *Encoded) Close() error {
	err := errors.Join(e.unmap(), e.file.Close())
	e.release()
	e.IDs = nil
	return err
}

// write writes a text to the file, and counts.
func (e *Encoded) write(
	ctx context.Context, text Text, v *Vocabulary, progress func(done, total int64),
) (err error) {
	var (
		w     = bufio.NewWriterSize(e.file, 1<<20)
		total = int64(0)
		bytes []byte
	)
	put := func(ids []int32) error {
		bytes = bytes[:0]
		for _, id := range ids {
			bytes = binary.NativeEndian.AppendUint32(bytes, uint32(id))
			if id != SentenceEnd {
				e.Occurrences[id]++
			}
		}
		if _, err := w.Write(bytes); err != nil {
			return fmt.Errorf("corpus: writing %s: %w", e.file.Name(), err)
		}
		total += int64(len(ids))
		return checkLength(total)
	}
	if err := put([]int32{SentenceEnd}); err != nil {
		return err
	}
	if e.Stats, err = text.encodeChunks(ctx, v, progress, put); err != nil {
		return err
	}
	if err := put([]int32{SentenceEnd}); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("corpus: writing %s: %w", e.file.Name(), err)
	}
	return nil
}
