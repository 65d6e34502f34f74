package dataset

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"contextmover/internal/bounded"
)

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// reading checks what a reader makes of a text.
func reading[T any](t *testing.T, read func(string) ([]T, error), text string, want ...T) {
	t.Helper()
	got, err := read(write(t, t.TempDir(), "x.txt", text))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q: %+v %v, want %+v", text, got, err, want)
	}
}

// failing checks that each text is refused with a message that names the place.
func failing[T any](t *testing.T, read func(string) ([]T, error), texts map[string]string) {
	t.Helper()
	for text, want := range texts {
		path := write(t, t.TempDir(), "x.txt", text)
		got, err := read(path)
		if err == nil || !errors.Is(err, ErrData) || !strings.Contains(err.Error(), strings.ReplaceAll(want, "FILE", path)) {
			t.Errorf("%.50q: %v %v, want an error with %q", text, got, err, want)
		}
	}
	if _, err := read(filepath.Join(t.TempDir(), "absent")); !errors.Is(err, ErrData) {
		t.Errorf("absent file: %v", err)
	}
}

func TestPairs(t *testing.T) {
	reading(t, ReadPairs, "4.4\ta b\tc\n0\td\te f\n",
		Pair{"a b", "c", 4.4, true, 1}, Pair{"d", "e f", 0, true, 2})
	reading(t, ReadPairs, "\ufeffa\tb\r\nc\td", // byte order mark, Windows' line ends, no final one
		Pair{"a", "b", 0, false, 1}, Pair{"c", "d", 0, false, 2})
	failing(t, ReadPairs, map[string]string{
		"":                               "FILE: no sentence pairs",
		"just text\n":                    "FILE:1: 1 field, expected score, sentence 1 and sentence 2",
		"1\ta\tb\tc\n":                   "FILE:1: 4 fields",
		"1\ta\tb\n2\tc\n":                "FILE:2: 2 fields, expected 3 as in line 1",
		"score\ta\tb\n":                  "FILE:1: the score \"score\" is not a finite number: remove the line if it is a header; the fields of a line are score, sentence 1 and sentence 2",
		"1\ta\tb\n3,5\tc\td\n":           "FILE:2: the score \"3,5\" is not a finite number: write it with a decimal point",
		"1\ta\tb\nNaN\tc\td\n":           "FILE:2: the score \"NaN\"",
		"1\ta\tb\n-Inf\tc\td\n":          "FILE:2: the score \"-Inf\"",
		"1\ta\tb\n1e999\tc\td\n":         "FILE:2: the score \"1e999\"",
		"1\ta\t \n":                      "FILE:1: sentence 2 is empty",
		"1\ta\tb\n1\tc\x00\td\n":         "FILE:2: \"1\\tc\\x00\\td\" holds a NUL byte",
		"1\ta\tb\n\n1\tc\td\n":           "FILE:2: the line is empty",
		"1\ta\tb\n1\tcaf\xe9\td\n":       "FILE:2: \"1\\tcaf\\xe9\\td\" is not UTF-8",
		strings.Repeat("x", 1<<20+1):     "FILE:1: a line of more than 1048576 bytes",
		"1\ta\tb\n" + "\x00\x01\x02\x03": `FILE:2: "\x00\x01\x02\x03" holds a NUL byte`,
		sickHeader + "\n1\ta\tb\t3\n":    "FILE:2: 4 fields, expected the 5 of the header",
		sickHeader + "\n1\ta\tb\tx\tN\n": "FILE:2: the score \"x\"",
		sickHeader + "\n1\t\tb\t3\tN\n":  "FILE:2: sentence 1 is empty",
		sickHeader + "\n":                "no sentence pairs",
	})
	reading(t, ReadPairs, sickHeader+"\r\n6\ta b\tc d\t3.3\tNEUTRAL\r\n", Pair{"a b", "c d", 3.3, true, 2})
	path := write(t, t.TempDir(), "x.csv", "a b,\"c, \"\"d\"\"\",2.5\r\n\"e,f\",g,0\n")
	want := []Pair{{"a b", `c, "d"`, 2.5, true, 1}, {"e,f", "g", 0, true, 2}}
	if got, err := ReadPairs(path); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v %v, want %v", got, err, want)
	}
	path = write(t, t.TempDir(), "x.csv", strHeader+"\n0,F,P,F_1,\"a, b.\n\"\"c\"\" d\",0.5\n1,F,P,F_2,\"e\nf\",1\n")
	want = []Pair{{"a, b.", `"c" d`, 0.5, true, 2}, {"e", "f", 1, true, 4}}
	if got, err := ReadPairs(path); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v %v, want %v", got, err, want)
	}
	for text, problem := range map[string]string{
		strHeader + "\n0,F,P,F_1,\"a\nb\",x\n": ":2: the score \"x\"",
		"5.0,\"A plane, big\",An air plane.\n": ":1: the score \"An air plane.\" is not a finite number: remove the line if it is a header; the fields of a line are sentence 1, sentence 2 and score, separated by commas",
		strHeader + "\n0,F,P,F_1,\"a\n":        ":2: extraneous or missing",
		strHeader + "\n0,F,P,F_1,a,1\nb,c\n":   ":2: sentence 2 is empty",
		"":                                     ": no sentence pairs",
		"a,b\n":                                ":1: wrong number of fields, expected sentence 1, sentence 2 and score",
		"a,b,1\na,b,c":                         ":2: the score \"c\"",
		"a,\"b,1\n":                            ":1: extraneous or missing \" in quoted-field, expected sentence 1",
		"a,,1\n":                               ":1: sentence 2 is empty",
	} {
		path := write(t, t.TempDir(), "x.csv", text)
		if got, err := ReadPairs(path); err == nil || !errors.Is(err, ErrData) || !strings.Contains(err.Error(), path+problem) {
			t.Errorf("%q: %v %v, want an error with %q", text, got, err, problem)
		}
	}
	if _, err := ReadPairs(t.TempDir()); err == nil {
		t.Error("read a folder")
	}
}

func TestWordSimilarity(t *testing.T) {
	reading(t, ReadWordSimilarity, "car\tautomobile\t3.92\r\ngem jewel 3.84\r\n",
		WordPair{A: "car", B: "automobile", Score: 3.92, Line: 1}, WordPair{A: "gem", B: "jewel", Score: 3.84, Line: 2})
	reading(t, ReadWordSimilarity, "berry-n seed-n 37.000000\nred-j paint-v 20\n",
		WordPair{A: "berry", B: "seed", Score: 37, POS: "n", Line: 1}, WordPair{A: "red", B: "paint", Score: 20, POS: "j-v", Line: 2})
	// One word without an ending: nothing is cut.
	reading(t, ReadWordSimilarity, "x-n y-n 1\nx-n yn 2\n",
		WordPair{A: "x-n", B: "y-n", Score: 1, Line: 1}, WordPair{A: "x-n", B: "yn", Score: 2, Line: 2})
	reading(t, ReadWordSimilarity, "clarify\tworry\tV\t0.33\tNONE\nensure\tsecure\tV\t4.07\n",
		WordPair{A: "clarify", B: "worry", Score: .33, POS: "v", Relation: "NONE", Line: 1}, WordPair{A: "ensure", B: "secure", Score: 4.07, POS: "v", Line: 2})
	failing(t, ReadWordSimilarity, map[string]string{
		"":                       "no word pairs",
		"a b\n":                  "FILE:1: 2 fields",
		"a b 1\nc d\n":           "FILE:2: 2 fields, expected 3",
		"a b c\n":                "FILE:1: the score \"c\"",
		"a b V 1 X\nc d V\n":     "FILE:2: 3 fields, expected 5",
		"a b V 1 X\nc d e f g\n": "FILE:2: the score \"f\"",
		"a b 1\n\t\n":            "FILE:2: the line is empty",
	})
}

func TestHypernymy(t *testing.T) {
	reading(t, ReadHypernymy, "puerto princesa\tcity\tTrue\thyper\nalligator\tfrog\tFalse\tcoord",
		HypernymPair{A: "puerto princesa", B: "city", True: true, Relation: "hyper", Line: 1}, HypernymPair{A: "alligator", B: "frog", Relation: "coord", Line: 2})
	reading(t, ReadHypernymy, "alligator-n\taggressive-j\tFalse\tattri\n",
		HypernymPair{A: "alligator", B: "aggressive", Relation: "attri", POS: "n-j", Line: 1})
	reading(t, ReadHypernymy, "word1\tword2\tlabel\trelation\tfold\nfrigate\tcraft\tTrue\thyper\tval\n",
		HypernymPair{A: "frigate", B: "craft", True: true, Relation: "hyper", Line: 2})
	failing(t, ReadHypernymy, map[string]string{
		"":                    "no pairs of terms",
		"a b True hyper\n":    "FILE:1: 1 field, expected 4",
		"a\tb\ttrue\thyper\n": "FILE:1: \"true\", expected True or False",
		"a\t\tTrue\thyper\n":  "FILE:1: a term is empty",
		"word1\tword2\tlabel\trelation\tfold\na\tb\tTrue\thyper\n": "FILE:2: 4 fields, expected 5",
		"word1\tword2\tlabel\trelation\tfold\n":                    "no pairs of terms",
	})
	const header = "WORD1 WORD2 POS TYPE AVG_SCORE AVG_SCORE_0_10 STD SCORES..\n"
	reading(t, ReadHyperLex, header+"queen royalty N mero 5.93 9.88 0.26 6 6\n",
		WordPair{A: "queen", B: "royalty", Score: 5.93, POS: "n", Relation: "mero", Line: 2})
	failing(t, ReadHyperLex, map[string]string{
		"queen royalty N mero 5.93 9.88 0.26 6 6\n": "expected HyperLex's header",
		header:                                 "no word pairs",
		header + "queen royalty N mero 5.93\n": "FILE:2: 5 fields, expected at least 7",
		header + "queen royalty N mero x 9.88 0.26 6\n": "FILE:2: the score \"x\"",
	})
}

func TestReadFrequencies(t *testing.T) {
	reading(t, ReadFrequencies, "the 30\r\nof 10\nit's 2\n", Frequency{"the", 30}, Frequency{"of", 10}, Frequency{"it's", 2})
	failing(t, ReadFrequencies, map[string]string{
		"":                    "no word frequencies",
		"the 30\n\nof 10\n":   "FILE:2: the line is empty",
		"the 30\nof\n":        "FILE:2: \"of\", expected a word and its count",
		"the\t30\n":           "FILE:1: \"the\\t30\", expected a word and its count",
		" 30\n":               "FILE:1: \" 30\", expected a word and its count",
		"the  30\n":           "FILE:1: the count \" 30\" of \"the\"",
		"the 30 1\n":          "FILE:1: the count \"30 1\" of \"the\" is not a whole number of at least 1",
		"the 30\nof 0\n":      "FILE:2: the count \"0\" of \"of\"",
		"the 30\nof 1e3\n":    "FILE:2: the count \"1e3\" of \"of\"",
		"the 3\na 2\nthe 1\n": "FILE:3: \"the\" stands in line 1 too",
	})
}

func TestScoredPairs(t *testing.T) {
	const sentences, scores = "STS.input.X.txt", "STS.gs.X.txt"
	scored := func(text, gold string) func(string) ([]Pair, error) {
		return func(string) ([]Pair, error) {
			dir := t.TempDir()
			write(t, dir, scores, gold)
			return ReadPairs(write(t, dir, sentences, text))
		}
	}
	reading(t, scored("a b\tc\nd\te f\tnote\tnote\n \t\ng\th\n", "4.400\n\n\n0\n"), "",
		Pair{"a b", "c", 4.4, true, 1}, Pair{"g", "h", 0, true, 4}) // what is not scored may be anything
	reading(t, scored("a\tb\r\nc\td", "1\r\n2"), "", Pair{"a", "b", 1, true, 1}, Pair{"c", "d", 2, true, 2})
	for _, c := range []struct{ text, gold, want string }{
		{"a\tb\n", "1\n2\n", "STS.input.X.txt:2: ends before "},
		{"a\tb\nc\td\n", "1\n", "STS.gs.X.txt:2: ends before "},
		{"a\tb\n", "\n", "no scored sentence pairs"},
		{"a b\n", "1\n", "STS.input.X.txt:1: 1 field, expected two sentences"},
		{"a\t \n", "1\n", "STS.input.X.txt:1: sentence 2 is empty"},
		{"a\tb\n", "one\n", "STS.gs.X.txt:1: the score \"one\" is not a finite number"},
		{"a\tb\n", "NaN\n", "STS.gs.X.txt:1: the score \"NaN\""},
		{"a\t\xff\n", "1\n", "STS.input.X.txt:1: \"a\\t\\xff\" is not UTF-8"},
	} {
		if pairs, err := scored(c.text, c.gold)(""); err == nil || !errors.Is(err, ErrData) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q, %q: %v %v, want an error with %q", c.text, c.gold, pairs, err, c.want)
		}
	}
	// Without scores beside it the name says nothing.
	if pairs, err := ReadPairs(write(t, t.TempDir(), sentences, "a\tb\n")); err != nil || len(pairs) != 1 || pairs[0].HasGold {
		t.Errorf("%+v %v", pairs, err)
	}
	if scores, ok := scoresOf("d/STS2016.input.headlines.txt"); scores != "d/STS2016.gs.headlines.txt" || !ok {
		t.Error(scores, ok)
	}
}

// zipped writes an archive with one member.
func zipFile(t *testing.T, path, member, text string) {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(member)
	if err == nil {
		_, err = w.Write([]byte(text))
	}
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Dir(path), filepath.Base(path), b.String())
}

func TestReadMemberOfArchive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lex.zip")
	zipFile(t, path, "splits/dev.txt", "WORD1 WORD2 POS TYPE AVG_SCORE AVG_SCORE_0_10 STD SCORES..\nqueen royalty N mero 5.93 9.88 0.26 6 6\n")
	pairs, err := ReadHyperLex(path + "/splits/dev.txt")
	if err != nil || len(pairs) != 1 || pairs[0].A != "queen" {
		t.Errorf("%v %v", pairs, err)
	}
	for name, want := range map[string]string{path + "/none.txt": `the archive has no file "none.txt", but splits/dev.txt`, path + "/splits": `the archive has no file "splits"`} {
		if _, err := ReadHyperLex(name); !errors.Is(err, ErrData) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	spoilt := write(t, t.TempDir(), "lex.zip", "this is no archive")
	if _, err := ReadHyperLex(spoilt + "/x.txt"); !errors.Is(err, ErrData) || !strings.Contains(err.Error(), spoilt+": is no zip archive") {
		t.Error(err)
	}
}

// Everything that is published has an address, a licence and somebody to cite.
func TestCatalogue(t *testing.T) {
	files := Catalogue()
	if len(files) != 146 {
		t.Errorf("%d files, want 146", len(files))
	}
	all, err := Choose()
	if err != nil || len(all) != 142+3035+400+500 {
		t.Errorf("%d files with those of collections (%v), want 142, 3,035 books, 400 of Wikipedia and 500 of 20 newsgroups",
			len(all), err)
	}
	sourceForm := regexp.MustCompile(`^[\w.-]+/[\w.-]+@[0-9a-f]{40}:.`)
	seen := map[string]bool{}
	collections := map[string]int64{}
	for _, f := range all {
		if c := (State{File: f}).InCollection(); c != "" {
			collections[c] += f.Bytes
		}
		if f.Bytes <= 0 || f.Collection() || f.Parts != nil || len(f.SHA256) != 64 || !filepath.IsLocal(f.Path) ||
			!sourceForm.MatchString(f.Source) || seen[f.Path] {
			t.Errorf("no file: %+v", f)
		}
		seen[f.Path] = true
	}
	for _, f := range slices.Concat(files, all) {
		address, err := url.Parse(f.Address(Host))
		if err != nil || address.Scheme != "https" || address.Host == "" || !strings.HasSuffix(address.Path, f.Source[strings.Index(f.Source, ":")+1:]) {
			t.Errorf("%s has the address %v (%v)", f.Path, address, err)
		}
		if f.Purpose == "" || f.Licence == "" || f.Cite == "" || f.Original == "" {
			t.Errorf("incomplete: %+v", f)
		}
		if restricted := strings.Contains(f.Licence, "NC") || strings.Contains(f.Licence, "research only"); restricted != (f.Consent != "") {
			t.Errorf("%s: licence %q, consent %q", f.Path, f.Licence, f.Consent)
		}
	}
	for path, bytes := range collections {
		f, ok := Lookup(path)
		if !ok || !f.Collection() || f.Bytes != bytes || f.Rows != len(f.Members()) {
			t.Errorf("%s: %+v, its files have %d bytes", path, f, bytes)
		}
	}
	if len(collections) != 4 {
		t.Errorf("%d collections", len(collections))
	}
	// An address with characters that have a meaning in one.
	f := File{Source: "o/n@" + strings.Repeat("1", 40) + ":a b/c & d? é#%.txt"}
	if got, want := f.Address("http://host:1/x/"), "http://host:1/x/o/n/"+strings.Repeat("1", 40)+"/a%20b/c%20&%20d%3F%20%C3%A9%23%25.txt"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, p := range Prepared() {
		for _, part := range partPaths(p) {
			if f, ok := Lookup(part); !ok || f.Parts != nil {
				t.Errorf("%s was prepared from %s, which is not published", p.Path, part)
			}
		}
		if p.Use == "open" && !p.ReadFromParts() {
			t.Errorf("%s is not read from its parts", p.Path)
		}
	}
	if _, ok := Lookup("wordsim/none.txt"); ok {
		t.Error("knows a file that does not exist")
	}
}

// The collections' tables are those that the catalogue has the checksums of.
func TestCollectionTables(t *testing.T) {
	for path, name := range collections {
		table, err := tableFiles.Open(name + ".tsv.gz")
		if err != nil {
			t.Fatal(err)
		}
		r, err := gzip.NewReader(table)
		if err != nil {
			t.Fatal(err)
		}
		h := sha256.New()
		if _, err := io.Copy(h, r); err != nil {
			t.Fatal(err)
		}
		if f, ok := Lookup(path); !ok || f.SHA256 != hex.EncodeToString(h.Sum(nil)) {
			t.Errorf("%s: %+v, the table has the SHA-256 %x", path, f, h.Sum(nil))
		}
	}
}

func TestParseDeclaration(t *testing.T) {
	sum, source := strings.Repeat("a", 64), "o/n@"+strings.Repeat("1", 40)+":"
	head := "name = 'x'\nlicence = 'l'\nuse = 'u'\nconsent = 'c'\nsource = '" + source + "'\n"
	file := func(path, sum, more string) string {
		return head + "files = [{ path = '" + path + "', bytes = 1, rows = 2, sha256 = '" + sum + "', source = 'a/'" + more + " }]\n"
	}
	d, err := parseDeclaration("x.toml", file("a/b", sum, ", licence = 'own', use = 'nothing'")+"prepared = [{ path = 'p', sha256 = '"+sum+"', parts = ['a/b'] }]\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []File{{Path: "a/b", Bytes: 1, Rows: 2, SHA256: sum, Licence: "own", Consent: "c", Source: source + "a/"}, {Path: "p", SHA256: sum, Use: "u", Parts: []string{"a/b"}}}
	if got := append(d.files(d.Files), d.files(d.Prepared)...); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	for _, text := range []string{
		file("a/b", sum, ", licance = 'x'"), strings.Replace(file("a/b", sum, ""), "rows = 2", "rows = 'x'", 1),
	} {
		if _, err := parseDeclaration("x.toml", text); err == nil || !strings.Contains(err.Error(), "x.toml:6: ") {
			t.Errorf("%q: %v, want the line", text, err)
		}
	}
}

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  []string
	}{
		{[]string{"wordsim/EN-MC-30.txt"}, []string{"wordsim/EN-MC-30.txt"}},
		{[]string{"sts/2013/OnWN.tsv"}, []string{"sts/2013/STS.gs.OnWN.txt", "sts/2013/STS.input.OnWN.txt"}},
		{[]string{"hypernymy/hyperlex-all.txt"}, []string{"hypernymy/hyperlex-data.zip"}},
		{[]string{"corpora/wiki/AA/wiki_07"}, []string{"corpora/wiki/AA/wiki_07"}},
	} {
		files, err := Choose(c.names...)
		var got []string
		for _, f := range files {
			got = append(got, f.Path)
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%v: %v %v, want %v", c.names, got, err, c.want)
		}
	}
	for name, want := range map[string]int{"sts": 64, "sts/2013/": 6, "corpora/books": 3035, "corpora": 3435} {
		if files, err := Choose(name); err != nil || len(files) != want {
			t.Errorf("%s: %d files, %v, want %d", name, len(files), err, want)
		}
	}
	if _, err := Choose("sts", "sts/2099"); err == nil || !strings.Contains(err.Error(), `"sts/2099"`) {
		t.Error(err)
	}
}

func TestLocate(t *testing.T) {
	dir := t.TempDir()
	own := write(t, dir, "own/pairs.tsv", "1\ta\tb\n")
	got, err := Locate(dir, "own/pairs.tsv", own)
	if err != nil || !slices.Equal(got, []string{own, own}) {
		t.Errorf("%v %v", got, err)
	}
	// printf '1\ta\tb\n' | sha256sum
	sum, err := SHA256(dir, "own/pairs.tsv")
	if err != nil || sum != "c46616a334e4a515356426e1b0549e2424e5d8c3bfa81d1e30318094e64d93fc" {
		t.Errorf("%s %v", sum, err)
	}

	_, err = Locate(dir, "sts/2012/MSRpar.tsv", "own/pairs.tsv", "wordsim/EN-MC-30.txt")
	var missing *MissingError
	if !errors.As(err, &missing) || !errors.Is(err, ErrData) || !slices.Equal(missing.Files, []string{"sts/2012/MSRpar.tsv", "wordsim/EN-MC-30.txt"}) {
		t.Fatalf("%v", err)
	}
	for _, want := range []string{dir, "sts/2012/MSRpar.tsv, wordsim/EN-MC-30.txt", "--data DIR", "CONTEXTMOVER_DATA", "repro data"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %q", want, err)
		}
	}
	var many []string
	for _, f := range Catalogue() {
		many = append(many, f.Path)
	}
	if _, err = Locate("", many...); err == nil || !strings.Contains(err.Error(), "no data folder is known") || !strings.Contains(err.Error(), fmt.Sprintf("(%d files)", len(many))) {
		t.Errorf("%v", err)
	}
	if _, err = SHA256("", "x.txt"); !errors.As(err, &missing) {
		t.Errorf("%v", err)
	}
	if _, err = Locate(dir, "own"); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("%v", err)
	}

	spoilt := write(t, dir, "wordsim/EN-MC-30.txt", "car automobile 1\n")
	_, err = Locate(dir, "wordsim/EN-MC-30.txt")
	var damaged *FormatError
	if !errors.As(err, &damaged) || !errors.Is(err, ErrData) || damaged.File != spoilt {
		t.Fatalf("%v", err)
	}
	f, _ := Lookup("wordsim/EN-MC-30.txt")
	for _, want := range []string{spoilt, f.SHA256, "repro data fetch"} {
		if len(want) == 0 || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %q", want, err)
		}
	}
	if sum, err := SHA256("", "wordsim/EN-MC-30.txt"); sum != f.SHA256 || err != nil {
		t.Errorf("%s %v", sum, err)
	}
}

// known makes the catalogue, for one test, one of a few small sets, and returns their contents by path. There
// are a set of pairs with its prepared form, a member of an archive, and a collection whose text was prepared.
func known(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	zipFile(t, filepath.Join(dir, "lex.zip"), "all.txt", "WORD1 WORD2 POS TYPE AVG_SCORE AVG_SCORE_0_10 STD SCORES..\nqueen royalty N mero 5.93 9.88 0.26 6 6\n")
	archive, err := os.ReadFile(filepath.Join(dir, "lex.zip"))
	if err != nil {
		t.Fatal(err)
	}
	contents := map[string]string{
		"sts/STS.input.X.txt": "a\tb\nc\td\n", "sts/STS.gs.X.txt": "1\n2\n", "sts/X.tsv": "1\ta\tb\n2\tc\td\n",
		"lex/lex.zip": string(archive), "lex/all.txt": "WORD1 WORD2 POS TYPE AVG_SCORE AVG_SCORE_0_10 STD SCORES..\nqueen royalty N mero 5.93 9.88 0.26 6 6\n",
		"corpora/wiki/AA/1": "first", "corpora/wiki/AA/2": "second", "corpora/text.zst": "prepared text", "words/w.txt": "x y 1\n",
	}
	file := func(path string, parts ...string) File {
		f := File{Path: path, Bytes: int64(len(contents[path])), SHA256: sum(contents[path]), Source: "o/n@" + strings.Repeat("1", 40) + ":up/" + path, Parts: parts}
		if parts != nil {
			f.Source = ""
		}
		return f
	}
	members := []File{file("corpora/wiki/AA/1"), file("corpora/wiki/AA/2")}
	collection := File{Path: "corpora/wiki/", Bytes: members[0].Bytes + members[1].Bytes, Rows: 2, Source: "o/n@" + strings.Repeat("1", 40) + ":up/corpora/wiki/"}
	for i := range members {
		members[i].Path = strings.TrimPrefix(members[i].Path, collection.Path)
	}
	lists := []func() []File{catalogue, prepared}
	table := tables
	t.Cleanup(func() { catalogue, prepared, tables = lists[0], lists[1], table })
	catalogue = func() []File {
		return []File{collection, file("lex/lex.zip"), file("sts/STS.gs.X.txt"), file("sts/STS.input.X.txt"), file("words/w.txt")}
	}
	prepared = func() []File {
		return []File{file("corpora/text.zst", "corpora/wiki/"), file("lex/all.txt", "lex/lex.zip!all.txt"), file("sts/X.tsv", "sts/STS.input.X.txt", "sts/STS.gs.X.txt")}
	}
	tables = func() map[string][]File { return map[string][]File{"corpora/wiki/": members} }
	return contents
}

func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

// fill writes those of the files of known whose paths begin with one of the prefixes.
func fill(t *testing.T, dir string, contents map[string]string, prefixes ...string) {
	t.Helper()
	for path, text := range contents {
		if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(path, p) }) {
			write(t, dir, path, text)
		}
	}
}

// A set is the same thing in either form.
func TestForms(t *testing.T) {
	contents := known(t)
	var pairs [2][]Pair
	var graded [2][]WordPair
	for i, prefixes := range [][]string{{"sts/X", "lex/all"}, {"sts/STS", "lex/lex"}} {
		dir := t.TempDir()
		fill(t, dir, contents, prefixes...)
		paths, err := Locate(dir, "sts/X.tsv", "lex/all.txt")
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckPresent(dir, "sts/X.tsv", "lex/all.txt"); err != nil {
			t.Error(err)
		}
		var err1, err2 error
		pairs[i], err1 = ReadPairs(paths[0])
		graded[i], err2 = ReadHyperLex(paths[1])
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		if got, err := SHA256(dir, "sts/X.tsv"); got != sum(contents["sts/X.tsv"]) || err != nil {
			t.Error(got, err)
		}
	}
	if len(pairs[0]) != 2 || !reflect.DeepEqual(pairs[0], pairs[1]) || len(graded[0]) != 1 || !reflect.DeepEqual(graded[0], graded[1]) {
		t.Errorf("%v, %v", pairs, graded)
	}
	// What is read must be right in the form that is there, all of it.
	dir := t.TempDir()
	fill(t, dir, contents, "sts/STS", "lex/lex")
	spoilt := write(t, dir, "sts/STS.gs.X.txt", "1\n3\n")
	var damaged *FormatError
	if _, err := Locate(dir, "sts/X.tsv"); !errors.As(err, &damaged) || damaged.File != spoilt {
		t.Error(err)
	}
	// Half of a form is none.
	if err := os.Remove(spoilt); err != nil {
		t.Fatal(err)
	}
	var missing *MissingError
	if _, err := Locate(dir, "sts/X.tsv"); !errors.As(err, &missing) || !slices.Equal(missing.Files, []string{"sts/X.tsv"}) {
		t.Error(err)
	}
}

func TestVerify(t *testing.T) {
	contents := known(t)
	dir := t.TempDir()
	fill(t, dir, contents, "sts/X", "corpora/wiki/AA/1", "lex/lex")
	write(t, dir, "words/w.txt", "x y 2\n")
	states, err := Verify(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Status{}
	for _, s := range states {
		got[s.Path] = s.Status
		if (s.Found != "") != (s.Status == Damaged) {
			t.Errorf("%s is %s (%s)", s.Path, s.Status, s.Found)
		}
	}
	if want := map[string]Status{
		"corpora/wiki/AA/1": Present, "corpora/wiki/AA/2": Missing, "lex/lex.zip": Present, "words/w.txt": Damaged,
		"sts/STS.input.X.txt": Missing, "sts/STS.gs.X.txt": Missing, "sts/X.tsv": Present,
	}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for path, want := range map[string]int64{"corpora/wiki/": 5, "lex/lex.zip": int64(len(contents["lex/lex.zip"])), "sts/STS.gs.X.txt": 0} {
		f, _ := Lookup(path)
		if n := Extent(dir, f); n != want {
			t.Errorf("%s: %d bytes are there, want %d", path, n, want)
		}
	}
	for _, bad := range []string{"", filepath.Join(dir, "absent")} {
		if _, err := Verify(context.Background(), bad); !errors.Is(err, ErrData) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// Every evaluation file has the number of rows that the catalogue says, which was
// counted by other means.
func TestRealData(t *testing.T) {
	dir := os.Getenv("CONTEXTMOVER_DATA")
	if dir == "" {
		t.Skip("SKIPPED: CONTEXTMOVER_DATA names no data folder")
	}
	states, err := Verify(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	// What was made from published files may be there in their place.
	standsIn := map[string]bool{}
	for _, f := range Prepared() {
		if _, err := Locate(dir, f.Path); err == nil {
			for _, part := range f.Parts {
				path, _, _ := strings.Cut(part, "!") // a member of an archive
				standsIn[path] = true
			}
		}
	}
	var bad []string
	for _, s := range states {
		// No test needs the collections, which are long to fetch, what these profiles alone read,
		// STR-2022 and aligned words, with their licences.
		left := standsIn[s.Path] || s.InCollection() != "" || slices.Contains([]string{"best", "documents"}, s.Use) ||
			s.Path == "sts/str2022.csv" || strings.HasPrefix(s.Path, "alignment/")
		if s.Status != Present && (s.Status != Missing || !left) {
			bad = append(bad, fmt.Sprintf("%s is %s", s.Path, s.Status))
		}
	}
	if len(bad) > 0 {
		t.Errorf("%d of %d files are not as expected: %s …", len(bad), len(states), bad[0])
	}
	total := 0
	for _, f := range slices.Concat(Catalogue(), Prepared()) {
		paths, err := Locate(dir, f.Path)
		if errors.As(err, new(*MissingError)) || f.Collection() || f.Rows == 0 {
			continue // there in another form
		}
		if err != nil {
			t.Error(err)
			continue
		}
		path := paths[0]
		var rows int
		switch {
		case strings.Contains(f.Path, "licences"), strings.HasPrefix(f.Path, "corpora/"), strings.HasPrefix(f.Path, "vectors/"):
			continue
		case strings.HasPrefix(f.Path, "documents/"), strings.HasPrefix(f.Path, "alignment/"):
			continue // by the set
		case strings.HasPrefix(f.Path, "sts/"):
			var p []Pair
			p, err = ReadPairs(path)
			rows = len(p)
			total += rows
			for _, q := range p {
				if !q.HasGold || q.Gold < 0 || q.Gold > 5 {
					t.Errorf("%s:%d: gold score %g", path, q.Line, q.Gold)
				}
			}
		case strings.HasPrefix(f.Path, "wordsim/"):
			var p []WordPair
			p, err = ReadWordSimilarity(path)
			rows = len(p)
			if lemma := strings.Contains(f.Path, "lemma_form"); err == nil && lemma != (p[0].POS != "") && !strings.Contains(f.Path, "SimVerb-") {
				t.Errorf("%s: part of speech %q", path, p[0].POS)
			}
		case strings.HasPrefix(f.Path, "frequencies/"):
			var list []Frequency
			list, err = ReadFrequencies(path)
			rows = len(list)
		case strings.HasSuffix(f.Path, ".zip"):
			continue // its members are read
		case strings.HasPrefix(f.Path, "hypernymy/hyperlex"):
			var p []WordPair
			p, err = ReadHyperLex(path)
			rows = len(p)
		case f.Path == "hypernymy/bibless.tsv": // no table uses it
			continue
		default:
			var p []HypernymPair
			p, err = ReadHypernymy(path)
			rows = len(p)
			positive := 0
			for _, q := range p {
				if q.True {
					positive++
				}
			}
			if want, ok := positives[filepath.Base(path)]; ok && positive != want {
				t.Errorf("%s: %d pairs are True, want %d", path, positive, want)
			}
			if strings.HasSuffix(path, ".test") != (p[0].POS != "") {
				t.Errorf("%s: part of speech %q", path, p[0].POS)
			}
		}
		if err != nil || rows != f.Rows {
			t.Errorf("%s: %d rows (%v), want %d", path, rows, err, f.Rows)
		}
	}
	// The paper's 25,000 sentences, with what the profile "best" reads, and with STR-2022.
	if !slices.Contains([]int{12544, 12544 + 4927 + 1379, 12544 + 4927 + 1379 + 5500}, total) {
		t.Errorf("%d sentence pairs, want 12544", total)
	}
}

// The pairs that are read from SemEval's files are, one by one, those of the prepared sets,
// whose bytes are made here from the same files by the recipe: the score, a tab, and two fields
// of the line of sentences; and members of archives have the bytes of the prepared files.
func TestPublishedPairsAreThePreparedOnes(t *testing.T) {
	dir := os.Getenv("CONTEXTMOVER_DATA")
	sets, pairs := 0, 0
	for _, f := range Prepared() {
		if !f.ReadFromParts() || dir == "" || CheckPresent(dir, partPaths(f)...) != nil {
			continue
		}
		if _, err := Locate(dir, partPaths(f)...); err != nil {
			t.Fatal(err)
		}
		sets++
		var prepared strings.Builder
		path := fullPath(dir, strings.Replace(f.Parts[0], "!", "/", 1))
		if strings.Contains(f.Parts[0], "!") {
			r, err := open(path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(&prepared, r); err != nil {
				t.Error(err)
			}
			r.Close()
		} else {
			var text [2][]string
			for i, part := range f.Parts {
				b, err := os.ReadFile(fullPath(dir, part))
				if err != nil {
					t.Fatal(err)
				}
				text[i] = strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
			}
			for i, gold := range text[1] {
				if fields := strings.Split(text[0][i], "\t"); gold != "" {
					fmt.Fprintf(&prepared, "%s\t%s\t%s\n", gold, fields[0], fields[1])
				}
			}
			want, err := ReadPairs(write(t, t.TempDir(), "set.tsv", prepared.String()))
			if err != nil {
				t.Fatal(err)
			}
			got, err := ReadPairs(path)
			if err != nil || len(got) != len(want) {
				t.Fatalf("%s: %d pairs, %v, want %d", path, len(got), err, len(want))
			}
			for i := range got {
				if got[i].A != want[i].A || got[i].B != want[i].B || got[i].Gold != want[i].Gold || !got[i].HasGold {
					t.Errorf("%s: pair %d is %+v, want %+v", path, i, got[i], want[i])
				}
			}
			pairs += len(got)
		}
		if prepared := prepared.String(); sum(prepared) != f.SHA256 || int64(len(prepared)) != f.Bytes {
			t.Errorf("%s: %d bytes with the SHA-256 %s, want %d, %s", f.Path, len(prepared), sum(prepared), f.Bytes, f.SHA256)
		}
	}
	if sets == 0 {
		t.Skip("SKIPPED: CONTEXTMOVER_DATA names no folder with sets as they were published")
	}
	t.Logf("%d sets, %d pairs", sets, pairs)

}

// positives are the numbers of True pairs that HypEval's files were counted to have.
var positives = map[string]int{
	"BLESS.all": 1337, "EVALution.all": 3415, "LenciBenotto.all": 1933, "Weeds.all": 1469, "BIBLESS.all": 834, "Baroni2012.all": 1385,
	"Kotlerman2010.all": 880, "Levy2014.all": 945, "HypNet_train.all": 9942, "HypNet_test.all": 3512, "Turney2014.all": 1084, "wbless.tsv": 834,
}

// Pairs are read no further than there is memory for.
func TestTooLarge(t *testing.T) {
	text := strings.Repeat("a\tb\n", 1000)
	_, err := parsePairs(newLines("pairs.tsv", bounded.Reader(strings.NewReader(text), 3999)))
	var format *FormatError
	if !errors.As(err, &format) || format.Line != 1000 || !strings.Contains(err.Error(), "pairs.tsv:1000: holds more than 4.0 kB") {
		t.Error(err)
	}
	if pairs, err := parsePairs(newLines("pairs.tsv", bounded.Reader(strings.NewReader(text), 4000))); err != nil || len(pairs) != 1000 {
		t.Errorf("%d pairs, %v", len(pairs), err)
	}
}

// No text makes a reader panic, and what it accepts has the promised form.
func FuzzReaders(f *testing.F) {
	for _, seed := range []string{
		"1\ta\tb\n", "a\tb\r\n", sickHeader + "\n1\ta\tb\t3\tN\n", "\"a,\"\"b\",c,1\n", "car automobile 3.9\n", "a-n b-v 1\n", "a b V 1 X\n", "a\tb\tTrue\thyper\n",
		"word1\tword2\tlabel\trelation\tfold\na\tb\tTrue\thyper\tval\n",
		"WORD1 WORD2 POS TYPE AVG_SCORE AVG_SCORE_0_10 STD SCORES..\na b N mero 5.93 9.88 0.26 6\n", "the 30\nof 10\n", "a\tb\nc\td\n\x001\n\n", "\ufeff", "\xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		check := func(err error, n int) {
			var format *FormatError
			if (err == nil) != (n > 0) || err != nil && !errors.As(err, &format) {
				t.Fatalf("%q: %d items, %v", text, n, err)
			}
		}
		open := func() *lines { return newLines("x", strings.NewReader(text)) }
		pairs, err := parsePairs(open())
		check(err, len(pairs))
		for _, p := range pairs {
			if p.Gold != p.Gold || p.Line < 1 || strings.Contains(p.A+p.B, "\t") {
				t.Fatalf("%q: %+v", text, p)
			}
		}
		commas, err := parseCSV(open())
		check(err, len(commas))
		for _, p := range commas {
			if p.Gold != p.Gold || p.Line < 1 || strings.TrimSpace(p.A) == "" || strings.TrimSpace(p.B) == "" {
				t.Fatalf("%q: %+v", text, p)
			}
		}
		similar, err := parseWordSimilarity(open())
		check(err, len(similar))
		for _, p := range similar {
			if p.A == "" || p.B == "" || p.Score != p.Score {
				t.Fatalf("%q: %+v", text, p)
			}
		}
		hypernyms, err := parseHypernymy(open())
		check(err, len(hypernyms))
		graded, err := parseHyperLex(open())
		check(err, len(graded))
		sentences, scores, _ := strings.Cut(text, "\x00")
		scored, err := parseScored(newLines("x", strings.NewReader(sentences)), newLines("y", strings.NewReader(scores)))
		check(err, len(scored))
		for _, p := range scored {
			if p.Gold != p.Gold || p.Line < 1 || strings.Contains(p.A+p.B, "\t") || !p.HasGold {
				t.Fatalf("%q: %+v", text, p)
			}
		}
		texts, err := parseTexts(open())
		check(err, len(texts))
		for _, line := range texts {
			if strings.TrimSpace(line) == "" || strings.ContainsAny(line, "\n\x00") || !utf8.ValidString(line) {
				t.Fatalf("%q: %q", text, line)
			}
		}
		frequencies, err := parseFrequencies(open())
		check(err, len(frequencies))
		total, words := int64(0), map[string]bool{}
		for _, f := range frequencies {
			total += f.Count
			if f.Word == "" || f.Count < 1 || total < f.Count || words[f.Word] {
				t.Fatalf("%q: %+v", text, f)
			}
			words[f.Word] = true
		}
	})
}

func ExampleReadPairs() {
	_, err := ReadPairs("pairs.tsv")
	fmt.Println(err)
	// Output: dataset: pairs.tsv: there is no such file
}
