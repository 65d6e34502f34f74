package cmdlib

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"contextmover/cmdlib/sentence"
)

// encode returns the vectors of texts.
func encode(t testing.TB, s *Space, texts ...string) [][]float32 {
	t.Helper()
	all, err := encoded32(t.Context(), s, texts)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]float32
	for row := range slices.Chunk(all, s.Dim) {
		rows = append(rows, row)
	}
	return rows
}

func encoded32(ctx context.Context, s *Space, texts []string) ([]float32, error) {
	e, err := s.Encoder()
	if err != nil {
		return nil, err
	}
	return e.Encode(ctx, texts)
}

func dot(x, y []float32) (sum float64) {
	for i, v := range x {
		sum += float64(v) * float64(y[i])
	}
	return sum
}

// Vectors of texts are what their definition says, have length 1, and do not depend on the other texts.
func TestEncode(t *testing.T) {
	s := open(t, write(t, contents(t, 200, 8, 6)))
	texts := []string{"rock music", "the elephant, elegant", "word20 word21 word22", "xqzzy", "elephant"}
	all := encode(t, s, texts...)
	for i, text := range texts {
		if got := encode(t, s, text)[0]; !slices.Equal(got, all[i]) {
			t.Errorf("%q alone is %v, among others %v", text, got, all[i])
		}
		if d := dot(all[i], all[i]); math.Abs(d-1) > 1e-6 {
			t.Errorf("%q has the squared length %v", text, d)
		}
	}
	// By hand.
	x := make([]float64, s.Dim)
	for _, word := range []string{"rock", "music"} {
		id, _ := s.ID(word)
		v := s.Vectors[int(id)*s.Dim : (int(id)+1)*s.Dim]
		w := 1e-3 / (1e-3 + s.Probability(id)) / math.Sqrt(dot(v, v))
		for j := range x {
			x[j] += w * float64(v[j])
		}
	}
	before := slices.Clone(x)
	for k, u := range s.components.Directions {
		floats.AddScaled(x, -s.components.Shares[k]*floats.Dot(before, u), u)
	}
	floats.Scale(1/floats.Norm(x, 2), x)
	for j := range x {
		if math.Abs(x[j]-float64(all[0][j])) > 1e-5 {
			t.Fatalf("the vector of %q is %v, want %v", texts[0], all[0], x)
		}
	}
	if n := len(s.components.Directions); n != 2 || math.Abs(floats.Sum(s.components.Shares)-1) > 1e-12 {
		t.Errorf("%d components with the shares %v", n, s.components.Shares)
	}
	// No word at all.
	if empty := encode(t, s, "", "  ")[1]; dot(empty, empty) != 0 {
		t.Errorf("a text without a word is %v", empty)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := encoded32(ctx, s, texts); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A word that the space does not know counts: texts that share one
// are nearer than those that do not, and each is always the same.
func TestUnknownWordsHaveVectorsOfTheirOwn(t *testing.T) {
	s := open(t, write(t, contents(t, 200, 8, 200)))
	v := encode(t, s, "xqzzy rock", "xqzzy music", "plugh music")
	if same, other := dot(v[0], v[1]), dot(v[0], v[2]); same < other+0.3 {
		t.Errorf("cosine %v with the same unknown word, %v with another", same, other)
	}
	u := encode(t, s, "xqzzy", "plugh", "xqzzy")
	if d := dot(u[0], u[1]); !slices.Equal(u[0], u[2]) || math.Abs(d) > 4/math.Sqrt(200) {
		t.Errorf("own vectors: cosine %v of two words, of one %v", d, dot(u[0], u[2]))
	}
}

// The components are those of random words: of a great many that are drawn.
func TestComponentsAreThoseOfRandomWords(t *testing.T) {
	c := contents(t, 40, 5, 4)
	for i := range c.Vectors[:len(c.Vectors)/c.Dim] {
		c.Vectors[i*c.Dim] += 1 // so that there is a common direction
	}
	s := open(t, write(t, c))
	random := rand.New(rand.NewPCG(3, 4))
	var below []float64
	sum := 0.0
	for id := range s.Words {
		sum += s.Probability(int32(id))
		below = append(below, sum)
	}
	const n = 200_000
	points, row := make([]float64, n*s.Dim), make([]float32, s.Dim)
	for i := range n {
		id, _ := slices.BinarySearch(below, sum*random.Float64())
		s.Vector(row, int32(id))
		w := s.Settings.Encoding.A / (s.Settings.Encoding.A + s.Probability(int32(id)))
		for j, x := range row {
			points[i*s.Dim+j] = w * float64(x)
		}
	}
	drawn, err := sentence.FitComponents(t.Context(), points, s.Dim, 2)
	if err != nil {
		t.Fatal(err)
	}
	for k, u := range drawn.Directions {
		if d := math.Abs(floats.Dot(u, s.components.Directions[k])); d < 0.999 {
			t.Errorf("component %d has the cosine %v with that of drawn words", k, d)
		}
		if a, b := drawn.Shares[k], s.components.Shares[k]; math.Abs(a-b) > 0.01 {
			t.Errorf("component %d has the share %v, of drawn words %v", k, b, a)
		}
	}
}

// A packed space encodes nearly as the one it comes from; with fewer dimensions
// too, where the others hold nothing; words with a vector alone take part.
func TestPackedSpacesEncode(t *testing.T) {
	c := contents(t, 200, 8, 12)
	for i := range c.Vectors {
		if i%c.Dim >= 8 {
			c.Vectors[i] = 0
		}
	}
	s := open(t, write(t, c))
	texts := []string{"rock music", "elephant mammal eleven", "word20 xqzzy", "word150 word151"}
	want := encode(t, s, texts...)
	for name, p := range map[string]Packing{
		"all": {}, "fewer dimensions": {Dim: 8}, "fewer estimates": {Words: 20, Vectors: 200},
	} {
		small := packedAs(t, s, p)
		got := encode(t, small, texts...)
		for i, text := range texts {
			if p.Dim > 0 {
				continue
			}
			if d := dot(want[i], got[i]); d < 0.999 {
				t.Errorf("%s: %q has the cosine %v with what it was", name, text, d)
			}
		}
		if p.Dim == 0 {
			continue
		}
		known := dot(want[0], want[1])
		if d := dot(got[0], got[1]); math.Abs(d-known) > 0.01 {
			t.Errorf("%s: cosine %v, was %v", name, d, known)
		}
	}
	few := packedAs(t, s, Packing{Words: 20, Vectors: 200})
	estimates := 0
	for _, word := range few.Words {
		if few.Has(word) {
			estimates++
		}
	}
	if estimates != 20 || len(few.Words) < 190 {
		t.Errorf("%d words, %d with an estimate", len(few.Words), estimates)
	}
	if _, err := few.Compare(t.Context(), "word150", "rock"); err == nil {
		t.Error("a word without an estimate has a distance")
	}
	if _, err := s.packed(t.Context(), Packing{Dim: 13}); err == nil {
		t.Error("packed with more dimensions than there are")
	}
}

// A space without vectors, or without what texts are encoded by, says so.
func TestEncodeErrors(t *testing.T) {
	c := contents(t, 50, 6, 4)
	c.Settings.Encoding = Encoding{}
	s := open(t, write(t, c))
	if _, err := encoded32(t.Context(), s, []string{"rock"}); err == nil {
		t.Error("encoded without components")
	}
	without := *s
	without.Vectors = nil
	if _, err := encoded32(t.Context(), &without, []string{"rock"}); !errors.Is(err, ErrNoVectors) {
		t.Errorf("error %v", err)
	}
	for _, e := range []Encoding{
		{A: -1}, {A: math.NaN()}, {A: 1, Components: -1}, {A: 1, Components: 1000},
	} {
		c.Settings.Encoding = e
		if err := Write(t.Context(), filepath.Join(t.TempDir(), "space"), c); err == nil {
			t.Errorf("%+v was written", e)
		}
	}
	if _, err := readComponents([]float32{2, 0}, []float64{1}, 2); err == nil {
		t.Error("a component of length 2 was read")
	}
	if _, err := readComponents([]float32{1, 0, 1, 0}, []float64{0.5, 0.5}, 2); err == nil {
		t.Error("a component was read twice")
	}
}

func BenchmarkEncode(b *testing.B) {
	s := open(b, write(b, contents(b, 2000, 8, 300)))
	texts := make([]string, 1000)
	for i := range texts {
		texts[i] = "word20 word30 word40 word50 word60 word70 word80 word90 , word100 word110 ."
	}
	for b.Loop() {
		if _, err := encoded32(b.Context(), s, texts); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*len(texts))/b.Elapsed().Seconds(), "texts/s")
}
