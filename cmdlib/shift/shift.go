// Package shift tells which words are used otherwise in one text than in another, over the contexts of one space.
//
// How far a word moved is the mean distance between a use in one text and a use in the other, by the vectors of the
// words around them (usage.Vectors). In a space without vectors it is the context mover's distance of the word's
// estimates in both texts. That means nothing by itself: it is large of words that are used in many ways, and of few
// occurrences. So each word has a null of its own: both texts are cut into pieces, and the pieces are shuffled.
//
// Texts of other authors, times or kinds move nearly every word by that. So what a word moved beyond chance is compared
// with what the most frequent words moved, whose meaning hardly changes: what these do, the kind of text explains.
//
// A word is also estimated in both texts (cmdlib.Space.EstimateCounts), its associations against the contexts of the
// text itself, for its explanation. That tells whether it means something else, or is what other things are said
// about.
package shift

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/score"
	"contextmover/cmdlib/sppmi"
	"contextmover/cmdlib/usage"
	"contextmover/internal/parallel"
)

// Params are the parameters of Between; Defaults returns good ones.
type Params struct {
	// MinCount ≥ 1 is how often a word must occur in both texts.
	MinCount int64
	// Draws ≥ 3 is how often the pieces are shuffled between the texts.
	Draws int
	// Pieces is how many pieces each text is cut into, 2 to 120: of consecutive sentences, of about as many words each.
	Pieces int
	Seed   uint64
	// Words are those to look at; nil stands for all of the space.
	Words []string
	// Progress, if not nil, is told how many words are done.
	Progress func(done, total int64)
}

// Defaults are 50 occurrences in both texts, 20 draws of 100 pieces, seed 1.
func Defaults() Params { return Params{MinCount: 50, Draws: 20, Pieces: 100, Seed: 1} }

func (p Params) check() error {
	switch {
	case p.MinCount < 1:
		return fmt.Errorf("shift: a minimum of %d occurrences, expected at least 1", p.MinCount)
	case p.Draws < 3:
		return fmt.Errorf("shift: %d draws, expected at least 3", p.Draws)
	case p.Pieces < 2 || p.Pieces > 120:
		return fmt.Errorf("shift: %d pieces, expected 2 to 120", p.Pieces)
	}
	return nil
}

// Word is how a word moved.
type Word struct {
	Word string
	// Counts are how often it occurs in the two texts.
	Counts [2]int64
	// Distance is the mean of 1 − cosine over pairs of uses of both texts, or that of the two estimates. Expected and
	// Deviation are mean and standard deviation of the distances of the draws.
	Distance, Expected, Deviation float64
	// Score is (Distance − Expected) / Deviation. P is the share of the draws' scores, of all words together,
	// that are as large, and Q the smallest share of false discoveries at which the word is among those that
	// moved (score.FalseDiscovery). The score of a draw is that among the other draws of its word.
	Score, P, Q float64
	// Stable is the share of the most frequent words, others than this one, whose Excess is as large: what the kind of
	// text alone does to words that mean the same.
	Stable float64
	// Estimates are those in the two texts.
	Estimates [2]*cmdlib.Estimate
}

// Excess is how much farther apart the estimates are than by chance: Distance − Expected.
func (w Word) Excess() float64 { return w.Distance - w.Expected }

// Learn returns a space that knows the word in both texts as word
// (from) and word (to), and these names; from and to name the texts.
func (w Word) Learn(space *cmdlib.Space, from, to string) (learned *cmdlib.Space, a, b string) {
	a, b = fmt.Sprintf("%s (%s)", w.Word, from), fmt.Sprintf("%s (%s)", w.Word, to)
	return space.Learn(map[string]*cmdlib.Estimate{a: w.Estimates[0], b: w.Estimates[1]}), a, b
}

// Moved sorts the words that moved to the front, those with the largest Excess first, and returns how many they are.
// They have Q ≤ q, and an Excess that no more than a share q of the most frequent words reach. The others keep their
// order.
func Moved(words []Word, q float64) int {
	moved := func(w Word) bool { return w.Q <= q && w.Stable <= q }
	n := 0
	for _, w := range words {
		if moved(w) {
			n++
		}
	}
	slices.SortStableFunc(words, func(a, b Word) int {
		switch {
		case moved(a) && moved(b):
			return cmp.Compare(b.Excess(), a.Excess())
		case moved(a):
			return -1
		case moved(b):
			return 1
		}
		return 0
	})
	return n
}

// ErrNoWords is that of texts in which no word is frequent enough.
var ErrNoWords = errors.New("shift: no word is frequent enough in both texts")

// Between returns how the words moved between two texts, those with the smallest
// P first, of equals those with the largest Excess. It is deterministic.
//
// Distances are from the first text to the second. Words without an estimate in one
// of the texts are left out. It is an ErrNoWords if none is left; for the errors of
// reading see corpus.Text, for a space that does not estimate cmdlib.ErrNoReference.
func Between(ctx context.Context, s *cmdlib.Space, from, to corpus.Text, p Params) ([]Word, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if s.Window() == 0 {
		return nil, cmdlib.ErrNoReference
	}
	m := &moving{space: s, p: p}
	if err := m.read(ctx, from, to); err != nil {
		return nil, err
	}
	if err := m.deal(); err != nil {
		return nil, err
	}
	ids, err := m.choose()
	if err != nil {
		return nil, err
	}
	stable := m.stable(ids)
	all := slices.Clone(ids)
	for _, id := range stable {
		if !slices.Contains(ids, id) {
			all = append(all, id)
		}
	}
	measure := m.words
	if s.HasVectors() {
		if m.vectors, err = usage.New(s, m.ids); err != nil {
			return nil, err
		}
		measure = m.byVectors
	}
	var words []Word
	var nulls [][]float64 // distances of the draws
	done := int64(0)
	for block := range slices.Chunk(all, wordBlock) {
		moved, null, err := measure(ctx, block)
		if err != nil {
			return nil, err
		}
		words, nulls = append(words, moved...), append(nulls, null...)
		if done += int64(len(block)); p.Progress != nil {
			p.Progress(done, int64(len(all)))
		}
	}
	words, nulls = m.calibrate(words, nulls, stable, ids)
	if len(words) == 0 {
		return nil, fmt.Errorf("%w: none of %d has an estimate in both", ErrNoWords, len(ids))
	}
	judge(words, nulls)
	slices.SortStableFunc(words, func(a, b Word) int {
		return cmp.Or(cmp.Compare(a.P, b.P), cmp.Compare(b.Excess(), a.Excess()))
	})
	return words, nil
}

// mostStable is the number of the most frequent words that others are compared with, of ten times as many or more;
// of fewer a tenth, but leastStable.
const mostStable, leastStable = 100, 10

// stable returns the most frequent words of the space that are frequent enough in both texts.
func (m *moving) stable(ids []int32) []int32 {
	frequent := ids
	if m.p.Words != nil {
		frequent = nil
		for id := range int32(len(m.start) - 1) {
			if n := m.counts(id); min(n[0], n[1]) >= m.p.MinCount {
				frequent = append(frequent, id)
			}
		}
	}
	count := func(id int32) int64 { return m.space.Counts[id] }
	sorted := slices.Clone(frequent)
	slices.SortStableFunc(sorted, func(a, b int32) int { return cmp.Compare(count(b), count(a)) })
	return sorted[:min(len(sorted), max(leastStable, min(mostStable, len(sorted)/10)))]
}

// calibrate sets what of the words with the ids stable moved as far as each, and returns the words with these ids.
func (m *moving) calibrate(words []Word, nulls [][]float64, stable, ids []int32) ([]Word, [][]float64) {
	wanted, known := make(map[string]bool), make(map[string]float64)
	for _, id := range ids {
		wanted[m.space.Words[id]] = true
	}
	for _, id := range stable {
		known[m.space.Words[id]] = math.NaN()
	}
	for i := range words {
		w := &words[i]
		for _, x := range nulls[i] {
			w.Expected += x / float64(len(nulls[i]))
		}
		if _, ok := known[w.Word]; ok {
			known[w.Word] = w.Excess()
		}
	}
	var kept []Word
	var null [][]float64
	for i, w := range words {
		if !wanted[w.Word] {
			continue
		}
		n := 0
		for other, excess := range known { // without an estimate NaN, which is no comparison's
			if other != w.Word && !math.IsNaN(excess) {
				n++
				if excess >= w.Excess() {
					w.Stable++
				}
			}
		}
		w.Stable /= float64(max(n, 1))
		kept, null = append(kept, w), append(null, nulls[i])
	}
	return kept, null
}

// wordBlock is the number of words whose histograms of all draws are in memory at the same time.
const wordBlock = 64

// moving is the state of Between.
type moving struct {
	space *cmdlib.Space
	p     Params
	ids   []int32 // both texts
	split int     // where the second begins
	piece []uint8 // of each position
	start []int   // of the positions of each word in at
	at    []uint32
	// sides[d][piece] is the text that draw d deals a piece to;
	// the first deals none. marginals[d] are those of the two.
	sides     [][]uint8
	marginals [][2]*sppmi.Marginals
	weight    []float64 // 1/d
	vectors   *usage.Vectors
}

// read encodes the texts, cuts them into pieces and lists where each word stands.
func (m *moving) read(ctx context.Context, from, to corpus.Text) error {
	base := m.space.OwnWords()
	v, err := corpus.NewVocabulary(m.space.Words[:base], m.space.Counts[:base])
	if err != nil {
		return err
	}
	for side, text := range []corpus.Text{from, to} {
		ids, _, err := text.IDs(ctx, v, nil)
		if err != nil {
			return err
		}
		first := len(m.ids)
		if side == 1 {
			m.split = first
		}
		m.ids = append(m.ids, ids...)
		piece := 0
		for i, id := range ids {
			if id == corpus.SentenceEnd {
				piece = min(i*m.p.Pieces/len(ids), m.p.Pieces-1)
			}
			m.piece = append(m.piece, uint8(side*m.p.Pieces+piece))
		}
	}
	if int64(len(m.ids)) > math.MaxUint32 {
		return errors.New("shift: texts of 2^32 words or more")
	}
	m.start = make([]int, base+1)
	for _, id := range m.ids {
		if id >= 0 {
			m.start[id+1]++
		}
	}
	for i := range base {
		m.start[i+1] += m.start[i]
	}
	m.at = make([]uint32, m.start[base])
	next := slices.Clone(m.start)
	for i, id := range m.ids {
		if id >= 0 {
			m.at[next[id]] = uint32(i)
			next[id]++
		}
	}
	for d := 1; d <= m.space.Window(); d++ {
		m.weight = append(m.weight, 1/float64(d))
	}
	return nil
}

// deal draws who gets which pieces, and sums the marginals of each draw: a word stands #(c) = Σ 1/d, over the words
// within its windows, which depends on its place in the sentence alone.
func (m *moving) deal() error {
	random := rand.New(rand.NewPCG(m.p.Seed, 0))
	for d := range m.p.Draws + 1 {
		side := make([]uint8, 2*m.p.Pieces)
		for i := range side {
			side[i] = uint8(i / m.p.Pieces)
		}
		if d > 0 {
			random.Shuffle(len(side), func(i, j int) { side[i], side[j] = side[j], side[i] })
		}
		both := [2]*sppmi.Marginals{}
		for i := range both {
			both[i] = &sppmi.Marginals{Contexts: make([]float64, len(m.start)-1)}
		}
		m.sides, m.marginals = append(m.sides, side), append(m.marginals, both)
	}
	sums := make([]float64, len(m.weight)+1) // Σ_{d ≤ n} 1/d
	for d, w := range m.weight {
		sums[d+1] = sums[d] + w
	}
	window := len(m.weight)
	for first := 0; first < len(m.ids); {
		if m.ids[first] == corpus.SentenceEnd {
			first++
			continue
		}
		end := first
		for m.ids[end] != corpus.SentenceEnd {
			end++
		}
		for i := first; i < end; i++ {
			x := sums[min(window, i-first)] + sums[min(window, end-1-i)]
			for d, side := range m.sides {
				m.marginals[d][side[m.piece[i]]].Contexts[m.ids[i]] += x
			}
		}
		first = end
	}
	for _, both := range m.marginals {
		for _, of := range both {
			if err := of.Sum(m.space.Settings.SPPMI.Smoothing); err != nil {
				return err
			}
		}
	}
	return nil
}

// counts are how often a word stands in the two texts.
func (m *moving) counts(id int32) (n [2]int64) {
	for _, at := range m.at[m.start[id]:m.start[id+1]] {
		if int(at) < m.split {
			n[0]++
		} else {
			n[1]++
		}
	}
	return n
}

// choose returns the words to look at.
func (m *moving) choose() (ids []int32, err error) {
	frequent := func(id int32) bool {
		n := m.counts(id)
		return n[0] >= m.p.MinCount && n[1] >= m.p.MinCount
	}
	if m.p.Words == nil {
		for id := range int32(len(m.start) - 1) {
			if frequent(id) {
				ids = append(ids, id)
			}
		}
	}
	for _, word := range m.p.Words {
		id, ok := m.space.ID(word)
		if !ok || int(id) >= len(m.start)-1 {
			return nil, fmt.Errorf("%w: %q is not a word of the space", ErrNoWords, word)
		}
		if !frequent(id) {
			n := m.counts(id)
			return nil, fmt.Errorf("%w: %q occurs %d and %d times, expected at least %d",
				ErrNoWords, word, n[0], n[1], m.p.MinCount)
		}
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("%w: none occurs %d times in each", ErrNoWords, m.p.MinCount)
	}
	return ids, nil
}

// words returns how some words moved, and the distances of the draws
// of each; words without an estimate are left out, as are such draws.
func (m *moving) words(ctx context.Context, ids []int32) ([]Word, [][]float64, error) {
	draws := len(m.sides)
	estimates := make([][2]*cmdlib.Estimate, len(ids)*draws)
	err := parallel.Workers(ctx, len(ids), 1, func() (func(lo, hi int) error, func()) {
		sums := make([]float64, len(m.start)-1)
		var used []int32
		return func(i, _ int) error {
			for d := range draws {
				for side := range uint8(2) {
					e, err := m.estimate(ids[i], d, side, sums, &used)
					if err != nil && !errors.Is(err, cmdlib.ErrNoContexts) {
						return err
					}
					estimates[i*draws+d][side] = e
				}
			}
			return nil
		}, func() {}
	})
	if err != nil {
		return nil, nil, err
	}
	rows := ot.Histograms{K: m.space.Cost.K}
	var pairs []ot.Pair
	for _, both := range estimates {
		if both[0] != nil && both[1] != nil {
			n := int32(rows.Len())
			rows.Data = append(append(rows.Data, both[0].Histogram...), both[1].Histogram...)
			pairs = append(pairs, ot.Pair{Source: n, Target: n + 1})
		}
	}
	distances, err := m.space.Distances(ctx, rows, pairs)
	if err != nil {
		return nil, nil, err
	}
	var words []Word
	var nulls [][]float64
	for i, id := range ids {
		w := Word{Word: m.space.Words[id], Counts: m.counts(id), Estimates: estimates[i*draws]}
		var null []float64
		whole := false
		for d := range draws {
			if both := estimates[i*draws+d]; both[0] == nil || both[1] == nil {
				continue
			}
			if d == 0 {
				w.Distance, whole = distances[0], true
			} else {
				null = append(null, distances[0])
			}
			distances = distances[1:]
		}
		if whole && len(null) >= 3 {
			w.Estimates[0].Occurrences, w.Estimates[1].Occurrences = int(w.Counts[0]), int(w.Counts[1])
			words, nulls = append(words, w), append(nulls, null)
		}
	}
	return words, nulls, nil
}

// estimate estimates a word on one side of a draw; sums are zeros, and so they are again afterwards.
func (m *moving) estimate(id int32, draw int, side uint8, sums []float64, used *[]int32) (*cmdlib.Estimate, error) {
	contexts := (*used)[:0]
	add := func(at int, weight float64) bool {
		c := m.ids[at]
		if c == corpus.SentenceEnd {
			return false
		}
		if sums[c] == 0 {
			contexts = append(contexts, c)
		}
		sums[c] += weight
		return true
	}
	for _, at := range m.at[m.start[id]:m.start[id+1]] {
		if m.sides[draw][m.piece[at]] != side {
			continue
		}
		for d, w := range m.weight {
			if !add(int(at)-1-d, w) {
				break
			}
		}
		for d, w := range m.weight {
			if !add(int(at)+1+d, w) {
				break
			}
		}
	}
	slices.Sort(contexts)
	counts := make([]float64, len(contexts))
	for i, c := range contexts {
		counts[i], sums[c] = sums[c], 0
	}
	*used = contexts
	return m.space.EstimateCounts(contexts, counts, m.marginals[draw][side])
}

// judge sets what the draws say of the distances.
func judge(words []Word, nulls [][]float64) {
	standard := func(x float64, of []float64) (z, mean, deviation float64) {
		for _, y := range of {
			mean += y / float64(len(of))
		}
		for _, y := range of {
			deviation += (y - mean) * (y - mean) / float64(len(of)-1)
		}
		deviation = math.Sqrt(deviation)
		if z = x - mean; z != 0 {
			z /= max(deviation, 1e-9)
		}
		return z, mean, deviation
	}
	var pool []float64
	for i := range words {
		w := &words[i]
		w.Score, w.Expected, w.Deviation = standard(w.Distance, nulls[i])
		for j, x := range nulls[i] {
			z, _, _ := standard(x, slices.Concat(nulls[i][:j], nulls[i][j+1:]))
			pool = append(pool, z)
		}
	}
	slices.Sort(pool)
	p := make([]float64, len(words))
	for i, w := range words {
		below, _ := slices.BinarySearch(pool, w.Score)
		p[i] = float64(1+len(pool)-below) / float64(1+len(pool))
	}
	for i, q := range score.FalseDiscovery(p) {
		words[i].P, words[i].Q = p[i], q
	}
}
