// Package density estimates densities of weighted points in the plane, and finds the
// regions that hold a given share of the mass and their outlines.
//
// The density of points x_i with weights w_i at bandwidth h is
//
//	f(x) = Σ_i w_i/Σ_j w_j · exp(−‖x−x_i‖²/(2h²)) / (2πh²)
//
// [Silverman 1986, section 4.2].
package density

import (
	"cmp"
	"context"
	"math"
	"slices"

	"contextmover/internal/elementary"
)

// Grid holds values at NX×NY nodes: Z[j*NX+i] at (X+i·Step, Y+j·Step).
type Grid struct {
	X, Y, Step float64
	NX, NY     int
	Z          []float64
}

// Around returns an empty grid over the points (n×2) and a margin around them, with
// the given number of nodes along its longer side.
func Around(points []float64, margin float64, nodes int) *Grid {
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for i, v := range points {
		low[i%2], high[i%2] = min(low[i%2], v), max(high[i%2], v)
	}
	width, height := high[0]-low[0]+float64(2*margin), high[1]-low[1]+float64(2*margin)
	g := &Grid{X: low[0] - margin, Y: low[1] - margin, Step: max(width, height) / float64(nodes-1)}
	g.NX, g.NY = 1+int(math.Ceil(width/g.Step-1e-9)), 1+int(math.Ceil(height/g.Step-1e-9))
	return g
}

// Bandwidth returns Scott's rule for n equally weighted points in the plane,
// σ·n^(−1/6), with σ² the mean of the variances of the two coordinates; 0 if all
// points are equal.
func Bandwidth(points []float64) float64 {
	n := float64(len(points) / 2)
	var variance float64
	for axis := range 2 {
		var sum, squares float64
		for i := axis; i < len(points); i += 2 {
			sum += points[i] / n
		}
		for i := axis; i < len(points); i += 2 {
			squares += float64((points[i] - sum) * (points[i] - sum))
		}
		variance += float64(squares / n / 2)
	}
	return math.Sqrt(variance) * elementary.Pow(n, -1.0/6)
}

// Estimate returns the density of the points (n×2) with the given weights on the
// nodes of a grid; those of frame say where they are. The bandwidth and a weight must be above 0.
//
// It returns an error when ctx ends.
func Estimate(ctx context.Context, frame *Grid, points, weights []float64, bandwidth float64) (*Grid, error) {
	var total float64
	for _, w := range weights {
		total += w
	}
	g := &Grid{
		X: frame.X, Y: frame.Y, Step: frame.Step, NX: frame.NX, NY: frame.NY, Z: make([]float64, frame.NX*frame.NY),
	}
	// The kernel of a point is the product of one along each axis.
	along := make([]float64, g.NX)
	for p, w := range weights {
		if w == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i := range along {
			t := (g.X + float64(float64(i)*g.Step) - points[2*p]) / bandwidth
			along[i] = elementary.Exp(-t*t/2) * w / (total * 2 * math.Pi * bandwidth * bandwidth)
		}
		for j := range g.NY {
			t := (g.Y + float64(float64(j)*g.Step) - points[2*p+1]) / bandwidth
			across := elementary.Exp(-t * t / 2)
			for i, a := range along {
				g.Z[j*g.NX+i] += float64(across * a)
			}
		}
	}
	return g, nil
}

// Level returns the height whose region {f ≥ height} holds the given share of the grid's mass. It is the greatest
// value of a node for which the nodes with at least this value hold it.
func (g *Grid) Level(mass float64) float64 {
	z := slices.Clone(g.Z)
	slices.SortFunc(z, func(a, b float64) int { return cmp.Compare(b, a) })
	var total, sum float64
	for _, v := range z {
		total += v
	}
	for _, v := range z {
		if sum += v; sum >= mass*total {
			return v
		}
	}
	return z[len(z)-1] // the sum was rounded
}

// Point is a place in the plane.
type Point struct{ X, Y float64 }

// Contours returns the outlines of the region {f ≥ level}, by marching squares with linear interpolation. They are
// closed rings (the last point is not repeated) that have the region on their left, so that holes turn the other way.
// Outside the grid, f counts as 0, so that the level must be above that.
func (g *Grid) Contours(level float64) [][]Point {
	// Nodes (i, j) with −1 ≤ i ≤ NX, those beyond the grid being 0.
	at := func(i, j int) float64 {
		if i < 0 || j < 0 || i >= g.NX || j >= g.NY {
			return 0
		}
		return g.Z[j*g.NX+i]
	}
	// An edge starts at a node and leads right (0) or up (1). The outline leaves each
	// edge that it crosses once: next[e] is the edge that follows.
	type edge struct{ i, j, up int }
	next := make(map[edge]edge)
	var order []edge
	for j := -1; j < g.NY; j++ {
		for i := -1; i < g.NX; i++ {
			// The corners of a square and, from each to the next, its edges.
			corners := [4]float64{at(i, j), at(i+1, j), at(i+1, j+1), at(i, j+1)}
			edges := [4]edge{{i, j, 0}, {i + 1, j, 1}, {i, j + 1, 0}, {i, j, 1}}
			inside := func(k int) bool { return corners[k%4] >= level }
			// Where opposite corners are inside, the middle says whether the region connects them.
			step := 3
			if (corners[0]+corners[1]+corners[2]+corners[3])/4 >= level {
				step = 1
			}
			for k, from := range edges {
				if !inside(k) || inside(k+1) {
					continue
				}
				to := k + step
				for inside(to) || !inside(to+1) {
					to += step
				}
				next[from] = edges[to%4]
				order = append(order, from)
			}
		}
	}
	place := func(e edge) Point {
		z0, z1 := at(e.i, e.j), at(e.i+1-e.up, e.j+e.up)
		t := (level - z0) / (z1 - z0)
		p := Point{g.X + float64(float64(e.i)*g.Step), g.Y + float64(float64(e.j)*g.Step)}
		if e.up == 1 {
			p.Y += float64(t * g.Step)
		} else {
			p.X += float64(t * g.Step)
		}
		return p
	}
	var rings [][]Point
	for _, first := range order {
		var ring []Point
		for e := first; ; {
			to, ok := next[e]
			if !ok {
				break
			}
			delete(next, e)
			ring = append(ring, place(e))
			e = to
		}
		if ring != nil {
			rings = append(rings, ring)
		}
	}
	return rings
}
