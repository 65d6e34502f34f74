package dataset

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"contextmover/internal/bounded"
)

// fromAuthors says where the files of the paper's authors are to be had.
const fromAuthors = "the files in authors/ are made by `python3 bench/authors.py FROM TO` of the folder that the " +
	"README of github.com/sidak/context-mover-distance-and-barycenters (commit 9c269816) names, for `repro data " +
	"fetch --profile authors --from TO`"

// AuthorsList is the name of the list of files in a folder of those of the paper's authors, such as authors/books/. A
// line has a file's SHA-256, its bytes and its name in the folder, separated by tabs.
const AuthorsList = "files.tsv"

// AuthorsFiles returns the files that the list in a folder of dir names, and the list itself. The folder is one of the
// paper's authors, such as authors/books/. Without a list it returns a *MissingError.
func AuthorsFiles(dir, folder string) ([]File, error) {
	name := path.Join(folder, AuthorsList)
	list := fullPath(dir, name)
	text, err := bounded.ReadFile(list, bounded.Document)
	if os.IsNotExist(err) {
		return nil, &MissingError{Dir: dir, Files: []string{name}}
	} else if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	files, wrong := parseAuthorsList(string(text), folder)
	if wrong != nil {
		wrong.File = list
		return nil, wrong
	}
	sum, err := SHA256(dir, name)
	return append(files, File{Path: name, Bytes: int64(len(text)), SHA256: sum}), err
}

func parseAuthorsList(text, folder string) ([]File, *FormatError) {
	var files []File
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		fields := strings.Split(line, "\t")
		if len(fields) != 3 {
			return nil, &FormatError{Line: i + 1, Problem: fmt.Sprintf("%d fields, expected SHA-256, bytes and name: "+
				"convert the authors' folder again", len(fields))}
		}
		size, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil || size < 0 || len(fields[0]) != 64 || !filepath.IsLocal(filepath.FromSlash(fields[2])) {
			return nil, &FormatError{Line: i + 1, Problem: fmt.Sprintf("%.100q, expected SHA-256, bytes and a name "+
				"within the folder: convert the authors' folder again", line)}
		}
		files = append(files, File{Path: path.Join(folder, fields[2]), Bytes: size, SHA256: fields[0]})
	}
	return files, nil
}
