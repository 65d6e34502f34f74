package ground

import "testing"

func BenchmarkNew(b *testing.B) {
	c := random(300 * 200)
	for b.Loop() {
		if _, err := New(c, 300, 200, Params{Angular, Median, 0, 0.1}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkToBins(b *testing.B) {
	g, err := New(random(300*200), 300, 200, Params{Angular, Median, 0, 0.1})
	if err != nil {
		b.Fatal(err)
	}
	row := make([]float32, 300)
	point := random(200)
	for b.Loop() {
		g.ToBins(row, point)
	}
}
