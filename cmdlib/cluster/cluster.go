// Package cluster groups points by k-means: k-means++ seeding (D. Arthur and
// S. Vassilvitskii, k-means++: the advantages of careful seeding, SODA 2007) and Lloyd's
// iteration, Euclidean or spherical (I. S. Dhillon and D. S. Modha, Concept decompositions for
// large sparse text data using clustering, Machine Learning 42, 2001).
package cluster

import (
	"context"
	"fmt"
	"math"

	"contextmover/internal/parallel"
)

// Params are the settings of KMeans.
type Params struct {
	// K is the number of clusters, from 1 to the number of distinct points.
	K int
	// Spherical compares directions: points are divided by their Euclidean norm first, and
	// so are centroids. The nearest centroid is then that of the largest cosine, or of
	// the smallest angle.
	Spherical bool
	// MaxIter bounds the number of iterations; it must be at least 1.
	MaxIter int
	// Tol, in [0, 1), ends the iteration when at most this fraction of the points changed
	// their cluster. Zero waits until none does.
	Tol float64
	// Seed determines the first centroids.
	Seed uint64
}

// DefaultMaxIter and DefaultTol suit word vectors: the last few that change their cluster change nothing.
const (
	DefaultMaxIter = 300
	DefaultTol     = 1e-4
)

// Result is a clustering of n points.
type Result struct {
	// Centroids is K×dim, row-major: the mean of each cluster's points, or their mean
	// direction, of norm 1, if spherical. No cluster is empty.
	Centroids []float32
	// Assignment has the cluster of each point: that of its nearest centroid, and of
	// several equally near the lowest. A zero vector has no direction: it is left out of
	// a spherical clustering and gets −1.
	Assignment []int32
	// Iterations is the number of times that the points were assigned.
	Iterations int
	// Inertia is the sum of squared distances of the points to their centroids; if
	// spherical, of the normalised points, that is Σ 2·(1 − cosine).
	Inertia float64
}

// KMeans clusters points (n×dim, row-major), which it leaves unchanged.
//
// An iteration assigns each point to the nearest centroid, and moves each centroid to the mean of its points. An
// empty cluster gets the point that is farthest from its centroid (the first one of several). The centroids returned
// are those that the points were last assigned to. So they are means of the last but one assignment, from which at
// most the fraction Tol differs (unless MaxIter was reached).
//
// Distances are computed as ‖x‖² − 2x·c + ‖c‖² in float32, after a shift of the origin to the mean of all points if
// Euclidean. Of two centroids whose distances agree up to rounding, either may be taken. Distances are not computed
// where the triangle inequality shows that they are too large to matter. Each point keeps a bound to its own
// centroid, and one to each of at most 64 groups of the others (Y. Ding et al., Yinyang K-means, ICML 2015).
//
// progress, which may be nil, is told the number of iterations and MaxIter; at the end
// both are MaxIter.
//
// KMeans returns an error if a parameter is out of its range, or a coordinate is not a finite number. The same holds
// if there are fewer distinct points (or directions) than clusters, or if ctx ends. It panics if the length of points
// is not a multiple of dim. The result is the same for any number of processors.
func KMeans(
	ctx context.Context, points []float32, dim int, p Params, progress func(done, total int64),
) (*Result, error) {
	if dim < 1 || len(points)%dim != 0 {
		panic(fmt.Sprintf("cluster: %d coordinates of points of dimension %d", len(points), dim))
	}
	n := len(points) / dim
	switch {
	case p.K < 1:
		return nil, fmt.Errorf("cluster: %d clusters, expected at least 1", p.K)
	case p.MaxIter < 1:
		return nil, fmt.Errorf("cluster: at most %d iterations, expected at least 1", p.MaxIter)
	case !(p.Tol >= 0 && p.Tol < 1):
		return nil, fmt.Errorf("cluster: tolerance %v, expected a fraction of the points in [0, 1)", p.Tol)
	case p.K > n:
		return nil, fmt.Errorf("cluster: %d clusters of %d points; expected at most one cluster a point", p.K, n)
	}
	s, err := prepare(ctx, points, dim, p.Spherical)
	if err != nil {
		return nil, err
	}
	if p.K > len(s.norm) {
		return nil, fmt.Errorf("cluster: %d clusters of %d points, of which %d are not zero; expected at most one "+
			"cluster a non-zero point", p.K, n, len(s.norm))
	}
	seeds, err := plusPlus(ctx, s, p.K, p.Seed)
	if err != nil {
		return nil, err
	}

	l := newLloyd(s, p, seeds)
	iterations := 0
	for {
		changed, err := l.assign(ctx)
		if err != nil {
			return nil, err
		}
		reseeded := l.reseed()
		iterations++
		settled := reseeded == 0 && float64(changed) <= p.Tol*float64(len(s.norm))
		if settled || iterations == p.MaxIter {
			break
		}
		if progress != nil {
			progress(int64(iterations), int64(p.MaxIter))
		}
		if err := l.update(ctx); err != nil {
			return nil, err
		}
	}
	if progress != nil {
		progress(int64(p.MaxIter), int64(p.MaxIter))
	}

	inertia, err := l.inertia(ctx)
	if err != nil {
		return nil, err
	}
	r := &Result{Centroids: s.restore(l.centroids), Iterations: iterations, Inertia: inertia}
	r.Assignment = make([]int32, n)
	for i := range r.Assignment {
		r.Assignment[i] = -1
	}
	for i, c := range l.assignment {
		r.Assignment[s.origin[i]] = c
	}
	return r, nil
}

// points are the points as they are worked on: (original − shift)·scale, zero vectors
// left out if spherical.
type points struct {
	dim    int
	data   []float32
	norm   []float32 // squared norms
	origin []int32   // index of the original
	// Euclidean points are centred, since the expansion of ‖x−c‖² loses
	// as many digits as the mean is long, and scaled by a power of two to a largest
	// coordinate near 1, since squares leave the range of float32 easily.
	shift []float64
	scale float64
}

func (s *points) row(i int) []float32 { return s.data[i*s.dim : (i+1)*s.dim] }

func prepare(ctx context.Context, original []float32, dim int, spherical bool) (*points, error) {
	n := len(original) / dim
	s := &points{dim: dim, shift: make([]float64, dim), scale: 1}
	for i := range n {
		zero := true
		for j, v := range original[i*dim:][:dim] {
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				return nil, fmt.Errorf("cluster: coordinate %d of point %d is %v, expected a finite number", j, i, v)
			}
			s.shift[j] += float64(v)
			zero = zero && v == 0
		}
		if !zero || !spherical {
			s.origin = append(s.origin, int32(i))
		}
	}
	if spherical {
		clear(s.shift)
	} else {
		largest := 0.0
		for j := range s.shift {
			s.shift[j] /= float64(n)
		}
		for i := range n {
			for j, v := range original[i*dim:][:dim] {
				largest = max(largest, math.Abs(float64(v)-s.shift[j]))
			}
		}
		_, exponent := math.Frexp(largest)
		s.scale = math.Ldexp(1, -exponent)
	}

	s.data, s.norm = make([]float32, len(s.origin)*dim), make([]float32, len(s.origin))
	err := parallel.Blocks(ctx, len(s.origin), blockSize, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			from, to := original[int(s.origin[i])*dim:][:dim], s.row(i)
			scale := s.scale
			if spherical {
				scale = 1 / norm(from)
			}
			square := 0.0
			for j, v := range from {
				to[j] = float32((float64(v) - s.shift[j]) * scale)
				square += float64(float64(to[j]) * float64(to[j]))
			}
			s.norm[i] = float32(square)
		}
		return nil
	})
	return s, err
}

// restore returns points in the original coordinates.
func (s *points) restore(data []float32) []float32 {
	out := make([]float32, len(data))
	for i, v := range data {
		out[i] = float32(float64(v)/s.scale + s.shift[i%s.dim])
	}
	return out
}

func norm(x []float32) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(float64(v) * float64(v))
	}
	return math.Sqrt(sum)
}

// distance returns ‖x−y‖².
func distance(x, y []float32) float64 {
	// Several sums at once, since one would wait for the addition before it.
	var a, b, c, d float64
	y = y[:len(x)]
	for len(x) >= 4 && len(y) >= 4 {
		e, f, g, h := float64(x[0])-float64(y[0]), float64(x[1])-float64(y[1]), float64(x[2])-float64(y[2]),
			float64(x[3])-float64(y[3])
		a += float64(e * e)
		b += float64(f * f)
		c += float64(g * g)
		d += float64(h * h)
		x, y = x[4:], y[4:]
	}
	for j, v := range x {
		e := float64(v) - float64(y[j])
		a += float64(e * e)
	}
	return (a + b) + (c + d)
}
