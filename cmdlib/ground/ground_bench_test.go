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
	const n = 64
	rows := make([]float32, n*300)
	points := random(n * 200)
	for b.Loop() {
		g.ToBins(rows, points)
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "points/s")
}
