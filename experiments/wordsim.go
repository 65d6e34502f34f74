package experiments

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"contextmover/cmdlib/npy"
	"contextmover/cmdlib/score"
	"contextmover/cmdlib/sentence"
	"contextmover/experiments/dataset"
	"contextmover/experiments/profile"
	"contextmover/experiments/results"
	"contextmover/experiments/store"
)

// A WordMeasure is the outcome of one row on one set of word pairs, or the average
// over several.
type WordMeasure struct {
	// Spearman is 100 times the rank correlation of scores and gold over the covered
	// pairs, Low and High its 95 % bootstrap interval.
	Spearman, Low, High float64
	// Pairs counts the pairs, Covered those whose words are both known: the others are
	// dropped, as in the paper.
	Pairs, Covered int
	// Draws holds the correlation of each bootstrap sample, drawn by clusters of words
	// (score.Pairs); sample d weighs the pairs alike for all rows.
	Draws []float64 `json:"-"`
}

// WordSim is the outcome of the word-similarity experiment.
type WordSim struct {
	Rows []profile.Row // every setting resolved, chosen ones included
	Sets []profile.WordSet
	// Measures[r][s] is row r on set s.
	Measures [][]WordMeasure
	// Pooled[r] is 100 times the rank correlation of row r on the validation sets
	// together; see pooled.
	Pooled []float64
	// Tried holds what was searched on the validation sets, best first per row.
	Tried []Candidate
}

// RunWordSim scores all rows of the profile on all its sets of word pairs (section
// 5.1 of the paper). Blocks that ask for it get the settings of CMD and CMD Mix from a
// search on the validation sets first; the test sets are never looked at there.
func (w *Workspace) RunWordSim(ctx context.Context) (*WordSim, error) {
	p := w.Profile.WordSim
	result := &WordSim{Sets: p.Sets}
	for _, block := range p.Blocks {
		for _, row := range block.Rows() {
			if row.Select {
				tried, err := w.tryWords(ctx, row)
				if err != nil {
					return nil, fmt.Errorf("choosing the settings of row %q: %w", row.ID, err)
				}
				row = tried[0].Row
				result.Tried = append(result.Tried, tried...)
			}
			result.Rows = append(result.Rows, row)
		}
	}
	// Rows that share estimates follow one another, so that these are made once.
	order := make([]int, len(result.Rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return compareEstimates(w.rowEstimates(result.Rows[a]), w.rowEstimates(result.Rows[b]))
	})
	result.Measures, result.Pooled = make([][]WordMeasure, len(order)), make([]float64, len(order))
	for _, r := range order {
		var validation []*wordScores
		for _, set := range result.Sets {
			m, scores, err := w.measureWords(ctx, result.Rows[r], set)
			if err != nil {
				return nil, fmt.Errorf("row %q on %s: %w", result.Rows[r].ID, set.Name, err)
			}
			result.Measures[r] = append(result.Measures[r], m)
			if set.Validation {
				validation = append(validation, scores)
			}
		}
		if len(validation) > 0 {
			var err error
			if result.Pooled[r], err = pooled(validation); err != nil {
				return nil, fmt.Errorf("row %q on the validation sets: %w", result.Rows[r].ID, err)
			}
		}
	}
	return result, nil
}

// AverageWords returns the mean over sets weighted by their covered pairs, Σ n ρ / Σ n:
// the paper's average over the test sets, and our validation score.
func AverageWords(sets []WordMeasure) WordMeasure {
	mean := WordMeasure{Draws: make([]float64, claimDraws)}
	for _, m := range sets {
		mean.Pairs += m.Pairs
		mean.Covered += m.Covered
	}
	for _, m := range sets {
		share := float64(m.Covered) / float64(mean.Covered)
		mean.Spearman += share * m.Spearman
		for d := range m.Draws {
			mean.Draws[d] += share * m.Draws[d]
		}
	}
	mean.Low, mean.High = score.Interval(mean.Draws)
	return mean
}

// wordScores are the covered pairs of a set: what a row says and the gold score.
type wordScores struct {
	value, gold []float64
	pairs       int // uncovered ones too
	// words are those of all pairs, covered tells which are; for scores just made only.
	words   [2][]string
	covered []bool
}

func (s *wordScores) spearman() (float64, error) {
	if len(s.value) < 2 {
		return 0, fmt.Errorf("%d of %d pairs have two known words, expected at least 2", len(s.value), s.pairs)
	}
	r, err := score.Spearman(s.value, s.gold)
	return 100 * r, err
}

// pooled is the other reading of "one validation set": 100 times the rank correlation
// over the pairs of all sets, where gold scores, whose scales differ, count as shares
// of the ranks of their own set.
func pooled(sets []*wordScores) (float64, error) {
	all := new(wordScores)
	for _, s := range sets {
		all.pairs += s.pairs
		all.value = append(all.value, s.value...)
		for _, rank := range score.Ranks(s.gold) {
			all.gold = append(all.gold, (rank-0.5)/float64(len(s.gold)))
		}
	}
	return all.spearman()
}

// scoreWords scores a set with the settings of a row. A word is a sentence of one word.
func (w *Workspace) scoreWords(ctx context.Context, row profile.Row, set profile.WordSet) (*wordScores, error) {
	path, err := w.File(ctx, set.File)
	if err != nil {
		return nil, err
	}
	lines, err := dataset.ReadWordSimilarity(path)
	if err != nil {
		return nil, err
	}
	v, err := w.Vocabulary(ctx)
	if err != nil {
		return nil, err
	}
	pairs := make([]sentence.Pair, len(lines))
	for i, line := range lines {
		pairs[i] = sentence.Pair{A: known(v, []string{strings.ToLower(line.A)}), B: known(v, []string{strings.ToLower(line.B)})}
	}
	method, err := w.method(ctx, row, profile.Set{Name: set.Name, File: set.File})
	if err != nil {
		return nil, err
	}
	scores, err := method.Score(ctx, pairs)
	if err != nil {
		return nil, err
	}
	s := &wordScores{pairs: len(pairs), covered: scores.Covered}
	for i, covered := range scores.Covered {
		s.words[0], s.words[1] = append(s.words[0], strings.ToLower(lines[i].A)), append(s.words[1], strings.ToLower(lines[i].B))
		if covered {
			s.value, s.gold = append(s.value, scores.Value[i]), append(s.gold, lines[i].Score)
		}
	}
	return s, nil
}

// measureWords returns the outcome of a row on a set and the scores behind it, from the
// store if they are there.
func (w *Workspace) measureWords(ctx context.Context, row profile.Row, set profile.WordSet) (WordMeasure, *wordScores, error) {
	var m WordMeasure
	inputs, err := w.scoreInputs(row, profile.Set{File: set.File})
	if err != nil {
		return m, nil, err
	}
	sampling := seed(w.Profile.Seed, "bootstrap "+set.File)
	stage := store.Stage{Name: "wordsim-scores", Version: 2, Inputs: inputs, Params: struct {
		Score scoreParams `json:"score"`
		Draws int         `json:"draws"`
		Seed  uint64      `json:"seed"`
	}{w.scoreParams(row), draws, sampling}}
	dir, err := w.Store.Get(ctx, stage, func(ctx context.Context, dir string) error {
		s, err := w.scoreWords(ctx, row, set)
		if err != nil {
			return err
		}
		n := len(s.value)
		m := WordMeasure{Pairs: s.pairs, Covered: n}
		if m.Spearman, err = s.spearman(); err != nil {
			return err
		}
		for _, a := range []struct {
			name string
			data []float64
		}{{"scores", s.value}, {"gold", s.gold}} {
			if err := npy.Write(filepath.Join(dir, a.name+".npy"), []int{len(a.data)}, a.data); err != nil {
				return err
			}
		}
		return writeJSON(filepath.Join(dir, "measure.json"), m)
	})
	if err != nil {
		return m, nil, err
	}
	if err := readJSON(filepath.Join(dir, "measure.json"), &m); err != nil {
		return m, nil, err
	}
	s := &wordScores{pairs: m.Pairs}
	if _, s.value, err = npy.Read[float64](filepath.Join(dir, "scores.npy")); err != nil {
		return m, nil, err
	}
	if _, s.gold, err = npy.Read[float64](filepath.Join(dir, "gold.npy")); err != nil {
		return m, nil, err
	}
	if w.further() {
		return m, s, nil
	}
	m.Draws, err = w.drawWords(ctx, row, set, stage.Key(), sampling)
	m.Low, m.High = score.Interval(m.Draws)
	return m, s, err
}

// drawWords returns bootstrap draws of a row on a set by clusters of words, from the store if
// they are there; scores is the key of its scores. It scores the pairs again, since the scores
// in the store do not tell which words they are of.
func (w *Workspace) drawWords(ctx context.Context, row profile.Row, set profile.WordSet, scores store.Key, sampling uint64) ([]float64, error) {
	stage := store.Stage{Name: "wordsim-draws", Version: 1, Inputs: []store.Key{scores}, Params: struct {
		Draws int    `json:"draws"`
		Seed  uint64 `json:"seed"`
	}{claimDraws, sampling}}
	dir, err := w.Store.Get(ctx, stage, func(ctx context.Context, dir string) error {
		s, err := w.scoreWords(ctx, row, set)
		if err != nil {
			return err
		}
		drawn, err := spearmanDraws(score.NewPairs(s.words[0], s.words[1]), func(i int) bool { return s.covered[i] }, s.value, s.gold, sampling)
		if err != nil {
			return err
		}
		for d := range drawn {
			drawn[d] *= 100
		}
		return writeDraws(dir, "draws", drawn)
	})
	if err != nil {
		return nil, err
	}
	_, draws, err := npy.Read[float64](filepath.Join(dir, "draws.npy"))
	return draws, err
}

// withSeed returns the quantities of the same rows, their settings as they are, in a workspace
// of a further seed.
func (s *WordSim) withSeed(ctx context.Context, further *Workspace) ([]results.Quantity, error) {
	again := &WordSim{Rows: s.Rows, Sets: s.Sets}
	for _, row := range s.Rows {
		var measures []WordMeasure
		for _, set := range s.Sets {
			m, _, err := further.measureWords(ctx, row, set)
			if err != nil {
				return nil, fmt.Errorf("row %q on %s: %w", row.ID, set.Name, err)
			}
			measures = append(measures, m)
		}
		again.Measures = append(again.Measures, measures)
	}
	return again.quantities(), nil
}

// tryWords scores the settings of the grid for a row on the validation sets, best
// first, the earlier of equals. Only the validation sets' files are read.
func (w *Workspace) tryWords(ctx context.Context, row profile.Row) ([]Candidate, error) {
	settings := w.Profile.WordSim.Select.Rows(row)
	slices.SortStableFunc(settings, func(a, b profile.Row) int {
		return compareEstimates(w.rowEstimates(a), w.rowEstimates(b))
	})
	var tried []Candidate
	for _, s := range settings {
		validation, err := w.validateWords(ctx, s)
		if err != nil {
			return nil, err
		}
		tried = append(tried, Candidate{row.ID, s, validation})
	}
	slices.SortStableFunc(tried, func(a, b Candidate) int { return cmp.Compare(b.Validation, a.Validation) })
	slog.Info("chosen", "row", row.ID, "tried", len(tried), "validation", fmt.Sprintf("%.1f", tried[0].Validation))
	return tried, nil
}

// validateWords returns the mean correlation on the validation sets, weighted by their
// covered pairs.
func (w *Workspace) validateWords(ctx context.Context, row profile.Row) (float64, error) {
	stage := store.Stage{Name: "wordsim-validation", Version: 2, Params: w.scoreParams(row)}
	var sets []profile.WordSet
	for _, set := range w.Profile.WordSim.Sets {
		if !set.Validation {
			continue
		}
		sets = append(sets, set)
		inputs, err := w.scoreInputs(row, profile.Set{File: set.File})
		if err != nil {
			return 0, err
		}
		stage.Inputs = append(stage.Inputs, inputs...)
	}
	type outcome struct {
		Average float64 `json:"average"`
	}
	dir, err := w.Store.Get(ctx, stage, func(ctx context.Context, dir string) error {
		sum, covered := 0.0, 0
		for _, set := range sets {
			s, err := w.scoreWords(ctx, row, set)
			if err != nil {
				return err
			}
			r, err := s.spearman()
			if err != nil {
				return fmt.Errorf("%s: %w", set.Name, err)
			}
			sum += r * float64(len(s.value))
			covered += len(s.value)
		}
		return writeJSON(filepath.Join(dir, "validation.json"), outcome{sum / float64(covered)})
	})
	if err != nil {
		return 0, err
	}
	var o outcome
	err = readJSON(filepath.Join(dir, "validation.json"), &o)
	return o.Average, err
}
