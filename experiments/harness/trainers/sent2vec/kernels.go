package sent2vec

// lanes is what the length of all vectors is a multiple of.
const lanes = 32

// The fastest kernels of the processor: addScaled adds a·x to y, dot returns x·y, and both fetch ahead, which is as
// long, into the cache.
var addScaled, dot = addScaledPortable, dotPortable

func addScaledPortable(y, x []float32, a float32, _ []float32) {
	for k, v := range x[:len(y)] {
		y[k] += float32(a * v)
	}
}

func dotPortable(x, y, _ []float32) float32 {
	var sums [lanes]float32
	for at := 0; at < len(x); at += lanes {
		v, w := (*[lanes]float32)(x[at:]), (*[lanes]float32)(y[at:])
		for k := range sums {
			sums[k] += float32(v[k] * w[k])
		}
	}
	var sum float32
	for _, s := range sums {
		sum += s
	}
	return sum
}
