package prepare

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contextmover/internal/shards"
)

// What Run writes is read: each document of a shard begins and ends where its lines do.
func TestDocuments(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.txt": "The first text is about lions and gazelles. It has two sentences of its own.\n",
		"b.txt": "The second text is about violins and concerts.\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(t.TempDir(), "out")
	if _, err := Run(t.Context(), out, Options{Sources: []Source{{Kind: Text, Paths: []string{filepath.Join(dir, "a.txt"), filepath.Join(dir, "b.txt")}}}}); err != nil {
		t.Fatal(err)
	}
	shard := filepath.Join(out, ShardName(Text, 0))
	all, err := shards.Documents([]string{shard, filepath.Join(dir, "a.txt")})
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	got, next := all[shard], int64(1)
	for _, d := range got {
		if d.FirstLine != next {
			t.Errorf("%q begins in line %d, expected %d", d.Title, d.FirstLine, next)
		}
		next += d.Lines
	}
	titles := []string{got[0].Title, got[1].Title}
	if slices.Sort(titles); len(got) != 2 || next != 4 || !slices.Equal(titles, []string{"a.txt", "b.txt"}) {
		t.Errorf("%+v, then line %d", got, next)
	}
}

// FuzzDocuments reads an index: documents are in order and apart, or there is an error.
func FuzzDocuments(f *testing.F) {
	f.Add("x\t1\t2\t9\ta\t\t\t\nx\t3\t1\t9\tb\t\t\t\n")
	f.Add("x\t1\t2\t9\ta\t\t\t\nx\t2\t1\t9\tb\t\t\t\n")
	f.Add("x\t-1\t99999999999999999999\t9\ta\t\t\t\n")
	f.Fuzz(func(t *testing.T, lines string) {
		dir := t.TempDir()
		index := shards.IndexHeader + "\n" + lines
		write(t, filepath.Join(dir, indexName), index)
		shard := filepath.Join(dir, "x")
		all, err := shards.Documents([]string{shard})
		if err != nil {
			if !strings.Contains(err.Error(), indexName) {
				t.Errorf("%v does not name the file", err)
			}
			return
		}
		next := int64(1)
		for _, d := range all[shard] {
			if d.FirstLine < next || d.Lines < 1 {
				t.Fatalf("%+v behind line %d", d, next-1)
			}
			next = d.FirstLine + d.Lines
		}
	})
}

// A title cannot write to the terminal that shows it, nor make columns or lines, and is found as it was written.
func TestTitlesAreEscaped(t *testing.T) {
	dir := t.TempDir()
	lines := filepath.Join(dir, "a.jsonl")
	const line = `{"title": "A\u001b[31m \u0000\tB\nC\u202e", "author": "\u0007", "text": "It was there."}` + "\n"
	write(t, lines, line+strings.Replace(line, "It was there.", "", 1))
	out := filepath.Join(dir, "out")
	if _, err := Run(t.Context(), out, Options{Sources: []Source{{Kind: JSON, Paths: []string{lines}}}}); err != nil {
		t.Fatal(err)
	}
	const title = `A\x1b[31m \x00 B C\u202e`
	for name, want := range map[string]string{indexName: "\t" + title + "\t\\a\t", leftOutName: "\t" + title + "\t"} {
		got := folder(t, out)[name]
		if strings.ContainsAny(got, "\x1b\x00\x07\u202e") || !strings.Contains(got, want) {
			t.Errorf("%s has %q, want %q", name, got, want)
		}
	}
	shard := filepath.Join(out, ShardName(JSON, 0))
	if all, err := shards.Documents([]string{shard}); err != nil || len(all[shard]) != 1 || all[shard][0].Title != title {
		t.Errorf("%+v, %v", all, err)
	}
}

// What is in a folder of text and no text is an error that names it, as is a pipe that is named itself.
func TestFoldersOfText(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.txt"), "It was there. It went away again.\n")
	lost := filepath.Join(dir, "lost.txt")
	if err := os.Symlink("nothing", lost); err != nil {
		t.Skip(err)
	}
	for _, path := range []string{dir, os.DevNull} {
		o := Options{Sources: []Source{{Kind: Text, Paths: []string{path}}}}
		_, err := Run(t.Context(), filepath.Join(t.TempDir(), "out"), o)
		if err == nil || path == dir && !strings.Contains(err.Error(), "devices and the like): "+lost) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
