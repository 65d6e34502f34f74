package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/prepare"
	"contextmover/internal/printable"
)

// mostNamed is the number of paths that are named of those that are left out.
const mostNamed = 10

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
		var others []string
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
			switch info, err := os.Stat(at); {
			case err != nil || entry.Type()&fs.ModeSymlink != 0 && info.IsDir() || !info.Mode().IsRegular() && !info.IsDir():
				others = append(others, at)
			case info.Mode().IsRegular() && !prepare.Beside(at):
				files = append(files, at)
			}
			return nil
		})
		if len(others) > 0 {
			slog.Warn("left out of the text: links that lead to no file, pipes, devices and the like", "number", len(others),
				"paths", printable.Text(strings.Join(others[:min(len(others), mostNamed)], ", ")))
		}
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

// WarnInvalid tells of lines of a text with bytes that are not UTF-8, and where the first is, as file:line, if that is
// known.
func WarnInvalid(lines int64, first string) {
	if lines == 0 {
		return
	}
	at := []any{"lines", lines}
	if first != "" {
		at = append(at, "first", printable.Text(first))
	}
	slog.Warn("bytes that are not UTF-8 were read as U+FFFD; convert the text (iconv -t UTF-8) to keep them", at...)
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
