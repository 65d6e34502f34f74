package imports

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"contextmover/internal/golden"
)

// TestBudgets holds the size of the project to the ceilings of testdata/budgets.tsv. A ceiling may only be lowered:
// with -update, each becomes what is measured where that is less. Commands and their flags are counted by
// TestCommandBudgets of experiments/repro, where the command line is known.
func TestBudgets(t *testing.T) {
	measured := tokens(t)
	measured["exported names in cmdlib"] = len(exportedNames(t))
	measured["folders in experiments"] = folders(t, "experiments")
	measured["make targets"] = len(regexp.MustCompile(`(?m)^[a-z][a-z0-9-]*:`).FindAll(read(t, "Makefile"), -1))

	for _, path := range tracked(t) {
		switch {
		case strings.HasPrefix(path, "tables/"):
			measured["files in tables"]++
		case strings.HasSuffix(path, ".md") && !strings.Contains(path, "testdata"):
			measured["words of Markdown"] += len(strings.Fields(string(read(t, path))))
		case strings.Contains(path, "/profile/") && strings.HasSuffix(path, ".toml"):
			measured["lines of profiles"] += strings.Count(string(read(t, path)), "\n")
		}
	}

	// The tests are to remain at least six tenths of the code that they test.
	tests := measured[testTokens]
	delete(measured, testTokens)
	if code := measured["tokens of Go"]; 10*tests < 6*code {
		t.Errorf("%d tokens of tests for %d of code: at least 0.6 of them were expected", tests, code)
	}

	golden.Ceilings(t, filepath.Join("testdata", "budgets.tsv"), measured)
}

const testTokens = "tokens of tests"

// tokens counts the tokens of Go, without comments and line ends, and the lines of assembly.
func tokens(t *testing.T) map[string]int {
	t.Helper()
	n := map[string]int{"tokens of cmdlib": 0, "tokens of cmdlib and experiments": 0, "tokens of Go": 0, "lines of assembly": 0}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains([]string{".git", "bin", "testdata"}, entry.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		path, err = filepath.Rel(root, path)
		if err != nil {
			return err
		}
		path = filepath.ToSlash(path)
		switch {
		case strings.HasSuffix(path, ".s"):
			n["lines of assembly"] += strings.Count(string(text), "\n")
		case strings.HasSuffix(path, "_test.go"):
			n[testTokens] += count(text)
		case strings.HasSuffix(path, ".go"):
			k := count(text)
			n["tokens of Go"] += k
			if in(path, "cmdlib") {
				n["tokens of cmdlib"] += k
			}
			if in(path, "cmdlib") || in(path, "experiments") {
				n["tokens of cmdlib and experiments"] += k
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func count(text []byte) (n int) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, 0)
	for {
		_, tok, literal := s.Scan()
		switch {
		case tok == token.EOF:
			return n
		case tok != token.SEMICOLON || literal != "\n":
			n++
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func folders(t *testing.T, path string) (n int) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.IsDir() {
			n++
		}
	}
	return n
}

// tracked returns the files that are part of the project, and skips the test where no repository tells which they are.
func tracked(t *testing.T) []string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-z")
	cmd.Dir = root
	text, err := cmd.Output()
	if err != nil {
		t.Skip("this is no checkout of a repository: which files are generated is not known")
	}
	return slices.DeleteFunc(strings.Split(string(text), "\x00"), func(path string) bool {
		_, err := os.Stat(filepath.Join(root, path))
		return path == "" || err != nil
	})
}
