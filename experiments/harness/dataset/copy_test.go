package dataset

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
			"prepared", map[string]string{"sts/X.tsv": "sts/X.tsv", "lex/all.txt": "deep/down/renamed", "corpora/text.zst": "corpora/text.zst"},
			[]string{"corpora/text.zst", "lex/all.txt", "sts/X.tsv"}, []string{"words/w.txt"},
		},
		{
			// A set need not come twice; prepared training text is read and cannot be made here.
			"both forms", maps.Collect(func(yield func(string, string) bool) {
				for path := range contents {
					yield(path, path)
				}
			}),
			[]string{"corpora/text.zst", "corpora/wiki/AA/1", "corpora/wiki/AA/2", "lex/lex.zip", "sts/STS.gs.X.txt", "sts/STS.input.X.txt", "words/w.txt"}, nil,
		},
		{
			// Of a set that is there in half its form comes the whole other one.
			"a half", map[string]string{"sts/STS.input.X.txt": "a", "sts/X.tsv": "b"},
			[]string{"sts/STS.input.X.txt", "sts/X.tsv"}, []string{"corpora/wiki/AA/1", "corpora/wiki/AA/2", "lex/lex.zip", "words/w.txt"},
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

// What lies in a folder behind a link is found, also where links go round in a circle.
func TestCopyThroughLinks(t *testing.T) {
	contents := known(t)
	all, err := Choose("words/w.txt")
	if err != nil {
		t.Fatal(err)
	}
	from, elsewhere, dir := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "new")
	write(t, elsewhere, "w.txt", contents["words/w.txt"])
	for name, target := range map[string]string{filepath.Join(from, "words"): elsewhere, filepath.Join(elsewhere, "back"): from} {
		if err := os.Symlink(target, name); err != nil {
			t.Skip("no links here: ", err)
		}
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
	other := write(t, from, "words/w.txt", "x y 2\n")
	if _, lacking, err := copying(t.Context()); !errors.Is(err, ErrData) || !strings.Contains(err.Error(), other+" has not the SHA-256") || len(lacking) > 0 {
		t.Errorf("error %v of another version, lacking %v", err, lacking)
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

// SemEval's own sentences get the form that SentEval's script gives
// them. The texts show what the published files do to each of them.
func TestSentEval(t *testing.T) {
	for raw, want := range map[string]string{
		"It's \"Prince Charles\", isn't it?":       "it ' s \" prince charles \" , isn ' t it ?",
		"Ukraine Acts Against 'Provocation'":       "ukraine acts against ' provocation'",
		"Mr. Smith of St. Louis. No. 5, no. of v.": "mr. smith of st. louis . no . 5 , no. of v .",
		"U.S. Army in the U.S.":                    "u.s. army in the u.s .",
		"1,000 dogs,cats,3":                        "1,000 dogs , cats , 3",
		"Well... he said -- so…":                   "well ... he said -- so …",
		"the 1990's, 5' and o'clock":               "the 1990 ' s , 5 ' and o ' clock",
		"  two   blanks\u00a0and a\x01 control ":   "two blanks and a control",
		"in İstanbul: noqu̯ts":                     "in i ̇ stanbul : noqu ̯ ts",
		"she said 'no.'":                           "she said ' no . '",
	} {
		if got := sentEval(raw + "\tx\tnote\n"); got != want+"\tx\n" {
			t.Errorf("%q becomes %q, want %q", raw, got, want)
		}
	}
	if got := sentEval("one field\n"); got != "" {
		t.Errorf("%q", got)
	}
}

// An unpacked archive of SemEval has the scores as they are wanted, and sentences that become what is wanted.
func TestCopyFromArchiveOfSemEval(t *testing.T) {
	contents := known(t)
	list := catalogue()
	for i, f := range list {
		if f.Path == "sts/STS.input.X.txt" {
			list[i].Bytes, list[i].SHA256 = int64(len("it ' s a\tb .\nc\td\n")), sum("it ' s a\tb .\nc\td\n")
		}
	}
	catalogue = func() []File { return list }
	for _, name := range []string{"STS.input.X.txt", "STS2016.input.X.txt"} {
		from, dir := t.TempDir(), t.TempDir()
		write(t, from, "elsewhere/"+name, "not it\tat all\n")
		write(t, from, "test-gold/"+name, "It's a\tB.\tnote\nC\tD\tnote\n")
		write(t, from, "test-gold/STS.gs.X.txt", contents["sts/STS.gs.X.txt"])
		files, err := Choose("sts")
		if err != nil {
			t.Fatal(err)
		}
		if got, lacking, err := (&Fetcher{Dir: dir}).Copy(t.Context(), from, files); got != 2 || len(lacking) > 0 || err != nil {
			t.Errorf("%d files, lacking %v, %v", got, lacking, err)
		}
		if got := tree(t, dir)["sts/STS.input.X.txt"]; got != "it ' s a\tb .\nc\td\n" {
			t.Errorf("%q", got)
		}
	}
}

func FuzzSentEval(f *testing.F) {
	f.Add("It's a\tB...\tnote\nC,d\t'E.'\n")
	f.Fuzz(func(t *testing.T, text string) {
		got := sentEval(text)
		if n := strings.Count(got, "\n"); got != "" && (n != strings.Count(got, "\t") || n > strings.Count(text, "\n")+1) {
			t.Errorf("%q becomes %q", text, got)
		}
	})
}
