package cli

import (
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
