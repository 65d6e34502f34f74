package quantised

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Rows come back with length 1, each number within a bound; the vector 0 as none.
func TestRows(t *testing.T) {
	for _, bits := range []int{3, 4, 8} {
		testRows(t, bits)
	}
}

func testRows(t *testing.T, bits int) {
	const n, dim = 50, 33
	random := rand.New(rand.NewPCG(1, 2))
	data := make([]float32, n*dim)
	for i := range data[dim:] {
		data[dim+i] = float32(random.NormFloat64())
	}
	v := New(data, dim, bits)
	if _, err := Read(v.Factors, v.Codes, dim, bits); err != nil || v.Len() != n {
		t.Fatalf("%d rows, %v", v.Len(), err)
	}
	row := make([]float32, dim)
	if v.Row(row, 0) {
		t.Error("the vector 0 is one")
	}
	for i := 1; i < n; i++ {
		if !v.Row(row, i) {
			t.Fatalf("row %d is none", i)
		}
		norm, most, length := 0.0, 0.0, 0.0
		for j, x := range data[i*dim : (i+1)*dim] {
			norm += float64(x) * float64(x)
			length += float64(row[j]) * float64(row[j])
			most = max(most, math.Abs(float64(x)))
		}
		norm = math.Sqrt(norm)
		if math.Abs(length-1) > 1e-5 {
			t.Errorf("row %d has the squared length %v", i, length)
		}
		for j, x := range data[i*dim : (i+1)*dim] {
			if bits == 3 { // the largest are cut: TestThreeBits is about them
				if float64(row[j])*float64(x) < 0 {
					t.Errorf("row %d: number %d has another sign", i, j)
				}
				continue
			}
			// Half a level by rounding, and what the factor differs from max|v|/L by.
			if d := math.Abs(float64(row[j]) - float64(x)/norm); d > most/norm/float64(levels(bits)) {
				t.Errorf("row %d: number %d is %v off", i, j, d)
			}
		}
	}
}

// Of normal numbers, 8 even steps lose the share of the squares that Max 1960 has in his table, 0.03744.
func TestThreeBits(t *testing.T) {
	const n, dim = 200, 403
	random := rand.New(rand.NewPCG(3, 4))
	data, row := make([]float32, n*dim), make([]float32, dim)
	for i := range data {
		data[i] = float32(random.NormFloat64())
	}
	v, lost := New(data, dim, 3), 0.0
	for i := range n {
		v.Row(row, i)
		product, squares := 0.0, 0.0
		for j, x := range data[i*dim : (i+1)*dim] {
			product += float64(x) * float64(row[j])
			squares += float64(x) * float64(x)
		}
		lost += (1 - product*product/squares) / n
	}
	if math.Abs(lost-0.03744) > 0.001 {
		t.Errorf("%v of the squares are lost", lost)
	}
}

// Codes of another size, and factors that none has, are refused.
func TestRead(t *testing.T) {
	v := New([]float32{1, 2, 3, 4}, 2, 8)
	nan := float32(math.NaN())
	for name, damaged := range map[string]Vectors{
		"short":    {Factors: v.Factors, Codes: v.Codes[1:]},
		"NaN":      {Factors: []float32{nan, 1}, Codes: v.Codes},
		"negative": {Factors: []float32{-1, 1}, Codes: v.Codes},
		"large":    {Factors: []float32{1, 2}, Codes: v.Codes},
	} {
		if _, err := Read(damaged.Factors, damaged.Codes, 2, 8); err == nil {
			t.Errorf("%s: read", name)
		}
	}
}
