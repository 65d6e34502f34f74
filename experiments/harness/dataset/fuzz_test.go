package dataset

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzFileList: whatever a list says, files stay within its folder.
func FuzzFileList(f *testing.F) {
	f.Add(strings.Repeat("0", 64) + "\t12\tclusters_3/centroids.npy\n")
	f.Add(strings.Repeat("0", 64) + "\t-1\t../vocab.txt\n")
	f.Fuzz(func(t *testing.T, text string) {
		files, err := newLines("files.tsv", strings.NewReader(text)).files(2, 0)
		if err != nil && !errors.Is(err, ErrData) {
			t.Errorf("error without a line: %v", err)
		}
		for _, file := range files {
			if !filepath.IsLocal(file.Path) || file.Bytes < 0 {
				t.Errorf("%q: %+v", text, file)
			}
		}
	})
}
