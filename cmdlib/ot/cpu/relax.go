package cpu

// Over-relaxation of barycenters; adopt has that of distances.

// relaxT makes the new T, relaxed as by pairBlock.adopt but for the groups that are looked at in this iteration or have
// not begun. So is U, by relaxU, but for iterations that end with a look.
//
// A relaxed step leaves the product of a group's U^w other than 1, and the whole step of each look makes it 1 again.
// An unweighted start is what such a product was at the beginning, and would be lost; the change of d of a debiased
// barycenter takes more iterations than are saved.
func (b *groupBlock[T]) relaxT() {
	b.toSource.Quotient(b.divided(b.s))
	first := 0
	for _, g := range b.groups {
		whole := !g.started || b.looked(g.iterations+1)
		for r := first; r < first+g.n; r++ {
			if whole {
				copy(b.row(b.t, r), b.row(b.s, r))
			} else {
				b.relax(b.row(b.t, r), b.row(b.s, r), T(g.pace.Omega()-1))
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
		b.relax(b.row(b.u, r), b.row(b.s, r), T(g.pace.Omega()-1))
	}
}
