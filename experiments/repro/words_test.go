package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"contextmover/experiments/repro/cli"
	"contextmover/internal/printable"
)

// foreign are words that people have, hostile what a file may have instead of words.
var (
	foreign = []string{"müller", "café", "собака", "東京", "ω", "עברית", "عربي", "🦁"}
	hostile = map[string]string{"zzone": "\x1b[31mred", "zztwo": "\x1b]0;title\a", "zzthree": "a\u202eb", "zzfour": "\xffbad"}
)

// foreignSpace is a space of these words.
func foreignSpace(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	animals := slices.Concat(foreign, []string{"zzone", "zztwo", "zzthree", "zzfour"})
	does := []string{"forest", "meat", "night", "deer", "hunts", "eats", "roars"}
	tools := []string{"hammer", "saw", "axe", "nail", "chisel", "drill", "wood"}
	with := []string{"bench", "workshop", "cuts", "hits", "board", "bolt"}
	var text strings.Builder
	for range 1500 {
		for _, kind := range [][2][]string{{animals, does}, {tools, with}} {
			for range 3 {
				text.WriteString(kind[0][random.IntN(len(kind[0]))] + " " + kind[1][random.IntN(len(kind[1]))] + " ")
			}
			text.WriteString("\n")
		}
	}
	write(t, filepath.Join(dir, "text.txt"), text.String())
	space := filepath.Join(dir, "space")
	answer(t, 0, "build", "--text", filepath.Join(dir, "text.txt"), "--min-count", "5", "--dim", "4", "--clusters", "6", "--shift", "1", "--smoothing", "0.75", "--out", space)
	// Words that no text has may come with vectors or counts from elsewhere.
	from, err := zip.OpenReader(space)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	var to bytes.Buffer
	z := zip.NewWriter(&to)
	for _, member := range from.File {
		r, errR := member.Open()
		w, errW := z.CreateHeader(&zip.FileHeader{Name: member.Name, Method: zip.Store})
		if err := errors.Join(errR, errW); err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		for plain, word := range hostile {
			if member.Name == "vocab.txt" {
				content = bytes.ReplaceAll(content, []byte("\n"+plain+" "), []byte("\n"+word+" "))
			}
		}
		if _, errW := w.Write(content); errors.Join(err, errW) != nil {
			t.Fatal(err, errW)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, space, to.String())
	return space
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// answer runs repro in this process, expects the exit code, and returns what it wrote.
func answer(t *testing.T, code int, args ...string) (stdout, stderr string) {
	t.Helper()
	messages, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer messages.Close()
	var out bytes.Buffer
	got := run(args, &out, messages)
	text, err := os.ReadFile(messages.Name())
	if err != nil {
		t.Fatal(err)
	}
	if got != code {
		t.Fatalf("%q: exit code %d, want %d: %s", args, got, code, text)
	}
	return out.String(), string(text)
}

// fitToShow reports what of a text would act instead of being seen.
func fitToShow(t *testing.T, what, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(strings.ReplaceAll(line, "\t", " "), "\n"); printable.Text(line) != line {
			t.Errorf("%s: %q", what, line)
		}
	}
}

// Questions about words of any script have answers that a terminal can show and programs can read.
func TestAnyWords(t *testing.T) {
	space := foreignSpace(t)
	pairs := filepath.Join(t.TempDir(), "pairs.tsv")
	write(t, pairs, "müller hunts\t\x1b[31m東京 eats\nעברית\tعربي\u202e\n")
	seen := ""
	for _, word := range foreign {
		for _, args := range [][]string{
			{"neighbours", "-n", "40", word}, {"distance", word, "forest"}, {"explain", word, "eats " + word}, {"explain", "--method", "average", word, "eats " + word}, {"explain", word, "forest"},
			{"score", "--pairs", pairs, "--method", "average"},
		} {
			args = append(args, "--space", space)
			out, messages := answer(t, 0, args...)
			fitToShow(t, strings.Join(args, " "), out)
			fitToShow(t, strings.Join(args, " "), messages)
			seen += out
			out, _ = answer(t, 0, append(args, "--json")...)
			var v any
			if err := json.Unmarshal([]byte(out), &v); err != nil {
				t.Errorf("%q: %v in %q", args, err, out)
			}
			fitToShow(t, strings.Join(args, " ")+" --json", out)
			if args[0] == "neighbours" {
				for _, want := range []string{`"\u001b[31mred"`, `"\u001b]0;title\u0007"`, `"a\u202eb"`, `"` + word + `"`} {
					if !strings.Contains(out, want) {
						t.Errorf("no %s in %s", want, out)
					}
				}
			}
		}
	}
	for _, want := range append(slices.Clone(foreign), `\x1b[31mred`, `\x1b]0;title\a`, `a\u202eb`, `\xffbad`, `\x1b[31m東京 eats`) {
		if !strings.Contains(seen, want) {
			t.Errorf("%s is never shown", want)
		}
	}
	_, messages := answer(t, cli.ExitUsage, "neighbours", "--space", space, "\x1b[31mrid\x1b]0;t\a")
	fitToShow(t, "an unknown word", messages)
	_, messages = answer(t, cli.ExitUsage, "neighbours", "--sp\x1b[31mace", space, "forest")
	fitToShow(t, "an unknown flag", messages)
}

// Figures of words of any script are files with readable names on all systems: XML, PDF, PNG.
func TestFiguresOfAnyWords(t *testing.T) {
	space := foreignSpace(t)
	names := map[string]bool{}
	for _, word := range foreign {
		kinds := map[string][]string{"density": {word, "meat"}}
		if word == foreign[0] {
			kinds = map[string][]string{"density": {word, "東京"}, "flow": {word, "hammer"}, "combine": {"meat", word}}
		}
		for kind, words := range kinds {
			out, messages := answer(t, 0, slices.Concat([]string{"figure", kind, "--space", space, "--out", t.TempDir()}, words)...)
			fitToShow(t, word, messages)
			for path := range strings.Lines(out) {
				path = strings.TrimSpace(path)
				content, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				name := filepath.Base(path)
				if names[name] {
					t.Errorf("two files %s", name)
				}
				names[name] = true
				if word != "🦁" && !strings.Contains(name, word) || strings.ContainsAny(name, `<>:"/\|?* `) || printable.Text(name) != name {
					t.Errorf("%q: a file %q", word, name)
				}
				switch filepath.Ext(path) {
				case ".svg":
					found := false
					for d := xml.NewDecoder(bytes.NewReader(content)); ; {
						token, err := d.Token()
						if err == io.EOF {
							break
						} else if err != nil {
							t.Fatalf("%s: %v", path, err)
						}
						text, ok := token.(xml.CharData)
						found = found || ok && strings.TrimSpace(string(text)) == word
					}
					if !found {
						t.Errorf("%s has no text %s", path, word)
					}
				case ".pdf":
					if !bytes.HasPrefix(content, []byte("%PDF-")) || !bytes.HasSuffix(content, []byte("%%EOF\n")) {
						t.Errorf("%s is no PDF", path)
					}
				case ".png":
					if _, err := png.Decode(bytes.NewReader(content)); err != nil {
						t.Errorf("%s: %v", path, err)
					}
				}
			}
			if slices.Contains([]string{"東京", "عربي", "🦁"}, word) && !strings.Contains(messages, "lacks letters") {
				t.Errorf("%q: it is not said that letters lack", word)
			}
		}
	}
	if len(names) != 3*(len(foreign)+2) {
		t.Errorf("%d files", len(names))
	}
}

// A path in another encoding than UTF-8 is opened, and can be told from others in messages and in JSON.
func TestPathsInOtherEncodings(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d\xffr")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Skip("the file system has names in UTF-8 only: " + err.Error())
	}
	space := filepath.Join(dir, "space")
	if err := os.Rename(foreignSpace(t), space); err != nil {
		t.Fatal(err)
	}
	answer(t, 0, "neighbours", "--space", space, "forest")
	out, _ := answer(t, 0, "figure", "density", "--space", space, "forest", "--out", dir, "--json")
	var figures struct{ Files []string }
	if err := json.Unmarshal([]byte(out), &figures); err != nil || len(figures.Files) != 3 {
		t.Fatalf("%v: %s", err, out)
	}
	for _, quoted := range figures.Files {
		path, err := strconv.Unquote(quoted)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	_, stderr := answer(t, cli.ExitData, "neighbours", "--space", filepath.Join(dir, "none"), "forest")
	if !strings.Contains(stderr, `d\xffr/none"`) {
		t.Error(stderr)
	}
}
