package hypernymy

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/harness/store"
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

// An outcome is that of a row on a set, or on the graded pairs.
type outcome interface {
	// own returns a copy that shares no estimate, estimates those that have draws and seeds.
	own() outcome
	estimates() []*score.Estimate
}

func (m *Measure) own() outcome {
	c := *m
	if m.HeldOut != nil {
		heldOut, half := *m.HeldOut, *m.Half
		c.HeldOut, c.Half = &heldOut, &half
	}
	return &c
}

func (m *Measure) estimates() []*score.Estimate {
	if m.HeldOut == nil {
		return []*score.Estimate{&m.AP}
	}
	return []*score.Estimate{&m.AP, m.HeldOut, m.Half}
}

func (m *GradedMeasure) own() outcome {
	c := *m
	return &c
}

func (m *GradedMeasure) estimates() []*score.Estimate { return []*score.Estimate{&m.All, &m.Nouns} }

// measureNode has an outcome in memory, with the draws of its estimates but for further seeds.
func measureNode[O outcome](
	w *pipeline.Workspace, name string, scores store.Node[O], draws store.Node[[][]float64],
) store.Node[outcome] {
	return store.Node[outcome]{
		Name: name, Version: 1, Inputs: []store.Input{scores}, Params: w.Further(), Shared: scores.Shared,
		Subject: scores.Subject,
		Make: func(ctx context.Context) (outcome, error) {
			kept, err := store.Get(ctx, w.Store, scores)
			if err != nil || w.Further() {
				return kept, err
			}
			drawn, err := store.Get(ctx, w.Store, draws)
			if err != nil {
				return nil, err
			}
			o := kept.own()
			for i, e := range o.estimates() {
				e.Draws = drawn[i]
				e.Bound()
			}
			return o, nil
		},
	}
}

// setNode has the outcome of a row on a set.
func setNode(w *pipeline.Workspace, row Row, set profile.HypernymySet) store.Node[outcome] {
	scores := scoresNode(w, row, set)
	return measureNode(w, "hypernymy-measure", scores, drawsNode(w, scores, set))
}

// gradedNode has the outcome of a row on the graded pairs. Pairs that cannot be scored are dropped.
func gradedNode(w *pipeline.Workspace, row Row, file string) store.Node[outcome] {
	return measureNode(w, "hyperlex-measure", gradedScoresNode(w, row, file), gradedDrawsNode(w, row, file))
}

// scoresOf is a node of what a row makes of a file, without draws; measured says how.
func scoresOf[T any](w *pipeline.Workspace, name string, row Row, file string, measured any) store.Node[T] {
	s := row.Method.in(w)
	params := map[string]any{"method": s.kind, "measured": measured}
	maps.Copy(params, s.settings)
	return store.Node[T]{
		Name: name, Version: 4, Params: params, Shared: s.shared,
		Inputs: append([]store.Input{w.FileInput(file), w.CountsNode()}, s.inputs...),
	}
}

// scoresNode has the scores of a row on a set and its outcome without draws.
func scoresNode(w *pipeline.Workspace, row Row, set profile.HypernymySet) store.Node[*Measure] {
	accuracy, sampling := set.Name == w.Profile.Hypernymy.Accuracy, w.Sampling(set.File)
	// The draws are made by a node of their own; their number stays here so that scores made
	// before that are found.
	node := scoresOf[*Measure](w, "hypernymy-scores", row, set.File, struct {
		Draws    int    `json:"draws"`
		Seed     uint64 `json:"seed"`
		Accuracy bool   `json:"accuracy"`
	}{pipeline.Draws, sampling, accuracy})
	node.Subject = fmt.Sprintf("row %q on %s", row.Key, set.Name)
	node.Parts = func(m **Measure) []store.Part {
		return []store.Part{store.JSON("measure.json", *m), store.Array("scores.npy", &(*m).Scores)}
	}
	node.Make = func(ctx context.Context) (*Measure, error) {
		pairs, terms, err := ReadPairs(ctx, w, set)
		if err != nil {
			return nil, err
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
			return nil, err
		}
		m := &Measure{Pairs: len(pairs), Hyper: len(hyper), Scores: scores[:len(pairs)]}
		m.Directed, m.HyperCovered = directed(hyper, scores, covered, len(pairs))
		covered = covered[:len(pairs)]
		if m.Covered = countTrue(covered); accuracy && m.Covered < 2 {
			return nil, &dataset.FormatError{File: set.File, Problem: fmt.Sprintf(
				"%d of %d pairs can be scored, expected at least 2 to find a threshold for accuracies",
				m.Covered, len(pairs))}
		}
		belowAll(m.Scores, covered)
		return m, m.measure(labelsOf(pairs), covered, sampling, accuracy)
	}
	return node
}

func labelsOf(pairs []dataset.HypernymPair) (labels []bool) {
	for _, p := range pairs {
		labels = append(labels, p.True)
	}
	return labels
}

// drawsOf is a node of the bootstrap draws of an outcome's estimates by clusters of terms, each in a file.
func drawsOf(
	name string, scores store.Input, sampling uint64, draw func(ctx context.Context) ([][]float64, error),
	files ...string,
) store.Node[[][]float64] {
	return store.Node[[][]float64]{
		Name: name, Version: 1, Inputs: []store.Input{scores}, Make: draw,
		Params: pipeline.Sampled{Draws: pipeline.ClusterDraws, Seed: sampling},
		Parts: func(draws *[][]float64) (parts []store.Part) {
			if *draws == nil {
				*draws = make([][]float64, len(files))
			}
			for i, file := range files {
				parts = append(parts, store.Array(file, &(*draws)[i]))
			}
			return parts
		},
	}
}

// drawsNode has the bootstrap draws of the scores of a row on a set.
func drawsNode(w *pipeline.Workspace, scores store.Node[*Measure], set profile.HypernymySet) store.Node[[][]float64] {
	accuracy, sampling := set.Name == w.Profile.Hypernymy.Accuracy, w.Sampling(set.File)
	files := []string{"ap.npy"}
	if accuracy {
		files = append(files, "held-out.npy", "half.npy")
	}
	return drawsOf("hypernymy-draws", scores, sampling, func(ctx context.Context) ([][]float64, error) {
		m, err := store.Get(ctx, w.Store, scores)
		if err != nil {
			return nil, err
		}
		pairs, _, err := ReadPairs(ctx, w, set)
		if err != nil {
			return nil, err
		}
		labels, clusters := labelsOf(pairs), clustersOf(pairs, termsOf)
		_, finish := w.Step("bootstrap " + set.Name)
		defer finish()
		ranking, err := score.NewRanking(labels, m.Scores)
		if err != nil {
			return nil, err
		}
		ap, err := clusters.Draws(ctx, pipeline.ClusterDraws, sampling, func(_ int, weights []int32) float64 {
			return 100 * ranking.AveragePrecision(weights)
		})
		if err != nil || !accuracy {
			return [][]float64{ap}, err
		}
		covered, half := m.covered(), make([]float64, pipeline.ClusterDraws)
		heldOut, err := clusters.Draws(ctx, pipeline.ClusterDraws, sampling, func(d int, weights []int32) float64 {
			y, x := m.repeated(labels, covered, weights)
			if len(y) < 2 { // no threshold can be drawn
				half[d] = math.NaN()
				return math.NaN()
			}
			r, _ := score.NewRanking(y, x) // no error: all of these scores have been ranked above
			half[d] = 100 * r.HalfAccuracy()
			return 100 * results.Mean(r.HeldOutAccuracy(heldOutShare, heldOutInner, sampling+uint64(d)+1))
		})
		return [][]float64{ap, heldOut, half}, err
	}, files...)
}

// repeated lists labels and scores of the covered pairs, each as often as its weight says.
func (m *Measure) repeated(labels, covered []bool, weights []int32) (y []bool, x []float64) {
	for i, n := range weights {
		for range n {
			if covered[i] {
				y, x = append(y, labels[i]), append(x, m.Scores[i])
			}
		}
	}
	return y, x
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
func (m *Measure) measure(labels, covered []bool, sampling uint64, accuracy bool) error {
	m.Positive = countTrue(labels)
	ap, err := score.AveragePrecision(labels, m.Scores)
	if err != nil {
		return err
	}
	top, err := score.AveragePrecisionAt(topPairs, labels, m.Scores)
	if m.AP.Value, m.Top = 100*ap, 100*top; err != nil || !accuracy {
		return err
	}
	ranking, err := score.NewRanking(m.repeated(labels, covered, slices.Repeat([]int32{1}, len(labels))))
	if err != nil {
		return err
	}
	m.HeldOut = &score.Estimate{
		Value: 100 * results.Mean(ranking.HeldOutAccuracy(heldOutShare, heldOutDraws, sampling)),
	}
	m.Half = &score.Estimate{Value: 100 * ranking.HalfAccuracy()}
	return nil
}

// gradedScoresNode has the scores of a row on the graded pairs and its outcome without draws.
func gradedScoresNode(w *pipeline.Workspace, row Row, file string) store.Node[*GradedMeasure] {
	node := scoresOf[*GradedMeasure](w, "hyperlex-scores", row, file,
		pipeline.Sampled{Draws: pipeline.Draws, Seed: w.Sampling(file)}) // the draws as in scoresNode
	node.Subject = fmt.Sprintf("row %q on the graded pairs", row.Key)
	node.Parts = func(m **GradedMeasure) []store.Part {
		return []store.Part{store.JSON("measure.json", *m), store.Array("scores.npy", &(*m).scores)}
	}
	node.Make = func(ctx context.Context) (*GradedMeasure, error) {
		g, err := scoreGraded(ctx, w, row, file)
		if err != nil {
			return nil, err
		}
		m := &GradedMeasure{Pairs: len(g.pairs), Covered: countTrue(g.covered), scores: g.scores}
		if m.All.Value, err = score.Spearman(g.known(false)); err != nil {
			return nil, err
		}
		m.Nouns.Value, err = score.Spearman(g.known(true))
		return m, err
	}
	return node
}

// gradedScores are the graded pairs with the scores of a row.
type gradedScores struct {
	pairs   []dataset.WordPair
	scores  []float64
	covered []bool
}

func scoreGraded(ctx context.Context, w *pipeline.Workspace, row Row, file string) (*gradedScores, error) {
	pairs, terms, err := read(ctx, w, file, dataset.ReadHyperLex, gradedTermsOf)
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

// gradedDrawsNode has the bootstrap draws of a row on the graded pairs. It scores the pairs again, since the scores in
// the store do not tell which are covered.
func gradedDrawsNode(w *pipeline.Workspace, row Row, file string) store.Node[[][]float64] {
	sampling := w.Sampling(file)
	return drawsOf("hyperlex-draws", gradedScoresNode(w, row, file), sampling, func(
		ctx context.Context,
	) (draws [][]float64, err error) {
		g, err := scoreGraded(ctx, w, row, file)
		if err != nil {
			return nil, err
		}
		clusters := clustersOf(g.pairs, gradedTermsOf)
		for _, nouns := range []bool{false, true} {
			value, gold := g.known(nouns)
			drawn, err := pipeline.SpearmanDraws(ctx, clusters, func(i int) bool { return g.counts(i, nouns) },
				value, gold, sampling)
			if err != nil {
				return nil, err
			}
			draws = append(draws, drawn)
		}
		return draws, nil
	}, "all.npy", "nouns.npy")
}
