//go:build (amd64 || arm64) && !noasm

package pairwise

// assembled is a kernel in assembly, for panels of at least n numbers a vector.
func assembled(add func(s *sums, x, y *float32, n int)) kernel {
	return func(s *sums, x, y []float32, n int) {
		_, _ = x[n*xPanel-1], y[n*yPanel-1]
		add(s, &x[0], &y[0], n)
	}
}
