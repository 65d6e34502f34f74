// Package files copies files between a folder that all machines reach
// and Beam's file systems: Google Cloud Storage (gs://) and S3 (s3://).
//
// A copy is finished when its stamp says so, which has the checksum of the file in the folder.
package files

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"contextmover/internal/atomicfile"
	"contextmover/internal/checkpoint"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"
)

// Remote tells whether a path names a file, or files, outside of the machine.
func Remote(path string) bool { return strings.Contains(path, "://") }

// open opens the file system of a path.
func open(ctx context.Context, path string) (system filesystem.Interface, err error) {
	if scheme, _, _ := strings.Cut(path, "://"); scheme != "gs" && scheme != "s3" {
		return nil, fmt.Errorf("%s: there is no such file system, expected gs://, s3:// or a path", path)
	}
	defer func() {
		if wrong := recover(); wrong != nil { // settings that cannot be read
			err = fmt.Errorf("%s: %v", path, wrong)
		}
	}()
	return filesystem.New(ctx, path)
}

// Copy is a file to be copied, from a file system into the folder or the other way round.
type Copy struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Bytes int64  `json:"bytes"`
	// Modified is when the file was changed last, where its file system tells.
	Modified time.Time `json:"modified,omitzero"`
}

// Equal tells whether both are the same copy of the same file as it was at the same time.
func (c Copy) Equal(d Copy) bool {
	sameTime := c.Modified.Equal(d.Modified)
	c.Modified, d.Modified = time.Time{}, time.Time{}
	return sameTime && c == d
}

// List returns the files that a pattern matches, in the order of their names,
// with no place yet to be copied to. It is an error if there are none.
func List(ctx context.Context, pattern string) ([]Copy, error) {
	system, err := open(ctx, pattern)
	if err != nil {
		return nil, err
	}
	defer system.Close()
	names, err := system.List(ctx, pattern)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", pattern, err)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: no such files: %w", pattern, fs.ErrNotExist)
	}
	slices.Sort(names)
	var list []Copy
	for _, name := range names {
		c := Copy{From: name}
		if c.Bytes, err = system.Size(ctx, name); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if dated, ok := system.(filesystem.LastModifiedGetter); ok {
			if c.Modified, err = dated.LastModified(ctx, name); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		list = append(list, c)
	}
	return list, nil
}

// Do copies the file, unless the stamp at the path says that this
// has been done and it is still so, and returns whether it had to.
func (c Copy) Do(ctx context.Context, path string) (made bool, err error) {
	remote, local := c.From, c.To
	if Remote(c.To) {
		remote, local = c.To, c.From
	}
	system, err := open(ctx, remote)
	if err != nil {
		return false, err
	}
	defer system.Close()
	c.Modified = c.Modified.UTC()
	place := checkpoint.Place[Copy]{Stamp: path, Dir: filepath.Dir(local), Key: checkpoint.KeyOf("%q", fmt.Sprint(c))}
	return checkpoint.Step[checkpoint.Stamp[Copy]]{
		Tell: checkpoint.Warn,
		Open: func(ctx context.Context) (checkpoint.Stamp[Copy], error) {
			s, err := place.Open(ctx)
			if err != nil || c.To == local {
				return s, err
			}
			if size, err := system.Size(ctx, c.To); err != nil || size != c.Bytes {
				return s, &checkpoint.DamagedError{Path: c.To, What: "is not there whole"}
			}
			return s, nil
		},
		Make: func(ctx context.Context) (s checkpoint.Stamp[Copy], err error) {
			if remote == c.From {
				err = c.fetch(ctx, system)
			} else {
				err = c.send(ctx, system)
			}
			if err != nil {
				return s, fmt.Errorf("copying %s to %s: %w", c.From, c.To, err)
			}
			return place.Write(ctx, c, filepath.Base(local))
		},
	}.Do(ctx)
}

// fetch copies the file into the folder, where it is whole or not at all.
func (c Copy) fetch(ctx context.Context, system filesystem.Interface) error {
	in, err := system.OpenRead(ctx, c.From)
	if err != nil {
		return err
	}
	defer in.Close()
	return atomicfile.Write(c.To, func(w *bufio.Writer) error {
		n, err := io.Copy(w, in)
		if err == nil && n != c.Bytes {
			err = fmt.Errorf("has %d bytes, and had %d when it was listed", n, c.Bytes)
		}
		return err
	})
}

// send copies the file out of the folder.
func (c Copy) send(ctx context.Context, system filesystem.Interface) error {
	in, err := os.Open(c.From)
	if err != nil {
		return err
	}
	defer in.Close()
	// What is closed is there, whole or not: what has failed is given up before.
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	out, err := system.OpenWrite(ctx, c.To)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		giveUp()
		out.Close()
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	size, err := system.Size(ctx, c.To)
	if err == nil && size != c.Bytes {
		err = fmt.Errorf("%d bytes have come of %d", size, c.Bytes)
	}
	return err
}
