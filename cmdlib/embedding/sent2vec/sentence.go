package sent2vec

import (
	"math"
	"math/rand/v2"
)

// parts is the number of workers that can add updates at a time: row i belongs to part i mod parts.
const parts = 16

// A sentence is one reader's, with what a step computes of it.
type sentence struct {
	words []int32
	// vectors has rows of the model's length: first the sum of the gradients of all targets, then for each target the
	// sum of its context and its gradient.
	vectors []float32
	updates [parts][]update
	targets int
	loss    float64

	places, grams []int32 // room
	dropped       []bool
	outputs       []int32
	sum           []float32
}

// An update adds a vector of the sentence, scaled, to a row of the model.
type update struct {
	row, vector int32
	scale       float32
}

// trainer holds what the text and the settings say about words.
type trainer struct {
	*Model
	keep     []float64 // probability of being foretold
	negative func(bits uint64) int32
}

// gradient computes the updates of a sentence of at least two words.
func (t *trainer) gradient(s *sentence, random *rand.PCG, rate float64) {
	for q := range s.updates {
		s.updates[q] = s.updates[q][:0]
	}
	s.loss = 0
	s.places = s.places[:0]
	for i, word := range s.words {
		if uniform(random) < t.keep[word] {
			s.places = append(s.places, int32(i))
		}
	}
	s.targets = len(s.places)
	if s.targets == 0 {
		return
	}
	n := t.stride
	if need := (1 + 2*s.targets) * n; cap(s.vectors) < need {
		s.vectors = make([]float32, need)
	} else {
		s.vectors = s.vectors[:need]
		clear(s.vectors)
	}
	if s.sum == nil {
		s.sum = make([]float32, n)
	}
	clear(s.sum)
	t.sumRows(s.sum, s.words)
	total := s.vectors[:n]
	for k, place := range s.places {
		target := s.words[place]
		context, gradient := int32(1+2*k), int32(2+2*k)
		h, g := s.vector(n, context), s.vector(n, gradient)

		// The context: the sentence with the placeholder in the target's place, and its n-grams.
		s.words[place] = 0
		t.drop(s, random)
		s.grams = t.Params.grams(s.grams[:0], s.words, len(t.Words), s.dropped)
		s.words[place] = target
		copy(h, s.sum)
		addScaled(h, t.row(int(target)), -1, t.row(0))
		addScaled(h, t.row(0), 1, t.row(0))
		t.sumRows(h, s.grams)
		mean := 1 / float32(len(s.words)+len(s.grams))

		s.outputs = append(s.outputs[:0], target)
		for len(s.outputs) <= t.Params.Negatives {
			if other := t.negative(random.Uint64()); other != target {
				s.outputs = append(s.outputs, other)
			}
		}
		likelihood := 1.0
		for i, word := range s.outputs {
			row := t.inputs() + int(word)
			u, ahead := t.row(row), t.row(t.inputs()+int(s.outputs[min(i+1, len(s.outputs)-1)]))
			score := float64(dot(h, u, ahead) * mean)
			label, p := 0.0, 1/(1+math.Exp(-score))
			if i == 0 {
				label = 1
				likelihood *= p
			} else {
				likelihood *= 1 - p
			}
			if likelihood < 1e-200 { // far from where a float64 ends
				s.loss -= math.Log(max(likelihood, math.SmallestNonzeroFloat64))
				likelihood = 1
			}
			move := float32(rate * (label - p))
			addScaled(g, u, move, ahead)
			s.update(int32(row), context, move*mean)
		}
		s.loss -= math.Log(likelihood)

		addScaled(total, g, mean, g)
		s.update(target, gradient, -mean) // what total has too much
		for _, row := range s.grams {
			s.update(row, gradient, mean)
		}
	}
	s.update(0, 0, 1)
	for _, word := range s.words {
		s.update(word, 0, 1)
	}
}

// sumRows adds rows to a vector.
func (t *trainer) sumRows(to []float32, rows []int32) {
	for i, row := range rows {
		addScaled(to, t.row(int(row)), 1, t.row(int(rows[min(i+1, len(rows)-1)])))
	}
}

// drop marks the places whose n-grams are left out.
func (t *trainer) drop(s *sentence, random *rand.PCG) {
	n := len(s.words)
	s.dropped = append(s.dropped[:0], make([]bool, n)...)
	if t.Params.NGrams == 1 {
		return
	}
	for left := min(t.Params.Dropout, n-2); left > 0; {
		if i := random.Uint64() >> 32 * uint64(n) >> 32; !s.dropped[i] {
			s.dropped[i] = true
			left--
		}
	}
}

func (s *sentence) vector(n int, i int32) []float32 { return s.vectors[int(i)*n:][:n:n] }

func (s *sentence) update(row, vector int32, scale float32) {
	s.updates[row%parts] = append(s.updates[row%parts], update{row, vector, scale})
}

// apply adds the updates of a part of the rows, in the order of the sentences.
func (t *trainer) apply(sentences []*sentence, part int) {
	for _, s := range sentences {
		updates := s.updates[part]
		for i, u := range updates {
			ahead := updates[min(i+1, len(updates)-1)].row
			addScaled(t.row(int(u.row)), s.vector(t.stride, u.vector), u.scale, t.row(int(ahead)))
		}
	}
}

// uniform draws from [0, 1).
func uniform(random *rand.PCG) float64 { return float64(random.Uint64()>>11) / (1 << 53) }
