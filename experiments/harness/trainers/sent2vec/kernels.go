package sent2vec

// lanes is what the length of all vectors is a multiple of.
const lanes = 32

// addScaledPortable adds a·x to y.
func addScaledPortable(y, x []float32, a float32) {
	for k, v := range x[:len(y)] {
		y[k] += float32(a * v)
	}
}

// dotPortable returns x·y.
func dotPortable(x, y []float32) float32 {
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
