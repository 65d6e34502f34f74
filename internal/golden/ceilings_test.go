package golden

import (
	"os"
	"path/filepath"
	"testing"
)

// With -update a ceiling comes down to what is measured, and one that is exceeded stays.
func TestCeilingsAreOnlyLowered(t *testing.T) {
	path := filepath.Join(t.TempDir(), "budgets.tsv")
	if err := os.WriteFile(path, []byte("words\t100\t50\nlines\t10\t10\nelsewhere\t7\t7\n"), 0o666); err != nil {
		t.Fatal(err)
	}

	defer func(was bool) { *update = was }(*update)
	*update = true
	Ceilings(t, path, map[string]int{"words": 80, "lines": 10})

	got, err := os.ReadFile(path)
	if want := "words\t80\t50\nlines\t10\t10\nelsewhere\t7\t7\n"; err != nil || string(got) != want {
		t.Errorf("%q, %v, expected %q", got, err, want)
	}
}
