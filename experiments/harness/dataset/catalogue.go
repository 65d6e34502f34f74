package dataset

import (
	"embed"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// File is a file of the data as it was published, or a collection of many; or what was prepared
// from such files. Paths have slashes, and that of a collection ends in one.
type File struct {
	Path   string `json:"path"`   // in the data folder
	Bytes  int64  `json:"bytes"`  // of a collection, all of its files together
	SHA256 string `json:"sha256"` // of a collection, that of its table
	// Rows are judgements, lines, documents or words without header lines, or files of a collection; 0 if not counted.
	Rows int `json:"-"`
	// Use is "open", "best", "alignment" or "documents" if the profile of that name reads it; "text" if
	// training text is prepared from it; "attribution"; "tests"; or nothing.
	Use      string `json:"use,omitempty"`
	Purpose  string `json:"purpose,omitempty"` // "sentence similarity, test" …
	Licence  string `json:"licence,omitempty"`
	Consent  string `json:"consent,omitempty"` // what the licence asks whoever fetches the file to agree to
	Cite     string `json:"cite,omitempty"`    // whom to cite
	Original string `json:"origin,omitempty"`  // where it was published first
	Source   string `json:"source,omitempty"`  // OWNER/NAME@COMMIT:PATH of the Git repository that has it, unless it was prepared

	// Parts are the files that this one was prepared from, by their paths; a member of a zip
	// archive stands after an exclamation mark. What was published has none.
	Parts []string `json:"prepared_from,omitempty"`
}

// Host serves files of Git repositories at fixed commits, under /OWNER/NAME/COMMIT/PATH.
const Host = "https://raw.githubusercontent.com"

// Address returns where exactly these bytes can be fetched from a server that has them as Host
// does; of a collection, what the addresses of its files begin with. Of a prepared file it is empty.
func (f File) Address(host string) string {
	repository, rest, _ := strings.Cut(f.Source, "@")
	commit, name, ok := strings.Cut(rest, ":")
	if !ok {
		return ""
	}
	return strings.TrimSuffix(host, "/") + (&url.URL{Path: "/" + repository + "/" + commit + "/" + name}).EscapedPath()
}

// Repository returns the OWNER/NAME of the Git repository that has the file.
func (f File) Repository() string {
	repository, _, _ := strings.Cut(f.Source, "@")
	return repository
}

// Collection tells whether f stands for many files, its Members.
func (f File) Collection() bool { return strings.HasSuffix(f.Path, "/") }

// Members returns the files of a collection in the order of their paths, each with the licence, the purpose and the
// rest of the collection. Any other file is its own only member.
func (f File) Members() []File {
	if !f.Collection() {
		return []File{f}
	}
	rows := tables()[f.Path]
	files := make([]File, len(rows))
	for i, row := range rows {
		files[i] = f.member(row)
	}
	return files
}

// member returns the member of a collection that is in a row of its table.
func (f File) member(row File) File {
	f.Path, f.Bytes, f.SHA256, f.Rows, f.Source = f.Path+row.Path, row.Bytes, row.SHA256, 0, f.Source+row.Path
	return f
}

// The tables of the collections are compressed: they are long, and nobody reads them but zcat.
//
//go:embed *.tsv.gz
var tableFiles embed.FS

// collections are the names of their tables, by path.
var collections = map[string]string{
	"corpora/books/": "books", "corpora/wiki/": "wiki",
	"documents/20news/train/": "20news-train", "documents/20news/test/": "20news-test",
}

// once parses an embedded file when it is first asked for; one that is wrong is the program's fault.
func once[T any](parse func() (T, error)) func() T {
	return sync.OnceValue(func() T {
		v, err := parse()
		if err != nil {
			panic("dataset: " + err.Error())
		}
		return v
	})
}

var (
	catalogue = once(func() ([]File, error) { return listed(func(d declaration) []File { return d.Files }) })
	prepared  = once(func() ([]File, error) { return listed(func(d declaration) []File { return d.Prepared }) })
	tables    = once(func() (map[string][]File, error) {
		all := make(map[string][]File)
		for path, name := range collections {
			var err error
			if all[path], err = readTable(name + ".tsv.gz"); err != nil {
				return nil, err
			}
		}
		return all, nil
	})
)

// Catalogue returns all published files and collections, sorted by path.
func Catalogue() []File { return slices.Clone(catalogue()) }

// Prepared returns what was made from published files, sorted by path: sentence pairs in one file a set, members
// of archives, training text. Nobody need have these where the published files can be read instead.
func Prepared() []File { return slices.Clone(prepared()) }

// Lookup returns the published or prepared file, the collection or the member of one with the given path.
func Lookup(path string) (File, bool) {
	for _, list := range [][]File{catalogue(), prepared()} {
		for _, f := range list {
			if f.Path == path {
				return f, true
			}
			if name, ok := strings.CutPrefix(path, f.Path); ok && f.Collection() {
				for _, row := range tables()[f.Path] {
					if row.Path == name {
						return f.member(row), true
					}
				}
			}
		}
	}
	return File{}, false
}

// Choose returns the published files, members of collections among them, with the given paths or in folders of
// these paths; all without a path. A prepared file stands for what it was made from. The error names a path
// that is none of these.
func Choose(paths ...string) (files []File, err error) {
	for _, f := range catalogue() {
		files = append(files, f.Members()...)
	}
	if len(paths) == 0 {
		return files, nil
	}
	var names []string
	for _, name := range paths {
		parts := []string{name}
		if f, ok := Lookup(name); ok && f.Parts != nil {
			parts = partPaths(f)
		}
		if !slices.ContainsFunc(files, func(f File) bool { return f.among(parts) }) {
			return nil, fmt.Errorf("no file or folder %q in the list (see repro data ls)", name)
		}
		names = append(names, parts...)
	}
	return slices.DeleteFunc(files, func(f File) bool { return !f.among(names) }), nil
}

// among tells whether f is, or is in, one of the files and folders of these paths.
func (f File) among(paths []string) bool {
	return slices.ContainsFunc(paths, func(path string) bool {
		rest, ok := strings.CutPrefix(f.Path, strings.TrimSuffix(path, "/"))
		return ok && (rest == "" || rest[0] == '/')
	})
}

// DefaultDir returns the data folder that is used where none is named: contextmover in the
// user's folder of data, which is $XDG_DATA_HOME or ~/.local/share. The error says that none is known.
func DefaultDir() (string, error) {
	dir := os.Getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("dataset: no folder for data (%w): name one with --data DIR or the variable "+
				"CONTEXTMOVER_DATA", err)
		}
		dir = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(dir, "contextmover"), nil
}
