package hypernymy

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"contextmover/cmdlib/npy"
	"contextmover/cmdlib/score"
	"contextmover/experiments/dataset"
	"contextmover/experiments/pipeline"
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

// measureSet returns the outcome of a row on a set, from the store if it is there.
func measureSet(ctx context.Context, w *pipeline.Workspace, row Row, set profile.HypernymySet) (*Measure, error) {
	sampling := pipeline.Seed(w.Profile.Seed, "bootstrap "+set.File)
	accuracy := set.Name == w.Profile.Hypernymy.Accuracy
	stage, err := stageOf(w, "hypernymy-scores", row, set.File, struct {
		Draws    int    `json:"draws"`
		Seed     uint64 `json:"seed"`
		Accuracy bool   `json:"accuracy"`
	}{pipeline.Draws, sampling, accuracy})
	if err != nil {
		return nil, err
	}
	dir, err := w.Store.Get(ctx, stage, func(ctx context.Context, dir string) error {
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
		m := &Measure{Pairs: len(pairs), Hyper: len(hyper)}
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
		if err := m.AP.write(dir, "draws"); err != nil {
			return err
		}
		if accuracy {
			if err := m.HeldOut.write(dir, "held-out"); err != nil {
				return err
			}
		}
		return store.WriteJSON(filepath.Join(dir, "measure.json"), m)
	})
	if err != nil {
		return nil, err
	}
	m := new(Measure)
	if err := store.ReadJSON(filepath.Join(dir, "measure.json"), m); err != nil {
		return nil, err
	}
	if _, m.Scores, err = npy.Read[float64](filepath.Join(dir, "scores.npy")); err != nil {
		return nil, err
	}
	if accuracy {
		if err := m.HeldOut.read(dir, "held-out"); err != nil {
			return nil, err
		}
	}
	return m, m.AP.read(dir, "draws")
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
	ranking, err := score.NewRanking(labels, scores)
	if err != nil {
		return err
	}
	m.AP = estimated(100*ap, score.Draws(m.Pairs, pipeline.Draws, sampling, func(sample []int) float64 { return 100 * ranking.AveragePrecision(sample) }))
	if !accuracy {
		return nil
	}
	ranking, err = score.NewRanking(coveredLabels, coveredScores)
	if err != nil {
		return err
	}
	heldOut, half := 100*mean(ranking.HeldOutAccuracy(heldOutShare, heldOutDraws, sampling)), 100*ranking.HalfAccuracy()
	samples := make([]*score.Ranking, 0, pipeline.Draws)
	y, x := make([]bool, m.Covered), make([]float64, m.Covered)
	score.Draws(m.Covered, pipeline.Draws, sampling, func(sample []int) float64 {
		for i, s := range sample {
			y[i], x[i] = coveredLabels[s], coveredScores[s]
		}
		r, e := score.NewRanking(y, x)
		if e != nil {
			err = e
		}
		samples = append(samples, r)
		return 0
	})
	if err != nil {
		return err
	}
	heldOutDrawn, halfDrawn := make([]float64, pipeline.Draws), make([]float64, pipeline.Draws)
	for d, r := range samples {
		heldOutDrawn[d] = 100 * mean(r.HeldOutAccuracy(heldOutShare, heldOutInner, sampling+uint64(d)))
		halfDrawn[d] = 100 * r.HalfAccuracy()
	}
	a, b := estimated(heldOut, heldOutDrawn), estimated(half, halfDrawn)
	m.HeldOut, m.Half = &a, &b
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
// there. Pairs that cannot be scored are dropped.
func measureGraded(ctx context.Context, w *pipeline.Workspace, row Row, file string) (*GradedMeasure, error) {
	if row.Method == chanceMethod {
		return nil, nil // a constant has no correlation
	}
	sampling := pipeline.Seed(w.Profile.Seed, "bootstrap "+file)
	stage, err := stageOf(w, "hyperlex-scores", row, file, struct {
		Draws int    `json:"draws"`
		Seed  uint64 `json:"seed"`
	}{pipeline.Draws, sampling})
	if err != nil {
		return nil, err
	}
	dir, err := w.Store.Get(ctx, stage, func(ctx context.Context, dir string) error {
		pairs, terms, err := readGraded(ctx, w, file)
		if err != nil {
			return err
		}
		scores, covered, err := scoreTerms(ctx, w, row, "graded pairs", terms)
		if err != nil {
			return err
		}
		var value, gold, nounValue, nounGold []float64
		for i, p := range pairs {
			if !covered[i] {
				continue
			}
			value, gold = append(value, scores[i]), append(gold, p.Score)
			if p.POS == "n" {
				nounValue, nounGold = append(nounValue, scores[i]), append(nounGold, p.Score)
			}
		}
		m := GradedMeasure{Pairs: len(pairs), Covered: len(value)}
		if m.All, err = correlation(value, gold, sampling); err != nil {
			return err
		}
		if m.Nouns, err = correlation(nounValue, nounGold, sampling); err != nil {
			return err
		}
		if err := npy.Write(filepath.Join(dir, "scores.npy"), []int{m.Pairs}, scores); err != nil {
			return err
		}
		if err := m.All.write(dir, "draws"); err != nil {
			return err
		}
		return store.WriteJSON(filepath.Join(dir, "measure.json"), m)
	})
	if err != nil {
		return nil, err
	}
	m := new(GradedMeasure)
	if err := store.ReadJSON(filepath.Join(dir, "measure.json"), m); err != nil {
		return nil, err
	}
	return m, m.All.read(dir, "draws")
}

func correlation(value, gold []float64, sampling uint64) (Estimated, error) {
	rho, err := score.Spearman(value, gold)
	if err != nil {
		return Estimated{}, err
	}
	x, y := make([]float64, len(value)), make([]float64, len(value))
	return estimated(rho, score.Draws(len(value), pipeline.Draws, sampling, func(sample []int) float64 {
		for i, s := range sample {
			x[i], y[i] = value[s], gold[s]
		}
		r, err := score.Spearman(x, y)
		if err != nil {
			return math.NaN() // a constant sample
		}
		return r
	})), nil
}
