package embedding

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"contextmover/internal/bounded"
)

func random(n, dim int) *Vectors {
	r := rand.New(rand.NewPCG(1, 2))
	words := make([]string, n)
	data := make([]float32, n*dim)
	for i := range words {
		words[i] = fmt.Sprintf("wörd%d", i)
	}
	for i := range data {
		data[i] = float32(r.NormFloat64())
	}
	v, err := New(words, dim, data)
	if err != nil {
		panic(err)
	}
	return v
}

func same(t *testing.T, got, want *Vectors) {
	t.Helper()
	if got.Dim != want.Dim || !slices.Equal(got.Words, want.Words) || !slices.Equal(got.Data, want.Data) {
		t.Fatalf("%d words of %d components differ from the %d of %d written", got.Len(), got.Dim, want.Len(), want.Dim)
	}
}

func file(t testing.TB, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "v.txt")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestNew(t *testing.T) {
	v, err := New([]string{"a", "b"}, 2, []float32{3, 4, 0, 0})
	if err != nil {
		t.Fatal(err)
	}
	if id, ok := v.ID("b"); !ok || id != 1 {
		t.Errorf("b has index %d, %v", id, ok)
	}
	if _, ok := v.ID("c"); ok {
		t.Error("found a word that is not there")
	}
	if n := v.Normalised(); !slices.Equal(n.Data, []float32{0.6, 0.8, 0, 0}) {
		t.Errorf("normalised to %v", n.Data)
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		words []string
		dim   int
		data  []float32
		want  string
	}{
		{[]string{"a"}, 0, nil, "0 components"},
		{[]string{"a"}, 2, []float32{1}, "expected 2"},
		{[]string{"a", ""}, 1, []float32{1, 2}, `word 1, "", expected text`},
		{[]string{"a", "b\x00"}, 1, []float32{1, 2}, `word 1, "b\x00", expected text without NUL`},
		{[]string{"a", "b", "a"}, 1, []float32{1, 2, 3}, `words 0 and 2 are both "a"`},
		{[]string{"a", "b"}, 2, []float32{1, 2, 3, nan}, `"b": component 2 is NaN`},
		{[]string{"a", "b"}, 1, []float32{inf, 2}, `"a": component 1 is +Inf`},
	} {
		if _, err := New(c.words, c.dim, c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}

// Extreme norms neither overflow nor vanish.
func TestNormalisedExtremes(t *testing.T) {
	v, err := New([]string{"large", "small"}, 2, []float32{3e38, 3e38, 1e-45, 0})
	if err != nil {
		t.Fatal(err)
	}
	h := float32(math.Sqrt(0.5))
	if n := v.Normalised(); !slices.Equal(n.Data, []float32{h, h, 1, 0}) {
		t.Errorf("normalised to %v", n.Data)
	}
}

func TestRoundTrip(t *testing.T) {
	v := random(3000, 7)
	copy(v.Data, []float32{0, 1, -1, largest, math.SmallestNonzeroFloat32, 1e-5, 16777217})
	write := map[Format]func(string) error{
		GloVe:          func(p string) error { return v.Write(t.Context(), p, GloVe) },
		Word2Vec:       func(p string) error { return v.Write(t.Context(), p, Word2Vec) },
		Word2VecBinary: func(p string) error { return v.Write(t.Context(), p, Word2VecBinary) },
	}
	for format, write := range write {
		dir := t.TempDir()
		path := filepath.Join(dir, "v")
		if err := write(path); err != nil {
			t.Fatal(err)
		}
		if files, _ := os.ReadDir(dir); len(files) != 1 {
			t.Errorf("%s: files %v left", format, files)
		}
		plain, _ := os.ReadFile(path)
		var zipped, zstandard bytes.Buffer
		g := gzip.NewWriter(&zipped)
		g.Write(plain)
		g.Close()
		z, _ := zstd.NewWriter(&zstandard)
		z.Write(plain)
		z.Close()
		for _, content := range [][]byte{plain, zipped.Bytes(), zstandard.Bytes()} {
			os.WriteFile(path, content, 0o600)
			got, err := Read(t.Context(), path)
			if err != nil {
				t.Fatalf("%s: %v", format, err)
			}
			same(t, got, v)
			if got, err = readAs(t.Context(), path, format); err != nil {
				t.Fatal(err)
			}
			same(t, got, v)
		}
		os.WriteFile(path, zipped.Bytes()[:zipped.Len()/2], 0o600)
		if _, err := Read(t.Context(), path); err == nil || !strings.Contains(err.Error(), path+": damaged gzip file") {
			t.Errorf("%s, cut gzip: error %v", format, err)
		}
		os.WriteFile(path, zstandard.Bytes()[:zstandard.Len()/2], 0o600)
		if _, err := Read(t.Context(), path); err == nil || !strings.Contains(err.Error(), path+": damaged zstd file") {
			t.Errorf("%s, cut zstd: error %v", format, err)
		}
	}
}

// A small file that holds much is read no further than the bound, and vectors that memory has no room
// for are not begun.
func TestBomb(t *testing.T) {
	const limit = 1 << 20
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"zeros":   make([]byte, 64*limit),
		"vectors": bytes.Repeat([]byte("a 0.1 0.1\n"), 4*limit),
	} {
		path := file(t, z.EncodeAll(content, nil))
		if info, err := os.Stat(path); err != nil || info.Size() > limit/10 {
			t.Fatalf("%s: no bomb: %v, %v", name, info.Size(), err)
		}
		got, err := readAll(t.Context(), path, limit)
		if got != nil || !errors.Is(err, bounded.ErrTooLarge) || !strings.Contains(err.Error(), path+": holds more than 1.0 MB") {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	if err := allocate("v.txt", math.MaxInt32, 1<<20); bounded.Allocate(1<<50) != nil && (!errors.Is(err, bounded.ErrTooLarge) || !strings.Contains(err.Error(), "v.txt: 2147483647 vectors of 1048576 components")) {
		t.Error(err)
	}
}

// Reading and writing stop when they are told to.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	v := random(2000, 7)
	path := filepath.Join(t.TempDir(), "v")
	write := map[Format]func(ctx context.Context) error{
		GloVe:          func(ctx context.Context) error { return v.Write(ctx, path, GloVe) },
		Word2Vec:       func(ctx context.Context) error { return v.Write(ctx, path, Word2Vec) },
		Word2VecBinary: func(ctx context.Context) error { return v.Write(ctx, path, Word2VecBinary) },
	}
	for format, write := range write {
		if err := write(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(ctx, path); !errors.Is(err, context.Canceled) {
			t.Errorf("reading %s: error %v", format, err)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decode(ctx, path, content, format); !errors.Is(err, context.Canceled) {
			t.Errorf("decoding %s: error %v", format, err)
		}
		if err := write(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("writing %s: error %v", format, err)
		}
	}
}

// What cannot be decompressed is not read as text, and a byte order mark is no part of a word.
func TestStart(t *testing.T) {
	for kind, magic := range map[string]string{"bzip2": "BZh91AY&SY", "xz": "\xfd7zXZ\x00"} {
		path := file(t, []byte(magic+" a 1 2\n"))
		if _, err := Read(t.Context(), path); err == nil || !strings.Contains(err.Error(), path+": is compressed with "+kind) || !strings.Contains(err.Error(), "decompress it first") {
			t.Errorf("%s: error %v", kind, err)
		}
	}
	for _, content := range []string{"\ufeffa 1 2\nb 3 4\n", "\ufeff2 2\na 1 2\nb 3 4\n"} {
		v, err := Read(t.Context(), file(t, []byte(content)))
		if err != nil || !slices.Equal(v.Words, []string{"a", "b"}) {
			t.Errorf("%q: %v, error %v", content, v, err)
		}
	}
	v, err := New([]string{byteOrderMark + "a"}, 1, []float32{1})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "v")
	if err := v.Write(t.Context(), path, GloVe); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(t.Context(), path); err != nil || !slices.Equal(got.Words, v.Words) {
		t.Errorf("wrote %q, read %v, error %v", v.Words, got, err)
	}
}

// A text of several blocks gives the same vectors and the same first error whatever
// the number of threads.
func TestThreads(t *testing.T) {
	v := random(6000, 40) // 3 MB
	path := filepath.Join(t.TempDir(), "v")
	if err := v.Write(t.Context(), path, GloVe); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(path)
	lines := strings.SplitAfter(string(text), "\n")
	lines[4000], lines[5000] = "x y\n", "z\n"
	bad := file(t, []byte(strings.Join(lines, "")))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, threads := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(threads)
		got, err := Read(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, v)
		if _, err := Read(t.Context(), bad); err == nil || !strings.Contains(err.Error(), ":4001: 1 components, expected 40") {
			t.Errorf("%d threads: error %v", threads, err)
		}
	}
}

func TestVariants(t *testing.T) {
	record := func(word string, xs ...float32) string {
		b := []byte(word + " ")
		for _, x := range xs {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
		return string(b)
	}
	for _, c := range []struct {
		name, content string
		words         []string
		dim           int
		data          []float32
	}{
		{"no line end", "a 1 2\nb 3 4", []string{"a", "b"}, 2, []float32{1, 2, 3, 4}},
		{"line ends of Windows, tabs, blanks", "a\t1 2\r\nb  3\t 4 \r\n\r\n", []string{"a", "b"}, 2, []float32{1, 2, 3, 4}},
		{"fastText", "2 3\n</s> 1 2 3 \nb -4 +5e-1 .5e1 \n", []string{"</s>", "b"}, 3, []float32{1, 2, 3, -4, 0.5, 5}},
		{"header and nothing", "0 3\n", []string{}, 3, []float32{}},
		{"words with blanks, GloVe 840B", "a 1 2 3\n. . . 4 5 6\nto name@domain.com 7 8 9\nb 1 1 1\n", []string{"a", ". . .", "to name@domain.com", "b"}, 3, []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 1, 1}},
		{"word with a blank first", ". . 1 2\na 3 4\nb 5 6\n", []string{". .", "a", "b"}, 2, []float32{1, 2, 3, 4, 5, 6}},
		{"numbers as words", "1 2 3\n2 4 5\n", []string{"1", "2"}, 2, []float32{2, 3, 4, 5}},
		{"foreign white space is no separator", "a\u00a0b 1 2\n\u0085 3 4\n", []string{"a\u00a0b", "\u0085"}, 2, []float32{1, 2, 3, 4}},
		{"control character in a word", "3 2\nx\x01y 0.1 0.9\na\x7f 1 2\nb 3 4\n", []string{"x\x01y", "a\x7f", "b"}, 2, []float32{0.1, 0.9, 1, 2, 3, 4}},
		{"control character first, one component", "2 1\n\x01 1\nb 3\n", []string{"\x01", "b"}, 1, []float32{1, 3}},
		{"word that is not UTF-8", "2 2\ncaf\xe9 1 2\nb 3 4\n", []string{"caf\xe9", "b"}, 2, []float32{1, 2, 3, 4}},
		{"white space as a word below a header", "4 2\na 1 2\n\t 3 4\n  5 6 \n\u00a0 7 8\n", []string{"a", "\t", " ", "\u00a0"}, 2, []float32{1, 2, 3, 4, 5, 6, 7, 8}},
		{"blanks and numbers in a word below a header", "4 2\na 1 2\nNo. 1 3 4\n1 000 000 5 6\n1\t2  7\t8\r\n", []string{"a", "No. 1", "1 000 000", "1\t2"}, 2, []float32{1, 2, 3, 4, 5, 6, 7, 8}},
		{"the same in the first line", "2 1\nSt. 9 1\na 2\n", []string{"St. 9", "a"}, 1, []float32{1, 2}},
		{"binary with text in its numbers", "2 1\n" + record("a", 0x1.62626p-1) + "\n" + record("b c", 1)[2:], []string{"a", "c"}, 1, []float32{0x1.62626p-1, 1}},
		{"binary without line ends", "2 2\n" + record("a", 1, 2) + record("b", 3, 4), []string{"a", "b"}, 2, []float32{1, 2, 3, 4}},
		{"binary with line ends", "2 1\n" + record("a", 1) + "\n" + record("b", 3) + "\n", []string{"a", "b"}, 1, []float32{1, 3}},
	} {
		v, err := Read(t.Context(), file(t, []byte(c.content)))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !slices.Equal(v.Words, c.words) || v.Dim != c.dim || !slices.Equal(v.Data, c.data) {
			t.Errorf("%s: words %q, components %v", c.name, v.Words, v.Data)
		}
	}
	v, err := readAs(t.Context(), file(t, []byte("1 2\n3 4\n5 6\n")), GloVe)
	if err != nil || v.Len() != 3 || v.Dim != 1 {
		t.Errorf("GloVe of one component: %v, error %v", v, err)
	}
}

func TestErrors(t *testing.T) {
	one := "\x00\x00\x80\x3f"
	for _, c := range []struct{ name, content, want string }{
		{"empty", "", "empty"},
		{"blank lines", "\n\n", "no components"},
		{"words only", "a\nb\n", "no components"},
		{"cut line", "a 1 2 3\nb 1 2 3\nc 1 2", ":3: 2 components, expected 3"},
		{"cut within a number is seen if nothing is left", "a 1 2 3\nb 1 2 3\nc 1 2 -", `word "c": component 3 is "-"`},
		{"one too many", "a 1 2\nb 1 2\nc 1 2 3\n", ":3: 3 components, expected 2"},
		{"joined lines", "a 1 2\nb 1 2\nc 1 2d 1 2\n", ":3: "},
		{"empty line", "a 1 2\n\nb 1 2\n", ":2: 0 components"},
		{"not a number", "a 1 2\nb 1 x\n", `:2: word "b": component 2 is "x", expected a number`},
		{"hexadecimal", "a 1 2\nb 1 0x1p3\n", `component 2 is "0x1p3"`},
		{"NaN", "a 1 2\nb nan 1\n", `:2: word "b": component 1 is NaN`},
		{"infinity", "a 1 2\nb 1 -inf\n", `:2: word "b": component 2 is -Inf`},
		{"too large", "a 1 2\nb 1 1e39\n", `:2: word "b": component 2 is +Inf`},
		{"too large for distances", "a 1 2\nb 1 -3.4e38\n", `:2: word "b": component 2 is -3.4e+38, expected a number from -1e+15 to 1e+15`},
		{"too large in binary", "1 1\na \x00\x00\x7f\x7f", `record 1, word "a": component 1 is 3.3895314e+38, expected a number from -1e+15`},
		{"no word", "a 1 2\n 1 2\n", ":2: "},
		{"twice", "a 1 2\nb 1 2\na 3 4\n", `line 3: the word "a" was already in line 1`},
		{"twice below a header", "2 2\na 1 2\na 3 4\n", `line 3: the word "a" was already in line 2`},
		{"too few lines", "3 2\na 1 2\nb 1 2\n", "announces 3 words, 2 lines follow"},
		{"too many lines", "1 2\na 1 2\nb 1 2\n", "announces 1 words, 2 lines follow"},
		{"dimension of the header", "2 3\na 1 2\nb 1 2\n", ":2: "},
		{"huge header", "2000000000 2000000000\na 1 2\nb 1 2\n", "cannot hold"},
		{"cut binary", "2 1\nab " + one + "b \x00\x00\x00", "record 2 of 2 is cut"},
		{"very cut binary", "9 1\na " + one, "announces 9 words"},
		{"binary without a blank", "1 1\n\x00\x00\x00\x00\x00\x00\x00\x00", "record 1 of 1 is cut"},
		{"long binary", "1 1\na " + one + "b " + one, "6 bytes follow the 1 records"},
		{"binary NaN", "1 1\na \x00\x00\xc0\x7f", `record 1, word "a": component 1 is NaN`},
		{"binary twice", "2 1\na " + one + "a " + one, `record 2: the word "a" was already in record 1`},
		{"NUL", "a 1 2\nb\x00c 1 2\n", `:2: "b\x00c 1 2" holds a NUL byte`},
		{"NUL below a header", "2 2\na 1 2\nb\x00c 1 2\n", `:3: "b\x00c 1 2" holds a NUL byte`},
		{"no word below a header", "2 2\na 1 2\n 1 2\n", ":3: the line begins with a blank, expected a word; remove the line"},
		{"cut line below a header", "2 2\na 1 2\nb 1\n", ":3: 1 components, expected 2"},
		{"not a number below a header", "2 2\na 1 2\nNo. 1 x 2\n", `:3: word "No. 1": component 1 is "x"`},
		{"binary NUL", "2 1\na " + one + "b\x00 " + one, `record 2: the word "b\x00" holds a NUL byte`},
		{"UTF-16", "\xff\xfea\x00 \x001\x00\n\x00", ":1: "},
		{"binary no word", "1 1\n " + one + "\n\n", "record 1 begins with a blank"},
	} {
		v, err := Read(t.Context(), file(t, []byte(c.content)))
		if err == nil || v != nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "v.txt") {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
	if _, err := Read(t.Context(), filepath.Join(t.TempDir(), "absent")); err == nil {
		t.Error("read a file that does not exist")
	}
	if _, err := readAs(t.Context(), file(t, []byte("a 1\n")), Word2Vec); err == nil || !strings.Contains(err.Error(), "header") {
		t.Errorf("no header: error %v", err)
	}
	dir := t.TempDir()
	for _, word := range []string{"a\nb", "a 1", " a", "a  b"} {
		v, err := New([]string{word}, 1, []float32{1})
		if err != nil {
			t.Fatal(err)
		}
		if err := v.Write(t.Context(), filepath.Join(dir, "v"), GloVe); err == nil {
			t.Errorf("wrote the word %q", word)
		}
		if err := v.Write(t.Context(), filepath.Join(dir, "v"), Word2VecBinary); err == nil {
			t.Errorf("wrote the word %q", word)
		}
	}
	if err := random(2, 2).Write(t.Context(), filepath.Join(dir, "absent", "v"), GloVe); err == nil {
		t.Error("wrote into a folder that does not exist")
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("files %v left", files)
	}
}

// Every number is the float32 nearest to the text, as strconv has it.
func TestParseFloat(t *testing.T) {
	check := func(text string) {
		t.Helper()
		want, err := strconv.ParseFloat(text, 32)
		got, length, ok := parseFloat([]byte(text + " 1"))
		if ok != (err == nil || math.IsInf(want, 0)) || ok && (math.Float32bits(got) != math.Float32bits(float32(want)) || length != len(text)) {
			t.Errorf("%q: %v, %d bytes, %v; want %v, %v", text, got, length, ok, want, err)
		}
	}
	for _, text := range []string{
		"0", "-0", "1", "+1.5", ".5", "5.", "1e5", "1E-5", "1e+05", "-1.25e2", "e5", ".", "-", "+", "", "1e", "1e+", "1-", "1.2.3", "abc", "1e400", "1e-400",
		"16777217", "16777217.0000001", "16777219", "8388608.5", "8388609.5", // half way between two float32
		"9007199791611905", "9007199791611904.5", "1.000000059604644775390625", "1.000000059604644775390626", "1.0000000596046447753906249",
		"340282346638528859811704183484516925440", "340282356779733661637539395458142568447", "340282356779733661637539395458142568448",
		"1.1754943e-38", "1.17549429e-38", "1e-45", "7e-46", "7.1e-46", "123456789012345678901234567890", "0.000000000000000000000000000001",
		"00000000000000000000000000000000001", "1e00000000000000000005", "1e99999999999999999999",
	} {
		check(text)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 200000 {
		x := math.Float32frombits(r.Uint32())
		if x-x != 0 {
			continue
		}
		check(strconv.FormatFloat(float64(x), 'g', -1, 32))
		check(strconv.FormatFloat(r.NormFloat64(), 'f', r.IntN(18), 64))
		// The decimal expansion of a point half way between two float32, and near it.
		half := float64(x) * (1 + 0x1p-24)
		check(strconv.FormatFloat(half, 'e', 10+r.IntN(20), 64))
	}
}

func FuzzParseFloat(f *testing.F) {
	for _, s := range []string{"1.5", "-3e-7", "inf", "nan", "0x1", "1_0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, " \t_xX") {
			return
		}
		want, err := strconv.ParseFloat(text, 32)
		got, _, ok := parseFloat([]byte(text))
		if ok != (err == nil || math.IsInf(want, 0)) || ok && got != float32(want) && want == want {
			t.Errorf("%q: %v, %v; want %v, %v", text, got, ok, want, err)
		}
	})
}

// FuzzDecode feeds every reader: it must not panic, and what it accepts has to
// survive writing and reading again.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		"a 1 2\nb 3 4\n", "2 2\na 1 2\nb 3 4\n", "1 1\na \x00\x00\x80\x3f\n", "9 9\n", ". . 1\na 1\n", "a nan\n", "1 2\n", "\n", "0 1\n", "1 99999999\na 1\n", "\ufeffa 1\n",
		"2 1\n\t 1\nNo. 1 2\n", "1 1\n\x01 1\n", "1 2\n  1 2 \n",
		"00 1000000000\n0000000000000000000000",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, format := range []Format{detect(content), GloVe, Word2Vec, Word2VecBinary} {
			v, err := decode(t.Context(), "fuzz", content, format)
			if err != nil {
				if v != nil || !strings.HasPrefix(err.Error(), "embedding: ") {
					t.Fatalf("%v, error %q", v, err)
				}
				continue
			}
			if len(v.Data) != v.Len()*v.Dim {
				t.Fatalf("%d components for %d words of %d", len(v.Data), v.Len(), v.Dim)
			}
			if v.Len() == 0 {
				continue
			}
			// In memory: a file is synced to disk, which takes far longer.
			again := func(format Format, encode func(w *bufio.Writer) error) {
				var content bytes.Buffer
				w := bufio.NewWriter(&content)
				if encode(w) != nil { // white space in a word
					return
				}
				w.Flush()
				got, err := decode(t.Context(), "again", withoutMark(content.Bytes()), format)
				if err != nil {
					t.Fatal(err)
				}
				same(t, got, v)
			}
			if v.Len() == 1 && !strings.Contains(v.Words[0], " ") {
				again(GloVe, func(w *bufio.Writer) error { return v.encodeAs(t.Context(), w, GloVe) })
			}
			again(Word2Vec, func(w *bufio.Writer) error { return v.encodeAs(t.Context(), w, Word2Vec) })
			again(Word2VecBinary, func(w *bufio.Writer) error { return v.encodeAs(t.Context(), w, Word2VecBinary) })
		}
	})
}

// Two samples of published GloVe vectors, as far as they are there; the first
// perhaps as it was published, below a line with a wrong number of words.
func TestRealFiles(t *testing.T) {
	dir := os.Getenv("CONTEXTMOVER_DATA")
	if dir == "" {
		t.Skip("SKIPPED: CONTEXTMOVER_DATA does not name the folder of real data")
	}
	if text, err := os.ReadFile(filepath.Join(dir, "vectors", "glove50_4k.txt")); err == nil {
		_, rest, _ := strings.Cut(string(text), "\n")
		dir = t.TempDir()
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, err := z.Write([]byte(rest))
		path := filepath.Join(dir, "vectors", "glove.6B.50d.4k.txt.gz")
		if err := errors.Join(err, z.Close(), os.Mkdir(filepath.Dir(path), 0o777), os.WriteFile(path, b.Bytes(), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	read := 0
	for name, want := range map[string]struct{ words, dim int }{
		"glove.6B.50d.4k.txt.gz":           {4197, 50},
		"glove.twitter.27B.25d.12k.txt.gz": {11925, 25},
	} {
		v, err := Read(t.Context(), filepath.Join(dir, "vectors", name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		read++
		if v.Len() != want.words || v.Dim != want.dim {
			t.Errorf("%s: %d words of %d components, want %d of %d", name, v.Len(), v.Dim, want.words, want.dim)
		}
		if id, ok := v.ID("the"); !ok || id != 0 {
			t.Errorf("%s: \"the\" has index %d, %v", name, id, ok)
		}
		if strings.HasPrefix(name, "glove.6B") {
			if row := v.Row(0); row[0] != 0.418 || row[1] != 0.24968 || row[8] != -0.00066023 {
				t.Errorf("%s: first row %v", name, row[:9])
			}
		}
		path := filepath.Join(t.TempDir(), "v")
		if err := v.Write(t.Context(), path, GloVe); err != nil {
			t.Fatal(err)
		}
		again, err := Read(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		same(t, again, v)
	}
	if read == 0 {
		t.Errorf("%s has no vectors", dir)
	}
}

// readAs is Read of a file whose format is known.
func readAs(ctx context.Context, path string, format Format) (*Vectors, error) {
	content, err := readAll(ctx, path, bounded.Share(2))
	if err != nil {
		return nil, err
	}
	return decode(ctx, path, content, format)
}
