package cmdlib

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/reference"
	"contextmover/internal/bounded"
	"contextmover/internal/system"
)

// packed packs a space, and opens it.
func packed(t testing.TB, s *Space, n int, keep func(string) bool) *Space {
	t.Helper()
	return packedAs(t, s, Packing{Words: n, Keep: keep})
}

func packedAs(t testing.TB, s *Space, p Packing) *Space {
	t.Helper()
	path := filepath.Join(t.TempDir(), "small.space")
	if err := s.Pack(t.Context(), path, p); err != nil {
		t.Fatal(err)
	}
	if err := Verify(t.Context(), path); err != nil {
		t.Error(err)
	}
	return open(t, path)
}

// decoded are the estimates of a space.
func decoded(t testing.TB, s *Space) *estimates {
	t.Helper()
	e, err := s.estimates()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// A packed space has the words, settings and costs of the space it comes
// from, and histograms within the bound that packHistogram states.
func TestPack(t *testing.T) {
	s, _ := explained(t)
	p := packed(t, s, 0, nil)
	if len(p.Words) != len(s.Words) {
		t.Errorf("%d words of %d", len(p.Words), len(s.Words))
	}
	if p.Settings != s.Settings || p.tokens != s.tokens || !slices.Equal(p.Cost.Data, s.Cost.Data) || !slices.Equal(p.Centroids, s.Centroids) {
		t.Error("other settings, tokens, costs or centroids")
	}
	for i, word := range p.Words {
		id, _ := s.ID(word)
		if p.Counts[i] != s.Counts[id] || decoded(t, p).assignment[i] != decoded(t, s).assignment[id] {
			t.Errorf("%q: count %d, bin %d", word, p.Counts[i], decoded(t, p).assignment[i])
		}
		h, got := s.row(id), p.row(int32(i))
		m, k, sum, off := float64(slices.Max(h)), float64(len(h)), 0.0, 0.0
		for j := range h {
			sum += float64(got[j])
			off += math.Abs(float64(got[j]) - float64(h[j]))
		}
		const l = histogramLevels
		if bound := 2 * (math.Sqrt(m*k)/l + m*k/(4*l*l)); off > bound || math.Abs(sum-1) > 1e-5 {
			t.Errorf("%q: L1 distance %v, bound %v; sum %v", word, off, bound, sum)
		}
	}
	for bin := range s.Cost.K {
		want, telling := s.Name(bin, 3)
		if got, same := p.Name(bin, 3); !slices.Equal(got, want) || same != telling {
			t.Errorf("bin %d is called %q, want %q", bin, got, want)
		}
	}
	pairs := []Pair{{A: "rock music", B: "an elephant"}, {A: "it's elegant", B: "eleven word20"}}
	without := *p
	without.quantised = nil
	if _, err := without.Encoder(); !errors.Is(err, ErrNoVectors) {
		t.Errorf("vectors of texts without those of words: error %v", err)
	}
	all, err := p.Distances(t.Context(), pairs)
	d, errD := p.Compare(t.Context(), "rock music", "an elephant")
	if err := errors.Join(err, errD); err != nil || all[0] != d.Cost {
		t.Errorf("distances %v, alone %v, %v", all, d, err)
	}
	for _, texts := range [][2]string{{"rock", "music"}, {"elephant", "mammal"}, {"rock music", "an elephant"}} {
		want, errW := s.Compare(t.Context(), texts[0], texts[1])
		got, errG := p.Compare(t.Context(), texts[0], texts[1])
		if err := errors.Join(errW, errG); err != nil || math.Abs(want.Cost-got.Cost) > 0.002*want.Cost {
			t.Errorf("%q: distance %v, want %v, %v", texts, got, want, err)
		}
	}
	want, errW := s.Explain(t.Context(), "rock", "music", 4)
	got, errG := p.Explain(t.Context(), "rock", "music", 4)
	if err := errors.Join(errW, errG); err != nil {
		t.Fatal(err)
	}
	for i, c := range want.From.Contexts {
		if len(c.Sources) == 0 || len(got.From.Contexts[i].Sources) != len(c.Sources) || got.From.Contexts[i].Sources[0].Word != c.Sources[0].Word {
			t.Errorf("context %d: %v, want %v", i, got.From.Contexts[i].Sources, c.Sources)
		}
	}
}

// A space agrees with itself wholly, with a packed one nearly,
// and with one whose histograms are those of other words hardly.
func TestAgreement(t *testing.T) {
	s, _ := explained(t)
	const n, nearest = 30, 5
	self, errS := Agree(t.Context(), s, s, n, nearest)
	p := packed(t, s, 0, nil)
	near, errN := Agree(t.Context(), s, p, n, nearest)
	if err := errors.Join(errS, errN); err != nil {
		t.Fatal(err)
	}
	if self.Off != 0 || self.MostOff != 0 || math.Abs(self.Shared-1) > 1e-9 || math.Abs(self.First-1) > 1e-9 || !(self.Distance > 0) {
		t.Errorf("a space agrees with itself by %+v", self)
	}
	if near.Off == 0 || near.Off > near.MostOff || near.MostOff > 0.01*near.Distance || near.Shared < 0.7 {
		t.Errorf("a packed space agrees by %+v", near)
	}
	other := *p
	data := *p.Data
	other.Data = &data
	other.Words = slices.Clone(p.Words)
	slices.Reverse(other.Words)
	data.words, data.ids = other.Words, make(map[string]int32)
	for id, word := range other.Words {
		data.ids[word] = int32(id)
	}
	if far, err := Agree(t.Context(), s, &other, n, nearest); err != nil || far.Shared > 0.7*near.Shared || far.Off < 10*near.Off {
		t.Errorf("with other words it agrees by %+v, %v", far, err)
	}
	some := packed(t, s, 5, nil)
	if _, err := Agree(t.Context(), some, s, n, 2); err == nil || !strings.Contains(err.Error(), "has no") {
		t.Errorf("words that one does not have: %v", err)
	}
	if _, err := Agree(t.Context(), s, some, n, 5); err == nil {
		t.Error("as many neighbours as words are no error")
	}
}

// Some words alone can be packed; they weigh as before, and no source is a word that is left out.
func TestPackSomeWords(t *testing.T) {
	s, _ := explained(t)
	p := packed(t, s, 30, func(word string) bool { return !strings.HasSuffix(word, "1") })
	if len(p.Words) != 30 || p.Has("word11") || !p.Has("rock") {
		t.Errorf("words %q", p.Words)
	}
	if a, b := s.lookUpWeight(t, "rock"), p.lookUpWeight(t, "rock"); a != b {
		t.Errorf("the weight %v, was %v", b, a)
	}
	for id := range p.Words {
		for bin := range p.Cost.K {
			if _, err := p.sources(int32(id), bin); err != nil {
				t.Fatal(err)
			}
		}
	}
	again := packed(t, p, 0, nil)
	if !slices.Equal(again.Words, p.Words) {
		t.Error("packed twice, it has other words")
	}
	if err := s.Pack(t.Context(), filepath.Join(t.TempDir(), "none"), Packing{Keep: func(string) bool { return false }}); err == nil || !strings.Contains(err.Error(), "no word is left") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Pack(ctx, filepath.Join(t.TempDir(), "none"), Packing{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func (s *Space) lookUpWeight(t *testing.T, word string) float64 {
	id, ok := s.ID(word)
	if !ok {
		t.Fatalf("no %q", word)
	}
	return s.weight(id)
}

// The distances of random words are kept with a space: what is kept is what would be computed, and is not used for
// other settings than those it was computed with.
func TestRandomWordsAreKept(t *testing.T) {
	s := open(t, write(t, contents(t, 300, 8, 4)))
	small := packed(t, s, 0, nil)
	if small.Has("silent") || len(small.Words) != 300 {
		t.Errorf("%d words are packed, expected all of 300, of which one has no estimate", len(small.Words))
	}
	for _, s := range []*Space{s, small} {
		if s.random == nil {
			t.Fatal("nothing is kept")
		}
		kept, errK := s.randomDistances(t.Context(), 0, 0)
		fresh := *s
		fresh.random = nil
		computed, errC := fresh.randomDistances(t.Context(), 0, 0)
		if err := errors.Join(errK, errC); err != nil {
			t.Fatal(err)
		}
		for i := range computed {
			if math.Abs(kept[i]-computed[i]) > 1e-5 {
				t.Fatalf("distance %d is %v, computed %v", i, kept[i], computed[i])
			}
		}
		other, err := s.With(Options{Settings: ot.Settings{Reg: 0.5}, Engine: reference.New()})
		if err != nil {
			t.Fatal(err)
		}
		blurred, err := other.randomDistances(t.Context(), 0, 0)
		if err != nil || !(blurred[0] > kept[0]) {
			t.Errorf("the smallest distance with more blur is %v, with less %v, %v", blurred[0], kept[0], err)
		}
	}
}

// checkUndecoded checks that each question to a space whose histograms cannot be decoded is an error that says so,
// also when it is asked again, but for those that do not need them.
func checkUndecoded(t *testing.T, s *Space) {
	t.Helper()
	ctx := t.Context()
	const word, text = "rock", "rock music"
	for name, ask := range map[string]func() error{
		"Row":             func() error { _, err := s.Row(0); return err },
		"sources":         func() error { _, err := s.sources(0, 0); return err },
		"Compare":         func() error { _, err := s.Compare(ctx, word, word); return err },
		"Sentence":        func() error { _, err := s.Sentence(ctx, text); return err },
		"Distances":       func() error { _, err := s.Distances(ctx, []Pair{{A: word, B: word}}); return err },
		"Explain":         func() error { _, err := s.Explain(ctx, word, text, 2); return err },
		"Neighbours":      func() error { _, err := s.Neighbours(ctx, word, 2); return err },
		"RandomDistances": func() error { _, err := s.randomDistances(ctx, 2, 2); return err },
		"Agreement":       func() error { _, err := Agree(ctx, s, s, 2, 1); return err },
		"Pack":            func() error { return s.Pack(ctx, filepath.Join(t.TempDir(), "x.space"), Packing{}) },
	} {
		for range 2 {
			if err := ask(); err == nil || !errors.Is(err, ErrDamaged) {
				t.Errorf("%s: error %v", name, err)
			}
		}
	}
	if v, err := encoded32(ctx, s, []string{text}); err == nil && len(v) != s.Dim {
		t.Errorf("%d numbers of a vector", len(v))
	}
	s.Has(word)
	s.similar("wrod1", 3)
	s.Name(0, 2)
}

// Histograms are decoded when they are needed. Where they are not what Pack writes, with the right checksum all the
// same, questions that need them are errors, and others are answered.
func TestUndecodable(t *testing.T) {
	s, _ := explained(t)
	whole := packed(t, s, 0, nil)
	want, err := encoded32(t.Context(), whole, []string{"rock music"})
	if err != nil {
		t.Fatal(err)
	}
	const header = 128
	for name, x := range map[string]struct {
		member string
		change func(content []byte) []byte
	}{
		"short":        {"histograms.npy", func(content []byte) []byte { return content[:len(content)-1] }},
		"long":         {sourcesFile, func(content []byte) []byte { return append(content, 0) }},
		"none":         {sharesFile, func([]byte) []byte { return nil }},
		"no mass":      {"histograms.npy", func(content []byte) []byte { clear(content[header:][:40]); return content }},
		"no such bin":  {assignmentFile, func(content []byte) []byte { content[header] = 200; return content }},
		"no such word": {sourcesFile, func(content []byte) []byte { content[header+1] = 1; return content }},
	} {
		path := filepath.Join(t.TempDir(), "small.space")
		if err := s.Pack(t.Context(), path, Packing{}); err != nil {
			t.Fatal(err)
		}
		rewrite(t, path, x.member, x.change)
		s := open(t, path)
		checkUndecoded(t, s)
		if got, err := encoded32(t.Context(), s, []string{"rock music"}); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: the vector of a text changes, %v", name, err)
		}
		if !s.Has("rock") {
			t.Errorf("%s: no word", name)
		}
	}
}

// A packed space for which there is no memory is not damaged.
func TestNoMemory(t *testing.T) {
	s, _ := explained(t)
	path := filepath.Join(t.TempDir(), "small.space")
	if err := s.Pack(t.Context(), path, Packing{}); err != nil {
		t.Fatal(err)
	}
	defer func(real func(int64) error) { allocate = real }(allocate)
	allocate = func(need int64) error { return bounded.Allocate(need << 40) }
	_, err := open(t, path).Histograms()
	if err == nil || errors.Is(err, ErrDamaged) || !system.AtFault(err) || !strings.Contains(err.Error(), "or a larger machine") {
		t.Errorf("error %v", err)
	}
}

// A packed space has the vectors with their lengths, for methods that do not scale them, also when it is packed again;
// and where Packing says nothing, words with a vector alone.
func TestPackedVectors(t *testing.T) {
	c := contents(t, 60, 6, 8)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		f := float32(0.1 + 10*random.Float64())
		for j := range 8 {
			c.Vectors[i*8+j] *= f
		}
	}
	s := open(t, write(t, c))
	once := packedAs(t, s, Packing{})
	pairs := []Pair{{A: "elegant", B: "music rock word20 word21"}, {A: "silent music", B: "rock"}}
	for name, p := range map[string]*Space{"packed": once, "packed twice": packedAs(t, once, Packing{})} {
		if len(p.Words) != len(s.Words) {
			t.Errorf("%s: %d of %d words", name, len(p.Words), len(s.Words))
		}
		for _, method := range []string{SIF, NBoW} {
			a, b := asked(t, s, method), asked(t, p, method)
			x, err1 := a.Distances(t.Context(), pairs)
			y, err2 := b.Distances(t.Context(), pairs)
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			for i := range pairs {
				if math.Abs(x[i]-y[i]) > 0.01 {
					t.Errorf("%s, %s: %v, in the space %v", name, method, y[i], x[i])
				}
			}
		}
		row, own := make([]float32, 8), make([]float32, 8)
		for id, word := range p.Words {
			of, _ := s.ID(word)
			if !p.Unscaled(row, int32(id)) || !s.Unscaled(own, of) || math.Abs(length(row)-length(own)) > 1e-5*length(own) {
				t.Errorf("%s, %q: length %v, in the space %v", name, word, length(row), length(own))
			}
		}
	}
}
