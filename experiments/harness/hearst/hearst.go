// Package hearst counts how often words of a text stand as kind and as example in Hearst's patterns, such as "fruits
// such as apples" [Hearst 1992; Roller, Kiela, Nickel 2018].
//
// Patterns are of tokens alone, without parts of speech. X is the example and Y the kind:
//
//	Y such as X, X and X        such Y as X            Y including X, Y especially X
//	X, X and|or [any|some] other Y                     like|unlike most|all|any|other Y, X
//	X[, which] is a|an [example|kind|… of] Y           X a special case of Y
//
// X and Y are phrases of at most two words between punctuation and function words, of which the last word counts. A
// plural counts as its singular where the vocabulary has that (Singulars).
package hearst

import (
	"context"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/sparse"
)

// Count returns how often word i of the vocabulary is an example of word j: the matrix has a row for each example and a
// column for each kind. A text is read once; for the errors of reading see corpus.Text. progress may be nil.
func Count(
	ctx context.Context, text corpus.Text, v *corpus.Vocabulary, progress func(done, total int64),
) (*sparse.Matrix[float64], error) {
	singular := Singulars(v)
	id := func(word string) int32 {
		if id, ok := v.ID(word); ok {
			return singular[id]
		}
		return -1
	}
	counts := make(map[[2]int32]float64)
	_, err := corpus.Pieces(ctx, text, progress, func(sentences []corpus.Sentence) (found [][2]int32, err error) {
		for _, s := range sentences {
			match(s.Tokens, func(example, kind string) {
				if pair := [2]int32{id(example), id(kind)}; pair[0] >= 0 && pair[1] >= 0 && pair[0] != pair[1] {
					found = append(found, pair)
				}
			})
		}
		return found, nil
	}, func(found [][2]int32) error {
		for _, pair := range found {
			counts[pair]++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return Matrix(v.Len(), counts), nil
}

// Matrix returns the square matrix of counts of pairs of so many words.
func Matrix(words int, counts map[[2]int32]float64) *sparse.Matrix[float64] {
	m := &sparse.Matrix[float64]{Rows: words, Cols: words, Start: make([]int64, words+1)}
	pairs := slices.SortedFunc(maps.Keys(counts), func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) })
	for _, pair := range pairs {
		m.Start[pair[0]+1]++
		m.Index, m.Value = append(m.Index, pair[1]), append(m.Value, counts[pair])
	}
	for i := range words {
		m.Start[i+1] += m.Start[i]
	}
	return m
}

// Singulars returns for each word of a vocabulary the number of its singular, where the vocabulary has that, else its
// own. The singular lacks the final s, or es after s, x, z, ch and sh, or has y for a final ies. Words that end in ss,
// us and is, and those of fewer than four letters, are taken as they are.
func Singulars(v *corpus.Vocabulary) []int32 {
	ids := make([]int32, v.Len())
	for i, word := range v.Words {
		ids[i] = int32(i)
		for _, form := range singulars(word) {
			if id, ok := v.ID(form); ok {
				ids[i] = id
				break
			}
		}
	}
	return ids
}

// singulars are what a word may be the plural of, the likeliest first.
func singulars(word string) []string {
	stem, ok := strings.CutSuffix(word, "s")
	last, _ := utf8.DecodeLastRuneInString(stem)
	if !ok || len(word) < 4 || strings.ContainsRune("sui", last) || !unicode.IsLetter(last) {
		return nil
	}
	if shorter, ok := strings.CutSuffix(stem, "ie"); ok && len(shorter) > 1 {
		return []string{shorter + "y", stem}
	}
	for _, end := range []string{"sse", "xe", "zze", "che", "she"} {
		if strings.HasSuffix(stem, end) {
			return []string{stem[:len(stem)-1], stem}
		}
	}
	if strings.HasSuffix(stem, "se") || strings.HasSuffix(stem, "ze") {
		return []string{stem, stem[:len(stem)-1]} // houses, buses
	}
	return []string{stem}
}

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

var (
	// function words end a phrase.
	function = set(`a about above across after again against all along also although always am among an and another any
		are around as at be because been before being below between both but by can could did do does down during each
		either else enough even ever every few first for from further had has have having he hence her here hers him his
		how however i if in including indeed into is it its itself just last least less like made many may me might mine
		more most much must my near neither never next no nor not now of off often on once one only onto or other others
		our out over own per rather same second several shall she should since so some still such than that the their
		them then there these they this those though through thus to together too toward towards under unless unlike
		until
		up upon us used very was we well were what when where whereas whether which while who whom whose why will with
		within without would yet you your especially`)
	// determiners begin one.
	determiners = set(`a an the some any many other all both various several certain its their his her our my your
		these those`)
	// vague are said to be kinds of nothing.
	vague = set("features properties member part given")
	kinds = set("example class kind type sort form case")
)

// word tells whether a token can be in a phrase.
func word(token string) bool {
	first, _ := utf8.DecodeRuneInString(token)
	return unicode.IsLetter(first) && !function[token]
}

// longest is the number of words of a phrase, at most.
const longest = 2

// phrase returns the last word of the phrase that begins at a token, and where it ends; −1 if there is none.
func phrase(tokens []string, at int) (head, end int) {
	for at < len(tokens) && determiners[tokens[at]] {
		at++
	}
	end = at
	for end < len(tokens) && word(tokens[end]) {
		end++
	}
	if end == at || end-at > longest {
		return -1, at
	}
	return end - 1, end
}

// before returns the word in front of a token, with or without a comma between them; −1 if there is none.
func before(tokens []string, at int) int {
	at--
	if at >= 0 && tokens[at] == "," {
		at--
	}
	if at < 0 || !word(tokens[at]) {
		return -1
	}
	return at
}

// examples yields the last words of a list of phrases from a token on. What follows a comma belongs to the list where
// another comma, and or or follows or stands in front.
func examples(tokens []string, at int, yield func(head int)) {
	joined := true
	for {
		head, end := phrase(tokens, at)
		if head < 0 {
			return
		}
		comma, and := false, false
		next := end
		if next < len(tokens) && tokens[next] == "," {
			comma = true
			next++
		}
		if next < len(tokens) && (tokens[next] == "and" || tokens[next] == "or") {
			and = true
			next++
		}
		if joined || comma || and {
			yield(head)
		}
		if !comma && !and {
			return
		}
		at, joined = next, and
	}
}

// match yields the examples and kinds of a sentence.
func match(tokens []string, yield func(example, kind string)) {
	has := func(at int, words ...string) bool {
		return at >= 0 && at < len(tokens) && slices.Contains(words, tokens[at])
	}
	list := func(kind, at int) {
		if kind >= 0 && !vague[tokens[kind]] {
			examples(tokens, at, func(head int) { yield(tokens[head], tokens[kind]) })
		}
	}
	for i, token := range tokens {
		switch token {
		case "such":
			if has(i+1, "as") {
				list(before(tokens, i), i+2)
			} else if kind, end := phrase(tokens, i+1); kind >= 0 && has(end, "as") {
				list(kind, end+1)
			}
		case "including", "especially":
			list(before(tokens, i), i+1)
		case "other":
			and := i - 1
			if has(and, "any", "some") {
				and--
			}
			if kind, _ := phrase(tokens, i+1); kind >= 0 && has(and, "and", "or") {
				backwards(tokens, and, func(head int) { yield(tokens[head], tokens[kind]) })
			}
		case "like", "unlike":
			if !has(i+1, "most", "all", "any", "other") {
				continue
			}
			if kind, end := phrase(tokens, i+2); kind >= 0 && has(end, ",") {
				if head, _ := phrase(tokens, end+1); head >= 0 {
					yield(tokens[head], tokens[kind])
				}
			}
		case "is":
			example := before(tokens, i)
			if has(i-1, "which") {
				example = before(tokens, i-1)
			}
			if example < 0 || !has(i+1, "a", "an") {
				continue
			}
			kind, end := phrase(tokens, i+2)
			if kind >= 0 && kinds[tokens[kind]] && has(end, "of") {
				kind, _ = phrase(tokens, end+1)
			}
			if kind >= 0 && !vague[tokens[kind]] {
				yield(tokens[example], tokens[kind])
			}
		case "special":
			if has(i-1, "a") && has(i+1, "case") && has(i+2, "of") && !has(i-2, "is") {
				example := before(tokens, i-1)
				if kind, _ := phrase(tokens, i+3); kind >= 0 && example >= 0 {
					yield(tokens[example], tokens[kind])
				}
			}
		}
	}
}

// backwards yields the last words of the phrases of a list that ends in front of a token.
func backwards(tokens []string, at int, yield func(head int)) {
	for head := before(tokens, at); head >= 0; {
		yield(head)
		comma := head - 1
		for head-comma < longest && comma >= 0 && word(tokens[comma]) {
			comma--
		}
		if comma < 1 || tokens[comma] != "," {
			return
		}
		head = before(tokens, comma+1)
	}
}
