package cmdlib

import (
	"context"
	"errors"
	"math"
	"slices"

	"contextmover/cmdlib/ot"
	"contextmover/internal/parallel"
)

// Comparison is how far two words or texts are from each other, and what that number is made of.
type Comparison struct {
	// Method names the method that they were compared by: see Space.Default.
	Method string `json:"method"`
	// From and To are the two as the method sees them.
	From Side `json:"from"`
	To   Side `json:"to"`
	// Distance is the number: of a method of transport the cost of the plan, of one of vectors 1 − Similarity.
	Distance float64 `json:"distance"`

	// Sum is set by methods of vectors, else nil: their similarity as a sum over pairs of words.
	*Sum
	// Result is that of the transport problem, of methods of transport; Result.Cost is the distance.
	ot.Result `json:"-"`
	// Plan is the whole plan between the bins, Plan.Mass K×K. It and what follows are set by Explain where the method
	// is one of transport: Moved[i][j] is the mass that moves from From.Contexts[i] to To.Contexts[j], and Costs[i][j]
	// the cost of a unit of it.
	Plan  *ot.Plan    `json:"-"`
	Moved [][]float64 `json:"plan,omitempty"`
	Costs [][]float64 `json:"costs,omitempty"`
	// Kept are the entries of the plan with most mass that stays in its bin, and Flows those with the largest part
	// Mass·Cost in the distance of what moves to another, largest first; those of bins whose names tell nothing come
	// last. Stays is the whole mass that stays in its bin.
	Kept  []Flow  `json:"kept,omitempty"`
	Flows []Flow  `json:"flows,omitempty"`
	Stays float64 `json:"stays,omitempty"`

	space    *Space
	from, to reading
	encoder  *Encoder // where vectors of texts were compared, and the two as methods of vectors have them
	x, y     *encoded
}

// Vectors reports whether vectors were compared: whether Sum is set, and not Result.
func (c *Comparison) Vectors() bool { return c.Sum != nil }

// Compare returns how far one word or text is from another, by the method that the space compares them by (see Default
// and With).
//
// By transport two single words are compared by their own histograms, longer texts by what Sentence combines their
// words to; words without an estimate are left out. A text is not at distance 0 from itself, since the regularised
// plan is blurred. By vectors the distance is one minus the cosine of those that Encoder makes, up to rounding, or one
// minus the similarity of the nearest words (see sentence.NearestWords).
//
// A text without any known word is an *UnknownError, a method of vectors in a space without them an ErrNoVectors.
func (s *Space) Compare(ctx context.Context, from, to string) (*Comparison, error) {
	return s.compare(ctx, from, to, 0)
}

// compare is Compare with n contexts and flows of each kind, or none.
func (s *Space) compare(ctx context.Context, from, to string, n int) (*Comparison, error) {
	c := &Comparison{space: s, from: s.read(from), to: s.read(to)}
	c.Method = s.methodOf(c.from, c.to)
	if isVectors(c.Method) {
		return c, c.byVectors(ctx)
	}
	both, err := s.compared(ctx, c.from, c.to)
	if err != nil {
		return nil, err
	}
	c.From, c.To = both[0].side(from), both[1].side(to)
	problem := s.moving(both[0].Histogram, both[1].Histogram)
	if n > 0 {
		plan, err := s.Engine.Plan(ctx, problem, 0)
		if err != nil {
			return nil, err
		}
		c.Result, c.Distance = plan.Result, plan.Result.Cost
		return c, c.explain(plan, n)
	}
	results, err := ot.Distances(ctx, s.Engine, problem)
	if err != nil {
		return nil, err
	}
	c.Result, c.Distance = results[0], results[0].Cost
	return c, nil
}

func (s *Sentence) side(text string) Side {
	return Side{Text: text, Words: s.Words, Unknown: s.Unknown, Histogram: s.Histogram}
}

// problem is that of pairs of histograms, rows of K bins.
func (s *Space) problem(rows ot.Histograms, pairs []ot.Pair) *ot.Problem {
	return &ot.Problem{Settings: s.Settings.Transport, Cost: s.Cost, Rows: rows, Pairs: pairs}
}

// moving is the problem of moving one histogram to another.
func (s *Space) moving(from, to []float32) *ot.Problem {
	return s.problem(ot.Histograms{K: s.Cost.K, Data: slices.Concat(from, to)}, []ot.Pair{{Target: 1}})
}

// transport solves the problems of pairs of histograms.
func (s *Space) transport(ctx context.Context, rows ot.Histograms, pairs []ot.Pair) ([]ot.Result, error) {
	return ot.Distances(ctx, s.Engine, s.problem(rows, pairs))
}

// Pair is two texts to compare.
type Pair struct{ A, B string }

// Distances returns the distance of each pair that Compare returns by the method for texts, DefaultMethod, or of two
// single words by that for words where both are of vectors, to the last bit; NaN where a text has no known word.
// Problems of transport are solved together.
func (s *Space) Distances(ctx context.Context, pairs []Pair) ([]float64, error) {
	if isVectors(s.Default()) {
		return s.vectorDistances(ctx, pairs)
	}
	if _, err := s.estimates(); err != nil {
		return nil, err
	}
	// Words by themselves and the combinations of texts have a row each, once: −1 without a known word.
	type side struct {
		text  string
		alone bool
	}
	read, rows := map[string]reading{}, map[side]int32{}
	var histograms []float32
	add := func(h []float32) int32 {
		histograms = append(histograms, h...)
		return int32(len(histograms)/s.Cost.K) - 1
	}
	var texts []reading // to be combined
	sides := make([][2]side, len(pairs))
	for i, p := range pairs {
		for _, text := range []string{p.A, p.B} {
			if _, ok := read[text]; !ok {
				read[text] = s.read(text)
			}
		}
		a, b := read[p.A], read[p.B]
		alone := a.word() >= 0 && b.word() >= 0
		for j, r := range []reading{a, b} {
			key := side{r.text, alone}
			sides[i][j] = key
			if _, ok := rows[key]; ok {
				continue
			}
			if rows[key] = -1; alone {
				rows[key] = add(s.row(r.word()))
			} else {
				texts = append(texts, r)
			}
		}
	}
	sentences, err := s.combine(ctx, texts)
	if err != nil {
		return nil, err
	}
	for t, text := range texts {
		if h := sentences[t].Histogram; h != nil {
			rows[side{text.text, false}] = add(h)
		}
	}

	distances := make([]float64, len(pairs))
	var known []int
	var problems []ot.Pair
	for i, pair := range sides {
		p := ot.Pair{Source: rows[pair[0]], Target: rows[pair[1]]}
		if distances[i] = math.NaN(); min(p.Source, p.Target) >= 0 {
			known, problems = append(known, i), append(problems, p)
		}
	}
	if len(known) == 0 {
		return distances, nil
	}
	results, err := s.transport(ctx, ot.Histograms{K: s.Cost.K, Data: histograms}, problems)
	for i, r := range results {
		distances[known[i]] = r.Cost
	}
	return distances, err
}

// vectorDistances is Distances by vectors.
func (s *Space) vectorDistances(ctx context.Context, pairs []Pair) ([]float64, error) {
	words := s.recorded(s.Settings.Defaults.Words, false)
	if !isVectors(words) {
		words = s.Default()
	}
	var encoders [2]*Encoder // of longer texts, and of single words
	for i, method := range []string{s.Default(), words} {
		var err error
		if encoders[i], err = s.encoder(method); err != nil {
			return nil, err
		}
	}
	distances := make([]float64, len(pairs))
	return distances, parallel.Blocks(ctx, len(pairs), 64, func(lo, hi int) error {
		type side struct {
			kind int
			text string
		}
		texts := map[side]*encoded{} // nil of one without a known word
		known := func(kind int, text string) (*encoded, error) {
			t, ok := texts[side{kind, text}]
			if ok {
				return t, nil
			}
			t, err := encoders[kind].encoded(ctx, text)
			if errors.As(err, new(*UnknownError)) {
				t, err = nil, nil
			}
			texts[side{kind, text}] = t
			return t, err
		}
		for i, p := range pairs[lo:hi] {
			kind := 0
			if len(s.read(p.A).words) == 1 && len(s.read(p.B).words) == 1 {
				kind = 1
			}
			a, err := known(kind, p.A)
			if err != nil {
				return err
			}
			b, err := known(kind, p.B)
			if err != nil {
				return err
			}
			if distances[lo+i] = math.NaN(); a != nil && b != nil {
				distances[lo+i] = 1 - a.similarity(b)
			}
		}
		return nil
	})
}
