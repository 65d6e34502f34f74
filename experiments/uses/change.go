package uses

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/usage"
	"contextmover/experiments/pipeline"
	"contextmover/internal/elementary"
)

// ways are how far apart a word's uses in two periods may be said to be. The first is what repro shift has.
var ways = []row{
	{"uses", "mean distance of uses (`repro shift`)"},
	{"excess", "the same, beyond that of uses dealt at random"},
	{"prototypes", "1 − cosine of mean vectors of uses"},
	{"overlap", "neighbours that mean vectors do not share"},
	{"balanced", "transport between uses, balanced"},
	{"partial", "transport between uses, partial"},
	{"unbalanced", "transport between uses, unbalanced"},
	{"estimates", "context mover's distance of estimates"},
	{"aligned", "1 − cosine of vectors of each period, aligned"},
	{"aligned-overlap", "neighbours that vectors of each period do not share"},
	{"frequency", "difference of log frequencies"},
}

// Settings of the ways, which were fixed without a look at what people say. Half of the uses of a word have one in the
// other period that is nearer than 2ρ.
const (
	nearest    = 50     // neighbours
	among      = 20_000 // words of the space, for those of mean vectors
	reg        = 0.02   // λ, in the units of 1 − cosine
	price      = 0.35   // ρ of partial and unbalanced transport, in the same units
	iterations = 1000
	tolerance  = 1e-4
)

// moves returns how far each word moved, by each of the ways.
func moves(ctx context.Context, w *pipeline.Workspace, s *cmdlib.Space, words [][2][]corpus.Occurrence) (
	all [][]float64, err error,
) {
	all = make([][]float64, len(ways))
	set := func(id string, values ...float64) {
		at := slices.IndexFunc(ways, func(r row) bool { return r.id == id })
		all[at] = append(all[at], values...)
	}
	var places []place // of uses
	histograms, pairs := ot.Histograms{K: s.Cost.K}, []ot.Pair(nil)
	for i, periods := range words {
		var x [2][][]float64
		for side, list := range periods {
			if x[side], err = vectors(s, list); err != nil {
				return nil, err
			}
			if len(x[side]) == 0 {
				return nil, fmt.Errorf("uses: no use of word %d in period %d has a known word beside it", i+1, side+1)
			}
			e, err := s.Estimate(list)
			if err != nil {
				return nil, err
			}
			histograms.Data = append(histograms.Data, e.Histogram...)
		}
		pairs = append(pairs, ot.Pair{Source: int32(2 * i), Target: int32(2*i + 1)})
		places = append(places, x)
		a, b := mean(x[0]), mean(x[1])
		distance := 1 - floats.Dot(a, b)
		set("uses", distance)
		set("excess", distance-dealt(x))
		set("prototypes", 1-cosine(a, b))
		set("overlap", unshared(near(s, a), near(s, b)))
	}
	for _, kind := range []string{"balanced", "partial", "unbalanced"} {
		distances, err := transport(ctx, w.Engine, kind, places)
		if err != nil {
			return nil, err
		}
		set(kind, distances...)
	}
	distances, err := s.Distances(ctx, histograms, pairs)
	if err != nil {
		return nil, err
	}
	set("estimates", distances...)
	cosines, shares, err := trained(ctx, words, w.Profile.Seed)
	set("aligned", cosines...)
	set("aligned-overlap", shares...)
	set("frequency", frequencies(words)...)
	return all, err
}

// place has the vectors of a word's uses in both periods.
type place = [2][][]float64

// vectors returns the vectors of uses, those without one left out.
func vectors(s *cmdlib.Space, list []corpus.Occurrence) (x [][]float64, err error) {
	for _, o := range list {
		ids := make([]int32, len(o.Sentence))
		for i, word := range o.Sentence {
			ids[i] = -1
			if id, ok := s.ID(word); ok {
				ids[i] = id
			}
		}
		v, err := usage.New(s, ids)
		if err != nil {
			return nil, err
		}
		if row := make([]float64, s.Dim); v.At(row, ids, o.At) {
			x = append(x, row)
		}
	}
	return x, nil
}

// dealt returns the mean distance between uses of both periods if they were dealt to periods at random: that of all
// pairs of uses.
func dealt(x place) float64 {
	sum, n := 0.0, float64(len(x[0])+len(x[1]))
	total := make([]float64, len(x[0][0]))
	for _, v := range slices.Concat(x[0], x[1]) {
		floats.Add(total, v)
	}
	sum = floats.Dot(total, total) - n // vectors have length 1
	return 1 - sum/(n*(n-1))
}

func mean(x [][]float64) []float64 {
	m := make([]float64, len(x[0]))
	for _, row := range x {
		floats.AddScaled(m, 1/float64(len(x)), row)
	}
	return m
}

func cosine(x, y []float64) float64 {
	return floats.Dot(x, y) / (floats.Norm(x, 2) * floats.Norm(y, 2))
}

// near returns the words of the space that are nearest to a vector.
func near(s *cmdlib.Space, m []float64) []int {
	v, x, likeness := make([]float32, s.Dim), make([]float64, s.Dim), make([]float64, min(among, len(s.Words)))
	for id := range likeness {
		if !s.Vector(v, int32(id)) {
			likeness[id] = math.Inf(-1)
			continue
		}
		for j, y := range v {
			x[j] = float64(y)
		}
		likeness[id] = floats.Dot(m, x)
	}
	return largest(likeness)
}

// largest returns the places of the nearest largest numbers.
func largest(x []float64) []int {
	order, minus := make([]int, len(x)), make([]float64, len(x))
	floats.SubTo(minus, minus, x)
	floats.ArgsortStable(minus, order)
	return order[:min(nearest, len(order))]
}

// unshared is the share of the one list that the other has not.
func unshared(a, b []int) float64 {
	n := 0.0
	for _, id := range a {
		if !slices.Contains(b, id) {
			n++
		}
	}
	return n / float64(len(a))
}

// transport returns the cost of moving each word's uses in one period onto those in the other, at 1 − cosine each:
// all of them; or those that are worth it, the others for the price; or with what (9) of ot.Problem adds.
func transport(ctx context.Context, engine ot.Engine, kind string, places []place) (values []float64, err error) {
	b := &ot.Batch{
		Settings: ot.Settings{Reg: reg, MaxIter: iterations, Tol: tolerance}, N: len(places),
		Load: func(i int, r *ot.Rectangle) error {
			x := places[i]
			r.Source, r.Target = shares(r.Source[:0], len(x[0])), shares(r.Target[:0], len(x[1]))
			r.Between(func(j, k int) float64 { return max(0, 1-floats.Dot(x[0][j], x[1][k])) })
			return nil
		},
	}
	switch kind {
	case "partial":
		if b, err = b.Partial(price); err != nil {
			return nil, err
		}
	case "unbalanced":
		b.Penalty, b.Values = price, true
	}
	err = ot.Batches(ctx, engine, b, func(_ int, results []ot.Result) error {
		for _, r := range results {
			if b.Values {
				values = append(values, r.Value)
			} else {
				values = append(values, r.Cost)
			}
		}
		return nil
	})
	return values, err
}

func shares(to []float64, n int) []float64 {
	for range n {
		to = append(to, 1/float64(n))
	}
	return to
}

// frequencies returns how far apart the logarithms of each word's shares of the two periods are, among the uses of all
// other words, with one occurrence more in either: its own uses are as many as were picked.
func frequencies(words [][2][]corpus.Occurrence) (apart []float64) {
	of := make(map[string][]int) // the words that have a form
	for i, periods := range words {
		for _, o := range slices.Concat(periods[0], periods[1]) {
			if form := o.Sentence[o.At]; !slices.Contains(of[form], i) {
				of[form] = append(of[form], i)
			}
		}
	}
	counts, tokens := make([][2]float64, len(words)), [2]float64{}
	for i, periods := range words {
		for side, list := range periods {
			for _, o := range list {
				tokens[side] += float64(len(o.Sentence))
				for _, token := range o.Sentence {
					for _, j := range of[token] {
						if j != i {
							counts[j][side]++
						}
					}
				}
			}
		}
	}
	for _, n := range counts {
		apart = append(apart, math.Abs(elementary.Log((n[0]+1)/tokens[0])-elementary.Log((n[1]+1)/tokens[1])))
	}
	return apart
}
