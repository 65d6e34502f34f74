package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"contextmover/cmdlib/npy"
	"contextmover/experiments/harness/miniworld"
)

// Every command of the README runs as it stands, in the order of the page, and
// prints the lines that are shown below it, with numbers to within two per cent, by which
// processors may differ. A line with an ellipsis stands for any number of lines. Everything
// that the page asks of make is a target of the Makefile.
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
	w := miniworld.Generate(miniworld.DefaultSeed, 60_000)
	if err := w.Write(filepath.Join(dir, "world")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "world", "corpus.txt"), filepath.Join(dir, "my.txt")); err != nil {
		t.Fatal(err)
	}
	// The arrays that the page's lines of NumPy save.
	for name, array := range map[string]struct {
		shape []int
		data  []float32
	}{
		"cost.npy": {[]int{3, 3}, []float32{0, 1, 2, 1, 0, 1, 2, 1, 0}},
		"a.npy":    {[]int{3}, []float32{.6, .3, .1}},
		"b.npy":    {[]int{2, 3}, []float32{.1, .2, .7, 0, 1, 0}},
	} {
		if err := npy.Write(filepath.Join(dir, name), array.shape, array.data); err != nil {
			t.Fatal(err)
		}
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
		printed, gap := strings.Split(stdout.String(), "\n"), false
		for line := range strings.SplitSeq(shown, "\n") {
			line, ok := strings.CutPrefix(line, "    ")
			if !ok {
				break
			}
			if line == "…" {
				gap = true
				continue
			}
			at := slices.IndexFunc(printed, func(p string) bool { return alike(line, p) })
			if at < 0 || at > 0 && !gap {
				t.Errorf("%s: the README shows %q, printed is\n%s", command, line, stdout.String())
				break
			}
			printed, gap = printed[at+1:], false
			checked++
		}
	}
	if commands < 8 || checked < 12 {
		t.Errorf("%d commands and %d lines of output found in the README, expected at least 8 and 12", commands, checked)
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
