package sentence

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/reference"
)

// renumbered returns the world whose word i is word to[i] of w.
func (w *world) renumbered(to []int) *world {
	v := &world{ground: w.ground, estimates: &estimate.Estimates{
		Histograms: ot.Histograms{K: bins}, Known: make([]bool, words), Mass: make([]float64, words),
	}}
	for i, at := range to {
		v.vectors = append(v.vectors, w.vectors[at*dim:(at+1)*dim]...)
		v.probability = append(v.probability, w.probability[at])
		v.estimates.Data = append(v.estimates.Data, w.estimates.Row(at)...)
		v.estimates.Known[i], v.estimates.Mass[i] = w.estimates.Known[at], w.estimates.Mass[at]
	}
	return v
}

// methods are those that score pairs, by name.
func (w *world) methods() map[string]Method {
	weights := Weighting{SIF, 1e-3}
	points := w.points()
	points.Weighting = weights
	average := HistogramAverage{Estimates: w.estimates, Probability: w.probability, Weighting: Weighting{InverseMarginal, 1e-3}}
	barycenter := w.barycenter(false)
	barycenter.Settings.MaxIter = 50
	transport := func(c Combiner, mix float64) Transport {
		return Transport{
			Combiner: c, Ground: w.ground, Engine: reference.New(), Settings: ot.Settings{Reg: 0.1, MaxIter: 50},
			Mix: mix, Points: points,
		}
	}
	return map[string]Method{
		"nbow":    VectorAverage{Points: Points{Vectors: w.vectors, Dim: dim}},
		"sif":     VectorAverage{Points: Points{Vectors: w.vectors, Dim: dim, Probability: w.probability, Weighting: weights}},
		"wmd":     WordMover{Points: points},
		"wrd":     WordMover{Points: points, Rotator: true},
		"wmd, λ":  WordMover{Points: points, Engine: reference.New(), Settings: ot.Settings{Reg: 0.1, MaxIter: 50}},
		"average": transport(average, 0), "mix": transport(average, 0.3), "comb": transport(barycenter, 0),
		"nearest": NearestWords{Points: points},
		"overlap": Overlap{Combiner: average, Between: func(p, q []float32) (sum float64) {
			for i, x := range p {
				sum += math.Abs(float64(x) - float64(q[i]))
			}
			return sum
		}},
	}
}

// Equal texts have equal scores, to the last bit, whatever the order of their words and sides and however words are
// numbered. Of transport between histograms the direction counts: rows of a plan are exact, columns up to its error.
func TestEqualTextsTie(t *testing.T) {
	w := newWorld(t, ground.Euclidean)
	random := rand.New(rand.NewPCG(11, 12))
	to := random.Perm(words)
	from := make([]int32, words)
	for i, at := range to {
		from[at] = int32(i)
	}
	var pairs, shuffled, numbered, turned, same []Pair
	shuffle := func(s Sentence) Sentence {
		s = slices.Clone(s)
		random.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
		return s
	}
	number := func(s Sentence) (n Sentence) {
		for _, word := range s {
			n = append(n, from[word])
		}
		return n
	}
	for range 60 {
		var p Pair
		for _, s := range []*Sentence{&p.A, &p.B} {
			for range 2 + random.IntN(10) {
				*s = append(*s, 2+random.Int32N(words/2))
			}
		}
		pairs = append(pairs, p)
		shuffled = append(shuffled, Pair{shuffle(p.A), shuffle(p.B)})
		numbered = append(numbered, Pair{number(shuffle(p.A)), number(shuffle(p.B))})
		turned = append(turned, Pair{shuffle(p.B), shuffle(p.A)})
		same = append(same, Pair{p.A, shuffle(p.A)})
	}
	again := w.renumbered(to).methods()
	for name, m := range w.methods() {
		score := func(m Method, pairs []Pair) []uint64 {
			s, err := m.Score(t.Context(), pairs)
			if err != nil {
				t.Fatal(err)
			}
			var bits []uint64
			for _, x := range s.Value {
				bits = append(bits, math.Float64bits(x))
			}
			return bits
		}
		want := score(m, pairs)
		if !slices.Equal(score(m, shuffled), want) {
			t.Errorf("%s: other scores of words in another order", name)
		}
		if !slices.Equal(score(again[name], numbered), want) {
			t.Errorf("%s: other scores of words with other numbers", name)
		}
		transport := name == "average" || name == "mix" || name == "comb"
		if !transport && !slices.Equal(score(m, turned), want) {
			t.Errorf("%s: other scores of sides in another order", name)
		}
		exactly := map[string]float64{"nbow": 1, "sif": 1, "wmd": 0, "wrd": 0, "overlap": 0, "cosine": 0}
		if want, ok := exactly[name]; ok {
			for i, x := range score(m, same) {
				if x != math.Float64bits(want) {
					t.Errorf("%s: %v of equal texts %v, expected exactly %v", name, math.Float64frombits(x), same[i], want)
				}
			}
		}
	}
}
