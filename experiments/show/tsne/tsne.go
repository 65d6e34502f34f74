// Package tsne draws maps of high-dimensional points by exact t-distributed
// stochastic neighbour embedding [van der Maaten and Hinton 2008].
//
// With the Gaussian affinities p_ij of the points, whose widths give every point the
// same perplexity, and y_i their places on the map, it minimises
//
//	KL(P‖Q) = Σ_{i≠j} p_ij ln(p_ij/q_ij),  q_ij = (1+‖y_i−y_j‖²)⁻¹ / Σ_{k≠l} (1+‖y_k−y_l‖²)⁻¹
//
// by gradient descent with momentum, gains and early exaggeration. Each iteration
// takes O(n²) time, which is right for the few hundred centroids of contexts.
package tsne

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"contextmover/internal/elementary"
)

// Params are the parameters of a map.
type Params struct {
	// Perplexity is the effective number of neighbours, above 1; 30 is usual. Of n
	// points at most (n−1)/3 is used.
	Perplexity float64
	// Iterations is the number of steps of gradient descent, at least 1. The first
	// 250 (or a quarter, if that is less) exaggerate the affinities.
	Iterations int
	// Seed is that of the noise which separates equal points, a ten-thousandth of the
	// start's size.
	Seed uint64
}

const (
	exaggeration = 12   // of early affinities [van der Maaten 2014]
	startSize    = 1e-4 // standard deviation of the start along its first axis
)

// Embed maps n points, the rows of points (n×dim), to the plane; it returns where they lie, n×2 in row-major order,
// centred. It starts from their first two principal components, so that the map depends on the points and
// hardly on the seed: the same arguments give the same bits.
//
// It returns an error for fewer than two points, and when ctx ends.
func Embed(
	ctx context.Context, points []float32, n, dim int, p Params, progress func(done, total int64),
) ([]float64, error) {
	if n < 2 || dim < 1 {
		return nil, fmt.Errorf("tsne: %d points of dimension %d, expected at least two points", n, dim)
	}
	y, err := start(points, n, dim, p.Seed)
	if err != nil {
		return nil, err
	}
	squares, err := distances(ctx, points, n, dim)
	if err != nil {
		return nil, err
	}
	affinity, err := affinities(ctx, squares, n, min(p.Perplexity, max(1, float64(n-1)/3)))
	if err != nil {
		return nil, err
	}
	if err := descend(ctx, y, affinity, n, p.Iterations, progress); err != nil {
		return nil, err
	}
	return y, nil
}

// start returns the first two principal components, scaled, with a little noise.
func start(points []float32, n, dim int, seed uint64) ([]float64, error) {
	centred := mat.NewDense(n, dim, nil)
	for d := range dim {
		var mean float64
		for i := range n {
			mean += float64(points[i*dim+d])
		}
		mean /= float64(n)
		for i := range n {
			centred.Set(i, d, float64(points[i*dim+d])-mean)
		}
	}
	y := make([]float64, 2*n)
	var svd mat.SVD
	if !svd.Factorize(centred, mat.SVDThin) {
		return nil, fmt.Errorf("tsne: the principal components of the points were not found")
	}
	var u mat.Dense
	svd.UTo(&u)
	values := svd.Values(nil)
	scale := 0.0
	if values[0] > 0 {
		scale = startSize * math.Sqrt(float64(n)) / values[0]
	}
	random := rand.New(rand.NewPCG(seed, 0))
	for axis := range 2 {
		column, value := make([]float64, n), 0.0
		if axis < len(values) {
			column, value = mat.Col(column, axis, &u), values[axis]
		}
		// The sign of a component is arbitrary: its largest entry is positive.
		sign, largest := 1.0, 0.0
		for _, v := range column {
			if math.Abs(v) > largest*(1+1e-9) {
				largest, sign = math.Abs(v), math.Copysign(1, v)
			}
		}
		for i, v := range column {
			y[2*i+axis] = float64(sign*scale*(v*value)) + float64(1e-4*startSize*random.NormFloat64())
		}
	}
	return y, nil
}

// distances returns the n×n squared distances.
func distances(ctx context.Context, points []float32, n, dim int) ([]float64, error) {
	d := make([]float64, n*n)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		x := points[i*dim:][:dim]
		for j := range i {
			var sum float64
			for k, z := range points[j*dim:][:dim] {
				t := float64(x[k]) - float64(z)
				sum += float64(t * t)
			}
			d[i*n+j], d[j*n+i] = sum, sum
		}
	}
	return d, nil
}

// affinities returns the symmetric p_ij, which sum to 1, of squared distances.
func affinities(ctx context.Context, d []float64, n int, perplexity float64) ([]float64, error) {
	conditional := make([]float64, n*n)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		gaussian(conditional[i*n:][:n], d[i*n:][:n], i, perplexity)
	}
	p := make([]float64, n*n)
	for i := range n {
		for j := range i {
			v := (conditional[i*n+j] + conditional[j*n+i]) / float64(2*n)
			p[i*n+j], p[j*n+i] = v, v
		}
	}
	return p, nil
}

// gaussian sets p to the affinities exp(−β d_j), normalised, of point i to the
// others, with β such that their entropy is ln perplexity.
func gaussian(p, d []float64, i int, perplexity float64) {
	nearest, mean := math.Inf(1), 0.0
	for j, v := range d {
		if j != i {
			nearest = min(nearest, v)
			mean += v / float64(len(d)-1)
		}
	}
	target := elementary.Log(perplexity)
	beta, low, high := 1.0, 0.0, math.Inf(1)
	if mean > nearest {
		beta = 1 / (mean - nearest)
	}
	for range 200 {
		var sum, energy float64
		for j, v := range d {
			if j == i {
				p[j] = 0
				continue
			}
			p[j] = elementary.Exp(-beta * (v - nearest))
			sum += p[j]
			energy += float64(p[j] * (v - nearest))
		}
		for j := range p {
			p[j] /= sum
		}
		switch excess := elementary.Log(sum) + beta*energy/sum - target; {
		case math.Abs(excess) < 1e-7:
			return
		case excess > 0:
			low = beta
		default:
			high = beta
		}
		if math.IsInf(high, 1) {
			beta *= 2
		} else {
			beta = (low + high) / 2
		}
		if math.IsInf(beta, 1) || beta == 0 {
			return // more equal nearest points than the perplexity
		}
	}
}

// descend moves the map y down the gradient
//
//	∂KL/∂y_i = 4 Σ_j (p_ij − q_ij)(y_i − y_j)(1 + ‖y_i−y_j‖²)⁻¹
func descend(ctx context.Context, y, p []float64, n, iterations int, progress func(done, total int64)) error {
	early := min(250, iterations/4)
	rate := max(float64(n)/exaggeration/4, 50) // [Belkina et al. 2019], as scikit-learn has it
	kernel := make([]float64, n*n)
	gradient, velocity, gain := make([]float64, 2*n), make([]float64, 2*n), make([]float64, 2*n)
	for i := range gain {
		gain[i] = 1
	}
	for t := range iterations {
		if err := ctx.Err(); err != nil {
			return err
		}
		factor, momentum := 1.0, 0.8
		if t < early {
			factor, momentum = exaggeration, 0.5
		}
		sum := studentKernel(kernel, y, n)
		clear(gradient)
		for i := range n {
			var gx, gy float64
			xi, yi := y[2*i], y[2*i+1]
			for j := range i {
				w := kernel[i*n+j]
				f := 4 * (float64(factor*p[i*n+j]) - w/sum) * w
				dx, dy := float64(f*(xi-y[2*j])), float64(f*(yi-y[2*j+1]))
				gx += dx
				gy += dy
				gradient[2*j] -= dx
				gradient[2*j+1] -= dy
			}
			gradient[2*i] += gx
			gradient[2*i+1] += gy
		}
		for i, g := range gradient {
			if (g > 0) != (velocity[i] > 0) {
				gain[i] += 0.2
			} else {
				gain[i] = max(0.01, 0.8*gain[i])
			}
			velocity[i] = float64(momentum*velocity[i]) - float64(rate*gain[i]*g)
			y[i] += velocity[i]
		}
		centre(y, n)
		if progress != nil {
			progress(int64(t+1), int64(iterations))
		}
	}
	return nil
}

// studentKernel sets the lower triangle of kernel to (1+‖y_i−y_j‖²)⁻¹ and returns
// the sum over all i ≠ j.
func studentKernel(kernel, y []float64, n int) (sum float64) {
	for i := range n {
		xi, yi := y[2*i], y[2*i+1]
		row := kernel[i*n:][:i]
		for j := range row {
			dx, dy := xi-y[2*j], yi-y[2*j+1]
			row[j] = 1 / (1 + float64(dx*dx) + float64(dy*dy))
			sum += row[j]
		}
	}
	return 2 * sum
}

func centre(y []float64, n int) {
	for axis := range 2 {
		var mean float64
		for i := range n {
			mean += y[2*i+axis] / float64(n)
		}
		for i := range n {
			y[2*i+axis] -= mean
		}
	}
}
