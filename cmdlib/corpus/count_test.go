package corpus

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// write makes a file of the test's own.
func write(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// small makes texts be read in pieces of a few bytes.
func small(t testing.TB, chunk, line int) {
	c, l := chunkSize, longestLine
	chunkSize, longestLine = chunk, line
	t.Cleanup(func() { chunkSize, longestLine = c, l })
}

// randomText has words with a distribution as skewed as that of a language.
func randomText(random *rand.Rand, lines, words, types int) string {
	var text strings.Builder
	for range lines {
		for i := range random.IntN(words + 1) {
			if i > 0 {
				text.WriteByte(" \t"[random.IntN(20)/19])
			}
			fmt.Fprintf(&text, "w%d", int(float64(types)*math.Pow(random.Float64(), 3)))
		}
		text.WriteByte('\n')
	}
	return text.String()
}

// bruteForce counts by the definition, in rational numbers: all pairs of known words of
// a line.
func bruteForce(text string, v *Vocabulary, window int) map[[2]int32]*big.Rat {
	sums := map[[2]int32]*big.Rat{}
	for line := range strings.Lines(text) {
		var known []int32
		for _, word := range strings.Fields(line) {
			if id, ok := v.ID(word); ok {
				known = append(known, id)
			}
		}
		for i := range known {
			for j := range known {
				d := max(i-j, j-i)
				if d == 0 || d > window {
					continue
				}
				pair := [2]int32{known[i], known[j]}
				if sums[pair] == nil {
					sums[pair] = new(big.Rat)
				}
				sums[pair].Add(sums[pair], big.NewRat(1, int64(d)))
			}
		}
	}
	return sums
}

func TestCountEqualsBruteForce(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct{ lines, words, types, window, minCount int }{
		{0, 0, 1, 10, 1}, {1, 1, 1, 1, 1}, {1, 200, 5, 10, 1}, {50, 30, 40, 1, 1}, {50, 30, 40, 2, 2},
		{200, 40, 100, 10, 3}, {300, 12, 5000, 15, 1}, {40, 60, 30, MaxWindow, 2}, {500, 3, 20, 10, 1},
	} {
		text := randomText(random, c.lines, c.words, c.types) + "the end"
		path := write(t, "text", text)
		for _, size := range []int{1 << 20, 64, 3} {
			small(t, size, 16)
			v, built, err := BuildVocabulary(t.Context(), Text{Files: []string{path}, Tokenised: true}, int64(c.minCount), nil)
			if err != nil {
				t.Logf("%+v: %v", c, err)
				continue
			}
			got, stats, err := Count(t.Context(), Text{Files: []string{path}, Tokenised: true}, v, c.window, nil)
			if err != nil {
				t.Fatal(err)
			}
			if stats != built || stats.Known != v.total || int(stats.Lines) != c.lines+1 || int(stats.Tokens) != len(strings.Fields(text)) {
				t.Errorf("%+v: stats %+v, for the vocabulary %+v", c, stats, built)
			}
			if err := got.Validate(); err != nil {
				t.Fatal(err)
			}
			want := bruteForce(text, v, c.window)
			if len(want) != got.NonZeros() {
				t.Errorf("%+v, chunks of %d: %d non-zeros, want %d", c, size, got.NonZeros(), len(want))
			}
			for i := range v.Len() {
				columns, values := got.Row(i)
				for e, j := range columns {
					w := want[[2]int32{int32(i), j}]
					if w == nil {
						t.Fatalf("%+v: entry (%d, %d) = %v, want none", c, i, j, values[e])
					}
					if exact, _ := w.Float64(); values[e] != exact {
						t.Fatalf("%+v: entry (%d, %d) = %v, want %v", c, i, j, values[e], exact)
					}
				}
			}
		}
	}
}

// TestCountToFile checks that little memory changes no bit.
func TestCountToFile(t *testing.T) {
	small(t, 1000, 1<<20)
	least := leastTokens
	defer func() { leastTokens = least }()
	text := Text{Files: []string{write(t, "text", randomText(rand.New(rand.NewPCG(11, 12)), 2000, 30, 3000))}, Tokenised: true}
	v, _, err := BuildVocabulary(t.Context(), text, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, stats, err := Count(t.Context(), text, v, 10, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole")
	if err := WriteCooccurrences(t.Context(), whole, c); err != nil {
		t.Fatal(err)
	}
	want, _ := os.ReadFile(whole)
	for _, leastTokens = range []int{least, 10_000, 500, 1} {
		path := filepath.Join(dir, "limited")
		last := int64(-1)
		got, err := CountToFile(t.Context(), text, v, CountFile{Path: path, Window: 10}, func(done, total int64) {
			if done < last || done > total {
				t.Errorf("progress %d of %d after %d", done, total, last)
			}
			last = done
		})
		if err != nil || got != stats {
			t.Fatalf("%+v, error %v, want %+v", got, err, stats)
		}
		if written, _ := os.ReadFile(path); !bytes.Equal(written, want) {
			t.Errorf("pieces of %d tokens: other counts", leastTokens)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	never := CountFile{Path: filepath.Join(dir, "never"), Window: 10}
	if _, err := CountToFile(ctx, text, v, never, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	absent := CountFile{Path: filepath.Join(dir, "absent", "x"), Window: 10}
	if _, err := CountToFile(t.Context(), text, v, absent, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want that of the folder", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left %v behind", left)
	}
}

// TestCountByHand is a line small enough to count on paper: window 2, x unknown.
func TestCountByHand(t *testing.T) {
	path := write(t, "text", "a x b a\nb\n")
	v, err := NewVocabulary([]string{"a", "b"}, []int64{2, 2})
	if err != nil {
		t.Fatal(err)
	}
	got, stats, err := Count(t.Context(), Text{Files: []string{path}, Tokenised: true}, v, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	// a–b at 1, b–a at 1, a–a at 2 from both of its ends.
	want := &Counts{Rows: 2, Cols: 2, Start: []int64{0, 2, 3}, Index: []int32{0, 1, 0}, Value: []float64{1, 2, 2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if want := (Stats{Lines: 2, Tokens: 5, Known: 4}); stats != want {
		t.Errorf("stats %+v, want %+v", stats, want)
	}
}

func TestSameBitsForAnyNumberOfThreads(t *testing.T) {
	small(t, 500, 1<<20)
	random := rand.New(rand.NewPCG(3, 4))
	text := Text{Tokenised: true}
	for i := range 3 {
		text.Files = append(text.Files, write(t, fmt.Sprint(i), randomText(random, 300, 30, 500)))
	}
	var first *Counts
	var words []string
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, threads := range []int{1, 2, 4, 7} {
		runtime.GOMAXPROCS(threads)
		v, _, err := BuildVocabulary(t.Context(), text, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		c, _, err := Count(t.Context(), text, v, 10, nil)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first, words = c, v.Words
		}
		if !slices.Equal(words, v.Words) || !cmp.Equal(first, c) {
			t.Errorf("%d threads: another result", threads)
		}
	}
	for i := range first.Rows {
		columns, values := first.Row(i)
		for e, j := range columns {
			back, mirrored := first.Row(int(j))
			at, ok := slices.BinarySearch(back, int32(i))
			if !ok || mirrored[at] != values[e] {
				t.Fatalf("entry (%d, %d) is %v, but (%d, %d) differs", i, j, values[e], j, i)
			}
		}
	}
}

func TestCountRefusesWindows(t *testing.T) {
	v, _ := NewVocabulary([]string{"a"}, []int64{1})
	for _, window := range []int{-1, 0, MaxWindow + 1} {
		if _, _, err := Count(t.Context(), Text{Files: []string{write(t, "text", "a")}, Tokenised: true}, v, window, nil); err == nil || !strings.Contains(err.Error(), "expected 1 to 22") {
			t.Errorf("window %d: error %v", window, err)
		}
	}
}

func TestWeights(t *testing.T) {
	for window := 1; window <= MaxWindow; window++ {
		w, err := inverseDistances(window)
		if err != nil {
			t.Fatal(err)
		}
		for i, weight := range w.of {
			if weight*uint64(i+1) != w.scale {
				t.Errorf("window %d: %d·%d ≠ %d", window, weight, i+1, w.scale)
			}
		}
		// What Count's comment says of exactness.
		if window == 10 && w.scale != 2520 {
			t.Errorf("scale %d, want 2520", w.scale)
		}
	}
}

func TestEndOfContext(t *testing.T) {
	path := write(t, "text", randomText(rand.New(rand.NewPCG(5, 6)), 200, 20, 50))
	text := Text{Files: []string{path}, Tokenised: true}
	v, _, err := BuildVocabulary(t.Context(), text, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	small(t, 100, 1<<20)
	// End at the n-th report of progress, from the first to beyond the last.
	for n := 0; n < 80; n += 3 {
		ctx, cancel := context.WithCancel(t.Context())
		reports, previous := 0, int64(0)
		_, _, err := Count(ctx, text, v, 10, func(done, total int64) {
			if done < previous || done > total {
				t.Errorf("progress %d of %d after %d", done, total, previous)
			}
			if previous = done; reports == n {
				cancel()
			}
			reports++
		})
		cancel()
		if err != nil && !errors.Is(err, context.Canceled) || reports > n+8 && err == nil {
			t.Errorf("end at report %d of %d: error %v", n, reports, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := BuildVocabulary(ctx, text, 1, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// records encodes triples as cooccurrence.bin does.
func records(triples ...[3]float64) string {
	var b []byte
	for _, r := range triples {
		b = binary.LittleEndian.AppendUint32(b, uint32(int32(r[0])))
		b = binary.LittleEndian.AppendUint32(b, uint32(int32(r[1])))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(r[2]))
	}
	return string(b)
}

func TestCooccurrenceFile(t *testing.T) {
	sorted := records([3]float64{1, 1, 0.5}, [3]float64{1, 3, 2}, [3]float64{3, 1, 2}, [3]float64{3, 2, 0.1})
	want := &Counts{Rows: 3, Cols: 3, Start: []int64{0, 2, 2, 4}, Index: []int32{0, 2, 0, 1}, Value: []float64{0.5, 2, 2, 0.1}}
	for name, content := range map[string]string{
		"sorted":   sorted,
		"shuffled": sorted[32:] + sorted[16:32] + sorted[:16],
		"twice":    sorted[16:] + records([3]float64{1, 1, 0.25}, [3]float64{1, 1, 0.25}),
	} {
		got, err := ReadCooccurrences(t.Context(), write(t, name, content), 3, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		path := filepath.Join(t.TempDir(), "written")
		if err := WriteCooccurrences(t.Context(), path, got); err != nil {
			t.Fatal(err)
		}
		if written, _ := os.ReadFile(path); string(written) != sorted {
			t.Errorf("%s: wrote %x, want %x", name, written, sorted)
		}
	}
	if c, err := ReadCooccurrences(t.Context(), write(t, "empty", ""), 3, nil); err != nil || c.NonZeros() != 0 || c.Validate() != nil {
		t.Errorf("empty file: %v, error %v", c, err)
	}
}

// Reading and writing stop when they are told to.
func TestCooccurrencesCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	content := records([3]float64{1, 1, 0.5})
	path := write(t, "cooccurrence.bin", content)
	if _, err := ReadCooccurrences(ctx, path, 3, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("reading: error %v", err)
	}
	c, err := ReadCooccurrences(t.Context(), path, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteCooccurrences(ctx, path, c); !errors.Is(err, context.Canceled) {
		t.Errorf("writing: error %v", err)
	}
	if left, err := os.ReadFile(path); err != nil || string(left) != content {
		t.Errorf("%q is left, error %v", left, err)
	}
}

func TestMalformedCooccurrences(t *testing.T) {
	good := records([3]float64{1, 2, 1})
	for _, c := range []struct{ content, want string }{
		{good + good[:5], "record 2: 5 bytes, expected 16; the file is cut short"},
		{good + records([3]float64{0, 1, 1}), "record 2: ids 0 and 1, expected 1 to 3"},
		{good + good + records([3]float64{1, 4, 1}), "record 3: ids 1 and 4, expected 1 to 3; does the vocabulary"},
		{records([3]float64{-1, 1, 1}), "record 1: ids -1 and 1"},
		{records([3]float64{1, 1, math.NaN()}), "record 1: count of words 1 and 1 is NaN, expected a positive number"},
		{records([3]float64{1, 1, -2}), "is -2, expected a positive number"},
		{records([3]float64{1, 1, 0}), "is 0, expected a positive number"},
		{records([3]float64{1, 1, math.Inf(1)}), "is +Inf, expected a positive number"},
		{records([3]float64{2, 1, 1e308}, [3]float64{2, 1, 1e308}), "counts of words 2 and 1 add up to more"},
	} {
		path := write(t, "cooccurrence.bin", c.content)
		_, err := ReadCooccurrences(t.Context(), path, 3, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	if _, err := ReadCooccurrences(t.Context(), filepath.Join(t.TempDir(), "absent"), 3, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v for an absent file", err)
	}
	path := filepath.Join(t.TempDir(), "x")
	if err := WriteCooccurrences(t.Context(), path, &Counts{Rows: 1, Cols: 1, Start: []int64{0, 1}, Index: []int32{0}, Value: []float64{math.NaN()}}); err == nil {
		t.Error("wrote a NaN")
	}
	if left, _ := filepath.Glob(filepath.Dir(path) + "/*"); len(left) > 0 {
		t.Errorf("left %v behind", left)
	}
}

func FuzzReadCooccurrences(f *testing.F) {
	f.Add([]byte(records([3]float64{1, 1, 0.5}, [3]float64{3, 1, 2})))
	f.Add([]byte(records([3]float64{3, 1, 0.5}, [3]float64{1, 1, 2}, [3]float64{3, 1, 1})))
	f.Add([]byte(records([3]float64{9, 1, 0.5}))[:9])
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(dir, fmt.Sprint(os.Getpid()))
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		c, err := ReadCooccurrences(t.Context(), path, 5, nil)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "corpus: "+path) {
				t.Errorf("error %q does not name the file", err)
			}
			return
		}
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
		if err := WriteCooccurrences(t.Context(), path, c); err != nil {
			t.Fatal(err)
		}
		written, _ := os.ReadFile(path)
		again, err := ReadCooccurrences(t.Context(), path, 5, nil)
		if err != nil || !cmp.Equal(c, again) {
			t.Errorf("%v after writing and reading, error %v, want %v", again, err, c)
		}
		if c.NonZeros()*recordSize == len(content) && slices.IsSortedFunc(keys(content), bytes.Compare) && !bytes.Equal(written, content) && !isCompressed(content) {
			t.Errorf("wrote %x, read %x", written, content)
		}
	})
}

// keys returns the pairs of ids as bytes that sort as the ids do.
func keys(content []byte) [][]byte {
	var keys [][]byte
	for ; len(content) >= recordSize; content = content[recordSize:] {
		k := slices.Clone(content[:8])
		slices.Reverse(k[:4])
		slices.Reverse(k[4:])
		keys = append(keys, k)
	}
	return keys
}

func isCompressed(content []byte) bool {
	return slices.ContainsFunc([]string{"\x1f\x8b", "\x28\xb5\x2f\xfd"}, func(magic string) bool { return bytes.HasPrefix(content, []byte(magic)) })
}
