package svd

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"contextmover/cmdlib/sparse"
)

func TestTranspose(t *testing.T) {
	for _, m := range []*sparse.Matrix[float32]{randomMatrix(57, 83, 0.2, 1), randomMatrix(5, 3, 1, 1), randomMatrix(3, 5, 0, 1), randomMatrix(200, 1, 0.5, 1)} {
		tr, err := transpose(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		if err := tr.Validate(); err != nil {
			t.Fatal(err)
		}
		want := map[[2]int32]float32{}
		for i := range m.Rows {
			index, value := m.Row(i)
			for e, j := range index {
				want[[2]int32{j, int32(i)}] = value[e]
			}
		}
		if tr.NonZeros() != len(want) {
			t.Fatalf("%d entries, expected %d", tr.NonZeros(), len(want))
		}
		for i := range tr.Rows {
			index, value := tr.Row(i)
			for e, j := range index {
				if value[e] != want[[2]int32{int32(i), j}] {
					t.Fatalf("row %d, column %d: %v", i, j, value[e])
				}
			}
		}
	}
}

func TestStripSum(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	x := make([]float32, 100*stripWidth)
	for i := range x {
		x[i] = float32(random.NormFloat64())
	}
	for _, n := range []int{0, 1, 2, 37} {
		index, value := make([]int32, n), make([]float32, n)
		want, size := make([]float64, stripWidth), make([]float64, stripWidth)
		for e := range n {
			index[e], value[e] = random.Int32N(100), float32(random.NormFloat64())
			for j := range want {
				v := float64(value[e]) * float64(x[int(index[e])*stripWidth+j])
				want[j] += v
				size[j] += math.Abs(v)
			}
		}
		for name, f := range kernels() {
			y := make([]float32, stripWidth+1)
			for i := range y {
				y[i] = 7
			}
			f(y[:stripWidth], x, index, value)
			for j := range want {
				if math.Abs(float64(y[j])-want[j]) > float64(n)*1e-7*size[j] {
					t.Errorf("%s, %d entries: sum %d is %v, expected %v", name, n, j, y[j], want[j])
				}
			}
			if y[stripWidth] != 7 {
				t.Errorf("%s writes past the strip", name)
			}
		}
	}
}

func TestGram(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 1))
	for _, size := range [][2]int{{1, 1}, {3, 9}, {packRows + 1, 8}, {2*rowBlock + 300, 70}} {
		y := newTall(size[0], size[1])
		for i := range y.data {
			y.data[i] = float32(random.NormFloat64())
		}
		g, err := gram(context.Background(), y)
		if err != nil {
			t.Fatal(err)
		}
		for i := range y.cols {
			for j := i; j < y.cols; j++ {
				want := 0.0
				for r := range y.rows {
					want += float64(y.row(r)[i]) * float64(y.row(r)[j])
				}
				if math.Abs(g.At(i, j)-want) > 1e-12*float64(y.rows) {
					t.Fatalf("%v: entry %d, %d is %v, expected %v", size, i, j, g.At(i, j), want)
				}
			}
		}
	}
}

// Half precision of float32 is reached by the first pass, all of it by the second.
func TestOrthonormalise(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	y, q := newTall(3000, 40), newTall(3000, 40)
	for i := range y.rows {
		row := y.row(i)
		for j := range row {
			row[j] = float32(random.NormFloat64() * math.Pow(10, float64(-j)/4))
			if j > 0 {
				row[j] += row[0]
			}
		}
	}
	if err := orthonormalise(context.Background(), q, y); err != nil {
		t.Fatal(err)
	}
	if err := orthonormalise(context.Background(), y, q); err != nil {
		t.Fatal(err)
	}
	if y.cols < 20 || y.cols > 40 {
		t.Errorf("%d columns left", y.cols)
	}
	g, err := gram(context.Background(), y)
	if err != nil {
		t.Fatal(err)
	}
	for i := range y.cols {
		for j := i; j < y.cols; j++ {
			want := 0.0
			if i == j {
				want = 1
			}
			if math.Abs(g.At(i, j)-want) > 1e-6 {
				t.Errorf("entry %d, %d of the Gram matrix is %v", i, j, g.At(i, j))
			}
		}
	}
}
