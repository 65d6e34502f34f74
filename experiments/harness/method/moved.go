package method

import "context"

// Moved has the settings of methods that move the words of one text onto those of the other (see sentence.WordMover).
// A word's share of a text is its weight, and the shares sum to 1.
type Moved struct {
	WordVectors
	Weighting
	Scaled
	OwnWords
}

// Validate implements Method.
func (m Moved) Validate() error { return m.OwnWords.check(m, m.Unit) }

// Needs implements Method.
func (m Moved) Needs() Needs {
	n := Needs{Vectors: []string{m.Vectors}, Marginals: []Marginal{m.Weighting.Marginal()}}
	if m.Beside != "" {
		n.Vectors = append(n.Vectors, m.Beside)
	}
	if m.Own != "" && m.Own != NoneOwn {
		n.Streams = []string{OwnStream}
	}
	return n
}

func (m Moved) counts(name string) bool {
	if name == "unit" {
		return !m.OwnWords.Any() // which take vectors of length 1
	}
	return m.Weighting.counts(name) && m.OwnWords.counts(name)
}

func (m Moved) vectors(ctx context.Context, s Source, pairs []Pair) (*vectors, error) {
	if m.OwnWords.Any() {
		return m.together(ctx, s, pairs)
	}
	var err error
	v := &vectors{pairs: known(s, pairs)}
	v.Weighting = m.Weighting.Sentence()
	if v.Vectors, v.Dim, err = s.Vectors(ctx, m.Vectors, m.Unit); err != nil {
		return nil, err
	}
	v.Probability, err = s.Probability(ctx, m.Weighting.Marginal())
	return v, err
}
