package cmdlib

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/internal/quantised"
	"contextmover/cmdlib/sentence"
	"contextmover/internal/parallel"
)

// Encoding is what the method of vectors SIF takes of a space. The zero value is that of a space that
// keeps no components.
type Encoding struct {
	// A is a > 0 of the weights a/(a+p) of words, p a word's share of the corpus.
	A float64 `json:"a"`
	// Components is the number m ≥ 0 of principal components that are
	// removed: those of words as a text has them, weighted and as frequent.
	Components int `json:"components"`
}

// DefaultEncoding is what scored best on the validation set of sentence similarity (STS16) where the corpus was
// novels and Wikipedia. It was chosen among the encodings that do not look at the other texts of a set.
var DefaultEncoding = Encoding{A: 5e-4, Components: 1}

// nearestA is a of the weights a/(a+p) of Nearest: see DefaultEncoding for what it was chosen by.
const nearestA = 2e-4

// mostComponents bounds the components of a space, of which five are many.
const mostComponents = 100

func (e Encoding) check() error {
	if e == (Encoding{}) {
		return nil
	}
	switch {
	case !(e.A > 0) || math.IsInf(e.A, 1):
		return fmt.Errorf("settings of vectors of texts: a = %v, expected a finite number > 0", e.A)
	case e.Components < 0 || e.Components > mostComponents:
		return fmt.Errorf("settings of vectors of texts: %d components to remove, expected 0 to %d",
			e.Components, mostComponents)
	}
	return nil
}

// fittedWords is the number of words, the most frequent ones, that components are fitted to: nearly all of any text.
const fittedWords = 20_000

// fit returns the components of random words, drawn with their frequencies
// p: the eigenvectors of the second moment of their weighted vectors,
//
//	Σ_w p w² v vᵀ,  w = a/(a+p)
//
// so that nothing is drawn, and no text is read. Components of the sentences of a text, or of random
// texts of several words, score no better. vector writes the vector of word i, of length
// 1, to its argument and tells whether there is one; words occur so often in a corpus of so many tokens. The numbers of
// components, and their shares, are those that a space keeps.
func (e Encoding) fit(
	ctx context.Context, counts []int64, tokens int64, dim int, vector func(to []float32, i int) bool,
) (directions []float32, shares []float64, err error) {
	if e.Components == 0 {
		return nil, nil, nil
	}
	words := min(len(counts), fittedWords)
	points := make([]float64, 0, words*dim) // whose second moment it is
	row := make([]float32, dim)
	for i := range words {
		p := float64(counts[i]) / float64(max(tokens, 1))
		if p == 0 || !vector(row, i) {
			continue
		}
		of := math.Sqrt(p) * e.A / (e.A + p)
		for _, x := range row {
			points = append(points, of*float64(x))
		}
	}
	c, err := sentence.FitComponents(ctx, points, dim, e.Components)
	if err != nil {
		return nil, nil, err
	}
	for _, u := range c.Directions {
		for _, x := range u {
			directions = append(directions, float32(x))
		}
	}
	return directions, c.Shares, nil
}

// readComponents returns the components that a space keeps. Directions that were rounded are
// made orthonormal again, so that what is removed is a projection to the last digit.
func readComponents(directions []float32, shares []float64, dim int) (*sentence.Components, error) {
	c := &sentence.Components{Shares: shares}
	for i, share := range shares {
		u := make([]float64, dim)
		for j, x := range directions[i*dim : (i+1)*dim] {
			u[j] = float64(x)
		}
		length := floats.Norm(u, 2)
		for range 2 { // twice for rounding
			for _, before := range c.Directions {
				floats.AddScaled(u, -floats.Dot(u, before), before)
			}
			if norm := floats.Norm(u, 2); norm > 0 {
				floats.Scale(1/norm, u)
			}
		}
		if !(math.Abs(length-1) < 1e-3) || !(math.Abs(floats.Norm(u, 2)-1) < 1e-9) || !(share >= 0 && share <= 1) {
			return nil, fmt.Errorf("component %d of texts has the length %v and the share %v, expected 1, and 0 to 1",
				i, length, share)
		}
		c.Directions = append(c.Directions, u)
	}
	return c, nil
}

// ErrNoVectors is that of a space without vectors of words.
var ErrNoVectors = errors.New("cmdlib: the space has no vectors of words: make it, or pack it, with vectors")

// HasVectors reports whether the space has vectors of words, which Encoder needs.
func (s *Data) HasVectors() bool { return s.Vectors != nil || s.quantised != nil }

// Vector writes the vector of the word with this id, scaled to length 1, to the first Dim numbers of to and tells
// whether it has one. Learned words have none.
func (s *Data) Vector(to []float32, id int32) bool {
	if s.quantised != nil {
		return int(id) < s.quantised.Len() && s.quantised.Row(to, int(id))
	}
	v := s.whole(id)
	return v != nil && unit(to, v)
}

// whole is the vector of a word of a space that is not packed, nil of a word without and in a packed space.
func (s *Data) whole(id int32) []float32 {
	if i := int(id); s.Vectors != nil && i < s.OwnWords() {
		return s.Vectors[i*s.Dim : (i+1)*s.Dim]
	}
	return nil
}

// Unscaled is Vector with the length that the vector has.
func (s *Data) Unscaled(to []float32, id int32) bool {
	if v := s.whole(id); v != nil {
		copy(to, v)
		return hasMass(v)
	}
	ok := s.Vector(to, id)
	if ok && s.lengths != nil {
		for j := range to[:s.Dim] {
			to[j] *= s.lengths[id]
		}
	}
	return ok
}

// length returns ‖v‖.
func length(v []float32) float64 {
	squares := 0.0
	for _, x := range v {
		squares += float64(float64(x) * float64(x))
	}
	return math.Sqrt(squares)
}

// unit writes v, scaled to length 1, to to, and tells whether v has a length.
func unit(to, v []float32) bool {
	norm := length(v)
	if norm == 0 {
		clear(to[:len(v)])
		return false
	}
	scale := 1 / norm
	for i, x := range v {
		to[i] = float32(scale * float64(x))
	}
	return true
}

// hasVector tells whether the word with this id has a vector.
func (s *Data) hasVector(id int32) bool {
	if s.quantised != nil {
		return int(id) < s.quantised.Len() && s.quantised.Factors[id] != 0
	}
	return hasMass(s.whole(id))
}

// Term is a word of a text as methods of vectors see it.
type Term struct {
	Text string `json:"word"`
	// Weight is that of the word before the mean is taken, 0 of a word that is left out for want of a vector.
	Weight float64 `json:"weight"`
	// Known tells whether the space has a vector of the word. One without may have a vector of its own, see
	// Method.Own.
	Known bool `json:"-"`
}

// averages returns an error if the space lacks what a method of vectors takes.
func (s *Space) averages(m Method) error {
	if !s.HasVectors() {
		return ErrNoVectors
	}
	if m.Name == SIF && s.components == nil {
		return fmt.Errorf("cmdlib: %s does not keep what vectors of texts are made by: make it with an encoding",
			cmp.Or(s.path, "the space"))
	}
	return nil
}

// averaging returns the method that vectors of texts are made by. It is that of Settings.Defaults for texts, or else
// for words, if it is one of vectors, else SIF. It is an error if the space lacks what the method takes.
func (s *Space) averaging() (Method, error) {
	m := methods[0]
	for _, of := range []Chosen{s.Settings.Defaults.Words, s.Settings.Defaults.Texts} {
		if of.Method == "" || of.Method == SIF {
			continue
		}
		named, err := ParseMethod(of.Method)
		if err != nil {
			return m, err
		}
		if named.Vectors() && named.Name != Nearest {
			m = named
		}
	}
	m.A = cmp.Or(m.A, s.Settings.Encoding.A)
	return m, s.averages(m)
}

// An Encoder makes vectors of texts by a method of the space. It may be used from several goroutines at once, while
// the space is open.
type Encoder struct {
	// Method is that of Settings.Defaults for texts, or else for words, if it is one of vectors, else SIF.
	Method Method

	space      *Space
	components *sentence.Components // none but of SIF
}

// Encoder returns what makes vectors of texts. A space without vectors is an ErrNoVectors; one that was made without
// what the method takes is another error.
func (s *Space) Encoder() (*Encoder, error) {
	m, err := s.averaging()
	if err != nil {
		return nil, err
	}
	e := &Encoder{m, s, new(sentence.Components)}
	if m.Name == SIF {
		e.components = s.components
	}
	return e, nil
}

// encoder returns what makes texts of them for a method of vectors, by its name: Encoder's, or Nearest.
func (s *Space) encoder(name string) (*Encoder, error) {
	if !isNearest(name) {
		return s.Encoder()
	}
	m, err := ParseMethod(name)
	if err == nil {
		err = s.averages(m)
	}
	return &Encoder{m, s, new(sentence.Components)}, err
}

// vectorWords returns the words of a text for methods of vectors, in which learned words are none.
func (s *Data) vectorWords(text string) []string {
	if id, ok := s.id(text); ok && s.hasVector(id) {
		return []string{text}
	}
	return corpus.Tokenise(text)
}

// points returns the words of texts as a method with its own a takes them, and the points of those that have a vector:
// points[i] are those of terms[i] with a weight above 0.
func (s *Space) points(m Method, texts ...string) (p sentence.Points, points []sentence.Sentence, terms [][]Term) {
	p.Dim, p.Weighting = s.Dim, m.weighting()
	points, terms = make([]sentence.Sentence, len(texts)), make([][]Term, len(texts))
	type word struct {
		Term
		point int32
	}
	seen := make(map[string]word)
	row := make([]float32, s.Dim)
	for i, text := range texts {
		for _, name := range s.vectorWords(text) {
			w, ok := seen[name]
			if !ok {
				w.Text, w.point = name, int32(len(p.Probability))
				probability := 0.0
				if id, ok := s.id(name); ok {
					vector := s.Unscaled
					if m.Unit {
						vector = s.Vector
					}
					if w.Known = vector(row, id); w.Known {
						probability = s.Probability(id)
					}
				}
				if own := m.owns(name, w.Known); own || w.Known {
					if own {
						sentence.OwnVector(row, name, 1, ownSeed)
						w.Known = false
					}
					w.Weight = p.Weighting.Weight(probability)
					p.Vectors, p.Probability = append(p.Vectors, row...), append(p.Probability, probability)
				}
				seen[name] = w
			}
			terms[i] = append(terms[i], w.Term)
			if w.Weight > 0 {
				points[i] = append(points[i], w.point)
			}
		}
	}
	return p, points, terms
}

// owns reports whether a word, which the space has a vector of or not, has a vector of its own.
func (m Method) owns(word string, known bool) bool {
	switch {
	case m.Own == noneOwn:
		return false
	case m.Own == unknownAndNumbers && strings.ContainsAny(word, "0123456789"):
		return true
	}
	return !known
}

// ownSeed is that of vectors of words of their own, which are parts of what is kept.
const ownSeed = 1

// Dim returns the dimension of the vectors.
func (e *Encoder) Dim() int { return e.space.Dim }

// Encode returns the vectors of texts, len(texts)×Dim: with the space's own SIF, each the average of the vectors v of
// its n words,
//
//	x = R (1/n) Σ_i a/(a+p_i) v_i,   R = I − Σ_k s_k u_k u_kᵀ
//
// without the components u_k that are common to all texts, by their shares s_k (SIF [Arora, Liang, Ma 2017], uSIF
// [Ethayarajh 2018]). They are scaled to length 1, so that the cosine of two is their inner product. a and u_k are
// those of the space, so the vector of a text does not depend on the others. A word that the space does not know has
// a vector of its own (see Method.Own). A text without any word has the vector 0, and so has one of which
// nothing but components is left.
func (e *Encoder) Encode(ctx context.Context, texts []string) ([]float32, error) {
	dim := e.space.Dim
	out := make([]float32, len(texts)*dim)
	err := parallel.Blocks(ctx, len(texts), 64, func(lo, hi int) error {
		words, points, _ := e.space.points(e.Method, texts[lo:hi]...)
		rows, _, err := words.Averages(ctx, points)
		if err != nil {
			return err
		}
		var dots []float64
		for i := range hi - lo {
			x := rows[i*dim : (i+1)*dim]
			dots = e.components.Remove(x, dots)
			length := floats.Norm(x, 2)
			if length == 0 {
				continue
			}
			for j, v := range x {
				out[(lo+i)*dim+j] = float32(v / length)
			}
		}
		return nil
	})
	return out, err
}

// Components returns what SIF removes from the vectors of texts; nil of a space that was made without an encoding.
func (s *Data) Components() *sentence.Components { return s.components }

// fitted returns the directions and shares of components for vectors of so many dimensions, the first ones.
func (s *Data) fitted(ctx context.Context, dim int) ([]float32, []float64, error) {
	row := make([]float32, s.Dim)
	vector := func(to []float32, i int) bool { return s.Vector(row, int32(i)) && unit(to, row[:dim]) }
	return s.own.Encoding.fit(ctx, s.counts, s.tokens, dim, vector)
}

// packedVectors returns the directions of the vectors of words with these ids, of so many dimensions, the first ones,
// in so many bits, and their lengths: nil if all of them are 1.
func (s *Data) packedVectors(ids []int32, dim, bits int) (*quantised.Vectors, []float32) {
	data, row := make([]float32, len(ids)*dim), make([]float32, s.Dim)
	lengths := make([]float32, len(ids))
	allUnit := true
	for i, id := range ids {
		if !s.Unscaled(row, id) {
			continue
		}
		if lengths[i] = float32(length(row[:dim])); s.lengths != nil && dim == s.Dim {
			lengths[i] = s.lengths[id] // to the last bit
		}
		allUnit = allUnit && math.Abs(float64(lengths[i])-1) <= 1e-6
		if s.Vector(row, id) {
			copy(data[i*dim:(i+1)*dim], row)
		}
	}
	if allUnit {
		lengths = nil
	}
	return quantised.New(data, dim, bits), lengths
}
