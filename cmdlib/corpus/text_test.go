package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func TestTokenise(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"", ""},
		{"It's 3,000 U.S. dollars (approx.), isn't it?", "it ' s 3,000 u.s. dollars ( approx. ) , isn ' t it ?"},
		{"Mr. Smith, of St. Ives, came home.", "mr. smith , of st. ives , came home ."},
		{"He came. She left the U.S. He didn't.", "he came . she left the u.s. he didn ' t ."},
		{"J. R. Smith vs. No. 5; he said no. Then no", "j. r. smith vs. no. 5 ; he said no . then no"},
		{"Cars, bikes, etc. etc.", "cars , bikes , etc. etc ."},
		{"the man (who left.) came. the end.", "the man ( who left . ) came . the end ."},
		{"A well-known 19th-century X-ray: -5.2% at 10.30 a.m.", "a well-known 19th-century x-ray : -5.2 % at 10.30 a.m."},
		{"“Don’t,” she said—twice… then 1914–1918 – gone", "\" don ' t , \" she said -- twice ... then 1914-1918 -- gone"},
		{"wait--what...now", "wait -- what ... now"},
		{"a,b 1,2 1, 2,x ,5", "a , b 1,2 1 , 2 , x , 5"},
		{"and/or R&D e-mail@x.org $5 C++", "and / or r & d e-mail @ x.org $ 5 c + +"},
		{"The dogs' 'tis", "the dogs ' ' tis"},
		{"so\u00adft\u200b and\ufeff con\u0007trol", "soft and control"},
		{"na\u0308ive Éclair ½ km² 5½", "n\u00e4ive éclair ½ km² 5½"},
		{"I❤\ufe0fyou 😢😢", "i ❤\ufe0f you 😢 😢"},
		{"bad \xff byte", "bad � byte"},
		{"tab\tand\u00a0nbsp!", "tab and nbsp !"},
		// Already tokenised: unchanged, also what other rules would mend.
		{"'iran won ' t accept pre-conditions'", "'iran won ' t accept pre-conditions'"},
		{"the future. in most cases , mr. x said : ``today ' s news--what", "the future. in most cases , mr. x said : ``today ' s news--what"},
		{"egypt ’ s – “ pope ” … .. .net .85 -- wal- u.s.-led u.s.", "egypt ’ s – “ pope ” … .. .net .85 -- wal- u.s.-led u.s."},
		{"end.", "end ."},
	} {
		if got := strings.Join(Tokenise(c.line), " "); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.line, got, c.want)
		}
	}
}

// In sentences of any text a last dot is its end, unless it is an acronym's or an
// abbreviation's. Text in lower case is as it was: it may have been tokenised.
func TestTokeniseSentence(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"It returns io.EOF.", "it returns io.eof ."},
		{"At the end Read returns io.EOF. Then it stops.", "at the end read returns io.eof . then it stops ."},
		{"Big numbers have any precision. package big has them.",
			"big numbers have any precision . package big has them ."},
		{"He left the U.S.", "he left the u.s."},
		{"Dr. Smith, Ph.D., came at 5 p.m. He is from St. Ives.",
			"dr. smith , ph.d. , came at 5 p.m. he is from st. ives ."},
		{"Das gilt bzw. das andere, usw. mehr.", "das gilt bzw. das andere , usw. mehr ."},
		{"Он читал io.EOF.", "он читал io.eof ."},
		{"it returns io.eof.", "it returns io.eof."},
		{"the precision. in most cases", "the precision. in most cases"},
	} {
		if got := strings.Join(TokeniseSentence(c.line), " "); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.line, got, c.want)
		}
	}
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(path, []byte("It returns io.EOF.\nIt stops.\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	v, _, err := BuildVocabulary(t.Context(), Text{Files: []string{path}, SplitDots: true}, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := v.ID("io.eof"); !ok {
		t.Errorf("the vocabulary of a text has no io.eof: %q", v.Words)
	}
}

func FuzzTokenise(f *testing.F) {
	for _, line := range []string{
		"It's 3,000 U.S. dollars (approx.), isn't it?", "“Don’t,” she said—twice… 1914–1918", "I❤\ufe0fyou", "a.-b..c .d. e.-- --.", "'' ' 'a b' '",
		"x\u0301'\u0301,\u0301.\u0301", "ǅ İ ẞ ſ K", "a\xffb\u00ad.\u200d", "1,2,,3 ,4, 5,", "...a a... -...", "\u2028\u0085\v", "A0. a.'",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		tokens := Tokenise(line)
		if again := Tokenise(strings.Join(TokeniseSentence(line), " ")); !slices.Equal(again, TokeniseSentence(line)) {
			t.Errorf("%q as a sentence is not tokenised: %q", line, again)
		}
		once := strings.Join(tokens, " ")
		if !cmp.Equal(tokens, strings.Fields(once)) && len(tokens) > 0 {
			t.Errorf("tokens of %q hold white space: %q", line, tokens)
		}
		if strings.ToValidUTF8(once, "") != once {
			t.Errorf("tokens of %q are not UTF-8: %q", line, tokens)
		}
		if twice := strings.Join(Tokenise(once), " "); twice != once {
			t.Errorf("%q:\nonce  %q\ntwice %q", line, once, twice)
		}
	})
}

func compressed(t testing.TB, kind, content string) string {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	switch kind {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "zstd":
		w, _ = zstd.NewWriter(&b)
	default:
		return content
	}
	if _, err := io.WriteString(w, content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestOpen(t *testing.T) {
	content := randomText(rand.New(rand.NewPCG(7, 8)), 2000, 20, 100)
	for _, kind := range []string{"plain", "gzip", "zstd"} {
		stored := compressed(t, kind, content)
		if kind != "plain" {
			stored += compressed(t, kind, "another member\n")
		}
		f, err := Open(write(t, "text.whatever", stored))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(f)
		if err != nil || !strings.HasPrefix(string(got), content) || kind != "plain" && !strings.HasSuffix(string(got), "member\n") {
			t.Errorf("%s: %d bytes, error %v", kind, len(got), err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if kind == "plain" {
			continue
		}
		path := write(t, "cut", stored[:len(stored)/2])
		f, err = Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(f); err == nil || !strings.Contains(err.Error(), path+": damaged "+kind) {
			t.Errorf("cut %s: error %v", kind, err)
		}
		f.Close()
	}
	for content, want := range map[string]string{
		"":                       "",
		"\x1f":                   "",
		"\x1f\x8bxxxxxxxxxxxxxx": "damaged gzip",
		"BZh91AY&SY.....":        "compressed with bzip2, expected plain text, gzip or zstd",
		"\xfd7zXZ\x00.....":      "compressed with xz",
		"PK\x03\x04......":       "compressed with zip",
	} {
		f, err := Open(write(t, "x", content))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: error %v, want %q", content, err, want)
		}
		if err == nil {
			f.Close()
		}
	}
	if _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "directory") {
		t.Errorf("error %v for a directory", err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v for an absent file", err)
	}
}

// The window that the first bytes of a zstd stream ask for is memory: those of a few bytes could ask for
// half a gigabyte.
func TestWindow(t *testing.T) {
	frame := func(descriptor byte) string {
		return "\x28\xb5\x2f\xfd\x00" + string([]byte{descriptor, 1<<3 | 1, 0, 0, 'a'}) // a block of one byte as it is
	}
	read := func(descriptor byte) (string, error) {
		path := write(t, "a.zst", frame(descriptor))
		f, err := Open(path)
		if err != nil {
			return "", err
		}
		defer f.Close()
		text, err := io.ReadAll(f)
		if err != nil && !strings.Contains(err.Error(), path) {
			t.Errorf("%v does not name the file", err)
		}
		return string(text), err
	}
	if text, err := read(17 << 3); text != "a" || err != nil { // 2^(10+17) bytes, 128 MiB
		t.Errorf("%q, %v", text, err)
	}
	if text, err := read(18 << 3); err == nil {
		t.Errorf("%q, a window of 256 MiB is taken", text)
	}
}

func FuzzOpen(f *testing.F) {
	for _, kind := range []string{"plain", "gzip", "zstd"} {
		content := compressed(f, kind, "some text\nwith lines")
		f.Add([]byte(content))
		f.Add([]byte(content[:len(content)/2]))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(dir, fmt.Sprint(os.Getpid()))
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := Open(path)
		if err == nil {
			_, err = io.Copy(io.Discard, io.LimitReader(r, 1<<24))
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
		if err != nil && !strings.HasPrefix(err.Error(), "corpus: "+path) {
			t.Errorf("error %q does not name the file", err)
		}
	})
}

// vocabularyOf counts the words of one file with the content.
func vocabularyOf(t *testing.T, tokenised bool, content string) (*Vocabulary, Stats, error) {
	t.Helper()
	return BuildVocabulary(t.Context(), Text{Files: []string{write(t, "text", content)}, Tokenised: tokenised}, 1, nil)
}

func TestReading(t *testing.T) {
	long := strings.Repeat("é", 600)
	for _, c := range []struct {
		content string
		words   string
		stats   Stats
	}{
		{"\ufeffa b\r\na\rb a\r\n", "a:3 b:2", Stats{Lines: 3, Tokens: 5, Known: 5, Invalid: 0}},
		{"a\n\n \nb", "a:1 b:1", Stats{Lines: 4, Tokens: 2, Known: 2, Invalid: 0}},
		{"\ta\v b\fc\u00a0d\u2028e\u3000f\u0085g", "a:1 b:1 c:1 d:1 e:1 f:1 g:1", Stats{Lines: 1, Tokens: 7, Known: 7, Invalid: 0}},
		{"a \xff\xfe b\xc3\nok\n", "a:1 b�:1 ok:1 �:1", Stats{Lines: 2, Tokens: 4, Known: 4, Invalid: 1}},
		{long + " " + long[:1000] + " " + long[:998], long[:998] + ":3", Stats{Lines: 1, Tokens: 3, Known: 3, Invalid: 0}}, // GloVe: at most 999 bytes, no half characters
		{strings.Repeat("x", 999) + " " + strings.Repeat("x", 5000), strings.Repeat("x", 999) + ":2", Stats{Lines: 1, Tokens: 2, Known: 2, Invalid: 0}},
	} {
		for _, size := range []int{1 << 20, 7, 1} {
			small(t, size, 1<<20)
			v, stats, err := vocabularyOf(t, true, c.content)
			if err != nil {
				t.Fatal(err)
			}
			var words []string
			for i, word := range v.Words {
				words = append(words, fmt.Sprintf("%s:%d", word, v.Counts[i]))
			}
			if stats.Invalid > 0 != strings.HasSuffix(stats.FirstInvalid, "text:1") {
				t.Errorf("%.50q in chunks of %d: %+v", c.content, size, stats)
			}
			stats.FirstInvalid = ""
			if got := strings.Join(words, " "); got != c.words || stats != c.stats {
				t.Errorf("%.50q in chunks of %d: %s, %+v; want %s, %+v", c.content, size, got, stats, c.words, c.stats)
			}
		}
	}
}

func TestReadingFails(t *testing.T) {
	for _, c := range []struct{ content, want string }{
		{"a\nb\nc \x00 d\n", ":3: NUL byte, expected UTF-8 text"},
		{"\xff\xfea\x00\n\x00", ":1: NUL byte"},
		{"a b\nc <unk> d\n", ":2: the token <unk>"},
		{"a\n<unk>\nb\n<unk>", ":2: the token <unk>"},
		{"a b\n" + strings.Repeat("x", 200), ":2: 100 bytes without white space"},
		{"", "none of the 0 distinct words"},
	} {
		small(t, 32, 100)
		_, _, err := vocabularyOf(t, true, c.content)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "text") {
			t.Errorf("%.20q: error %v, want %q", c.content, err, c.want)
		}
	}
	if v, _, err := vocabularyOf(t, false, "The <unk>."); err != nil || v.Len() != 5 {
		t.Errorf("%v, error %v: <unk> of text that is not tokenised is three tokens", v, err)
	}
	good := write(t, "good", "a")
	absent := filepath.Join(t.TempDir(), "absent")
	if _, _, err := BuildVocabulary(t.Context(), Text{Files: []string{good, absent}, Tokenised: true}, 1, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v for an absent file", err)
	}
	if _, _, err := BuildVocabulary(t.Context(), Text{}, 1, nil); err == nil {
		t.Error("no error without files")
	}
	damaged := write(t, "damaged", compressed(t, "gzip", strings.Repeat("a b\n", 1000))[:40])
	if _, _, err := BuildVocabulary(t.Context(), Text{Files: []string{good, damaged}, Tokenised: true}, 1, nil); err == nil || !strings.Contains(err.Error(), damaged) {
		t.Errorf("error %v, want one that names %s", err, damaged)
	}
}

// TestLongLine checks that a line in pieces is one line to windows and to tokens.
func TestLongLine(t *testing.T) {
	line := randomText(rand.New(rand.NewPCG(9, 10)), 1, 5000, 50)
	text := Text{Files: []string{write(t, "text", line)}, Tokenised: true}
	v, whole, err := BuildVocabulary(t.Context(), text, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := Count(t.Context(), text, v, 10, nil)
	if err != nil {
		t.Fatal(err)
	}
	small(t, 100, 500)
	for _, tokenised := range []bool{true, false} {
		text.Tokenised = tokenised
		got, pieces, err := Count(t.Context(), text, v, 10, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !cmp.Equal(want, got) || pieces != whole {
			t.Errorf("tokenised %t: %+v in pieces, %+v whole, or other counts", tokenised, pieces, whole)
		}
	}
}

func TestTokenisedAndRawTextAgree(t *testing.T) {
	raw := "It's 3,000 U.S. dollars (approx.), isn't it?\r\n\nMr. X: “Yes.”\n"
	var tokens strings.Builder
	for line := range strings.Lines(raw) {
		tokens.WriteString(strings.Join(Tokenise(line), " ") + "\n")
	}
	want, a, err := vocabularyOf(t, true, tokens.String())
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{raw, tokens.String()} {
		got, b, err := vocabularyOf(t, false, content)
		if err != nil {
			t.Fatal(err)
		}
		if a != b || !cmp.Equal(want.Words, got.Words) || !cmp.Equal(want.Counts, got.Counts) {
			t.Errorf("%v %+v, want %v %+v", got.Words, b, want.Words, a)
		}
	}
}

// TestLineEndsWithItsFile checks that files do not run into each other, wherever a
// line without an end is cut.
func TestLineEndsWithItsFile(t *testing.T) {
	line := strings.Repeat("a ", 100)
	text := Text{Files: []string{write(t, "1", line), write(t, "2", line)}, Tokenised: true}
	v, err := NewVocabulary([]string{"a"}, []int64{200})
	if err != nil {
		t.Fatal(err)
	}
	for size := range 80 {
		small(t, size+1, 40)
		c, stats, err := Count(t.Context(), text, v, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := (Stats{Lines: 2, Tokens: 200, Known: 200, Invalid: 0}); stats != want || c.Value[0] != 2*2*99 {
			t.Errorf("chunks of %d: %+v, count %v; want %+v, 396", size+1, stats, c.Value[0], want)
		}
	}
}
