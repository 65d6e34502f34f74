package cmdlib

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"contextmover/cmdlib/sentence"
	"contextmover/internal/setting"
)

// SIF names the method that compares texts by the cosines of their vectors, as Encoder makes them: each the average of
// the vectors of its words, frequent words weighing less. NBoW names the same with equal weights, and Nearest how near
// the words of each text are to the nearest words of the other (see sentence.NearestWords).
const (
	SIF     = "sif"
	NBoW    = "nbow"
	Nearest = "nearest"
)

// Method is how a space compares two words or texts: by vectors, with settings of its own, or by transport, with those
// of the space.
type Method struct {
	// Name is SIF, NBoW or Nearest, or that of a method of transport, the context mover's distance: "average", "comb"
	// or "debiased", by how the words of a text combine.
	Name string
	// Combination is what Name says, of a method of transport; else empty.
	Combination Combination

	// Weights and those below are settings of vectors. A word weighs a/(a + p), p its share of the corpus, if Weights
	// is "sif", and 1 if it is "uniform".
	Weights string
	// A is the a of weights, 0 for that of the space's Encoding.
	A float64
	// Unit says whether the vectors of words are scaled to length 1 first.
	Unit bool
	// Own says which words have a vector of their own, in a direction that is drawn for the word alone: "none",
	// "unknown", or "unknown and numbers", which are words with a digit.
	Own string
}

// What a Method can have as Weights and Own.
const (
	uniform           = "uniform"
	noneOwn           = "none"
	unknownOwn        = "unknown"
	unknownAndNumbers = "unknown and numbers"
)

// methods are all methods with their defaults. The names of transport that Askable does not list are those of tables.
var methods = []Method{
	{Name: SIF, Weights: SIF, Unit: true, Own: unknownOwn},
	{Name: NBoW, Weights: uniform, Own: noneOwn},
	{Name: Nearest, Weights: SIF, A: nearestA, Unit: true, Own: unknownOwn},
	{Name: "average", Combination: Average}, {Name: "euclidean", Combination: Average},
	{Name: "comb", Combination: Barycenter}, {Name: "barycenter", Combination: Barycenter},
	{Name: "debiased", Combination: DebiasedBarycenter},
}

// Askable returns the names of the methods that a space answers by.
func Askable() []string { return []string{Nearest, SIF, NBoW, "average", "comb", "debiased"} }

// ParseMethod reads a method as people write it: its name, then for vectors settings, separated by commas, as in
// "sif,a=1e-4". An error names what is not known, or what a setting can be.
func ParseMethod(text string) (Method, error) {
	name, settings, some := strings.Cut(text, ",")
	i := slices.IndexFunc(methods, func(m Method) bool { return m.Name == name })
	if i < 0 {
		return Method{}, noAnswer(text)
	}
	m := methods[i]
	if !some {
		return m, nil
	}
	for _, s := range strings.Split(settings, ",") {
		key, value, _ := strings.Cut(s, "=")
		var err error
		switch {
		case m.Combination != "":
			return m, fmt.Errorf("%w: %q with settings that are not the space's: expected its name alone",
				ErrSettings, text)
		case key == "weights":
			m.Weights = value
		case key == "a":
			if m.A, err = strconv.ParseFloat(value, 64); err != nil || !(m.A > 0) || math.IsInf(m.A, 1) {
				return m, &setting.Error{Name: key, Problem: fmt.Sprintf("%q, expected a number above 0", value)}
			}
		case key == "unit":
			if m.Unit, err = strconv.ParseBool(value); err != nil {
				return m, &setting.Error{Name: key, Problem: fmt.Sprintf("%q, expected true or false", value)}
			}
		case key == "own":
			m.Own = value
		default:
			return m, noAnswer(text)
		}
	}
	return m, m.check()
}

func noAnswer(text string) error {
	return fmt.Errorf("single questions are not answered by %q, which is no method or compares the pairs of a set: "+
		"expected %s", text, strings.Join(Askable(), ", "))
}

// check returns an error for settings of vectors that a method cannot have.
func (m Method) check() error {
	if problem := setting.OneOf(m.Weights, []string{uniform, SIF}); problem != "" {
		return &setting.Error{Name: "weights", Problem: problem}
	}
	if problem := setting.OneOf(m.Own, []string{noneOwn, unknownOwn, unknownAndNumbers}); problem != "" {
		return &setting.Error{Name: "own", Problem: problem}
	}
	if m.Own != noneOwn && !m.Unit {
		problem := "vectors assembled from the vectors of others, unchanged: expected unit = true"
		return &setting.Error{Name: "own", Problem: problem}
	}
	return nil
}

// String returns the method as ParseMethod reads it.
func (m Method) String() string {
	text := m.Name
	if m.Vectors() {
		text += ",weights=" + m.Weights
		if m.A > 0 {
			text += ",a=" + strconv.FormatFloat(m.A, 'g', -1, 64)
		}
		text += ",unit=" + strconv.FormatBool(m.Unit) + ",own=" + m.Own
	}
	return text
}

// Vectors reports whether the method compares vectors, of texts or of their words, and not by transport.
func (m Method) Vectors() bool { return m.Combination == "" }

// weighting returns the weights of words, of a method with its own a.
func (m Method) weighting() sentence.Weighting {
	if m.Weights == uniform {
		return sentence.Weighting{}
	}
	return sentence.Weighting{Scheme: sentence.SIF, A: m.A}
}

// ErrSettings is what an error about a setting is that the data or the other settings cannot serve.
var ErrSettings = errors.New("setting out of range")

// Chosen is the method that a space answers by where none is named, and what it was chosen by.
type Chosen struct {
	Method   string `json:"method"`
	ChosenBy string `json:"chosen_by,omitempty"`
}

// byAsking is what methods of Options are chosen by.
const byAsking = "who asks"

// Defaults are those of pairs of which one is a longer text, and of single words. The zero value stands for the
// context mover's distance.
type Defaults struct {
	Texts Chosen `json:"texts"`
	Words Chosen `json:"words"`
}

// Measured are the defaults of spaces with vectors: what scored best on validation data where the corpus was novels
// and Wikipedia (decision 26 of docs/dev/decisions.md).
var Measured = Defaults{
	Texts: Chosen{Nearest, "Pearson on STS16"},
	Words: Chosen{SIF, "Spearman on MEN dev and SimVerb dev"},
}

func (d *Defaults) check() error {
	for _, of := range []*Chosen{&d.Texts, &d.Words} {
		if of.Method == "" {
			continue
		}
		if _, err := ParseMethod(of.Method); err != nil {
			return fmt.Errorf("settings of methods: the default: %w", err)
		}
	}
	return nil
}

// combinationMethods are the methods of transport by how the words of texts combine.
var combinationMethods = map[Combination]string{Average: "average", Barycenter: "comb", DebiasedBarycenter: "debiased"}

// Default returns the name of the method that the space compares these texts by: that of words if all are single
// words. Without texts it is that of sets of texts, which is the one of longer texts without learned words. A space
// without vectors compares by transport, and so does one of a word that it has learned, which has none.
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
	if len(texts) == 0 {
		d = s.Settings.Defaults.Texts
	}
	for _, text := range texts {
		if len(text.words) != 1 {
			d = s.Settings.Defaults.Texts
		}
		for _, id := range text.ids {
			learned = learned || s.learned.estimate(id) != nil
		}
	}
	return s.recorded(d, learned)
}

// ByTransport returns a view of the space that compares all words and texts by transport, with the settings of the
// space.
func (s *Space) ByTransport() *Space {
	t := *s
	t.ask(combinationMethods[s.Settings.Sentence.Combination])
	return &t
}

// ask makes a method that of all words and texts.
func (s *Space) ask(method string) {
	chosen := Chosen{method, byAsking}
	s.Settings.Defaults = Defaults{Texts: chosen, Words: chosen}
}

// recorded returns the method of a recorded default, or of transport where the space cannot answer by it: one without
// vectors, or texts with words that it has learned.
func (s *Space) recorded(d Chosen, learned bool) string {
	transport := combinationMethods[s.Settings.Sentence.Combination]
	if d.Method == "" || !learned && !isVectors(d.Method) {
		return cmp.Or(d.Method, transport)
	}
	if _, err := s.averaging(); learned && d.ChosenBy != byAsking || err != nil {
		return transport
	}
	return d.Method
}

// isVectors tells whether a method compares vectors, of texts or of their words.
func isVectors(text string) bool {
	m, err := ParseMethod(text)
	return err == nil && m.Vectors()
}

// isNearest tells whether a method compares the words of texts with the nearest ones.
func isNearest(text string) bool {
	m, err := ParseMethod(text)
	return err == nil && m.Name == Nearest
}

// ByVectors reports whether these texts, or sets of texts, are compared by vectors, and not by transport.
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
	Pairs  int    `json:"pairs"`
	Source string `json:"of"`
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
	type block struct{ cosine, score, weight float64 }
	pairs := make([]block, n)
	for i, cosine := range cosines {
		pairs[i] = block{cosine, scores[i], 1}
	}
	slices.SortStableFunc(pairs, func(a, b block) int { return cmp.Compare(a.cosine, b.cosine) })
	var blocks []block
	for g := range calibrationPoints {
		var b block
		for _, p := range pairs[g*n/calibrationPoints : (g+1)*n/calibrationPoints] {
			b.cosine += p.cosine
			b.score += p.score
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
	c := &Calibration{Lowest: lowest, Highest: highest, Pairs: n, Source: of}
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
		return fmt.Errorf("the calibration of scores does not ascend from %v to %v",
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
