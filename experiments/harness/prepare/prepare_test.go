package prepare

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"contextmover/cmdlib/corpus"
)

// novel writes a book of paragraphs that all differ, broken at 70 characters.
func novel(title string, paragraphs int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The Project Gutenberg EBook of %s\n\nTitle: %s\nAuthor: A. Writer\n\n*** START OF THIS PROJECT GUTENBERG EBOOK ***\n\nCHAPTER I\n\n", title, title)
	for i := range paragraphs {
		text := fmt.Sprintf("It was in the year %d of %s that the old man went out to his garden with a %d of them. \"Who was it?\" he asked, and there was nobody in the house but the dog of number %d, which was not asleep.", i, title, i, i)
		for len(text) > 70 {
			at := strings.LastIndexByte(text[:70], ' ')
			b.WriteString(text[:at] + "\n")
			text = text[at+1:]
		}
		b.WriteString(text + "\n\n")
	}
	b.WriteString("*** END OF THIS PROJECT GUTENBERG EBOOK ***\nLicence.\n")
	return b.String()
}

// articleText is an article as WikiExtractor writes it.
func articleText(id int) string {
	return fmt.Sprintf(`The town of %d lies in the north of the country & has a river and a small church.
It was built by the people of %d, who had come from the south with their cattle and all of their goods.
In %d there were many more of them than before, and the town had walls and a gate to the sea.
`, id, id, id)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// sources writes one of each kind of source.
func sources(t *testing.T) []Source {
	dir := t.TempDir()
	for i := range 7 {
		write(t, filepath.Join(dir, "books", fmt.Sprintf("A. Writer___Book %d.txt", i)), novel(fmt.Sprint("Book ", i), 40))
	}
	write(t, filepath.Join(dir, "books", "again.txt"), novel("Book 3", 40))
	write(t, filepath.Join(dir, "books", ".hidden"), "not read")
	var wiki strings.Builder
	for i := range 9 {
		fmt.Fprintf(&wiki, "<doc id=\"%d\" url=\"https://e.org/?curid=%d\" title=\"A &amp; %d\">\nA &amp; %d\n\n%s</doc>\n\n", i, i, i, i, articleText(i))
	}
	write(t, filepath.Join(dir, "wiki", "AA", "wiki_00"), wiki.String())
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for i := range 5 {
		fmt.Fprintf(z, "{\"title\": \"T%d\", \"text\": \"There were %d of them in it. They were of no use to the %d men.\", \"licence\": \"CC0\"}\n", i, i, i)
	}
	z.Close()
	write(t, filepath.Join(dir, "some.jsonl.gz"), packed.String())
	write(t, filepath.Join(dir, "some.txt"), "First things first. Then the others.\nA line of its own.\n")
	return []Source{
		{Kind: Books, Paths: []string{filepath.Join(dir, "books")}}, {Kind: Wikipedia, Paths: []string{filepath.Join(dir, "wiki")}},
		{Kind: JSON, Paths: []string{filepath.Join(dir, "some.jsonl.gz")}}, {Kind: Text, Paths: []string{filepath.Join(dir, "some.txt")}},
	}
}

// folder reads all files of a folder.
func folder(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue // a killed process has left it
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

func unpack(t *testing.T, packed string) string {
	t.Helper()
	r, err := zstd.NewReader(strings.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Everything is there, where the index says, in the form that corpus counts; and the same bytes come
// from any number of threads and in place of an earlier output.
func TestRun(t *testing.T) {
	defer func(n int) { unitSize = n }(unitSize)
	unitSize = 1000
	o := Options{Sources: sources(t), Seed: 5}
	out := filepath.Join(t.TempDir(), "out")
	var first map[string]string
	for i, threads := range []int{1, 2, 2} {
		old := runtime.GOMAXPROCS(threads)
		var done, total int64
		o.Progress = func(d, all int64) {
			if d < done || d > all {
				t.Errorf("progress %d of %d after %d", d, all, done)
			}
			done, total = d, all
		}
		parts, err := Run(context.Background(), out, o)
		runtime.GOMAXPROCS(old)
		if err != nil {
			t.Fatal(err)
		}
		if done != total || total == 0 {
			t.Errorf("progress ends at %d of %d", done, total)
		}
		files := folder(t, out)
		if i > 0 {
			for name, text := range first {
				if files[name] != text {
					t.Errorf("run %d: %s differs", i, name)
				}
			}
			continue
		}
		first = files
		// The books have a sentence of each paragraph in common.
		want := map[Kind][3]int64{Books: {7, 320, 0}, Wikipedia: {9, 27, 0}, JSON: {5, 10, 0}, Text: {1, 3, 0}}
		for _, p := range parts {
			if w := want[p.Kind]; p.Documents != w[0] || p.Sentences != w[1] {
				t.Errorf("%s: %+v, want %d documents of %d sentences", p.Kind, p, w[0], w[1])
			}
		}
		if n := parts[0].LeftOut["occurred before"]; n != 1 {
			t.Errorf("books left out: %v, want the one that is there twice", parts[0].LeftOut)
		}
	}
	lines := map[string][]string{}
	for name, text := range first {
		if strings.HasSuffix(name, ".zst") {
			lines[name] = strings.SplitAfter(unpack(t, text), "\n")
		}
	}
	entries := 0
	for i, row := range strings.Split(strings.TrimSuffix(first[indexName], "\n"), "\n")[1:] {
		c := strings.Split(row, "\t")
		if len(c) != 8 {
			t.Fatalf("%s:%d has %d columns", indexName, i+2, len(c))
		}
		var from, n, tokens int
		if _, err := fmt.Sscan(c[1]+" "+c[2]+" "+c[3], &from, &n, &tokens); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(lines[c[0]][from-1:from-1+n], "")
		if got := len(strings.Fields(text)); got != tokens {
			t.Errorf("%s: %d tokens, by the index %d", c[4], got, tokens)
		}
		if c[0] == "books-00.txt.zst" && (c[5] != "A. Writer" || !strings.Contains(text, strings.ToLower(c[4]))) {
			t.Errorf("the index says %q, the text is\n%s", row, text)
		}
		for l := range strings.Lines(text) {
			if again := strings.Join(corpus.Tokenise(l), " ") + "\n"; again != l {
				t.Errorf("%q is tokenised again to %q", l, again)
			}
		}
		entries++
	}
	if entries != 22 {
		t.Errorf("%d documents in the index, want 22", entries)
	}
	if got := unpack(t, first["text-00.txt.zst"]); got != "first things first .\nthen the others .\na line of its own .\n" {
		t.Errorf("text: %q", got)
	}
	v, stats, err := corpus.BuildVocabulary(context.Background(), corpus.Text{Files: []string{filepath.Join(out, "books-00.txt.zst")}}, 1, nil)
	if err != nil || stats.Lines != 320 || v.Len() == 0 {
		t.Errorf("counted: %+v, %v", stats, err)
	}
}

// The documents of one file are drawn, and another seed draws them otherwise.
func TestDrawnShards(t *testing.T) {
	var text strings.Builder
	for i := range 40 {
		fmt.Fprintf(&text, "{\"text\": \"There were %d of them in it.\"}\n", i)
	}
	path := filepath.Join(t.TempDir(), "some.jsonl")
	write(t, path, text.String())
	var drawn [2]string
	for seed := range drawn {
		parts, err := Run(t.Context(), filepath.Join(t.TempDir(), "out"), Options{Sources: []Source{{Kind: JSON, Paths: []string{path}}}, Seed: uint64(seed), Shards: 4})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range parts[0].Shards {
			if s.Documents < 3 {
				t.Errorf("seed %d: %d of 40 documents in %s", seed, s.Documents, s.Name)
			}
			drawn[seed] += fmt.Sprint(s.Documents, " ")
		}
		if n := len(parts[0].Shards); n != 4 {
			t.Errorf("%d shards, want 4", n)
		}
	}
	if drawn[0] == drawn[1] {
		t.Errorf("both seeds draw %s", drawn[0])
	}
}

// The files of the first shards alone give these shards, byte for byte: what a file of a later shard
// has in common with them is dropped there.
func TestFirstShardsAlone(t *testing.T) {
	const seed, shards = 3, 5
	dir := t.TempDir()
	both := "This is a sentence which is in all of the files.\n"
	var all, first [2][]string
	for i := range 30 {
		for s, kind := range []string{"books", "text"} {
			name := fmt.Sprintf("%s/%d/%d.txt", kind, i%3, i)
			path := filepath.Join(dir, name)
			if kind == "books" {
				write(t, path, novel(fmt.Sprint("Book ", i), 40)+both)
			} else {
				write(t, path, fmt.Sprintf("There were %d of them when he came to the house. %s", i, both))
			}
			all[s] = append(all[s], path)
			if ShardOf(seed, name, shards) < 2 {
				first[s] = append(first[s], path)
			}
		}
	}
	run := func(paths [2][]string) map[string]string {
		out := filepath.Join(t.TempDir(), "out")
		o := Options{Sources: []Source{{Kind: Books, Paths: paths[0], Root: dir}, {Kind: Text, Paths: paths[1], Root: dir}}, Seed: seed, Shards: shards}
		if _, err := Run(t.Context(), out, o); err != nil {
			t.Fatal(err)
		}
		return folder(t, out)
	}
	whole, part := run(all), run(first)
	n := 0
	for name, data := range part {
		if strings.HasSuffix(name, ".txt.zst") {
			n++
			if data != whole[name] {
				t.Errorf("%s differs", name)
			}
		}
	}
	if n != 4 {
		t.Errorf("%d shards of the first two of two sources, want 4", n)
	}
	for name := range whole {
		if strings.HasPrefix(name, "text-") {
			if has := strings.Contains(unpack(t, whole[name]), "which is in all of the files"); has != (name == "text-00.txt.zst") {
				t.Errorf("%s: has the common sentence: %v", name, has)
			}
		}
	}
}

func TestRunErrors(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		write(t, path, text)
		return path
	}
	for _, c := range []struct {
		source Source
		want   string
	}{
		{Source{Kind: Text, Paths: []string{filepath.Join(dir, "missing")}}, "no such file"},
		{Source{Kind: Wikipedia, Paths: []string{file("plain.txt", "Some text.\n")}}, `plain\.txt:1: expected the output of WikiExtractor`},
		{Source{Kind: Wikipedia, Paths: []string{file("cut", "<doc id=\"1\" url=\"u\" title=\"t\">\nt\n\nText.\n</doc>\n<doc id=\"2\" url=\"u\" title=\"t\">\n")}}, `cut:6: .*expected </doc>`},
		{Source{Kind: Wikipedia, Paths: []string{file("outside", "<doc id=\"1\" url=\"u\" title=\"t\">\nt\n</doc>\nstray\n")}}, `outside:4: text outside`},
		{Source{Kind: Wikipedia, Paths: []string{file("dump.xml", "<mediawiki xmlns=\"x\">\n<page>\n")}}, `dump\.xml: this is a raw dump .*python -m wikiextractor\.WikiExtractor \S*dump\.xml --output extracted`},
		{Source{Kind: Text, Paths: []string{file("text.xml", "\ufeff<?xml version=\"1.0\"?>\n <mediawiki>\n")}}, `text\.xml: this is a raw dump`},
		{Source{Kind: Wikipedia, Paths: []string{file("w.jsonl", "{\"title\":\"a\",\"text\":\"a\"}\n")}}, `w\.jsonl:1: expected the output of WikiExtractor`},
		{Source{Kind: JSON, Paths: []string{file("l.jsonl", "{\"text\":\"a\"}\n[1]\n")}}, `l\.jsonl:2: it is a list, expected an object; write an object with a field "text" into each line$`},
		{Source{Kind: JSON, Paths: []string{file("a.jsonl", "{\"text\":\"a\"}\n{\"text\":1}\n")}}, `a\.jsonl:2: the field "text" is a number, expected a string; write`},
		{Source{Kind: JSON, Paths: []string{file("b.jsonl", "{\"text\":\"a\"}\n\n{\"body\":\"a\"}\n")}}, `b\.jsonl:3: .*no field "text"`},
		{Source{Kind: Books, Paths: []string{file("utf16.txt", "a\n\x00b")}}, `utf16\.txt:2: NUL`},
		{Source{Kind: Text, Paths: []string{file("bad.bz2", "BZh91AY&SYxxxxxxxxxxxxxxxxxxxx")}}, `bad\.bz2.*bzip2`},
	} {
		out := filepath.Join(dir, "out")
		_, err := Run(context.Background(), out, Options{Sources: []Source{c.source}})
		if err == nil || !regexp.MustCompile(c.want).MatchString(err.Error()) {
			t.Errorf("%v: error %v, want %s", c.source, err, c.want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%v: a folder in spite of the error", c.source)
		}
	}
	if _, err := Run(context.Background(), dir, Options{Sources: []Source{{Kind: Text, Paths: []string{file("c.txt", "Yes.\n")}}}}); err == nil || !strings.Contains(err.Error(), "neither empty nor a prepared corpus") {
		t.Errorf("wrote over a folder of something else: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestRunIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := Options{Sources: sources(t), Progress: func(done, _ int64) {
		if done > 0 {
			cancel()
		}
	}}
	dir := t.TempDir()
	if _, err := Run(ctx, filepath.Join(dir, "out"), o); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// A source of which nothing is left is an error that says why, by one process and by several, and leaves nothing.
func TestNothingIsLeft(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, want string }{
		"empty.txt": {"", "nothing is left of the text: the files are empty"},
		"chinese.txt": {"你好。\n今天\n", "2 sentences are left out for words in a script without spaces between them: " +
			"separate them first"},
		"numbers.txt": {"1 2 3\n", "more signs and numbers than words"},
	} {
		path := filepath.Join(dir, name)
		write(t, path, c.text)
		o := Options{Sources: []Source{{Kind: Text, Paths: []string{path}}}}
		out := filepath.Join(dir, "out", name)
		write(t, filepath.Join(dir, "out", "there"), "")
		if _, err := Run(t.Context(), out, o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: a folder is there", name)
		}
		j, err := NewJob(filepath.Join(dir, "job", name), o, 1000)
		if err != nil {
			if c.text == "" {
				continue
			}
			t.Fatal(err)
		}
		if _, err := j.Read(t.Context(), 0, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := j.Corpus(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}
