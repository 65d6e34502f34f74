package store

import (
	"os"
	"path/filepath"
	"testing"
)

// Only what the store itself would write is taken for a description of an artefact.
func FuzzMeta(f *testing.F) {
	id := Stage{Name: "vectors", Version: 2, Inputs: []Key{"ab"}, Params: map[string]any{"dim": 3, "rate": 0.05}}.identity()
	text, err := encode(meta{Key: id.key(), identity: id, Files: []File{{"a.npy", 3, "00"}}}, "  ")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"key":"ab"}`))
	f.Add([]byte("null"))
	f.Add([]byte("{}"))
	dir := f.TempDir()
	if err := os.WriteFile(filepath.Join(dir, metaName), text, 0o666); err != nil {
		f.Fatal(err)
	}
	if _, err := readMeta(dir); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, metaName), text, 0o666); err != nil {
			t.Fatal(err)
		}
		m, err := readMeta(dir)
		if err != nil {
			return
		}
		if m.identity.key() != m.Key {
			t.Fatalf("the key %q of %+v", m.Key, m)
		}
		again, err := encode(m, "  ")
		if err != nil || string(again) != string(text) {
			t.Fatalf("%q was written %q (%v)", text, again, err)
		}
	})
}
