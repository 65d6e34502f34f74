package pipeline

import (
	"context"
	"slices"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/sentence"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
)

// SentencePairs is a set of pairs as word ids, in SentEval's order.
type SentencePairs struct {
	Pairs []sentence.Pair
	Gold  []float64
	Lines []dataset.Pair // as the file has them
	texts []method.Pair  // the same
}

// ReadPairs reads a set of sentence pairs, those of PairLines. A set is read once; what is returned must not be
// changed.
func (w *Workspace) ReadPairs(ctx context.Context, set profile.Set) (*SentencePairs, error) {
	return store.Get(ctx, w.Store, store.Node[*SentencePairs]{
		Name: "pairs", Version: 2, Params: set.File, Inputs: append(w.setInputs(set), w.vocabularyNode()),
		Make: func(ctx context.Context) (*SentencePairs, error) { return w.readPairs(ctx, set) },
	})
}

func (w *Workspace) readPairs(ctx context.Context, set profile.Set) (*SentencePairs, error) {
	lines, err := w.PairLines(ctx, set)
	if err != nil {
		return nil, err
	}
	v, err := w.Vocabulary(ctx)
	if err != nil {
		return nil, err
	}
	s := &SentencePairs{Lines: lines}
	for _, line := range lines {
		s.Pairs = append(s.Pairs, sentence.Pair{
			A: KnownWords(v, corpus.Tokenise(line.A)), B: KnownWords(v, corpus.Tokenise(line.B)),
		})
		s.Gold = append(s.Gold, line.Gold)
		s.texts = append(s.texts, method.Pair{A: line.A, B: line.B})
	}
	return s, nil
}

// PairLines reads the pairs of a set as the file has them, in SentEval's order, which is that of scores. A pair without
// a gold score is a *dataset.FormatError with file and line. Of a group that is unseen, pairs are left out that the
// validation group has too, in either order. They are compared by their letters and digits, since sets are tokenised in
// different ways.
func (w *Workspace) PairLines(ctx context.Context, set profile.Set) ([]dataset.Pair, error) {
	path, err := w.File(ctx, set.File)
	if err != nil {
		return nil, err
	}
	lines, err := dataset.ReadPairs(path)
	if err != nil {
		return nil, err
	}
	if lines, err = w.unseen(ctx, set, lines); err != nil {
		return nil, err
	}

	tokensA, tokensB, gold := make([]int, len(lines)), make([]int, len(lines)), make([]float64, len(lines))
	for i, line := range lines {
		if !line.HasGold {
			return nil, &dataset.FormatError{File: path, Line: line.Line, Problem: "no gold score; the experiment " +
				"needs three fields per line: score, sentence, sentence"}
		}
		tokensA[i], tokensB[i] = len(corpus.Tokenise(line.A)), len(corpus.Tokenise(line.B))
		gold[i] = line.Gold
	}
	sorted := make([]dataset.Pair, 0, len(lines))
	for _, i := range sentence.SentEvalOrder(tokensA, tokensB, gold) {
		sorted = append(sorted, lines[i])
	}
	return sorted, nil
}

// seenFiles returns the files of the validation group if the set
// is of an unseen one, whose pairs are to be left out of it.
func (w *Workspace) seenFiles(set profile.Set) (files []string) {
	groups := w.Profile.STS.Groups
	if !slices.ContainsFunc(groups, func(g profile.Group) bool { return g.Unseen && slices.Contains(g.Sets, set) }) {
		return nil
	}
	for _, g := range groups {
		for _, s := range g.Sets {
			if g.Validation {
				files = append(files, s.File)
			}
		}
	}
	return files
}

// setInputs are the files that the pairs of a set come from.
func (w *Workspace) setInputs(set profile.Set) []store.Input {
	return w.fileInputs(append([]string{set.File}, w.seenFiles(set)...)...)
}

// unseen returns those pairs of a set that are not in its seenFiles.
func (w *Workspace) unseen(ctx context.Context, set profile.Set, lines []dataset.Pair) ([]dataset.Pair, error) {
	var seen []dataset.Pair
	for _, file := range w.seenFiles(set) {
		path, err := w.File(ctx, file)
		if err != nil {
			return nil, err
		}
		pairs, err := dataset.ReadPairs(path)
		if err != nil {
			return nil, err
		}
		seen = append(seen, pairs...)
	}
	return dataset.Without(lines, seen), nil
}

// KnownWords returns the ids of those tokens that are words of the vocabulary.
func KnownWords(v *corpus.Vocabulary, tokens []string) sentence.Sentence {
	var s sentence.Sentence
	for _, t := range tokens {
		if id, ok := v.ID(t); ok {
			s = append(s, id)
		}
	}
	return s
}

// Score scores a set with the settings of a row.
func (w *Workspace) Score(
	ctx context.Context, row profile.Row, set profile.Set,
) (sentence.Scores, *SentencePairs, error) {
	scorer, pairs, err := w.Scorer(ctx, row, set, true)
	if err != nil {
		return sentence.Scores{}, nil, err
	}
	s, err := scorer(ctx)
	return s, pairs, err
}

// Scorer returns what scores the pairs of a set with the settings of a row, with what it is computed
// from in memory. What takes long is kept; without, everything is computed again, for those who time it.
func (w *Workspace) Scorer(
	ctx context.Context, row profile.Row, set profile.Set, kept bool,
) (method.Scorer, *SentencePairs, error) {
	s, err := w.source(ctx, set)
	if err != nil {
		return nil, nil, err
	}
	s.unstored = !kept
	scorer, err := method.NewScorer(ctx, row.Method, s, s.pairs.texts)
	return scorer, s.pairs, err
}

// Barycenters returns what combines the words of sentences by
// a row's barycenters, computed again, for those who time it.
func (w *Workspace) Barycenters(ctx context.Context, row profile.Row) (sentence.Barycenter, error) {
	return method.Barycenters(ctx, row.Method, &setSource{Workspace: w})
}
