package poincare

import (
	"math"

	"contextmover/internal/elementary"
)

// Gaussians returns, for each of n points of so many disks (as Train makes them), the means and then the standard
// deviations of a normal distribution for each disk, n×2·disks.
//
// All disks are shifted so that the mean of the words generic and specific, by their numbers, comes to 0. They are
// turned so that the mean of the generic ones points to (0, 1), and mapped onto half-planes (s, t), t > 0, which
// keeps distances. The mean is then s/√2 and the standard deviation t, so that distances are Fisher's over √2
// [section 6 of the paper]. There has to be a generic and a specific word.
func Gaussians(points []float32, disks int, generic, specific []int) []float32 {
	n := len(points) / (2 * disks)
	to := make([]float32, len(points))
	for k := range disks {
		at := func(i int) complex128 {
			return complex(float64(points[i*2*disks+2*k]), float64(points[i*2*disks+2*k+1]))
		}
		var centre complex128
		for _, words := range [][]int{generic, specific} {
			for _, i := range words {
				centre += at(i)
			}
		}
		centre /= complex(float64(len(generic)+len(specific)), 0)
		// −centre ⊕ z, in complex numbers.
		shifted := func(i int) complex128 {
			z := at(i)
			return quotient(z-centre, 1-product(complex(real(centre), -imag(centre)), z))
		}
		var direction complex128
		for _, i := range generic {
			direction += shifted(i)
		}
		turn := complex(1, 0)
		if length := elementary.Hypot(real(direction), imag(direction)); length > 0 {
			turn = complex(imag(direction)/length, real(direction)/length)
		}
		for i := range n {
			z := product(turn, shifted(i))
			x, y := real(z), imag(z)
			below := float64(x*x) + float64((1-y)*(1-y))
			to[i*2*disks+k] = float32(2 * x / below / math.Sqrt2)
			to[i*2*disks+disks+k] = float32((1 - float64(x*x) - float64(y*y)) / below)
		}
	}
	return to
}

// IsA returns Σ ln σ of the wide distribution less that of the narrow one, both as Gaussians makes them: a hypernym is
// the broader word.
func IsA(narrow, wide []float32) float64 {
	disks := len(narrow) / 2
	sum := 0.0
	for k := range disks {
		sum += elementary.Log(float64(wide[disks+k])) - elementary.Log(float64(narrow[disks+k]))
	}
	return sum
}

// Divergence returns KL(narrow ‖ wide) ≥ 0.
func Divergence(narrow, wide []float32) float64 {
	disks := len(narrow) / 2
	sum := 0.0
	for k := range disks {
		r := float64(narrow[disks+k]) / float64(wide[disks+k])
		d := (float64(wide[k]) - float64(narrow[k])) / float64(wide[disks+k])
		sum += float64((float64(r*r) + float64(d*d) - 1 - float64(2*elementary.Log(r))) / 2)
	}
	return max(0, sum)
}

// product returns a·b and quotient a/b, rounded after each step: the compiler
// may fuse steps of complex numbers, and cannot be told where not to.
func product(a, b complex128) complex128 {
	return complex(float64(real(a)*real(b))-float64(imag(a)*imag(b)), float64(real(a)*imag(b))+float64(imag(a)*real(b)))
}

// [Smith 1962, "Algorithm 116: Complex division", CACM 5.8], as Go divides.
func quotient(a, b complex128) complex128 {
	if math.Abs(real(b)) >= math.Abs(imag(b)) {
		ratio := imag(b) / real(b)
		below := real(b) + float64(ratio*imag(b))
		return complex((real(a)+float64(imag(a)*ratio))/below, (imag(a)-float64(real(a)*ratio))/below)
	}
	ratio := real(b) / imag(b)
	below := imag(b) + float64(ratio*real(b))
	return complex((float64(real(a)*ratio)+imag(a))/below, (float64(imag(a)*ratio)-real(a))/below)
}
