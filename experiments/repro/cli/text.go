package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"slices"

	"contextmover/cmdlib/corpus"
	"contextmover/internal/shards"
	"contextmover/internal/textfiles"
)

// Text returns the text in files and in all files of folders, see TextFiles; its layout is guessed.
func Text(paths []string) (corpus.Text, error) {
	files, err := TextFiles(paths)
	if err != nil {
		return corpus.Text{}, err
	}
	layout, err := Layout(files)
	if err != nil {
		return corpus.Text{}, BadData(err)
	}
	return corpus.Text{Files: files, SplitDots: true, Layout: layout}, nil
}

// Layout returns the layout of text that corpus prepare has written, or guesses that of another one.
func Layout(files []string) (corpus.Layout, error) {
	if !slices.ContainsFunc(files, func(path string) bool { return !shards.IsShard(path) }) {
		return corpus.Sentences, nil
	}
	return corpus.DetectLayout(files)
}

// TextFiles returns the files that paths name, those in folders and beneath included, in the order of their names.
// Of a folder that corpus prepare has made it is the shards alone. Of what lies in a folder, that which cannot be read
// and that which is not text, such as a picture, is left out with a warning.
func TextFiles(paths []string) (files []string, err error) {
	for _, path := range paths {
		in, others, err := textfiles.List(path)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s: no such file or folder, expected some text", path)
		}
		if err != nil {
			return nil, BadData(err)
		}
		if named := len(in) == 1 && in[0] == path; !named {
			in = slices.DeleteFunc(in, shards.Beside)
			in = slices.DeleteFunc(in, func(at string) bool {
				if isText(at) {
					return false
				}
				others = append(others, at)
				return true
			})
		}
		if len(others) > 0 {
			slog.Warn("left out of the text: what is no text, links that lead to no file, pipes, devices and the like",
				"number", len(others), "paths", textfiles.Names(others))
		}
		if len(in) == 0 {
			return nil, BadData(fmt.Errorf("%s: a folder without text files, expected some", path))
		}
		files = append(files, in...)
	}
	return files, nil
}

// isText reports whether a file begins as text may: a NUL byte among the first 8,000 or the mark of a PDF says no. A
// file that cannot be read, or that is UTF-16 by its first bytes, passes: its error is worth more.
func isText(path string) bool {
	r, err := corpus.Open(path)
	if err != nil {
		return true
	}
	defer r.Close()
	head := make([]byte, 8000)
	n, _ := io.ReadFull(r, head)
	head = head[:n]
	utf16 := bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))
	return utf16 || bytes.IndexByte(head, 0) < 0 && !bytes.HasPrefix(head, []byte("%PDF-"))
}

// WarnInvalid tells of lines of a text with bytes that are not UTF-8, and where the first is, as file:line.
func WarnInvalid(lines int64, first string) {
	if lines > 0 {
		slog.Warn("bytes that are not UTF-8 were read as U+FFFD; convert the text (iconv -t UTF-8) to keep them",
			"lines", lines, "first", first)
	}
}
