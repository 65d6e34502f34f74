package nearest

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
)

// Whatever the bounds are, as long as they are bounds, the result is that of sorting all; and good bounds spare most.
func TestSearch(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, quality := range []float64{0, 0.5, 0.99} {
		for _, n := range []int{1, 7, 500, 1000} {
			distances := make([]float64, 700)
			var list, all []Candidate[struct{}]
			for i := range distances {
				distances[i] = float64(random.IntN(300)) // some are equal
				list = append(list, Candidate[struct{}]{Position: int64(i), Value: quality * random.Float64() * distances[i]})
				all = append(all, Candidate[struct{}]{Position: int64(i), Value: distances[i]})
			}
			solved := 0
			s := Search[struct{}]{N: n, First: 8, Most: 64, Limit: func(nth float64) float64 { return nth }}
			s.Refine = func(_ context.Context, list []Candidate[struct{}], limit float64) error {
				for i := range list {
					if c := &list[i]; c.Value <= limit {
						c.Value = max(c.Value, quality*distances[c.Position])
					}
				}
				return nil
			}
			s.Solve = func(_ context.Context, list []Candidate[struct{}]) ([]Candidate[struct{}], error) {
				list = slices.Clone(list)
				for i := range list {
					list[i].Value = distances[list[i].Position]
				}
				solved += len(list)
				return list, nil
			}
			for part := range slices.Chunk(list, 300) {
				if err := s.Run(t.Context(), part); err != nil {
					t.Fatal(err)
				}
			}
			slices.SortFunc(all, order)
			if want := all[:min(n, len(all))]; !slices.Equal(s.Nearest, want) {
				t.Errorf("bounds of %v, %d nearest: %v, want %v", quality, n, s.Nearest, want)
			}
			if quality > 0.9 && n == 1 && solved > 50 {
				t.Errorf("%d solved of 700", solved)
			}
		}
	}
}
