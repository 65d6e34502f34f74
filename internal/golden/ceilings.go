package golden

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"contextmover/internal/disk"
)

// Updating reports whether the tests run with -update, which writes golden files instead of comparing with them.
func Updating() bool { return *update }

// Ceilings fails the test if a measured size is above its ceiling. Each line of the file at path has a name, the
// ceiling and the value that the ceiling is to come down to, separated by tabs; lines whose name is not measured are
// left to other tests. With -update, every ceiling above its size is lowered to it, and none is ever raised.
func Ceilings(t *testing.T, path string, measured map[string]int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	left := maps.Clone(measured)
	for i, line := range lines {
		fields := strings.Split(line, "\t")
		if len(fields) != 3 {
			t.Fatalf("%s:%d: %d fields, expected a name, a ceiling and an aim", path, i+1, len(fields))
		}
		name := fields[0]
		ceiling, err := strconv.Atoi(fields[1])
		if err != nil {
			t.Fatalf("%s:%d: the ceiling %q is not a number", path, i+1, fields[1])
		}
		size, ok := measured[name]
		if !ok {
			continue
		}
		delete(left, name)

		t.Logf("%-34s %7d, ceiling %7d, aim %7s", name, size, ceiling, fields[2])
		if size > ceiling {
			t.Errorf("%s: %d, expected at most %d: remove as much as was added", name, size, ceiling)
		}
		lines[i] = fmt.Sprintf("%s\t%d\t%s", name, min(size, ceiling), fields[2])
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		t.Errorf("%s has no ceiling for %s", path, name)
	}

	if *update {
		if err := disk.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n")); err != nil {
			t.Fatal(err)
		}
	}
}
