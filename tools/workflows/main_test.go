package main

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
)

const root = "../.."

// targets returns the targets of make that a text names, matched by the pattern's first group.
func targets(t *testing.T, name, pattern string) (found []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
		found = append(found, m[1])
	}
	if len(found) < 10 {
		t.Fatalf("%s: %d targets: this is not all", name, len(found))
	}
	return found
}

// workflows returns the texts of all workflows, by path.
func workflows(t *testing.T) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, ".github", "workflows", "*"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("workflows %v, %v", paths, err)
	}
	texts := map[string][]byte{}
	for _, path := range paths {
		if texts[path], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

// Each step of the workflows is one target of make that there is; ci.yml runs those of .ci/run and no other.
// modules only fetches before what the others fetch themselves.
func TestSteps(t *testing.T) {
	exist := targets(t, "Makefile", `(?m)^([a-z0-9-]+):`)
	ci := slices.DeleteFunc(targets(t, ".ci/run", `(?m)^make (.*)$`), func(s string) bool { return s == "modules" })
	slices.Sort(ci)
	for path, text := range workflows(t) {
		commands, err := steps(text)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		var called []string
		for _, c := range commands {
			target, ok := strings.CutPrefix(c, "make ")
			if !ok || !slices.Contains(exist, target) {
				t.Errorf("%s: %q is no target of make", path, c)
			}
			called = append(called, target)
		}
		if slices.Sort(called); filepath.Base(path) == "ci.yml" && !slices.Equal(called, ci) {
			t.Errorf("%s calls %v, .ci/run %v", path, called, ci)
		}
	}
}

// Actions are pinned by commit, since a tag may move.
func TestPinned(t *testing.T) {
	uses := regexp.MustCompile(`uses: *(\S+)`)
	commit := regexp.MustCompile(`^[\w-]+/[\w-]+@[0-9a-f]{40}$`)
	for name, text := range workflows(t) {
		for _, m := range uses.FindAllSubmatch(text, -1) {
			if !commit.Match(m[1]) {
				t.Errorf("%s: %s is not pinned by commit", name, m[1])
			}
		}
	}
}

func TestActionlint(t *testing.T) {
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	problems, err := linter.LintFiles(slices.Collect(maps.Keys(workflows(t))), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
}

func TestExpand(t *testing.T) {
	const head = "on: push\njobs:\n  j:\n    runs-on: x\n" +
		"    strategy:\n      matrix:\n        a: [p, q]\n    steps:\n      - run: "
	for step, want := range map[string]string{
		"make t":                        "make t",
		"make ${{ matrix.a }}":          "make p, make q",
		"make ${{ matrix.b }}":          "",
		"make ${{ github.event.name }}": "",
	} {
		got, err := steps([]byte(head + step + "\n"))
		if strings.Join(got, ", ") != want || (err == nil) != (want != "") {
			t.Errorf("%s: %v, %v; expected %q", step, got, err, want)
		}
	}
}
