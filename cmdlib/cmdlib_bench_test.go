package cmdlib

import (
	"testing"

	"contextmover/cmdlib/ot/cpu"
)

// BenchmarkNeighbours compares a sentence with all words, 300 bins and 100
// iterations each.
func BenchmarkNeighbours(b *testing.B) {
	c := contents(b, 5000, 300, 20)
	c.Settings.Transport.MaxIter = 100
	s, err := Open(write(b, c), cpu.New())
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for b.Loop() {
		if _, err := s.Neighbours(b.Context(), "rock music", 10); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(s.Words)*b.N)/b.Elapsed().Seconds(), "words/s")
}

// BenchmarkDistance asks for one distance at a time, 300 bins and 100 iterations each.
func BenchmarkDistance(b *testing.B) {
	c := contents(b, 5000, 300, 20)
	c.Settings.Transport.MaxIter = 100
	s, err := Open(write(b, c), cpu.New())
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for b.Loop() {
		if _, err := s.Compare(b.Context(), "rock", "music"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSimilar(b *testing.B) {
	s, err := Open(write(b, contents(b, 100000, 4, 4)), cpu.New())
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for b.Loop() {
		s.similar("elefant", 3)
	}
}

func BenchmarkOpen(b *testing.B) {
	dir := write(b, contents(b, 100000, 300, 4))
	for b.Loop() {
		s, err := Open(dir, cpu.New())
		if err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}
