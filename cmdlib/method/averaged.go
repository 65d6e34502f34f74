package method

import (
	"context"

	"contextmover/cmdlib/sentence"
)

// Averaged has the settings of methods that average the vectors of a text's words and take cosines (see
// sentence.VectorAverage). From the cosine, some of the word rotator's distance may be taken (Rotated).
type Averaged struct {
	WordVectors
	Weighting
	Removal
	Shares
	Scaled
	OwnWords
	Rotated
	Kept
}

// Rotated takes the word rotator's distance WRD of the same words, with weights by RotatorA, from a cosine:
//
//	score = cosine − Rotator·WRD
type Rotated struct {
	Rotator  float64 `toml:"rotator" range:"0.." grid:"y" help:"weight of the word rotator's distance"`
	RotatorA float64 `toml:"rotator_a" default:"1e-3" range:">0" help:"a of its words' weights"`
}

func (r Rotated) counts(name string) bool { return name != "rotator_a" || r.Rotator > 0 }

// Validate implements Method.
func (a Averaged) Validate() error {
	if err := check(a); err != nil {
		return err
	}
	return a.OwnWords.check(a.Unit)
}

// Needs implements Method.
func (a Averaged) Needs() Needs { return vectorNeeds(a.WordVectors, a.OwnWords, a.Weighting) }

func vectorNeeds(v WordVectors, o OwnWords, w Weighting) Needs {
	n := Needs{Vectors: []string{v.Vectors}, Marginals: []Marginal{w.Marginal()}}
	if o.Beside != "" {
		n.Vectors = append(n.Vectors, o.Beside)
	}
	if o.Own != "" && o.Own != NoneOwn {
		n.Streams = []string{OwnStream}
	}
	return n
}

// Varies implements Method.
func (a Averaged) Varies(name string) bool {
	return a.counts(name) && (name != "rotator" || a.Rotator != 0)
}

func (a Averaged) counts(name string) bool {
	switch name {
	case "unit":
		return !a.OwnWords.Any() // which take vectors of length 1
	case "components":
		return a.RemovePC
	case "rotator_a":
		return a.Rotated.counts(name) && a.Weights != Uniform
	}
	return a.Weighting.counts(name) && a.Removal.counts(name) && a.OwnWords.counts(name)
}

func (a Averaged) vectors(ctx context.Context, s Source, pairs []Pair) (*vectors, error) {
	if a.OwnWords.Any() {
		return a.OwnWords.together(ctx, s, a.Vectors, a.Weighting, pairs)
	}
	return known(ctx, s, a.Vectors, a.Unit, a.Weighting, pairs)
}

// Scorer implements Method.
func (a Averaged) Scorer(ctx context.Context, s Source, pairs []Pair) (Scorer, error) {
	v, err := a.vectors(ctx, s, pairs)
	if err != nil {
		return nil, err
	}
	kept, err := a.kept(ctx, s)
	if err != nil {
		return nil, err
	}
	return a.scorer(v, kept), nil
}

// kept returns the components of the source where these are removed, else nil.
func (a Averaged) kept(ctx context.Context, s Source) (*sentence.Components, error) {
	if !a.Kept.Kept || a.RemovePC {
		return nil, ctx.Err()
	}
	return s.Kept(ctx)
}

func (a Averaged) scorer(v *vectors, kept *sentence.Components) Scorer {
	average := sentence.VectorAverage{
		Vectors: v.Vectors, Dim: v.Dim, Probability: v.Probability, Weighting: v.Weighting, Terms: v.terms,
		Components: a.removed(), PCBatch: a.PCBatch, Fixed: kept,
	}
	var m sentence.Method = average
	if a.Rotator > 0 {
		points := v.Points
		points.Weighting = weighting(a.Weights, a.RotatorA)
		rotator := sentence.WordMover{Points: points, Rotator: true}
		m = sentence.Sum{{Weight: 1, Method: average}, {Weight: a.Rotator, Method: rotator}}
	}
	return func(ctx context.Context) (sentence.Scores, error) { return m.Score(ctx, v.pairs) }
}

// removed is the number of components that are removed.
func (a Averaged) removed() int {
	if !a.RemovePC {
		return 0
	}
	return max(1, a.Components)
}

// Fit implements Embedder. Components are those of all texts together, whatever PCBatch.
func (a Averaged) Fit(ctx context.Context, s Source, texts []string) (*sentence.Components, error) {
	if kept, err := a.kept(ctx, s); kept != nil || err != nil {
		return kept, err
	}
	v, err := a.vectors(ctx, s, alone(texts))
	if err != nil {
		return nil, err
	}
	return a.fit(ctx, v)
}

func (a Averaged) fit(ctx context.Context, v *vectors) (*sentence.Components, error) {
	rows, _, err := v.averages(ctx)
	if err != nil {
		return nil, err
	}
	return sentence.FitComponents(ctx, rows, v.Dim, a.removed())
}

// Encode implements Embedder. Vectors do not know of Rotated, which is a distance between words.
func (a Averaged) Encode(ctx context.Context, s Source, texts []string, c *sentence.Components) (*Encoded, error) {
	v, err := a.vectors(ctx, s, alone(texts))
	if err != nil {
		return nil, err
	}
	return v.encode(ctx, c)
}

// PerText implements Averaging.
func (a Averaged) PerText() bool { return !a.RemovePC && a.Rotator == 0 && a.Weights != Inverse }

// Weight implements Averaging.
func (a Averaged) Weight(p float64) float64 { return a.Weighting.Of().Of(p) }

// Terms implements Averaging.
func (a Averaged) Terms(ctx context.Context, s Source, text string) ([]Term, []float32, error) {
	words := s.Words(text)
	v, err := a.vectors(ctx, s, alone([]string{text}))
	if err != nil {
		return nil, nil, err
	}
	terms, vectors := make([]Term, len(words)), make([]float32, len(words)*v.Dim)
	rows := v.pairs[0].A
	for i, word := range words {
		terms[i].Text = word
		if v.own == nil {
			if _, ok := s.ID(word); !ok {
				continue
			}
		}
		row := int(rows[0])
		rows = rows[1:]
		copy(vectors[i*v.Dim:], v.Vectors[row*v.Dim:(row+1)*v.Dim])
		if isZero(vectors[i*v.Dim : (i+1)*v.Dim]) {
			continue
		}
		p := 0.0
		if !v.Weighting.IsUniform() {
			p = v.Probability[row]
		}
		terms[i].Weight, terms[i].Known = v.Weighting.Of(p), v.own == nil || !v.own[row]
	}
	return terms, vectors, nil
}

// alone makes texts the first of pairs without a second.
func alone(texts []string) []Pair {
	pairs := make([]Pair, len(texts))
	for i, t := range texts {
		pairs[i].A = t
	}
	return pairs
}

// averages returns the averages of the first texts of the pairs, and which have one.
func (v *vectors) averages(ctx context.Context) (rows []float64, covered []bool, err error) {
	sentences := make([]sentence.Sentence, len(v.pairs))
	for i, p := range v.pairs {
		sentences[i] = p.A
		if v.terms != nil {
			sentences[i] = v.terms(p.A)
		}
	}
	return v.Points.Averages(ctx, sentences)
}

func (v *vectors) encode(ctx context.Context, c *sentence.Components) (*Encoded, error) {
	rows, covered, err := v.averages(ctx)
	if err != nil {
		return nil, err
	}
	if c != nil {
		var dots []float64
		for lo := 0; lo < len(rows); lo += v.Dim {
			dots = c.Remove(rows[lo:lo+v.Dim], dots)
		}
	}
	return &Encoded{Dim: v.Dim, Data: rows, Covered: covered}, nil
}
