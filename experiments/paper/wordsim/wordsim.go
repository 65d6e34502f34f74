package wordsim

import (
	"context"
	"fmt"

	"contextmover/cmdlib/corpus"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/present"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/harness/store"
)

// Files lists the files of word pairs.
func Files(p *profile.Profile) (files []string) {
	for _, s := range p.WordSim.Sets {
		files = append(files, s.File)
	}
	return files
}

// IDs lists the tables and figures that Run may make for a profile.
func IDs(*profile.Profile) []string {
	return []string{mainTable, settingsTable, searchTable, present.SeedsID + "wordsim"}
}

// Run makes the section's tables and quantities.
func Run(ctx context.Context, w *pipeline.Workspace) (*pipeline.Output, error) {
	result, err := Compute(ctx, w)
	if err != nil {
		return nil, err
	}
	if err := result.addSeeds(ctx, w); err != nil {
		return nil, err
	}
	quantities := result.quantities()
	seeds := present.SeedsTable(w.Profile.Seeds.WordSim, w.Profile, "wordsim", quantities,
		func(q results.Quantity) bool { return q.Table == mainTable })
	return &pipeline.Output{Tables: append(result.Tables(w.Profile), seeds...), Quantities: quantities}, nil
}

// Result is the outcome of the word-similarity experiment.
type Result struct {
	Rows []profile.Row // every setting resolved, chosen ones included
	Sets []profile.WordSet
	// Measures[r][s] is row r on set s.
	Measures [][]pipeline.Measure
	// Pooled[r] is 100 times the rank correlation of row r on the validation sets
	// together; see pooled.
	Pooled []float64
	// Tried holds what was searched on the validation sets, best first per row.
	Tried pipeline.Tried
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

// Choose returns the rows, and all that was tried on the validation sets, best first per row. Rows with select = true
// have the settings of the grid wordsim.select that score best on the validation sets. Each row searches for itself;
// ids of rows must differ.
func Choose(
	ctx context.Context, w *pipeline.Workspace, rows []profile.Row,
) ([]profile.Row, pipeline.Tried, error) {
	return w.Choose(ctx, rows, w.Profile.WordSim.Settings, func(setting profile.Row) store.Node[pipeline.Validation] {
		return validationNode(w, setting)
	})
}

// Score scores rows, whose settings are all resolved, on all sets of the profile.
func Score(ctx context.Context, w *pipeline.Workspace, rows []profile.Row) (*Result, error) {
	result := &Result{Rows: rows, Sets: w.Profile.WordSim.Sets}
	var nodes []store.Node[measured]
	for _, row := range rows {
		for _, set := range result.Sets {
			nodes = append(nodes, measuredNode(w, row, set))
		}
	}
	all, err := store.All(ctx, w.Store, nodes)
	if err != nil {
		return nil, err
	}
	result.Measures, result.Pooled = make([][]pipeline.Measure, len(rows)), make([]float64, len(rows))
	for r, row := range rows {
		var validation []measured
		for _, set := range result.Sets {
			m := all[0]
			all = all[1:]
			result.Measures[r] = append(result.Measures[r], m.Measure)
			if set.Validation {
				validation = append(validation, m)
			}
		}
		if len(validation) > 0 {
			if result.Pooled[r], err = pooled(validation); err != nil {
				return nil, fmt.Errorf("row %q on the validation sets: %w", row.ID, err)
			}
		}
	}
	return result, nil
}

// Average returns the mean over sets weighted by their covered pairs, Σ n ρ / Σ n:
// the paper's average over the test sets, and our validation score.
func Average(sets []pipeline.Measure) pipeline.Measure {
	mean := pipeline.Measure{Estimate: score.Estimate{Draws: make([]float64, pipeline.ClusterDraws)}}
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
		if mean.Seeds == nil && m.Seeds != nil {
			mean.Seeds = make([]float64, len(m.Seeds))
		}
		for k, v := range m.Seeds {
			mean.Seeds[k] += float64(share * v)
		}
	}
	mean.Bound()
	return mean
}

// measured is the outcome of a row on a set, and what it and the people who judged say of the covered pairs.
type measured struct {
	pipeline.Measure
	value, gold []float64
}

func (m measured) spearman() (float64, error) {
	if len(m.value) < 2 {
		return 0, fmt.Errorf("%d of %d pairs have two known words, expected at least 2", len(m.value), m.Pairs)
	}
	r, err := score.Spearman(m.value, m.gold)
	return 100 * r, err
}

// scored are the pairs of a set with what a row says of those that are covered.
type scored struct {
	measured
	words   [2][]string // of all pairs
	covered []bool
}

// pooled is the other reading of "one validation set": 100 times the rank correlation
// over the pairs of all sets, where gold scores, whose scales differ, count as shares
// of the ranks of their own set.
func pooled(sets []measured) (float64, error) {
	var all measured
	for _, s := range sets {
		all.Pairs += s.Pairs
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
		pairs[i] = method.Pair{A: corpus.LowerWord(line.A), B: corpus.LowerWord(line.B)}
	}
	scores, err := w.ScoreWords(ctx, row, profile.Set{Name: set.Name, File: set.File}, pairs)
	if err != nil {
		return nil, err
	}
	s := &scored{covered: scores.Covered}
	s.Pairs = len(pairs)
	for i, covered := range scores.Covered {
		s.words[0], s.words[1] = append(s.words[0], pairs[i].A), append(s.words[1], pairs[i].B)
		if covered {
			s.value, s.gold = append(s.value, scores.Value[i]), append(s.gold, lines[i].Score)
		}
	}
	return s, nil
}

// scoresNode has the scores of a row on a set.
func scoresNode(w *pipeline.Workspace, row profile.Row, set profile.WordSet) store.Node[measured] {
	return store.Node[measured]{
		Name: "wordsim-scores", Version: 3, Inputs: w.Inputs(row.Method, profile.Set{File: set.File}),
		Shared:  w.RowShared(row),
		Subject: fmt.Sprintf("row %q on %s", row.ID, set.Name),
		Params: pipeline.ScoredParams{
			Method:  w.MethodParams(row.Method),
			Sampled: pipeline.Sampled{Draws: pipeline.Draws, Seed: w.Sampling(set.File)},
		},
		Parts: func(m *measured) []store.Part {
			return []store.Part{
				m.Measure.Part(pipeline.Spearman), store.Array("scores.npy", &m.value),
				store.Array("gold.npy", &m.gold),
			}
		},
		Make: func(ctx context.Context) (m measured, err error) {
			s, err := scoreSet(ctx, w, row, set)
			if err != nil {
				return m, err
			}
			m = s.measured
			m.Covered = len(m.value)
			m.Value, err = m.spearman()
			return m, err
		},
	}
}

// measuredNode has the scores of a row on a set and, but for further seeds, their draws by clusters of words.
func measuredNode(w *pipeline.Workspace, row profile.Row, set profile.WordSet) store.Node[measured] {
	node := scoresNode(w, row, set)
	if w.Further() {
		return node
	}
	return store.Node[measured]{
		Name: "wordsim-measure", Version: 1, Inputs: []store.Input{node}, Shared: node.Shared, Subject: node.Subject,
		Make: func(ctx context.Context) (m measured, err error) {
			if m, err = store.Get(ctx, w.Store, node); err != nil {
				return m, err
			}
			m.Draws, err = store.Get(ctx, w.Store, drawsNode(w, row, set))
			m.Bound()
			return m, err
		},
	}
}

// drawsNode has bootstrap draws of a row on a set by clusters of words. It scores the pairs again, since the scores
// in the store do not tell which words they are of.
func drawsNode(w *pipeline.Workspace, row profile.Row, set profile.WordSet) store.Node[[]float64] {
	scores, sampling := scoresNode(w, row, set), w.Sampling(set.File)
	return store.Node[[]float64]{
		Name: "wordsim-draws", Version: 1, Inputs: []store.Input{scores}, Subject: scores.Subject,
		Params: pipeline.Sampled{Draws: pipeline.ClusterDraws, Seed: sampling},
		Parts:  func(draws *[]float64) []store.Part { return []store.Part{store.Array("draws.npy", draws)} },
		Make: func(ctx context.Context) ([]float64, error) {
			s, err := scoreSet(ctx, w, row, set)
			if err != nil {
				return nil, err
			}
			clusters, counts := score.NewPairs(s.words[0], s.words[1]), func(i int) bool { return s.covered[i] }
			draws, err := pipeline.SpearmanDraws(ctx, clusters, counts, s.value, s.gold, sampling)
			for d := range draws {
				draws[d] *= 100
			}
			return draws, err
		},
	}
}

// addSeeds adds the values from further seeds, all settings as they are.
func (s *Result) addSeeds(ctx context.Context, w *pipeline.Workspace) error {
	return w.ForSeeds(w.Profile.Seeds.WordSim, func(further *pipeline.Workspace) error {
		again, err := Score(ctx, further, s.Rows)
		if err == nil {
			s.AddValues(again)
		}
		return err
	})
}

// AddValues adds what the rows score in again, of another seed or shuffle, to their measures.
func (s *Result) AddValues(again *Result) {
	for r := range s.Measures {
		for i := range s.Measures[r] {
			s.Measures[r][i].AddSeed(again.Measures[r][i].Value)
		}
	}
}

// validationNode has the mean correlation of a setting on the validation sets, weighted by their
// covered pairs.
func validationNode(w *pipeline.Workspace, row profile.Row) store.Node[pipeline.Validation] {
	var sets []profile.WordSet
	var inputs []store.Input
	for _, set := range w.Profile.WordSim.Sets {
		if set.Validation {
			sets = append(sets, set)
			inputs = append(inputs, w.Inputs(row.Method, profile.Set{File: set.File})...)
		}
	}
	return store.Node[pipeline.Validation]{
		Name: "wordsim-validation", Version: 3, Params: w.MethodParams(row.Method), Inputs: inputs,
		Shared: w.RowShared(row), Parts: pipeline.ValidationParts,
		Make: func(ctx context.Context) (v pipeline.Validation, err error) {
			sum, covered := 0.0, 0
			for _, set := range sets {
				s, err := scoreSet(ctx, w, row, set)
				if err != nil {
					return v, err
				}
				r, err := s.spearman()
				if err != nil {
					return v, fmt.Errorf("%s: %w", set.Name, err)
				}
				sum += float64(r * float64(len(s.value)))
				covered += len(s.value)
			}
			v.Average = sum / float64(covered)
			return v, nil
		},
	}
}
