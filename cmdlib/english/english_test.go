package english

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"contextmover/cmdlib"
	"contextmover/cmdlib/ot/cpu"
)

func open(t testing.TB) *cmdlib.Space {
	t.Helper()
	s, err := Open(cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// fields are words that belong together.
var fields = map[string][]string{
	"elephant": {"elephants", "rhinoceros", "leopard", "ox", "hares", "hare", "walrus", "calf", "tiger", "tigers", "boar", "cats", "cat", "lion", "lions", "wolf", "elk", "moose", "stag",
		"deer", "giraffe", "crocodile", "ape", "hyenas", "buffalo", "camel", "horse", "cow", "sheep", "goat", "beasts", "monkeys", "bear", "beast", "oxen"},
	"guitar": {"guitars", "bass", "saxophone", "percussion", "clarinet", "banjo", "violin", "flute", "drums", "piano", "cello", "trumpet", "instruments", "instrument", "keyboard", "drum", "harp"},
	"london": {"birmingham", "brighton", "paris", "manchester", "bristol", "swansea", "croydon", "liverpool", "norwich", "york", "cambridge", "oxford", "dublin", "edinburgh", "leeds", "kensington"},
	"king":   {"prince", "nephew", "regent", "duke", "kings", "queen", "grandson", "son", "throne", "brother", "emperor", "monarch", "crown", "heir", "reign", "princess"},
}

// The nearest words of a word are mostly of its kind, as anybody would say.
func TestNeighboursMakeSense(t *testing.T) {
	s := open(t)
	for word, field := range fields {
		near, err := s.ByTransport().Neighbours(t.Context(), word, 10)
		if err != nil {
			t.Fatal(err)
		}
		fits := 0
		for _, n := range near.Nearest {
			if slices.Contains(field, n.Word) {
				fits++
			}
		}
		if fits < 7 {
			t.Errorf("%s: %d of the ten nearest are of its kind: %v", word, fits, near.Nearest)
		}
	}
}

// So they are by vectors, more so; texts have vectors.
func TestNearestMakeSense(t *testing.T) {
	s := open(t)
	for word, field := range fields {
		near, err := s.Neighbours(t.Context(), word, 10)
		if err != nil {
			t.Fatal(err)
		}
		fits := 0
		for _, n := range near.Nearest {
			if slices.Contains(field, n.Word) {
				fits++
			}
		}
		if fits < 4 {
			t.Errorf("%s: %d of the ten nearest are of its kind: %v", word, fits, near.Nearest)
		}
	}
	for text, want := range map[string]string{"two words": cmdlib.Nearest, "elephant": cmdlib.SIF} {
		if m := s.Default(text); m != want {
			t.Errorf("%q is compared by %s, want %s", text, m, want)
		}
	}
}

// What the explanation of a calibrated cosine says it does not see, it does not: opposites are called alike, as much as
// texts that say the same. This is no wish, but what users are told.
func TestOppositesAreNotSeen(t *testing.T) {
	s := open(t)
	people := func(from, to string) float64 {
		c, err := s.Compare(t.Context(), from, to)
		if err != nil {
			t.Fatal(err)
		}
		if s.Calibration == nil {
			t.Fatal("no calibration")
		}
		return s.Calibration.At(c.Similarity)
	}
	opposite := people("i love this phone", "i hate this phone")
	other := people("i love this phone", "the ship sank in the storm")
	if opposite < 3 || other > 1 || people("i love this phone", "i love this phone") < opposite {
		t.Errorf("love and hate are called %.1f of 5 alike, something else %.1f", opposite, other)
	}
	if not := people("the door is open", "the door is not open"); not < 4 {
		t.Errorf("a negation is called %.1f of 5 alike", not)
	}
}

// Whatever the method, the parts that explain a number sum to it: contributions of pairs of words and what components
// took to a cosine, flows times their costs to a distance. What flows leaves one histogram and fills the other.
func TestExplanationsAreSums(t *testing.T) {
	built := open(t)
	for _, name := range cmdlib.Askable() {
		s, err := built.With(cmdlib.Options{Method: name, Engine: cpu.New()})
		if err != nil {
			t.Fatal(err)
		}
		for _, pair := range [][2]string{
			{"elephant", "tiger"}, {"rock", "music"},
			{"the orchestra gave a concert", "musicians performed in the hall"},
			{"i love this phone", "i hate this phone"}, {"a child is born", "the king refused to sign the treaty"},
		} {
			x, err := s.Explain(t.Context(), pair[0], pair[1], 6)
			if err != nil {
				t.Fatal(err)
			}
			if x.Vectors() {
				sum, size := floats.Sum(x.Removed), floats.Norm(x.Removed, 1)
				for _, row := range x.Pairs {
					sum, size = sum+floats.Sum(row), size+floats.Norm(row, 1)
				}
				if math.Abs(sum-x.Similarity) > 1e-12*size {
					t.Errorf("%s of %q: parts sum to %v, the cosine is %v", name, pair, sum, x.Similarity)
				}
				continue
			}
			k := s.Cost.K
			sum, from, to := 0.0, make([]float64, k), make([]float64, k)
			for at, mass := range x.Plan.Mass {
				sum += float64(mass * float64(s.Cost.Data[at]))
				from[at/k], to[at%k] = from[at/k]+mass, to[at%k]+mass
			}
			if math.Abs(sum-x.Cost) > 1e-5*x.Cost {
				t.Errorf("%s of %q: flows cost %v, the distance is %v", name, pair, sum, x.Cost)
			}
			for b := range k {
				away := max(math.Abs(from[b]-float64(x.From.Histogram[b])), math.Abs(to[b]-float64(x.To.Histogram[b])))
				if away > 1e-4 {
					t.Errorf("%s of %q: bin %d has %v more or less than its histogram", name, pair, b, away)
				}
			}
		}
	}
}

// Words of a kind are nearer to each other than words of two kinds, and random pairs are mostly farther apart.
func TestDistancesMakeSense(t *testing.T) {
	s := open(t)
	distance := func(from, to string) *cmdlib.Comparison {
		d, err := s.ByTransport().Compare(t.Context(), from, to)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, triple := range [][3]string{
		{"dog", "cat", "violin"}, {"rain", "snow", "bishop"}, {"bread", "butter", "parliament"}, {"she plays the violin", "he plays the piano", "the ship sank in the storm"},
	} {
		near, far := distance(triple[0], triple[1]), distance(triple[0], triple[2])
		if near.Cost >= far.Cost {
			t.Errorf("%q is at %v from %q, and at %v from %q", triple[0], near.Cost, triple[1], far.Cost, triple[2])
		}
		if standing, err := near.Standing(t.Context()); err != nil || standing.Closer < 0.9 {
			t.Errorf("%q and %q: %+v, %v", triple[0], triple[1], standing, err)
		}
	}
}

// What the file says of itself, and what it must not hold.
func TestContents(t *testing.T) {
	s := open(t)
	if len(s.Words) < 20_000 || s.Cost.K < 200 || len(content) > 39_000_000 {
		t.Errorf("%d words over %d bins in %d bytes", len(s.Words), s.Cost.K, len(content))
	}
	if s.Provenance["corpus"] == nil || s.Provenance["seed"] == nil {
		t.Errorf("it does not say where it comes from: %v", s.Provenance)
	}
	for _, word := range []string{"the", "elephant", "london", ".", "?", "new"} {
		if !s.Has(word) {
			t.Errorf("%q is not there", word)
		}
	}
	for _, token := range []string{"1984", "----", "%"} {
		if s.Has(token) {
			t.Errorf("%q is there, which is no word", token)
		}
	}
	// Clusters of names, misspelt words, noise and function words are few, and known as such.
	noise := 0
	for bin := range s.Cost.K {
		words, telling := s.Name(bin, 3)
		if len(words) == 0 {
			t.Errorf("no word tells what bin %d is", bin)
		}
		name := strings.Join(words, " ")
		if !telling {
			noise++
		}
		if want, ok := map[string]bool{
			"fire-eater stubbings fatma": false, "pd df ru": false, "bother awfully aren": false, "anglice rentsch michaelis": false,
			"baronne pluche bailli": false, "to i you": false, "be been by": true, "rocks quartz granite": true, "species genus genera": true, "mountain mountains steep": true,
		}[name]; ok && telling != want {
			t.Errorf("%q tells something: %t, want %t", name, telling, want)
		}
	}
	if noise < 15 || noise > s.Cost.K/8 {
		t.Errorf("%d of %d names tell nothing", noise, s.Cost.K)
	}
}

func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		s, err := Open(cpu.New())
		if err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}

func BenchmarkDistanceAndStanding(b *testing.B) {
	s := open(b)
	for b.Loop() {
		d, err := s.ByTransport().Compare(b.Context(), "dog", "cat")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := d.Standing(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNeighbours(b *testing.B) {
	s := open(b)
	for b.Loop() {
		if _, err := s.Neighbours(b.Context(), "elephant", 10); err != nil {
			b.Fatal(err)
		}
	}
}
