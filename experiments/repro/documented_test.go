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
			_, err := newParser(new(commands), io.Discard, io.Discard, func(int) { exited = true }).Parse(args)
			// Within a line a command may be named without all that it needs.
			if err != nil && !exited && (m[2] == "" || strings.Contains(err.Error(), "unknown flag") || strings.Contains(err.Error(), "unexpected argument")) {
				t.Errorf("%s: repro %s: %v", page, line, err)
			}
		}
	}
	if tried < 60 {
		t.Errorf("%d commands were found, expected at least 60", tried)
	}
}

// Help begins with two examples of the command, which the program understands, and ends with the flags that commands
// share.
func TestHelpBeginsWithExamples(t *testing.T) {
	leaves := newParser(new(commands), io.Discard, io.Discard, func(int) {}).Model.Leaves(true)
	if len(examples) != len(leaves) {
		t.Errorf("examples of %d commands, expected those of %d", len(examples), len(leaves))
	}
	for _, leaf := range leaves {
		name := strings.TrimPrefix(manName(leaf), "repro-")
		for _, example := range examples[name] {
			args := words(strings.ReplaceAll(example, "'", "\""))
			command, err := newParser(new(commands), io.Discard, io.Discard, func(int) {}).Parse(args)
			if err != nil {
				t.Errorf("%q: %v", example, err)
			} else if command.Selected().Path() != leaf.Path() {
				t.Errorf("%q is an example of %s", example, name)
			}
		}
		var help strings.Builder
		parser := newParser(new(commands), &help, io.Discard, func(int) {})
		_, _ = parser.Parse(append(strings.Fields(strings.TrimPrefix(leaf.Path(), "repro ")), "--help"))
		before, after, _ := strings.Cut(help.String(), "\n\nExamples:\n\n    $ repro ")
		if strings.Count(before, "\n\n") != 1 || strings.Count(after, "    $ repro ") != 1 {
			t.Errorf("%s: expected two examples at the beginning of\n%s", name, help.String())
		}
		flags := regexp.MustCompile(`(?m)^[A-Z][a-z ]*lags:$`).FindAllString(help.String(), -1)
		if len(flags) == 0 || flags[len(flags)-1] != "Common flags:" {
			t.Errorf("%s: headings %q, expected the last to be Common flags:", name, flags)
		}
	}
}
