// Package atomicfile writes files and folders that are there whole or not at all.
//
// They are made under a temporary name next to their path and then renamed. The name is
// .<name>-<16 hexadecimal digits> after the path; it is locked while it is in use, which tells
// what a living process is writing from what a killed one left. Leftovers of a path go when
// the next file or folder is made there. On systems and file systems without locks nothing is
// taken for a leftover.
package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"contextmover/internal/disk"
)

// Write lets write fill a new file next to path, syncs it to disk, renames it to
// path, in place of a file that is there, and syncs the folder. After an error, write's own or the disk's,
// what was at path is as it was, and the new file is removed; where only the folder could not be synced, the
// new file is there, but may not outlast a loss of power. What a killed process left
// instead is removed by the next Write to the same path.
//
// An error names path; write's own can be found in it with errors.Is and errors.As.
func Write(path string, write func(w *bufio.Writer) error) error {
	file, release, err := File(path)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, cause(err))
	}
	defer release()
	if err := fill(file, write); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	err = disk.Rename(file.Name(), path)
	if err == nil {
		err = disk.SyncFolder(filepath.Dir(path))
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, cause(err))
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

// WriteInFolder is WriteBytes, and makes the folder if need be.
func WriteInFolder(path string, content []byte) error {
	if err := disk.MkdirAll(filepath.Dir(path)); err != nil {
		return err
	}
	return WriteBytes(path, content)
}

// fill writes, syncs and closes a file.
func fill(file *disk.File, write func(w *bufio.Writer) error) error {
	w := bufio.NewWriterSize(file, 1<<18)
	err := write(w)
	if err == nil {
		err = cause(w.Flush())
	}
	if err == nil {
		err = cause(file.Sync())
	}
	if closing := cause(file.Close()); err == nil {
		err = closing
	}
	return err
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
