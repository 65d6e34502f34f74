package dataset

import (
	"strings"
	"testing"
)

// A catalogue is refused with a line, or has a file for each line but the first.
func FuzzCatalogue(f *testing.F) {
	f.Add(catalogueText)
	header, rest, _ := strings.Cut(catalogueText, "\n")
	first, _, _ := strings.Cut(rest, "\n")
	f.Add(header + "\n" + first + "\n")
	f.Add(header + "\n" + strings.Replace(first, "\t", "\t-", 1) + "\n")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		files, err := parseCatalogue(text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "catalogue.tsv:") {
				t.Fatal(err)
			}
			return
		}
		if want := strings.Count(strings.TrimSuffix(text, "\n"), "\n"); len(files) != want {
			t.Fatalf("%d files in %d lines", len(files), want)
		}
		for i, file := range files {
			if file.Bytes < 0 || file.Rows < 0 || file.Path == "" || i > 0 && file.Path <= files[i-1].Path {
				t.Fatalf("file %d: %+v", i, file)
			}
		}
	})
}
