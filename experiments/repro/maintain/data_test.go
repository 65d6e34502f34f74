package maintain

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"contextmover/experiments/harness/dataset"
	"contextmover/internal/printable"
)

// The page about the data counts what the catalogue has, and leaves no folder out.
func TestDataPageCountsFiles(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "report", "data.md"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := dataset.Choose()
	if err != nil {
		t.Fatal(err)
	}
	counted := 0
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]*)` \\|.*\\| ([0-9,]+) \\| ([^|]*) \\|$").FindAllStringSubmatch(string(page), -1) {
		files, err := dataset.Choose(row[1])
		if err != nil {
			t.Fatal(err)
		}
		bytes := int64(0)
		for _, f := range files {
			bytes += f.Bytes
		}
		counted += len(files)
		if n, err := strconv.Atoi(strings.ReplaceAll(row[2], ",", "")); err != nil || n != len(files) || row[3] != printable.Bytes(bytes) {
			t.Errorf("%s: the page has %s files, %s; the catalogue %d, %s", row[1], row[2], row[3], len(files), printable.Bytes(bytes))
		}
	}
	if counted != len(all) {
		t.Errorf("the page counts %d files of %d", counted, len(all))
	}
}
