package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"contextmover/experiments/miniworld"
)

// Every command of the README runs as it stands, in the order of the page, and
// prints the lines that are shown below it, numbers to two per cent, which other
// processors may differ by. What make is told to do is a target of the Makefile.
func TestReadmeCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: builds a space")
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	makefile, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^    make ([a-z-]+)`).FindAllSubmatch(text, -1) {
		if !regexp.MustCompile(`(?m)^` + string(m[1]) + `:`).Match(makefile) {
			t.Errorf("make %s: the Makefile has no such target", m[1])
		}
	}
	dir := t.TempDir()
	w, err := miniworld.Generate(miniworld.DefaultSeed, 60_000)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(filepath.Join(dir, "world")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "world", "corpus.txt"), filepath.Join(dir, "my.txt")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	t.Setenv("CONTEXTMOVER_STORE", filepath.Join(dir, "store"))
	commands, checked := 0, 0
	for part := range strings.SplitSeq(string(text), "    $ bin/repro ") {
		command, shown, found := strings.Cut(part, "\n")
		if commands++; commands == 1 || !found {
			continue // what is before the first
		}
		args := words(command)
		if args[0] == "explore" {
			continue // serves until it is stopped: TestExplore
		}
		var stdout bytes.Buffer
		if code := run(args, &stdout, os.Stderr); code != 0 {
			t.Errorf("%s: exit code %d", command, code)
			continue
		}
		printed := strings.Split(stdout.String(), "\n")
		for i, line := range strings.Split(shown, "\n") {
			line, ok := strings.CutPrefix(line, "    ")
			if !ok || line == "…" {
				break
			}
			if i >= len(printed) || !alike(line, printed[i]) {
				t.Errorf("%s: the README shows %q, printed is\n%s", command, line, stdout.String())
				break
			}
			checked++
		}
	}
	if commands < 8 || checked < 5 {
		t.Errorf("%d commands and %d lines of output found in the README, expected at least 8 and 5", commands, checked)
	}
}

// words splits a command as a shell does that knows double quotes and comments alone.
func words(command string) (all []string) {
	for _, m := range regexp.MustCompile(`"([^"]*)"|#.*|[^\s"#]+`).FindAllStringSubmatch(command, -1) {
		switch {
		case strings.HasPrefix(m[0], "#"):
		case m[1] != "":
			all = append(all, m[1])
		default:
			all = append(all, m[0])
		}
	}
	return all
}

func alike(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		p, errP := strconv.ParseFloat(x[i], 64)
		q, errQ := strconv.ParseFloat(y[i], 64)
		if errP == nil && errQ == nil {
			if p > 1.02*q || q > 1.02*p {
				return false
			}
		} else if x[i] != y[i] {
			return false
		}
	}
	return true
}
