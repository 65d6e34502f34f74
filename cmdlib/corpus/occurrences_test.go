package corpus

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestFindOccurrences(t *testing.T) {
	for _, c := range []struct {
		sentence, word string
		want           []Occurrence
	}{
		{"A cat and a dog.", "cat", []Occurrence{{Sentence: []string{"a", "cat", "and", "a", "dog", "."}, At: 1}}},
		{"New York is not new, New York!", "new york", []Occurrence{
			{Sentence: []string{"new york", "is", "not", "new", ",", "new york", "!"}, At: 0}, {Sentence: []string{"new york", "is", "not", "new", ",", "new york", "!"}, At: 5},
		}},
		{"the new_york token and new york", "new_york", []Occurrence{
			{Sentence: []string{"the", "new_york", "token", "and", "new_york"}, At: 1}, {Sentence: []string{"the", "new_york", "token", "and", "new_york"}, At: 4},
		}},
		{"a a a", "a a", []Occurrence{{Sentence: []string{"a a", "a"}, At: 0}}},
		{"nothing here", "cat", nil},
	} {
		got, err := FindOccurrences([]string{c.sentence}, c.word)
		// Tokenise cuts new_york apart; a tokenised text does not.
		if strings.Contains(c.word, "_") {
			target, _ := newTarget(c.word)
			got = target.find(Sentence{Tokens: strings.Fields(c.sentence)})
		}
		if err != nil || !reflect.DeepEqual(bare(got), c.want) {
			t.Errorf("%q in %q: %v, %v, want %v", c.word, c.sentence, got, err, c.want)
		}
	}
	if _, err := FindOccurrences([]string{"a"}, " "); err == nil {
		t.Error("no error for a target without words")
	}
}

// bare returns occurrences without the sentences that they are in.
func bare(list []Occurrence) (bare []Occurrence) {
	for _, o := range list {
		bare = append(bare, Occurrence{Sentence: o.Sentence, At: o.At})
	}
	return bare
}

// Occurrences have their sentence as it stands in the text, and its place; excerpts are of these words.
func TestExcerptsAreOfTheText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "text")
	const text = "Nothing is here.\n\nThe Bank (of England), which was the\nBank’s bank, is in New\nYork. It is not!\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	in := Text{Files: []string{path}, Layout: Wrapped, SplitDots: true}
	list, _, err := in.Occurrences(t.Context(), []string{"bank", "new york", "it", "york"}, 10, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, of := range list {
		for _, o := range of {
			got = append(got, fmt.Sprintf("%d: %s", o.In.Line, o.Excerpt(1)))
		}
	}
	want := []string{
		"3: The Bank (of …", "3: … the Bank’s bank, …", "3: … Bank’s bank, is …",
		"3: … in New York.", "5: It is …", "3: … New York.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if in := list[0][0].In; in.File != path {
		t.Errorf("in %q", in.File)
	}
	// A tokenised text has its tokens as they stand.
	words := Sentence{Tokens: []string{"new_york", "is", "new_york"}, Text: "new_york is new_york"}
	of, _ := newTarget("new_york")
	if o := of.find(words); len(o) != 2 || o[1].Excerpt(1) != "… is new_york" {
		t.Errorf("%v", o)
	}
	if o := (Occurrence{Sentence: []string{"a", "b", "c"}, At: 2}); o.Excerpt(1) != "… b c" {
		t.Errorf("an occurrence of no text: %q", o.Excerpt(1))
	}
}

// world writes random sentences of a few words and returns the file and its sentences.
func world(t *testing.T, sentences int) (Text, []string) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var list []string
	for range sentences {
		var words []string
		for range r.IntN(30) {
			words = append(words, fmt.Sprintf("w%d", min(r.IntN(40), r.IntN(40))))
		}
		list = append(list, strings.Join(words, " "))
	}
	path := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(path, []byte(strings.Join(list, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return Text{Files: []string{path}, Tokenised: true}, list
}

// A text in chunks of any size has the occurrences that its sentences have one by one.
func TestOccurrences(t *testing.T) {
	text, sentences := world(t, 400)
	defer func(size int) { chunkSize = size }(chunkSize)
	words := []string{"w3", "w1 w0", "w38", "absent"}
	for _, chunkSize = range []int{50, 1000, 1 << 20} {
		found, stats, err := text.Occurrences(t.Context(), words, 1<<20, nil)
		if err != nil || stats.Lines != 400 {
			t.Fatal(stats, err)
		}
		for i, word := range words {
			want, err := FindOccurrences(sentences, word)
			if err != nil || len(want) != len(found[i]) || len(want) > 0 && !reflect.DeepEqual(bare(found[i]), bare(want)) {
				t.Errorf("%q, chunks of %d: %d occurrences, %v, want %d", word, chunkSize, len(found[i]), err, len(want))
			}
		}
	}
}

// Of many occurrences an even sample is kept, the same for any number of threads.
func TestOccurrencesAreSampled(t *testing.T) {
	text, _ := world(t, 4000)
	all, _, err := text.Occurrences(t.Context(), []string{"w0"}, 1<<20, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func(size int) { chunkSize = size }(chunkSize)
	chunkSize = 1000
	var want []Occurrence
	for _, threads := range []int{1, 4} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		found, _, err := text.Occurrences(t.Context(), []string{"w3", "w0"}, 500, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := found[1]
		if len(got) > 500 || len(got) < 180 || len(all[0]) < 2000 {
			t.Fatalf("%d of %d occurrences, expected 250 to 500 or about", len(got), len(all[0]))
		}
		if want == nil {
			want = got
		} else if !reflect.DeepEqual(got, want) {
			t.Error("another sample with another number of threads")
		}
	}
}

// The contexts of all occurrences of a word are its row of counts.
func TestCountContextsIsARowOfCount(t *testing.T) {
	text, sentences := world(t, 300)
	v, _, err := BuildVocabulary(t.Context(), text, 20, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, window := range []int{1, 4, 10} {
		counts, _, err := Count(context.Background(), text, v, window, nil)
		if err != nil {
			t.Fatal(err)
		}
		for id, word := range v.Words {
			occurrences, err := FindOccurrences(sentences, word)
			if err != nil {
				t.Fatal(err)
			}
			contexts, values, err := CountContexts(occurrences, v.Len(), v.ID, window)
			if err != nil {
				t.Fatal(err)
			}
			index, want := counts.Row(id)
			if !reflect.DeepEqual(contexts, append([]int32(nil), index...)) || !reflect.DeepEqual(values, append([]float64(nil), want...)) {
				t.Fatalf("window %d: the contexts of %s are not its row", window, word)
			}
		}
	}
	if _, _, err := CountContexts(nil, v.Len(), v.ID, MaxWindow+1); err == nil {
		t.Error("no error for a window that is too wide")
	}
}

func FuzzFindOccurrences(f *testing.F) {
	f.Add("the city of New York", "new york")
	f.Add("a_b a b", "a_b")
	f.Add("0", "0\r")
	f.Fuzz(func(t *testing.T, sentence, word string) {
		list, err := FindOccurrences([]string{sentence}, word)
		if err != nil && list != nil {
			t.Error("occurrences and an error")
		}
		want := strings.TrimSpace(string(Normal([]byte(word))))
		for _, o := range list {
			if o.Sentence[o.At] != want {
				t.Errorf("%q at %d of %q", want, o.At, o.Sentence)
			}
		}
	})
}

// Pieces are the sentences of the text, in its order, wherever it is cut.
func TestPieces(t *testing.T) {
	text, sentences := world(t, 500)
	defer func(size int) { chunkSize = size }(chunkSize)
	for _, chunkSize = range []int{50, 1000, 1 << 20} {
		var got []string
		stats, err := Pieces(t.Context(), text, nil, func(list []Sentence) (lines []string, err error) {
			for _, sentence := range list {
				lines = append(lines, strings.Join(sentence.Tokens, " "))
			}
			return lines, nil
		}, func(lines []string) error {
			got = append(got, lines...)
			return nil
		})
		if err != nil || !slices.Equal(got, sentences) || stats.Lines != int64(len(sentences)) {
			t.Errorf("pieces of %d bytes: %d sentences of %d, %v", chunkSize, len(got), len(sentences), err)
		}
	}
	full := errors.New("full")
	if _, err := Pieces(t.Context(), text, nil, func([]Sentence) (int, error) { return 0, nil }, func(int) error { return full }); !errors.Is(err, full) {
		t.Errorf("an error of put: %v", err)
	}
}

// Sentences come with what stands in the text and the lines that they begin in, in each layout, wherever it is cut.
func TestPlaces(t *testing.T) {
	defer func(size int) { chunkSize = size }(chunkSize)
	for _, c := range []struct {
		layout Layout
		text   string
		want   []string
	}{
		{Sentences, "\ufeffThe Cat\u2014sat. \r\n\n  A dog!", []string{"1 The Cat\u2014sat.", "2 ", "3 A dog!"}},
		{Paragraphs, "He came. She left.\n\nWho? Nobody.\n", []string{"1 He came.", "1 She left.", "2 ", "3 Who?", "3 Nobody."}},
		{Wrapped, "He\r\ncame. She\nleft. Then\nthey\nslept.\n\n\nWho?\nNobody.", []string{
			"1 He came.", "2 She left.", "3 Then they slept.", "7 ", "8 Who?", "9 Nobody.",
		}},
	} {
		for _, chunkSize = range []int{3, 20, 1 << 20} {
			var got []string
			text := Text{Files: []string{write(t, "text", c.text)}, Layout: c.layout}
			work := func(list []Sentence) ([]Sentence, error) { return list, nil }
			_, err := Pieces(t.Context(), text, nil, work, func(list []Sentence) error {
				for _, s := range list {
					got = append(got, fmt.Sprintf("%d %s", s.Line, s.Text))
				}
				return nil
			})
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%s in chunks of %d: %q, want %q, %v", c.layout, chunkSize, got, c.want, err)
			}
		}
	}
}
