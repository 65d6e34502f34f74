package ot

import (
	"errors"
	"fmt"
	"math"
)

// MassTolerance is how far the sum of a histogram or of a group's weights may be from 1.
const MassTolerance = 1e-4

// steepest is the largest M/λ that float64 potentials can resolve to 1e-7.
const steepest = 1e9

// symmetryTolerance is how far M_ij and M_ji may differ, relative to the largest
// entry, for a cost to pass as symmetric: the rounding of a float32 computation.
const symmetryTolerance = 1e-5

// Validate checks p in O(K² + N·K + pairs) and returns an error that names the
// first fault. Rows that no pair uses are not looked at.
func (p *Problem) Validate() error {
	if err := p.validateSettings(); err != nil {
		return err
	}
	if err := p.Cost.Validate(p.Reg); err != nil {
		return err
	}
	return p.ValidatePairs()
}

func (p *Problem) validateSettings() error {
	if err := p.Settings.Validate(); err != nil {
		return err
	}
	if !(p.Penalty >= 0) || math.IsInf(p.Penalty, 1) {
		return fmt.Errorf("ot: the penalty of unbalanced transport is %v, want a finite number > 0, "+
			"or 0 for balanced transport", p.Penalty)
	}
	return nil
}

// ValidatePairs is Validate but for the entries of the cost, where those were looked at before: it takes
// O(N·K + pairs).
func (p *Problem) ValidatePairs() error {
	if err := p.validateSettings(); err != nil {
		return err
	}
	if err := p.validateRows(); err != nil {
		return err
	}
	if p.Border == nil {
		return nil
	}
	return p.Border.validate(p)
}

// validateRows checks the pairs and the rows that they use.
func (p *Problem) validateRows() error {
	if err := p.Cost.fits(p.Rows); err != nil {
		return err
	}
	n := p.Rows.Len()
	used := make([]bool, n)
	for i, pair := range p.Pairs {
		for _, row := range [2]int32{pair.Source, pair.Target} {
			if row < 0 || int(row) >= n {
				return fmt.Errorf("ot: pair %d is (%d, %d), but there are %d rows", i, pair.Source, pair.Target, n)
			}
			used[row] = true
		}
	}
	return p.Rows.validate(used)
}

func (b *Border) validate(p *Problem) error {
	if !(b.Mass >= 0 && b.Mass < 1) {
		return fmt.Errorf("ot: the border's mass is %v, want 0 ≤ m < 1", b.Mass)
	}
	if len(b.FromPoint) != len(p.Rows.Data) || len(b.ToPoint) != len(p.Rows.Data) {
		return fmt.Errorf("ot: the border has %d costs from points and %d to points, want %d each (one for every bin "+
			"of every row)",
			len(b.FromPoint), len(b.ToPoint), len(p.Rows.Data))
	}
	if len(b.Between) != len(p.Pairs) {
		return fmt.Errorf("ot: the border has %d costs between points for %d pairs", len(b.Between), len(p.Pairs))
	}
	k := p.Rows.K
	// A row is looked at once, whatever the number of pairs that use it.
	const from, to = 1, 2
	var largest float32
	seen := make([]uint8, p.Rows.Len())
	check := func(what string, costs []float32, row int32) error {
		for j, c := range costs[int(row)*k:][:k] {
			if !validCost(c) {
				return fmt.Errorf("ot: the border's cost %s %d, bin %d, is %v, want a finite number ≥ 0",
					what, row, j, c)
			}
			largest = max(largest, c)
		}
		return nil
	}
	for i, pair := range p.Pairs {
		if seen[pair.Source]&from == 0 {
			seen[pair.Source] |= from
			if err := check("from the point of row", b.FromPoint, pair.Source); err != nil {
				return err
			}
		}
		if seen[pair.Target]&to == 0 {
			seen[pair.Target] |= to
			if err := check("to the point of row", b.ToPoint, pair.Target); err != nil {
				return err
			}
		}
		if !validCost(b.Between[i]) {
			return fmt.Errorf("ot: the border's cost between the points of pair %d is %v, want a finite number ≥ 0",
				i, b.Between[i])
		}
		largest = max(largest, b.Between[i])
	}
	return validateSteepness(largest, p.Reg)
}

// Validate checks p in O(K² + N·K + members) and returns an error that names the
// first fault. Rows that no group uses are not looked at.
func (p *BarycenterProblem) Validate() error {
	if err := p.Settings.Validate(); err != nil {
		return err
	}
	if p.UntilConverged && p.Tol == 0 {
		return errors.New("ot: barycenters until they have converged need a tolerance above 0")
	}
	if err := p.Cost.fits(p.Rows); err != nil {
		return err
	}
	if err := p.Cost.ValidateReg(p.Reg); err != nil {
		return err
	}
	if len(p.Offsets) == 0 || p.Offsets[0] != 0 {
		return errors.New("ot: the offsets of the groups must start with 0")
	}
	if last := p.Offsets[len(p.Offsets)-1]; last != len(p.Members) || len(p.Weights) != len(p.Members) {
		return fmt.Errorf("ot: the offsets end at %d, but there are %d members and %d weights",
			last, len(p.Members), len(p.Weights))
	}
	n := p.Rows.Len()
	used := make([]bool, n)
	for g := range len(p.Offsets) - 1 {
		lo, hi := p.Offsets[g], p.Offsets[g+1]
		if lo >= hi || hi > len(p.Members) {
			return fmt.Errorf("ot: group %d has the members %d to %d of %d, want at least one",
				g, lo, hi, len(p.Members))
		}
		var sum float64
		for s := lo; s < hi; s++ {
			if m := p.Members[s]; m < 0 || int(m) >= n {
				return fmt.Errorf("ot: member %d of group %d is row %d, but there are %d rows", s-lo, g, m, n)
			}
			used[p.Members[s]] = true
			w := float64(p.Weights[s])
			if !(w > 0) || math.IsInf(w, 1) {
				return fmt.Errorf("ot: the weight of member %d of group %d is %v, want a positive number", s-lo, g, w)
			}
			sum += w
		}
		if math.Abs(sum-1) > MassTolerance {
			return fmt.Errorf("ot: the weights of group %d sum to %v, want 1", g, sum)
		}
	}
	if err := p.Rows.validate(used); err != nil {
		return err
	}
	if p.Debiased && p.UnweightedStart {
		return errors.New("ot: a debiased barycenter has no first step that could be unweighted: choose one of the two")
	}
	if p.Debiased {
		return p.Cost.validateSymmetry("debiased barycenters need")
	}
	return nil
}

// Validate returns an error for a setting out of its range.
func (s Settings) Validate() error {
	switch {
	case !(s.Reg > 0) || math.IsInf(s.Reg, 1):
		return fmt.Errorf("ot: the regularisation is %v, want a positive number", s.Reg)
	case s.MaxIter < 1:
		return fmt.Errorf("ot: the maximal number of iterations is %d, want at least 1", s.MaxIter)
	case !(s.Tol >= 0) || math.IsInf(s.Tol, 1):
		return fmt.Errorf("ot: the tolerance is %v, want a number ≥ 0", s.Tol)
	}
	return nil
}

func validCost(c float32) bool { return c >= 0 && c <= math.MaxFloat32 }

// Validate returns an error if the cost is not K×K, and those of ValidateReg.
func (c Cost) Validate(reg float64) error {
	if err := c.square(); err != nil {
		return err
	}
	return c.ValidateReg(reg)
}

func (c Cost) square() error {
	switch {
	case c.K < 1:
		return fmt.Errorf("ot: the cost has %d bins, want at least 1", c.K)
	case len(c.Data) != c.K*c.K:
		return fmt.Errorf("ot: the cost has %d entries, want %d×%d", len(c.Data), c.K, c.K)
	}
	return nil
}

// fits returns an error if c and the rows have other sizes than K.
func (c Cost) fits(rows Histograms) error {
	if err := c.square(); err != nil {
		return err
	}
	switch {
	case rows.K != c.K:
		return fmt.Errorf("ot: the histograms have %d bins, the cost %d", rows.K, c.K)
	case len(rows.Data)%rows.K != 0:
		return fmt.Errorf("ot: the histograms have %d entries, not a multiple of %d bins", len(rows.Data), rows.K)
	}
	return nil
}

// ValidateReg returns an error if an entry of the cost is not a finite number ≥ 0,
// or if the regularisation reg is below 1e-9 of the largest one: see Settings.Reg.
func (c Cost) ValidateReg(reg float64) error {
	var largest float32
	for i, x := range c.Data {
		if !validCost(x) {
			return fmt.Errorf("ot: the cost from bin %d to bin %d is %v, want a finite number ≥ 0", i/c.K, i%c.K, x)
		}
		if x > largest { // faster than max, which looks for NaN
			largest = x
		}
	}
	return validateSteepness(largest, reg)
}

func validateSteepness(largest float32, reg float64) error {
	if float64(largest)/reg > steepest {
		return fmt.Errorf("ot: the regularisation %v is less than 1e-9 of the largest cost %v; solve such problems "+
			"exactly", reg, largest)
	}
	return nil
}

// ErrAsymmetric is what the error of debiased barycenters and Sinkhorn
// divergences is whose cost is not symmetric: what they need.
var ErrAsymmetric = errors.New("a symmetric cost")

// validateSymmetry returns an error that begins with what needs a symmetric cost.
func (c Cost) validateSymmetry(what string) error {
	var largest float32
	for _, x := range c.Data {
		largest = max(largest, x)
	}
	for i := range c.K {
		for j := range i {
			x, y := c.Data[i*c.K+j], c.Data[j*c.K+i]
			if math.Abs(float64(x)-float64(y)) > symmetryTolerance*float64(largest) {
				return fmt.Errorf("ot: %s %w, but it is %v from bin %d to bin %d and %v back",
					what, ErrAsymmetric, x, i, j, y)
			}
		}
	}
	return nil
}

// validate checks the rows in use.
func (h Histograms) validate(used []bool) error {
	for i, ok := range used {
		if !ok {
			continue
		}
		var sum float64
		for j, x := range h.Row(i) {
			if !(x >= 0) || math.IsInf(float64(x), 1) {
				return fmt.Errorf("ot: bin %d of row %d is %v, want a finite number ≥ 0", j, i, x)
			}
			sum += float64(x)
		}
		if sum == 0 {
			return fmt.Errorf("ot: row %d is all 0, want a histogram of sum 1: take the row out", i)
		}
		if math.Abs(sum-1) > MassTolerance {
			return fmt.Errorf("ot: row %d sums to %.6g, want 1 within 1e-4, in unbalanced transport too: "+
				"divide the row by its sum", i, sum)
		}
	}
	return nil
}

// CheckPair returns an error if there is no pair with this index.
func (p *Problem) CheckPair(pair int) error {
	if pair < 0 || pair >= len(p.Pairs) {
		return fmt.Errorf("ot: there is no pair %d among %d", pair, len(p.Pairs))
	}
	return nil
}
