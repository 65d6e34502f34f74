package dataset

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// A declaration is refused with the name of its file, or its files stay inside the data folder.
func FuzzDeclaration(f *testing.F) {
	names, _ := fs.Glob(sets, "sets/*.toml")
	for _, name := range names[:3] {
		text, _ := sets.ReadFile(name)
		f.Add(string(text))
		f.Add(strings.Replace(string(text), "bytes = ", "bytes = -", 1))
	}
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := parseDeclaration("x.toml", text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "x.toml:") {
				t.Fatal(err)
			}
			return
		}
		for _, file := range append(d.files(d.Files), d.files(d.Prepared)...) {
			if file.Bytes < 0 || file.Rows < 0 || !filepath.IsLocal(file.Path) {
				t.Fatalf("%+v", file)
			}
		}
	})
}

// FuzzAuthorsList: whatever a list says, files stay within its folder.
func FuzzAuthorsList(f *testing.F) {
	f.Add(strings.Repeat("0", 64) + "\t12\tclusters_3/centroids.npy\n")
	f.Add(strings.Repeat("0", 64) + "\t-1\t../vocab.txt\n")
	f.Fuzz(func(t *testing.T, text string) {
		files, err := parseAuthorsList(text, "authors/books/")
		if err != nil && (err.Line < 1 || err.Problem == "") {
			t.Errorf("error without a line or a problem: %v", err)
		}
		for _, file := range files {
			if !strings.HasPrefix(file.Path, "authors/books/") || file.Bytes < 0 {
				t.Errorf("%q: %+v", text, file)
			}
		}
	})
}
