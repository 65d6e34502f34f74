package score

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func terms(prefix string, numbers ...int) []string {
	var all []string
	for _, n := range numbers {
		all = append(all, fmt.Sprint(prefix, n))
	}
	return all
}

func upTo(n int) []int {
	var all []int
	for i := range n {
		all = append(all, i)
	}
	return all
}

func meanAndVariance(v []float64) (mean, variance float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		variance += (x - mean) * (x - mean) / float64(len(v)-1)
	}
	return mean, variance
}

// covariance returns the mean of (w_i − 1)(w_j − 1) over draws.
func covariance(p *Pairs, i, j, draws int) float64 {
	mean, _ := meanAndVariance(drawn(p.Draws(context.Background(), draws, 5, func(_ int, w []int32) float64 {
		return float64((w[i] - 1) * (w[j] - 1))
	})))
	return mean
}

// drawn are draws that nothing interrupts.
func drawn(values []float64, err error) []float64 {
	if err != nil {
		panic(err)
	}
	return values
}

// The weights' means and covariances are those of products of Poisson(1) variables: E w = 1,
// E w² = 2 for one factor and 4 for two, and pairs that share one of their factors have
// covariance E U² − 1 = 1.
func TestWeightsOfPairs(t *testing.T) {
	// a and b are shared; c–d stands twice and once the other way round; e–f stands alone.
	first := []string{"a", "a", "x", "c", "c", "d", "e"}
	second := []string{"b", "y", "b", "d", "d", "c", "f"}
	p := NewPairs(first, second)
	const draws = 200_000
	want := func(i, j int) float64 {
		switch {
		case i == 0 && j == 0:
			return 3
		case i == j:
			return 1
		case i == 0 && (j == 1 || j == 2), j == 0 && (i == 1 || i == 2):
			return 1
		case i >= 3 && i <= 5 && j >= 3 && j <= 5:
			return 1
		}
		return 0
	}
	// The variance of (w_i−1)(w_j−1) is largest for i = j = 0: E (w−1)⁴ is, by E U³ = 5 and
	// E U⁴ = 15, 225 − 4·25 + 6·4 − 4 + 1 = 146. Five standard errors.
	bound := 5 * math.Sqrt(146.0/draws)
	for i := range first {
		sum := 0.0
		for _, w := range drawn(p.Draws(t.Context(), draws, 5, func(_ int, w []int32) float64 { return float64(w[i]) })) {
			sum += w
		}
		if mean := sum / draws; math.Abs(mean-1) > 5*math.Sqrt(3.0/draws) {
			t.Errorf("the weight of pair %d is %v on average", i, mean)
		}
		for j := range i + 1 {
			if got := covariance(p, i, j, draws); math.Abs(got-want(i, j)) > bound {
				t.Errorf("pairs %d and %d have covariance %v, want %v ± %v", i, j, got, want(i, j), bound)
			}
		}
	}
}

// weighedMean is a mean of values under weights.
func weighedMean(values []float64) func(draw int, w []int32) float64 {
	return func(_ int, w []int32) float64 {
		sum, n := 0.0, 0.0
		for i, v := range values {
			sum += float64(w[i]) * v
			n += float64(w[i])
		}
		return sum / n
	}
}

// Where every term occurs once the variance of a mean is the ordinary bootstrap's, σ²/n.
func TestPairsWithoutSharedTerms(t *testing.T) {
	const n, draws = 400, 4000
	random := rand.New(rand.NewPCG(3, 0))
	values := make([]float64, n)
	for i := range values {
		values[i] = random.NormFloat64()
	}
	_, clustered := meanAndVariance(drawn(NewPairs(terms("a", upTo(n)...), terms("b", upTo(n)...)).Draws(t.Context(), draws, 1, weighedMean(values))))
	_, ordinary := meanAndVariance(drawn(Draws(t.Context(), n, draws, 1, func(sample []int) float64 {
		sum := 0.0
		for _, i := range sample {
			sum += values[i] / n
		}
		return sum
	})))
	// A variance of m normal draws has a relative standard error √(2/m); the weights' own sum
	// adds terms of relative size 1/n.
	if r := clustered / ordinary; math.Abs(r-1) > 5*math.Sqrt(4.0/draws)+2.0/n {
		t.Errorf("variance %v, the ordinary bootstrap's is %v", clustered, ordinary)
	}
}

// n pairs in g clusters of size m with the cluster's value alone: the variance of the mean is
// that of the g values, m times what independent pairs would have.
func TestVarianceGrowsWithClusters(t *testing.T) {
	const n, draws = 1200, 4000
	for _, size := range []int{2, 5, 20} {
		groups := n / size
		random := rand.New(rand.NewPCG(4, 0))
		var first, second []int
		var values []float64
		for g := range groups {
			v := random.NormFloat64()
			for k := range size {
				first, second, values = append(first, g*size+k), append(second, g), append(values, v)
			}
		}
		_, ofGroup := meanAndVariance(values)
		for side, p := range map[string]*Pairs{
			"second": NewPairs(terms("a", first...), terms("b", second...)),
			"first":  NewPairs(terms("b", second...), terms("a", first...)),
		} {
			_, got := meanAndVariance(drawn(p.Draws(t.Context(), draws, 2, weighedMean(values))))
			want := ofGroup / float64(groups)
			// As above, but of g clusters: the ratio's terms of order 1/g.
			if math.Abs(got/want-1) > 5*math.Sqrt(2.0/draws)+3/float64(groups) {
				t.Errorf("clusters of %d by the %s term: variance %v, want %v", size, side, got, want)
			}
		}
	}
}

// The two terms of a pair play the same part.
func TestPairsAreSymmetric(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 0))
	var first, second []string
	for range 60 {
		first, second = append(first, fmt.Sprint(random.IntN(15))), append(second, fmt.Sprint(random.IntN(15)))
	}
	p, q := NewPairs(first, second), NewPairs(second, first)
	for i := range first {
		for j := range first {
			common := func(of [][2]int32) (n int) {
				for _, c := range of[i] {
					if c >= 0 && slices.Contains(of[j][:], c) {
						n++
					}
				}
				return n
			}
			if common(p.pairClusters) != common(q.pairClusters) {
				t.Fatalf("pairs %d and %d share %d clusters, and %d with the terms swapped", i, j, common(p.pairClusters), common(q.pairClusters))
			}
		}
	}
}

// Measures under weights are those of the items written out.
func TestMeasuresUnderWeights(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for range 50 {
		labels, scores := randomRanking(random, 40, 0.3)
		gold := make([]float64, len(scores))
		for i := range gold {
			gold[i] = float64(random.IntN(7))
		}
		ranking, err := NewRanking(labels, scores)
		if err != nil {
			t.Fatal(err)
		}
		correlation, err := WeightedSpearman(scores, gold)
		if err != nil {
			t.Fatal(err)
		}
		NewPairs(terms("a", upTo(40)...), terms("b", upTo(40)...)).Draws(t.Context(), 20, 7, func(_ int, weights []int32) float64 {
			var l []bool
			var s, g []float64
			for i, n := range weights {
				for range n {
					l, s, g = append(l, labels[i]), append(s, scores[i]), append(g, gold[i])
				}
			}
			check := func(what string, got, want float64, err error) {
				if err != nil {
					want = math.NaN()
				}
				if math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > 1e-12 {
					t.Errorf("%s under weights %v: %v, want %v", what, weights, got, want)
				}
			}
			want, err := AveragePrecision(l, s)
			check("average precision", ranking.AveragePrecision(weights), want, err)
			want, err = Spearman(s, g)
			check("Spearman", correlation(weights), want, err)
			return 0
		})
		if got := correlation(make([]int32, 40)); !math.IsNaN(got) {
			t.Errorf("Spearman of nothing is %v", got)
		}
	}
}
