package dataset

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// tree returns the files below a folder and their contents.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Files are known by their contents, whatever the layout.
func TestCopyFromAnyLayout(t *testing.T) {
	contents := known(t)
	all, err := Choose()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		from    map[string]string // their names there, by those here
		want    []string
		lacking []string
	}{
		{
			"ours", map[string]string{"sts/STS.input.X.txt": "sts/STS.input.X.txt", "sts/STS.gs.X.txt": "sts/STS.gs.X.txt", "words/w.txt": "words/w.txt"},
			[]string{"sts/STS.gs.X.txt", "sts/STS.input.X.txt", "words/w.txt"}, []string{"corpora/wiki/AA/1", "corpora/wiki/AA/2", "lex/lex.zip"},
		},
		{
			"SentEval's", map[string]string{"sts/STS.input.X.txt": "downstream/STS/STS12-en-test/STS.input.X.txt", "sts/STS.gs.X.txt": "downstream/STS/STS12-en-test/STS.gs.X.txt"},
			[]string{"sts/STS.gs.X.txt", "sts/STS.input.X.txt"}, []string{"corpora/wiki/AA/1", "corpora/wiki/AA/2", "lex/lex.zip", "words/w.txt"},
		},
		{
			"everything", maps.Collect(func(yield func(string, string) bool) {
				for path := range contents {
					yield(path, "deep/down/"+path)
				}
			}),
			[]string{"corpora/wiki/AA/1", "corpora/wiki/AA/2", "lex/lex.zip", "sts/STS.gs.X.txt", "sts/STS.input.X.txt", "words/w.txt"}, nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			from, dir := t.TempDir(), filepath.Join(t.TempDir(), "new")
			for path, name := range c.from {
				write(t, from, name, contents[path])
			}
			got, lacking, err := (&Fetcher{Dir: dir}).Copy(t.Context(), from, all)
			if err != nil || got != len(c.want) {
				t.Errorf("%d files, %v, want %d", got, err, len(c.want))
			}
			var names []string
			for _, f := range lacking {
				names = append(names, f.Path)
			}
			there := tree(t, dir)
			if paths := slices.Sorted(maps.Keys(there)); !slices.Equal(paths, c.want) || !slices.Equal(names, c.lacking) {
				t.Errorf("there are %v, lacking %v; want %v, %v", paths, names, c.want, c.lacking)
			}
			for path, text := range there {
				if text != contents[path] {
					t.Errorf("%s: %q, want %q", path, text, contents[path])
				}
			}
			if got, _, err := (&Fetcher{Dir: dir}).Copy(t.Context(), from, all); got != 0 || err != nil {
				t.Errorf("%d files come again, %v", got, err)
			}
		})
	}
}

// A folder behind a link is read as well.
func TestCopyThroughLink(t *testing.T) {
	contents := known(t)
	all, err := Choose("words/w.txt")
	if err != nil {
		t.Fatal(err)
	}
	elsewhere, from, dir := t.TempDir(), filepath.Join(t.TempDir(), "link"), filepath.Join(t.TempDir(), "new")
	write(t, elsewhere, "w.txt", contents["words/w.txt"])
	if err := os.Symlink(elsewhere, from); err != nil {
		t.Skip("no links here: ", err)
	}
	got, lacking, err := (&Fetcher{Dir: dir}).Copy(t.Context(), from, all)
	if there := tree(t, dir); got != 1 || len(lacking) != 0 || err != nil || there["words/w.txt"] != contents["words/w.txt"] {
		t.Errorf("%d files, lacking %v, %v: %q", got, lacking, err, there)
	}
}

func TestCopy(t *testing.T) {
	contents := known(t)
	from, dir := t.TempDir(), t.TempDir()
	f := &Fetcher{Dir: dir}
	words, _ := Lookup("words/w.txt")
	copying := func(ctx context.Context) (int, []File, error) { return f.Copy(ctx, from, []File{words}) }
	if got, lacking, err := copying(t.Context()); got != 0 || len(lacking) != 1 || err != nil {
		t.Errorf("%d files of an empty folder, lacking %v, %v", got, lacking, err)
	}
	write(t, from, "words/w.txt", "x y 2\n")
	if got, lacking, err := copying(t.Context()); got != 0 || err != nil || len(lacking) != 1 {
		t.Errorf("%d files of another version, lacking %v, %v", got, lacking, err)
	}
	write(t, from, "elsewhere", contents["words/w.txt"])
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := copying(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want canceled", err)
	}
	if files := tree(t, dir); len(files) > 0 {
		t.Errorf("there is %v", files)
	}
	// What is damaged is replaced.
	write(t, dir, "words/w.txt", "x y 3\n")
	if got, _, err := copying(t.Context()); got != 1 || err != nil {
		t.Errorf("%d files, %v", got, err)
	}
	if files := tree(t, dir); len(files) != 1 || files["words/w.txt"] != contents["words/w.txt"] {
		t.Errorf("there is %v", files)
	}
	if _, _, err := f.Copy(t.Context(), filepath.Join(from, "absent"), []File{words}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v of a folder that is not there", err)
	}
}
