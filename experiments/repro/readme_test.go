package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The README shows what the commands of "Ask a space" print: each line shown is printed,
// numbers to two per cent, which other processors may differ by.
func TestReadmeShowsWhatIsPrinted(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Ask a space\n")
	section, _, _ = strings.Cut(section, "\n## ")
	t.Chdir(t.TempDir())
	checked := 0
	for part := range strings.SplitSeq(section, "    $ bin/repro ") {
		command, shown, _ := strings.Cut(part, "\n")
		var want []string
		for line := range strings.SplitSeq(shown, "\n") {
			if line, ok := strings.CutPrefix(line, "    "); ok && line != "…" {
				want = append(want, line)
			}
		}
		if len(want) == 0 || strings.HasPrefix(part, "\n") {
			continue
		}
		args := strings.Split(command, " ")
		if verb, quoted, ok := strings.Cut(command, ` "`); ok {
			args = []string{verb, strings.TrimSuffix(quoted, `"`)}
		}
		var stdout bytes.Buffer
		if code := run(args, &stdout, os.Stderr); code != 0 {
			t.Fatalf("%s: exit code %d", command, code)
		}
		printed := strings.Split(stdout.String(), "\n")
		for i, line := range want {
			if i >= len(printed) || !alike(line, printed[i]) {
				t.Errorf("%s: the README shows %q, printed is\n%s", command, line, stdout.String())
				break
			}
			checked++
		}
	}
	if checked < 5 {
		t.Errorf("%d lines of output found in the README, expected at least 5", checked)
	}
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
