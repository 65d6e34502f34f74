package gaussian

// Parameters of a word lie in blocks: the means of lanes components, then their variances. What is behind the last
// component has the mean 0 and some variance, and counts nowhere.
const lanes = 16

// blocks is the number of blocks of dim components.
func blocks(dim int) int { return (dim + lanes - 1) / lanes }

// component is the place of the mean of component k; its variance is lanes further.
func component(k int) int { return k/lanes*2*lanes + k%lanes }

// Rows of lanes numbers that a block has of what kernels write.
const (
	// terms of the energy of word and context, the factors that its logarithm is of, and both for the negative
	termRows = 4
	// gradients in mean and variance of the word, the context and the negative, and the squares of all six
	gradientRows = 12
)

// kernels are the loops over components that depend on the energy.
type kernels struct {
	// terms writes, for a word x and contexts y and z, termRows rows a block.
	terms func(x, y, z, to []float32)
	// gradients writes the gradients of E(x, y) − E(x, z), gradientRows rows a block.
	gradients func(x, y, z, to []float32)
}

// laneSums are sums of word, context and negative over the components of each lane, in the order of blocks.
type laneSums [3][lanes]float32

// all returns the sums of lanes: of halves, of halves of these, and so on.
func (s *laneSums) all() (sums [3]float64) {
	for i := range s {
		x := s[i]
		for half := lanes / 2; half > 0; half /= 2 {
			for k := range half {
				x[k] += x[half+k]
			}
		}
		sums[i] = float64(x[0])
	}
	return sums
}

// A change is what is done to a word's variances: rows of the gradient are gradientRows apart.
type change struct {
	gradient        []float32
	scale           float32
	least, greatest float32
}

// newKernels returns the kernels of an energy.
func newKernels(e Energy) (k kernels) {
	if e == KL {
		k.terms = inBlocks(termRows, func(x, y, z, to []float32, i int) {
			inverse := 1 / x[lanes+i]
			to[i], to[lanes+i] = termKL(x, y, i, inverse)
			to[2*lanes+i], to[3*lanes+i] = termKL(x, z, i, inverse)
		})
		k.gradients = gradientsOf(func(x, c []float32, i int) (d, v, vc float32) {
			inverse := 1 / x[lanes+i]
			d = float32((x[i] - c[i]) * inverse)
			v = float32(0.5 * (float32(c[lanes+i]*inverse*inverse) + float32(d*d) - inverse))
			return d, v, float32(0.5 * (1/c[lanes+i] - inverse))
		})
		return k
	}
	k.terms = inBlocks(termRows, func(x, y, z, to []float32, i int) {
		to[i], to[lanes+i] = termEL(x, y, i)
		to[2*lanes+i], to[3*lanes+i] = termEL(x, z, i)
	})
	k.gradients = gradientsOf(func(x, c []float32, i int) (d, v, vc float32) {
		inverse := 1 / (x[lanes+i] + c[lanes+i])
		d = float32((x[i] - c[i]) * inverse)
		v = float32(0.5 * (float32(d*d) - inverse))
		return d, v, v
	})
	return k
}

// inBlocks returns a function that does f for each component of each block.
func inBlocks(rows int, f func(x, y, z, to []float32, i int)) func(x, y, z, to []float32) {
	return func(x, y, z, to []float32) {
		for b := range len(x) / (2 * lanes) {
			at := 2 * lanes * b
			for i := range lanes {
				f(x[at:], y[at:], z[at:], to[b*rows*lanes:], i)
			}
		}
	}
}

func termKL(x, c []float32, i int, inverse float32) (term, factor float32) {
	d := x[i] - c[i]
	r := float32(c[lanes+i] * inverse)
	return r - 1 + float32(d*d*inverse), r
}

func termEL(x, c []float32, i int) (term, factor float32) {
	d := x[i] - c[i]
	s := x[lanes+i] + c[lanes+i]
	return d * d / s, s
}

// gradientsOf returns the kernel for the gradient of an energy: d in
// the context's mean, v in the word's variance, vc in the context's.
func gradientsOf(f func(x, c []float32, i int) (d, v, vc float32)) func(x, y, z, to []float32) {
	return inBlocks(gradientRows, func(x, y, z, to []float32, i int) {
		dy, vy, vcy := f(x, y, i)
		dz, vz, vcz := f(x, z, i)
		for row, g := range [...]float32{0 - dy + dz, 0 + vy - vz, dy, vcy, 0 - dz, 0 - vcz} {
			to[row*lanes+i], to[(gradientRows/2+row)*lanes+i] = g, float32(g*g)
		}
	})
}

// moveMean adds scale times the gradient, whose rows are gradientRows apart, to the means of x, and writes their
// squares, a row a block.
func moveMean(x, gradient []float32, scale float32, squares []float32) {
	for b := range len(x) / (2 * lanes) {
		mean, of := x[2*lanes*b:][:lanes], gradient[b*gradientRows*lanes:][:lanes]
		for i := range mean {
			mean[i] += float32(scale * of[i])
			squares[b*lanes+i] = mean[i] * mean[i]
		}
	}
}

// moveVariance adds scale times the gradient to the variances of x, and brings them within bounds.
func moveVariance(x []float32, by change) {
	for b := range len(x) / (2 * lanes) {
		variance, of := x[2*lanes*b+lanes:][:lanes], by.gradient[b*gradientRows*lanes:][:lanes]
		for i := range variance {
			variance[i] = min(max(variance[i]+float32(by.scale*of[i]), by.least), by.greatest)
		}
	}
}

// along does f for each component, with its place, its lane and what word, context and negative move along.
func along(x, y, z []float32, a, b float32, f func(k, lane int, step [3]float32)) {
	for at := 0; at < len(x); at += 2 * lanes {
		for i := range lanes {
			k := at + i
			ofContext, ofNegative := float32((x[k]-y[k])*a), float32((z[k]-x[k])*b)
			f(k, i, [3]float32{ofContext + ofNegative, ofContext, ofNegative})
		}
	}
}

// sphericalSquares writes, for each lane, the sums of squares of what means move along where distributions are
// spherical, for factors a of the word and its context and b of the word and its negative: (x−y)a + (z−x)b of the
// word, negative, (x−y)a of the context and (z−x)b of the negative.
func sphericalSquares(x, y, z []float32, a, b float32, sums *laneSums) {
	*sums = laneSums{}
	along(x, y, z, a, b, func(_, lane int, step [3]float32) {
		for of, v := range step {
			sums[of][lane] += float32(v * v)
		}
	})
}

// moveSpherical moves means along those by so much, and writes the sums of squares of means.
func moveSpherical(x, y, z []float32, a, b float32, by [3]float32, sums *laneSums) {
	*sums = laneSums{}
	by[0] = -by[0]
	along(x, y, z, a, b, func(k, lane int, step [3]float32) {
		for of, mean := range [...][]float32{x, y, z} {
			mean[k] += float32(step[of] * by[of])
			sums[of][lane] += float32(mean[k] * mean[k])
		}
	})
}

// scale multiplies the means of x.
func scale(x []float32, by float32) {
	for at := 0; at < len(x); at += 2 * lanes {
		for i := range lanes {
			x[at+i] *= by
		}
	}
}
