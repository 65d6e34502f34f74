package cli

import (
	"fmt"
	"iter"
	"strconv"
	"strings"

	"contextmover/internal/checkpoint"
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

// Each does what is to be done of the n things in the share, and returns how many it made and how many were there.
func (f ShareFlag) Each(e *Env, thing string, n int, do checkpoint.ByNumber) (made, there int, err error) {
	for number := range f.Share.Indices(n) {
		did, err := do(e, number, e.Progress.Step(fmt.Sprintf("%s %d of %d", thing, number+1, n)))
		if err != nil {
			return made, there, err
		}
		if did {
			made++
		} else {
			there++
		}
	}
	return made, there, nil
}
