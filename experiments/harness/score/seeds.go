package score

// WithSeeds returns bootstrap draws that contain how far a number moves with the seed of what
// is random in its making, such as k-means:
//
//	out[d] = draws[d] + v[s(d)] − value,  v = (value, seeds[0], …, seeds[n−1]),  s(d) = d mod (n+1)
//
// draws are those of the first seed, around value; seeds are the values of the same number with n further seeds. So
// the draws are of value over items plus the seed's own shift, as if the two added up, and their centre is the mean
// over all n+1 seeds. s(d) depends on d alone. So two numbers made with the same seeds have the same seed in draw d,
// and what it does to both cancels in their difference.
//
// Without seeds it is a copy of draws. A draw that is NaN stays NaN.
func WithSeeds(draws []float64, value float64, seeds []float64) []float64 {
	out := make([]float64, len(draws))
	for d, x := range draws {
		if s := d % (len(seeds) + 1); s > 0 {
			x += seeds[s-1] - value
		}
		out[d] = x
	}
	return out
}
