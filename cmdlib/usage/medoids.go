package usage

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// medoids are the centres of k groups of n things: a group's centre is the member with the smallest sum of distances
// to the others [Kaufman and Rousseeuw 1990].
type medoids struct {
	// centres are the medoids, assignment the group of each thing in [0, k): that of the nearest medoid, the first of
	// equally near ones.
	centres    []int
	assignment []int
	// total is the sum of the distances of all things to their medoids.
	total float64
	// silhouette is the mean over all things of 1 − a/b, where a is the distance to the nearest
	// medoid and b that to the second nearest: 0 where groups are not apart, 1 where they are
	// [Lenssen and Schubert 2022, the average medoid silhouette]. It is 0 for one group.
	silhouette float64
}

// kMedoids groups n things into k by their distances, n×n, row by row; they need not be symmetric: it takes those
// from a thing to a medoid. Medoids are chosen greedily (BUILD). Then they are exchanged for other points as long as
// an exchange makes the total smaller by more than rounding (SWAP). The best exchange of each is made at once, as in
// FasterPAM [Schubert and Rousseeuw 2021]. The result is a local minimum, and always the same.
//
// It is an error if k is not in [1, n], or a distance is negative or not finite. It panics if there are not n²
// distances.
func kMedoids(ctx context.Context, n int, distances []float64, k int) (*medoids, error) {
	if len(distances) != n*n {
		panic(fmt.Sprintf("usage: %d distances of %d things, expected %d", len(distances), n, n*n))
	}
	if k < 1 || k > n {
		return nil, fmt.Errorf("usage: %d groups of %d things, expected 1 to %d", k, n, n)
	}
	for i, d := range distances {
		if !(d >= 0 && d <= math.MaxFloat64) {
			return nil, fmt.Errorf("usage: the distance from %d to %d is %v, expected a finite number ≥ 0",
				i/n, i%n, d)
		}
	}
	g := &exchange{n: n, d: distances, nearest: make([]int, n), first: make([]float64, n), second: make([]float64, n)}
	for len(g.medoids) < k {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g.build()
	}
	for unchanged, thing := 0, 0; unchanged < n; thing = (thing + 1) % n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		unchanged++
		if g.swap(thing) {
			unchanged = 0
		}
	}
	result := &medoids{centres: g.medoids, assignment: g.nearest, total: g.total()}
	if k > 1 {
		for i := range n {
			if g.second[i] > 0 {
				result.silhouette += (1 - g.first[i]/g.second[i]) / float64(n)
			}
		}
	}
	return result, nil
}

// exchange is the state of kMedoids.
type exchange struct {
	n             int
	d             []float64
	medoids       []int
	nearest       []int // group of each thing
	first, second []float64
}

func (g *exchange) at(thing, medoid int) float64 { return g.d[thing*g.n+medoid] }

// assign finds the nearest medoids of all things.
func (g *exchange) assign() {
	for i := range g.n {
		g.first[i], g.second[i] = math.Inf(1), math.Inf(1)
		for m, medoid := range g.medoids {
			switch d := g.at(i, medoid); {
			case d < g.first[i]:
				g.first[i], g.second[i], g.nearest[i] = d, g.first[i], m
			case d < g.second[i]:
				g.second[i] = d
			}
		}
	}
}

func (g *exchange) total() (sum float64) {
	for _, d := range g.first {
		sum += d
	}
	return sum
}

func (g *exchange) isMedoid(thing int) bool { return slices.Contains(g.medoids, thing) }

// build adds the medoid that makes the total smallest.
func (g *exchange) build() {
	best, at := math.Inf(1), 0
	for c := range g.n {
		if g.isMedoid(c) {
			continue
		}
		sum := 0.0
		for i := range g.n {
			d := g.at(i, c)
			if len(g.medoids) > 0 {
				d = min(d, g.first[i])
			}
			sum += d
		}
		if sum < best {
			best, at = sum, c
		}
	}
	g.medoids = append(g.medoids, at)
	g.assign()
}

// swap exchanges a medoid for a thing, if that makes the total smaller.
func (g *exchange) swap(thing int) bool {
	if g.isMedoid(thing) {
		return false
	}
	// What each group loses without its medoid, and all gain with the thing as another.
	change := make([]float64, len(g.medoids))
	gain := 0.0
	for i := range g.n {
		d := g.at(i, thing)
		m := g.nearest[i]
		if d < g.first[i] {
			gain += d - g.first[i]
			// Without m it would go to the thing all the same.
			continue
		}
		change[m] += min(d, g.second[i]) - g.first[i]
	}
	best, at := math.Inf(1), 0
	for m, c := range change {
		if c+gain < best {
			best, at = c+gain, m
		}
	}
	if !(best < -1e-12*g.total()) {
		return false
	}
	g.medoids[at] = thing
	g.assign()
	return true
}
