package corpus

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// wordsOf returns the words of a text and how often each occurs, as "word count".
func wordsOf(t *testing.T, text string, layout Layout) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "text.txt")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	v, _, err := BuildVocabulary(t.Context(), Text{Files: []string{path}, Layout: layout}, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for i, word := range v.Words {
		list = append(list, fmt.Sprint(word, " ", v.Counts[i]))
	}
	slices.Sort(list)
	return list
}

// Files and questions are read in the same form.
func TestCharacters(t *testing.T) {
	for _, c := range []struct {
		name, text string
		layout     Layout
		want       string
	}{
		{"lines that end with CR", "the cow\rthe horse\rhay\r", Sentences, "cow 1|hay 1|horse 1|the 2"},
		{"lines that end with CR CR LF", "the cow\r\r\nthe horse\r\r\n", Wrapped, "cow 1|horse 1|the 2"},
		{"composed and decomposed", "caf\u00e9 cafe\u0301", Sentences, "café 2"},
		{"composed by its lower case", "J\u030cA", Sentences, "\u01f0a 1"},
		{"composed where a soft hyphen was", "e\u00ad\u0301a", Sentences, "éa 1"},
		{"decomposed Hangul", "\u1112\u1161\u11ab \ud55c", Sentences, "한 2"},
		{"zero-width spaces", "ខ្ញុំ\u200bស្រឡាញ់\u200bសៀវភៅ", Sentences, "សៀវភៅ 1|ស្រឡាញ់ 1|ខ្ញុំ 1"},
		{"zero-width joiners", "می\u200cخواهم", Sentences, "میخواهم 1"},
		{"final sigma", "ΚΟΣΜΟΣ κοσμος ΛΌΓΟΣ, Σ", Sentences, "κοσμος 2|λόγος 1|σ 1|, 1"},
		{"a final sigma with an accent behind", "ΟΔΟΣ\u0313", Sentences, "οδος\u0313 1"},
		{"a hyphen at the end of a line", "the far-\nmer and the\nsea -\nand --\nland", Wrapped, "the 2|far-mer 1|and 2|sea 1|- 1|-- 1|land 1"},
		{"a soft hyphen at the end of a line", "the far\u00ad\n  mer came", Wrapped, "the 1|farmer 1|came 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := strings.Split(c.want, "|")
			slices.Sort(want)
			if got := wordsOf(t, c.text, c.layout); !slices.Equal(got, want) {
				t.Errorf("%q counts as %q, want %q", c.text, got, want)
			}
			if c.layout == Wrapped {
				return
			}
			tokens := Tokenise(c.text)
			slices.Sort(tokens)
			if n := len(slices.Compact(tokens)); n != len(want) {
				t.Errorf("Tokenise makes %q of %q, want the words of %q", tokens, c.text, want)
			}
		})
	}
}

// What is equal in Unicode gives the same tokens, and tokens are in the form that they are looked up in.
func FuzzTokensAreNormal(f *testing.F) {
	f.Add("Cafe\u0301 J\u030c e\u00ad\u0301 ΟΔΟΣ\u0313 a\u200bb\r\rc\r\nd")
	f.Fuzz(func(t *testing.T, text string) {
		tokens := Tokenise(text)
		joined := strings.Join(tokens, " ")
		if !norm.NFC.IsNormalString(joined) {
			t.Errorf("%q has tokens %q, which are not NFC", text, tokens)
		}
		if again := Tokenise(joined); !slices.Equal(again, tokens) {
			t.Errorf("%q has tokens %q, which have tokens %q", text, tokens, again)
		}
		if decomposed := Tokenise(norm.NFD.String(text)); !slices.Equal(decomposed, tokens) && strings.ToValidUTF8(text, "") == text {
			t.Errorf("%q has tokens %q, but decomposed %q", text, tokens, decomposed)
		}
	})
}

// However little comes at once, the ends of lines are the same.
func FuzzLineEnds(f *testing.F) {
	f.Add("a\rb\r\nc\r\r\nd\n\re\r")
	f.Add(strings.Repeat("\r", 5000) + "\n")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, strings.Repeat("\r", longestRun)) {
			return // how much comes at once matters to longer runs
		}
		want := text
		for strings.Contains(want, "\r\n") {
			want = strings.ReplaceAll(want, "\r\n", "\n")
		}
		want = strings.ReplaceAll(want, "\r", "\n")
		whole, _, err := transform.String(lineEnds{}, text)
		if err != nil || whole != want {
			t.Errorf("%q became %q, %v, want %q", text, whole, err, want)
		}
		var got strings.Builder
		r := transform.NewReader(iotest.OneByteReader(strings.NewReader(text)), lineEnds{})
		buffer := make([]byte, 3)
		for {
			n, err := r.Read(buffer)
			got.Write(buffer[:n])
			if err != nil {
				break
			}
		}
		if got.String() != want {
			t.Errorf("%q became %q byte by byte, want %q", text, got.String(), want)
		}
	})
}

// A vocabulary of another program is read in the form of texts, and every word stays distinct.
func TestVocabularyIsNormal(t *testing.T) {
	v, err := readVocabulary(strings.NewReader("cafe\u0301 3\nnai\u0308ve 2\nna\u00efve 1\n"), "vocab.txt")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"café", "nai\u0308ve", "naïve"}; !slices.Equal(v.Words, want) {
		t.Errorf("words %q, want %q", v.Words, want)
	}
	for id, word := range v.Words {
		if got, ok := v.ID(word); !ok || int(got) != id {
			t.Errorf("%q has the id %d, %v, want %d", word, got, ok, id)
		}
	}
}

// Occurrences of a word are found however it and the text are composed, in the line where they are.
func TestOccurrencesAreNormal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "text.txt")
	text := "It was a far-\nmer who came. The\ncafe\u0301 was far\u00ad\naway. The café\nwas open.\n"
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "\n", "\r")), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"caf\u00e9", "cafe\u0301"} {
		found, _, err := Text{Files: []string{path}, Layout: Wrapped}.Occurrences(context.Background(), []string{word}, 9, nil)
		if err != nil {
			t.Fatal(err)
		}
		var lines []int64
		for _, o := range found[0] {
			lines = append(lines, o.In.Line)
		}
		if !slices.Equal(lines, []int64{2, 4}) {
			t.Errorf("%q is in sentences that begin in the lines %v, want 2 and 4", word, lines)
		}
	}
}

// LowerWord writes a word as Tokenise does.
func TestLowerWord(t *testing.T) {
	for _, word := range []string{"ΚΟΣΜΟΣ", "κοσμος", "Σ", "ΟΔΟΣ\u0313", "Cafe\u0301", "J\u030c", "IPHONE", "É"} {
		if got, want := LowerWord(word), Tokenise(word); len(want) != 1 || got != want[0] {
			t.Errorf("%q is %q in lower case, and %q as a token", word, got, want)
		}
	}
}
