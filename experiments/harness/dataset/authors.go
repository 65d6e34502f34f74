package dataset

import (
	"fmt"
	"os"
	"path"
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
	if err := CheckPresent(dir, name); err != nil {
		return nil, err
	}
	list := fullPath(dir, name)
	files, err := read(list, func(l *lines) ([]File, error) { return l.files(2, 0) })
	if err != nil {
		return nil, err
	}
	for i := range files {
		files[i].Path = path.Join(folder, files[i].Path)
	}
	info, err := os.Stat(list)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	sum, err := SHA256(dir, name)
	return append(files, File{Path: name, Bytes: info.Size(), SHA256: sum}), err
}
