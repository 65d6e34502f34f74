package dataset

import (
	"cmp"
	"compress/gzip"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
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

// listed returns the published files of all declarations, or the prepared ones, sorted by path.
func listed(of func(declaration) []File) ([]File, error) {
	var files []File
	for _, d := range declarations() {
		files = append(files, d.files(of(d))...)
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

// readTable reads the compressed table of a collection, a line for each file: path, bytes and SHA-256.
func readTable(name string) ([]File, error) {
	f, err := tableFiles.Open(name)
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return newLines(name, r).files(0, 2)
}

// files reads lines of a file's path, its bytes and its SHA-256, separated by tabs; path and sum are the places of
// these two in a line.
func (l *lines) files(path, sum int) ([]File, error) {
	return each(l, "files", func() (f File, err error) {
		fields := strings.Split(l.text, "\t")
		if len(fields) == 3 {
			f.Path, f.SHA256 = fields[path], fields[sum]
			f.Bytes, err = strconv.ParseInt(fields[1], 10, 64)
		}
		if err != nil || f.Bytes < 0 || len(f.SHA256) != 64 || !filepath.IsLocal(f.Path) {
			err = l.errorf("%s, expected SHA-256, bytes and a name within the folder: convert the authors' folder "+
				"again", found(l.text))
		}
		return f, err
	})
}
