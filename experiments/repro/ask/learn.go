package ask

import (
	"errors"
	"log/slog"
	"slices"
	"strings"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/experiments/repro/cli"
)

// mostOccurrences is the number of places that a word is estimated from at most: of more, an even sample.
const mostOccurrences = 20_000

// longestPhrase is the number of words that a text may have to be looked for as a phrase.
const longestPhrase = 5

// learn returns the space with what it does not know of some texts, estimated from where it stands
// in the text of --in: unknown words, and a text of a few words as the phrase that it may be.
func (f *spaceFlags) learn(e *cli.Env, s *cmdlib.Space, texts []string) (*cmdlib.Space, error) {
	if len(f.In) == 0 {
		return s, nil
	}
	in, err := cli.Text(f.In)
	if err != nil {
		return nil, err
	}
	var wanted []string
	want := func(word string) {
		if !slices.Contains(wanted, word) {
			wanted = append(wanted, word)
		}
	}
	phrase := make([]string, len(texts)) // what a text may be as a whole
	words := make([][]string, len(texts))
	for i, text := range texts {
		tokens := corpus.Tokenise(text)
		if s.Has(text) || len(tokens) == 0 {
			continue
		}
		if n := len(tokens); n > 1 && n <= longestPhrase {
			phrase[i] = strings.Join(tokens, " ")
			if strings.Contains(text, "_") {
				phrase[i] = text
			}
			want(phrase[i])
		}
		for _, token := range tokens {
			if !s.Has(token) && token != phrase[i] {
				words[i] = append(words[i], token)
				want(token)
			}
		}
	}
	if len(wanted) == 0 {
		return s, nil
	}
	list, _, err := in.Occurrences(e, wanted, mostOccurrences, e.Progress.Step("look for "+strings.Join(wanted, ", ")))
	if err != nil {
		return nil, cli.BadData(err)
	}
	found := make(map[string][]corpus.Occurrence)
	for i, word := range wanted {
		found[word] = list[i]
	}
	estimates := make(map[string]*cmdlib.Estimate)
	tried := make(map[string]bool)
	estimate := func(word string) error {
		if tried[word] {
			return nil
		}
		tried[word] = true
		estimate, err := s.Estimate(found[word])
		switch {
		case len(found[word]) == 0:
			slog.Warn("does not occur", "word", word, "in", strings.Join(f.In, " "))
		case errors.Is(err, cmdlib.ErrNoContexts):
			slog.Warn("occurs, but its contexts tell nothing", "word", word, "why", err)
		case err != nil:
			return cli.BadData(err)
		default:
			slog.Info("estimated", "word", word, "occurrences", estimate.Occurrences, "contexts", estimate.Contexts,
				"associated", estimate.Associated)
			estimates[word] = estimate
		}
		return nil
	}
	for i := range texts {
		asked := words[i]
		if p := phrase[i]; p != "" && len(found[p]) > 0 {
			asked = []string{p}
		} else if p != "" {
			slog.Warn("does not occur as a phrase, so its words are combined", "text", p, "in", strings.Join(f.In, " "))
		}
		for _, word := range asked {
			if err := estimate(word); err != nil {
				return nil, err
			}
		}
	}
	return s.Learn(estimates), nil
}
