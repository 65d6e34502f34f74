package cmdlib

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"contextmover/cmdlib/method"
)

// The methods that questions are answered by. SIF is the cosine of vectors of texts, as Encoder makes them with
// the space's own settings, Nearest how near the words of each text are to the nearest words of the other (see
// sentence.NearestWords). The others are the context mover's distance, by how the words of a text combine.
const (
	SIF      = "sif"
	Nearest  = "nearest"
	average  = "average"
	comb     = "comb"
	debiased = "debiased"
)

// Chosen is the method that a space answers by where none is named, and what it was chosen by.
type Chosen struct {
	Method   string `json:"method"`
	ChosenBy string `json:"chosen_by,omitempty"`
}

// byAsking is what methods of Override are chosen by.
const byAsking = "who asks"

// Defaults are those of pairs of which one is a longer text, and of single words. The zero value stands for the context
// mover's distance.
type Defaults struct {
	Texts Chosen `json:"texts"`
	Words Chosen `json:"words"`
}

// Measured are the defaults of spaces with vectors: what scored best on validation data where the corpus was novels and
// Wikipedia (decision 26 of docs/dev/decisions.md).
var Measured = Defaults{
	Texts: Chosen{Nearest, "Pearson on STS16"},
	Words: Chosen{SIF, "Spearman on MEN dev and SimVerb dev"},
}

// Askable returns names of the methods that single questions are answered by: distances, neighbours and explanations.
func Askable() []string { return []string{Nearest, SIF, "nbow", average, comb, debiased} }

// answers returns an error if no single question is answered by a method.
func answers(text string) error {
	m, err := method.Parse(text, nil)
	if err != nil {
		return err
	}
	_, nearest := m.(method.Nearest)
	if a, ok := m.(method.Averaging); ok && a.PerText() || nearest || !ok && combines(m) != "" {
		return nil
	}
	return fmt.Errorf("single questions are not answered by %q, which compares the pairs of a set: expected %s",
		text, strings.Join(Askable(), ", "))
}

// combines returns how a method of transport combines the words of a text, "" of another method.
func combines(m method.Method) Combination {
	if h, ok := method.Of[method.Histograms](m); ok && (h.Mix > 0 || h.Compare != method.ByTransport) {
		return ""
	}
	switch m.(type) {
	case method.Average:
		return Average
	case method.Barycenter:
		return Barycenter
	case method.Debiased:
		return DebiasedBarycenter
	}
	return ""
}

func (d *Defaults) check() error {
	for _, of := range []*Chosen{&d.Texts, &d.Words} {
		if of.Method == "" {
			continue
		}
		if err := answers(of.Method); err != nil {
			return fmt.Errorf("settings of methods: the default: %w", err)
		}
	}
	return nil
}

// combinationMethods are the methods of transport by how the words of texts combine.
var combinationMethods = map[Combination]string{Average: average, Barycenter: comb, DebiasedBarycenter: debiased}

// Default returns the name of the method that the space compares these texts by: that of words if all are single words.
// A space without vectors compares by transport, and so does one of a word that it has learned, which has none.
func (s *Space) Default(texts ...string) string {
	read := make([]reading, len(texts))
	for i, text := range texts {
		read[i] = s.read(text)
	}
	return s.methodOf(read...)
}

// methodOf is Default of texts that have been read.
func (s *Space) methodOf(texts ...reading) string {
	d, learned := s.Settings.Defaults.Words, false
	for _, text := range texts {
		if len(text.words) != 1 {
			d = s.Settings.Defaults.Texts
		}
		for _, id := range text.ids {
			learned = learned || id >= 0 && s.learned[id] != nil
		}
	}
	return s.recorded(d, learned)
}

// DefaultMethod names the method that sets of texts are compared by where nobody says which: that of Default for longer
// texts without learned words.
func (s *Space) DefaultMethod() string { return s.recorded(s.Settings.Defaults.Texts, false) }

// ByTransport returns a view of the space that compares all words and texts by transport, with the settings of the
// space.
func (s *Space) ByTransport() *Space {
	t := s.view()
	chosen := Chosen{combinationMethods[s.Settings.Sentence.Combination], byAsking}
	t.Settings.Defaults = Defaults{Texts: chosen, Words: chosen}
	return t
}

// recorded returns the method of a recorded default, or of transport where the space cannot answer by it: one without
// vectors, or texts with words that it has learned.
func (s *Space) recorded(d Chosen, learned bool) string {
	transport := combinationMethods[s.Settings.Sentence.Combination]
	if d.Method == "" || !learned && !isVectors(d.Method) {
		return cmp.Or(d.Method, transport)
	}
	if learned && d.ChosenBy != byAsking || s.encodes() != nil {
		return transport
	}
	return d.Method
}

// isVectors tells whether a method compares vectors, of texts or of their words.
func isVectors(text string) bool {
	m, err := method.Parse(text, nil)
	if err != nil {
		return false
	}
	switch m.(type) {
	case method.Averaging, method.Nearest:
		return true
	}
	return false
}

// isNearest tells whether a method compares the words of texts with the nearest ones.
func isNearest(text string) bool {
	m, err := method.Parse(text, nil)
	_, ok := m.(method.Nearest)
	return err == nil && ok
}

// ByVectors reports whether these texts are compared by vectors, and not by transport.
func (s *Space) ByVectors(texts ...string) bool { return isVectors(s.Default(texts...)) }

// Calibration tells what people say of pairs of texts with a similarity: straight lines between its points.
type Calibration struct {
	// Method is that of the similarity, 1 − the distance; empty for SIF.
	Method string `json:"method,omitempty"`
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
		return nil, fmt.Errorf("cmdlib: %d cosines and %d scores to calibrate by, expected as many, and at least %d",
			n, len(scores), 2*calibrationPoints)
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(cosines[i], cosines[j])
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
			joined := block{
				(float64(x.cosine*x.weight) + float64(y.cosine*y.weight)) / w,
				(float64(x.score*x.weight) + float64(y.score*y.weight)) / w, w,
			}
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
		ok = ok && math.Abs(c.Cosine[i]) <= 1+1e-9 && len(c.Score) > i && c.Score[i] >= c.Lowest &&
			c.Score[i] <= c.Highest
		ok = ok && (i == 0 || c.Cosine[i] > c.Cosine[i-1] && c.Score[i] >= c.Score[i-1])
	}
	if !ok {
		return fmt.Errorf("the calibration of scores does not ascend from %v to %v: make the space again",
			c.Lowest, c.Highest)
	}
	return nil
}

// At returns what people say of pairs with this cosine, on average: from
// Lowest to Highest. Beyond the first and the last point it is constant.
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

// Text is the judgement as a sentence without its full stop.
func (c *Calibration) Text(cosine float64) string {
	return fmt.Sprintf("people rate such pairs %.1f out of %g on average; negation and opposites are not seen",
		c.At(cosine), c.Highest)
}

// encodes returns why the space makes no vectors of texts, or nil.
func (s *Space) encodes() error {
	_, err := s.Averaging()
	return err
}
