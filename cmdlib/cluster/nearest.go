package cluster

import (
	"contextmover/cmdlib/internal/gemm"
)

const (
	// blockSize is the number of points that one call of a parallel loop handles.
	blockSize = 1024
	// batchSize is the number of points that are multiplied by all centroids at once.
	batchSize = 64
)

// centres are centroids, laid out for the product with many points.
type centres struct {
	dim, k int
	packed *gemm.Packed[float32]
	half   []float32 // −‖c‖²/2, as many as the product has columns
	stride int       // of scratch memory: the longer of a point and a row of products
}

// newCentres lays out k×dim centroids.
func newCentres(data []float32, dim int) *centres {
	k := len(data) / dim
	c := &centres{dim: dim, k: k}
	c.packed = gemm.Pack(gemm.Matrix[float32]{Rows: dim, Cols: k, Stride: dim, Data: data, Transposed: true}, 0)
	c.stride = max(dim, c.packed.Padded)
	c.half = make([]float32, c.packed.Padded)
	for i := range k {
		length := norm(data[i*dim:][:dim])
		c.half[i] = float32(-length * length / 2)
	}
	return c
}

// batch collects points and multiplies them by all centroids. It belongs to one
// goroutine.
type batch struct {
	*centres
	points  []int32
	in, out []float32
}

func (c *centres) newBatch() *batch {
	return &batch{
		centres: c, points: make([]int32, 0, batchSize), in: make([]float32, batchSize*c.stride),
		out: make([]float32, batchSize*c.stride),
	}
}

// add takes point i, and tells whether the batch is full then.
func (b *batch) add(s *points, i int) bool {
	at := len(b.points) * b.stride
	copy(b.in[at:], s.row(i))
	copy(b.out[at:], b.half)
	b.points = append(b.points, int32(i))
	return len(b.points) == batchSize
}

// flush calls f for each point x with x·c − ‖c‖²/2 for each centroid c, that is,
// (‖x‖² − ‖x−c‖²)/2, and empties the batch.
func (b *batch) flush(f func(i int, nearness []float32)) {
	if len(b.points) > 0 {
		b.packed.MultiplyAdd(b.out, b.in, len(b.points), b.stride)
	}
	for r, i := range b.points {
		f(int(i), b.out[r*b.stride:][:b.k])
	}
	b.points = b.points[:0]
}
