package usage

import (
	"math"
	"testing"

	"contextmover/cmdlib"
	"contextmover/cmdlib/english"
	"contextmover/cmdlib/ot/cpu"
)

// A use is what stands around it: of unit length, without the word itself, whatever is unknown, and nearer to a use
// among the same words than to another.
func TestUseVectors(t *testing.T) {
	s, err := english.Open(cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ids := func(words ...string) (list []int32) {
		for _, w := range words {
			id, ok := s.ID(w)
			if !ok {
				id = -1
			}
			list = append(list, id)
		}
		return list
	}
	river, money := ids("the", "bank", "of", "the", "river"), ids("a", "bank", "lends", "money")
	boat := ids("boats", "along", "the", "bank", "xqzzy", "bank")
	v, err := newUseVectors(s, append(append(append([]int32{}, river...), money...), boat...))
	if err != nil {
		t.Fatal(err)
	}
	at := func(sentence []int32, i int) []float64 {
		x := make([]float64, v.dim)
		if !v.at(x, sentence, i) {
			t.Fatalf("no vector of %v", sentence)
		}
		return x
	}
	dot := func(x, y []float64) (sum float64) {
		for i := range x {
			sum += x[i] * y[i]
		}
		return sum
	}
	x, y, z := at(river, 1), at(money, 1), at(boat, 3)
	if math.Abs(dot(x, x)-1) > 1e-12 || !(dot(x, z) > dot(y, z)) {
		t.Errorf("length² %v, cosines %v with river and %v with money", dot(x, x), dot(x, z), dot(y, z))
	}
	if v.at(make([]float64, v.dim), boat[3:], 0) {
		t.Error("a vector of a use among unknown words")
	}
	if _, err := newUseVectors(&cmdlib.Space{Data: new(cmdlib.Data)}, nil); err != cmdlib.ErrNoVectors {
		t.Errorf("of a space without vectors: %v", err)
	}
}
