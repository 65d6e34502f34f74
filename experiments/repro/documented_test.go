package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// documented finds a command in a page or a notebook: a line of a block of code, or code within a line.
var documented = regexp.MustCompile("(?m)(?:^[ \\t\"!%]*(?:\\$ )?(?:bin/)?repro ([a-z][^#\\n]*)|`(?:bin/)?repro ([a-z][^`\\n]*)`)")

// placeholder is a word that stands for another one.
var placeholder = regexp.MustCompile(`…|\||\{|'|\\|\b[A-Z]{2,}\b|[A-Z]/[a-z]|\$`)

// Every command that a page shows is one that the program understands. Files that a command names need not be there, but for
// those behind --in, which the test makes.
func TestDocumentedCommands(t *testing.T) {
	var pages []string
	for _, pattern := range []string{"README.md", "ARTIFACT.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md", "docs/decisions/*.md",
		"cmdlib/*/README.md", "notebooks/*.ipynb"} {
		found, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	texts := map[string]string{}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(page)] = string(text)
	}
	t.Chdir(t.TempDir())
	for _, folder := range []string{"books", "more", "index"} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"notes.txt", "wiki.txt", "my.txt"} {
		if err := os.WriteFile(file, []byte("a text\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tried := 0
	for page, text := range texts {
		for _, m := range documented.FindAllStringSubmatch(text, -1) {
			line := strings.TrimSpace(m[1] + m[2])
			args := words(line)
			if placeholder.MatchString(line) || len(args) < 2 && m[2] != "" {
				continue // the name of a command, a shell's doing, or a form to be filled in
			}
			tried++
			exited := false
			command, err := newParser(new(commands), io.Discard, io.Discard, func(int) { exited = true }).Parse(severalIn(args))
			if err == nil && !exited {
				err = notEmpty(command)
			}
			// Within a line a command may be named without all that it needs.
			if err != nil && (m[2] == "" || strings.Contains(err.Error(), "unknown flag") || strings.Contains(err.Error(), "unexpected argument")) {
				t.Errorf("%s: repro %s: %v", page, line, err)
			}
		}
	}
	if tried < 60 {
		t.Errorf("%d commands were found, expected at least 60", tried)
	}
}

func TestSeveralIn(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"a.txt", "b.txt"} {
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for given, want := range map[string]string{
		"search query --in a.txt b.txt":           "search query --in a.txt --in b.txt",
		"search --in=a.txt b.txt query -n 3":      "search --in=a.txt --in b.txt query -n 3",
		"neighbours --in a.txt elephant":          "neighbours --in a.txt elephant",
		"neighbours b.txt --in none a.txt":        "neighbours b.txt --in none --in a.txt",
		"index --in a.txt --out b.txt":            "index --in a.txt --out b.txt",
		"neighbours --in a.txt -- b.txt elephant": "neighbours --in a.txt -- b.txt elephant",
	} {
		if got := strings.Join(severalIn(strings.Fields(given)), " "); got != want {
			t.Errorf("%s: %s, want %s", given, got, want)
		}
	}
}
