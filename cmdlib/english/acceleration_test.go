package english

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
)

// BenchmarkIterations counts the iterations of words, of sentences (barycenters of eight words at λ = 0.1) and of
// barycenters, plain and accelerated ones, until they have converged.
func BenchmarkIterations(b *testing.B) {
	s := open(b)
	const words, groups, members = 60, 20, 8
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(n int) ot.Histograms {
		h := ot.Histograms{K: s.Cost.K}
		for h.Len() < n {
			id := int32(rng.IntN(20_000))
			if s.Has(s.Words[id]) {
				row, err := s.Row(id)
				if err != nil {
					b.Fatal(err)
				}
				h.Data = append(h.Data, row...)
			}
		}
		return h
	}
	grouped := func(n int) *ot.BarycenterProblem {
		p := &ot.BarycenterProblem{Cost: s.Cost, Rows: draw(n * members), Offsets: []int{0}}
		for i := range n * members {
			p.Members, p.Weights = append(p.Members, int32(i)), append(p.Weights, 1./members)
			if i%members == members-1 {
				p.Offsets = append(p.Offsets, i+1)
			}
		}
		return p
	}
	report := func(b *testing.B, n int, iterations func(i int) int) {
		total, worst := 0, 0
		for i := range n {
			total, worst = total+iterations(i), max(worst, iterations(i))
		}
		b.ReportMetric(float64(total)/float64(n), "iterations")
		b.ReportMetric(float64(worst), "worst")
		b.ReportMetric(b.Elapsed().Seconds()/float64(b.N*n)*1e3, "ms/problem")
	}

	sentences := grouped(words)
	sentences.Settings = ot.Settings{Reg: 0.1, MaxIter: 100, Tol: 1e-4}
	found, err := ot.Barycenters(b.Context(), cpu.New(), sentences)
	if err != nil {
		b.Fatal(err)
	}
	kinds := []ot.Histograms{draw(words), {K: s.Cost.K}}
	for _, f := range found {
		kinds[1].Data = append(kinds[1].Data, f.Histogram...)
	}
	several := grouped(groups)
	for _, reg := range []float64{0.1, 0.05, 0.02, 0.01} {
		for _, tol := range []float64{1e-3, 1e-5} {
			for _, accelerate := range []bool{false, true} {
				settings := ot.Settings{Reg: reg, MaxIter: 10_000, Tol: tol, Accelerate: accelerate}
				for kind, name := range []string{"words", "sentences"} {
					p := &ot.Problem{Settings: settings, Cost: s.Cost, Rows: kinds[kind]}
					for i := range int32(words) {
						p.Pairs = append(p.Pairs, ot.Pair{Source: i, Target: (i + 1) % words})
					}
					b.Run(fmt.Sprintf("%s/λ=%v/%v/accelerated=%v", name, reg, tol, accelerate), func(b *testing.B) {
						var r []ot.Result
						for b.Loop() {
							if r, err = ot.Distances(b.Context(), cpu.New(), p); err != nil {
								b.Fatal(err)
							}
						}
						report(b, words, func(i int) int { return r[i].Iterations })
					})
				}
				b.Run(fmt.Sprintf("barycenters/λ=%v/%v/accelerated=%v", reg, tol, accelerate), func(b *testing.B) {
					several.Settings = settings
					var r []ot.Barycenter
					for b.Loop() {
						if r, err = ot.Barycenters(b.Context(), cpu.New(), several); err != nil {
							b.Fatal(err)
						}
					}
					report(b, groups, func(i int) int { return r[i].Iterations })
				})
			}
		}
	}
}
