package sts

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/pipelinetest"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/score"
)

// planted returns scores of n pairs that correlate with the gold scores as the noises say, by
// rival.
func planted(random *rand.Rand, n int, sampling uint64, noise ...float64) scoredSet {
	s := scoredSet{sampler: score.NewSampler(n, sampling), scores: make([][]float64, len(noise))}
	for range n {
		g := random.NormFloat64()
		s.gold = append(s.gold, g)
		for r, sd := range noise {
			s.scores[r] = append(s.scores[r], g+sd*random.NormFloat64())
		}
	}
	return s
}

// One rival far ahead of the others wins every sample. Among equally good ones the shares are spread.
func TestChooseAgain(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	ahead := []scoredSet{planted(random, 300, 7, 0.1, 3, 3), planted(random, 200, 8, 0.1, 3, 3)}
	shares, contenders, of, err := chooseAgain(t.Context(), ahead, 500)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(shares[0]-1) > 1e-9 || !slices.Equal(contenders, []int{0}) || slices.Max(of) != 0 {
		t.Errorf("shares %v, contenders %v", shares, contenders)
	}

	noise := slices.Repeat([]float64{1}, 20)
	equal := []scoredSet{planted(random, 150, 9, noise...)}
	shares, contenders, of, err = chooseAgain(t.Context(), equal, 2000)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, s := range shares {
		sum += s
	}
	if math.Abs(sum-1) > 1e-9 || len(contenders) < 2 {
		t.Errorf("shares %v, contenders %v", shares, contenders)
	}
	for i, r := range contenders {
		if shares[r] < leastShare || i > 0 && contenders[i-1] >= r {
			t.Errorf("contenders %v of shares %v", contenders, shares)
		}
	}
	// Sample d chooses the contender with the greatest correlation on it.
	d := 0
	score.Draws(t.Context(), 150, 2000, 9, func(sample []int) float64 {
		var values []float64
		for _, r := range contenders {
			var x, y []float64
			for _, i := range sample {
				x, y = append(x, equal[0].scores[r][i]), append(y, equal[0].gold[i])
			}
			v, err := score.Pearson(x, y)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, v)
		}
		if values[of[d]] != slices.Max(values) {
			t.Errorf("sample %d chooses %d of %v", d, of[d], values)
		}
		d++
		return 0
	})

	// Constant scores have no correlation; they win nothing and make nothing NaN.
	flat := []scoredSet{{scores: [][]float64{make([]float64, 150), equal[0].scores[0]}, gold: equal[0].gold, sampler: equal[0].sampler}}
	if shares, _, _, err = chooseAgain(t.Context(), flat, 100); err != nil || shares[0] != 0 {
		t.Errorf("shares %v, %v", shares, err)
	}
}

// Two settings are equally good on the validation pairs, where chance shows one ahead, and far
// apart on the test pairs. An interval with the setting as given is blind to that; with the
// choice in each draw it reaches from one to the other. Where the same draws choose for two
// rows, their difference has no more spread than the pairs give it.
func TestIntervalsContainTheChoice(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	_, contenders, of, err := chooseAgain(t.Context(), []scoredSet{planted(random, 200, 3, 1, 1)}, 2000)
	if err != nil {
		t.Fatal(err)
	}
	if len(contenders) != 2 {
		t.Fatalf("contenders %v", contenders)
	}
	c := &Choice{Contenders: make([]profile.Row, 2), Chosen: of}
	test := planted(random, 400, 4, 1, 3) // correlations of about .71 and .32
	var settings [2][]float64
	for i := range settings {
		if settings[i], err = score.NewSampler(len(test.scores[i]), 4).PearsonDraws(t.Context(), test.scores[i], test.gold, 2000); err != nil {
			t.Fatal(err)
		}
	}
	nested := c.draws(2000, func(i int) []float64 { return settings[i] })
	low, high := score.Interval(nested)
	low0, high0 := score.Interval(settings[0])
	low1, high1 := score.Interval(settings[1])
	if high-low < 2*max(high0-low0, high1-low1) || low > high1 || high < low0 {
		t.Errorf("[%.1f, %.1f] with the choice, [%.1f, %.1f] and [%.1f, %.1f] without", low, high, low0, high0, low1, high1)
	}
	for d := range nested {
		if nested[d] != settings[of[d]][d] {
			t.Fatalf("draw %d is not that of its choice", d)
		}
	}
	other := c.draws(2000, func(i int) []float64 { // a row one point better on every draw
		better := slices.Clone(settings[i])
		for d := range better {
			better[d]++
		}
		return better
	})
	for d := range other {
		if math.Abs(other[d]-nested[d]-1) > 1e-9 {
			t.Fatalf("draw %d: the rows did not choose on the same sample", d)
		}
	}
}

// Chosen rows carry their choice into measures, quantities and tables; others stay as they are.
func TestRunSTSWithChoices(t *testing.T) {
	w := pipelinetest.World(t, "sts.defaults.clusters=20", "sts.defaults.iterations=20", "sts.select.transport.clusters=[20]",
		"sts.select.transport.metric=[\"angular\"]", "sts.select.vectors.a=[1e-3, 1e-4]", "sts.select.vectors.pc_batch=[0]")
	w.Profile.STS.Rows = slices.DeleteFunc(w.Profile.STS.Rows, func(r profile.Row) bool {
		return !slices.Contains([]string{"sif", "euclidean", "chosen-sif", "chosen-sif-pc", "chosen-euclidean"}, r.ID)
	})
	s, err := Compute(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	for r, row := range s.Rows {
		c := s.Choices[row.ID]
		if (c != nil) != row.Select {
			t.Fatalf("row %s: choice %v", row.ID, c)
		}
		for g, group := range s.Groups {
			for i, set := range group.Sets {
				_, plain, err := w.Scores(t.Context(), row, set)
				if err != nil {
					t.Fatal(err)
				}
				m := s.Measures[r][g][i]
				if m.Value != plain.Value {
					t.Errorf("%s on %s: the value is %v, that of the settings shown %v", row.ID, set.Name, m.Value, plain.Value)
				}
				alone := c == nil || group.Validation || len(c.Contenders) == 1
				if alone && !slices.Equal(m.Draws, plain.Draws) {
					t.Errorf("%s on %s: other draws", row.ID, set.Name)
				}
				if c == nil || group.Validation {
					continue
				}
				for d := 0; d < pipeline.Draws; d += 97 {
					_, of, err := w.Scores(t.Context(), c.Contenders[c.Chosen[d]], set)
					if err != nil {
						t.Fatal(err)
					}
					if m.Draws[d] != of.Draws[d] {
						t.Fatalf("%s on %s: draw %d is not that of its choice", row.ID, set.Name, d)
					}
				}
			}
			// The draws behind claims begin with those behind the tables' intervals.
			mean, _ := pipeline.Average(s.Measures[r][g])
			claims, err := s.groupDraws(w)(t.Context(), row, group)
			if err != nil {
				t.Fatal(err)
			}
			for d, v := range mean.Draws {
				if math.Abs(claims[d]-v) > 1e-9 {
					t.Fatalf("%s on %s: draw %d is %v, of claims %v", row.ID, group.Name, d, v, claims[d])
				}
			}
		}
		if c == nil {
			continue
		}
		if want := len(w.Profile.Candidates(w.Profile.STS.Rows[r])); c.Tried != want || len(c.Chosen) != pipeline.ClaimDraws || len(c.Shares) != min(rivals, want) {
			t.Errorf("%s: %d tried, want %d; %d samples, %d shares", row.ID, c.Tried, want, len(c.Chosen), len(c.Shares))
		}
	}
	tables, err := s.Tables(w.Profile)
	if err != nil {
		t.Fatal(err)
	}
	last := tables[len(tables)-1]
	if last.ID != searchTable || len(last.Blocks) != 3 || last.Blocks[0].Rows[0].Cells[1].Value == nil {
		t.Errorf("%+v", last)
	}
}
