package experiments

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"contextmover/cmdlib/npy"
	"contextmover/cmdlib/score"
	"contextmover/experiments/dataset"
	"contextmover/experiments/profile"
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

// measureHypernymy returns the outcome of a row on a set, from the store if it is there. A
// workspace of a further seed gives values without draws.
func (w *Workspace) measureHypernymy(ctx context.Context, row HypernymyRow, set profile.HypernymySet) (*HypernymyMeasure, error) {
	sampling := seed(w.Profile.Seed, "bootstrap "+set.File)
	accuracy := set.Name == w.Profile.Hypernymy.Accuracy
	// The draws are made by a stage of their own; their number stays here so that scores made
	// before that are found.
	stage, err := w.hypernymyStage("hypernymy-scores", row, set.File, struct {
		Draws    int    `json:"draws"`
		Seed     uint64 `json:"seed"`
		Accuracy bool   `json:"accuracy"`
	}{draws, sampling, accuracy})
	if err != nil {
		return nil, err
	}
	dir, err := w.Store.Get(ctx, stage, func(ctx context.Context, dir string) error {
		pairs, terms, err := w.hypernymPairs(ctx, set)
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
		scores, covered, err := w.scoreTerms(ctx, row, set.Name, all)
		if err != nil {
			return err
		}
		m := &HypernymyMeasure{Pairs: len(pairs), Hyper: len(hyper)}
		m.Directed, m.HyperCovered = directed(hyper, scores, covered, len(pairs))
		scores, covered = scores[:len(pairs)], covered[:len(pairs)]
		if known := countTrue(covered); accuracy && known < 2 {
			return &dataset.FormatError{File: set.File, Problem: fmt.Sprintf("%d of %d pairs can be scored, expected at least 2 to find a threshold for accuracies", known, len(pairs))}
		}
		belowAll(scores, covered)
		if err := m.measure(pairs, scores, covered, sampling, accuracy); err != nil {
			return err
		}
		if err := npy.Write(filepath.Join(dir, "scores.npy"), []int{m.Pairs}, scores); err != nil {
			return err
		}
		return writeJSON(filepath.Join(dir, "measure.json"), m)
	})
	if err != nil {
		return nil, err
	}
	m := new(HypernymyMeasure)
	if err := readJSON(filepath.Join(dir, "measure.json"), m); err != nil {
		return nil, err
	}
	if _, m.Scores, err = npy.Read[float64](filepath.Join(dir, "scores.npy")); err != nil {
		return nil, err
	}
	if w.further() {
		return m, nil
	}
	return m, w.drawHypernymy(ctx, m, set, stage.Key(), sampling)
}

// drawHypernymy gives a measure its bootstrap draws by clusters of terms, from the store if
// they are there; scores is the key of its scores.
func (w *Workspace) drawHypernymy(ctx context.Context, m *HypernymyMeasure, set profile.HypernymySet, scores store.Key, sampling uint64) error {
	stage := store.Stage{Name: "hypernymy-draws", Version: 1, Inputs: []store.Key{scores}, Params: struct {
		Draws int    `json:"draws"`
		Seed  uint64 `json:"seed"`
	}{claimDraws, sampling}}
	dir, err := w.Store.Get(ctx, stage, func(ctx context.Context, dir string) error {
		pairs, _, err := w.hypernymPairs(ctx, set)
		if err != nil {
			return err
		}
		labels, first, second := make([]bool, len(pairs)), make([]string, len(pairs)), make([]string, len(pairs))
		for i, p := range pairs {
			labels[i], first[i], second[i] = p.True, p.A, p.B
		}
		clusters := score.NewPairs(first, second)
		_, finish := w.step("bootstrap " + set.Name)
		defer finish()
		ranking, err := score.NewRanking(labels, m.Scores)
		if err != nil {
			return err
		}
		ap := clusters.Draws(claimDraws, sampling, func(weights []int32) float64 { return 100 * ranking.AveragePrecision(weights) })
		if err := writeDraws(dir, "ap", ap); err != nil || m.HeldOut == nil {
			return err
		}
		covered := m.covered()
		var y []bool
		var x []float64
		half := make([]float64, 0, claimDraws)
		heldOut := clusters.Draws(claimDraws, sampling, func(weights []int32) float64 {
			y, x = y[:0], x[:0]
			for i, n := range weights {
				for range n {
					if covered[i] {
						y, x = append(y, labels[i]), append(x, m.Scores[i])
					}
				}
			}
			if len(y) < 2 { // no threshold can be drawn
				half = append(half, math.NaN())
				return math.NaN()
			}
			r, e := score.NewRanking(y, x)
			if e != nil {
				err = e
				return math.NaN()
			}
			half = append(half, 100*r.HalfAccuracy())
			return 100 * mean(r.HeldOutAccuracy(heldOutShare, heldOutInner, sampling+uint64(len(half))))
		})
		if err != nil {
			return err
		}
		if err := writeDraws(dir, "held-out", heldOut); err != nil {
			return err
		}
		return writeDraws(dir, "half", half)
	})
	if err != nil {
		return err
	}
	if err := m.AP.readDraws(dir, "ap"); err != nil || m.HeldOut == nil {
		return err
	}
	if err := m.HeldOut.readDraws(dir, "held-out"); err != nil {
		return err
	}
	return m.Half.readDraws(dir, "half")
}

// covered tells which pairs have a score: the others share the least.
func (m *HypernymyMeasure) covered() []bool {
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
func (m *HypernymyMeasure) measure(pairs []dataset.HypernymPair, scores []float64, covered []bool, sampling uint64, accuracy bool) error {
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
	m.HeldOut = &Estimated{Value: 100 * mean(ranking.HeldOutAccuracy(heldOutShare, heldOutDraws, sampling))}
	m.Half = &Estimated{Value: 100 * ranking.HalfAccuracy()}
	return nil
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// measureGraded returns the outcome of a row on the graded pairs, from the store if it is
// there. Pairs that cannot be scored are dropped. A workspace of a further seed gives values
// without draws.
func (w *Workspace) measureGraded(ctx context.Context, row HypernymyRow, file string) (*GradedMeasure, error) {
	if row.Method == chanceMethod {
		return nil, nil // a constant has no correlation
	}
	sampling := seed(w.Profile.Seed, "bootstrap "+file)
	stage, err := w.hypernymyStage("hyperlex-scores", row, file, struct {
		Draws int    `json:"draws"`
		Seed  uint64 `json:"seed"`
	}{draws, sampling}) // the draws as in measureHypernymy
	if err != nil {
		return nil, err
	}
	dir, err := w.Store.Get(ctx, stage, func(ctx context.Context, dir string) error {
		g, err := w.scoreGraded(ctx, row, file)
		if err != nil {
			return err
		}
		m := GradedMeasure{Pairs: len(g.pairs), Covered: countTrue(g.covered)}
		if m.All.Value, err = score.Spearman(g.known(false)); err != nil {
			return err
		}
		if m.Nouns.Value, err = score.Spearman(g.known(true)); err != nil {
			return err
		}
		if err := npy.Write(filepath.Join(dir, "scores.npy"), []int{m.Pairs}, g.scores); err != nil {
			return err
		}
		return writeJSON(filepath.Join(dir, "measure.json"), m)
	})
	if err != nil {
		return nil, err
	}
	m := new(GradedMeasure)
	if err := readJSON(filepath.Join(dir, "measure.json"), m); err != nil || w.further() {
		return m, err
	}
	return m, w.drawGraded(ctx, m, row, file, stage.Key(), sampling)
}

// gradedScores are the graded pairs with the scores of a row.
type gradedScores struct {
	pairs   []dataset.WordPair
	scores  []float64
	covered []bool
}

func (w *Workspace) scoreGraded(ctx context.Context, row HypernymyRow, file string) (*gradedScores, error) {
	pairs, terms, err := w.gradedPairs(ctx, file)
	if err != nil {
		return nil, err
	}
	scores, covered, err := w.scoreTerms(ctx, row, "graded pairs", terms)
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
func (w *Workspace) drawGraded(ctx context.Context, m *GradedMeasure, row HypernymyRow, file string, scores store.Key, sampling uint64) error {
	stage := store.Stage{Name: "hyperlex-draws", Version: 1, Inputs: []store.Key{scores}, Params: struct {
		Draws int    `json:"draws"`
		Seed  uint64 `json:"seed"`
	}{claimDraws, sampling}}
	dir, err := w.Store.Get(ctx, stage, func(ctx context.Context, dir string) error {
		g, err := w.scoreGraded(ctx, row, file)
		if err != nil {
			return err
		}
		first, second := make([]string, len(g.pairs)), make([]string, len(g.pairs))
		for i, p := range g.pairs {
			first[i], second[i] = p.A, p.B
		}
		clusters := score.NewPairs(first, second)
		for name, nouns := range map[string]bool{"all": false, "nouns": true} {
			counts := func(i int) bool { return g.counts(i, nouns) }
			value, gold := g.known(nouns)
			drawn, err := spearmanDraws(clusters, counts, value, gold, sampling)
			if err != nil {
				return err
			}
			if err := writeDraws(dir, name, drawn); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := m.All.readDraws(dir, "all"); err != nil {
		return err
	}
	return m.Nouns.readDraws(dir, "nouns")
}

// spearmanDraws are bootstrap draws, by clusters of all pairs, of the correlation of those that
// count, whose values are given. Draw d weighs alike whatever counts.
func spearmanDraws(clusters *score.Pairs, counts func(i int) bool, value, gold []float64, sampling uint64) ([]float64, error) {
	correlation, err := score.NewCorrelation(value, gold)
	if err != nil {
		return nil, err
	}
	counted := make([]int32, len(value))
	return clusters.Draws(claimDraws, sampling, func(weights []int32) float64 {
		n := 0
		for i, w := range weights {
			if counts(i) {
				counted[n] = w
				n++
			}
		}
		return correlation.Spearman(counted)
	}), nil
}

func writeDraws(dir, name string, draws []float64) error {
	return npy.Write(filepath.Join(dir, name+".npy"), []int{len(draws)}, draws)
}
