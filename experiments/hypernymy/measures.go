package hypernymy

import (
	"context"
	"fmt"
	"math"
	"slices"

	"contextmover/cmdlib/score"
	"contextmover/experiments/dataset"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/profile"
	"contextmover/experiments/results"
	"contextmover/experiments/store"
)

const hyperRelation = "hyper"

// The protocol of HeldOutAccuracy, and how many draws of it a bootstrap sample gets.
const (
	heldOutShare = 0.02
	heldOutDraws = 1000
	heldOutInner = 10
)

// topPairs is k of AP@k.
const topPairs = 100

// measureSet returns the outcome of a row on a set, from the store if it is there. A
// workspace of a further seed gives values without draws.
func measureSet(ctx context.Context, w *pipeline.Workspace, row Row, set profile.HypernymySet) (*Measure, error) {
	sampling := pipeline.Seed(w.Profile.Seed, "bootstrap "+set.File)
	accuracy := set.Name == w.Profile.Hypernymy.Accuracy
	stage, err := scoresStage(w, row, set)
	if err != nil {
		return nil, err
	}
	m := new(Measure)
	err = w.Store.Keep(ctx, stage, []store.Part{store.JSON("measure.json", m), store.Array("scores.npy", &m.Scores)}, func(ctx context.Context) error {
		pairs, terms, err := ReadPairs(ctx, w, set)
		if err != nil {
			return err
		}
		// Forward pairs first, then the hyponyms' and hypernyms' the other way round.
		all := slices.Clone(terms)
		var hyper []int
		for i, p := range pairs {
			if p.Relation == hyperRelation {
				hyper = append(hyper, i)
				all = append(all, terms[i].reversed())
			}
		}
		scores, covered, err := scoreTerms(ctx, w, row, set.Name, all)
		if err != nil {
			return err
		}
		m.Pairs, m.Hyper = len(pairs), len(hyper)
		m.Directed, m.HyperCovered = directed(hyper, scores, covered, len(pairs))
		scores, covered = scores[:len(pairs)], covered[:len(pairs)]
		if known := countTrue(covered); accuracy && known < 2 {
			return &dataset.FormatError{File: set.File, Problem: fmt.Sprintf("%d of %d pairs can be scored, expected at least 2 to find a threshold for accuracies", known, len(pairs))}
		}
		belowAll(scores, covered)
		m.Scores = scores
		return m.measure(pairs, scores, covered, sampling, accuracy)
	})
	if err != nil || w.Further() {
		return m, err
	}
	return m, drawSet(ctx, w, m, set, stage.Key(), sampling)
}

// scoresStage is the stage of the scores of a row on a set.
func scoresStage(w *pipeline.Workspace, row Row, set profile.HypernymySet) (store.Stage, error) {
	// The draws are made by a stage of their own; their number stays here so that scores made
	// before that are found.
	return stageOf(w, "hypernymy-scores", row, set.File, struct {
		Draws    int    `json:"draws"`
		Seed     uint64 `json:"seed"`
		Accuracy bool   `json:"accuracy"`
	}{pipeline.Draws, pipeline.Seed(w.Profile.Seed, "bootstrap "+set.File), set.Name == w.Profile.Hypernymy.Accuracy})
}

// drawsStage is the stage of the bootstrap draws of scores.
func drawsStage(name string, scores store.Key, sampling uint64) store.Stage {
	return store.Stage{Name: name, Version: 1, Inputs: []store.Key{scores}, Params: struct {
		Draws int    `json:"draws"`
		Seed  uint64 `json:"seed"`
	}{pipeline.ClusterDraws, sampling}}
}

// drawSet gives a measure its bootstrap draws by clusters of terms, from the store if
// they are there; scores is the key of its scores.
func drawSet(ctx context.Context, w *pipeline.Workspace, m *Measure, set profile.HypernymySet, scores store.Key, sampling uint64) error {
	stage := drawsStage("hypernymy-draws", scores, sampling)
	parts := []store.Part{store.Array("ap.npy", &m.AP.Draws)}
	if m.HeldOut != nil {
		parts = append(parts, store.Array("held-out.npy", &m.HeldOut.Draws), store.Array("half.npy", &m.Half.Draws))
	}
	err := w.Store.Keep(ctx, stage, parts, func(ctx context.Context) error {
		pairs, _, err := ReadPairs(ctx, w, set)
		if err != nil {
			return err
		}
		labels, first, second := make([]bool, len(pairs)), make([]string, len(pairs)), make([]string, len(pairs))
		for i, p := range pairs {
			labels[i], first[i], second[i] = p.True, p.A, p.B
		}
		clusters := score.NewPairs(first, second)
		_, finish := w.Step("bootstrap " + set.Name)
		defer finish()
		ranking, err := score.NewRanking(labels, m.Scores)
		if err != nil {
			return err
		}
		if m.AP.Draws, err = clusters.Draws(ctx, pipeline.ClusterDraws, sampling, func(_ int, weights []int32) float64 { return 100 * ranking.AveragePrecision(weights) }); err != nil {
			return err
		}
		if m.HeldOut == nil {
			return nil
		}
		covered := m.covered()
		half := make([]float64, pipeline.ClusterDraws)
		m.HeldOut.Draws, err = clusters.Draws(ctx, pipeline.ClusterDraws, sampling, func(d int, weights []int32) float64 {
			var y []bool
			var x []float64
			for i, n := range weights {
				for range n {
					if covered[i] {
						y, x = append(y, labels[i]), append(x, m.Scores[i])
					}
				}
			}
			if len(y) < 2 { // no threshold can be drawn
				half[d] = math.NaN()
				return math.NaN()
			}
			r, err := score.NewRanking(y, x)
			if err != nil {
				panic(err) // all of these scores have been ranked above
			}
			half[d] = 100 * r.HalfAccuracy()
			return 100 * results.Mean(r.HeldOutAccuracy(heldOutShare, heldOutInner, sampling+uint64(d)+1))
		})
		m.Half.Draws = half
		return err
	})
	if err != nil {
		return err
	}
	m.AP.Bound()
	if m.HeldOut != nil {
		m.HeldOut.Bound()
		m.Half.Bound()
	}
	return nil
}

// covered tells which pairs have a score: the others share the least.
func (m *Measure) covered() []bool {
	covered, least := make([]bool, m.Pairs), slices.Min(m.Scores)
	for i, s := range m.Scores {
		covered[i] = m.Covered == m.Pairs || s > least
	}
	return covered
}

// directed returns the share, in per cent, of the pairs hyper[r] whose score is greater than
// that of the same pair the other way round, which is at reversed+r, and how many of them
// have a score. A tie tells no direction and counts half, as a coin's answer would.
func directed(hyper []int, scores []float64, covered []bool, reversed int) (percent float64, known int) {
	right := 0.0
	for r, i := range hyper {
		switch there, back := scores[i], scores[reversed+r]; {
		case !covered[i]:
			continue
		case there > back:
			right++
		case there == back:
			right += 0.5
		}
		known++
	}
	return 100 * right / max(1, float64(len(hyper))), known
}

func countTrue(marks []bool) int {
	n := 0
	for _, m := range marks {
		if m {
			n++
		}
	}
	return n
}

// measure fills in what depends on the scores of the pairs.
func (m *Measure) measure(pairs []dataset.HypernymPair, scores []float64, covered []bool, sampling uint64, accuracy bool) error {
	labels := make([]bool, len(pairs))
	var coveredLabels []bool
	var coveredScores []float64
	for i, p := range pairs {
		labels[i] = p.True
		if p.True {
			m.Positive++
		}
		if covered[i] {
			m.Covered++
			coveredLabels, coveredScores = append(coveredLabels, p.True), append(coveredScores, scores[i])
		}
	}
	ap, err := score.AveragePrecision(labels, scores)
	if err != nil {
		return err
	}
	top, err := score.AveragePrecisionAt(topPairs, labels, scores)
	if err != nil {
		return err
	}
	m.Top = 100 * top
	m.AP.Value = 100 * ap
	if !accuracy {
		return nil
	}
	ranking, err := score.NewRanking(coveredLabels, coveredScores)
	if err != nil {
		return err
	}
	m.HeldOut = &score.Estimate{Value: 100 * results.Mean(ranking.HeldOutAccuracy(heldOutShare, heldOutDraws, sampling))}
	m.Half = &score.Estimate{Value: 100 * ranking.HalfAccuracy()}
	return nil
}

// measureGraded returns the outcome of a row on the graded pairs, from the store if it is
// there. Pairs that cannot be scored are dropped. A workspace of a further seed gives values
// without draws.
func measureGraded(ctx context.Context, w *pipeline.Workspace, row Row, file string) (*GradedMeasure, error) {
	if row.Method == chanceMethod {
		return nil, nil // a constant has no correlation
	}
	sampling := pipeline.Seed(w.Profile.Seed, "bootstrap "+file)
	stage, err := gradedStage(w, row, file)
	if err != nil {
		return nil, err
	}
	m, scores := new(GradedMeasure), []float64{}
	err = w.Store.Keep(ctx, stage, []store.Part{store.JSON("measure.json", m), store.Array("scores.npy", &scores)}, func(ctx context.Context) error {
		g, err := scoreGraded(ctx, w, row, file)
		if err != nil {
			return err
		}
		m.Pairs, m.Covered, scores = len(g.pairs), countTrue(g.covered), g.scores
		if m.All.Value, err = score.Spearman(g.known(false)); err != nil {
			return err
		}
		m.Nouns.Value, err = score.Spearman(g.known(true))
		return err
	})
	if err != nil || w.Further() {
		return m, err
	}
	return m, drawGraded(ctx, w, m, row, file, stage.Key(), sampling)
}

// gradedStage is the stage of the scores of a row on the graded pairs.
func gradedStage(w *pipeline.Workspace, row Row, file string) (store.Stage, error) {
	return stageOf(w, "hyperlex-scores", row, file, struct {
		Draws int    `json:"draws"`
		Seed  uint64 `json:"seed"`
	}{pipeline.Draws, pipeline.Seed(w.Profile.Seed, "bootstrap "+file)}) // the draws as in scoresStage
}

// gradedScores are the graded pairs with the scores of a row.
type gradedScores struct {
	pairs   []dataset.WordPair
	scores  []float64
	covered []bool
}

func scoreGraded(ctx context.Context, w *pipeline.Workspace, row Row, file string) (*gradedScores, error) {
	pairs, terms, err := readGraded(ctx, w, file)
	if err != nil {
		return nil, err
	}
	scores, covered, err := scoreTerms(ctx, w, row, "graded pairs", terms)
	return &gradedScores{pairs, scores, covered}, err
}

// known returns scores and gold of the covered pairs, of nouns only or all.
func (g *gradedScores) known(nouns bool) (value, gold []float64) {
	for i, p := range g.pairs {
		if g.counts(i, nouns) {
			value, gold = append(value, g.scores[i]), append(gold, p.Score)
		}
	}
	return value, gold
}

func (g *gradedScores) counts(i int, nouns bool) bool {
	return g.covered[i] && (!nouns || g.pairs[i].POS == "n")
}

// drawGraded gives a measure its bootstrap draws by clusters of words, from the store if they
// are there. It scores the pairs again, since the scores in the store do not tell which are
// covered.
func drawGraded(ctx context.Context, w *pipeline.Workspace, m *GradedMeasure, row Row, file string, scores store.Key, sampling uint64) error {
	stage := drawsStage("hyperlex-draws", scores, sampling)
	err := w.Store.Keep(ctx, stage, []store.Part{store.Array("all.npy", &m.All.Draws), store.Array("nouns.npy", &m.Nouns.Draws)}, func(ctx context.Context) error {
		g, err := scoreGraded(ctx, w, row, file)
		if err != nil {
			return err
		}
		first, second := make([]string, len(g.pairs)), make([]string, len(g.pairs))
		for i, p := range g.pairs {
			first[i], second[i] = p.A, p.B
		}
		clusters := score.NewPairs(first, second)
		for nouns, draws := range map[bool]*[]float64{false: &m.All.Draws, true: &m.Nouns.Draws} {
			counts := func(i int) bool { return g.counts(i, nouns) }
			value, gold := g.known(nouns)
			if *draws, err = pipeline.SpearmanDraws(ctx, clusters, counts, value, gold, sampling); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	m.All.Bound()
	m.Nouns.Bound()
	return nil
}
