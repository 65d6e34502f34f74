package cmdlib

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"sync"

	"gonum.org/v1/gonum/floats"

	"contextmover/cmdlib/sentence"
	"contextmover/internal/parallel"
)

// Cosine is the cosine of the vectors of two texts, and the sum that it is.
type Cosine struct {
	// From and To are the words of the texts, in order.
	From, To []Term
	// Pairs[i][j] is what the words From[i] and To[j] bring,
	//
	//	a_i b_j v_i·v_j / (‖x‖ ‖y‖),  a_i = w_i/n
	//
	// and Removed[k] what is taken with component k, −(2 s_k − s_k²) (x_0·u_k) (y_0·u_k) / (‖x‖ ‖y‖), x_0 and y_0 the
	// averages before components are removed.
	Pairs   [][]float64
	Removed []float64
	// Value is the cosine, the sum of all Pairs and all Removed up to rounding: 0 where a vector is 0.
	Value float64

	asked
}

// Distance is 1 − Value, which methods of cosines are ranked and shown by.
func (c *Cosine) Distance() float64 { return 1 - c.Value }

// PairsAmount is the sum of all Pairs.
func (c *Cosine) PairsAmount() (sum float64) {
	for _, row := range c.Pairs {
		sum += floats.Sum(row)
	}
	return sum
}

// Largest returns the pairs of words with the largest contributions, largest first, at most n; those below 0 are none.
func (c *Cosine) Largest(n int) (pairs [][2]int) {
	m := len(c.To)
	for _, at := range largest(len(c.From)*m, n, func(at int) float64 { return c.Pairs[at/m][at%m] }) {
		pairs = append(pairs, [2]int{at / m, at % m})
	}
	return pairs
}

// encoded is a text on its way to a vector.
type encoded struct {
	terms   []Term
	vectors []float32 // terms×Dim
	x       []float64 // without components; not scaled
	dots    []float64 // x_0·u_k
	length  float64   // of x
}

// encoded returns a text of which a word is known, else an *UnknownError.
func (e *encoder) encoded(ctx context.Context, text string) (t *encoded, err error) {
	from := e.vectorSource()
	t = new(encoded)
	if t.terms, t.vectors, err = e.Terms(ctx, from, text); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(t.terms, func(t Term) bool { return t.Known }) {
		unknown := &UnknownError{Text: text, space: e.Space}
		for _, t := range t.terms {
			unknown.Words = append(unknown.Words, t.Text)
		}
		return nil, unknown
	}
	mean, err := e.Averaging.Encode(ctx, from, []string{text}, nil)
	if err != nil {
		return nil, err
	}
	t.x = mean.Data
	t.dots = e.components.Remove(t.x, nil)
	t.length = floats.Norm(t.x, 2)
	return t, nil
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

// Cosine returns the cosine of the vectors of two words or texts, that of Encode up to its rounding, and what it
// is a sum of. A text of which no word is known is an *UnknownError, a space without vectors an ErrNoVectors.
func (s *Space) Cosine(ctx context.Context, from, to string) (*Cosine, error) {
	e, err := s.encoder(ctx)
	if err != nil {
		return nil, err
	}
	x, err := e.encoded(ctx, from)
	if err != nil {
		return nil, err
	}
	y, err := e.encoded(ctx, to)
	if err != nil {
		return nil, err
	}
	c := &Cosine{
		From: x.terms, To: y.terms, Removed: make([]float64, len(e.components.Shares)), asked: asked{s, from, to},
	}
	scale := x.length * y.length
	c.Value = sentence.Similarity(x.x, y.x)
	words := float64(averaged(x.terms) * averaged(y.terms))
	for i, a := range x.terms {
		row := make([]float64, len(y.terms))
		for j, b := range y.terms {
			if scale == 0 {
				continue
			}
			product := 0.0
			v := y.vectors[j*s.Dim : (j+1)*s.Dim]
			for k, u := range x.vectors[i*s.Dim : (i+1)*s.Dim] {
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
	return c, nil
}

// vectorLengths are those of the vectors of words without components, made when first needed: 0 of a word without a
// vector.
func (e *encoder) vectorLengths(ctx context.Context) ([]float32, error) {
	s := e.Space
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

	clustered sync.Once
	clusters  clusters
	frequent  sync.Once
	rare      []bool // the bins whose names tell nothing; nil where that is not known
}

func newNearby() *nearby { return &nearby{lengths: make(map[bool][]float32)} }

// cosines returns the cosines of an encoded text with all words, −2 with those without a vector.
func (e *encoder) cosines(ctx context.Context, text *encoded) ([]float32, error) {
	s := e.Space
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

// Nearest returns the n words whose vectors have the greatest cosines with that of a word or text, with 1 − cosine as
// the distance. They are sorted by distance, equal ones in the order of the vocabulary. A word is not its own
// neighbour. Of a text without any known word it is an *UnknownError, of a space without vectors an ErrNoVectors.
func (s *Space) Nearest(ctx context.Context, text string, n int) (*Neighbours, error) {
	if err := positive(n); err != nil {
		return nil, err
	}
	by, err := s.encoder(ctx)
	if err != nil {
		return nil, err
	}
	e, err := by.encoded(ctx, text)
	if err != nil {
		return nil, err
	}
	cosines, err := by.cosines(ctx, e)
	if err != nil {
		return nil, err
	}
	found := new(Neighbours)
	self := int32(-1)
	for _, t := range e.terms {
		if t.Known {
			found.Words = append(found.Words, t.Text)
		} else {
			found.Unknown = append(found.Unknown, t.Text)
		}
	}
	if len(e.terms) == 1 {
		self, _ = s.index.id(e.terms[0].Text)
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

// RandomCosines returns 1 − cosine of the vectors of RandomPairs random pairs of texts of so many words, in ascending
// order; with 0 and 0, of words. They are drawn as for RandomDistances, from all words with a vector.
func (s *Space) RandomCosines(ctx context.Context, fromWords, toWords int) ([]float64, error) {
	e, err := s.encoder(ctx)
	if err != nil {
		return nil, err
	}
	lengths, err := e.vectorLengths(ctx)
	if err != nil {
		return nil, err
	}
	var ids []int32
	var below []int64 // the counts of ids up to each
	var total int64
	for id, length := range lengths {
		if length > 0 {
			total += max(s.Counts[id], 1)
			ids, below = append(ids, int32(id)), append(below, total)
		}
	}
	if len(ids) == 0 {
		return nil, ErrNoVectors
	}
	random := rand.New(rand.NewPCG(1, uint64(fromWords)<<32|uint64(toWords)))
	row := make([]float32, s.Dim)
	draw := func(words int) []float64 {
		x := make([]float64, s.Dim)
		for range max(words, 1) {
			at := random.IntN(len(ids))
			if words > 0 {
				at, _ = slices.BinarySearch(below, 1+random.Int64N(total))
			}
			s.Vector(row, ids[at])
			w := e.Weight(s.Probability(ids[at]))
			for j, v := range row {
				x[j] += float64(w * float64(v))
			}
		}
		e.components.Remove(x, nil)
		return x
	}
	distances := make([]float64, RandomPairs)
	for i := range distances {
		x := draw(fromWords)
		distances[i] = 1 - sentence.Similarity(x, draw(toWords))
	}
	slices.Sort(distances)
	return distances, nil
}

// Standing returns what the distance 1 − Value means, as Comparison.Standing does, while the space is open.
func (c *Cosine) Standing(ctx context.Context) (*Standing, error) {
	s := c.space
	if s == nil {
		return nil, errNoSpace
	}
	words := len(c.From) == 1 && len(c.To) == 1
	from, to := averaged(c.From), averaged(c.To)
	if words {
		from, to = 0, 0
	}
	random, err := s.RandomCosines(ctx, from, to)
	if err != nil {
		return nil, err
	}
	farther := len(random) - sort.Search(len(random), func(i int) bool { return random[i] > c.Distance() })
	same := words && c.From[0] == c.To[0]
	standing := &Standing{
		Closer: float64(farther) / float64(len(random)), Texts: !words,
		fromWord: len(c.From) == 1 && !same, toWord: len(c.To) == 1 && !same,
	}
	place := func(text string, of Term) (int, error) {
		near, err := s.Nearest(ctx, text, Places)
		if err != nil {
			return 0, err
		}
		return 1 + slices.IndexFunc(near.Nearest, func(n Neighbour) bool { return n.Word == of.Text }), nil
	}
	if standing.toWord {
		if standing.To, err = place(c.from, c.To[0]); err != nil {
			return nil, err
		}
	}
	if standing.fromWord {
		standing.From, err = place(c.to, c.From[0])
	}
	return standing, err
}
