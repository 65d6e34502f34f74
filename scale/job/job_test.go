package job

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/corpus"
	"contextmover/internal/checkpoint"
)

// randomText writes a text of 400 sentences, whose words are the rarer the larger their number.
func randomText(t *testing.T, dir string) corpus.Text {
	t.Helper()
	random := rand.New(rand.NewPCG(5, 6))
	var b strings.Builder
	for range 400 {
		for range 1 + random.IntN(12) {
			fmt.Fprintf(&b, "w%d ", random.IntN(1+random.IntN(60)))
		}
		b.WriteString(".\n")
	}
	path := filepath.Join(dir, "text.txt")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return corpus.Text{Files: []string{path}, Layout: corpus.Sentences}
}

// The steps of a job, in any order within each, make what Count makes in one
// process; none does anything twice, and each says what the one before has not made.
func TestSteps(t *testing.T) {
	dir := t.TempDir()
	text := randomText(t, dir)
	v, stats, err := corpus.BuildVocabulary(t.Context(), text, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	whole, _, err := corpus.Count(t.Context(), text, v, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(dir, "inMemory.bin")
	if err := corpus.WriteCooccurrences(t.Context(), want, whole); err != nil {
		t.Fatal(err)
	}

	folder := filepath.Join(dir, "job")
	if _, err := Open(folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no job was opened: %v", err)
	}
	p := Params{MinCount: 2, Window: 3, ShardSize: 1500, PartSize: 4000}
	j, err := New(folder, text, p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(folder, text, p); err != nil {
		t.Errorf("the same job: %v", err)
	}
	p.Window++
	if _, err := New(folder, text, p); err == nil || !strings.Contains(err.Error(), "another job") {
		t.Errorf("another job: %v", err)
	}
	notYet := func(err error, step string, missing int) {
		t.Helper()
		var e *NotYetError
		if !errors.As(err, &e) || e.Step != step || e.Missing != missing {
			t.Errorf("%v, want that %d of %s are missing", err, missing, step)
		}
	}
	makes := func(made bool, err error, want bool) {
		t.Helper()
		if err != nil || made != want {
			t.Errorf("made %t, want %t, %v", made, want, err)
		}
	}
	if j.Shards() < 4 {
		t.Fatalf("%d shards: too few to tell anything", j.Shards())
	}
	_, err = j.Counter(t.Context(), 1<<20)
	notYet(err, "words", j.Shards())
	for shard := j.Shards() - 1; shard >= 0; shard-- {
		made, err := j.Words(t.Context(), shard, nil)
		makes(made, err, true)
	}
	made, err := j.Words(t.Context(), 0, nil)
	makes(made, err, false)
	// Words that are damaged are told, and counted again on the way.
	words := filepath.Join(folder, "words", "00001")
	if err := os.WriteFile(words, []byte("a 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var told []string
	j.Mend = func(d *corpus.DamagedError) { told = append(told, d.Path) }
	c, err := j.Counter(t.Context(), 1<<20)
	if err != nil || !slices.Equal(told, []string{words}) {
		t.Fatalf("mended %q, %v", told, err)
	}
	if c.Words.Len() != v.Len() || c.Words.Stats != stats {
		t.Errorf("%d words, %+v, want %d, %+v", c.Words.Len(), c.Words.Stats, v.Len(), stats)
	}
	for shard := range j.Shards() - 1 {
		made, err := c.Pairs(t.Context(), shard, nil)
		makes(made, err, true)
	}
	_, err = c.Merge(t.Context(), 0, nil)
	notYet(err, "pairs", 1)
	made, err = c.Pairs(t.Context(), j.Shards()-1, nil)
	makes(made, err, true)
	if c.Parts() < 3 {
		t.Fatalf("%d parts: too few to tell anything", c.Parts())
	}
	for part := c.Parts() - 1; part > 0; part-- {
		made, err := c.Merge(t.Context(), part, nil)
		makes(made, err, true)
	}
	_, _, err = c.Counts(t.Context(), nil)
	notYet(err, "merge", 1)

	// What is damaged is told, and made anew on the way.
	pairs := filepath.Join(folder, "pairs", "00002")
	content, err := os.ReadFile(pairs)
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(content)
	damaged[len(damaged)/2] ^= 4
	if err := os.WriteFile(pairs, damaged, 0o666); err != nil {
		t.Fatal(err)
	}
	var mended []string
	j.Mend = func(d *corpus.DamagedError) { mended = append(mended, d.Path) }
	for part := range c.Parts() {
		if err := os.RemoveAll(filepath.Join(folder, "parts", fmt.Sprintf("%05d", part))); err != nil {
			t.Fatal(err)
		}
		made, err := c.Merge(t.Context(), part, nil)
		makes(made, err, true)
		made, err = c.Merge(t.Context(), part, nil)
		makes(made, err, false)
	}
	if again, err := os.ReadFile(pairs); err != nil || !bytes.Equal(again, content) || len(mended) != 1 || mended[0] != pairs {
		t.Errorf("mended %q, %v", mended, err)
	}
	counts, size, err := c.Counts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(counts, "cooccurrence.bin"))
	if err != nil {
		t.Fatal(err)
	}
	if expected, err := os.ReadFile(want); err != nil || !bytes.Equal(got, expected) || int64(len(got)) != size {
		t.Errorf("%d bytes, want %d, %v", len(got), len(expected), err)
	}
}

// A plan that was changed by hand is refused.
func TestOpenChecksThePlan(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "job")
	if _, err := New(folder, randomText(t, dir), Params{MinCount: 1, Window: 2, ShardSize: 1 << 20, PartSize: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "job.json")
	plan, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	object := append(bytes.Split(plan, []byte(",\n\t\"checksum\""))[0], "\n}"...) // changes get a checksum of their own
	for _, change := range [][2]string{
		{`"window": 2`, `"window": 0`}, {`"format": 1`, `"format": 7`}, {`"file": 0`, `"file": 1`}, {`{`, ``},
		{`"min_count"`, `"min_coutn"`},
	} {
		changed := strings.Replace(string(object), change[0], change[1], 1)
		if changed == string(object) {
			t.Fatalf("the plan has no %s", change[0])
		}
		if err := os.WriteFile(path, checkpoint.Seal([]byte(changed)), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(folder); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", change[1], err)
		}
	}
}

// Every bit of the plan is under its checksum, and a field that no plan has
// is none that is ignored: either is an error that says how to mend it.
func TestOpenFindsEveryFlippedBit(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "job")
	text, p := randomText(t, dir), Params{MinCount: 2, Window: 10, ShardSize: 1500, PartSize: 1 << 20}
	j, err := New(folder, text, p)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "job.json")
	plan, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, content []byte) {
		t.Helper()
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		_, opened := Open(folder)
		_, made := New(folder, text, p)
		for _, err := range []error{opened, made} {
			if said := fmt.Sprint(err); !strings.Contains(said, path) || !strings.Contains(said, "remove that file") {
				t.Fatalf("%s: %v", what, err)
			}
		}
	}
	for bit := 0; bit < 8*len(plan); bit += 5 {
		flipped := bytes.Clone(plan)
		flipped[bit/8] ^= 1 << (bit % 8)
		refused(fmt.Sprintf("bit %d of byte %d, %q", bit%8, bit/8, plan[bit/8]), flipped)
	}
	for cut := 0; cut < len(plan); cut += 7 {
		refused(fmt.Sprintf("cut to %d bytes", cut), plan[:cut])
	}
	refused("a misspelt field", bytes.Replace(plan, []byte(`"min_count"`), []byte(`"min_coutn"`), 1))

	// What the error says mends it, and what was finished stays.
	if err := os.WriteFile(path, plan, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Words(t.Context(), 0, nil); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if j, err = New(folder, text, p); err != nil {
		t.Fatal(err)
	}
	if made, err := j.Words(t.Context(), 0, nil); made || err != nil {
		t.Errorf("made again: %t, %v", made, err)
	}
}
