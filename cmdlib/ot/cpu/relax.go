package cpu

// Over-relaxation of barycenters; adopt has that of distances.

// relaxT makes the new T, relaxed as by pairBlock.adopt but for the groups that are looked at in this iteration or have
// not begun. So is U, by relaxU, but for iterations that end with a look.
//
// What is not moved by its whole factor r, because that is above 16, leaves the product of a
// group's U^w other than 1. The next step makes that its power 1 − ω, so it tends to 1 as U does
// to the plain solution. An unweighted start is what such a product was at the beginning, and
// would be lost; the change of d of a debiased barycenter takes more iterations than are saved.
func (b *groupBlock[T]) relaxT() {
	b.toSource.Quotient(b.divided(b.s))
	first := 0
	for _, g := range b.groups {
		whole := !g.started || g.iterations == 0 || b.looked(&g.pace, g.iterations+1)
		for r := first; r < first+g.n; r++ {
			if whole {
				copy(b.row(b.t, r), b.row(b.s, r))
			} else {
				b.relaxRow(b.row(b.t, r), b.row(b.s, r), &g.pace)
			}
		}
		first += g.n
	}
}

// relaxU is scale, relaxed. It destroys S.
func (b *groupBlock[T]) relaxU(g *groupState[T], first int) {
	s := b.s[first*b.stride:]
	b.divideRows(s, g.b, s, b.stride, g.n)
	for r := first; r < first+g.n; r++ {
		b.relaxRow(b.row(b.u, r), b.row(b.s, r), &g.pace)
	}
}

// relaxRow relaxes x towards next, by the pace's ω.
func (b *groupBlock[T]) relaxRow(x, next []T, p *pace) {
	if p.fast {
		b.relaxFast(x, next)
	} else {
		b.relax(x, next)
	}
}

// pace chooses how far a barycenter is over-relaxed where λ is so small that float32 cannot solve it.
//
// Where a plain iteration multiplies the error by θ, one relaxed by ω does at best by ω − 1: with ω
// = 3/2 by ½ as long as θ ≤ 8/9, with 15/8 by 7/8 as long as θ ≤ 224/225. There, θ is nearer to 1
// than 8/9. But while bins are far off, fast steps can lead away. So they begin where the spread is
// small; where it has not fallen between two looks, slow ones take their place for 1, 3, 7, … looks.
type pace struct {
	fast       bool
	spread     float64 // at the last look
	slow, rest int     // looks until fast steps begin again, and how many those were at first
}

// look tells the pace a new spread.
func (p *pace) look(spread float64) {
	switch {
	case p.fast && spread >= p.spread:
		p.fast = false
		p.rest = 2*p.rest + 1
		p.slow = p.rest
	case !p.fast && spread < near:
		p.slow--
		p.fast = p.slow <= 0
	}
	p.spread = spread
}

// omega is how far is over-relaxed.
func (p *pace) omega() float64 {
	if p.fast {
		return 15. / 8
	}
	return 3. / 2
}

// near is the spread at which fast steps begin.
const near = 0.1
