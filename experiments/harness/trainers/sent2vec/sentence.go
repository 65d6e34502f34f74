package sent2vec

import (
	"math"
	"math/rand/v2"
	"slices"

	"contextmover/internal/elementary"
)

// parts is the number of workers that can add updates at a time: row i belongs to part i mod parts.
const parts = 16

// together is the number of words predicted that negatives are drawn for at once.
const together = 8

// A sentence is one reader's, with what a step computes of it.
type sentence struct {
	words []int32
	// vectors has rows of the model's length: first the sum over the targets of how each moves the rows of its context;
	// then for each target the sum of these rows, and minus how it moves them (with words alone, in the end how the
	// target's own row moves); last for each negative how its row moves.
	vectors []float32
	updates [parts][]update
	targets int
	loss    float64

	places, negatives []int32 // room
	grams             [together][]int32
	mean              [together]float32
	likelihood        [together]float64
	dropped           []bool
	sum               []float32
}

// An update adds a vector of the sentence, scaled, to a row of the model.
type update struct {
	row, vector int32
	scale       float32
}

// trainer holds what the text and the settings say about words.
type trainer struct {
	model
	keep     []float64 // probability of being foretold
	negative func(bits uint64) int32
}

// gradient computes the updates of a sentence; there are none of a single word.
func (t *trainer) gradient(s *sentence, random *rand.PCG, rate float64) {
	for q := range s.updates {
		s.updates[q] = s.updates[q][:0]
	}
	s.loss = 0
	s.places = s.places[:0]
	for i, word := range s.words {
		if len(s.words) > 1 && uniform(random) < t.keep[word] {
			s.places = append(s.places, int32(i))
		}
	}
	s.targets = len(s.places)
	if s.targets == 0 {
		return
	}
	n := t.stride
	groups := (s.targets + together - 1) / together
	need := (1 + 2*s.targets + groups*t.p.Negatives) * n
	s.vectors = slices.Grow(s.vectors[:0], need)[:need]
	clear(s.vectors[:n])
	s.sum = append(s.sum[:0], t.row(0)...)
	t.sumRows(s.sum, s.words)
	for first := 0; first < s.targets; first += together {
		t.foretell(s, first, min(first+together, s.targets), random, rate)
	}
	s.update(0, 0, 1)
	grams := t.p.NGrams > 1 // which move by a target's vector alone
	next := 0
	for i, word := range s.words {
		if next == s.targets || int(s.places[next]) != i {
			s.update(word, 0, 1)
			continue
		}
		own := contextOf(next) + 1
		next++
		if grams {
			s.update(word, 0, 1)
		} else {
			addScaled(s.vector(n, own), s.vector(n, 0), 1, s.sum)
		}
		s.update(word, own, 1)
	}
}

// foretell computes what the words predicted from first to last (exclusive) bring, all with the same negatives: a
// negative's row is then fetched and moved once for all of them, which is most of what training waits for.
func (t *trainer) foretell(s *sentence, first, last int, random *rand.PCG, rate float64) {
	n, inputs := t.stride, t.inputs()
	for k := first; k < last; k++ {
		// The context: the sentence with the placeholder in the target's place, and its n-grams.
		place := s.places[k]
		target := s.words[place]
		s.words[place] = 0
		t.drop(s, random)
		grams := t.p.Grams(s.grams[k-first][:0], s.words, t.words, s.dropped)
		s.words[place] = target
		h := s.vector(n, contextOf(k))
		copy(h, s.sum)
		addScaled(h, t.row(int(target)), -1, t.row(inputs+int(target)))
		t.sumRows(h, grams)
		s.grams[k-first], s.mean[k-first], s.likelihood[k-first] = grams, 1/float32(len(s.words)+len(grams)), 1
	}
	s.negatives = s.negatives[:0]
	for range t.p.Negatives {
		s.negatives = append(s.negatives, t.negative(random.Uint64()))
	}
	for k := first; k < last; k++ {
		target := s.words[s.places[k]]
		clear(s.vector(n, contextOf(k)+1))
		move := t.output(s, k, k-first, t.row(inputs+int(target)), 1, rate)
		s.update(int32(inputs)+target, contextOf(k), move*s.mean[k-first])
	}
	for i, word := range s.negatives {
		moved := int32(1 + 2*s.targets + first/together*t.p.Negatives + i)
		// It moves from one target to the next: their contexts are much the same, so that all of their moves from one
		// place would lead far beyond what each aims at.
		u, d := t.row(inputs+int(word)), s.vector(n, moved)
		copy(d, u)
		ahead := t.row(inputs + int(s.negatives[min(i+1, len(s.negatives)-1)]))
		for k := first; k < last; k++ {
			if s.words[s.places[k]] != word {
				move := t.output(s, k, k-first, d, 0, rate)
				addScaled(d, s.vector(n, contextOf(k)), move*s.mean[k-first], ahead)
			}
		}
		addScaled(d, u, -1, ahead)
		s.update(int32(inputs)+word, moved, 1)
	}
	total := s.vector(n, 0)
	for k := first; k < last; k++ {
		own := contextOf(k) + 1
		s.loss -= elementary.Log(s.likelihood[k-first])
		addScaled(total, s.vector(n, own), -1, total)
		for _, row := range s.grams[k-first] {
			s.update(row, own, -1)
		}
	}
}

// contextOf is the row of target k's context in a sentence's vectors; that of minus its move follows.
func contextOf(k int) int32 { return int32(1 + 2*k) }

// output adds to the move of target k's context, the i-th of those together, and to its loss what a word brings,
// which has been found (label 1) or drawn (0), and returns how far the word's output row u moves along the context.
func (t *trainer) output(s *sentence, k, i int, u []float32, label float64, rate float64) float32 {
	h, g := s.vector(t.stride, contextOf(k)), s.vector(t.stride, contextOf(k)+1)
	p := 1 / (1 + elementary.Exp(-float64(dot(h, u, u)*s.mean[i])))
	if label == 1 {
		s.likelihood[i] *= p
	} else {
		s.likelihood[i] *= 1 - p
	}
	if s.likelihood[i] < 1e-200 { // far from where a float64 ends
		s.loss -= elementary.Log(max(s.likelihood[i], math.SmallestNonzeroFloat64))
		s.likelihood[i] = 1
	}
	move := float32(rate * (label - p))
	addScaled(g, u, -move*s.mean[i], h)
	return move
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
	if t.p.NGrams == 1 {
		return
	}
	for left := min(t.p.Dropout, n-2); left > 0; {
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
func (t *trainer) apply(step []*cursor, part int) {
	for _, s := range step {
		updates := s.updates[part]
		for i, u := range updates {
			ahead := updates[min(i+1, len(updates)-1)].row
			addScaled(t.row(int(u.row)), s.vector(t.stride, u.vector), u.scale, t.row(int(ahead)))
		}
	}
}

// uniform draws from [0, 1).
func uniform(random *rand.PCG) float64 { return float64(random.Uint64()>>11) / (1 << 53) }
