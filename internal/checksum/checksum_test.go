package checksum

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The digests of NIST's examples (FIPS 180-2, appendix B): nothing, "abc", and a million
// times "a", which takes several reads.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for content, want := range map[string]string{
		"":                             "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"abc":                          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		strings.Repeat("a", 1_000_000): "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
	} {
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		if got, err := File(t.Context(), path); err != nil || got != want {
			t.Errorf("%d bytes: %s, %v, want %s", len(content), got, err, want)
		}
	}
	if _, err := File(t.Context(), path+"x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := File(ended, path); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
}
