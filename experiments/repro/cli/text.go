package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/prepare"
)

// Text returns the text in files and in all files of folders, those beneath included, in the order of their names; its layout is guessed.
// Of a folder that corpus prepare has made it is the shards alone.
func Text(paths []string) (corpus.Text, error) {
	var files []string
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return corpus.Text{}, BadData(fmt.Errorf("%s: no such file or folder, expected some text", path))
		case err != nil:
			return corpus.Text{}, BadData(err)
		case info.Mode().IsRegular():
			files = append(files, path)
			continue
		case !info.IsDir():
			return corpus.Text{}, BadData(fmt.Errorf("%s is neither a regular file nor a folder: a text is read several times, so write it to a file first (compressed ones will do)", path))
		}
		before := len(files)
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
			// A link counts as the file that it leads to; links to folders are not followed, which could be circles.
			if info, err := os.Stat(at); err == nil && info.Mode().IsRegular() && !prepare.Beside(at) {
				files = append(files, at)
			}
			return nil
		})
		if err != nil {
			return corpus.Text{}, BadData(err)
		}
		if len(files) == before {
			return corpus.Text{}, BadData(fmt.Errorf("%s: a folder without files, expected some text", path))
		}
	}
	if twice := duplicate(files); twice != "" {
		return corpus.Text{}, BadUsage("%s is named twice", twice)
	}
	layout, err := corpus.DetectLayout(files)
	if err != nil {
		return corpus.Text{}, BadData(err)
	}
	return corpus.Text{Files: files, Layout: layout}, nil
}

// duplicate returns a path that is there twice, or nothing.
func duplicate(files []string) string {
	sorted := slices.Clone(files)
	for i := range sorted {
		sorted[i] = filepath.Clean(sorted[i])
	}
	slices.Sort(sorted)
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			return sorted[i]
		}
	}
	return ""
}
