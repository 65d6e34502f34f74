package build

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/ot/reference"
)

// topics writes a text of three topics, whose words are a0…, b0… and c0…; new york is a phrase of topic a, though york
// alone belongs to b, and zyx a rare word of topic c.
func topics(t *testing.T) corpus.Text {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	for line := range 1500 {
		topic := "abc"[line%3]
		var words []string
		for range 8 {
			words = append(words, fmt.Sprintf("%c%d", topic, r.IntN(15)), fmt.Sprintf("the%d", r.IntN(3)))
		}
		at := r.IntN(len(words))
		switch {
		case topic == 'a' && line%6 == 0:
			words = slices.Insert(words, at, "new", "york")
		case topic == 'b' && line%2 == 0:
			words = slices.Insert(words, at, "york")
		case topic == 'c' && line%400 == 2:
			words = slices.Insert(words, at, "zyx")
		}
		b.WriteString(strings.Join(words, " ") + "\n")
	}
	path := filepath.Join(t.TempDir(), "topics.txt")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return corpus.Text{Files: []string{path}}
}

func ofTopics(t *testing.T) (*cmdlib.Space, corpus.Text) {
	t.Helper()
	b := New()
	b.Text, b.MinCount, b.Dim, b.Clusters, b.SPPMI.Shift = topics(t), 8, 10, 6, 1
	s, _ := open(t, b)
	return s, b.Text
}

func occurrences(t *testing.T, text corpus.Text, words ...string) [][]corpus.Occurrence {
	t.Helper()
	found, _, err := text.Occurrences(t.Context(), words, 1<<20, nil)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Where all occurrences of a word in the text of a space are given, its estimate is what the space has, bit for bit.
func TestEstimateIsWhatBuildMakes(t *testing.T) {
	s, text := ofTopics(t)
	found := occurrences(t, text, s.Words...)
	for id, word := range s.Words {
		e, err := s.Estimate(found[id])
		if !s.Has(word) {
			if !errors.Is(err, cmdlib.ErrNoContexts) {
				t.Errorf("%q has no histogram, but an estimate (%v)", word, err)
			}
			continue
		}
		want, errRow := s.Row(int32(id))
		if err := errors.Join(err, errRow); err != nil || !slices.Equal(e.Histogram, want) || int64(e.Occurrences) != s.Counts[id] {
			t.Fatalf("%q: %+v, %v, want %v", word, e, err, want)
		}
		// What brought the mass is the same as well.
		named := s.Learn(map[string]*cmdlib.Estimate{"it": e})
		both, err := named.Explain(t.Context(), word, "it", s.Cost.K)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(both.From.Contexts, both.To.Contexts); diff != "" {
			t.Fatalf("%q: other contexts: %s", word, diff)
		}
	}
}

// A packed space estimates the same but for its digits, and from the words that it kept.
func TestEstimateInAPackedSpace(t *testing.T) {
	s, text := ofTopics(t)
	path := filepath.Join(t.TempDir(), "packed")
	if err := s.Pack(t.Context(), path, cmdlib.Packing{}); err != nil {
		t.Fatal(err)
	}
	packed, err := cmdlib.Open(path, reference.New())
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	found := occurrences(t, text, "a1", "zyx")
	for _, list := range found {
		want, err := s.Estimate(list)
		if err != nil {
			t.Fatal(err)
		}
		got, err := packed.Estimate(list)
		if err != nil {
			t.Fatal(err)
		}
		for k, x := range want.Histogram {
			if math.Abs(float64(got.Histogram[k]-x)) > 1e-5 {
				t.Errorf("bin %d: %v, want %v", k, got.Histogram[k], x)
			}
		}
	}
}

// topicsNear counts the topics of the words nearest to a text.
func topicsNear(t *testing.T, s *cmdlib.Space, text string, n int) map[byte]int {
	t.Helper()
	near, err := s.ByTransport().Neighbours(t.Context(), text, n)
	if err != nil {
		t.Fatal(err)
	}
	topics := make(map[byte]int)
	for _, w := range near.Nearest {
		topics[w.Word[0]]++
	}
	return topics
}

// A rare word and a phrase have the neighbours of their contexts, not those of the phrase's words.
func TestLearn(t *testing.T) {
	s, text := ofTopics(t)
	found := occurrences(t, text, "zyx", "new york")
	estimates := make(map[string]*cmdlib.Estimate)
	for i, word := range []string{"zyx", "new york"} {
		e, err := s.Estimate(found[i])
		if err != nil {
			t.Fatal(err)
		}
		estimates[word] = e
	}
	if s.Has("zyx") {
		t.Fatal("the space knows zyx already")
	}
	if near := topicsNear(t, s, "york", 10); near['b'] < 8 {
		t.Errorf("york alone: %v", near)
	}
	known := s.Learn(estimates)
	if near := topicsNear(t, known, "new york", 10); near['a'] < 8 {
		t.Errorf("new york: %v", near)
	}
	if near := topicsNear(t, known, "zyx", 10); near['c'] < 8 {
		t.Errorf("zyx: %v", near)
	}
	sentence, err := known.Sentence(t.Context(), "zyx in New York")
	if err != nil || !slices.Equal(sentence.Words, []string{"zyx", "new york"}) || !slices.Equal(sentence.Unknown, []string{"in"}) {
		t.Errorf("%+v, %v", sentence, err)
	}
	x, err := known.ByTransport().Explain(t.Context(), "new york", "zyx", 3)
	if err != nil || len(x.From.Contexts[0].Sources) == 0 || x.From.Contexts[0].Sources[0].Word[0] != 'a' {
		t.Errorf("%+v, %v", x, err)
	}
	// What is learned is learned by that space alone, and is not packed.
	if s.Has("zyx") || s.Has("new york") {
		t.Error("the space has learned with its copy")
	}
	path := filepath.Join(t.TempDir(), "packed")
	if err := known.Pack(t.Context(), path, cmdlib.Packing{}); err != nil {
		t.Fatal(err)
	}
	packed, err := cmdlib.Open(path, reference.New())
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	if packed.Has("zyx") || !packed.Has("a1") {
		t.Error("the packed space should have the words of the space, and no others")
	}
	// A word that is known has its new estimate.
	again := s.Learn(map[string]*cmdlib.Estimate{"york": estimates["new york"]})
	if near := topicsNear(t, again, "york", 10); near['a'] < 8 {
		t.Errorf("york as new york: %v", near)
	}
}

func TestEstimateFails(t *testing.T) {
	s, _ := ofTopics(t)
	for _, list := range [][]corpus.Occurrence{nil, {{Sentence: []string{"zyx"}}}, {{Sentence: []string{"nobody", "knows", "zyx"}, At: 2}}} {
		if _, err := s.Estimate(list); !errors.Is(err, cmdlib.ErrNoContexts) {
			t.Errorf("%v: %v", list, err)
		}
	}
	b := fixture(t, "w0 1 0\nw1 1 .1\nw2 0 1\nw3 .1 1\n")
	b.Window = 0
	without, _ := open(t, b)
	if _, err := without.Estimate([]corpus.Occurrence{{Sentence: []string{"x", "w1"}}}); !errors.Is(err, cmdlib.ErrNoReference) {
		t.Error(err)
	}
}
