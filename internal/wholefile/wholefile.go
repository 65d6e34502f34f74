// Package wholefile writes files that are there whole or not at all.
package wholefile

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Write lets write fill a new file beside path, syncs it to disk and renames it to
// path, in place of a file that is there. After an error, write's own or the disk's,
// what was at path is as it was, and the new file is removed.
//
// An error names path; write's own can be found in it with errors.Is and errors.As.
func Write(path string, write func(w *bufio.Writer) error) error {
	temporary := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d-%08x", filepath.Base(path), os.Getpid(), rand.Uint32()))
	if err := fill(temporary, write); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if err := os.Rename(temporary, path); err != nil {
		return fmt.Errorf("writing %s: %w", path, errors.Join(cause(err), os.Remove(temporary)))
	}
	return nil
}

// WriteBytes writes content by Write.
func WriteBytes(path string, content []byte) error {
	return Write(path, func(w *bufio.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// fill writes a new file, and removes it after an error.
func fill(path string, write func(w *bufio.Writer) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return cause(err)
	}
	w := bufio.NewWriterSize(file, 1<<18)
	err = write(w)
	if err == nil {
		err = cause(w.Flush())
	}
	if err == nil {
		err = cause(file.Sync())
	}
	if closing := cause(file.Close()); err == nil {
		err = closing
	}
	if err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// cause leaves out the name of the temporary file, which tells nobody anything.
func cause(err error) error {
	var (
		path *fs.PathError
		link *os.LinkError
	)
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
