package wordsim

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"contextmover/cmdlib/method"
	"contextmover/cmdlib/score"
	"contextmover/experiments/dataset"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/present"
	"contextmover/experiments/profile"
	"contextmover/experiments/results"
	"contextmover/experiments/store"
)

// Files lists the files of word pairs.
func Files(p *profile.Profile) (files []string) {
	for _, s := range p.WordSim.Sets {
		files = append(files, s.File)
	}
	return files
}

// Run makes the section's tables and quantities.
func Run(ctx context.Context, w *pipeline.Workspace) (*pipeline.Output, error) {
	result, err := Compute(ctx, w)
	if err != nil {
		return nil, err
	}
	quantities := result.quantities()
	err = w.AddSeeds(w.Profile.Seeds.WordSim, quantities, func(further *pipeline.Workspace) ([]results.Quantity, error) { return result.withSeed(ctx, further) })
	tables := result.Tables(w.Profile)
	if t := present.SeedsTable(w.Profile.Seeds.WordSim, w.Profile, "wordsim", 1, quantities, func(q results.Quantity) bool { return q.Table == mainTable }); t != nil {
		tables = append(tables, t)
	}
	return &pipeline.Output{Tables: tables, Quantities: quantities}, err
}

// A Measure is the outcome of one row on one set of word pairs, or the average
// over several.
type Measure struct {
	// Estimate is 100 times Spearman's correlation of scores and gold over the covered pairs; its
	// draws are by clusters of words (score.Pairs). Draw d weighs the pairs alike for all rows.
	score.Estimate
	// Pairs counts the pairs, Covered those whose words are both known: the others are
	// dropped, as in the paper.
	Pairs, Covered int
}

// storedMeasure is a Measure in the store. Its interval is of no use there: the draws are kept apart,
// and the interval is made from them.
type storedMeasure struct {
	Spearman, Low, High float64
	Pairs, Covered      int
}

// MarshalJSON encodes all but the draws.
func (m Measure) MarshalJSON() ([]byte, error) {
	return json.Marshal(storedMeasure{m.Value, m.Low, m.High, m.Pairs, m.Covered})
}

// UnmarshalJSON sets all but the draws.
func (m *Measure) UnmarshalJSON(data []byte) error {
	s := storedMeasure{m.Value, m.Low, m.High, m.Pairs, m.Covered}
	err := json.Unmarshal(data, &s)
	m.Value, m.Low, m.High, m.Pairs, m.Covered = s.Spearman, s.Low, s.High, s.Pairs, s.Covered
	return err
}

// Result is the outcome of the word-similarity experiment.
type Result struct {
	Rows []profile.Row // every setting resolved, chosen ones included
	Sets []profile.WordSet
	// Measures[r][s] is row r on set s.
	Measures [][]Measure
	// Pooled[r] is 100 times the rank correlation of row r on the validation sets
	// together; see pooled.
	Pooled []float64
	// Tried holds what was searched on the validation sets, best first per row.
	Tried []pipeline.Candidate
}

// Compute scores all rows of the profile on all its sets of word pairs (section
// 5.1 of the paper). Blocks that ask for it get the settings of CMD and CMD Mix from a
// search on the validation sets first; the test sets are never looked at there.
func Compute(ctx context.Context, w *pipeline.Workspace) (*Result, error) {
	rows, tried, err := Choose(ctx, w, w.Profile.WordSim.Rows())
	if err != nil {
		return nil, err
	}
	result, err := Score(ctx, w, rows)
	if err != nil {
		return nil, err
	}
	result.Tried = tried
	return result, nil
}

// Choose returns the rows, those with select = true with the settings of the grid wordsim.select that score
// best on the validation sets, and all that was tried there, best first per row. Each row searches for
// itself; ids of rows must differ.
func Choose(ctx context.Context, w *pipeline.Workspace, rows []profile.Row) (chosen []profile.Row, tried []pipeline.Candidate, err error) {
	search := slices.DeleteFunc(slices.Clone(rows), func(r profile.Row) bool { return !r.Select })
	found, err := w.Try(search, w.Profile.WordSim.Settings, func(setting profile.Row) (float64, error) { return validate(ctx, w, setting) })
	if err != nil {
		return nil, nil, err
	}
	for _, row := range rows {
		if row.Select {
			row = found[0][0].Row
			tried = append(tried, found[0]...)
			found = found[1:]
		}
		chosen = append(chosen, row)
	}
	return chosen, tried, nil
}

// Score scores rows, whose settings are all resolved, on all sets of the profile.
func Score(ctx context.Context, w *pipeline.Workspace, rows []profile.Row) (*Result, error) {
	result := &Result{Rows: rows, Sets: w.Profile.WordSim.Sets}
	// Rows that share estimates follow one another, so that these are made once.
	order := make([]int, len(result.Rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return pipeline.CompareEstimates(w.RowEstimates(result.Rows[a]), w.RowEstimates(result.Rows[b]))
	})
	result.Measures, result.Pooled = make([][]Measure, len(order)), make([]float64, len(order))
	for _, r := range order {
		var validation []*scored
		for _, set := range result.Sets {
			m, scores, err := measureSet(ctx, w, result.Rows[r], set)
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

// Average returns the mean over sets weighted by their covered pairs, Σ n ρ / Σ n:
// the paper's average over the test sets, and our validation score.
func Average(sets []Measure) Measure {
	mean := Measure{Estimate: score.Estimate{Draws: make([]float64, pipeline.ClusterDraws)}}
	for _, m := range sets {
		mean.Pairs += m.Pairs
		mean.Covered += m.Covered
	}
	for _, m := range sets {
		share := float64(m.Covered) / float64(mean.Covered)
		mean.Value += float64(share * m.Value)
		for d := range m.Draws {
			mean.Draws[d] += float64(share * m.Draws[d])
		}
	}
	mean.Bound()
	return mean
}

// scored are the covered pairs of a set: what a row says and the gold score.
type scored struct {
	value, gold []float64
	pairs       int // uncovered ones too
	// words are those of all pairs, covered tells which are; for scores just made only.
	words   [2][]string
	covered []bool
}

func (s *scored) spearman() (float64, error) {
	if len(s.value) < 2 {
		return 0, fmt.Errorf("%d of %d pairs have two known words, expected at least 2", len(s.value), s.pairs)
	}
	r, err := score.Spearman(s.value, s.gold)
	return 100 * r, err
}

// pooled is the other reading of "one validation set": 100 times the rank correlation
// over the pairs of all sets, where gold scores, whose scales differ, count as shares
// of the ranks of their own set.
func pooled(sets []*scored) (float64, error) {
	all := new(scored)
	for _, s := range sets {
		all.pairs += s.pairs
		all.value = append(all.value, s.value...)
		for _, rank := range score.Ranks(s.gold) {
			all.gold = append(all.gold, (rank-0.5)/float64(len(s.gold)))
		}
	}
	return all.spearman()
}

// scoreSet scores a set with the settings of a row. A word is a sentence of one word.
func scoreSet(ctx context.Context, w *pipeline.Workspace, row profile.Row, set profile.WordSet) (*scored, error) {
	path, err := w.File(ctx, set.File)
	if err != nil {
		return nil, err
	}
	lines, err := dataset.ReadWordSimilarity(path)
	if err != nil {
		return nil, err
	}
	pairs := make([]method.Pair, len(lines))
	for i, line := range lines {
		pairs[i] = method.Pair{A: strings.ToLower(line.A), B: strings.ToLower(line.B)}
	}
	scores, err := w.ScoreWords(ctx, row, profile.Set{Name: set.Name, File: set.File}, pairs)
	if err != nil {
		return nil, err
	}
	s := &scored{pairs: len(pairs), covered: scores.Covered}
	for i, covered := range scores.Covered {
		s.words[0], s.words[1] = append(s.words[0], pairs[i].A), append(s.words[1], pairs[i].B)
		if covered {
			s.value, s.gold = append(s.value, scores.Value[i]), append(s.gold, lines[i].Score)
		}
	}
	return s, nil
}

// measureSet returns the outcome of a row on a set and the scores behind it, from the
// store if they are there.
func measureSet(ctx context.Context, w *pipeline.Workspace, row profile.Row, set profile.WordSet) (Measure, *scored, error) {
	m, s := Measure{}, new(scored)
	stage, sampling, err := scoresStage(w, row, set)
	if err != nil {
		return m, nil, err
	}
	err = w.Store.Keep(ctx, stage, []store.Part{
		store.JSON("measure.json", &m),
		store.Array("scores.npy", &s.value), store.Array("gold.npy", &s.gold),
	}, func(ctx context.Context) error {
		made, err := scoreSet(ctx, w, row, set)
		if err != nil {
			return err
		}
		*s = *made
		n := len(s.value)
		m.Pairs, m.Covered = s.pairs, n
		if m.Value, err = s.spearman(); err != nil {
			return err
		}
		return nil
	})
	s.pairs = m.Pairs
	if err != nil || w.Further() {
		return m, s, err
	}
	m.Draws, err = drawWords(ctx, w, row, set, stage.Key(), sampling)
	m.Bound()
	return m, s, err
}

// scoresStage is the stage of the scores of a row on a set; sampling is the seed of its bootstrap.
func scoresStage(w *pipeline.Workspace, row profile.Row, set profile.WordSet) (stage store.Stage, sampling uint64, err error) {
	inputs, err := w.ScoreInputs(row, profile.Set{File: set.File})
	sampling = pipeline.Seed(w.Profile.Seed, "bootstrap "+set.File)
	return store.Stage{Name: "wordsim-scores", Version: 2, Inputs: inputs, Params: struct {
		Score pipeline.ScoreParams `json:"score"`
		Draws int                  `json:"draws"`
		Seed  uint64               `json:"seed"`
	}{w.ScoreParams(row), pipeline.Draws, sampling}}, sampling, err
}

// drawsStage is the stage of the bootstrap draws of scores.
func drawsStage(scores store.Key, sampling uint64) store.Stage {
	return store.Stage{Name: "wordsim-draws", Version: 1, Inputs: []store.Key{scores}, Params: struct {
		Draws int    `json:"draws"`
		Seed  uint64 `json:"seed"`
	}{pipeline.ClusterDraws, sampling}}
}

// drawWords returns bootstrap draws of a row on a set by clusters of words, from the store if
// they are there; scores is the key of its scores. It scores the pairs again, since the scores
// in the store do not tell which words they are of.
func drawWords(ctx context.Context, w *pipeline.Workspace, row profile.Row, set profile.WordSet, scores store.Key, sampling uint64) ([]float64, error) {
	stage := drawsStage(scores, sampling)
	var draws []float64
	err := w.Store.Keep(ctx, stage, []store.Part{store.Array("draws.npy", &draws)}, func(ctx context.Context) error {
		s, err := scoreSet(ctx, w, row, set)
		if err != nil {
			return err
		}
		draws, err = pipeline.SpearmanDraws(ctx, score.NewPairs(s.words[0], s.words[1]), func(i int) bool { return s.covered[i] }, s.value, s.gold, sampling)
		for d := range draws {
			draws[d] *= 100
		}
		return err
	})
	return draws, err
}

// withSeed returns the quantities of the same rows, their settings as they are, in a workspace
// of a further seed.
func (s *Result) withSeed(ctx context.Context, further *pipeline.Workspace) ([]results.Quantity, error) {
	again := &Result{Rows: s.Rows, Sets: s.Sets}
	for _, row := range s.Rows {
		var measures []Measure
		for _, set := range s.Sets {
			m, _, err := measureSet(ctx, further, row, set)
			if err != nil {
				return nil, fmt.Errorf("row %q on %s: %w", row.ID, set.Name, err)
			}
			measures = append(measures, m)
		}
		again.Measures = append(again.Measures, measures)
	}
	return again.quantities(), nil
}

// validate returns the mean correlation on the validation sets, weighted by their
// covered pairs.
func validate(ctx context.Context, w *pipeline.Workspace, row profile.Row) (float64, error) {
	stage, sets, err := validationStage(w, row)
	if err != nil {
		return 0, err
	}
	var outcome struct {
		Average float64 `json:"average"`
	}
	err = w.Store.Keep(ctx, stage, []store.Part{store.JSON("validation.json", &outcome)}, func(ctx context.Context) error {
		sum, covered := 0.0, 0
		for _, set := range sets {
			s, err := scoreSet(ctx, w, row, set)
			if err != nil {
				return err
			}
			r, err := s.spearman()
			if err != nil {
				return fmt.Errorf("%s: %w", set.Name, err)
			}
			sum += float64(r * float64(len(s.value)))
			covered += len(s.value)
		}
		outcome.Average = sum / float64(covered)
		return nil
	})
	return outcome.Average, err
}

// validationStage is the stage of what a setting scores on the validation sets, which it returns too.
func validationStage(w *pipeline.Workspace, row profile.Row) (stage store.Stage, sets []profile.WordSet, err error) {
	stage = store.Stage{Name: "wordsim-validation", Version: 2, Params: w.ScoreParams(row)}
	for _, set := range w.Profile.WordSim.Sets {
		if !set.Validation {
			continue
		}
		sets = append(sets, set)
		inputs, err := w.ScoreInputs(row, profile.Set{File: set.File})
		if err != nil {
			return stage, nil, err
		}
		stage.Inputs = append(stage.Inputs, inputs...)
	}
	return stage, sets, nil
}
