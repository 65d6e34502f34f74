package cmdlib

import (
	"context"
	"fmt"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/exact"
)

// Overlap tells what two words or texts have in common, and what each has
// that the other lacks: partial transport of their contexts, with names.
type Overlap struct {
	From Side `json:"from"`
	To   Side `json:"to"`
	// Price is ρ: mass has a partner where it can move to one for at most 2ρ, in the units of the ground cost.
	Price float64 `json:"price"`
	// Partial is the plan between the bins; Moved is the mass that found a partner, of 1 on either side.
	*ot.Partial `json:"-"`
	// Flows are the entries of the plan with most mass, Lacks the contexts of From with most mass that found no
	// partner in To, and Adds those of To that found none in From, largest first. Mass of these contexts is what is
	// left.
	Flows []Flow    `json:"flows"`
	Lacks []Context `json:"lacks"`
	Adds  []Context `json:"adds"`
}

// Overlap returns the partial transport from one word or text to another, with n flows and n contexts of each side. ρ
// > 0 is the price of mass that does not move (ot.Problem.Partial). It is exact, without regularisation, so that mass
// has a partner or has none. ρ at half of the largest ground cost moves all there is. Its errors are those of Explain
// and, for a price, of ot.Problem.Partial.
func (s *Space) Overlap(ctx context.Context, from, to string, price float64, n int) (*Overlap, error) {
	if n < 1 {
		return nil, fmt.Errorf("cmdlib: %d contexts are asked for, expected at least 1", n)
	}
	both, err := s.compared(ctx, s.read(from), s.read(to))
	if err != nil {
		return nil, err
	}
	plan, err := ot.PartialPlan(ctx, exact.New(), s.moving(both[0].Histogram, both[1].Histogram), 0, price)
	if err != nil {
		return nil, err
	}
	o := &Overlap{From: both[0].side(from), To: both[1].side(to), Price: price, Partial: plan}
	d := describer{Space: s, names: map[int][]string{}}
	left := func(side *Side, mass []float64) (contexts []Context) {
		for _, bin := range d.largest(s.Cost.K, n, func(i int) float64 { return mass[i] }) {
			c := d.describe(side, bin)
			c.Mass = mass[bin]
			contexts = append(contexts, c)
		}
		return contexts
	}
	o.Lacks, o.Adds = left(&o.From, plan.Source), left(&o.To, plan.Target)
	o.Flows = d.flows(plan.Mass, &o.From, &o.To, n, plan.Mass)
	return o, d.damaged
}
