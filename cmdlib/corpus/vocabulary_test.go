package corpus

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"contextmover/internal/bounded"
)

func TestBuildVocabulary(t *testing.T) {
	text := Text{Files: []string{write(t, "a", "b a b é\nz"), write(t, "b", "c z a a x")}, Tokenised: true}
	v, stats, err := BuildVocabulary(t.Context(), text, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	// a 3, b 2, z 2: by count, then alphabetically; c, x and é are too rare.
	if !cmp.Equal(v.Words, []string{"a", "b", "z"}) || !cmp.Equal(v.Counts, []int64{3, 2, 2}) {
		t.Errorf("%v %v", v.Words, v.Counts)
	}
	if want := (Stats{Lines: 3, Tokens: 10, Known: 7}); stats != want || v.total != 7 || v.Len() != 3 {
		t.Errorf("%+v, total %d, want %+v", stats, v.total, want)
	}
	if id, ok := v.ID("z"); id != 2 || !ok {
		t.Errorf("z has the id %d, %t", id, ok)
	}
	if _, ok := v.ID("c"); ok {
		t.Error("c has an id")
	}
	p := v.Probability()
	if sum := p[0] + p[1] + p[2]; p[0] != 3./7 || math.Abs(sum-1) > 1e-15 {
		t.Errorf("probabilities %v", p)
	}
	if _, _, err := BuildVocabulary(t.Context(), text, 4, nil); err == nil || !strings.Contains(err.Error(), "none of the 6 distinct words") {
		t.Errorf("error %v", err)
	}
}

func TestVocabularyFile(t *testing.T) {
	content := "the 12\n, 7\n☃ 7\n10\u00a0km 3\n<unk> 0\n"
	v, err := ReadVocabulary(write(t, "vocab.txt", content))
	if err != nil {
		t.Fatal(err)
	}
	if !cmp.Equal(v.Words, []string{"the", ",", "☃", "10\u00a0km", "<unk>"}) || !cmp.Equal(v.Counts, []int64{12, 7, 7, 3, 0}) || v.total != 29 {
		t.Errorf("%v %v", v.Words, v.Counts)
	}
	path := filepath.Join(t.TempDir(), "vocab.txt")
	if err := v.Write(path); err != nil {
		t.Fatal(err)
	}
	if written, _ := os.ReadFile(path); string(written) != content {
		t.Errorf("wrote %q, want %q", written, content)
	}
	for name, same := range map[string]string{
		"gzip":            compressed(t, "gzip", content),
		"zstd":            compressed(t, "zstd", content),
		"windows":         strings.ReplaceAll(content, "\n", "\r\n"),
		"byte order mark": "\ufeff" + content,
		"unfinished":      strings.TrimSpace(content),
	} {
		if got, err := ReadVocabulary(write(t, "vocab.txt", same)); err != nil || !cmp.Equal(got.Words, v.Words) || !cmp.Equal(got.Counts, v.Counts) {
			t.Errorf("%s: %v, error %v", name, got, err)
		}
	}
	// A word of the text may begin with a byte order mark too.
	if v, err = NewVocabulary([]string{"\ufeffthe"}, []int64{1}); err != nil {
		t.Fatal(err)
	}
	if err := v.Write(path); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadVocabulary(path); err != nil || !cmp.Equal(got.Words, v.Words) {
		t.Errorf("wrote %q, read %v, error %v", v.Words, got, err)
	}
	if err := v.Write(filepath.Join(t.TempDir(), "absent", "vocab.txt")); err == nil {
		t.Error("wrote into a folder that does not exist")
	}
}

func TestMalformedVocabulary(t *testing.T) {
	for _, c := range []struct{ content, want string }{
		{"", "holds no words"},
		{"a 1\nb\n", `:2: "b", expected a word, a blank and its count`},
		{"a 1\n\nb 1\n", `:2: "", expected a word`},
		{"a 1.5\n", `:1: count "1.5", expected a whole number`},
		{"a  1\n", `:1: count " 1"`},
		{"a 0.1 0.2 0.3\n", `:1: count "0.1 0.2 0.3"`},
		{"a 99999999999999999999\n", ":1: count"},
		{"a -1\n", `:1: word "a" has the count -1`},
		{"a 2\nb 1\na 1\n", `:3: word "a" again, first in line 1`},
		{" 1\n", ":1: word is empty"},
		{"a\tb 1\n", `:1: word "a\tb" holds white space; write another word in this line`},
		{"a 1\nb\x00 1\n", `:2: word "b\x00" holds a NUL byte`},
		{"a\xff 1\n", `:1: word "a\xff" is not valid UTF-8; write another word in this line, whose number is the id of the word`},
		{"a 1\n" + strings.Repeat("x", 1<<17), ":2: longer than 65536 bytes"},
	} {
		path := write(t, "vocab.txt", c.content)
		_, err := ReadVocabulary(path)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "corpus: "+path) {
			t.Errorf("%.20q: error %v, want %q", c.content, err, c.want)
		}
	}
}

func TestNewVocabularyRefuses(t *testing.T) {
	for want, words := range map[string][]string{
		"2 words with 1 counts":    {"a", "b"},
		"word 0 of the vocabulary": {""},
		"holds white space":        {"a b"},
		"holds a NUL byte":         {"a\x00b"},
	} {
		if _, err := NewVocabulary(words, []int64{1}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", words, err, want)
		}
	}
	if _, err := NewVocabulary([]string{"a", "b", "a"}, make([]int64, 3)); err == nil || !strings.Contains(err.Error(), `word 2 of the vocabulary: "a" is also word 0`) {
		t.Errorf("error %v", err)
	}
	v, err := NewVocabulary(nil, nil)
	if err != nil || v.Len() != 0 || len(v.Probability()) != 0 {
		t.Errorf("empty vocabulary: %v, error %v", v, err)
	}
}

// Words are read no further than there is memory for.
func TestVocabularyTooLarge(t *testing.T) {
	_, err := readVocabulary(bounded.Reader(strings.NewReader("a 1\nb 1\nc 1\n"), 9), "vocab.txt")
	if !errors.Is(err, bounded.ErrTooLarge) || !strings.HasPrefix(err.Error(), "corpus: vocab.txt:3: holds more than 9 B") {
		t.Error(err)
	}
	if v, err := readVocabulary(bounded.Reader(strings.NewReader("a 1\nb 1\nc 1\n"), 12), "vocab.txt"); err != nil || v.Len() != 3 {
		t.Error(v, err)
	}
}

func FuzzReadVocabulary(f *testing.F) {
	for _, content := range []string{"the 12\n, 7\n", "a 1\r\nb 1", "a", "a 1\na 1\n", "\xff 1\n", "\u00a0 1\n\u2028\u0085 2\n", " 1\n", "a -1\n", "\ufeffa 1\n", "\ufeff\ufeffa 1\n"} {
		f.Add(content)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, content string) {
		v, err := readVocabulary(strings.NewReader(content), "vocab.txt")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "corpus: vocab.txt:") {
				t.Errorf("error %q does not name the file", err)
			}
			return
		}
		path := filepath.Join(dir, "vocab.txt")
		if err := v.Write(path); err != nil {
			t.Fatal(err)
		}
		again, err := ReadVocabulary(path)
		if err != nil || !cmp.Equal(again.Words, v.Words) || !cmp.Equal(again.Counts, v.Counts) {
			t.Errorf("%v after writing and reading, error %v, want %v", again, err, v)
		}
	})
}
