package sts

import (
	"cmp"
	"context"
	"fmt"
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

// choiceNode is the choice among the settings that were tried for a row, best first.
func choiceNode(w *pipeline.Workspace, group profile.Group, tried []pipeline.Trial[profile.Row]) store.Node[chosen] {
	best := tried[:min(rivals, len(tried))]
	node := store.Node[chosen]{
		Name: "sts-choice", Version: 3, Subject: fmt.Sprintf("how sure the settings of row %q are", best[0].Row.ID),
		Parts: func(c *chosen) []store.Part {
			return []store.Part{store.JSON("choice.json", c), store.Array("of.npy", &c.contender)}
		},
	}
	samples := make([]uint64, len(group.Sets))
	for i, set := range group.Sets {
		samples[i] = w.Sampling(set.File)
		for _, c := range best {
			node.Inputs = append(node.Inputs, w.ScoresNode(c.Row, set))
		}
	}
	node.Params = struct {
		Draws int      `json:"draws"`
		Seeds []uint64 `json:"seeds"`
		Least float64  `json:"least"`
		Most  int      `json:"most"`
	}{pipeline.ClaimDraws, samples, leastShare, mostContenders}
	node.Make = func(ctx context.Context) (c chosen, err error) {
		sets := make([]scoredSet, len(group.Sets))
		for i, set := range group.Sets {
			pairs, err := w.ReadPairs(ctx, set)
			if err != nil {
				return c, err
			}
			sampler, err := w.Sampler(ctx, len(pairs.Gold), samples[i])
			if err != nil {
				return c, err
			}
			sets[i] = scoredSet{make([][]float64, len(best)), pairs.Gold, sampler}
			for r, rival := range best {
				if sets[i].scores[r], _, err = w.Scores(ctx, rival.Row, set); err != nil {
					return c, err
				}
			}
		}
		c.Shares, c.Contenders, c.contender, err = chooseAgain(ctx, sets, pipeline.ClaimDraws)
		return c, err
	}
	return node
}

// choices makes the Choice of each row from what was tried for it, best first.
func choices(
	ctx context.Context, w *pipeline.Workspace, rows [][]pipeline.Trial[profile.Row],
) (all []*Choice, err error) {
	group, err := w.ValidationGroup()
	if err != nil {
		return nil, err
	}
	// The rivals' scores first, those of all rows together, so that what they share is made once.
	var nodes []store.Node[chosen]
	var scores []store.Node[pipeline.Scored]
	for _, tried := range rows {
		node := choiceNode(w, group, tried)
		nodes = append(nodes, node)
		if store.Stored(w.Store, node) {
			continue
		}
		for _, c := range tried[:min(rivals, len(tried))] {
			for _, set := range group.Sets {
				scores = append(scores, w.ScoresNode(c.Row, set))
			}
		}
	}
	if _, err := store.All(ctx, w.Store, scores); err != nil {
		return nil, err
	}
	made, err := store.All(ctx, w.Store, nodes)
	if err != nil {
		return nil, err
	}
	for i, m := range made {
		c := &Choice{Tried: len(rows[i]), Shares: m.Shares, Chosen: m.contender}
		for _, r := range m.Contenders {
			c.Contenders = append(c.Contenders, rows[i][r].Row)
		}
		all = append(all, c)
	}
	return all, nil
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
	s.Choices = map[string]*Choice{}
	rows := slices.Clone(s.Rows)
	at := map[string]int{} // of the first contender of a row
	tried := map[string][]pipeline.Trial[profile.Row]{}
	for _, c := range s.Tried {
		tried[c.Row.ID] = append(tried[c.Row.ID], c)
	}
	var searched []string
	var found [][]pipeline.Trial[profile.Row]
	for _, row := range s.Rows {
		if row.Select {
			searched, found = append(searched, row.ID), append(found, tried[row.ID])
		}
	}
	if len(searched) > 0 {
		all, err := choices(ctx, w, found)
		if err != nil {
			return err
		}
		for i, id := range searched {
			s.Choices[id], at[id] = all[i], len(rows)
			rows = append(rows, all[i].Contenders...)
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

// groupDraws returns pipeline.ClaimDraws bootstrap draws of the plain mean over the sets of a group
// by a row, which on a test group choose its settings again if they were chosen.
func (s *Result) groupDraws(
	ctx context.Context, w *pipeline.Workspace, row profile.Row, group profile.Group,
) ([]float64, error) {
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
