package printable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestMessage(t *testing.T) {
	for _, test := range [][2]string{
		{"cmdlib: space: is no folder", "space: is no folder"},
		{"my.txt: corpus: line 3: expected two columns", "my.txt: line 3: expected two columns"},
		{"cmdlib: ot: λ is 0", "λ is 0"},
		{"glove: window 0", "glove: window 0"},
		{"a.txt:3: ot: λ is 0\nsearch: nothing in it", "a.txt:3: λ is 0\nnothing in it"},
		{"robot: out of order", "robot: out of order"},
		{`"search: me" is unknown`, `"search: me" is unknown`},
	} {
		if got := Message(errors.New(test[0])); got != test[1] {
			t.Errorf("%q became %q, expected %q", test[0], got, test[1])
		}
	}
	if err := fmt.Errorf("store: %w", fs.ErrNotExist); Message(err) != "file does not exist" {
		t.Errorf("a wrapped error became %q", Message(err))
	}
}

// A package whose errors begin with its name is in the list, or names what a person asked for.
func TestInternalsAreAll(t *testing.T) {
	asked := []string{
		"cuda", "dive", "entailment", "explore", "gaussian", "glove", "poincare", "sent2vec", "sppmi", "svd",
	}
	prefix := regexp.MustCompile(`(?:Errorf|errors\.New)\("([a-z0-9]+): `)
	found := map[string]bool{}
	for _, room := range []string{"cmdlib", "experiments", "internal/scratch"} {
		err := filepath.WalkDir(filepath.Join("..", "..", room), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			folder := filepath.Base(filepath.Dir(path))
			for _, m := range prefix.FindAllStringSubmatch(string(text), -1) {
				if name := m[1]; strings.Contains(string(text), "package "+name) || name == folder {
					found[name] = true
					if !slices.Contains(internals, name) && !slices.Contains(asked, name) {
						t.Errorf("%s: errors begin with %q, which is not in internals", path, name)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range internals {
		if !found[name] {
			t.Errorf("no error begins with %q: take it from internals", name)
		}
	}
}
