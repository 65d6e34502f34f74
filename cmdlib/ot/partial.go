package ot

import (
	"context"
	"fmt"
	"math"
)

// Partial returns p with partial transport instead: mass need not move,
// for a price ρ ≥ 0 a unit on either side, in the units of the cost,
//
//	min ⟨S, M⟩ + ρ (Σ_i (a_i − Σ_j S_ij) + Σ_j (b_j − Σ_i S_ij))   over S ≥ 0, S·1 ≤ a, Sᵀ·1 ≤ b          (8)
//
// [Caffarelli, McCann 2010; Figalli 2010]. So mass moves where that costs less than 2ρ, and not where it costs more.
// It is solved as a problem with one bin more on either side, in front of the others [Chapel, Alaya, Gasso 2020]. Half
// of all mass is in these bins: they take what does not move, and give what does not arrive, for ρ. Moves between them
// cost nothing. Therefore every engine solves it, and each Result.Cost is half of (8). From ρ = ½ max M on, and
// without regularisation, all mass moves; at ρ = 0 none that costs anything does. Regularisation blurs that as it
// blurs plans: by λ in (1), mass moves for 2ρ and some λ more.
//
// It is an error if p has a border, if its pairs or rows are not valid, and if the price is negative or not finite.
// Cost and rows are copied, (K+1)² + N·(K+1) numbers.
func (p *Problem) Partial(price float64) (*Problem, error) {
	switch {
	case p.Border != nil:
		return nil, fmt.Errorf("ot: partial transport of a problem with a border, which has its place")
	case !(price >= 0) || price > math.MaxFloat32:
		return nil, fmt.Errorf("ot: the price of mass that does not move is %v, want a finite number ≥ 0", price)
	}
	if err := p.validateRows(); err != nil {
		return nil, err
	}
	rows, k := p.Normalised().Rows, p.Cost.K+1
	q := *p
	q.Cost = Cost{K: k, Data: make([]float32, 1, k*k)}
	for range k - 1 {
		q.Cost.Data = append(q.Cost.Data, float32(price))
	}
	for i := range k - 1 {
		q.Cost.Data = append(append(q.Cost.Data, float32(price)), p.Cost.Data[i*(k-1):][:k-1]...)
	}
	q.Rows = Histograms{K: k, Data: make([]float32, 0, rows.Len()*k)}
	for i := range rows.Len() {
		q.Rows.Data = append(q.Rows.Data, 0.5)
		for _, x := range rows.Row(i) {
			q.Rows.Data = append(q.Rows.Data, x/2)
		}
	}
	return &q, nil
}

// Partial is a plan of partial transport (8).
type Partial struct {
	// Cost is the value of (8), that of what moves and that of what does not.
	Cost float64
	// Moved is the mass that moves, of 1 on either side.
	Moved float64
	// Mass (K×K) is S: Mass[i*K+j] moves from source bin i to target bin j.
	Mass []float64
	// Source and Target (length K) are the mass of each bin that found no partner: what the source has and the
	// target lacks, and the reverse.
	Source, Target []float64
}

// newPartial reads the plan of a problem that Problem.Partial returned.
func newPartial(plan *Plan) *Partial {
	n := plan.Cols
	k := n - 1
	p := &Partial{
		Cost: 2 * plan.Cost, Mass: make([]float64, 0, k*k), Source: make([]float64, k), Target: make([]float64, k),
	}
	for i := range k {
		p.Source[i] = 2 * plan.Mass[(i+1)*n]
		p.Target[i] = 2 * plan.Mass[i+1]
		for _, x := range plan.Mass[(i+1)*n+1:][:k] {
			p.Mass = append(p.Mass, 2*x)
			p.Moved += float64(2 * x)
		}
	}
	return p
}

// PartialPlan returns the plan of partial transport (8) of one
// pair. Its errors are those of Problem.Partial and of the engine.
func PartialPlan(ctx context.Context, engine Engine, p *Problem, pair int, price float64) (*Partial, error) {
	q, err := p.Partial(price)
	if err != nil {
		return nil, err
	}
	plan, err := engine.Plan(ctx, q, pair)
	if err != nil {
		return nil, err
	}
	return newPartial(plan), nil
}
