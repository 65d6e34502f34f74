package score

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"contextmover/internal/elementary"
	"contextmover/internal/parallel"
)

// Pairs are items that are pairs of terms, for a bootstrap that knows that items share terms:
// a system that errs about one hypernym errs on all its pairs.
//
// Each term with more than one distinct partner is a cluster, wherever in a pair it stands. A
// draw gives each cluster c its own weight U_c ~ Poisson(1), and a pair the product of those of
// its two terms,
//
//	w_{ab} = U_a · U_b,
//
// the pigeonhole bootstrap [Owen 2007] in its form with independent weights [Owen and Eckles
// 2012], which Davezies, D'Haultfœuille and Guyonvarch (2021) study for items whose two terms
// come from one population. A term with one partner is no cluster: its U is 1, and a pair of two
// such terms is a cluster of its own. So repeats of one pair, the other way round too, have one
// weight. All weights are 1 on average.
//
// Where no term is shared this is the ordinary bootstrap with Poisson weights; where only second terms are, it is the
// bootstrap that draws these with all their pairs. Where both are, the estimate is too large rather than too small. A
// component of variance that belongs to the pair alone counts up to three times, since Var(U_a U_b) = 3.
type Pairs struct {
	n            int
	clusters     int
	pairClusters [][2]int32 // the clusters of each pair, the second −1 where there is one only
}

// NewPairs finds the clusters of the pairs (first[i], second[i]). It panics if the lengths
// differ or are 0.
func NewPairs(first, second []string) *Pairs {
	if len(first) != len(second) || len(first) == 0 {
		panic(fmt.Sprintf("score: pairs of %d and %d terms", len(first), len(second)))
	}
	partner, shared := map[string]string{}, map[string]bool{}
	meet := func(a, b string) {
		if known, ok := partner[a]; !ok {
			partner[a] = b
		} else if known != b {
			shared[a] = true
		}
	}
	for i := range first {
		meet(first[i], second[i])
		meet(second[i], first[i])
	}
	p := &Pairs{n: len(first)}
	numbers := map[[2]string]int32{}
	number := func(a, b string) int32 {
		c, ok := numbers[[2]string{a, b}]
		if !ok {
			c = int32(len(numbers))
			numbers[[2]string{a, b}] = c
		}
		return c
	}
	for i, a := range first {
		b := second[i]
		of := [2]int32{-1, -1}
		switch {
		case shared[a] && shared[b] && a != b:
			of = [2]int32{number(a, ""), number(b, "")}
		case shared[a]:
			of[0] = number(a, "")
		case shared[b]:
			of[0] = number(b, "")
		default:
			of[0] = number(min(a, b), max(a, b))
		}
		p.pairClusters = append(p.pairClusters, of)
	}
	p.clusters = len(numbers)
	return p
}

// Draws returns a statistic of each of a number of draws of weights, in their order. statistic
// gets the draw's number, from 0 on, and the weight of each pair, which it must not keep; NaN where it is undefined.
// It is called from several goroutines at a time.
//
// The weights depend on the pairs, the draw and the seed alone, so draw d weighs the same for every statistic. It ends
// with ctx as the function of that name does. It panics if draws < 1.
func (p *Pairs) Draws(
	ctx context.Context, draws int, seed uint64, statistic func(draw int, weights []int32) float64,
) ([]float64, error) {
	if draws < 1 {
		panic(fmt.Sprintf("score: %d draws", draws))
	}
	values := make([]float64, draws)
	// All draws come from one stream, so that they are made one after the other, whoever's turn it is.
	var mu sync.Mutex
	random, next := rand.NewPCG(seed, 1), 0
	err := parallel.Workers(ctx, draws, 1, func() func(lo, hi int) error {
		cluster, weights := make([]int32, p.clusters), make([]int32, p.n)
		return func(int, int) error {
			mu.Lock()
			d := next
			next++
			for c := range cluster {
				cluster[c] = poisson(random)
			}
			mu.Unlock()
			for i, of := range p.pairClusters {
				weights[i] = cluster[of[0]]
				if of[1] >= 0 {
					weights[i] *= cluster[of[1]]
				}
			}
			values[d] = statistic(d, weights)
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	return values, nil
}

// poissonUpTo has P(N ≤ k) of the Poisson distribution with mean 1, in
// units of 2⁻⁵³ and rounded up; what is beyond is less than the last bit.
var poissonUpTo = func() []uint64 {
	var all []uint64
	sum, p := 0.0, elementary.Exp(-1)
	for k := 1; k <= 18; k++ {
		sum += p
		all = append(all, uint64(math.Ceil(sum*(1<<53))))
		p /= float64(k)
	}
	return all
}()

// poisson draws from that distribution. Whole numbers, without
// rand.Rand between, take a fifth less of a bootstrap's time.
func poisson(random *rand.PCG) int32 {
	u := random.Uint64() << 11 >> 11
	k := int32(0)
	for int(k) < len(poissonUpTo)-1 && u >= poissonUpTo[k] {
		k++
	}
	return k
}

// WeightedSpearman is the rank correlation: it sorts once.
func WeightedSpearman(x, y []float64) (Weighted, error) {
	if err := check(x, y); err != nil {
		return nil, err
	}
	ofX, ofY := sorted(x, cmp.Compare[float64]), sorted(y, cmp.Compare[float64])
	return func(weights []int32) float64 {
		if len(weights) != len(x) {
			panic(fmt.Sprintf("score: %d weights of %d values", len(weights), len(x)))
		}
		xRanks, total := ofX.ranks(weights)
		yRanks, _ := ofY.ranks(weights)
		mean := float64((total + 1) / 2) // of ranks
		var xy, xx, yy float64
		for i, w := range weights {
			w, x, y := float64(w), xRanks[i]-mean, yRanks[i]-mean
			xy += float64(w * x * y)
			xx += float64(w * x * x)
			yy += float64(w * y * y)
		}
		if xx == 0 || yy == 0 {
			return math.NaN()
		}
		return max(-1, min(1, xy/(math.Sqrt(xx)*math.Sqrt(yy))))
	}, nil
}

// An order has items by their values, equal ones as they come, and the places at which blocks of equal values end.
type order struct{ items, ends []int32 }

func sorted(v []float64, compare func(a, b float64) int) (o order) {
	for i := range v {
		o.items = append(o.items, int32(i))
	}
	slices.SortStableFunc(o.items, func(a, b int32) int { return compare(v[a], v[b]) })
	for at, i := range o.items {
		if at+1 == len(v) || v[o.items[at+1]] != v[i] {
			o.ends = append(o.ends, int32(at+1))
		}
	}
	return o
}

// ranks returns the mean rank of each value among all, of which item i counts weights[i] times, and how many these are.
func (o order) ranks(weights []int32) (ranks []float64, total float64) {
	ranks = make([]float64, len(o.items))
	at := int32(0)
	for _, end := range o.ends {
		n := int64(0)
		for _, i := range o.items[at:end] {
			n += int64(weights[i])
		}
		rank := total + float64(float64(n+1)/2)
		for _, i := range o.items[at:end] {
			ranks[i] = rank
		}
		total, at = total+float64(n), end
	}
	return ranks, total
}
