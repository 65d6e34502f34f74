package density

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestDirectSum(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	points, weights := make([]float64, 2*17), make([]float64, 17)
	for i := range points {
		points[i] = random.NormFloat64()
	}
	for i := range weights {
		weights[i] = random.Float64()
	}
	weights[3] = 0
	const h = 0.4
	g, err := Estimate(t.Context(), Around(points, 3*h, 40), points, weights, h)
	if err != nil {
		t.Fatal(err)
	}
	var total, mass float64
	for _, w := range weights {
		total += w
	}
	for j := range g.NY {
		for i := range g.NX {
			x, y := g.X+float64(i)*g.Step, g.Y+float64(j)*g.Step
			var want float64
			for p, w := range weights {
				d2 := (x-points[2*p])*(x-points[2*p]) + (y-points[2*p+1])*(y-points[2*p+1])
				want += w / total * math.Exp(-d2/(2*h*h)) / (2 * math.Pi * h * h)
			}
			if math.Abs(g.Z[j*g.NX+i]-want) > 1e-12 {
				t.Fatalf("density %g at (%g, %g), want %g", g.Z[j*g.NX+i], x, y, want)
			}
			mass += want * g.Step * g.Step
		}
	}
	if math.Abs(mass-1) > 0.01 {
		t.Errorf("the density on the grid integrates to %g", mass)
	}
}

// A standard normal density: the region of mass m is the disc of radius
// √(−2 ln(1−m)), at the height (1−m)/2π.
func TestLevelAndContourOfNormal(t *testing.T) {
	g, err := Estimate(t.Context(), Around([]float64{0, 0}, 5, 201), []float64{0, 0}, []float64{2}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []float64{0.2, 0.5, 0.8, 0.95} {
		level, want := g.Level(m), (1-m)/(2*math.Pi)
		if math.Abs(level-want) > 0.03*want {
			t.Errorf("level of mass %g is %g, want %g", m, level, want)
		}
		rings := g.Contours(want)
		if len(rings) != 1 {
			t.Fatalf("%d rings at %g, want 1", len(rings), want)
		}
		radius := math.Sqrt(-2 * math.Log(1-m))
		for _, p := range rings[0] {
			if r := math.Hypot(p.X, p.Y); math.Abs(r-radius) > 0.003 {
				t.Fatalf("a point of the contour of mass %g at radius %g, want %g", m, r, radius)
			}
		}
		if a := area(rings[0]); math.Abs(a-math.Pi*radius*radius) > 0.02 {
			t.Errorf("area %g inside the contour, want %g", a, math.Pi*radius*radius)
		}
	}
	peak := slices.Max(g.Z)
	at := slices.Index(g.Z, peak)
	x, y := g.X+float64(at%g.NX)*g.Step, g.Y+float64(at/g.NX)*g.Step
	if math.Hypot(x, y) > g.Step || math.Abs(peak-1/(2*math.Pi)) > 1e-3 {
		t.Errorf("peak %g at (%g, %g)", peak, x, y)
	}
}

// area is positive for a ring with its inside on the left.
func area(ring []Point) (a float64) {
	for i, p := range ring {
		q := ring[(i+1)%len(ring)]
		a += (p.X*q.Y - q.X*p.Y) / 2
	}
	return a
}

// On the ridge r = 2 the contours at a lower height are two circles, of which the
// inner turns the other way; the areas add up to that of the ring between them.
func TestContourWithHole(t *testing.T) {
	g := &Grid{X: -4, Y: -4, Step: 0.05, NX: 161, NY: 161, Z: make([]float64, 161*161)}
	for k := range g.Z {
		r := math.Hypot(g.X+float64(k%g.NX)*g.Step, g.Y+float64(k/g.NX)*g.Step)
		g.Z[k] = math.Max(0, 1-math.Abs(r-2))
	}
	rings := g.Contours(0.5)
	if len(rings) != 2 {
		t.Fatalf("%d rings, want 2", len(rings))
	}
	outer, inner := area(rings[0]), area(rings[1])
	if math.Abs(outer-math.Pi*2.5*2.5) > 0.05 || math.Abs(inner+math.Pi*1.5*1.5) > 0.05 {
		t.Errorf("areas %g and %g, want %g and %g", outer, inner, math.Pi*2.5*2.5, -math.Pi*1.5*1.5)
	}
}

// At any level and on any surface the rings enclose exactly the nodes above it.
func TestContoursEncloseRegion(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		g := &Grid{Step: 1, NX: 2 + random.IntN(7), NY: 2 + random.IntN(7)}
		for range g.NX * g.NY {
			g.Z = append(g.Z, random.Float64())
		}
		level := 0.05 + 0.9*random.Float64()
		rings := g.Contours(level)
		for k, z := range g.Z {
			if got, want := winding(rings, float64(k%g.NX), float64(k/g.NX)), z >= level; (got == 1) != want || got != 0 && got != 1 {
				t.Fatalf("node %d: height %g, level %g, winding number %d", k, z, level, got)
			}
		}
	}
}

func winding(rings [][]Point, x, y float64) (n int) {
	for _, ring := range rings {
		for i, p := range ring {
			q := ring[(i+1)%len(ring)]
			side := (q.X-p.X)*(y-p.Y) - (x-p.X)*(q.Y-p.Y)
			switch {
			case p.Y <= y && q.Y > y && side > 0:
				n++
			case p.Y > y && q.Y <= y && side < 0:
				n--
			}
		}
	}
	return n
}

// A region that reaches the border of the grid is closed there.
func TestContourAtBorder(t *testing.T) {
	g := &Grid{Step: 1, NX: 3, NY: 3, Z: []float64{1, 1, 1, 1, 1, 1, 1, 1, 1}}
	rings := g.Contours(0.5)
	if len(rings) != 1 || area(rings[0]) < 4 {
		t.Errorf("contours %v, want one ring around the grid", rings)
	}
	if rings := g.Contours(2); rings != nil {
		t.Errorf("contours above all nodes: %v", rings)
	}
}

func TestBandwidth(t *testing.T) {
	// Two points at ±1 on one axis: σ² = (1 + 0)/2.
	if got, want := Bandwidth([]float64{-1, 0, 1, 0}), math.Sqrt(0.5)*math.Pow(2, -1.0/6); math.Abs(got-want) > 1e-12 {
		t.Errorf("bandwidth %g, want %g", got, want)
	}
	if got := Bandwidth([]float64{3, 4, 3, 4}); got != 0 {
		t.Errorf("bandwidth %g of equal points", got)
	}
}
