package cmdlib

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"contextmover/cmdlib/method"
	"contextmover/cmdlib/sentence"
	"contextmover/internal/parallel"
)

// The methods that questions are answered by: distances, neighbours and explanations. Encode
// takes the cosine of the vectors that Space.Encode makes; the others are the context mover's
// distance, by how the words of a text combine. All are methods of Space.Method, too.
const (
	Encode   = "encode"
	average  = "average"
	comb     = "comb"
	debiased = "debiased"
)

// Chosen is the method that a space answers by where none is named, and what it was chosen by.
type Chosen struct {
	Method   string `json:"method"`
	ChosenBy string `json:"chosen_by,omitempty"`
}

// Defaults are those of pairs of which one is a longer text, and of single words. The zero value stands for the context
// mover's distance, as spaces of older versions answer.
type Defaults struct {
	Texts Chosen `json:"texts"`
	Words Chosen `json:"words"`
}

// Measured are the defaults of spaces with vectors: what scored best on validation data where the corpus was novels and
// Wikipedia (docs/decisions/0026-vectors-in-spaces.md).
var Measured = Defaults{
	Texts: Chosen{Encode, "Pearson on STS16"},
	Words: Chosen{Encode, "Spearman on MEN dev and SimVerb dev"},
}

// askable are the methods that a space answers questions by.
var askable = []string{Encode, average, comb, debiased}

// Askable returns the methods that single questions are answered by: distances, neighbours and explanations.
func Askable() []string { return slices.Clone(askable) }

func (d Defaults) check() error {
	for _, m := range []string{d.Texts.Method, d.Words.Method} {
		if m != "" && !slices.Contains(askable, m) {
			return fmt.Errorf("settings of methods: %q is the default, expected one of %v", m, askable)
		}
	}
	return nil
}

// combinationMethods are the methods of transport by how the words of texts combine.
var combinationMethods = map[Combination]string{Average: average, Barycenter: comb, DebiasedBarycenter: debiased}

// MethodOf returns the method of transport that combines words so.
func MethodOf(c Combination) string { return combinationMethods[c] }

// CombinationOf returns how a method of Askable combines the words of a text to a histogram, and whether it does.
func CombinationOf(method string) (Combination, bool) {
	for c, of := range combinationMethods {
		if of == method {
			return c, true
		}
	}
	return "", false
}

// Default returns the method that the space compares these texts by where none is
// named: that of words if all are single words. A space without vectors answers
// by transport, and so does one of a word that it has learned, which has none.
func (s *Space) Default(texts ...string) string {
	d, learned := s.Settings.Defaults.Words, false
	for _, text := range texts {
		tokens := s.tokenise(text)
		if len(tokens) != 1 {
			d = s.Settings.Defaults.Texts
		}
		for _, token := range tokens {
			_, ok := s.learnedIDs[token]
			learned = learned || ok
		}
	}
	if learned || d.Method == "" || d.Method == Encode && s.Encodes() != nil {
		return combinationMethods[s.Settings.Sentence.Combination]
	}
	return d.Method
}

// encodes is the method Encode.
type encodes struct{}

func (encodes) Validate() error     { return nil }
func (encodes) Needs() method.Needs { return method.Needs{Vectors: []string{""}} }
func (encodes) Varies(string) bool  { return false }

// Scorer implements method.Method, for a space.
func (encodes) Scorer(_ context.Context, from method.Source, pairs []method.Pair) (method.Scorer, error) {
	of, ok := from.(*source)
	if !ok {
		return nil, lacks("the method %s is one of spaces", Encode)
	}
	s := of.Space
	if err := s.Encodes(); err != nil {
		return nil, lacks("the method %s: %w", Encode, err)
	}
	return func(ctx context.Context) (sentence.Scores, error) {
		scores := sentence.Scores{Value: make([]float64, len(pairs)), Covered: make([]bool, len(pairs))}
		err := parallel.Blocks(ctx, len(pairs), 64, func(lo, hi int) error {
			for i := lo; i < hi; i++ {
				scores.Value[i], scores.Covered[i] = s.cosine(s.encoded(pairs[i].A), s.encoded(pairs[i].B))
			}
			return nil
		})
		return scores, err
	}, nil
}

// Calibration tells what people say of pairs of texts with a cosine of Encode: straight lines between its points.
type Calibration struct {
	// Cosine ascends, Score does not descend; each cosine has a score of Lowest to Highest.
	Cosine  []float64 `json:"cosine"`
	Score   []float64 `json:"score"`
	Lowest  float64   `json:"lowest"`
	Highest float64   `json:"highest"`
	// Pairs is the number of pairs that it was fitted to, Of what they are.
	Pairs int    `json:"pairs"`
	Of    string `json:"of"`
}

// calibrationPoints is the number of groups of pairs with like cosines that a calibration is fitted to.
const calibrationPoints = 20

// Calibrate returns the isotonic regression of scores on cosines, by least squares,
// of calibrationPoints groups of as many pairs each [Ayer et al. 1955]. It is an
// error for fewer pairs than two a group, or for lists of different lengths.
func Calibrate(cosines, scores []float64, lowest, highest float64, of string) (*Calibration, error) {
	n := len(cosines)
	if n != len(scores) || n < 2*calibrationPoints {
		return nil, fmt.Errorf("cmdlib: %d cosines and %d scores to calibrate by, expected as many, and at least %d", n, len(scores), 2*calibrationPoints)
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case cosines[i] < cosines[j]:
			return -1
		case cosines[i] > cosines[j]:
			return 1
		}
		return 0
	})
	type block struct{ cosine, score, weight float64 }
	var blocks []block
	for g := range calibrationPoints {
		var b block
		for _, i := range order[g*n/calibrationPoints : (g+1)*n/calibrationPoints] {
			b.cosine += cosines[i]
			b.score += scores[i]
			b.weight++
		}
		blocks = append(blocks, block{b.cosine / b.weight, b.score / b.weight, b.weight})
		for len(blocks) > 1 && blocks[len(blocks)-2].score >= blocks[len(blocks)-1].score {
			x, y := blocks[len(blocks)-2], blocks[len(blocks)-1]
			w := x.weight + y.weight
			joined := block{(float64(x.cosine*x.weight) + float64(y.cosine*y.weight)) / w, (float64(x.score*x.weight) + float64(y.score*y.weight)) / w, w}
			blocks = append(blocks[:len(blocks)-2], joined)
		}
	}
	c := &Calibration{Lowest: lowest, Highest: highest, Pairs: n, Of: of}
	for _, b := range blocks {
		if len(c.Cosine) > 0 && b.cosine <= c.Cosine[len(c.Cosine)-1] {
			continue
		}
		c.Cosine, c.Score = append(c.Cosine, b.cosine), append(c.Score, b.score)
	}
	return c, c.check()
}

func (c *Calibration) check() error {
	if c == nil {
		return nil
	}
	ok := len(c.Cosine) > 0 && len(c.Cosine) == len(c.Score) && len(c.Cosine) <= 1000 && c.Lowest < c.Highest
	for i := range c.Cosine {
		ok = ok && math.Abs(c.Cosine[i]) <= 1+1e-9 && len(c.Score) > i && c.Score[i] >= c.Lowest && c.Score[i] <= c.Highest
		ok = ok && (i == 0 || c.Cosine[i] > c.Cosine[i-1] && c.Score[i] >= c.Score[i-1])
	}
	if !ok {
		return fmt.Errorf("the calibration of scores does not ascend from %v to %v: make the space again", c.Lowest, c.Highest)
	}
	return nil
}

// At returns what people say of pairs with this cosine, on average: from
// Lowest to Highest. Beyond the first and the last point it is theirs.
func (c *Calibration) At(cosine float64) float64 {
	i := sort.SearchFloat64s(c.Cosine, cosine)
	switch {
	case i == 0:
		return c.Score[0]
	case i == len(c.Cosine):
		return c.Score[i-1]
	}
	share := (cosine - c.Cosine[i-1]) / (c.Cosine[i] - c.Cosine[i-1])
	return c.Score[i-1] + float64(share*(c.Score[i]-c.Score[i-1]))
}

// Caveat is what a similarity of averages of words does not tell.
const Caveat = "negation and opposites are not seen"

// Text is the judgement as a sentence without its full stop.
func (c *Calibration) Text(cosine float64) string {
	return fmt.Sprintf("people call such pairs %.1f of %g alike on average; %s", c.At(cosine), c.Highest, Caveat)
}
