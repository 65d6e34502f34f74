package sts

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/harness/store"
)

const (
	// rivals is how many settings, the best on the validation group, each bootstrap sample
	// of that group chooses from.
	rivals = 24
	// leastShare is the share of samples that a setting must win to be a contender. Of 24
	// rivals one always does.
	leastShare = 0.02
	// mostContenders is how many settings, those that win most often, are scored on the test
	// groups at most: barycenters of all sets take long.
	mostContenders = 5
)

// A Choice tells how sure the choice of a row's settings is. Each of pipeline.ClaimDraws bootstrap samples of the
// pairs of the validation group, the same for every row, chooses the best of the candidates. Then it chooses the best
// of the finalists, the settings that won often.
//
// Draw d of a chosen row's measure on a test group is that of the contender that sample d
// chose. So the intervals of these rows, and of differences between them, contain the
// choice in addition to the pairs that were tested on. The value stays that of the settings
// that are best on all of the validation group.
type Choice struct {
	// Tried counts the settings that were searched.
	Tried int
	// Shares[i] is the share of samples, 0 to 1, that choose rival i; rivals are in the
	// order of the validation score, so the first is that of the settings shown.
	Shares []float64
	// Contenders are the finalists, the candidates with the greatest shares: of at least 2 %, and five at most.
	Contenders []profile.Row
	// Chosen[d] is the contender that sample d chooses.
	Chosen []int32
}

// A chosen has what choices are made of, as in Choice; contenders by their numbers.
type chosen struct {
	Shares     []float64 `json:"shares"`
	Contenders []int     `json:"contenders"`
	contender  []int32
}

// rivalScores are the scores of the best settings that were tried for a row, set by set.
func rivalScores(
	w *pipeline.Workspace, group profile.Group, tried []pipeline.Trial[profile.Row],
) (nodes []store.Node[pipeline.Scored]) {
	for _, set := range group.Sets {
		for _, c := range tried[:min(rivals, len(tried))] {
			nodes = append(nodes, w.ScoresNode(c.Row, set))
		}
	}
	return nodes
}

// choiceNode is the choice among the settings that were tried for a row, best first.
func choiceNode(w *pipeline.Workspace, group profile.Group, tried []pipeline.Trial[profile.Row]) store.Node[chosen] {
	node := store.Node[chosen]{
		Name: "sts-choice", Version: 3, Subject: fmt.Sprintf("how sure the settings of row %q are", tried[0].Row.ID),
		Parts: func(c *chosen) []store.Part {
			return []store.Part{store.JSON("choice.json", c), store.Array("of.npy", &c.contender)}
		},
	}
	rivals := rivalScores(w, group, tried)
	for _, n := range rivals {
		node.Inputs = append(node.Inputs, n)
	}
	samples := make([]uint64, len(group.Sets))
	for i, set := range group.Sets {
		samples[i] = w.Sampling(set.File)
	}
	node.Params = struct {
		Draws int      `json:"draws"`
		Seeds []uint64 `json:"seeds"`
		Least float64  `json:"least"`
		Most  int      `json:"most"`
	}{pipeline.ClaimDraws, samples, leastShare, mostContenders}
	node.Make = func(ctx context.Context) (c chosen, err error) {
		scored, err := store.All(ctx, w.Store, rivals)
		if err != nil {
			return c, err
		}
		sets := make([]scoredSet, len(group.Sets))
		n := len(scored) / len(sets)
		for i, set := range group.Sets {
			pairs, err := w.ReadPairs(ctx, set)
			if err != nil {
				return c, err
			}
			if sets[i].sampler, err = w.Sampler(ctx, len(pairs.Gold), samples[i]); err != nil {
				return c, err
			}
			sets[i].gold = pairs.Gold
			for _, s := range scored[i*n : (i+1)*n] {
				sets[i].scores = append(sets[i].scores, s.Values)
			}
		}
		c.Shares, c.Contenders, c.contender, err = chooseAgain(ctx, sets, pipeline.ClaimDraws)
		return c, err
	}
	return node
}

// choices makes the Choice of each row that was searched for from what was tried.
func (s *Result) choices(ctx context.Context, w *pipeline.Workspace) error {
	s.Choices = map[string]*Choice{}
	if len(s.Tried) == 0 {
		return nil
	}
	group, err := w.ValidationGroup()
	if err != nil {
		return err
	}
	// The rivals' scores first, those of all rows together, so that what they share is made once.
	var nodes []store.Node[chosen]
	var scores []store.Node[pipeline.Scored]
	ids := slices.Sorted(maps.Keys(s.Tried))
	for _, id := range ids {
		node := choiceNode(w, group, s.Tried[id])
		nodes = append(nodes, node)
		if !store.Stored(w.Store, node) {
			scores = append(scores, rivalScores(w, group, s.Tried[id])...)
		}
	}
	if _, err := store.All(ctx, w.Store, scores); err != nil {
		return err
	}
	made, err := store.All(ctx, w.Store, nodes)
	for i, m := range made {
		tried := s.Tried[ids[i]]
		c := &Choice{Tried: len(tried), Shares: m.Shares, Chosen: m.contender}
		for _, r := range m.Contenders {
			c.Contenders = append(c.Contenders, tried[r].Row)
		}
		s.Choices[ids[i]] = c
	}
	return err
}

// scoredSet is a validation set: the scores of its pairs by each rival.
type scoredSet struct {
	scores  [][]float64
	gold    []float64
	sampler *score.Sampler
}

// chooseAgain returns, of the rivals that scored sets, the share of bootstrap samples that
// each wins by its mean correlation over the sets, the earlier of equals; the contenders,
// the most chosen of those with at least leastShare; and for each sample the best contender, as an
// index of contenders.
func chooseAgain(
	ctx context.Context, sets []scoredSet, samples int,
) (shares []float64, contenders []int, of []int32, err error) {
	n := len(sets[0].scores)
	values := make([][]float64, n) // by rival and sample
	for r := range values {
		values[r] = make([]float64, samples)
		for _, set := range sets {
			draws, err := set.sampler.PearsonDraws(ctx, set.scores[r], set.gold, samples)
			if err != nil {
				return nil, nil, nil, err
			}
			for d, v := range draws {
				values[r][d] += v / float64(len(sets))
			}
		}
	}

	shares = make([]float64, n)
	for d := range samples {
		shares[best(n, func(r int) float64 { return values[r][d] })] += 1 / float64(samples)
	}
	for r, s := range shares {
		if s >= leastShare {
			contenders = append(contenders, r)
		}
	}
	slices.SortStableFunc(contenders, func(a, b int) int { return cmp.Compare(shares[b], shares[a]) })
	contenders = contenders[:min(mostContenders, len(contenders))]
	slices.Sort(contenders)
	of = make([]int32, samples)
	for d := range of {
		of[d] = int32(best(len(contenders), func(i int) float64 { return values[contenders[i]][d] }))
	}
	return shares, contenders, of, nil
}

// best returns the index below n of the greatest value, the lowest of equals; 0 if all
// are NaN.
func best(n int, value func(i int) float64) int {
	at, top := 0, math.Inf(-1)
	for i := range n {
		if v := value(i); v > top {
			at, top = i, v
		}
	}
	return at
}

// measureChosen measures the rows of s, those with chosen settings by their contenders.
func measureChosen(ctx context.Context, w *pipeline.Workspace, s *Result) error {
	if err := s.choices(ctx, w); err != nil {
		return err
	}
	rows := slices.Clone(s.Rows)
	at := map[string]int{} // of the first contender of a row
	for _, row := range s.Rows {
		if c := s.Choices[row.ID]; c != nil {
			at[row.ID] = len(rows)
			rows = append(rows, c.Contenders...)
		}
	}
	measures, err := w.MeasureRows(ctx, rows)
	if err != nil {
		return err
	}
	s.Measures = measures[:len(s.Rows)]
	for r, row := range s.Rows {
		choice := s.Choices[row.ID]
		for g, group := range s.Groups {
			if choice == nil || group.Validation {
				continue
			}
			for i := range group.Sets {
				m := &s.Measures[r][g][i]
				m.Draws = choice.draws(len(m.Draws), func(contender int) []float64 {
					return measures[at[row.ID]+contender][g][i].Draws
				})
				m.Bound()
			}
		}
	}
	return nil
}

// draws puts the draws of a chosen row together: draw d is that of the contender that sample
// d chose. There may be fewer draws than samples.
func (c *Choice) draws(n int, of func(contender int) []float64) []float64 {
	all := make([][]float64, len(c.Contenders))
	for i := range all {
		all[i] = of(i)
	}
	mixed := make([]float64, n)
	for d := range mixed {
		mixed[d] = all[c.Chosen[d]][d]
	}
	return mixed
}

// groupDraws returns what makes pipeline.ClaimDraws bootstrap draws of the plain mean over the sets of a group by a
// row, which on a test group choose its settings again if they were chosen.
func (s *Result) groupDraws(
	w *pipeline.Workspace,
) func(context.Context, profile.Row, profile.Group) ([]float64, error) {
	return func(ctx context.Context, row profile.Row, group profile.Group) ([]float64, error) {
		choice := s.Choices[row.ID]
		if choice == nil || group.Validation {
			return w.GroupDraws(ctx, row, group)
		}
		all := make([][]float64, len(choice.Contenders))
		for i, c := range choice.Contenders {
			var err error
			if all[i], err = w.GroupDraws(ctx, c, group); err != nil {
				return nil, err
			}
		}
		return choice.draws(pipeline.ClaimDraws, func(contender int) []float64 { return all[contender] }), nil
	}
}
