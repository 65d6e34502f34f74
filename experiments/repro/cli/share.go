package cli

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// Share is one of the equal shares in which the processes of a job array do
// what there is to do: the I-th of N, from 1. The zero value is all of it.
type Share struct{ I, N int }

// ShareFlag chooses a share.
type ShareFlag struct {
	Share Share `placeholder:"I/N" help:"Do only share I of N, counted from 1, as in a job array (default: all)."`
}

// UnmarshalText reads I/N.
func (s *Share) UnmarshalText(text []byte) error {
	first, second, _ := strings.Cut(string(text), "/")
	i, errI := strconv.Atoi(first)
	n, errN := strconv.Atoi(second)
	if errI != nil || errN != nil || i < 1 || i > n {
		return fmt.Errorf("expected a share such as 1/8, the first of eight, or 8/8, the last, but got %q", text)
	}
	s.I, s.N = i, n
	return nil
}

// Indices returns those of the numbers from 0 to n−1 that are in the share: every N-th.
func (s Share) Indices(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := max(s.I, 1) - 1; i < n; i += max(s.N, 1) {
			if !yield(i) {
				return
			}
		}
	}
}
