package hypernymy

import (
	"math"
	"slices"
	"testing"

	"contextmover/cmdlib/method"
	"contextmover/experiments/profile"
)

// Rare words unknown, so that pairs are not covered.
func whyWorkspace(t *testing.T, overrides ...string) (*Result, func(row Row, pairs ...TermPair) []float64) {
	t.Helper()
	w := workspace(t, "mini", append([]string{
		"corpus.tokens=60000", "vectors.dim=20", "space.clusters=20", "hypernymy.vectors.dim=20", "hypernymy.vectors.samples=50000",
		"hypernymy.cmd.clusters=[20]", "seeds.hypernymy=2", "corpus.min_count=20",
	}, overrides...)...)
	x, err := why(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	g, err := Geometries(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	g.Why = x
	return g, func(row Row, pairs ...TermPair) []float64 {
		scores, _, err := scoreTerms(t.Context(), w, row, "test", pairs)
		if err != nil {
			t.Fatal(err)
		}
		return scores
	}
}

// On the covered pairs no order has the AP of chance and the best 100; on all pairs the rest is
// tied below. CMD scores there what the section's tables say, and a difference is that of its rows.
func TestWhy(t *testing.T) {
	h, score := whyWorkspace(t)
	x := h.Why
	all, covered := x.Parts[0], x.Parts[1]
	if covered.pairs == 0 || covered.pairs == all.pairs || covered.positive == all.positive {
		t.Fatalf("%d of %d pairs covered, %d of %d true ones: expected some", covered.pairs, all.pairs, covered.positive, all.positive)
	}
	share := func(a, b int) float64 { return float64(a) / float64(b) }
	known := share(covered.positive, all.positive)
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	near("tied", x.Rows[whyTied].AP[1].Value, 100*share(covered.positive, covered.pairs))
	near("best", x.Rows[whyBest].AP[1].Value, 100)
	near("tied, all", x.Rows[whyTied].AP[0].Value, 100*(known*share(covered.positive, covered.pairs)+(1-known)*share(all.positive, all.pairs)))
	near("best, all", x.Rows[whyBest].AP[0].Value, 100*(known+(1-known)*share(all.positive, all.pairs)))
	for s, set := range h.Sets {
		if set.Name == x.Set {
			for r, row := range map[int]Row{whyCMD: h.Rows[0], whyDiscrete: h.Rows[2]} {
				m, e := h.Measures[row.Key][s].AP, x.Rows[r].AP[0]
				near(row.Key, e.Value, m.Value)
				near(row.Key+", low", e.Low, m.Low)
				near(row.Key+", high", e.High, m.High)
				if !slices.Equal(e.Seeds, m.Seeds) || len(e.Seeds) != 1 {
					t.Errorf("%s: seeds %v, of the set %v", row.Key, e.Seeds, m.Seeds)
				}
			}
		}
	}
	near("difference", x.Differences[0].AP[1].Value, x.Rows[whyCMD].AP[1].Value-x.Rows[whyTied].AP[1].Value)
	pairs, positive, last := 0, 0, int64(0)
	for _, part := range x.Parts[2:] {
		pairs, positive = pairs+part.pairs, positive+part.positive
		if part.pairs > 0 && !(last < part.low && part.low <= part.high) {
			t.Errorf("%s: counts %d to %d after %d", part.name, part.low, part.high, last)
		}
		last = part.high
	}
	if pairs != covered.pairs || positive != covered.positive {
		t.Errorf("%d pairs in quartiles, %d true; %d covered, %d true", pairs, positive, covered.pairs, covered.positive)
	}
	if table := x.table(&profile.Profile{Name: "mini"}); len(table.Blocks[0].Rows) != len(x.Rows) {
		t.Errorf("%d rows in the table", len(table.Blocks[0].Rows))
	}

	// A discrete cost is the same both ways, the entailment cost is not.
	pair := TermPair{5, 9}
	if flat := score(h.Rows[2], pair, pair.reversed()); math.Abs(flat[0]-flat[1]) > 1e-4*math.Abs(flat[0]) {
		t.Errorf("discrete cost: %v there, %v back", flat[0], flat[1])
	}
	if own := score(h.Rows[0], pair, pair.reversed()); math.Abs(own[0]-own[1]) < 1e-3*math.Abs(own[0]) {
		t.Errorf("entailment cost: %v there, %v back", own[0], own[1])
	}
}

// Shuffling moves costs about without changing them, and leaves
// those of staying on the diagonal; a discrete cost is their mean.
func TestGeometriesOfTheCost(t *testing.T) {
	w := workspace(t, "mini", "corpus.tokens=60000", "vectors.dim=20", "space.clusters=20", "hypernymy.vectors.dim=20", "hypernymy.vectors.samples=50000", "hypernymy.cmd.clusters=[20]")
	row := paperRows(w)[1]
	costs := func(row Row) (staying, moving []float32) {
		g, err := w.Ground(t.Context(), row.Method.(CMD).ground(w))
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range g.Data {
			if i/g.K == i%g.K {
				staying = append(staying, c)
			} else {
				moving = append(moving, c)
			}
		}
		return staying, moving
	}
	staying, moving := costs(row)
	shuffledStaying, shuffledMoving := costs(row.withGeometry(method.Shuffled))
	if slices.Equal(moving, shuffledMoving) {
		t.Error("nothing was shuffled")
	}
	for _, pair := range [][2][]float32{{staying, shuffledStaying}, {moving, shuffledMoving}} {
		a, b := slices.Sorted(slices.Values(pair[0])), slices.Sorted(slices.Values(pair[1]))
		for i := range a {
			if math.Abs(float64(a[i]-b[i])) > 1e-6 {
				t.Fatalf("cost %d is %v, shuffled %v", i, a[i], b[i])
			}
		}
	}
	sum := 0.0
	for _, c := range moving {
		sum += float64(c)
	}
	flatStaying, flatMoving := costs(row.withGeometry(method.Discrete))
	if slices.Max(flatStaying) != 0 || slices.Max(flatMoving) != slices.Min(flatMoving) || math.Abs(float64(flatMoving[0])-sum/float64(len(moving))) > 1e-6 {
		t.Errorf("discrete costs %v to %v, staying %v; mean %v", slices.Min(flatMoving), slices.Max(flatMoving), slices.Max(flatStaying), sum/float64(len(moving)))
	}
	// Another seed shuffles in another way.
	shuffled := row.withGeometry(method.Shuffled)
	if shuffled.Method.(CMD).ground(w.WithSeed(2)).Seed == shuffled.Method.(CMD).ground(w).Seed {
		t.Error("both seeds shuffle alike")
	}
}

func TestResiduals(t *testing.T) {
	x, z := []float64{1, 2, 3, 4, 5, 6}, []float64{3, 1, 4, 1, 5, 9}
	y := []float64{2, 7, 1, 8, 2, 8}
	left := residuals(y, x, z)
	for _, column := range [][]float64{{1, 1, 1, 1, 1, 1}, x, z} {
		sum := 0.0
		for i, v := range column {
			sum += v * left[i]
		}
		if math.Abs(sum) > 1e-9 {
			t.Errorf("%v stands at %v to %v", left, sum, column)
		}
	}
	// A column twice says no more than once, a constant one nothing; what the columns explain is gone.
	for i, v := range residuals(y, x, z, x, []float64{4, 4, 4, 4, 4, 4}) {
		if math.Abs(v-left[i]) > 1e-9 {
			t.Errorf("with a column twice %v, once %v", v, left[i])
		}
	}
	combined := make([]float64, len(x))
	for i := range x {
		combined[i] = 7 - 2*x[i] + 0.5*z[i]
	}
	for _, v := range residuals(combined, x, z) {
		if math.Abs(v) > 1e-9 {
			t.Errorf("%v is left of what the columns say", v)
		}
	}
}
