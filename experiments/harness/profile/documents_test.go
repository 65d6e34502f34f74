package profile

import (
	"strings"
	"testing"
)

// A collection among the files of a set stands for its members, of which none is named twice.
func TestPathsOfDocuments(t *testing.T) {
	for _, s := range load(t, "documents").Documents.Sets {
		paths := map[string]bool{}
		for _, path := range s.Paths() {
			if strings.HasSuffix(path, "/") || paths[path] {
				t.Errorf("%s: %s is no file, or stands twice", s.Name, path)
			}
			paths[path] = true
		}
		want := len(s.Files)
		if s.Name == "20news" {
			want = s.Most
		}
		if len(paths) != want {
			t.Errorf("%s: %d files, want %d", s.Name, len(paths), want)
		}
	}
	if got := (DocumentSet{Files: []string{"own.txt"}}).Paths(); len(got) != 1 || got[0] != "own.txt" {
		t.Errorf("%v", got)
	}
	_, err := Load("documents", []string{"documents.sets.20news.files=['documents/20news/dev/']"})
	if want := `"documents/20news/dev/", expected a file, or a collection`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want an error with %q", err, want)
	}
}
