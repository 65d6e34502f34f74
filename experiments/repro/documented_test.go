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

// Every command that a page shows is one that the program understands. Files that a command names need not be there.
func TestDocumentedCommands(t *testing.T) {
	var pages []string
	for _, pattern := range []string{"README.md", "ARTIFACT.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md", "docs/*/*.md", "docs/*/*/*.md",
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
			command, err := newParser(new(commands), io.Discard, io.Discard, func(int) { exited = true }).Parse(args)
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
