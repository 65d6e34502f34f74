package dataset

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// A declaration is a data set as a file of the folder sets has it.
type declaration struct {
	Name string
	// Section is the list of profiles that can name the set, such as "sts.groups", and Set what its entry there says
	// unless the profile says otherwise; both are empty for what no such list has.
	Section string
	Set     map[string]any

	// The fields of File are those that the files of the set may share. Source begins the sources of all. A file with
	// the use "nothing" has not that of the set.
	File
	Files    []File // published ones
	Prepared []File // what was made from these

	text string // what it was read from
}

//go:embed sets/*.toml
var sets embed.FS

// declarations are the files of the folder sets.
var declarations = once(func() (all []declaration, err error) {
	names, err := fs.Glob(sets, "sets/*.toml")
	for _, name := range names {
		text, err := sets.ReadFile(name)
		if err != nil {
			return nil, err
		}
		d, err := parseDeclaration(name, string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, err
})

// Declared returns what the entry of a set says in a list of profiles, such as "sts.groups", and reports whether a set
// of that list has the name. The caller owns the result.
func Declared(section, name string) (map[string]any, bool) {
	for _, d := range declarations() {
		if d.Section == section && d.Name == name {
			again, err := parseDeclaration(name, d.text)
			return again.Set, err == nil
		}
	}
	return nil, false
}

// DeclaredNames lists the names of the sets of a list of profiles.
func DeclaredNames(section string) (names []string) {
	for _, d := range declarations() {
		if d.Section == section {
			names = append(names, d.Name)
		}
	}
	return names
}

// parseDeclaration reads a declaration. Errors begin with the name of its file and, where that is known, the line.
func parseDeclaration(name, text string) (d declaration, err error) {
	d.text = text
	if err := toml.NewDecoder(strings.NewReader(text)).DisallowUnknownFields().Decode(&d); err != nil {
		line := 0
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, _ = at.Position()
		}
		return d, fmt.Errorf("%s:%d: %w", name, line, err)
	}
	if d.Name == "" {
		return d, fmt.Errorf("%s: no name", name)
	}
	for _, f := range slices.Concat(d.files(d.Files), d.files(d.Prepared)) {
		if err := f.check(); err != nil {
			return d, fmt.Errorf("%s: %w", name, err)
		}
	}
	return d, nil
}

// files returns files of the declaration, each with the set's terms where it has none of its own.
func (d declaration) files(list []File) (files []File) {
	for _, f := range list {
		f.Use = cmp.Or(f.Use, d.Use)
		if f.Use == "nothing" {
			f.Use = ""
		}
		if f.Parts == nil {
			f.Purpose, f.Licence = cmp.Or(f.Purpose, d.Purpose), cmp.Or(f.Licence, d.Licence)
			f.Consent, f.Cite = cmp.Or(f.Consent, d.Consent), cmp.Or(f.Cite, d.Cite)
			f.Original, f.Source = cmp.Or(f.Original, d.Original), d.Source+f.Source
		}
		files = append(files, f)
	}
	return files
}

var (
	sourceForm = regexp.MustCompile(`^[\w.-]+/[\w.-]+@[0-9a-f]{40}:.`)
	sumForm    = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// check returns what is wrong with a file: its path must stay inside a folder.
func (f File) check() error {
	switch {
	case !filepath.IsLocal(f.Path), path.Clean(f.Path) != strings.TrimSuffix(f.Path, "/"), strings.Contains(f.Path, `\`):
		return fmt.Errorf("the path %q, expected one inside the data folder", f.Path)
	case f.Bytes < 0 || f.Rows < 0:
		return fmt.Errorf("%s: %d bytes and %d rows, expected 0 or more", f.Path, f.Bytes, f.Rows)
	case !sumForm.MatchString(f.SHA256):
		return fmt.Errorf("%s: the SHA-256 %q, expected 64 hexadecimal digits", f.Path, f.SHA256)
	case f.Parts == nil && (!sourceForm.MatchString(f.Source) || f.Collection() && !strings.HasSuffix(f.Source, "/")):
		return fmt.Errorf("%s: source %q, expected OWNER/NAME@COMMIT:PATH", f.Path, f.Source)
	}
	return nil
}

// listed returns the published files of all declarations, or the prepared ones, sorted by path.
func listed(of func(declaration) []File) ([]File, error) {
	var files []File
	for _, d := range declarations() {
		files = append(files, d.files(of(d))...)
	}
	return files, sortFiles(files)
}

// sortFiles sorts files by path. It returns an error for a path that is there twice.
func sortFiles(files []File) error {
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	for i := 1; i < len(files); i++ {
		if files[i].Path == files[i-1].Path {
			return fmt.Errorf("%s is declared twice", files[i].Path)
		}
	}
	return nil
}

// parseTable reads the compressed table of a collection, a line for each file: path, bytes and SHA-256.
func parseTable(table []byte) (files []File, err error) {
	r, err := gzip.NewReader(bytes.NewReader(table))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		cells := strings.Split(line, "\t")
		if len(cells) != 3 {
			return nil, fmt.Errorf("line %d: %d fields, expected 3", i+1, len(cells))
		}
		f := File{Path: cells[0], SHA256: cells[2], Parts: []string{}}
		if f.Bytes, err = strconv.ParseInt(cells[1], 10, 64); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		if err := f.check(); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		f.Parts = nil
		files = append(files, f)
	}
	return files, sortFiles(files)
}
