package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"contextmover/cmdlib"
	"contextmover/cmdlib/cluster"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/senses"
)

// way is a way to group occurrences: a point for each, zero for one without a context, then spherical k-means.
type way struct {
	name   string
	points func(list []corpus.Occurrence) (points []float32, dim int, err error)
}

// k-means is begun from so many seeds, and the clustering with the smallest inertia is taken; a is the constant of SIF.
const (
	seeds      = 4
	iterations = 100
	a          = 1e-3
)

// beside prints the adjusted Rand index of senses.Find beside those of senses.ByTransport, and of k-means of
//
//   - the weighted mean of the vectors of the words around an occurrence, each with a/(a + p(w)) [Arora, Liang, Ma 2017], within the window of the space, and in the whole sentence, without and
//     with the first principal component of all the word's occurrences taken out;
//   - the same estimates that senses.Find has, each component's square root (Hellinger's distance instead of transport).
//
// Their number of groups is chosen as senses.Find chooses it, by the silhouette from 2 to senses.Most, or told.
func beside(ctx context.Context, s, vectors *cmdlib.Space, w *wordNet, tags string) error {
	if !vectors.HasVectors() {
		return errors.New("the space named by -vectors keeps no word vectors")
	}
	var ways []way
	for _, window := range []int{s.Window(), math.MaxInt32} {
		name := fmt.Sprintf("weighted mean of vectors, %d words on either side", window)
		if window == math.MaxInt32 {
			name = "weighted mean of vectors, whole sentence"
		}
		for _, remove := range []bool{false, true} {
			if remove {
				name += ", first component removed"
			}
			ways = append(ways, way{name, func(list []corpus.Occurrence) ([]float32, int, error) {
				points := means(vectors, list, window)
				if remove {
					removeFirst(points, vectors.Dim)
				}
				return points, vectors.Dim, nil
			}})
		}
	}
	ways = append(ways, way{"the same estimates, Hellinger's distance", func(list []corpus.Occurrence) ([]float32, int, error) {
		var points []float32
		for i := range list {
			e, err := s.Estimate(list[i : i+1])
			row := make([]float32, s.Cost.K)
			if err == nil {
				for j, mass := range e.Histogram {
					row[j] = float32(math.Sqrt(float64(mass)))
				}
			} else if !errors.Is(err, cmdlib.ErrNoContexts) {
				return nil, 0, err
			}
			points = append(points, row...)
		}
		return points, s.Cost.K, nil
	}})
	type score struct {
		sum  [2]float64
		less [2]int // words for which senses.Find has more
	}
	finders := []finder{senses.Find, senses.ByTransport}
	scores := make([]score, len(finders)+len(ways))
	for _, t := range tagged {
		j := &judgement{space: s, wordNet: w, word: t.word, synsets: t.synsets}
		if err := j.read(filepath.Join(tags, t.word)); err != nil {
			return err
		}
		var ours [2]float64
		for n, by := range finders {
			j.by = by
			for i, k := range []int{0, len(t.synsets)} {
				groups, _, err := j.find(ctx, k)
				if err != nil {
					return fmt.Errorf("%s: %w", t.word, err)
				}
				rand := adjustedRand(groups, j.tags)
				scores[n].sum[i] += rand
				if n == 0 {
					ours[i] = rand
				} else if ours[i] > rand {
					scores[n].less[i]++
				}
			}
		}
		fmt.Fprintf(os.Stderr, "%s: %.2f %.2f", t.word, ours[0], ours[1])
		for n, way := range ways {
			points, dim, err := way.points(j.occurrences)
			if err != nil {
				return err
			}
			for i, k := range []int{0, len(t.synsets)} {
				groups, err := kMeans(ctx, points, dim, k)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", t.word, way.name, err)
				}
				rand := adjustedRand(groups, j.tags)
				fmt.Fprintf(os.Stderr, " | %.2f", rand)
				scores[len(finders)+n].sum[i] += rand
				if ours[i] > rand {
					scores[len(finders)+n].less[i]++
				}
			}
		}
		fmt.Fprintln(os.Stderr)
	}
	fmt.Println("| adjusted Rand index, mean of 20 words | chosen number of groups | words with less than repro senses |" +
		" as many as tags | words with less |\n|:--|--:|--:|--:|--:|")
	n := float64(len(tagged))
	for i, c := range scores {
		name := []string{"repro senses: vectors", "k-medoids under the context mover's distance"}[min(i, 1)]
		if i >= len(finders) {
			name = "k-means, " + ways[i-len(finders)].name
		}
		fmt.Printf("| %s | %.2f | %d | %.2f | %d |\n", name, c.sum[0]/n, c.less[0], c.sum[1]/n, c.less[1])
	}
	return nil
}

// means are the weighted means of the vectors of the words at most
// so many before or behind each occurrence, which is not among them.
func means(s *cmdlib.Space, list []corpus.Occurrence, window int) []float32 {
	points, v := make([]float32, len(list)*s.Dim), make([]float32, s.Dim)
	for i, o := range list {
		row := points[i*s.Dim : (i+1)*s.Dim]
		for at := max(0, o.At-window); at < len(o.Sentence) && at-o.At <= window; at++ {
			id, ok := s.ID(o.Sentence[at])
			if !ok || at == o.At || !s.Vector(v, id) {
				continue
			}
			weight := float32(a / (a + s.Probability(id)))
			for j, x := range v {
				row[j] += weight * x
			}
		}
	}
	return normalised(points, s.Dim)
}

// normalised divides each point by its norm, but for zeros.
func normalised(points []float32, dim int) []float32 {
	for from := 0; from < len(points); from += dim {
		row, sum := points[from:from+dim], 0.0
		for _, x := range row {
			sum += float64(x) * float64(x)
		}
		for j := range row {
			if sum > 0 {
				row[j] /= float32(math.Sqrt(sum))
			}
		}
	}
	return points
}

// removeFirst takes the first singular direction of the points, by power iteration, out of each.
func removeFirst(points []float32, dim int) {
	u := make([]float64, dim)
	for i := range u {
		u[i] = 1
	}
	for range 200 {
		next, sum := make([]float64, dim), 0.0
		for from := 0; from < len(points); from += dim {
			dot := 0.0
			for j, x := range points[from : from+dim] {
				dot += float64(x) * u[j]
			}
			for j, x := range points[from : from+dim] {
				next[j] += dot * float64(x)
			}
		}
		for _, x := range next {
			sum += x * x
		}
		for j := range next {
			u[j] = next[j] / math.Sqrt(sum)
		}
	}
	for from := 0; from < len(points); from += dim {
		row, dot := points[from:from+dim], 0.0
		for j, x := range row {
			dot += float64(x) * u[j]
		}
		for j := range row {
			row[j] -= float32(dot * u[j])
		}
	}
}

// kMeans groups points by their directions into k groups, or for k = 0 into the number from 2 to senses.Most
// with the largest silhouette: the mean over all points of 1 − d/e, where d and e are the distances to the
// nearest centroid and to the second nearest. Points that are zero are a group of their own.
func kMeans(ctx context.Context, points []float32, dim, k int) ([]int, error) {
	least, most := k, k
	if k == 0 {
		least, most = 2, senses.Most
	}
	points = normalised(append([]float32(nil), points...), dim)
	var best []int
	apart := math.Inf(-1)
	for k := least; k <= most; k++ {
		var found *cluster.Result
		for seed := range uint64(seeds) {
			r, err := cluster.KMeans(ctx, points, dim, cluster.Params{K: k, Spherical: true, MaxIter: iterations, Seed: seed}, nil)
			if err != nil {
				return nil, err
			}
			if found == nil || r.Inertia < found.Inertia {
				found = r
			}
		}
		groups := make([]int, len(found.Assignment))
		silhouette, clear := 0.0, 0
		for i, c := range found.Assignment {
			if groups[i] = int(c); c < 0 {
				groups[i] = k
				continue
			}
			first, second := math.Inf(1), math.Inf(1)
			for c := range k {
				sum := 0.0
				for j, x := range points[i*dim : (i+1)*dim] {
					d := float64(x - found.Centroids[c*dim+j])
					sum += d * d
				}
				if d := math.Sqrt(sum); d < first {
					first, second = d, first
				} else {
					second = min(second, d)
				}
			}
			if silhouette += 1; second > 0 {
				silhouette -= first / second
			}
			clear++
		}
		if silhouette /= float64(clear); silhouette > apart {
			apart, best = silhouette, groups
		}
	}
	return best, nil
}
