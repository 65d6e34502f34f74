package prepare

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"contextmover/cmdlib/corpus"
	"contextmover/internal/checkpoint"
)

// many writes sources of all kinds, of which some files are larger than a few units,
// and have lines without titles, paragraphs that go over the ends of units, blank lines
// in a row, and bytes that are not UTF-8.
func many(t *testing.T) []Source {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 8))
	list := sources(t)
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	var lines, wrapped, extracted strings.Builder
	for i := range 60 {
		fmt.Fprintf(&lines, "{\"text\": \"There were %d of them in it, which nobody had seen before. It is said in all of them that they are the same.\"}\n", i)
		if i%7 == 0 {
			lines.WriteString("\n\n")
		}
		fmt.Fprintf(&wrapped, "It was in the year %d that\nthey came. Nobody saw\nthem but caf\xe9.%s", i, strings.Repeat("\n", 1+random.IntN(4)))
		fmt.Fprintf(&extracted, "<doc id=\"%d\" url=\"u\" title=\"A %d\">\nA %d\n\n%s</doc>\n", i, i, i, articleText(100+i))
	}
	write(t, at("some.jsonl"), lines.String())
	write(t, at("again.jsonl"), lines.String())
	write(t, at("wrapped.txt"), wrapped.String())
	write(t, at("one.txt"), "One line. "+strings.Repeat("It goes on and on. ", 300)+"It ends here.\nAnother.\n")
	write(t, at("empty.txt"), "")
	write(t, at("extracted"), extracted.String())
	for i, more := range map[int][]string{1: {"extracted"}, 2: {"some.jsonl", "again.jsonl"}, 3: {"wrapped.txt", "empty.txt", "one.txt"}} {
		for _, name := range more {
			list[i].Paths = append(list[i].Paths, at(name))
		}
	}
	return list
}

// whole returns what Run makes.
func whole(t *testing.T, o Options) map[string]string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "whole")
	if _, err := Run(t.Context(), out, o); err != nil {
		t.Fatal(err)
	}
	return folder(t, out)
}

func same(t *testing.T, got, want map[string]string) {
	t.Helper()
	if len(got) != len(want) || len(want) < 7 {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s has %d bytes, which are not the %d of Run", name, len(got[name]), len(text))
		}
	}
}

func smallUnits(t *testing.T, size int) {
	before := unitSize
	t.Cleanup(func() { unitSize = before })
	unitSize = size
}

// Pieces of any size, in any order, give the bytes of Run, with documents drawn and with files dealt.
func TestJob(t *testing.T) {
	for _, c := range []struct{ unit, pieces, shards int }{{300, 300, 0}, {1000, 4000, 3}, {5000, 100, 2}, {1 << 20, 1 << 20, 4}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			smallUnits(t, c.unit)
			o := Options{Sources: many(t), Seed: 5, Shards: c.shards}
			want := whole(t, o)
			dir := filepath.Join(t.TempDir(), "job")
			j, err := NewJob(dir, o, int64(c.pieces))
			if err != nil {
				t.Fatal(err)
			}
			if c.pieces < 1<<20 && j.Pieces() < 8 {
				t.Errorf("%d pieces: too few to tell anything", j.Pieces())
			}
			for _, piece := range rand.New(rand.NewPCG(1, 2)).Perm(j.Pieces()) {
				if made, err := j.Read(t.Context(), piece, nil); err != nil || !made {
					t.Fatalf("piece %d: made %t, %v", piece, made, err)
				}
			}
			parts, err := j.Corpus(t.Context())
			if err != nil || len(parts) != len(o.Sources) {
				t.Fatalf("%d parts, %v", len(parts), err)
			}
			same(t, folder(t, filepath.Join(dir, "corpus")), want)
		})
	}
}

// No step makes anything twice; what the one before has not made, and what is damaged is made anew, wherever that is found.
func TestJobGoesOn(t *testing.T) {
	smallUnits(t, 1000)
	o := Options{Sources: many(t), Seed: 5, Shards: 2}
	want := whole(t, o)
	dir := filepath.Join(t.TempDir(), "job")
	if _, err := OpenJob(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no job was opened: %v", err)
	}
	j, err := NewJob(dir, o, 2000)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewJob(dir, o, 2000); err != nil {
		t.Errorf("the same job: %v", err)
	}
	if _, err := NewJob(dir, o, 1<<20); err == nil || !strings.Contains(err.Error(), "another job") {
		t.Errorf("another job: %v", err)
	}
	mended := ""
	j.Mend = func(d *corpus.DamagedError) {
		path, err := filepath.Rel(dir, d.Path)
		if err != nil {
			t.Error(err)
		}
		mended += path + " "
	}
	flip := func(name string) {
		t.Helper()
		path := filepath.Join(dir, name)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		content[len(content)/2] ^= 4
		if err := errors.Join(os.Remove(path), os.WriteFile(path, content, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	wasMended := func(name string) {
		t.Helper()
		if !strings.Contains(mended, name+" ") {
			t.Errorf("mended %q, want %s", mended, name)
		}
		mended = ""
	}
	makes := func(made bool, err error, want bool) {
		t.Helper()
		if err != nil || made != want {
			t.Errorf("made %t, want %t, %v", made, want, err)
		}
	}
	for piece := range j.Pieces() - 1 {
		made, err := j.Read(t.Context(), piece, nil)
		makes(made, err, true)
	}
	made, err := j.Read(t.Context(), 3, nil)
	makes(made, err, false)
	flip("documents/00002")
	made, err = j.Read(t.Context(), 2, nil)
	makes(made, err, true)
	wasMended("documents/00002")
	if err := os.Truncate(filepath.Join(dir, "documents", "00004"), 3); err != nil {
		t.Fatal(err)
	}
	flip("documents/00005")
	if _, err := j.Corpus(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(mended, "documents/00004 ") {
		t.Errorf("mended %q", mended)
	}
	wasMended("documents/00005")
	same(t, folder(t, filepath.Join(dir, "corpus")), want)
	before, err := os.Stat(filepath.Join(dir, "corpus", manifestName))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Corpus(t.Context()); err != nil {
		t.Fatal(err)
	}
	if now, err := os.Stat(filepath.Join(dir, "corpus", manifestName)); err != nil || !os.SameFile(before, now) {
		t.Errorf("the corpus was made again, %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*", ".*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// A text that is edited after a piece of it was read, in an equal number of bytes, is an error that names the file and
// says what to do, when the piece is looked at again. The old text goes on as before.
func TestJobOfChangedText(t *testing.T) {
	smallUnits(t, 1000)
	o := Options{Sources: many(t), Seed: 5, Shards: 2}
	want := whole(t, o)
	dir := filepath.Join(t.TempDir(), "job")
	j, err := NewJob(dir, o, 2000)
	if err != nil {
		t.Fatal(err)
	}
	for piece := range j.Pieces() {
		if _, err := j.Read(t.Context(), piece, nil); err != nil {
			t.Fatal(err)
		}
	}
	path := j.plan.Pieces[0].Files[0].Path
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Minute) // whatever the clock's grain
	put := func(content string) {
		t.Helper()
		write(t, path, content)
		if err := os.Chtimes(path, later, later); err != nil {
			t.Fatal(err)
		}
	}
	put(strings.Replace(string(old), "e", "a", 1))
	made, err := j.Read(t.Context(), 0, nil)
	if err == nil || made || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "put back") {
		t.Errorf("made %t, %v", made, err)
	}
	later = j.plan.Pieces[0].Files[0].Modified
	put(string(old))
	if _, err := j.Corpus(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, folder(t, filepath.Join(dir, corpusName)), want)
}

// Whatever file of the finished corpus is cut, changed or gone is found, told, and made again.
func TestJobMendsTheCorpus(t *testing.T) {
	o := Options{Sources: sources(t), Seed: 5, Shards: 2}
	want := whole(t, o)
	dir := filepath.Join(t.TempDir(), "job")
	var mended []string
	again := func() error {
		j, err := NewJob(dir, o, 20000)
		if err != nil {
			return err
		}
		j.Mend = func(d *corpus.DamagedError) { mended = append(mended, d.Path) }
		for piece := range j.Pieces() {
			if _, err := j.Read(t.Context(), piece, nil); err != nil {
				return err
			}
		}
		_, err = j.Corpus(t.Context())
		return err
	}
	if err := again(); err != nil {
		t.Fatal(err)
	}
	for name := range want {
		path := filepath.Join(dir, corpusName, name)
		for what, damage := range map[string]func() error{
			"cut":     func() error { return os.Truncate(path, int64(len(want[name])/2)) },
			"emptied": func() error { return os.Truncate(path, 0) },
			"gone":    func() error { return os.Remove(path) },
			"changed": func() error {
				content := []byte(want[name])
				content[len(content)/2] ^= 4
				return os.WriteFile(path, content, 0o666)
			},
		} {
			mended = nil
			if err := damage(); err != nil {
				t.Fatal(err)
			}
			if err := again(); err != nil {
				t.Fatalf("%s is %s: %v", name, what, err)
			}
			if len(mended) == 0 {
				t.Errorf("%s is %s: nothing was mended", name, what)
			}
			same(t, folder(t, filepath.Join(dir, corpusName)), want)
		}
	}
}

// Several that do all of it at once do not hinder each other.
func TestJobTogether(t *testing.T) {
	smallUnits(t, 1000)
	o := Options{Sources: many(t), Seed: 5, Shards: 2}
	want := whole(t, o)
	dir := filepath.Join(t.TempDir(), "job")
	var g errgroup.Group
	for range 4 {
		g.Go(func() error {
			j, err := NewJob(dir, o, 4000)
			if err != nil {
				return err
			}
			for piece := range j.Pieces() {
				if _, err := j.Read(t.Context(), piece, nil); err != nil {
					return err
				}
			}
			_, err = j.Corpus(t.Context())
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	same(t, folder(t, filepath.Join(dir, "corpus")), want)
	if left, _ := filepath.Glob(filepath.Join(dir, "*", ".*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// An error names the piece, the file, and the line that the
// whole file has there; a file that is not what it was is one.
func TestJobErrors(t *testing.T) {
	smallUnits(t, 100)
	dir := t.TempDir()
	for name, c := range map[string]struct {
		kind       Kind
		line, last string
	}{
		"some.jsonl": {JSON, "{\"text\": \"There were many of them.\"}\n", "{}\n"},
		"some.txt":   {Text, "There were many of them.\n", "a\x00b\n"},
		"extracted":  {Wikipedia, "<doc id=\"1\" url=\"u\" title=\"A\">\nA\n</doc>\n", "<doc id=\"2\">\n</doc>\n"},
	} {
		path := filepath.Join(dir, name)
		write(t, path, strings.Repeat(c.line, 50)+c.last)
		_, whole := Run(t.Context(), filepath.Join(dir, "out"), Options{Sources: []Source{{Kind: c.kind, Paths: []string{path}}}})
		j, err := NewJob(filepath.Join(dir, "job", name), Options{Sources: []Source{{Kind: c.kind, Paths: []string{path}}}}, 500)
		if err != nil {
			t.Fatal(err)
		}
		_, err = j.Read(t.Context(), 0, nil)
		if want := fmt.Sprintf("piece 1 of 1, %s: ", path); err == nil || whole == nil || err.Error() != want+whole.Error() {
			t.Errorf("%s: %v, want %s%v", name, err, want, whole)
		}
		write(t, path, c.line)
		if _, err = j.Read(t.Context(), 0, nil); err == nil || !strings.Contains(err.Error(), "start from scratch") {
			t.Errorf("%s has changed: %v", name, err)
		}
	}
}

// What is no plan, under a right checksum, is an error that names it.
func FuzzOpenJob(f *testing.F) {
	f.Add(`{"parts":[{"kind":"text","shards":1}],"pieces":[{"part":0,"shard":0,"files":[{"path":"a","name":"a","bytes":3}]}]`)
	f.Add(`{"parts":[],"pieces":[{"part":0,"shard":-1,"files":[]}]`)
	f.Fuzz(func(t *testing.T, plan string) {
		dir := t.TempDir()
		path := filepath.Join(dir, planName)
		write(t, path, string(checkpoint.Seal([]byte(plan+"\n}"))))
		j, err := OpenJob(dir)
		if err != nil {
			if !strings.Contains(err.Error(), path) {
				t.Errorf("%v names no file", err)
			}
			return
		}
		for piece := range min(j.Pieces(), 3) {
			if err := j.unchanged(piece); err != nil && !strings.Contains(err.Error(), "prepare: ") || j.Piece(piece) == "" {
				t.Errorf("a piece without a name, or %v", err)
			}
		}
	})
}
