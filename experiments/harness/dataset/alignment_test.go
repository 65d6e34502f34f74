package dataset

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/align"
)

// Both forms of aligned pairs say the same; what is wrong is said with its place.
func TestReadAlignments(t *testing.T) {
	write := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const pair = `{"id": "7", "name": "7", "source": "A king gave land", "target": "Land was  given", "score": "0.0",
		"sureAlign": "3-0 2-2 2-2", "possibleAlign": "2-1"}`
	const line = "7\tA king gave land\tN/A\tLand was  given\tN/A\t1\t1\t3-0 2-2 2-2\t2-1\t\n"
	for _, path := range []string{write("a.json", "["+pair+"]"), write("a.tsv", line)} {
		got, err := ReadAlignments(path)
		if err != nil {
			t.Fatal(err)
		}
		p := got[0]
		if len(got) != 1 || p.ID != "7" || len(p.Source) != 4 || !slices.Equal(p.Target, []string{"Land", "was", "given"}) ||
			!slices.Equal(p.Sure, []align.Link{{Source: 3, Target: 0}, {Source: 2, Target: 2}}) ||
			!slices.Equal(p.Possible, []align.Link{{Source: 2, Target: 1}}) {
			t.Errorf("%s: %+v", path, got)
		}
	}
	for _, c := range []struct{ name, text, want string }{
		{"b.tsv", "7\ta\tb\n", "b.tsv:1: 3 fields, expected 9"},
		{"b.tsv", strings.Replace(line, "3-0", "3-3", 1), `b.tsv:1: the link "3-3", expected i-j with i below 4 and j below 3`},
		{"b.tsv", strings.Replace(line, "3-0", "-3-0", 1), `the link "-3-0"`},
		{"b.tsv", strings.Replace(line, "A king gave land", " ", 1), "a sentence is empty"},
		{"b.tsv", "", "no aligned pairs"},
		{"b.json", "[]", "no aligned pairs"},
		{"b.json", "[" + pair, "expected a JSON list"},
		{"b.json", "[" + pair + "] x", "expected a JSON list"},
		{"b.json", strings.Replace("["+pair+"]", "3-0", "30", 1), `pair 1 (id "7"): the link "30"`},
	} {
		if _, err := ReadAlignments(write(c.name, c.text)); !errors.Is(err, ErrData) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want …%s…", c.text, err, c.want)
		}
	}
	if _, err := ReadAlignments("none.json"); !errors.Is(err, ErrData) || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("no file: %v", err)
	}
}

// Words of linked chunks are all linked; links between words become those of their chunks.
func TestReadChunks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.wa")
	const text = "<sentence id=\"1\" status=\"\">\n// the old king died\n// a king is dead\n<source>\n1 the : \n" +
		"</source>\n<alignment>\n1 2 3 <==> 1 2 // SPE1 // 4 // the old king <==> a king\n" +
		"4 <==> 3 4 // EQUI // 5 // died <==> is dead\n" +
		"0 <==> 4 // NOALI // 0 // x\n</alignment>\n</sentence>\n\n"
	readText := func(text string) ([]Aligned, error) {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return ReadAlignments(path)
	}
	pairs, err := readText(text + text)
	if err != nil || len(pairs) != 2 {
		t.Fatalf("%d pairs, %v", len(pairs), err)
	}
	p := &pairs[1]
	want := []align.Link{{Source: 0, Target: 0}, {Source: 0, Target: 1}, {Source: 1, Target: 0}, {Source: 1, Target: 1},
		{Source: 2, Target: 0}, {Source: 2, Target: 1}, {Source: 3, Target: 2}, {Source: 3, Target: 3}}
	if !slices.Equal(p.Sure, want) {
		t.Errorf("links %v, want %v", p.Sure, want)
	}
	got := p.Whole([]align.Link{{Source: 2, Target: 1}, {Source: 3, Target: 3}, {Source: 1, Target: 1}})
	if !slices.Equal(got, want) {
		t.Errorf("links of chunks %v, want %v", got, want)
	}
	for _, c := range []struct{ text, want string }{
		{strings.Replace(text, "3 4 //", "3 5 //", 1), "a.wa:9: the word \"5\", expected a number from 1 to 4"},
		{strings.Replace(text, "<==> 3 4 //", "<==> //", 1), "a chunk without words"},
		{strings.Replace(text, "// a king is dead\n", "", 1), "expected two sentences behind //"},
		{strings.Replace(text, "// a king is dead\n", "//\n", 1), "a sentence of 0 words"},
		{strings.TrimSuffix(text, "</sentence>\n\n"), "ends within a pair"},
		{"a\n" + text, "expected <sentence"},
		{"\n", "no aligned pairs"},
	} {
		if _, err := readText(c.text); !errors.Is(err, ErrData) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want …%s…", c.text, err, c.want)
		}
	}
}

func FuzzReadAlignments(f *testing.F) {
	f.Add(`[{"id": "1", "source": "a b", "target": "c", "sureAlign": "0-0", "possibleAlign": ""}]`)
	f.Add("1\ta b\t\tc\t\t\t\t0-0\t\n")
	f.Add("<sentence id=\"1\">\n// a b\n// c\n1 2 <==> 1 //\n0 <==> 1 //\n</sentence>\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"f.json", "f.tsv", "f.wa"} {
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			pairs, err := ReadAlignments(path)
			if err != nil {
				if !errors.Is(err, ErrData) {
					t.Fatal(err)
				}
				continue
			}
			for _, p := range pairs {
				for _, l := range slices.Concat(p.Sure, p.Possible) {
					if l.Source < 0 || l.Source >= len(p.Source) || l.Target < 0 || l.Target >= len(p.Target) {
						t.Fatalf("the link %v between %d and %d words", l, len(p.Source), len(p.Target))
					}
				}
				if whole := p.Whole(p.Sure); len(whole) < len(p.Sure) {
					t.Fatalf("%d links of chunks for %d links of words", len(whole), len(p.Sure))
				}
			}
		}
	})
}
