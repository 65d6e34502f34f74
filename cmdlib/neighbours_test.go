package cmdlib

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/internal/relaxation"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/ot/exact"
	"contextmover/cmdlib/ot/reference"
	"contextmover/cmdlib/sparse"
)

// peaked gives histograms few large bins, as words have, some of them none at all.
func peaked(h ot.Histograms, random *rand.Rand) {
	for i := range h.Len() {
		row := h.Row(i)
		sum := float32(0)
		for j := range row {
			row[j] = 0
			if random.IntN(3) > 0 {
				row[j] = float32(math.Pow(random.ExpFloat64(), 4))
			}
			sum += row[j]
		}
		if sum == 0 {
			row[random.IntN(len(row))], sum = 1, 1
		}
		for j := range row {
			row[j] /= sum
		}
	}
}

// randomCost has a zero diagonal or none, and is symmetric or not.
func randomCost(k int, metric bool, random *rand.Rand) ot.Cost {
	c := ot.Cost{K: k, Data: make([]float32, k*k)}
	for i := range k {
		for j := range k {
			c.Data[i*k+j] = random.Float32()
			if metric && j < i {
				c.Data[i*k+j] = c.Data[j*k+i]
			}
			if metric && i == j {
				c.Data[i*k+j] = 0
			}
		}
	}
	return c
}

func TestRelaxationBoundsFromBelow(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	tight := 0
	for round := range 300 {
		k := 1 + random.IntN(12)
		c := randomCost(k, round%2 == 0, random)
		h := ot.Histograms{K: k, Data: make([]float32, 2*k)}
		peaked(h, random)
		a, b := h.Row(0), h.Row(1)
		wide := func(x []float32) []float64 {
			out := make([]float64, len(x))
			for i, v := range x {
				out[i] = float64(v)
			}
			return out
		}
		best, err := exact.Solve(t.Context(), wide(a), wide(b), wide(c.Data))
		if err != nil {
			t.Fatal(err)
		}
		rows := relaxation.New(c, false)
		columns := relaxation.New(c, true)
		// The one-sided minimum over the bins that the other side has.
		minimum := func(x, y []float32, cost func(i, j int) float32) float64 {
			sum := 0.0
			for i := range x {
				least := float32(math.Inf(1))
				for j := range y {
					if y[j] > 0 {
						least = min(least, cost(i, j))
					}
				}
				sum += float64(x[i]) * float64(least)
			}
			return sum
		}
		for name, v := range map[string][2]float64{
			"rows":    {rows.Bound(a, b, math.Inf(1)), minimum(a, b, func(i, j int) float32 { return c.Data[i*k+j] })},
			"columns": {columns.Bound(b, a, math.Inf(1)), minimum(b, a, func(j, i int) float32 { return c.Data[i*k+j] })},
		} {
			if v[0] > best.Cost+1e-6 || v[0] < v[1]-1e-6 {
				t.Fatalf("round %d, %s: bound %v, cost %v, one-sided minimum %v", round, name, v[0], best.Cost, v[1])
			}
			if v[0] > best.Cost-1e-6 {
				tight++
			}
		}
		full := rows.Bound(a, b, math.Inf(1))
		if part := rows.Bound(a, b, full/2); part <= full/2 && full > 0 || part > full {
			t.Fatalf("round %d: bound %v, %v where half is enough", round, full, part)
		}
	}
	if tight < 30 {
		t.Errorf("only %d of 600 bounds are tight", tight)
	}
}

// Search must find exactly what solving all problems finds, bit by bit, also after so
// few iterations that plans miss their histograms.
func TestSearchEqualsBruteForce(t *testing.T) {
	const words, k = 5000, 12
	for _, test := range []struct {
		queries, iterations int
		metric              bool
		solved              float64 // at most this share
	}{{100, 60, true, 0.5}, {100, 60, false, 0.7}, {4, 2, true, 1}, {4, 1, false, 1}} {
		t.Run(fmt.Sprintf("%d iterations, metric %v", test.iterations, test.metric), func(t *testing.T) {
			random := rand.New(rand.NewPCG(3, uint64(test.iterations)))
			c := contents(t, words, k, 3)
			peaked(c.Histograms, random)
			clear(c.Histograms.Row(3))
			c.Cost = randomCost(k, test.metric, random)
			c.Settings.Transport = ot.Settings{Reg: 0.05, MaxIter: test.iterations}
			s, err := Open(write(t, c), cpu.New())
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			solved, compared := 0, 0
			for q := range test.queries {
				id := int32(random.IntN(words))
				text, n := s.Words[id], 1+random.IntN(20)
				if q%2 == 1 {
					text += " " + s.Words[random.IntN(words)]
				}
				read := s.read(text)
				self := read.word()
				query, err := s.compared(t.Context(), read)
				if err != nil { // the word without an estimate
					continue
				}
				p := &ot.Problem{Settings: s.Settings.Transport, Cost: s.Cost}
				p.Rows = ot.Histograms{K: k, Data: slices.Concat(query[0].Histogram, decoded(t, s).Data)}
				var want []found
				for w := range int32(words) {
					if w != self && s.known(w) {
						want = append(want, found{Position: int64(w)})
						p.Pairs = append(p.Pairs, ot.Pair{Source: 0, Target: w + 1})
					}
				}
				results, err := ot.Distances(t.Context(), s.Engine, p)
				if err != nil {
					t.Fatal(err)
				}
				for i, r := range results {
					want[i].Value = r.Cost
				}
				slices.SortFunc(want, func(a, b found) int {
					return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.Position, b.Position))
				})
				found, err := s.Neighbours(t.Context(), text, n)
				if err != nil {
					t.Fatal(err)
				}
				for i, neighbour := range found.Nearest {
					if w := want[i]; neighbour != (Neighbour{s.Words[w.Position], w.Value}) {
						t.Fatalf("%q: neighbour %d is %v, want %q at %v", text, i, neighbour, s.Words[w.Position], w.Value)
					}
				}
				if len(found.Nearest) != n || found.Compared != len(want) {
					t.Fatalf("%d neighbours of %d, %d compared of %d", len(found.Nearest), n, found.Compared, len(want))
				}
				solved += found.Solved
				compared += found.Compared
			}
			share := float64(solved) / float64(compared)
			t.Logf("%.1f %% of the problems solved", 100*share)
			if share > test.solved {
				t.Errorf("%.0f %% of the problems solved, expected at most %.0f %%", 100*share, 100*test.solved)
			}
		})
	}
}

// explained is a space that keeps its associations.
func explained(t testing.TB) (*Space, Contents) {
	t.Helper()
	const words, k = 60, 20
	random := rand.New(rand.NewPCG(5, 6))
	c := contents(t, words, k, 3)
	m := &sparse.Matrix[float32]{Rows: words, Cols: words, Start: []int64{0}}
	for range words {
		for j := range int32(words) {
			if random.IntN(3) == 0 {
				m.Index = append(m.Index, j)
				m.Value = append(m.Value, float32(random.IntN(6))+0.5)
			}
		}
		m.Start = append(m.Start, int64(len(m.Index)))
	}
	c.Associations, c.Assignment = m, make([]int32, words)
	for i := range c.Assignment {
		c.Assignment[i] = int32(random.IntN(k+1)) - 1
	}
	// The histograms that belong to them, without a normalisation of columns.
	clear(c.Histograms.Data)
	for w := range words {
		index, value := m.Row(w)
		row, sum := c.Histograms.Row(w), float32(0)
		for i, j := range index {
			if bin := c.Assignment[j]; bin >= 0 {
				row[bin] += value[i]
				sum += value[i]
			}
		}
		for bin := range row {
			row[bin] /= sum
		}
	}
	dir := write(t, c)
	if err := Verify(t.Context(), dir); err != nil {
		t.Error(err)
	}
	return open(t, dir), c
}

func TestSourcesBruteForce(t *testing.T) {
	s, c := explained(t)
	for w := range int32(60) {
		row := s.row(w)
		for bin := range s.Cost.K {
			larger := 0 // bins with more mass
			for _, x := range row {
				if x > row[bin] {
					larger++
				}
			}
			var want []Source
			total := 0.0
			index, value := c.Associations.Row(int(w))
			for i, j := range index {
				if c.Assignment[j] == int32(bin) {
					want = append(want, Source{s.Words[j], float64(value[i])})
					total += float64(value[i])
				}
			}
			slices.SortStableFunc(want, func(a, b Source) int { return cmp.Compare(b.Share, a.Share) })
			want = want[:min(len(want), sourcesPerBin)]
			got, err := s.sources(w, bin)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) == 0 && larger >= sourceBins-4 { // equal bins may take its place
				continue
			}
			if len(got) != len(want) {
				t.Fatalf("word %d, bin %d: sources %v, want %v", w, bin, got, want)
			}
			for i := range got {
				if got[i].Word != want[i].Word || math.Abs(got[i].Share-want[i].Share/total) > 1e-6 {
					t.Fatalf("word %d, bin %d: sources %v, want %v of %v", w, bin, got, want, total)
				}
			}
		}
	}
}

// barren solves distances, but no barycenters.
type barren struct{ ot.Engine }

func (b barren) Prepare(cost ot.Cost) ot.Engine { return barren{b.Engine.Prepare(cost)} }

func (barren) Barycenters(context.Context, *ot.BarycenterProblem, func(int, []ot.Barycenter) error) error {
	return errors.New("a barycenter")
}

// A known word stays whole beside a sentence as it does beside a word, and two words are not
// combined to sentences.
func TestKnownWordsStayWhole(t *testing.T) {
	c := contents(t, 50, 6, 4)
	c.Settings.Sentence.Combination, c.Settings.Sentence.Transport = Barycenter, c.Settings.Transport
	dir := write(t, c)
	s := open(t, dir)
	for _, to := range []string{"rock", "rock music"} {
		d, err := s.Compare(t.Context(), "it's", to)
		if err != nil || !slices.Equal(d.From.Words, []string{"it's"}) || len(d.From.Unknown) > 0 || !slices.Equal(d.To.Words, strings.Fields(to)) {
			t.Errorf("to %q: %+v, %v", to, d, err)
		}
	}
	if a, err := s.Sentence(t.Context(), "it's"); err != nil || !slices.Equal(a.Words, []string{"it's"}) {
		t.Errorf("%+v, %v", a, err)
	}
	s, err := Open(dir, barren{reference.New()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Compare(t.Context(), "it's", "Rock"); err != nil {
		t.Errorf("two words: %v", err)
	}
	if _, err := s.Neighbours(t.Context(), "Rock", 3); err != nil {
		t.Errorf("neighbours of a word: %v", err)
	}
	if _, err := s.Compare(t.Context(), "it's", "rock music"); err == nil || !strings.Contains(err.Error(), "a barycenter") {
		t.Errorf("a sentence: %v", err)
	}
	s.Settings.Sentence.Combination = "mean"
	if _, err := s.Sentence(t.Context(), "rock music"); err == nil || !strings.Contains(err.Error(), `unknown combination "mean"`) {
		t.Errorf("error %v", err)
	}
}

func TestExplain(t *testing.T) {
	s, c := explained(t)
	for _, texts := range [][2]string{{"elephant", "mammal"}, {"Rock", "music"}, {"rock music zyzzyva rock", "an eleven elephant"}} {
		e, err := s.Explain(t.Context(), texts[0], texts[1], 7)
		if err != nil {
			t.Fatal(err)
		}
		d, err := s.Compare(t.Context(), texts[0], texts[1])
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(d.Cost-e.Cost) > 1e-9 || !slices.Equal(d.From.Words, e.From.Words) || !slices.Equal(d.To.Unknown, e.To.Unknown) {
			t.Errorf("%q: distance %v, explained %v", texts, d.Cost, e.Cost)
		}
		if len(e.From.Contexts) != 7 || len(e.To.Contexts) != 7 || len(e.Flows) != 7 || len(e.Kept) == 0 {
			t.Fatalf("%d and %d contexts, %d flows, want 7 each", len(e.From.Contexts), len(e.To.Contexts), len(e.Flows))
		}
		for i, x := range e.From.Contexts {
			if x.Mass != float64(e.From.Histogram[x.Bin]) || i > 0 && x.Mass > e.From.Contexts[i-1].Mass || len(x.Name) == 0 {
				t.Errorf("context %d: %+v", i, x)
			}
			for _, word := range x.Name {
				if id, _ := s.ID(word); c.Assignment[id] != int32(x.Bin) {
					t.Errorf("%q names bin %d, but is in %d", word, x.Bin, c.Assignment[id])
				}
			}
			sum := 0.0
			for _, source := range x.Sources {
				sum += source.Share
			}
			if whole := len(e.From.Words) > 1; sum > 1+1e-6 || whole && sum < 1-1e-6 {
				t.Errorf("the sources of context %d bring %v of it", i, sum)
			}
			for j, y := range e.To.Contexts {
				if e.Moved[i][j] != e.Plan.Mass[x.Bin*20+y.Bin] || e.Costs[i][j] != float64(s.Cost.Data[x.Bin*20+y.Bin]) {
					t.Errorf("moved %v at %v from %d to %d", e.Moved[i][j], e.Costs[i][j], x.Bin, y.Bin)
				}
			}
		}
		stays, kept, moved := 0.0, 0.0, 0.0 // and the largest of either kind
		for at, mass := range e.Plan.Mass {
			if at/20 == at%20 {
				stays, kept = stays+mass, max(kept, mass)
			} else {
				moved = max(moved, mass*float64(s.Cost.Data[at]))
			}
		}
		if math.Abs(stays-e.Stays) > 1e-12 || kept != e.Kept[0].Mass || moved != e.Flows[0].Mass*e.Flows[0].Cost {
			t.Errorf("%v stays, want %v; %+v, %+v", e.Stays, stays, e.Kept[0], e.Flows[0])
		}
		for i, f := range e.Flows {
			if i > 0 && f.Mass*f.Cost > e.Flows[i-1].Mass*e.Flows[i-1].Cost || f.From.Bin == f.To.Bin ||
				f.Mass != e.Plan.Mass[f.From.Bin*20+f.To.Bin] || f.Cost != float64(s.Cost.Data[f.From.Bin*20+f.To.Bin]) {
				t.Errorf("flow %d: %+v", i, f)
			}
		}
		for i, f := range e.Kept {
			if i > 0 && f.Mass > e.Kept[i-1].Mass || f.From.Bin != f.To.Bin || f.Mass != e.Plan.Mass[f.From.Bin*20+f.To.Bin] {
				t.Errorf("kept %d: %+v", i, f)
			}
		}
	}
	if e, err := s.Explain(t.Context(), "rock music rock", "music", 1); err != nil || len(e.From.Contexts[0].Sources) != 2 {
		t.Errorf("%+v, %v, want two sources of two words", e.From.Contexts, err)
	}
	if _, err := s.Explain(t.Context(), "rock", "zyzzyva", 3); err == nil {
		t.Error("no error for an unknown word")
	}
	if _, err := s.Explain(t.Context(), "rock", "music", 0); err == nil {
		t.Error("no error for 0 contexts")
	}
}

// A space without associations names its contexts, but not their sources.
func TestExplainWithoutSources(t *testing.T) {
	s := open(t, write(t, contents(t, 50, 6, 4)))
	e, err := s.Explain(t.Context(), "elephant", "mammal", 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range append(e.From.Contexts, e.To.Contexts...) {
		if len(x.Name) != nameWords || len(x.Sources) != 0 {
			t.Errorf("%+v", x)
		}
	}
}

// A share that is none is not shown, even in a member with the right checksum: the error names file and word.
func TestDamagedSources(t *testing.T) {
	_, c := explained(t)
	for name, first := range map[string]uint32{
		sharesFile:  math.Float32bits(float32(math.NaN())),
		sourcesFile: 1 << 20,
	} {
		path := write(t, c)
		rewrite(t, path, name, func(content []byte) []byte {
			const header = 128
			binary.LittleEndian.PutUint32(content[header:], first)
			return content
		})
		s := open(t, path)
		want := fmt.Sprintf("%s is damaged: %s: word 0, %q: ", path, name, s.Words[0])
		if _, err := s.Explain(t.Context(), s.Words[0], s.Words[1], s.Cost.K); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", name, err, want)
		}
	}
}

func TestWriteAssociationsErrors(t *testing.T) {
	_, good := explained(t)
	for name, change := range map[string]func(c *Contents){
		"no assignment":   func(c *Contents) { c.Assignment = nil },
		"no associations": func(c *Contents) { c.Associations = nil },
		"short":           func(c *Contents) { c.Assignment = c.Assignment[:5] },
		"out of range":    func(c *Contents) { c.Assignment = slices.Repeat([]int32{20}, 60) },
	} {
		c := good
		change(&c)
		if err := Write(t.Context(), filepath.Join(t.TempDir(), "space"), c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
