package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"contextmover/internal/checksum"
)

// Place is where a step leaves files, and behind them a stamp: a
// manifest with the key, and the sizes and checksums of the files.
type Place[T any] struct {
	Stamp string // path
	Dir   string // of the files
	Key   Key
}

// Stamp is what a stamp has.
type Stamp[T any] struct {
	Key    Key             `json:"key"`
	Files  map[string]File `json:"files"`
	Result T               `json:"made"` // what is to be known of them besides
}

// File is what a stamp has of a file.
type File struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Open returns the stamp, if the files are those that it was written of: all of them are read. The error
// is fs.ErrNotExist where there is none, and a *DamagedError where the stamp is another one, or a file.
func (p Place[T]) Open(ctx context.Context) (s Stamp[T], err error) {
	if _, err := ReadManifest(p.Stamp, &s); err != nil {
		return s, err
	}
	if s.Key != p.Key {
		return s, &DamagedError{p.Stamp, "was made of something else"}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		path := filepath.Join(p.Dir, name)
		is, err := measure(ctx, path)
		if errors.Is(err, fs.ErrNotExist) {
			return s, &DamagedError{path, "is not there"}
		}
		if err != nil {
			return s, err
		}
		if is.Bytes != s.Files[name].Bytes {
			return s, &DamagedError{path, fmt.Sprintf("has %d bytes, expected %d", is.Bytes, s.Files[name].Bytes)}
		}
		if is != s.Files[name] {
			return s, &DamagedError{path, "has a wrong checksum"}
		}
	}
	return s, nil
}

// Write writes the stamp of files that are finished, and returns it.
func (p Place[T]) Write(ctx context.Context, made T, names ...string) (s Stamp[T], err error) {
	s = Stamp[T]{p.Key, map[string]File{}, made}
	for _, name := range names {
		if s.Files[name], err = measure(ctx, filepath.Join(p.Dir, name)); err != nil {
			return s, err
		}
	}
	return s, WriteManifest(p.Stamp, s)
}

// measure returns the size of a file and its checksum.
func measure(ctx context.Context, path string) (f File, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return f, err
	}
	f.Bytes = info.Size()
	f.SHA256, err = checksum.File(ctx, path)
	return f, err
}
