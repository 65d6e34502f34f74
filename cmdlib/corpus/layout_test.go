package corpus

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func sentencesOf(paragraph string) []string {
	var out []string
	eachSentence([]byte(paragraph), func(s []byte) { out = append(out, string(s)) })
	return out
}

func TestSentences(t *testing.T) {
	for _, c := range []string{
		"",
		"No end",
		"One.",
		"One. | Two! | Three? | Four... | Five… | 6 seven.",
		"He had 3.5 kg of it. | It was 10 p.m. in the U.S. Army.",
		"Mr. J. R. Smith of No. 5, St. Ives, came. | No. | He left. | And so did I. | Then came vs. and etc. Finally.",
		"“Stop!” she said. | “Who is it?” | He ran. | (It was late.) | [Nobody came.] | She wept.",
		`"Stop!" he said. | "No." | "Yes." | He left. | "Well ... so be it."`,
		"What?! | Never!! | He said 'go.' | Then he went.",
		"e.g. this. | That.",
		"He left. | — Why? | - So.",
		// Tokenised text, with and without capitals.
		`He said . | " Stop ! | Go ! " she said . | They did not ( yet . ) | So`,
		`he said . | " stop ! | go ! " | she said . | mr. x. did not , at no. 5 . | so`,
		"no capitals here. | all the same.",
		"Éric vint. | Àlors? | Čas. | Да. | Нет.",
		"1. | The first. | 2. | The second.",
		"wait.what Then?No.",
	} {
		want := strings.Split(c, " | ")
		if c == "" {
			want = nil
		}
		got := sentencesOf(strings.Join(want, " "))
		if !cmp.Equal(got, want) {
			t.Errorf("%q:\n got %q\nwant %q", c, got, want)
		}
	}
}

func FuzzSentences(f *testing.F) {
	for _, s := range []string{"One. Two! “Three?” Mr. X. (Four.) Five… \" Six . \" 7.", "a. b. c.", ".\u00a0. \u2028!", "\xff. \xe2\x80 A."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var joined strings.Builder
		for _, sentence := range sentencesOf(s) {
			if len(strings.TrimSpace(sentence)) == 0 {
				t.Errorf("%q has a blank sentence", s)
			}
			joined.WriteString(sentence)
		}
		spaceless := func(s string) string {
			var b strings.Builder
			for len(s) > 0 {
				r, size := utf8.DecodeRuneInString(s)
				if !unicode.IsSpace(r) {
					b.WriteString(s[:size])
				}
				s = s[size:]
			}
			return b.String()
		}
		if got, want := spaceless(joined.String()), spaceless(s); got != want {
			t.Errorf("%q: text changed to %q", want, got)
		}
	})
}

func TestDetectLayout(t *testing.T) {
	sentence := "The quick brown fox number %d jumps over the lazy dog and many other animals of the forest today."
	var lines, paragraphs, wrapped strings.Builder
	for i := range 400 {
		s := fmt.Sprintf(sentence, i)
		lines.WriteString(s + "\n")
		paragraphs.WriteString(s + " ")
		words := strings.Fields(s + " " + s)
		for len(words) > 0 {
			n := min(11, len(words))
			wrapped.WriteString(strings.Join(words[:n], " ") + "\r\n")
			words = words[n:]
		}
		wrapped.WriteString("\r\n")
		if i%4 == 3 {
			paragraphs.WriteString("\n")
		}
	}
	for _, c := range []struct {
		text string
		want Layout
	}{
		{lines.String(), Sentences},
		{strings.ReplaceAll(lines.String(), "\n", "\n\n"), Sentences},
		{strings.ToLower(lines.String()), Sentences},
		{paragraphs.String(), Paragraphs},
		{strings.ReplaceAll(paragraphs.String(), "\n", " "), Paragraphs},
		{strings.ReplaceAll(paragraphs.String(), "\n", "\n\n"), Paragraphs},
		{wrapped.String(), Wrapped},
		{"", Sentences},
		{"\n\n", Sentences},
		{compressed(t, "zstd", wrapped.String()), Wrapped},
	} {
		got, err := DetectLayout([]string{write(t, "text", c.text)})
		if err != nil || got != c.want {
			t.Errorf("%.40q: %v, %v; want %v", c.text, got, err, c.want)
		}
	}
	if _, err := DetectLayout([]string{t.TempDir()}); err == nil {
		t.Error("no error for a folder")
	}
	text := Text{Files: []string{write(t, "text", "a b")}, Layout: "lines"}
	if _, _, err := BuildVocabulary(t.Context(), text, 1, nil); err == nil || !strings.Contains(err.Error(), "paragraphs") {
		t.Errorf("error %v, want one that names the layouts", err)
	}
}

// TestLayoutsCountTheSame writes the same sentences in each layout, cuts the files everywhere,
// and expects the same counts.
func TestLayoutsCountTheSame(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var lines, paragraphs, wrapped strings.Builder
	for i := range 300 {
		words := []string{fmt.Sprintf("W%d", random.IntN(20))}
		for range random.IntN(15) {
			words = append(words, fmt.Sprintf("w%d", random.IntN(20)))
		}
		s := strings.Join(words, " ") + string(".?!"[random.IntN(3)])
		lines.WriteString(s + "\n")
		paragraphs.WriteString(s)
		wrapped.WriteString(strings.ReplaceAll(s, " w1", "\r\nw1"))
		if i%7 == 6 || i == 299 {
			paragraphs.WriteString("\n")
			wrapped.WriteString("\n \t\r\n")
		} else {
			paragraphs.WriteString(" ")
			wrapped.WriteString("\n")
		}
	}
	count := func(content string, layout Layout) (*Vocabulary, *Counts, Stats) {
		text := Text{Files: []string{write(t, "text", content)}, Layout: layout}
		v, _, err := BuildVocabulary(t.Context(), text, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		c, stats, err := Count(t.Context(), text, v, 5, nil)
		if err != nil {
			t.Fatal(err)
		}
		return v, c, stats
	}
	words, want, stats := count(lines.String(), Sentences)
	if stats.Lines != 300 {
		t.Errorf("%d lines, want 300", stats.Lines)
	}
	for _, size := range []int{1 << 20, 1000, 77, 5} {
		small(t, size, 1<<20)
		for content, layout := range map[string]Layout{lines.String(): Paragraphs, paragraphs.String(): Paragraphs, wrapped.String(): Wrapped} {
			v, got, s := count(content, layout)
			if !slices.Equal(v.Words, words.Words) || !cmp.Equal(want, got) || s != stats {
				t.Errorf("%s in chunks of %d: %+v, want %+v, or other counts", layout, size, s, stats)
			}
		}
	}
}

// TestRealSentenceEnds joins sentences of real corpora, with capitals at their starts
// and the blanks of written text, and looks how many are found again.
func TestRealSentenceEnds(t *testing.T) {
	for _, c := range []struct {
		files             string
		recall, precision float64
	}{
		{"corpora/books-00.txt.zst", 0.9, 0.9}, {"corpora/wiki-00.txt.zst", 0.9, 0.9},
	} {
		f, err := Open(realData(t, c.files)[0])
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		var found, all, right int
		var sentences []string
		for n := 0; n < 40_000 && lines.Scan(); n++ {
			s := written(lines.Text())
			if !strings.ContainsAny(s[max(0, len(s)-3):], ".?!") {
				continue
			}
			sentences = append(sentences, s)
			if len(sentences) < 5 {
				continue
			}
			ends := map[int]bool{}
			at := 0
			for _, s := range sentences {
				at += len(strings.ReplaceAll(s, " ", ""))
				ends[at] = true
			}
			all += len(sentences) - 1
			at = 0
			got := sentencesOf(strings.Join(sentences, " "))
			for _, s := range got[:len(got)-1] {
				at += len(strings.ReplaceAll(s, " ", ""))
				found++
				if ends[at] {
					right++
				}
			}
			sentences = sentences[:0]
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
		recall, precision := float64(right)/float64(all), float64(right)/float64(found)
		t.Logf("%s: of %d sentence ends %.1f %% are found, %.1f %% of those found are right", c.files, all, 100*recall, 100*precision)
		if recall < c.recall || precision < c.precision {
			t.Errorf("expected at least %.0f %% and %.0f %%", 100*c.recall, 100*c.precision)
		}
	}
}

// written undoes what it can of tokenisation: a capital at the start, no blanks before
// marks, quotes at their words.
func written(line string) string {
	var b strings.Builder
	open, glue, capital := false, true, true
	for _, token := range strings.Fields(line) {
		closes := false
		if token == `"` {
			closes = open
			open = !open
		}
		if !glue && !closes && !strings.Contains(".,;:?!)]'", token) && token != "..." {
			b.WriteByte(' ')
		}
		if capital && unicode.IsLetter([]rune(token)[0]) {
			r, size := utf8.DecodeRuneInString(token)
			token = string(unicode.ToUpper(r)) + token[size:]
			capital = false
		}
		b.WriteString(token)
		glue = token == `"` && open || token == "(" || token == "[" || token == "'"
	}
	return b.String()
}
