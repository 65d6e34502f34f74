package score

// AdjustedRand returns the adjusted Rand index of two partitions of the same things, by the group of each [Hubert and
// Arabie 1985, Comparing partitions]. With n_ij things in group i of a and j of b, and C(n) = n(n−1)/2,
//
//	(Σ_ij C(n_ij) − e) / (½(Σ_i C(n_i·) + Σ_j C(n_·j)) − e),   e = Σ_i C(n_i·) · Σ_j C(n_·j) / C(n)
//
// It is 1 of equal partitions, whatever their groups are called, and 0 on average of random ones. Where it is
// undefined, as for fewer than two things or one group in both, it is 0. It panics if b is shorter than a.
func AdjustedRand(a, b []int) float64 {
	cells, rows, columns := make(map[[2]int]int), make(map[int]int), make(map[int]int)
	for i := range a {
		cells[[2]int{a[i], b[i]}]++
		rows[a[i]]++
		columns[b[i]]++
	}
	pairs := func(n int) int { return n * (n - 1) / 2 }
	both, inA, inB := 0, 0, 0
	for _, n := range cells {
		both += pairs(n)
	}
	for _, n := range rows {
		inA += pairs(n)
	}
	for _, n := range columns {
		inB += pairs(n)
	}
	if len(a) < 2 {
		return 0
	}
	chance := float64(float64(inA) * float64(inB))
	expected := chance / float64(pairs(len(a)))
	if most := float64(float64(inA+inB) / 2); most != expected {
		return (float64(both) - expected) / (most - expected)
	}
	return 0
}
