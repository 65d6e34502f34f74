package geometry

import (
	"math"
	"slices"
	"testing"

	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/ot/exact"
	"contextmover/cmdlib/score"
	"contextmover/cmdlib/sentence"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/pipelinetest"
)

// With no context left out distances are those of the whole histograms and one cost between all contexts; where
// each context is in its own place what is called shuffled is the true cost; a discrete cost is total variation.
func TestMover(t *testing.T) {
	w := pipelinetest.World(t)
	row, _ := w.Profile.Row("euclidean")
	m, err := newMover(t.Context(), w, row)
	if err != nil {
		t.Fatal(err)
	}
	read, err := w.ReadPairs(t.Context(), w.Profile.STS.Groups[0].Sets[0])
	if err != nil {
		t.Fatal(err)
	}
	pairs := append([]sentence.Pair{{A: read.Pairs[0].A, B: read.Pairs[0].A}, {A: read.Pairs[0].A}}, read.Pairs[:6]...)
	n, contexts := len(pairs), m.associations.Cols

	// By the costs of the row itself, of all contexts at once.
	g, err := ground.New(m.vectors.Data, contexts, m.vectors.Dim, m.cost)
	if err != nil {
		t.Fatal(err)
	}
	cost, unit := make([]float64, len(g.Data)), make([]float64, len(g.Data))
	for i, c := range g.Data {
		if cost[i] = float64(c); i/contexts != i%contexts {
			unit[i] = 1
		}
	}
	moved := func(p sentence.Pair, cost []float64) float64 {
		a, b := make([]float64, contexts), make([]float64, contexts)
		m.average(p.A, a, nil)
		m.average(p.B, b, nil)
		r, err := exact.Solve(t.Context(), a, b, cost)
		if err != nil {
			t.Fatal(err)
		}
		return r.Cost
	}
	got, kept, err := m.score(t.Context(), pairs, contexts)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(kept-1) > 1e-12 {
		t.Errorf("%v of the mass is kept of all contexts", kept)
	}
	variation, err := m.contexts.score(t.Context(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range pairs {
		if len(p.B) == 0 {
			continue
		}
		if want := -moved(p, cost); math.Abs(got[i]-want) > 1e-6*math.Abs(want)+1e-12 {
			t.Errorf("pair %d: %v, want %v", i, got[i], want)
		}
		flat := got[2*n+i]
		if want := -moved(p, unit); math.Abs(flat-want) > 1e-9 || math.Abs(flat-variation[i]) > 1e-6 {
			t.Errorf("pair %d with a discrete cost: %v, %v by the simplex, total variation %v", i, flat, want, variation[i])
		}
		if differs := math.Abs(got[n+i]-got[i]) > 1e-3*math.Abs(got[i]); differs != (i > 0) {
			t.Errorf("pair %d: %v shuffled, %v true", i, got[n+i], got[i])
		}
	}
	for g := range geometries {
		of := got[g*n:][:n]
		if of[1] != slices.Min(of) || math.Abs(of[0]) > 1e-9 || of[0] < of[2] {
			t.Errorf("%s: %v between equal sentences, %v with one that has no word, of %v", geometries[g], of[0], of[1], of)
		}
	}

	m.places[1] = m.places[0]
	if got, _, err = m.score(t.Context(), pairs, 20); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got[:n], got[n:2*n]) {
		t.Errorf("with each context in its own place: %v and %v", got[:n], got[n:2*n])
	}

	// Where all costs are above the clip, moving costs that.
	m.cost.Clip = 1e-6
	if got, _, err = m.score(t.Context(), pairs, 20); err != nil {
		t.Fatal(err)
	}
	for i := range pairs {
		if want := got[2*n+i] * m.cost.Clip * m.cost.Reg; math.Abs(got[i]-want) > 1e-6*math.Abs(want)+1e-15 {
			t.Errorf("pair %d with all costs clipped: %v, want %v", i, got[i], want)
		}
	}
}

// The heaviest contexts have no more mass outside than inside, keep their
// proportions, and the sum is left 0. A context without a vector is no bin.
func TestHeaviest(t *testing.T) {
	w := pipelinetest.World(t)
	row, _ := w.Profile.Row("euclidean")
	m, err := newMover(t.Context(), w, row)
	if err != nil {
		t.Fatal(err)
	}
	read, err := w.ReadPairs(t.Context(), w.Profile.STS.Groups[0].Sets[0])
	if err != nil {
		t.Fatal(err)
	}
	s := read.Pairs[0].A
	sum, whole := make([]float64, m.associations.Cols), make([]float64, m.associations.Cols)
	touched, _ := m.average(s, whole, nil)
	for _, n := range []int{1, 7, len(touched), len(touched) + 1} {
		h := m.heaviest(s, sum, n)
		if len(h.index) != min(n, len(touched)) || !slices.IsSorted(h.index) || slices.Max(sum) != 0 {
			t.Fatalf("%d of %d contexts, the heaviest %d asked for; %v is left", len(h.index), len(touched), n, slices.Max(sum))
		}
		least, inside, total := math.Inf(1), 0.0, 0.0
		for i, k := range h.index {
			least, inside, total = min(least, whole[k]), inside+whole[k], total+h.mass[i]
			if got, want := h.mass[i]/h.mass[0], whole[k]/whole[h.index[0]]; math.Abs(got-want) > 1e-12*want {
				t.Errorf("context %d: %v times the first's mass, want %v", k, got, want)
			}
		}
		for _, k := range touched {
			if _, in := slices.BinarySearch(h.index, k); !in && whole[k] > least {
				t.Errorf("%d of %d: context %d of mass %v is left out, one of %v is not", n, len(touched), k, whole[k], least)
			}
		}
		if math.Abs(inside-h.kept) > 1e-12 || math.Abs(total-1) > 1e-12 {
			t.Errorf("%d of %d: sum %v, share %v, want 1 and %v", n, len(touched), total, h.kept, inside)
		}
	}
	h := m.heaviest(s, sum, 1)
	without := *m.vectors
	without.Data = slices.Clone(without.Data)
	clear(without.Row(int(h.index[0])))
	m.vectors = &without
	if again := m.heaviest(s, sum, len(touched)); slices.Contains(again.index, h.index[0]) || math.Abs(again.kept-(1-h.kept)) > 1e-12 {
		t.Errorf("without a vector for context %d: contexts %v of a share %v of the mass, want %v", h.index[0], again.index, again.kept, 1-h.kept)
	}
}

// Every row of averages has its clusters, single contexts by each metric, and all of
// them; differences are of the same pairs, and what the store has is what was computed.
func TestComputeMoved(t *testing.T) {
	defer func(before []int) { keptContexts = before }(keptContexts)
	keptContexts = []int{20, 60} // sooner done
	w := pipelinetest.World(t, `geometry.rows=["euclidean", "comb"]`, `geometry.vary.metric=["angular", "euclidean"]`)
	all, err := ComputeMoved(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range all {
		names = append(names, m.name(w.Profile))
	}
	if want := []string{"K = 60", "20 contexts", "60 contexts", "20 contexts, angular", eachContext}; !slices.Equal(names, want) {
		t.Fatalf("%q, want %q", names, want)
	}
	for _, m := range all {
		if !(m.Kept > 0 && m.Kept <= 1+1e-9) {
			t.Errorf("%s: share %v of the mass", m.Bins, m.Kept)
		}
		for i, d := range m.Minus {
			if want := m.Scores[i+1].Value - m.Scores[0].Value; d.Value != want || !(d.Low <= d.Value && d.Value <= d.High) {
				t.Errorf("%s: difference %v [%v, %v], want %v", m.Bins, d.Value, d.Low, d.High, want)
			}
		}
	}
	if !(all[1].Kept < all[2].Kept) || all[1].Scores[2].Value != all[3].Scores[2].Value {
		t.Errorf("shares %v and %v, flat scores %v and %v", all[1].Kept, all[2].Kept, all[1].Scores[2].Value, all[3].Scores[2].Value)
	}

	// The clusters' scores by hand.
	row, _ := w.Profile.Row("euclidean")
	want, groups := 0.0, 0
	for _, group := range w.Profile.STS.Groups {
		if !group.Test() {
			continue
		}
		groups++
		for _, set := range group.Sets {
			pairs, err := w.ReadPairs(t.Context(), set)
			if err != nil {
				t.Fatal(err)
			}
			values, _, err := w.Scores(t.Context(), row, set)
			if err != nil {
				t.Fatal(err)
			}
			at := movedOf(w, set, len(values))
			if len(at) != min(len(values), movedPairs) || !slices.IsSorted(at) || len(slices.Compact(slices.Clone(at))) != len(at) {
				t.Fatalf("%s: pairs %v of %d", set.Name, at, len(values))
			}
			r, err := score.Pearson(pick(values, at), pick(pairs.Gold, at))
			if err != nil {
				t.Fatal(err)
			}
			want += 100 * r / float64(len(group.Sets))
		}
	}
	if want /= float64(groups); math.Abs(all[0].Scores[0].Value-want) > 1e-9 {
		t.Errorf("%v by clusters, want %v", all[0].Scores[0].Value, want)
	}

	again, err := ComputeMoved(t.Context(), &pipeline.Workspace{Profile: w.Profile, Store: w.Store, Data: w.Data, Engine: w.Engine})
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range again {
		for g, s := range m.Scores {
			if s.Value != all[i].Scores[g].Value || s.Low != all[i].Scores[g].Low {
				t.Errorf("%s: %v from the store, %v before", m.Bins, s.Value, all[i].Scores[g].Value)
			}
		}
	}
	for _, table := range movedTables(all, w.Profile) {
		for _, b := range table.Blocks {
			for _, row := range b.Rows {
				if len(row.Cells) != len(table.Columns) {
					t.Errorf("%s: %d cells in %d columns", row.Label, len(row.Cells), len(table.Columns))
				}
			}
		}
	}
	if n := len(movedQuantities(all, w.Profile)); n != 4*5+1 {
		t.Errorf("%d quantities", n)
	}
}
