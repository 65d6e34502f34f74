package cmdlib

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// byVectors has a space compare by its vectors.
func byVectors(c Contents) Contents {
	chosen := Chosen{Method: SIF}
	c.Settings.Defaults = Defaults{Texts: chosen, Words: chosen}
	return c
}

// The contributions of pairs and what components took sum to the cosine, to 1e-12 of what is summed, and the cosine is
// the inner product of what Encoder makes; of random texts, with words twice, unknown ones, and single ones, in
// folders and packed.
func TestCosineIsItsSum(t *testing.T) {
	s := open(t, write(t, byVectors(contents(t, 300, 8, 25))))
	random := rand.New(rand.NewPCG(7, 8))
	text := func() string {
		words := make([]string, 1+random.IntN(12))
		for i := range words {
			words[i] = s.Words[random.IntN(len(s.Words))]
			if random.IntN(6) == 0 {
				words[i] = "xqzzy"
			}
		}
		return strings.Join(words, " ") + " rock"
	}
	for _, s := range []*Space{s, packed(t, s, 0, nil)} {
		for range 100 {
			from, to := text(), text()
			c, err := s.Compare(t.Context(), from, to)
			if err != nil {
				t.Fatal(err)
			}
			sum, size := floats.Sum(c.Removed), floats.Norm(c.Removed, 1)
			for _, row := range c.Pairs {
				sum += floats.Sum(row)
				size += floats.Norm(row, 1)
			}
			if math.Abs(sum-c.Similarity) > 1e-12*size {
				t.Fatalf("%q and %q: cosine %v, sum %v", from, to, c.Similarity, sum)
			}
			v := encode(t, s, from, to)
			if d := dot(v[0], v[1]); math.Abs(d-c.Similarity) > 1e-5 {
				t.Fatalf("%q and %q: cosine %v, of Encoder %v", from, to, c.Similarity, d)
			}
		}
	}
	same, err := s.Compare(t.Context(), "rock music", "rock music")
	if err != nil || math.Abs(same.Similarity-1) > 1e-12 || math.Abs(same.Distance) > 1e-12 {
		t.Errorf("a text with itself: %v, %v", same.Similarity, err)
	}
	if top := same.Largest(10); len(top) == 0 || top[0][0] != top[0][1] {
		t.Errorf("the largest contributions are %v", top)
	}
}

// Neighbours by vectors are the words with the greatest cosines, as Compare says of each pair, and standings are their
// places.
func TestNearest(t *testing.T) {
	whole := open(t, write(t, byVectors(contents(t, 120, 8, 15))))
	for _, s := range []*Space{whole, packed(t, whole, 0, nil)} {
		for _, text := range []string{"rock", "rock music xqzzy"} {
			found, err := s.Neighbours(t.Context(), text, 7)
			if err != nil {
				t.Fatal(err)
			}
			type near struct {
				word     string
				distance float64
			}
			var all []near
			for _, word := range s.Words {
				if word == text {
					continue
				}
				c, err := s.Compare(t.Context(), text, word)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, near{word, c.Distance})
			}
			slices.SortStableFunc(all, func(a, b near) int {
				if a.distance < b.distance {
					return -1
				}
				return 1
			})
			if found.Compared != len(all) {
				t.Errorf("%q: %d compared of %d", text, found.Compared, len(all))
			}
			for i, n := range found.Nearest {
				if n.Word != all[i].word || math.Abs(n.Distance-all[i].distance) > 1e-5 {
					t.Errorf("%q: number %d is %v, want %v", text, i, n, all[i])
				}
			}
		}
		near, err := s.Neighbours(t.Context(), "rock", 3)
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.Compare(t.Context(), "rock", near.Nearest[2].Word)
		if err != nil {
			t.Fatal(err)
		}
		standing, err := c.Standing(t.Context())
		if err != nil || standing.To != 3 || standing.Texts {
			t.Errorf("the third neighbour stands at %+v, %v", standing, err)
		}
		random, err := c.encoder.random(t.Context(), 0, 0)
		if err != nil || len(random) != RandomPairs || !slices.IsSorted(random) || random[0] < -1e-9 || random[RandomPairs-1] > 2 {
			t.Errorf("random distances %v, %v", random, err)
		}
	}
}

// Texts of which no word is known are errors with advice, and so are spaces without vectors.
func TestCosineErrors(t *testing.T) {
	s := open(t, write(t, byVectors(contents(t, 50, 6, 4))))
	var unknown *UnknownError
	if _, err := s.Compare(t.Context(), "elephant", "elephnat"); !errors.As(err, &unknown) || !strings.Contains(err.Error(), "did you mean") {
		t.Errorf("error %v", err)
	}
	if _, err := s.Neighbours(t.Context(), "", 3); !errors.As(err, &unknown) {
		t.Errorf("error %v", err)
	}
	if _, err := s.Neighbours(t.Context(), "rock", 0); err == nil {
		t.Error("no neighbours were asked for")
	}
	without := *s
	without.Vectors = nil
	_, errC := without.Encoder()
	_, errN := without.With(Options{Method: SIF})
	for _, err := range []error{errC, errN} {
		if !errors.Is(err, ErrNoVectors) {
			t.Errorf("error %v", err)
		}
	}
}

// The standing of a cosine does not depend on words that the method leaves out.
func TestStandingOfWordsLeftOut(t *testing.T) {
	s := open(t, write(t, contents(t, 300, 6, 8)))
	asked, err := s.With(Options{Method: "nbow"})
	if err != nil {
		t.Fatal(err)
	}
	var closer [2]float64
	for i, text := range []string{"rock music", "rock music xa xb xc xd xe xf xg xh"} {
		c, err := asked.Compare(t.Context(), text, "elephant eleven")
		if err != nil {
			t.Fatal(err)
		}
		standing, err := c.Standing(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		closer[i] = standing.Closer
	}
	if closer[0] != closer[1] {
		t.Errorf("closer than %v of random pairs, with words that are left out %v", closer[0], closer[1])
	}
}
