package score

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"testing"
)

// contest draws n items and two systems that see the gold scores through noise.
func contest(name string, n int, noiseA, noiseB float64, random *rand.Rand) Contest {
	c := Contest{Name: name, First: terms("a", upTo(n)...), Second: terms("b", upTo(n)...)}
	for range n {
		g := random.NormFloat64()
		c.Gold = append(c.Gold, g)
		c.A, c.B = append(c.A, g+noiseA*random.NormFloat64()), append(c.B, g+noiseB*random.NormFloat64())
	}
	return c
}

func outcomes(t *testing.T, contests []Contest, of WeightedCorrelation, draws int) []Outcome {
	t.Helper()
	all, err := Compare(t.Context(), contests, of, draws, 1)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A comparison finds the better system, the other way round when
// they change places, and nothing between a system and itself.
func TestCompare(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 0))
	contests := []Contest{contest("one", 80, 1, 0.2, random), contest("two", 120, 1, 0.3, random)}
	for _, of := range []WeightedCorrelation{WeightedPearson, WeightedSpearman} {
		all := outcomes(t, contests, of, 500)
		if len(all) != 3 || all[2].Name != Mean || all[2].Items != 200 {
			t.Fatalf("%+v", all)
		}
		var swapped, same []Contest
		for _, c := range contests {
			swapped = append(swapped, Contest{c.Name, c.First, c.Second, c.Gold, c.B, c.A})
			same = append(same, Contest{c.Name, c.First, c.Second, c.Gold, c.A, c.A})
		}
		back, none := outcomes(t, swapped, of, 500), outcomes(t, same, of, 500)
		for i, o := range all {
			if o.Better() != 1 || !(o.Difference.Low > 0) || !(o.Difference.Low <= o.Difference.Value) || !(o.Difference.Value <= o.Difference.High) {
				t.Errorf("%s: B is not better: %v, p %v", o.Name, o.Difference.Value, o.Adjusted)
			}
			if o.Adjusted < o.P || o.Adjusted > 3*o.P {
				t.Errorf("%s: p %v became %v", o.Name, o.P, o.Adjusted)
			}
			if b := back[i]; b.Better() != -1 || b.A != o.B || b.B != o.A || b.Difference.Value != -o.Difference.Value || math.Abs(b.Difference.Low+o.Difference.High) > 1e-12 || b.P != o.P {
				t.Errorf("%s: swapped %+v", o.Name, b)
			}
			if n := none[i]; n.Better() != 0 || n.Difference.Value != 0 || n.Difference.Low != 0 || n.Difference.High != 0 || n.P != 1 {
				t.Errorf("%s: of equals %+v", o.Name, n)
			}
		}
		if d := (all[0].Difference.Value + all[1].Difference.Value) / 2; math.Abs(all[2].Difference.Value-d) > 1e-12 {
			t.Errorf("mean %v, want %v", all[2].Difference.Value, d)
		}
	}
}

// Between systems of equal noise a difference is seen about once in twenty times, not more often than chance has it.
func TestCompareOfEquals(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 0))
	const times = 150
	seen := 0
	for range times {
		if outcomes(t, []Contest{contest("x", 60, 0.7, 0.7, random)}, WeightedPearson, 200)[0].Better() != 0 {
			seen++
		}
	}
	// Five standard errors above 5 %, and 3 % more, by which the bootstrap of 60 items is known to be short.
	if limit := times * (0.08 + 5*math.Sqrt(0.05*0.95/times)); float64(seen) > limit {
		t.Errorf("a difference %d times in %d, want at most %v", seen, times, limit)
	}
}

// A system that is better about one text alone, which many pairs share, is not better for certain.
func TestCompareKnowsSharedTexts(t *testing.T) {
	random := rand.New(rand.NewPCG(10, 0))
	c := contest("shared", 200, 1, 1, random)
	for i := range 60 {
		c.Second[i], c.B[i] = "the same", c.Gold[i]
	}
	shared := outcomes(t, []Contest{c}, WeightedPearson, 400)[0]
	c.Second = terms("b", upTo(200)...)
	apart := outcomes(t, []Contest{c}, WeightedPearson, 400)[0]
	if s, a := shared.Difference.High-shared.Difference.Low, apart.Difference.High-apart.Difference.Low; !(s > 1.3*a) {
		t.Errorf("an interval of %v where 60 pairs share a text, %v where none do", s, a)
	}
}

func TestCompareErrors(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 0))
	c := contest("flat", 10, 1, 1, random)
	clear(c.B)
	if _, err := Compare(t.Context(), []Contest{c}, WeightedPearson, 10, 1); err == nil {
		t.Error("no error for a constant system")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Compare(ended, []Contest{contest("x", 10, 1, 1, random)}, WeightedSpearman, 10, 1); err == nil {
		t.Error("no error of a context that has ended")
	}
}

// Weighted correlations are those of the items written out.
func TestWeightedPearson(t *testing.T) {
	random := rand.New(rand.NewPCG(12, 0))
	for range 50 {
		c := contest("x", 12, 1, 1, random)
		of, err := WeightedPearson(c.A, c.Gold)
		if err != nil {
			t.Fatal(err)
		}
		weights := make([]int32, 12)
		var x, y []float64
		for i := range weights {
			weights[i] = random.Int32N(3)
			for range weights[i] {
				x, y = append(x, c.A[i]), append(y, c.Gold[i])
			}
		}
		want, err := Pearson(x, y)
		if err != nil {
			want = math.NaN()
		}
		if got := of(weights); !(math.Abs(got-want) < 1e-12) && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%v, want %v", got, want)
		}
		for i := range weights { // one item many times is constant
			weights[i] = 0
		}
		weights[3] = 5
		if got := of(weights); !math.IsNaN(got) {
			t.Errorf("%v of a constant", got)
		}
	}
}

func ExampleCompare() {
	gold := []float64{1, 2, 3, 4, 5, 6}
	all, err := Compare(context.Background(), []Contest{{
		Name: "six pairs", First: []string{"a", "b", "c", "d", "e", "f"}, Second: []string{"u", "v", "w", "x", "y", "z"},
		Gold: gold, A: []float64{3, 1, 2, 6, 4, 5}, B: []float64{1, 2, 3, 4, 6, 5},
	}}, WeightedSpearman, 1000, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("A %.2f, B %.2f, better: %d\n", all[0].A, all[0].B, all[0].Better())
	// Output:
	// A 0.66, B 0.94, better: 0
}
