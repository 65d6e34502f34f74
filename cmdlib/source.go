package cmdlib

import (
	"context"
	"fmt"
	"hash/fnv"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/method"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sentence"
)

// source gives methods what a space has, of the words that occur in the texts of a call, so that the
// rest of the space is not touched: it implements method.Source. Its ids are those of these words.
type source struct {
	*Space
	vectors  bool            // words are those with a vector, not those with a histogram
	ids      []int32         // of the space
	local    map[int32]int32 // and back
	progress func(done, total int64)
}

func (s *Space) source() *source { return &source{Space: s, local: make(map[int32]int32)} }

// vectorSource is source for methods of vectors. A word that the space has but by learning has none, and is no word
// there.
func (s *Space) vectorSource() *source {
	return &source{Space: s, vectors: true, local: make(map[int32]int32)}
}

// add returns the id that the source gives the space's word id.
func (s *source) add(id int32) int32 {
	at, seen := s.local[id]
	if !seen {
		at = int32(len(s.ids))
		s.local[id] = at
		s.ids = append(s.ids, id)
	}
	return at
}

// lacks is the error about what a method asks and the space does not have.
func lacks(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrSettings}, args...)...)
}

// Words implements method.Source, as the methods below do.
func (s *source) Words(text string) []string {
	if !s.vectors {
		return s.read(text).words
	}
	if id, ok := s.index.id(text); ok && s.hasVector(id) {
		return []string{text}
	}
	return corpus.Tokenise(text)
}

func (s *source) ID(word string) (int32, bool) {
	id, ok := s.Space.ID(word)
	if s.vectors {
		id, ok = s.index.id(word)
		ok = ok && s.hasVector(id)
	}
	if !ok {
		return 0, false
	}
	return s.add(id), true
}

func (s *source) Known(pairs []method.Pair) []sentence.Pair {
	words := func(text string) (known sentence.Sentence) {
		for _, word := range s.Words(text) {
			if id, ok := s.ID(word); ok {
				known = append(known, id)
			}
		}
		return known
	}
	all := make([]sentence.Pair, len(pairs))
	for i, p := range pairs {
		all[i] = sentence.Pair{A: words(p.A), B: words(p.B)}
	}
	return all
}

func (s *source) Vectors(_ context.Context, kind string, unit bool) ([]float32, int, error) {
	if kind != "" {
		return nil, 0, lacks("vectors %q: a space has vectors of one kind, its own", kind)
	}
	if !s.HasVectors() {
		return nil, 0, lacks("the method takes vectors of words, which the space does not have, " +
			"expected one of histograms without a mix: average, comb or debiased")
	}
	vectors := make([]float32, len(s.ids)*s.Dim)
	for i, id := range s.ids {
		to := vectors[i*s.Dim : (i+1)*s.Dim]
		if unit {
			s.Vector(to, id)
		} else {
			s.vector(to, id)
		}
	}
	return vectors, s.Dim, nil
}

func (s *source) Kept(context.Context) (*sentence.Components, error) {
	if s.components == nil {
		return nil, lacks("the space keeps no components of texts: make it with an encoding")
	}
	return s.components, nil
}

func (s *source) Grams(context.Context, bool) ([]float32, func(sentence.Sentence) sentence.Sentence, error) {
	return nil, nil, lacks("a space has no vectors of n-grams")
}

func (s *source) Probability(_ context.Context, m method.Marginal) ([]float64, error) {
	if m != method.OfCorpus {
		return nil, lacks("weights by a %s, which a space does not keep: expected %q, %q or %q",
			m, method.Uniform, method.Inverse, method.SIFCorpus)
	}
	probability := make([]float64, len(s.ids))
	for i, id := range s.ids {
		probability[i] = s.Space.Probability(id)
	}
	return probability, nil
}

func (s *source) Estimates(_ context.Context, e method.Estimates, b method.Bins) (*estimate.Estimates, error) {
	if own := s.histograms(); e != own.Estimates || b != own.Bins() {
		return nil, lacks("histograms by %+v over %+v: those of the space are by %+v over %+v",
			e, b, own.Estimates, own.Bins())
	}
	if _, err := s.estimates(); err != nil {
		return nil, err
	}
	all := &estimate.Estimates{Histograms: ot.Histograms{K: s.Cost.K}}
	for _, id := range s.ids {
		all.Data, all.Known = append(all.Data, s.row(id)...), append(all.Known, s.known(id))
	}
	return all, nil
}

func (s *source) Centroids(context.Context, method.Bins) ([]float32, error) {
	return s.Space.Centroids, nil
}

func (s *source) Ground(_ context.Context, c method.Cost, b method.Bins, reg float64) (*ground.Ground, error) {
	own := s.histograms().Cost
	if c == own { // with the λ that it was made for
		reg = s.Settings.Ground.Reg
	}
	g, err := c.Ground(s.Space.Centroids, b.Clusters, reg, s.Seed(method.ShuffledStream))
	if err == nil && c == own {
		g.Cost = s.Cost // to the last bit
	}
	return g, err
}

func (s *source) CostMatrix(ctx context.Context, c method.Cost, b method.Bins, reg float64) (ot.Cost, error) {
	if c == s.histograms().Cost {
		return s.Cost, nil
	}
	g, err := s.Ground(ctx, c, b, reg)
	if err != nil {
		return ot.Cost{}, err
	}
	return g.Cost, nil
}

// Solver returns the space's own settings where the method has these.
func (s *source) Solver(t method.Transport) (distances, barycenters ot.Settings) {
	if t != s.histograms().Transport {
		return t.Distances(), t.Barycenters()
	}
	distances, barycenters = s.Settings.Transport, s.Settings.Sentence.Transport
	if barycenters.Reg == 0 { // a space of averages does not say
		barycenters = distances
	}
	return distances, barycenters
}

// Seed is a hash of the stream's name, but 1 for vectors of words of their own, which are parts of what is kept.
func (s *source) Seed(stream string) uint64 {
	if stream == method.OwnStream {
		return 1
	}
	hash := fnv.New64a()
	hash.Write([]byte(stream))
	return hash.Sum64()
}

func (s *source) File(_ context.Context, name string) (method.Scored, error) {
	return nil, lacks("a space has no scores of other programs, such as %q", name)
}

func (s *source) Combined(
	ctx context.Context, _ method.Method, _ []sentence.Sentence, combine method.Combine,
) (ot.Histograms, error) {
	return combine(ctx, nil)
}

func (s *source) Costs(
	ctx context.Context, _ method.Method, compute func(ctx context.Context) ([]float64, error),
) ([]float64, error) {
	return compute(ctx)
}

func (s *source) Progress() func(done, total int64) { return s.progress }

// histograms returns the space's own settings as those of a method. PointWeights and PointA are the defaults.
func (s *Space) histograms() method.Histograms {
	var h method.Histograms
	method.SetDefaults(&h)
	h.Vectors = ""
	h.Estimates = method.Estimates{
		Smoothing: s.Settings.SPPMI.Smoothing, Shift: s.Settings.SPPMI.Shift,
		Normalisation: s.Settings.Estimate.Normalisation, Beta: s.Settings.Estimate.Beta,
	}
	h.Support = method.Support{Clusters: s.Cost.K}
	h.Cost.Metric, h.CostNormalisation = s.Settings.Ground.Metric, s.Settings.Ground.Normalisation
	h.Clip = s.Settings.Ground.Clip
	t := s.Settings.Transport
	h.Transport = method.Transport{
		Reg: t.Reg, Iterations: t.MaxIter, Tolerance: s.Settings.Sentence.Transport.Tol, Accelerate: t.Accelerate,
	}
	if w := s.Settings.Sentence.Weighting; !w.IsUniform() {
		h.Weights, h.A = method.Inverse, w.A
		if w.Scheme == sentence.SIF {
			h.Weights = method.SIFCorpus
		}
	}
	return h
}

// combiner returns what combines the words of texts as the space says.
func (s *source) combiner(ctx context.Context) (sentence.Combiner, error) {
	var m method.Combining
	switch h := s.histograms(); s.Settings.Sentence.Combination {
	case Average:
		m = method.Average{Histograms: h}
	case Barycenter:
		m = method.Barycenter{Histograms: h}
	case DebiasedBarycenter:
		m = method.Debiased{Histograms: h}
	default:
		return nil, s.Settings.Sentence.Combination.Validate()
	}
	return m.Combiner(ctx, s)
}

// own returns a method with its defaults with what is the space's own: vectors, and the settings of histograms.
func (s *Space) own(m method.Method) method.Method {
	if v, ok := method.Of[method.WordVectors](m); ok && !m.Needs().NGrams {
		v.Vectors = ""
		m = method.With(m, v)
	}
	if sif, ok := m.(method.SIF); ok && s.HasVectors() && s.components != nil {
		return s.sif(sif)
	}
	if n, ok := m.(method.Nearest); ok && s.HasVectors() {
		n.Weights, n.A, n.Unit, n.Own = method.SIFCorpus, nearestA, true, method.UnknownOwn
		return n
	}
	if h, ok := method.Of[method.Histograms](m); ok {
		own := s.histograms()
		own.Mixed, own.Removal = h.Mixed, h.Removal
		m = method.With(m, own)
	}
	return m
}
