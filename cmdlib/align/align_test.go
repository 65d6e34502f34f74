package align_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/align"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/ot/reference"
)

// fine are settings under which plans have the right sums to 1e-4.
var fine = ot.Settings{Reg: 0.02, MaxIter: 5000, Tol: 1e-5}

func random(rng *rand.Rand, n, m int) []float64 {
	cost := make([]float64, n*m)
	for i := range cost {
		cost[i] = rng.Float64()
	}
	return cost
}

func sums(strength []float64, n, m int) (rows, cols []float64) {
	rows, cols = make([]float64, n), make([]float64, m)
	for at, x := range strength {
		rows[at/m] += x
		cols[at%m] += x
	}
	return rows, cols
}

// Balanced transport moves each word whole; partial transport each word at most once, and nothing that costs far more
// than 2ρ; unbalanced transport moves more the higher ρ is, and becomes balanced transport.
func TestMarginals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		n, m := 1+rng.IntN(9), 1+rng.IntN(9)
		cost := random(rng, n, m)
		strengths := func(kind align.Kind, price float64) []float64 {
			a := align.Aligner{Kind: kind, Engine: cpu.New(), Settings: fine, Price: price}
			s, err := a.Strengths(t.Context(), n, m, cost)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		// In units of the smaller mass, 1/max(n, m), the words have n·m/min(n, m) of it in all.
		rows, cols := sums(strengths(align.Balanced, 0), n, m)
		for _, side := range [][]float64{rows, cols} {
			for i, x := range side {
				if want := float64(max(n, m)) / float64(len(side)); math.Abs(x-want) > 1e-3*float64(n*m) {
					t.Errorf("%d×%d, balanced: word %d moves %v, want %v", n, m, i, x, want)
				}
			}
		}
		partial := strengths(align.Partial, 0.25)
		rows, cols = sums(partial, n, m)
		for i, x := range slices.Concat(rows, cols) {
			if x > 1+1e-3*float64(n+m) {
				t.Errorf("%d×%d, partial: word %d moves %v, want at most 1", n, m, i, x)
			}
		}
		for at, x := range partial {
			if cost[at] > 0.75 && x > 1e-3 {
				t.Errorf("%d×%d, partial: %v moves for the cost %v, though leaving it costs 0.5", n, m, x, cost[at])
			}
		}
		before := 0.0
		for _, price := range []float64{0.05, 0.2, 1, 5} {
			all := 0.0
			for _, x := range strengths(align.Unbalanced, price) {
				all += x
			}
			if all < before-1e-3 {
				t.Errorf("%d×%d, unbalanced: %v moves for ρ = %v, less than %v for a smaller one", n, m, all, price, before)
			}
			before = all
		}
		balanced, limit := strengths(align.Balanced, 0), strengths(align.Unbalanced, 1000)
		unit := math.Sqrt(float64(n*m)) / float64(max(n, m))
		for at := range limit {
			if math.Abs(limit[at]-balanced[at]*unit) > 0.02 {
				t.Errorf("%d×%d: entry %d of unbalanced transport is %v for a large ρ, want %v",
					n, m, at, limit[at], balanced[at]*unit)
			}
		}
	}
}

// Two words against three, by hand: a is nearest to x and b to y; z is like nothing. λ is small, so plans are nearly
// those of linear programming.
func TestByHand(t *testing.T) {
	cost := []float64{
		0.0, 0.9, 1.0, // a
		0.8, 0.1, 1.0, // b
	}
	small := ot.Settings{Reg: 0.005, MaxIter: 5000, Tol: 1e-5}
	for _, c := range []struct {
		aligner align.Aligner
		want    []float64
	}{
		// The masses of a and b are 1/2, those of x, y and z 1/3: z has to take 1/3, at 1 from either, and the entropy
		// takes 1/6 of each.
		{align.Aligner{Kind: align.Balanced}, []float64{1, 0, 0.5, 0, 1, 0.5}},
		{align.Aligner{Kind: align.Partial, Price: 0.25}, []float64{1, 0, 0, 0, 1, 0}},
		// Leaving b and y costs 0.08, moving them 0.1.
		{align.Aligner{Kind: align.Partial, Price: 0.04}, []float64{1, 0, 0, 0, 0, 0}},
	} {
		a := c.aligner
		a.Settings = small
		for _, engine := range []ot.Engine{cpu.New(), reference.New()} {
			a.Engine = engine
			got, err := a.Strengths(t.Context(), 2, 3, cost)
			if err != nil {
				t.Fatal(err)
			}
			for i := range got {
				if math.Abs(got[i]-c.want[i]) > 0.03 {
					t.Errorf("%s, ρ = %v, %s: %.3f, want %v", a.Kind, a.Price, engine.Name(), got, c.want)
					break
				}
			}
		}
	}
	// One word a side, of the cost 0: all of it moves.
	a := align.Aligner{Kind: align.Unbalanced, Price: 0.3, Settings: small, Engine: cpu.New()}
	if got, err := a.Strengths(t.Context(), 1, 1, []float64{0}); err != nil || math.Abs(got[0]-1) > 1e-3 {
		t.Errorf("%v, %v, want 1", got, err)
	}
	// Of the cost c: by (9) of package ot c + (2ρ + λ) ln x = 0, as the masses are 1.
	want := math.Exp(-0.6 / 0.605)
	if got, err := a.Strengths(t.Context(), 1, 1, []float64{0.6}); err != nil || math.Abs(got[0]-want) > 1e-3 {
		t.Errorf("%v, %v, want exp(−0.6/0.605) = %v", got, err, want)
	}
}

// Without costs but those of letters, all kinds link the same words where each stands once, and no others.
func TestDiscrete(t *testing.T) {
	source, target := strings.Fields("The old king gave land away"), strings.Fields("a queen gave the land")
	want := []align.Link{{Source: 0, Target: 3}, {Source: 3, Target: 2}, {Source: 4, Target: 4}}
	cost := align.Discrete(source, target)
	for _, a := range []align.Aligner{
		{Kind: align.Balanced, Threshold: 0.9}, {Kind: align.Partial, Price: 0.3, Threshold: 0.5},
		{Kind: align.Unbalanced, Price: 0.1, Threshold: 0.5},
	} {
		a.Engine, a.Settings = cpu.New(), fine
		got, err := a.Align(t.Context(), len(source), len(target), cost)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v, want %v", a.Kind, got, err, want)
		}
	}
	if got, err := align.Mutual(len(source), len(target), cost, 0.5); err != nil || !slices.Equal(got, want) {
		t.Errorf("mutual: %v, %v, want %v", got, err, want)
	}
	got, err := align.Assignment(t.Context(), len(source), len(target), cost, 0.5)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("assignment: %v, %v, want %v", got, err, want)
	}
}

// An assignment is the best of all one-to-one links, by trying them all.
func TestAssignment(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		n, m, most := 1+rng.IntN(5), 1+rng.IntN(5), 0.2+rng.Float64()
		cost := random(rng, n, m)
		links, err := align.Assignment(t.Context(), n, m, cost, most)
		if err != nil {
			t.Fatal(err)
		}
		got, rows, cols := 0.0, map[int]bool{}, map[int]bool{}
		for _, l := range links {
			got += cost[l.Source*m+l.Target] - most
			if rows[l.Source] || cols[l.Target] {
				t.Fatalf("%d×%d: %v links a word twice", n, m, links)
			}
			rows[l.Source], cols[l.Target] = true, true
		}
		var best func(i int, used []bool) float64
		best = func(i int, used []bool) float64 {
			if i == n {
				return 0
			}
			least := best(i+1, used)
			for j := range m {
				if !used[j] {
					used[j] = true
					least = min(least, cost[i*m+j]-most+best(i+1, used))
					used[j] = false
				}
			}
			return least
		}
		if want := best(0, make([]bool, m)); math.Abs(got-want) > 1e-9 {
			t.Errorf("%d×%d, most %v: links of %v, want %v", n, m, most, got, want)
		}
	}
}

// Mutual links only words of which each is the other's nearest.
func TestMutual(t *testing.T) {
	got, err := align.Mutual(2, 2, []float64{0.1, 0.2, 0.05, 0.9}, 1)
	if want := []align.Link{{Source: 1, Target: 0}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v: the first word's nearest has a nearer one", got, err, want)
	}
}

// What stands beside words, and where, tells those apart that a sentence has twice.
func TestPlaces(t *testing.T) {
	source, target := strings.Fields("the dog saw the cat"), strings.Fields("the cat ran from the dog")
	link := func(p align.Places) string {
		cost := align.Discrete(source, target)
		p.Change(cost, source, target)
		links, err := align.Assignment(t.Context(), len(source), len(target), cost, 0.9)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(links)
	}
	if got, want := link(align.Places{Near: 0.5}), "[{0 4} {1 5} {3 0} {4 1}]"; got != want {
		t.Errorf("by what stands beside: %s, want %s", got, want)
	}
	if got, want := link(align.Places{Distortion: 0.5}), "[{0 0} {1 5} {3 4} {4 1}]"; got != want {
		t.Errorf("by places: %s, want %s", got, want)
	}
	cost := []float64{0.5, 1}
	align.Places{Distortion: 0.4}.Change(cost, []string{"a"}, []string{"b", "c"})
	if math.Abs(cost[0]-0.6) > 1e-12 || math.Abs(cost[1]-1.1) > 1e-12 { // (½)/1 and (½)/2, (1½)/2
		t.Errorf("costs %v, want 0.6 and 1.1", cost)
	}
	cost = align.Discrete([]string{"runs", "a"}, []string{"Running", "ab"})
	align.Places{Prefix: 3}.Change(cost, []string{"runs", "a"}, []string{"Running", "ab"})
	if !slices.Equal(cost, []float64{align.PrefixCost, 1, 1, 1}) {
		t.Errorf("costs %v of words that begin alike", cost)
	}
}

func TestCosines(t *testing.T) {
	x := align.Words{Text: []string{"Car", "x", "un"}, Vectors: [][]float32{{1, 0}, {0.6, 0.8}, nil}}
	y := align.Words{Text: []string{"car", "y", "un"}, Vectors: [][]float32{{0, 1}, {-1, 0}, nil}}
	want := []float64{0, 1, 1, 0.2, 1, 1, 1, 1, 0}
	for i, c := range align.Cosines(x, y) {
		if math.Abs(c-want[i]) > 1e-6 {
			t.Errorf("costs %v, want %v", align.Cosines(x, y), want)
		}
	}
}

func TestErrors(t *testing.T) {
	good := align.Aligner{Kind: align.Partial, Engine: cpu.New(), Settings: fine, Price: 0.3}
	for want, change := range map[string]func(a *align.Aligner, cost []float64){
		"the kind":         func(a *align.Aligner, _ []float64) { a.Kind = "other" },
		"no engine":        func(a *align.Aligner, _ []float64) { a.Engine = nil },
		"the price 0":      func(a *align.Aligner, _ []float64) { a.Price = 0 },
		"the price NaN":    func(a *align.Aligner, _ []float64) { a.Price = math.NaN() },
		"of balanced":      func(a *align.Aligner, _ []float64) { a.Kind = align.Balanced },
		"the threshold":    func(a *align.Aligner, _ []float64) { a.Threshold = 2 },
		"word 1 to word 0": func(_ *align.Aligner, cost []float64) { cost[2] = -1 },
		"word 0 to word 1": func(_ *align.Aligner, cost []float64) { cost[1] = math.NaN() },
		"regularisation":   func(a *align.Aligner, _ []float64) { a.Reg = 0 },
	} {
		a, cost := good, []float64{0, 1, 1, 0}
		change(&a, cost)
		if _, err := a.Align(t.Context(), 2, 2, cost); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want …%s…", err, want)
		}
	}
	if _, err := good.Align(t.Context(), 2, 3, make([]float64, 5)); err == nil {
		t.Error("5 costs between 2 and 3 words are no error")
	}
	if links, err := good.Align(t.Context(), 0, 3, nil); err != nil || links != nil {
		t.Errorf("no words: %v, %v", links, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := good.Align(ctx, 2, 2, make([]float64, 4)); err == nil {
		t.Error("a context that has ended is no error")
	}
}

func ExampleAligner() {
	source := strings.Fields("a king gives the soldier land")
	target := strings.Fields("the soldier was given land")
	cost := align.Discrete(source, target) // by letters; Cosines goes by vectors
	align.Places{Prefix: 3, Near: 0.3}.Change(cost, source, target)

	a := align.Aligner{
		Kind: align.Partial, Engine: cpu.New(),
		Settings: ot.Settings{Reg: 0.05, MaxIter: 200, Tol: 1e-3}, Price: 0.45, Threshold: 0.55,
	}
	links, err := a.Align(context.Background(), len(source), len(target), cost)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, l := range links {
		fmt.Println(source[l.Source], target[l.Target])
	}
	// Output:
	// gives given
	// the the
	// soldier soldier
	// land land
}
