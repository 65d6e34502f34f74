// Package textfiles lists the files that a text is in.
package textfiles

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"contextmover/internal/printable"
)

// List returns the files that a path names: itself, or all in the folder and those beneath, in the order of their
// names, except those whose names begin with a dot. A link counts as the file that it leads to. others are what is in
// the folder and cannot be read as text: links that lead to nothing, or to a folder, which could be circles; pipes,
// devices and the like. A path that is one of these is an error, as is one that is not there (fs.ErrNotExist).
func List(path string) (files, others []string, err error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, nil, err
	case info.Mode().IsRegular():
		return []string{path}, nil, nil
	case !info.IsDir():
		return nil, nil, fmt.Errorf("%s is neither a regular file nor a folder: a text is read several times, "+
			"so write it to a file first (compressed ones will do)", path)
	}
	err = filepath.WalkDir(path, func(at string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case at != path && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		switch info, err := os.Stat(at); {
		case err == nil && info.Mode().IsRegular():
			files = append(files, at)
		case err != nil || !info.IsDir() || entry.Type()&fs.ModeSymlink != 0:
			others = append(others, at)
		}
		return nil
	})
	return files, others, err
}

// mostNamed is the number of paths that are named of many.
const mostNamed = 10

// Names returns the paths as a message shows them, the first ten of many.
func Names(paths []string) string {
	more := ""
	if n := len(paths); n > mostNamed {
		paths, more = paths[:mostNamed], fmt.Sprintf(" and %d more", n-mostNamed)
	}
	return printable.Text(strings.Join(paths, ", ")) + more
}
