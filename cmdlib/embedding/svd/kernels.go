package svd

// panelWidth columns and packRows rows of a dense matrix make a panel, the unit that
// Gram matrices are summed from.
const (
	panelWidth = 8
	packRows   = 256
)

// panelProductPortable adds aᵀ·b to the panelWidth×panelWidth block sum of a matrix with
// the given stride; a and b are panels of the given number of rows.
func panelProductPortable(sum []float64, stride int, a, b []float64, rows int) {
	for r := range rows {
		x, y := a[r*panelWidth:][:panelWidth], b[r*panelWidth:][:panelWidth]
		for i, v := range x {
			row := sum[i*stride:][:panelWidth]
			for j, w := range y {
				row[j] += float64(v * w)
			}
		}
	}
}
