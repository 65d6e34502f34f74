package cmdlib

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"contextmover/cmdlib/sentence"
	"contextmover/internal/parallel"
)

// Sum is a similarity of vectors as a sum: a cosine, or what Nearest compares by.
type Sum struct {
	// Pairs[i][j] is what the words From.Terms[i] and To.Terms[j] bring. It is that of sentence.Nearest, or to a
	// cosine
	//
	//	a_i b_j v_i·v_j / (‖x‖ ‖y‖),  a_i = w_i/n
	//
	// and Removed[k] what is taken with component k, −(2 s_k − s_k²) (x_0·u_k) (y_0·u_k) / (‖x‖ ‖y‖), x_0 and y_0 the
	// averages before components are removed.
	Pairs   [][]float64 `json:"pairs"`
	Removed []float64   `json:"removed"`
	// Similarity is the sum of all Pairs and all Removed up to rounding: of a cosine 0 where a vector is 0.
	Similarity float64 `json:"similarity"`
}

// PairsAmount is the sum of all Pairs.
func (c *Sum) PairsAmount() (sum float64) {
	for _, row := range c.Pairs {
		sum += floats.Sum(row)
	}
	return sum
}

// Largest returns the pairs of words with the largest contributions, largest first, at most n; those below 0 are none.
func (c *Sum) Largest(n int) [][2]int { return largestPairs(c.Pairs, n) }

// encoded is a text on its way to a vector.
type encoded struct {
	terms   []Term
	vectors [][]float32   // of terms, nil of those that are left out
	x       []float64     // without components; not scaled
	dots    []float64     // x_0·u_k
	length  float64       // of x
	bag     *sentence.Bag // instead of x, dots and length where the nearest words are compared
}

// encoded returns a text of which a word is known, else an *UnknownError.
func (e *Encoder) encoded(ctx context.Context, text string) (*encoded, error) {
	words, points, terms := e.space.points(e.Method, text)
	t := &encoded{terms: terms[0]}
	at, weights := points[0], make([]float64, len(terms[0]))
	for i, term := range t.terms {
		var vector []float32
		if weights[i] = term.Weight; term.Weight > 0 {
			vector, at = words.Vectors[int(at[0])*words.Dim:][:words.Dim], at[1:]
		}
		t.vectors = append(t.vectors, vector)
	}
	if !slices.ContainsFunc(t.terms, func(t Term) bool { return t.Known }) {
		unknown := &UnknownError{Text: text, space: e.space}
		for _, t := range t.terms {
			unknown.Words = append(unknown.Words, t.Text)
		}
		return nil, unknown
	}
	if e.Method.Name == Nearest {
		t.bag = sentence.NewBag(t.vectors, weights)
		return t, nil
	}
	var err error
	if t.x, _, err = words.Averages(ctx, points); err != nil {
		return nil, err
	}
	t.dots = e.components.Remove(t.x, nil)
	t.length = floats.Norm(t.x, 2)
	return t, nil
}

// Terms returns the words of a text, in order, as the method takes them. A text of which no word is known is an
// *UnknownError.
func (e *Encoder) Terms(ctx context.Context, text string) ([]Term, error) {
	t, err := e.encoded(ctx, text)
	if err != nil {
		return nil, err
	}
	return t.terms, nil
}

// similarity is that of two texts.
func (t *encoded) similarity(other *encoded) float64 {
	if t.bag != nil {
		return t.bag.Similarity(other.bag)
	}
	return sentence.Similarity(t.x, other.x)
}

// side is a text as a comparison has it.
func (t *encoded) side(text string) Side {
	side := Side{Text: text, Terms: t.terms}
	for _, term := range t.terms {
		if term.Known {
			side.Words = append(side.Words, term.Text)
		} else {
			side.Unknown = append(side.Unknown, term.Text)
		}
	}
	return side
}

// averaged is the number n of words that the mean of a text is taken of: those that the method does not leave out.
func averaged(terms []Term) (n int) {
	for _, t := range terms {
		if t.Weight > 0 {
			n++
		}
	}
	return n
}

// byVectors fills in the similarity of the two texts and what it is a sum of.
func (c *Comparison) byVectors(ctx context.Context) error {
	e, err := c.space.encoder(c.Method)
	if err != nil {
		return err
	}
	if c.x, err = e.encoded(ctx, c.from.text); err != nil {
		return err
	}
	if c.y, err = e.encoded(ctx, c.to.text); err != nil {
		return err
	}
	c.encoder, c.From, c.To = e, c.x.side(c.from.text), c.y.side(c.to.text)
	c.Sum = &Sum{Similarity: c.x.similarity(c.y)}
	if c.x.bag != nil {
		c.Pairs = c.x.bag.Parts(c.y.bag, len(c.x.terms), len(c.y.terms))
	} else {
		e.sum(c.Sum, c.x, c.y)
	}
	c.Distance = 1 - c.Similarity
	return nil
}

// sum fills in what the cosine of two texts is a sum of.
func (e *Encoder) sum(c *Sum, x, y *encoded) {
	c.Removed = make([]float64, len(e.components.Shares))
	scale := x.length * y.length
	words := float64(averaged(x.terms) * averaged(y.terms))
	for i, a := range x.terms {
		row := make([]float64, len(y.terms))
		for j, b := range y.terms {
			v := y.vectors[j]
			if scale == 0 || v == nil {
				continue
			}
			product := 0.0
			for k, u := range x.vectors[i] {
				product += float64(float64(u) * float64(v[k]))
			}
			row[j] = a.Weight * b.Weight / words * product / scale
		}
		c.Pairs = append(c.Pairs, row)
	}
	for k, share := range e.components.Shares {
		if scale > 0 {
			c.Removed[k] = -share * (2 - share) * x.dots[k] * y.dots[k] / scale
		}
	}
}

// vectorLengths are those of the vectors of words without components, made when first needed: 0 of a word without a
// vector.
func (e *Encoder) vectorLengths(ctx context.Context) ([]float32, error) {
	s := e.space
	s.nearby.mu.Lock()
	defer s.nearby.mu.Unlock()
	removes := len(e.components.Shares) > 0
	if lengths := s.nearby.lengths[removes]; lengths != nil {
		return lengths, nil
	}
	lengths := make([]float32, s.OwnWords())
	err := parallel.Blocks(ctx, len(lengths), 1024, func(lo, hi int) error {
		row, x := make([]float32, s.Dim), make([]float64, s.Dim)
		var dots []float64
		for i := lo; i < hi; i++ {
			if !s.Vector(row, int32(i)) {
				continue
			}
			for j, v := range row {
				x[j] = float64(v)
			}
			dots = e.components.Remove(x, dots)
			lengths[i] = float32(math.Sqrt(floats.Dot(x, x))) // of a length near 1, which need not be scaled first
		}
		return nil
	})
	if err == nil {
		s.nearby.lengths[removes] = lengths
	}
	return lengths, err
}

// nearby keeps what searches among words need, once it is made: by vectors, and for names of contexts.
type nearby struct {
	mu      sync.Mutex
	lengths map[bool][]float32 // by whether components are removed
	random  map[randomKey][]float64

	clustered    sync.Once
	clusters     clusters
	frequent     sync.Once
	tellsNothing []bool // the bins whose names tell nothing; nil where that is not known
}

func newNearby() *nearby {
	return &nearby{lengths: make(map[bool][]float32), random: make(map[randomKey][]float64)}
}

// cosines returns the cosines of an encoded text with all words, −2 with those without a vector.
func (e *Encoder) cosines(ctx context.Context, text *encoded) ([]float32, error) {
	s := e.space
	lengths, err := e.vectorLengths(ctx)
	if err != nil {
		return nil, err
	}
	// (R v)·(R x_0) = v·(R R x_0): components are removed twice from the one side instead of once from each.
	query := slices.Clone(text.x)
	e.components.Remove(query, nil)
	q := make([]float32, s.Dim)
	for j, x := range query {
		q[j] = float32(x / cmp.Or(text.length, 1))
	}
	cosines := make([]float32, len(lengths))
	err = parallel.Blocks(ctx, len(lengths), 1024, func(lo, hi int) error {
		row := make([]float32, s.Dim)
		for i := lo; i < hi; i++ {
			if lengths[i] == 0 {
				cosines[i] = -2
				continue
			}
			s.Vector(row, int32(i))
			var a, b float32
			j := 0
			for ; j+1 < len(row); j += 2 {
				a += float32(row[j] * q[j])
				b += float32(row[j+1] * q[j+1])
			}
			if j < len(row) {
				a += float32(row[j] * q[j])
			}
			cosines[i] = (a + b) / lengths[i]
		}
		return nil
	})
	return cosines, err
}

// nearest is Neighbours by vectors, with 1 − cosine as the distance.
func (e *Encoder) nearest(ctx context.Context, t *encoded, n int) (*Neighbours, error) {
	s := e.space
	cosines, err := e.cosines(ctx, t)
	if err != nil {
		return nil, err
	}
	side := t.side("")
	found := &Neighbours{Words: side.Words, Unknown: side.Unknown}
	if len(t.terms) == 1 {
		self, _ := s.id(t.terms[0].Text)
		cosines[self] = -2
	}
	for _, c := range cosines {
		if c >= -1.5 {
			found.Compared++
		}
	}
	for _, id := range largest(len(cosines), n, func(i int) float64 { return float64(cosines[i]) + 2 }) {
		found.Nearest = append(found.Nearest, Neighbour{s.Words[id], 1 - min(1, float64(cosines[id]))})
	}
	return found, nil
}

// random returns the distances of RandomPairs random pairs of texts of so many words, in ascending order; with 0 and 0,
// of words. They are drawn as for randomDistances, from all words with a vector.
func (e *Encoder) random(ctx context.Context, fromWords, toWords int) ([]float64, error) {
	s := e.space
	drawn := s.drawing(s.hasVector, fromWords, toWords)
	if len(drawn.ids) == 0 {
		return nil, ErrNoVectors
	}
	draw := func(words int) *encoded {
		n := max(words, 1)
		vectors, weights := make([][]float32, n), make([]float64, n)
		for i := range n {
			id := drawn.any()
			if words > 0 {
				id = drawn.frequent()
			}
			vectors[i] = make([]float32, s.Dim)
			s.Vector(vectors[i], id)
			weights[i] = e.Method.weighting().Weight(s.Probability(id))
		}
		if e.Method.Name == Nearest {
			return &encoded{bag: sentence.NewBag(vectors, weights)}
		}
		x := make([]float64, s.Dim)
		for i, v := range vectors {
			for j, y := range v {
				x[j] += float64(weights[i] * float64(y))
			}
		}
		e.components.Remove(x, nil)
		return &encoded{x: x}
	}
	distances := make([]float64, RandomPairs)
	for i := range distances {
		from := draw(fromWords)
		distances[i] = 1 - from.similarity(draw(toWords))
	}
	slices.Sort(distances)
	return distances, ctx.Err()
}
