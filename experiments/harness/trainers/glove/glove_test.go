package glove

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/sparse"
	"contextmover/experiments/harness/trainers"
	"contextmover/experiments/harness/trainers/internal/records"
	"contextmover/experiments/harness/trainers/internal/trainertest"
	"contextmover/internal/scratch"
)

// updates are all implementations that this machine can run; the kernels add theirs.
var updates = map[string]func(*model, records.Block) float64{"portable": updatePortable}

// zipf makes symmetric counts of a text of independent words drawn with
// probability ∝ 1/(rank+2), weighted by 1/distance in a window of 10.
func zipf(words, tokens int, seed uint64) *sparse.Matrix[float64] {
	random := rand.New(rand.NewPCG(seed, 0))
	cumulated := make([]float64, words)
	var sum float64
	for i := range cumulated {
		sum += 1 / float64(i+3)
		cumulated[i] = sum
	}
	text := make([]int32, tokens)
	for i := range text {
		at, _ := slices.BinarySearch(cumulated, random.Float64()*sum)
		text[i] = int32(min(at, words-1))
	}
	cells := make([]map[int32]float64, words)
	for i := range cells {
		cells[i] = map[int32]float64{}
	}
	for i, a := range text {
		for d := 1; d <= 10 && d <= i; d++ {
			b := text[i-d]
			cells[a][b] += 1 / float64(d)
			cells[b][a] += 1 / float64(d)
		}
	}
	return matrix(words, func(i int) map[int32]float64 { return cells[i] })
}

func matrix(n int, row func(i int) map[int32]float64) *sparse.Matrix[float64] {
	m := &sparse.Matrix[float64]{Rows: n, Cols: n, Start: []int64{0}}
	for i := range n {
		cells := row(i)
		var columns []int32
		for j := range cells {
			columns = append(columns, j)
		}
		slices.Sort(columns)
		for _, j := range columns {
			m.Index = append(m.Index, j)
			m.Value = append(m.Value, cells[j])
		}
		m.Start = append(m.Start, int64(len(m.Index)))
	}
	return m
}

// published is the tool's training step in float64, written from its formulas:
// vectors w and v with squares gw and gv, the last component of each the bias.
type published struct {
	w, v, gw, gv [][]float64
}

func (m *published) step(rule Rule, rate, xmax, exponent float64, i, j int, x float64) (loss float64) {
	w, v, gw, gv := m.w[i], m.v[j], m.gw[i], m.gv[j]
	dim := len(w) - 1
	diff := w[dim] + v[dim] - math.Log(x)
	for k := range dim {
		diff += w[k] * v[k]
	}
	f := 1.0
	if x < xmax {
		f = math.Pow(x/xmax, exponent)
	}
	clip := func(g float64) float64 {
		if rule == Rule2020 {
			return max(-100, min(100, g))
		}
		return g
	}
	for k := range dim {
		a, b := rate*clip(f*diff*v[k]), rate*clip(f*diff*w[k])
		w[k] -= a / math.Sqrt(gw[k])
		v[k] -= b / math.Sqrt(gv[k])
		gw[k] += a * a
		gv[k] += b * b
	}
	g := f * diff
	if rule == Rule2018 {
		g *= rate
	}
	w[dim] -= g / math.Sqrt(gw[dim])
	v[dim] -= g / math.Sqrt(gv[dim])
	gw[dim] += g * g
	gv[dim] += g * g
	return 0.5 * f * diff * diff
}

// copyOf takes the parameters of m in the order of the vocabulary.
func copyOf(m *model, dim int, rule Rule, rate float64) *published {
	p := &published{}
	for _, at := range m.layout.Positions {
		for side := range m.Sides {
			from := m.At(side, at)
			x, g := make([]float64, dim+1), make([]float64, dim+1)
			for k := range dim {
				x[k], g[k] = float64(from[component(k)]), 1+float64(from[component(k)+lanes])
			}
			bias := component(dim + side)
			x[dim], g[dim] = float64(from[bias]), 1+float64(from[bias+lanes])
			if rule == Rule2020 {
				g[dim] /= rate * rate
			}
			if side == 0 {
				p.w, p.gw = append(p.w, x), append(p.gw, g)
			} else {
				p.v, p.gv = append(p.v, x), append(p.gv, g)
			}
		}
	}
	return p
}

// A pass over a small matrix changes the parameters as the published rule does.
func TestUpdateIsThePublishedRule(t *testing.T) {
	counts := zipf(20, 400, 1)
	for name, update := range updates {
		for _, rule := range []Rule{Rule2018, Rule2020} {
			for _, dim := range []int{1, 2, 13, 14, 15, 30, 31, 46, 300} {
				p := Params{Dim: dim, Epochs: 1, Rate: 0.05, XMax: 10, Exponent: 0.75, Rule: rule, Seed: 3}
				l, err := arrange(context.Background(), counts, p)
				if err != nil {
					t.Fatal(err)
				}
				m, err := newModel(context.Background(), l, p)
				if err != nil {
					t.Fatal(err)
				}
				want := copyOf(m, p.Dim, rule, p.Rate)
				word := make([]int, len(l.Positions))
				for i, at := range l.Positions {
					word[at] = i
				}
				var loss, wantLoss float64
				for range 3 {
					b := l.Block(0, 0)
					loss += 0.5 * update(m, b)
					at := b.First
					for _, run := range b.Runs {
						for range run.Records {
							i, j := word[run.Row], word[l.Records[at].Column]
							columns, values := counts.Row(i)
							e, ok := slices.BinarySearch(columns, int32(j))
							if !ok {
								t.Fatalf("record (%d, %d) is not in the matrix", i, j)
							}
							wantLoss += want.step(rule, p.Rate, p.XMax, p.Exponent, i, j, values[e])
							at++
						}
					}
				}
				got := copyOf(m, p.Dim, rule, p.Rate)
				// A step's length is exact to 2⁻¹⁴, and a parameter moves by about the sum of
				// its steps' lengths, at most a few units here.
				const tolerance = 0x1p-14 * 4
				worst := 0.0
				for i := range got.w {
					for k := range got.w[i] {
						for _, pair := range [][2]float64{
							{got.w[i][k], want.w[i][k]}, {got.v[i][k], want.v[i][k]},
							{got.gw[i][k], want.gw[i][k]}, {got.gv[i][k], want.gv[i][k]},
						} {
							worst = max(worst, math.Abs(pair[0]-pair[1])/max(1, math.Abs(pair[1])))
						}
					}
				}
				if worst > tolerance || math.Abs(loss-wantLoss) > tolerance*wantLoss {
					t.Errorf("%s, rule %s, dimension %d: a parameter is off by %.2g, the loss is %v, want %v", name, rule, dim, worst, loss, wantLoss)
				}
				t.Logf("%s, rule %s, dimension %d: a parameter is off by %.2g, the loss by %.2g", name, rule, dim, worst, loss/wantLoss-1)
			}
		}
	}
}

// Clipping, which needs absurd parameters.
func TestClipping(t *testing.T) {
	counts := matrix(2, func(i int) map[int32]float64 { return map[int32]float64{int32(1 - i): 5} })
	for name, update := range updates {
		for _, rule := range []Rule{Rule2018, Rule2020} {
			p := Params{Dim: 20, Epochs: 1, Rate: 0.01, XMax: 1, Exponent: 1, Rule: rule, Seed: 3}
			l, err := arrange(context.Background(), counts, p)
			if err != nil {
				t.Fatal(err)
			}
			m, err := newModel(context.Background(), l, p)
			if err != nil {
				t.Fatal(err)
			}
			for k := range p.Dim {
				m.Sides[0][component(k)], m.Sides[0][m.Stride+component(k)] = 50, 50
				m.Sides[1][component(k)], m.Sides[1][m.Stride+component(k)] = 0.01*float32(k), -0.02*float32(k)
			}
			want := copyOf(m, p.Dim, rule, p.Rate)
			update(m, l.Block(0, 0))
			first := int(l.Records[0].Column)
			word := slices.Index(l.Positions, int32(1-first))
			want.step(rule, p.Rate, p.XMax, p.Exponent, word, 1-word, 5)
			want.step(rule, p.Rate, p.XMax, p.Exponent, 1-word, word, 5)
			got := copyOf(m, p.Dim, rule, p.Rate)
			for i := range got.w {
				for k := range p.Dim { // without the biases, see Rule2020
					if a, b := got.w[i][k], want.w[i][k]; math.Abs(a-b) > 1e-3*math.Abs(b) {
						t.Errorf("%s, rule %s: w[%d][%d] = %v, want %v", name, rule, i, k, a, b)
					}
					if a, b := got.v[i][k], want.v[i][k]; math.Abs(a-b) > 1e-3*math.Abs(b) {
						t.Errorf("%s, rule %s: v[%d][%d] = %v, want %v", name, rule, i, k, a, b)
					}
				}
			}
		}
	}
}

// All records are there once, in blocks of their row's and column's part, and blocks are about equal.
func TestLayout(t *testing.T) {
	counts := zipf(1500, 40000, 2)
	l, err := arrange(context.Background(), counts, Params{XMax: 100, Exponent: 0.75, Seed: 9})
	if err != nil {
		t.Fatal(err)
	}
	if l.Parts != 23 {
		t.Fatalf("%d parts", l.Parts)
	}
	word := make([]int, len(l.Positions))
	for i, at := range l.Positions {
		word[at] = i
	}
	seen := map[[2]int]bool{}
	var most int64
	for r := range l.Parts {
		for c := range l.Parts {
			b := l.Block(r, c)
			most = max(most, b.Records)
			at := b.First
			for _, run := range b.Runs {
				if run.Records < 1 || run.Row < l.First[r] || run.Row >= l.First[r+1] {
					t.Fatalf("block (%d, %d): run %v", r, c, run)
				}
				for range run.Records {
					rec := l.Records[at]
					if rec.Column < l.First[c] || rec.Column >= l.First[c+1] {
						t.Fatalf("block (%d, %d): column %d", r, c, rec.Column)
					}
					i, j := word[run.Row], word[rec.Column]
					columns, values := counts.Row(i)
					e, ok := slices.BinarySearch(columns, int32(j))
					if !ok || seen[[2]int{i, j}] {
						t.Fatalf("record (%d, %d) is not in the matrix or there twice", i, j)
					}
					seen[[2]int{i, j}] = true
					if want := float32(math.Log(values[e])); rec.Log != want {
						t.Fatalf("log %v, want %v", rec.Log, want)
					}
					at++
				}
			}
			if at != b.First+b.Records {
				t.Fatalf("block (%d, %d): %d records in runs, %d in all", r, c, at-b.First, b.Records)
			}
		}
	}
	if len(seen) != counts.NonZeros() {
		t.Errorf("%d records of %d", len(seen), counts.NonZeros())
	}
	if mean := float64(counts.NonZeros()) / float64(l.Parts*l.Parts); float64(most) > 1.15*mean {
		t.Errorf("the largest block has %d records, %.2f times the mean", most, float64(most)/mean)
	}
}

// Counts on disk give the same vectors, to the last bit, and their records take no memory.
func TestPasses(t *testing.T) {
	counts := zipf(2000, 300_000, 2)
	p := Params{Dim: 3, Epochs: 2, Rate: 0.05, XMax: 100, Exponent: 0.75, Rule: Rule2018, Seed: 1}
	train := func(counts *sparse.Matrix[float64]) (*trainers.Result, int) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := Train(t.Context(), counts, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return r, int(after.TotalAlloc - before.TotalAlloc)
	}
	want, memory := train(counts)
	d := scratch.Beside(filepath.Join(t.TempDir(), "out"))
	defer d.Close()
	disk, err := sparse.Make[float64](d, counts.Rows, counts.Cols, counts.Start)
	if err != nil {
		t.Fatal(err)
	}
	copy(disk.Index, counts.Index)
	copy(disk.Value, counts.Value)
	got, little := train(disk)
	if !slices.Equal(got.Vectors, want.Vectors) || !slices.Equal(got.Loss, want.Loss) {
		t.Error("other bits")
	}
	if scratch.Maps && memory-little < 12*counts.NonZeros()*9/10 {
		t.Errorf("%d bytes in memory, %d with %d counts on disk", memory, little, counts.NonZeros())
	}
}

// The order of training by blocks and rows loses nothing against shuffling all
// records, as the tool does.
func TestLossOfBlockOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: short")
	}
	counts := zipf(1000, 50000, 4)
	for _, rule := range []Rule{Rule2018, Rule2020} {
		p := Params{Dim: 30, Epochs: 8, Rate: 0.05, XMax: 100, Exponent: 0.75, Rule: rule, Seed: 1}
		got, err := Train(context.Background(), counts, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := shuffled(counts, p)
		t.Logf("rule %s:\nblocks   %.6f\nshuffled %.6f", rule, got.Loss, want)
		if last := p.Epochs - 1; got.Loss[last] > 1.02*want[last] {
			t.Errorf("rule %s: loss %v after %d epochs, %v when all records are shuffled", rule, got.Loss[last], p.Epochs, want[last])
		}
		for e := 1; e < p.Epochs; e++ {
			if got.Loss[e] >= got.Loss[e-1] {
				t.Errorf("rule %s: the loss rose in epoch %d: %v", rule, e+1, got.Loss)
			}
		}
	}
}

// shuffled trains with the published rule on records in random order and returns
// the mean loss of each epoch.
func shuffled(counts *sparse.Matrix[float64], p Params) []float64 {
	n := counts.Rows
	random := rand.New(rand.NewPCG(7, 7))
	width := 1 / float64(p.Dim+1)
	if p.Rule == Rule2020 {
		width = 1 / float64(p.Dim)
	}
	m := &published{}
	for _, side := range []struct{ x, g *[][]float64 }{{&m.w, &m.gw}, {&m.v, &m.gv}} {
		for range n {
			x, g := make([]float64, p.Dim+1), make([]float64, p.Dim+1)
			for k := range x {
				x[k], g[k] = (random.Float64()-0.5)*width, 1
			}
			*side.x, *side.g = append(*side.x, x), append(*side.g, g)
		}
	}
	row := make([]int, 0, counts.NonZeros())
	for i := range n {
		for range counts.Start[i+1] - counts.Start[i] {
			row = append(row, i)
		}
	}
	order := random.Perm(len(row))
	losses := make([]float64, p.Epochs)
	for e := range losses {
		for _, at := range order {
			losses[e] += m.step(p.Rule, p.Rate, p.XMax, p.Exponent, row[at], int(counts.Index[at]), counts.Value[at])
		}
		losses[e] /= float64(len(row))
	}
	return losses
}

// Words of one group occur together: their vectors end up closer to each other than
// to those of the other group.
func TestRecoversGroups(t *testing.T) {
	const n = 40
	counts := matrix(n, func(i int) map[int32]float64 {
		cells := map[int32]float64{}
		for j := range n {
			cells[int32(j)] = 1
			if i%2 == j%2 {
				cells[int32(j)] = 50
			}
		}
		return cells
	})
	for _, rule := range []Rule{Rule2018, Rule2020} {
		const dim = 8
		r, err := Train(context.Background(), counts, Params{Dim: dim, Epochs: 100, Rate: 0.05, XMax: 100, Exponent: 0.75, Rule: rule, Seed: 5}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if last := r.Loss[len(r.Loss)-1]; last > 0.01*r.Loss[0] {
			t.Errorf("rule %s: loss %v after %v", rule, last, r.Loss[0])
		}
		cosine := func(a, b int) float64 {
			var ab, aa, bb float64
			for k := range dim {
				x, y := float64(r.Vectors[a*dim+k]), float64(r.Vectors[b*dim+k])
				ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
			}
			return ab / math.Sqrt(aa*bb)
		}
		for i := 2; i < n; i++ {
			if same, other := cosine(i, i%2), cosine(i, 1-i%2); same < other+0.5 {
				t.Errorf("rule %s, word %d: cosine %.3f with its group, %.3f with the other", rule, i, same, other)
			}
		}
	}
}

func TestProgress(t *testing.T) {
	counts := zipf(200, 2000, 2)
	p := Params{Dim: 5, Epochs: 2, Rate: 0.05, XMax: 100, Exponent: 0.75, Rule: Rule2018}
	var last int64
	want := 2 * int64(counts.NonZeros())
	r, err := Train(context.Background(), counts, p, func(done, total int64) {
		if done < last || total != want {
			t.Errorf("progress %d of %d after %d, want a total of %d", done, total, last, want)
		}
		last = done
	})
	if err != nil {
		t.Fatal(err)
	}
	if last != want || len(r.Loss) != 2 {
		t.Errorf("last progress %d of %d; losses %v", last, want, r.Loss)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if _, err = Train(ctx, counts, p, func(int64, int64) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

func TestErrors(t *testing.T) {
	good := Params{Dim: 5, Epochs: 2, Rate: 0.05, XMax: 100, Exponent: 0.75, Rule: Rule2018}
	small := func() *sparse.Matrix[float64] {
		return matrix(2, func(i int) map[int32]float64 { return map[int32]float64{0: 3, 1: 20} })
	}
	for want, spoil := range map[string]func(*Params, *sparse.Matrix[float64]){
		"word 1, context 0":      func(p *Params, m *sparse.Matrix[float64]) { m.Value[2] = 0 },
		"the count is NaN":       func(p *Params, m *sparse.Matrix[float64]) { m.Value[1] = math.NaN() },
		"the count is +Inf":      func(p *Params, m *sparse.Matrix[float64]) { m.Value[1] = math.Inf(1) },
		"expected a square":      func(p *Params, m *sparse.Matrix[float64]) { m.Cols = 3 },
		"column 1 after 1":       func(p *Params, m *sparse.Matrix[float64]) { m.Index[0] = 1 },
		"no entries":             func(p *Params, m *sparse.Matrix[float64]) { *m = sparse.Matrix[float64]{Start: []int64{0}} },
		"epoch 1 of 9: the loss": func(p *Params, m *sparse.Matrix[float64]) { p.Epochs, p.Rate, m.Value[0] = 9, 1e18, 1e300 },
	} {
		p, m := good, small()
		spoil(&p, m)
		if r, err := Train(context.Background(), m, p, nil); err == nil || r != nil || !strings.HasPrefix(err.Error(), "glove: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func ExampleTrain() {
	// Four words in two groups.
	counts := &sparse.Matrix[float64]{
		Rows: 4, Cols: 4,
		Start: []int64{0, 2, 4, 6, 8},
		Index: []int32{0, 1, 0, 1, 2, 3, 2, 3},
		Value: []float64{5, 50, 50, 5, 5, 50, 50, 5},
	}
	r, err := Train(context.Background(), counts, Params{Dim: 3, Epochs: 200, Rate: 0.05, XMax: 100, Exponent: 0.75, Rule: Rule2018, Seed: 1}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(r.Vectors), "components; loss below a hundredth:", r.Loss[199] < r.Loss[0]/100)
	// Output: 12 components; loss below a hundredth: true
}

func TestTrainer(t *testing.T) {
	trainertest.Test(t, trainertest.Trainer[Params]{
		Name: "glove", Passes: 3,
		Params: Params{Dim: 20, Epochs: 3, Rate: 0.05, XMax: 100, Exponent: 0.75, Rule: Rule2018, Seed: 1},
		Train:  Train,
		Seed:   func(p *Params, seed uint64) { p.Seed = seed },
		Bad: map[string]func(*Params){
			"dim 0":         func(p *Params) { p.Dim = 0 },
			"epochs 0":      func(p *Params) { p.Epochs = 0 },
			"rate NaN":      func(p *Params) { p.Rate = math.NaN() },
			"rate -1":       func(p *Params) { p.Rate = -1 },
			"rate 0.0001":   func(p *Params) { p.Rate, p.Rule = 1e-4, Rule2020 },
			"x_max 0":       func(p *Params) { p.XMax = 0 },
			"exponent -0.5": func(p *Params) { p.Exponent = -0.5 },
			`rule "best"`:   func(p *Params) { p.Rule = "best" },
		},
		Empty: "no entries",
	})
}
