// Package checksum is the checksum of files.
package checksum

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"sync"
)

// File returns the SHA-256 of a file's contents, as 64 hexadecimal digits. An error is the
// system's, or the context's once that has ended.
func File(ctx context.Context, path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if err := Copy(ctx, h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Copy writes all that r has to w. An
// error is that of reading, or the context's once that has ended.
func Copy(ctx context.Context, w io.Writer, r io.Reader) error {
	buffer := buffers.Get().(*[1 << 18]byte)
	defer buffers.Put(buffer)
	// Without WriteTo, which would ignore the buffer.
	_, err := io.CopyBuffer(w, reader{ctx, r}, buffer[:])
	return err
}

// buffers are kept, because most files are far smaller than one.
var buffers = sync.Pool{New: func() any { return new([1 << 18]byte) }}

// reader reads until its context ends.
type reader struct {
	ctx context.Context
	r   io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}
