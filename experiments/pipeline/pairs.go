package pipeline

import (
	"context"
	"fmt"
	"slices"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/sentence"
	"contextmover/experiments/dataset"
	"contextmover/experiments/profile"
	"contextmover/experiments/setwords"
	"contextmover/experiments/store"
)

// SentencePairs is a set of pairs as word ids, in SentEval's order.
type SentencePairs struct {
	Pairs []sentence.Pair
	Gold  []float64
	Lines []dataset.Pair // as the file has them
}

// ReadPairs reads a set of sentence pairs. A pair without a gold score is a
// *dataset.FormatError with file and line. Of a group that is unseen, pairs are left out that the validation group has too, in
// either order: by their letters and digits, since sets are tokenised in different ways. A set is read once; what is returned must not be
// changed.
func (w *Workspace) ReadPairs(ctx context.Context, set profile.Set) (*SentencePairs, error) {
	if s, ok := w.pairs[set]; ok {
		return s, nil
	}
	s, err := w.readPairs(ctx, set)
	if err != nil {
		return nil, err
	}
	if w.pairs == nil {
		w.pairs = map[profile.Set]*SentencePairs{}
	}
	w.pairs[set] = s
	return s, nil
}

func (w *Workspace) readPairs(ctx context.Context, set profile.Set) (*SentencePairs, error) {
	path, err := w.File(ctx, set.File)
	if err != nil {
		return nil, err
	}
	lines, err := dataset.ReadPairs(path)
	if err != nil {
		return nil, err
	}
	v, err := w.Vocabulary(ctx)
	if err != nil {
		return nil, err
	}
	if lines, err = w.unseen(ctx, set, lines); err != nil {
		return nil, err
	}
	tokensA, tokensB := make([]int, len(lines)), make([]int, len(lines))
	pairs, gold := make([]sentence.Pair, len(lines)), make([]float64, len(lines))
	for i, line := range lines {
		if !line.HasGold {
			return nil, &dataset.FormatError{File: path, Line: line.Line, Problem: "no gold score; the experiment needs three fields a line: score, sentence, sentence"}
		}
		a, b := corpus.Tokenise(line.A), corpus.Tokenise(line.B)
		tokensA[i], tokensB[i] = len(a), len(b)
		pairs[i], gold[i] = sentence.Pair{A: KnownWords(v, a), B: KnownWords(v, b)}, line.Gold
	}
	s := new(SentencePairs)
	for _, i := range sentence.SentEvalOrder(tokensA, tokensB, gold) {
		s.Pairs, s.Gold, s.Lines = append(s.Pairs, pairs[i]), append(s.Gold, gold[i]), append(s.Lines, lines[i])
	}
	return s, nil
}

// seenFiles returns the files of the validation group if the set is of an unseen one, whose pairs are to be left out of it.
func (w *Workspace) seenFiles(set profile.Set) (files []string) {
	unseen := false
	for _, g := range w.Profile.STS.Groups {
		unseen = unseen || g.Unseen && slices.Contains(g.Sets, set)
		for _, s := range g.Sets {
			if g.Validation {
				files = append(files, s.File)
			}
		}
	}
	if !unseen {
		return nil
	}
	return files
}

// setKeys returns the keys of the files that the pairs of a set come from.
func (w *Workspace) setKeys(set profile.Set) (keys []store.Key, err error) {
	for _, name := range append([]string{set.File}, w.seenFiles(set)...) {
		key, err := w.FileKey(name)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
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
	return setwords.Without(lines, seen), nil
}

// RowPairs reads a set of sentence pairs with the ids of words that a row's Method for this set takes: those of the vocabulary,
// or, where vectors are put together for the words of the set, those of these words.
func (w *Workspace) RowPairs(ctx context.Context, row profile.Row, set profile.Set) (*SentencePairs, error) {
	pairs, err := w.ReadPairs(ctx, set)
	if err != nil || !row.HasWordsOfSets() {
		return pairs, err
	}
	words := setwords.New(pairs.Lines)
	own := &SentencePairs{make([]sentence.Pair, len(pairs.Lines)), pairs.Gold, pairs.Lines}
	for i, line := range pairs.Lines {
		own.Pairs[i] = sentence.Pair{A: words.IDs(line.A), B: words.IDs(line.B)}
	}
	return own, nil
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
func (w *Workspace) Score(ctx context.Context, row profile.Row, set profile.Set) (sentence.Scores, *SentencePairs, error) {
	pairs, err := w.RowPairs(ctx, row, set)
	if err != nil {
		return sentence.Scores{}, nil, err
	}
	if row.Method == profile.Encoder {
		s, err := w.scoreRead(row, set, pairs)
		return s, pairs, err
	}
	m, err := w.Method(ctx, row, set)
	if err != nil {
		return sentence.Scores{}, nil, err
	}
	s, err := m.Score(ctx, pairs.Pairs)
	return s, pairs, err
}

// scoreRead returns the scores that an encoder's file has of a set.
func (w *Workspace) scoreRead(row profile.Row, set profile.Set, pairs *SentencePairs) (sentence.Scores, error) {
	e := w.encoders[row.File]
	if e == nil {
		files, err := dataset.Locate(w.Data, dataset.EncoderFiles(row.File)...)
		if err != nil {
			return sentence.Scores{}, err
		}
		if e, err = dataset.ReadEncoder(files[0]); err != nil {
			return sentence.Scores{}, DataError(err)
		}
		if w.encoders == nil {
			w.encoders = map[string]*dataset.Encoder{}
		}
		w.encoders[row.File] = e
	}
	var s sentence.Scores
	for _, line := range pairs.Lines {
		value, err := e.Score(line.A, line.B)
		if err != nil {
			return s, DataError(fmt.Errorf("%s, line %d: %w", set.File, line.Line, err))
		}
		s.Value, s.Covered = append(s.Value, value), append(s.Covered, true)
	}
	return s, nil
}
