package corpus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"contextmover/cmdlib/corpus/internal/runs"
)

// Occurrence is a place where a word or phrase stands in a sentence.
type Occurrence struct {
	// Sentence are the tokens. A phrase is one of them, its words joined by blanks, wherever it stands in the sentence.
	Sentence []string
	// At is the position in Sentence.
	At int
	// In is the sentence as it stands in the text; without a File where it is from none.
	In Sentence

	first  string // token of the sentence that the word or phrase begins with
	before int    // how often that token stands in the sentence before
}

// Excerpt is the sentence around the occurrence in the text's own words, or else its tokens: at most n words on each
// side.
func (o Occurrence) Excerpt(n int) string {
	words, at := o.Sentence, o.At
	if original := strings.Fields(o.In.Text); len(original) > 0 {
		words, at = original, o.among(original)
	}
	from, to := max(0, at-n), min(len(words), at+1+n)
	text := strings.Join(words[from:to], " ")
	if from > 0 {
		text = "… " + text
	}
	if to < len(words) {
		text += " …"
	}
	return text
}

// among returns the word of the sentence that the occurrence begins with; 0 if it is not found there.
func (o Occurrence) among(words []string) int {
	before := o.before
	for i, word := range words {
		tokens := Tokenise(word)
		if word == o.first {
			tokens = []string{word}
		}
		for _, token := range tokens {
			if token != o.first && strings.TrimRight(token, ".") != o.first {
				continue
			}
			if before--; before < 0 {
				return i
			}
		}
	}
	return 0
}

// target is a word or phrase that is looked for.
type target struct {
	text  string
	words []string
}

// newTarget cuts a text into the words to look for; new_york is the phrase new york, and a token as well. Blanks and
// line ends around it are no part of it.
func newTarget(text string) (target, error) {
	text = strings.TrimSpace(string(Normal([]byte(text))))
	words := Tokenise(strings.ReplaceAll(text, "_", " "))
	if len(words) == 0 {
		return target{}, fmt.Errorf("corpus: %q has no words to look for", text)
	}
	return target{text, words}, nil
}

// find returns where the target stands in a sentence, from left to right. Places do not overlap.
func (t target) find(in Sentence) (list []Occurrence) {
	var joined []string
	seen := make(map[string]int)
	for i, sentence := 0, in.Tokens; i < len(sentence); {
		length, token := 1, sentence[i]
		phrase := len(t.words) <= len(sentence)-i && slices.Equal(sentence[i:i+len(t.words)], t.words)
		if phrase {
			length, token = len(t.words), t.text
		}
		if phrase || token == t.text {
			list = append(list, Occurrence{At: len(joined), In: in, first: sentence[i], before: seen[sentence[i]]})
		}
		joined = append(joined, token)
		for _, token := range sentence[i : i+length] {
			seen[token]++
		}
		i += length
	}
	for i := range list {
		list[i].Sentence = joined
	}
	return list
}

// FindOccurrences returns where a word or phrase stands in sentences, which are
// tokenised (Tokenise), in their order. It is an error if the target has no words.
func FindOccurrences(sentences []string, word string) ([]Occurrence, error) {
	t, err := newTarget(word)
	if err != nil {
		return nil, err
	}
	var list []Occurrence
	for _, sentence := range sentences {
		list = append(list, t.find(Sentence{Tokens: Tokenise(sentence), Text: sentence})...)
	}
	return list, nil
}

// Occurrences returns where each of some words and phrases stands in a text, in the order of the text. Of more than
// limit ≥ 1 places it returns an even sample of limit/2 to limit, the same whatever else is looked for. For the
// errors of reading see Text; a target without words is another.
func (t Text) Occurrences(
	ctx context.Context, words []string, limit int, progress func(done, total int64),
) ([][]Occurrence, Stats, error) {
	if limit < 1 {
		return nil, Stats{}, fmt.Errorf("corpus: at most %d occurrences are asked for, expected at least 1", limit)
	}
	if len(words) == 0 {
		return nil, Stats{}, errors.New("corpus: no words to look for")
	}
	targets := make([]target, len(words))
	starts := make(map[string][]int) // the targets that begin with a word
	for i, word := range words {
		var err error
		if targets[i], err = newTarget(word); err != nil {
			return nil, Stats{}, err
		}
		starts[targets[i].words[0]] = append(starts[targets[i].words[0]], i)
		if targets[i].text != targets[i].words[0] {
			starts[targets[i].text] = append(starts[targets[i].text], i)
		}
	}
	type hit struct {
		target, sentence, number int // the target's number-th place in the sentence
		Occurrence
	}
	samples, piece := make([]sample, len(words)), 0
	stats, err := Pieces(ctx, t, progress, func(sentences []Sentence) (hits []hit, err error) {
		for s, sentence := range sentences {
			var wanted []int
			for _, word := range sentence.Tokens {
				wanted = append(wanted, starts[word]...)
			}
			slices.Sort(wanted)
			for _, i := range slices.Compact(wanted) {
				for n, o := range targets[i].find(sentence) {
					hits = append(hits, hit{i, s, n, o})
				}
			}
		}
		return hits, nil
	}, func(hits []hit) error {
		for _, h := range hits {
			samples[h.target].add(place{piece, h.sentence, h.number}, h.Occurrence, limit)
		}
		piece++
		return nil
	})
	if err != nil {
		return nil, Stats{}, err
	}
	found := make([][]Occurrence, len(words))
	for i := range samples {
		found[i] = samples[i].sorted()
	}
	return found, stats, nil
}

// place is that of an occurrence: chunk, sentence of the chunk, occurrence in the sentence.
type place [3]int

// sample keeps at most a number of occurrences: those whose place has a hash with level zero bits at its end,
// where level is the smallest that leaves few enough. So the order in which they are added does not matter.
type sample struct {
	level int
	kept  []sampled
}

type sampled struct {
	place
	Occurrence
}

func (s *sample) add(p place, o Occurrence, limit int) {
	if !s.keeps(p) {
		return
	}
	s.kept = append(s.kept, sampled{p, o})
	for len(s.kept) > limit && s.level < 64 {
		s.level++
		s.kept = slices.DeleteFunc(s.kept, func(x sampled) bool { return !s.keeps(x.place) })
	}
}

// keeps mixes the place as splitmix64 does.
func (s *sample) keeps(p place) bool {
	h := uint64(0)
	for _, x := range p {
		h += uint64(x) + 0x9e3779b97f4a7c15
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h&(1<<s.level-1) == 0
}

func (s *sample) sorted() []Occurrence {
	slices.SortFunc(s.kept, func(a, b sampled) int {
		return slices.Compare(a.place[:], b.place[:])
	})
	list := make([]Occurrence, len(s.kept))
	for i, x := range s.kept {
		list[i] = x.Occurrence
	}
	return list
}

// CountContexts counts the contexts of occurrences: ids has the id of each of so many words of a vocabulary, and the
// counts are those of Count's row for a word that occurs there. They come with ascending ids. A window
// that Count does not take is an error. It panics for an occurrence that is not within its sentence.
func CountContexts(
	occurrences []Occurrence, words int, ids func(word string) (int32, bool), window int,
) (contexts []int32, counts []float64, err error) {
	w, err := inverseDistances(window)
	if err != nil {
		return nil, nil, err
	}
	a := rowCounter{Accumulator: runs.NewAccumulator(words)}
	for _, o := range occurrences {
		_ = o.Sentence[o.At]
		sentence, at := []int32{SentenceEnd}, 0
		for i, word := range o.Sentence {
			id, known := ids(word)
			if i == o.At {
				at = len(sentence)
			}
			if known || i == o.At { // what stands there is none of its own contexts, so any id will do
				sentence = append(sentence, id)
			}
		}
		a.window(append(sentence, SentenceEnd), at, w.of)
	}
	contexts, sums := a.Take()
	for _, sum := range sums {
		counts = append(counts, w.count(sum))
	}
	return contexts, counts, nil
}
