package corpus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// least makes pieces of texts have that many tokens.
func least(t *testing.T, tokens int) {
	before := leastTokens
	leastTokens = tokens
	t.Cleanup(func() { leastTokens = before })
}

// quick is a temporary folder, in memory where there is such a disk: syncing it takes no time.
func quick(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "corpus-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// wholeCounts returns the bytes that Count and WriteCooccurrences make.
func wholeCounts(t *testing.T, text Text, v *Vocabulary) ([]byte, Stats) {
	t.Helper()
	c, stats, err := Count(t.Context(), text, v, 10, nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "whole")
	if err := WriteCooccurrences(t.Context(), path, c); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content, stats
}

// TestShardsCountTheSame cuts texts of each layout, plain and compressed, into shards of many sizes, counts words
// and pairs of each by itself, adds them up by parts, and wants what the whole text gives, to the last bit.
func TestShardsCountTheSame(t *testing.T) {
	small(t, 700, 1<<20)
	random := rand.New(rand.NewPCG(21, 22))
	var texts []Text
	for _, layout := range []Layout{Sentences, Paragraphs, Wrapped} {
		text := Text{Layout: layout, Tokenised: layout == Sentences}
		for i := range 4 {
			content := randomText(random, 40, 25, 60)
			if layout != Sentences {
				content = strings.ReplaceAll(content, " w1", ". W1")
			}
			if layout == Wrapped {
				lines := strings.SplitAfter(content, "\n")
				for i := range lines {
					lines[i] += []string{"", "", "", "\n", " \t\r\n", "\n\n"}[random.IntN(6)]
				}
				content = strings.Join(lines, "")
			}
			switch i {
			case 1:
				content = compressed(t, "zstd", content)
			case 2:
				content = "\ufeff" + strings.TrimRight(content, "\n")
			case 3:
				content = content[:100]
			}
			text.Files = append(text.Files, write(t, fmt.Sprint(i), content))
		}
		texts = append(texts, text)
	}
	for _, text := range texts {
		v, built, err := BuildVocabulary(t.Context(), text, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, stats := wholeCounts(t, text, v)
		for _, size := range []int64{1, 150, 1000, 1 << 40} {
			dir := quick(t)
			shards, err := text.Shards(size)
			if err != nil {
				t.Fatal(err)
			}
			if size == 1<<40 && len(shards) != 1 || size == 150 && len(shards) < 20 {
				t.Errorf("%s: %d shards of %d bytes", text.Layout, len(shards), size)
			}
			c, err := NewCounting(v, 10, 10_000, 0)
			if err != nil {
				t.Fatal(err)
			}
			if c.Parts() < 3 {
				t.Errorf("%d parts", c.Parts())
			}
			least(t, []int{10, 500}[len(shards)%2])
			var tallies []string
			var merged Stats
			var runs []*Run
			for i, shard := range shards {
				key := Key{byte(i)}
				tally, run := filepath.Join(dir, fmt.Sprint("words", i)), filepath.Join(dir, fmt.Sprint("run", i))
				// The checksums are those of the pieces, and whoever reads with another one gets an error.
				read, sums, err := CountWords(t.Context(), text.Shard(shard), tally, nil)
				if err != nil || len(sums) != len(shard) {
					t.Fatalf("%d checksums of %d pieces, %v", len(sums), len(shard), err)
				}
				for k := range shard {
					if sum, err := shard[k].Checksum(t.Context()); err != nil || sum != sums[k] {
						t.Errorf("%s has the checksum %x, read as %x, %v", shard[k], sum, sums[k], err)
					}
					shard[k].Sum = sums[k]
				}
				changed := slices.Clone(shard)
				changed[len(changed)-1].Sum++
				_, err = c.Shard(t.Context(), text.Shard(changed), key, run, nil)
				if err == nil || !strings.Contains(err.Error(), changed[len(changed)-1].Path) {
					t.Errorf("another text than before: %v", err)
				}
				counted, err := c.Shard(t.Context(), text.Shard(shard), key, run, nil)
				if err != nil {
					t.Fatal(err)
				}
				if read.Known = counted.Known; read != counted {
					t.Errorf("stats %+v and %+v", read, counted)
				}
				opened, err := OpenRun(run, key)
				if err != nil {
					t.Fatal(err)
				}
				tallies, runs = append(tallies, tally), append(runs, opened)
				merged.add(read)
			}
			words, err := MergeWords(t.Context(), tallies, 2)
			if err != nil || merged != built || !cmp.Equal(words.Words, v.Words) || !cmp.Equal(words.Counts, v.Counts) {
				t.Fatalf("%s, shards of %d bytes: another vocabulary: %v, %+v, want %+v", text.Layout, size, err, merged, built)
			}
			var got Stats
			for _, r := range runs {
				got.add(statsOf(r.Stats))
			}
			if got != stats {
				t.Errorf("stats %+v, want %+v", got, stats)
			}
			// From all runs at once, and from parts made of them one by one.
			var parts []*Run
			for part := range c.Parts() {
				path := filepath.Join(dir, fmt.Sprint("part", part))
				if err := c.Merge(t.Context(), runs, part, Key{}, path); err != nil {
					t.Fatal(err)
				}
				run, err := OpenRun(path, Key{})
				if err != nil {
					t.Fatal(err)
				}
				parts = append(parts, run)
			}
			for _, of := range [][]*Run{runs, parts} {
				path := filepath.Join(dir, "counts")
				if err := c.Write(t.Context(), of, path, nil); err != nil {
					t.Fatal(err)
				}
				if got, _ := os.ReadFile(path); !bytes.Equal(got, want) {
					t.Errorf("%s, shards of %d bytes, from %d runs: other counts", text.Layout, size, len(of))
				}
			}
		}
	}
}

// Errors in a shard name the file and the line in the whole file.
func TestErrorsOfShards(t *testing.T) {
	path := write(t, "text", strings.Repeat("a b c\n", 100)+"d <unk> e\n"+strings.Repeat("a b c\n", 100))
	text := Text{Files: []string{path}, Tokenised: true}
	shards, err := text.Shards(200)
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for i, shard := range shards {
		_, _, err := CountWords(t.Context(), text.Shard(shard), filepath.Join(t.TempDir(), "words"), nil)
		if err == nil {
			continue
		}
		failed++
		if !strings.Contains(err.Error(), path+":101: the token <unk>") {
			t.Errorf("shard %d: %v", i, err)
		}
	}
	if failed != 1 {
		t.Errorf("%d shards of %d failed, want 1", failed, len(shards))
	}
	if err := os.Truncate(path, 500); err != nil {
		t.Fatal(err)
	}
	_, _, err = CountWords(t.Context(), text.Shard(shards[len(shards)-1]), filepath.Join(t.TempDir(), "words"), nil)
	if err == nil || !strings.Contains(err.Error(), "shard it again") {
		t.Errorf("a file that became shorter: %v", err)
	}
	if _, err := text.Shards(0); err == nil {
		t.Error("shards of no size")
	}
	if _, err := (Text{Files: []string{"absent"}}).Shards(1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v for an absent file", err)
	}
}

// runOf makes a run of a small text.
func runOf(t testing.TB) (c *Counting, run string) {
	t.Helper()
	text := Text{Files: []string{write(t, "text", randomText(rand.New(rand.NewPCG(31, 32)), 60, 20, 40))}, Tokenised: true}
	v, _, err := BuildVocabulary(t.Context(), text, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c, err = NewCounting(v, 3, 2000, 0); err != nil {
		t.Fatal(err)
	}
	run = filepath.Join(t.TempDir(), "run")
	if _, err := c.Shard(t.Context(), text, Key{7}, run, nil); err != nil {
		t.Fatal(err)
	}
	return c, run
}

// readRun reads a file to its end.
func readRun(ctx context.Context, c *Counting, path string) error {
	run, err := OpenRun(path, Key{7})
	if err != nil {
		return err
	}
	return c.Write(ctx, []*Run{run}, path+".counts", nil)
}

// Whatever byte is changed, wherever a file is cut: it is found and named, and nothing comes out.
func TestDamageIsFound(t *testing.T) {
	c, run := runOf(t)
	whole, err := os.ReadFile(run)
	if err != nil {
		t.Fatal(err)
	}
	if err := readRun(t.Context(), c, run); err != nil {
		t.Fatal(err)
	}
	os.Remove(run + ".counts")
	check := func(what string, content []byte) {
		t.Helper()
		if err := os.WriteFile(run, content, 0o666); err != nil {
			t.Fatal(err)
		}
		var damaged *DamagedError
		err := readRun(t.Context(), c, run)
		if !errors.As(err, &damaged) || damaged.Path != run || !strings.Contains(err.Error(), run) {
			t.Errorf("%s: error %v", what, err)
		}
		if _, err := os.Stat(run + ".counts"); err == nil {
			t.Errorf("%s: counts were written", what)
		}
	}
	step := max(1, len(whole)/100)
	for at := 0; at < len(whole); at += step {
		changed := slices.Clone(whole)
		changed[at] ^= 1 << (at % 8)
		check(fmt.Sprintf("byte %d of %d changed", at, len(whole)), changed)
		check(fmt.Sprintf("cut at %d", at), whole[:at])
	}
	check("longer", append(slices.Clone(whole), 0))
	if _, err := OpenRun(run+"?", Key{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}

	// Files of words have a checksum elsewhere; what is no line of theirs is named all the same.
	words := filepath.Join(t.TempDir(), "words")
	for _, content := range []string{"a\n", "a 1 2\n", "a 0\n", "b 1\na 1\n", "a 1\na 1\n", "\n", " 1\n"} {
		if err := os.WriteFile(words, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		var damaged *DamagedError
		if _, err := MergeWords(t.Context(), []string{words}, 1); !errors.As(err, &damaged) || damaged.Path != words {
			t.Errorf("%q: error %v", content, err)
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add("a 1\nab 200\nb 3\n")
	f.Add("a 1\nab 20")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, content string) {
		path := filepath.Join(dir, fmt.Sprint(os.Getpid()))
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		v, err := MergeWords(t.Context(), []string{path, path}, 1)
		if err != nil {
			return
		}
		again := map[string]int64{}
		for i, word := range v.Words {
			again[word] = v.Counts[i]
		}
		for line := range strings.Lines(content) {
			word, count, _ := strings.Cut(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), " ")
			if n, err := strconv.ParseInt(count, 10, 64); err != nil || again[word] != 2*n {
				t.Errorf("%q: %d times, want twice %d (%v)", word, again[word], n, err)
			}
		}
	})
}
