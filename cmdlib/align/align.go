// Package align links the words of two sentences that mean the same: monolingual word alignment by optimal transport.
//
// A cost says how unlike two words are. An Aligner moves the words of one sentence onto those of the other at that
// cost, and links words between which enough moves [Arase, Bao, Yokoi 2023]. Mutual and Assignment link words by the
// same costs without a plan, Identical by nothing but their letters.
package align

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/exact"
)

// Link says that two words, by their positions from 0, mean the same.
type Link struct{ Source, Target int }

// Kind is a kind of transport between words.
type Kind string

const (
	// Balanced moves all of each word; every word of a sentence has the same share of it.
	Balanced Kind = "balanced"
	// Partial moves a word or leaves it, for the price ρ a word on either side: two words are moved onto one another
	// where that costs less than 2ρ. Every word of either sentence has the same mass. Without regularisation it is the
	// assignment of Assignment.
	Partial Kind = "partial"
	// Unbalanced lets what is moved differ from the shares of Balanced, for the penalty ρ of ot.Problem.
	Unbalanced Kind = "unbalanced"
)

// Kinds returns all kinds.
func Kinds() []Kind { return []Kind{Balanced, Partial, Unbalanced} }

// Aligner links words by a transport plan between them.
type Aligner struct {
	Kind   Kind
	Engine ot.Engine
	// Settings are those of the iterations; λ is in the units of the cost.
	ot.Settings
	// Price is ρ > 0 of partial and unbalanced transport, in the units of the cost; 0 for Balanced.
	Price float64
	// Threshold is the least strength of a link, in [0, 1].
	Threshold float64
}

// Validate returns an error for a setting that is out of its range.
func (a Aligner) Validate() error {
	switch {
	case !slices.Contains(Kinds(), a.Kind):
		return fmt.Errorf("align: the kind %q, want one of %v", a.Kind, Kinds())
	case a.Engine == nil:
		return errors.New("align: no engine, want one of the packages of cmdlib/ot")
	case a.Kind == Balanced && a.Price != 0:
		return fmt.Errorf("align: the price %v of balanced transport, which leaves nothing: want 0", a.Price)
	case a.Kind != Balanced && !(a.Price > 0 && a.Price <= math.MaxFloat32):
		return fmt.Errorf("align: the price %v of %s transport, want a finite number above 0", a.Price, a.Kind)
	case !(a.Threshold >= 0 && a.Threshold <= 1):
		return fmt.Errorf("align: the threshold %v, want a number from 0 to 1", a.Threshold)
	}
	return nil
}

// Align returns the links of at least the threshold's strength, in the order of Source and then of Target.
// See Strengths.
func (a Aligner) Align(ctx context.Context, n, m int, cost []float64) ([]Link, error) {
	strength, err := a.Strengths(ctx, n, m, cost)
	if err != nil {
		return nil, err
	}
	return Above(strength, m, a.Threshold), nil
}

// Strengths returns how strongly the n words of one sentence are linked to the m of another, n×m in row-major order as
// the cost, which is ≥ 0 and finite. With the plan T between words of the masses a and b it is
//
//	T_ij / min(a_i, b_j)    balanced, partial: the share of a word that moves onto the other
//	T_ij / √(a_i b_j)       unbalanced, where sums are not those of a and b
//
// 1 is what two words have that cost nothing, where nothing else does either and λ is small. Rounding aside it is in
// [0, 1]; of unbalanced transport it may be a little more. A sentence without words has no links.
func (a Aligner) Strengths(ctx context.Context, n, m int, cost []float64) ([]float64, error) {
	if err := a.Validate(); err != nil {
		return nil, err
	}
	if err := check(n, m, cost); err != nil || n == 0 || m == 0 {
		return nil, err
	}
	if a.Kind == Partial {
		return a.partial(ctx, n, m, cost)
	}
	r := &ot.Rectangle{Source: shares(n), Target: shares(m), Cost: cost}
	b := &ot.Batch{Settings: a.Settings}
	unit := min(r.Source[0], r.Target[0])
	if a.Kind == Unbalanced {
		b.Penalty, unit = a.Price, math.Sqrt(r.Source[0]*r.Target[0])
	}
	mass, err := plan(ctx, a.Engine, b, r)
	if err != nil {
		return nil, err
	}
	for i := range mass {
		mass[i] /= unit
	}
	return mass, nil
}

// partial has a point next to the words of each side, as ot.Problem.Partial, but of as much mass as the other side's
// words: so all words weigh the same however many a sentence has.
func (a Aligner) partial(ctx context.Context, n, m int, cost []float64) ([]float64, error) {
	word := 1 / float64(n+m)
	masses := func(words int) []float64 {
		return append([]float64{1 - float64(float64(words)*word)}, slices.Repeat([]float64{word}, words)...)
	}
	r := &ot.Rectangle{Source: masses(n), Target: masses(m)}
	r.Between(func(i, j int) float64 {
		switch {
		case i > 0 && j > 0:
			return cost[(i-1)*m+j-1]
		case i == 0 && j == 0:
			return 0
		}
		return a.Price
	})
	mass, err := plan(ctx, a.Engine, &ot.Batch{Settings: a.Settings}, r)
	if err != nil {
		return nil, err
	}
	strength := make([]float64, 0, n*m)
	for i := range n {
		for _, x := range mass[(i+1)*(m+1)+1:][:m] {
			strength = append(strength, x/word)
		}
	}
	return strength, nil
}

// plan returns the plan of a rectangle.
func plan(ctx context.Context, engine ot.Engine, b *ot.Batch, r *ot.Rectangle) ([]float64, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	p, err := engine.Plan(ctx, r.Problem(b), 0)
	if err != nil {
		return nil, err
	}
	n, m := len(r.Source), len(r.Target)
	mass := make([]float64, 0, n*m)
	for i := range n {
		mass = append(mass, p.Mass[i*p.Cols:][:m]...)
	}
	return mass, nil
}

func shares(n int) []float64 { return slices.Repeat([]float64{1 / float64(n)}, n) }

func check(n, m int, cost []float64) error {
	if n < 0 || m < 0 || len(cost) != n*m {
		return fmt.Errorf("align: %d costs between %d and %d words, want one from each to each", len(cost), n, m)
	}
	for i, c := range cost {
		if !(c >= 0 && c <= math.MaxFloat32) {
			return fmt.Errorf("align: the cost from word %d to word %d is %v, want a finite number ≥ 0", i/m, i%m, c)
		}
	}
	return nil
}

// Above returns the links between words of at least this strength, of which m are of the target, in the order of
// Source and then of Target. A strength of 0 is none.
func Above(strength []float64, m int, threshold float64) (links []Link) {
	for at, x := range strength {
		if x > 0 && x >= threshold {
			links = append(links, Link{at / m, at % m})
		}
	}
	return links
}

// Mutual links two words if neither has a nearer one in the other sentence, and their cost is below most: the greedy
// alignment. Of words equally near the first counts. The costs are those of Aligner.Strengths.
func Mutual(n, m int, cost []float64, most float64) (links []Link, err error) {
	if err := check(n, m, cost); err != nil {
		return nil, err
	}
	for i := range n {
		nearest := 0
		for j := range m {
			if cost[i*m+j] < cost[i*m+nearest] {
				nearest = j
			}
		}
		if m == 0 || !(cost[i*m+nearest] < most) {
			continue
		}
		back := 0
		for k := range n {
			if cost[k*m+nearest] < cost[back*m+nearest] {
				back = k
			}
		}
		if back == i {
			links = append(links, Link{i, nearest})
		}
	}
	return links, nil
}

// Assignment links words one to one so that the sum of cost − most over the links is as small as it can be: what the
// Hungarian method finds. No link costs more than most. It is solved by exact partial transport at half that price,
// whose vertices are assignments [Birkhoff 1946]. The costs are those of Aligner.Strengths.
func Assignment(ctx context.Context, n, m int, cost []float64, most float64) ([]Link, error) {
	if !(most > 0 && most <= math.MaxFloat32) {
		return nil, fmt.Errorf("align: links of a cost up to %v, want a finite number above 0", most)
	}
	a := Aligner{
		Kind: Partial, Engine: exact.New(), Settings: ot.Settings{Reg: 1, MaxIter: 1}, Price: most / 2, Threshold: 0.5,
	}
	return a.Align(ctx, n, m, cost)
}

// Default returns the aligner and the changes of costs that linked words most as people do on the development parts
// of MSR-RTE, Edinburgh++ and MultiMWA-Wiki. It has one setting for all three, with Cosines of the built-in space's
// vectors (`repro run alignment --profile alignment`).
func Default(engine ot.Engine) (Aligner, Places) {
	return Aligner{
		Kind: Partial, Engine: engine, Settings: ot.Settings{Reg: 0.1, MaxIter: 200, Tol: 1e-3},
		Price: 0.6, Threshold: 0.5,
	}, Places{Prefix: 4, Near: 0.3, Distortion: 0.3}
}
