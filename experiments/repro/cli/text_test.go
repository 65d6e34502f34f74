package cli

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"contextmover/experiments/harness/prepare"
)

// Of a prepared text the shards are read, and not what lies beside them; elsewhere files of these names are text.
func TestTextOfPreparedFolder(t *testing.T) {
	dir := t.TempDir()
	raw, out := filepath.Join(dir, "raw"), filepath.Join(dir, "out")
	if err := os.Mkdir(raw, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.txt", "index.tsv", "corpus.json"} {
		if err := os.WriteFile(filepath.Join(raw, name), []byte("The text is about lions and gazelles and the hunt for them.\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text, err := Text([]string{raw})
	if err != nil || len(text.Files) != 3 {
		t.Errorf("%q, %v, expected three files", text.Files, err)
	}
	sources := []prepare.Source{{Kind: prepare.Text, Paths: []string{filepath.Join(raw, "a.txt")}}}
	if _, err := prepare.Run(t.Context(), out, prepare.Options{Sources: sources}); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(out); err != nil || len(entries) < 4 {
		t.Fatalf("%v, %v, expected a shard and three files beside it", entries, err)
	}
	text, err = Text([]string{out})
	if shard := filepath.Join(out, prepare.ShardName(prepare.Text, 0)); err != nil || !slices.Equal(text.Files, []string{shard}) {
		t.Errorf("%q, %v, expected %s alone", text.Files, err, shard)
	}
}

// Of a folder, pictures are left out and text of any kind is not; what is named is read whatever it is.
func TestOnlyTextOfFolders(t *testing.T) {
	dir := t.TempDir()
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write([]byte("compressed text\n")); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"a.txt": "text\n", "empty": "", "latin1": "caf\xe9\n", "packed.gz": zipped.String(),
		"picture.png": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "paper.pdf": "%PDF-1.4\n", "wide": "\xff\xfea\x00",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	files, err := TextFiles([]string{dir})
	var names []string
	for _, path := range files {
		names = append(names, filepath.Base(path))
	}
	if want := []string{"a.txt", "empty", "latin1", "packed.gz", "wide"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("%q, %v, expected %q", names, err, want)
	}
	picture := filepath.Join(dir, "picture.png")
	if files, err := TextFiles([]string{picture}); err != nil || !slices.Equal(files, []string{picture}) {
		t.Errorf("%q, %v", files, err)
	}
}
