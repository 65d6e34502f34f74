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

// learn returns the space with what it does not know of some texts, estimated from where it stands in the text of
// --in: a text of a few words as the phrase that it may be, and then the unknown words of what is no phrase.
func (f *spaceFlags) learn(e *cli.Env, s *cmdlib.Space, texts []string) (*cmdlib.Space, error) {
	if len(f.In) == 0 {
		return s, nil
	}
	in, err := cli.Text(f.In)
	if err != nil {
		return nil, err
	}
	for _, parts := range []func(tokens []string) []string{
		func(tokens []string) []string {
			if n := len(tokens); n < 2 || n > longestPhrase {
				return nil
			}
			return []string{strings.Join(tokens, " ")}
		},
		func(tokens []string) []string { return slices.DeleteFunc(tokens, s.Has) },
	} {
		var wanted []string
		for _, text := range texts {
			if tokens := corpus.Tokenise(text); !s.Has(text) && !s.Has(strings.Join(tokens, " ")) {
				wanted = append(wanted, parts(tokens)...)
			}
		}
		if s, err = f.estimate(e, s, in, wanted); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// estimate returns the space with words or phrases that it learns from a text.
func (f *spaceFlags) estimate(e *cli.Env, s *cmdlib.Space, in corpus.Text, wanted []string) (*cmdlib.Space, error) {
	if len(wanted) == 0 {
		return s, nil
	}
	slices.Sort(wanted)
	wanted = slices.Compact(wanted)
	list, _, err := in.Occurrences(e, wanted, mostOccurrences, e.Progress.Step("look for "+strings.Join(wanted, ", ")))
	if err != nil {
		return nil, cli.BadData(err)
	}
	estimates := map[string]*cmdlib.Estimate{}
	for i, word := range wanted {
		estimate, err := s.Estimate(list[i])
		switch {
		case len(list[i]) == 0:
			slog.Warn("does not occur", "word", word, "in", strings.Join(f.In, " "))
		case errors.Is(err, cmdlib.ErrNoContexts):
			slog.Warn("occurs, but its contexts tell nothing", "word", word, "why", err)
		case err != nil:
			return nil, cli.BadData(err)
		default:
			slog.Info("estimated", "word", word, "occurrences", estimate.Occurrences, "contexts", estimate.Contexts)
			estimates[word] = estimate
		}
	}
	if len(estimates) == 0 {
		return s, nil
	}
	return s.Learn(estimates), nil
}
