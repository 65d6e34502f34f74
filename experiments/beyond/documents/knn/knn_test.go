package knn

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/exact"
	"contextmover/cmdlib/ot/reference"
)

const (
	words = 40
	dim   = 6
)

// documents have words that are drawn from a few topics, so that many share some, and one document has none.
func documents(random *rand.Rand, n int) []Bag {
	bags := make([]Bag, n)
	for i := range bags {
		if i == 3 {
			continue
		}
		var list []int32
		topic := random.IntN(4) * 10
		for range 1 + random.IntN(12) {
			list = append(list, int32((topic+random.IntN(20))%words))
		}
		bags[i] = NewBag(list, func(word int32) float64 { return 1 + float64(word%3) })
	}
	return bags
}

func vectors(random *rand.Rand) []float32 {
	v := make([]float32, words*dim)
	for i := range v {
		v[i] = float32(random.NormFloat64())
	}
	return v
}

// all is a search of every document among some.
func all(n, k int) Search {
	s := Search{K: k}
	for i := range n {
		s.Queries = append(s.Queries, i)
		if i%5 != 1 {
			s.Among = append(s.Among, i)
		}
	}
	return s
}

// check holds what was found against the distances of all.
func check(t *testing.T, s Search, found [][]Neighbour, bags []Bag, tolerance float64, distance func(i, j int) float64) {
	t.Helper()
	for q, query := range s.Queries {
		var list []Neighbour
		for _, i := range s.Among {
			if i != query && len(bags[i].Words) > 0 && len(bags[query].Words) > 0 {
				list = append(list, Neighbour{i, distance(query, i)})
			}
		}
		list = first(list, s.K)
		if len(list) != len(found[q]) {
			t.Fatalf("query %d has %d neighbours, want %d", query, len(found[q]), len(list))
		}
		for n, f := range found[q] {
			if want := list[n].Distance; math.Abs(f.Distance-want) > tolerance {
				t.Errorf("query %d: neighbour %d at %v, want %v", query, n, f.Distance, want)
			}
			if own := distance(query, f.Index); math.Abs(f.Distance-own) > tolerance {
				t.Errorf("query %d: document %d at %v, its distance is %v", query, f.Index, f.Distance, own)
			}
		}
	}
}

func TestBags(t *testing.T) {
	bags := documents(rand.New(rand.NewPCG(1, 0)), 30)
	s := all(len(bags), 4)
	found, err := s.Bags(context.Background(), bags)
	if err != nil {
		t.Fatal(err)
	}
	check(t, s, found, bags, 1e-12, func(i, j int) float64 { return l1(bags[i], bags[j]) })
}

// The word mover's distance without bounds, and without leaving in place what both have.
func moved(t *testing.T, x, y Bag, w Words) float64 {
	var cost []float64
	for _, a := range x.Words {
		for _, b := range y.Words {
			square := 0.0
			for d := range w.Dim {
				e := float64(w.Vectors[int(a)*w.Dim+d]) - float64(w.Vectors[int(b)*w.Dim+d])
				square += e * e
			}
			c := math.Sqrt(square)
			if w.Most > 0 {
				c = min(c, w.Most)
			}
			cost = append(cost, c)
		}
	}
	r, err := exact.Solve(context.Background(), x.Mass, y.Mass, cost)
	if err != nil {
		t.Fatal(err)
	}
	return r.Cost
}

func TestWords(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 0))
	bags := documents(random, 40)
	v := vectors(random)
	s := all(len(bags), 3)
	for _, most := range []float64{0, 2, 0.01} {
		w := Words{Vectors: v, Dim: dim, Most: most}
		found, solved, err := s.Words(context.Background(), bags, w)
		if err != nil {
			t.Fatal(err)
		}
		if pairs := int64(len(s.Queries) * len(s.Among)); solved >= pairs {
			t.Errorf("costs at most %v: %d problems solved for %d pairs, so the bounds rule nothing out", most, solved, pairs)
		}
		check(t, s, found, bags, 1e-4, func(i, j int) float64 { return moved(t, bags[i], bags[j], w) })
		if most == 0.01 { // all words are further apart: the discrete metric
			check(t, s, found, bags, 1e-6, func(i, j int) float64 { return l1(bags[i], bags[j]) / 2 * most })
		}
	}
}

func TestVectors(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 0))
	bags := make([]Bag, 30) // only which documents have words
	rows := make([]float32, len(bags)*dim)
	for i := range bags {
		if i == 3 {
			continue
		}
		bags[i].Words = []int32{0}
		row, square := rows[i*dim:(i+1)*dim], 0.0
		for d := range row {
			row[d] = float32(random.NormFloat64())
			square += float64(row[d]) * float64(row[d])
		}
		for d := range row {
			row[d] = float32(float64(row[d]) / math.Sqrt(square))
		}
	}
	s := all(len(bags), 5)
	found, err := s.Vectors(context.Background(), rows, dim)
	if err != nil {
		t.Fatal(err)
	}
	check(t, s, found, bags, 1e-5, func(i, j int) float64 {
		dot := 0.0
		for d := range dim {
			dot += float64(rows[i*dim+d]) * float64(rows[j*dim+d])
		}
		return 1 - dot
	})
}

func TestHistograms(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 0))
	const k = 12
	bags := make([]Bag, 60)
	p := &ot.Problem{
		Settings: ot.Settings{Reg: 0.05, MaxIter: 500, Tol: 1e-6},
		Cost:     ot.Cost{K: k, Data: make([]float32, k*k)}, Rows: ot.Histograms{K: k, Data: make([]float32, len(bags)*k)},
	}
	for i := range k {
		for j := range k {
			p.Cost.Data[i*k+j] = float32(math.Abs(float64(i-j))) / k
		}
	}
	for i := range bags {
		if i == 3 {
			continue
		}
		bags[i].Words = []int32{0}
		row, at, sum := p.Rows.Row(i), random.IntN(k), float32(0)
		for j := range row {
			row[j] = float32(math.Exp(-math.Abs(float64(j-at)))) * (0.5 + random.Float32())
			sum += row[j]
		}
		for j := range row {
			row[j] /= sum
		}
	}
	s := all(len(bags), 3)
	found, solved, err := s.Histograms(context.Background(), reference.New(), p)
	if err != nil {
		t.Fatal(err)
	}
	// 59 documents have words, 47 of which are among the others: each two of these once, and the 12 others with each.
	if want := int64(47*46/2 + 12*47); solved != want {
		t.Errorf("%d problems solved, want %d", solved, want)
	}
	check(t, s, found, bags, 1e-4, func(i, j int) float64 {
		one := *p
		one.Pairs = []ot.Pair{{Source: int32(i), Target: int32(j)}}
		r, err := ot.Distances(context.Background(), reference.New(), &one)
		if err != nil {
			t.Fatal(err)
		}
		return r[0].Cost
	})
}

func TestErrors(t *testing.T) {
	bags := documents(rand.New(rand.NewPCG(5, 0)), 5)
	ctx := context.Background()
	if _, err := (Search{Queries: []int{5}, Among: []int{0}, K: 1}).Bags(ctx, bags); err == nil {
		t.Error("no error for document 5 of 5")
	}
	if _, err := (Search{Queries: []int{0}, Among: []int{1}}).Bags(ctx, bags); err == nil {
		t.Error("no error for no neighbours")
	}
	if _, _, err := all(5, 1).Words(ctx, bags, Words{Vectors: make([]float32, 2*dim), Dim: dim}); err == nil {
		t.Error("no error for words without vectors")
	}
}

func TestNewBag(t *testing.T) {
	b := NewBag([]int32{7, 2, 7, 5}, func(word int32) float64 { return map[int32]float64{7: 1, 2: 2, 5: 0}[word] })
	if !slices.Equal(b.Words, []int32{2, 7}) || !slices.Equal(b.Mass, []float64{0.5, 0.5}) {
		t.Errorf("words %v with mass %v, want 2 and 7 with a half each", b.Words, b.Mass)
	}
}

// l1 is Σ_w |x_w − y_w|.
func l1(x, y Bag) (sum float64) {
	var apart [words]float64
	for at, w := range x.Words {
		apart[w] += x.Mass[at]
	}
	for at, w := range y.Words {
		apart[w] -= y.Mass[at]
	}
	for _, d := range apart {
		sum += math.Abs(d)
	}
	return sum
}
