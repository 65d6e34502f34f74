package method

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sentence"
	"contextmover/cmdlib/sppmi"
)

// Named returns the method that a text names, as Parse reads it, such as "comb-mix" or "sif,a=1e-4". Where the text
// says nothing else, the space's own vectors, histograms, cost, weights and transport are used. "sif" is then the
// cosine of the vectors of cmdlib.Encoder. A text that names no method, or a setting that the method cannot have, is a
// cmdlib.ErrSettings.
func Named(s *cmdlib.Space, text string) (Method, error) {
	m, err := Parse(text, func(m Method) Method { return own(s, m) })
	if err != nil {
		return nil, fmt.Errorf("%w: %w", cmdlib.ErrSettings, err)
	}
	if h, ok := GroupOf[Histograms](m); ok && h.RemovePC && h.Mix == 0 {
		return nil, lacks("the method %s has no vectors to remove a component from, expected sif, nbow or "+
			"one with -mix", text)
	}
	return m, nil
}

// own returns a method with its defaults with what is the space's own: vectors, and the settings of histograms.
func own(s *cmdlib.Space, m Method) Method {
	if v, ok := GroupOf[WordVectors](m); ok && !m.Needs().NGrams {
		v.Vectors = ""
		m = With(m, v)
	}
	if of, err := cmdlib.ParseMethod(KindOf(m).ID); err == nil && s.HasVectors() {
		switch m := m.(type) {
		case SIF:
			if s.Components() != nil {
				m.Weights, m.Unit, m.Own = of.Weights, of.Unit, of.Own
				m.A, m.Kept = s.Settings.Encoding.A, true
			}
			return m
		case Nearest:
			m.Weights, m.A, m.Unit, m.Own = of.Weights, of.A, of.Unit, of.Own
			return m
		}
	}
	if h, ok := GroupOf[Histograms](m); ok {
		own := histograms(s)
		own.Mixed, own.Removal = h.Mixed, h.Removal
		m = With(m, own)
	}
	return m
}

// ScoreIn returns the similarities of pairs by a method of Named: the greater, the more similar. Texts become words as
// in cmdlib.Space.Sentence. With the space's own settings, "average" is minus the distance in a space of averages,
// "comb" and "debiased" in one of barycenters (single words apart, which are not combined there). A pair that the
// method does not cover, as one without a known word, has the smallest value of the others. progress, if not nil, is
// told how many of the transport problems are solved.
//
// A method that needs what the space lacks is a cmdlib.ErrSettings.
func ScoreIn(
	ctx context.Context, s *cmdlib.Space, pairs []Pair, m Method, progress func(done, total int64),
) (sentence.Scores, error) {
	_, vectors := GroupOf[Averaged](m)
	if _, ok := m.(Nearest); ok {
		vectors = true
	}
	return Score(ctx, m, &source{Space: s, vectors: vectors, local: make(map[int32]int32), progress: progress}, pairs)
}

// source gives methods what a space has, of the words that occur in the texts of a call, so that the
// rest of the space is not touched: it implements Source. Its ids are those of these words.
type source struct {
	*cmdlib.Space
	vectors  bool            // words are those with a vector that were not learned, not those with a histogram
	ids      []int32         // of the space
	local    map[int32]int32 // and back
	progress func(done, total int64)
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
	return fmt.Errorf("%w: "+format, append([]any{cmdlib.ErrSettings}, args...)...)
}

// Words implements Source, as the methods below do.
func (s *source) Words(text string) []string {
	if !s.vectors {
		return s.Tokens(text)
	}
	if _, ok := s.withVector(text); ok {
		return []string{text}
	}
	return corpus.Tokenise(text)
}

func (s *source) Engine() ot.Engine { return s.Space.Engine }

func (s *source) ID(word string) (int32, bool) {
	id, ok := s.Space.ID(word)
	if s.vectors {
		id, ok = s.withVector(word)
	}
	if !ok {
		return 0, false
	}
	return s.add(id), true
}

// withVector returns the id of a word of the space's own that has a vector, and whether it is one.
func (s *source) withVector(word string) (int32, bool) {
	id, ok := s.Space.ID(word)
	return id, ok && s.Vector(make([]float32, s.Dim), id)
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
			s.Unscaled(to, id)
		}
	}
	return vectors, s.Dim, nil
}

func (s *source) Kept(context.Context) (*sentence.Components, error) {
	if c := s.Components(); c != nil {
		return c, nil
	}
	return nil, lacks("the space keeps no components of texts: make it with an encoding")
}

func (s *source) Grams(context.Context, bool) ([]float32, func(sentence.Sentence) sentence.Sentence, error) {
	return nil, nil, lacks("a space has no vectors of n-grams")
}

func (s *source) Probability(_ context.Context, m Marginal) ([]float64, error) {
	if m != OfCorpus {
		return nil, lacks("weights by a %s, which a space does not keep: expected %q, %q or %q",
			m, Uniform, Inverse, SIFCorpus)
	}
	probability := make([]float64, len(s.ids))
	for i, id := range s.ids {
		probability[i] = s.Space.Probability(id)
	}
	return probability, nil
}

func (s *source) Estimates(_ context.Context, e Estimates, b Bins) (*estimate.Estimates, error) {
	if own := histograms(s.Space); e != own.Estimates || b != own.Bins() {
		return nil, lacks("histograms by %+v over %+v: those of the space are by %+v over %+v",
			e, b, own.Estimates, own.Bins())
	}
	all := &estimate.Estimates{Histograms: ot.Histograms{K: s.Cost.K}}
	for _, id := range s.ids {
		row, err := s.Row(id)
		if err != nil {
			return nil, err
		}
		all.Data = append(all.Data, row...)
		all.Known = append(all.Known, slices.ContainsFunc(row, func(x float32) bool { return x != 0 }))
	}
	return all, nil
}

func (s *source) Centroids(context.Context, Bins) ([]float32, error) {
	return s.Space.Centroids, nil
}

func (s *source) Ground(_ context.Context, c Cost, b Bins, reg float64) (*ground.Ground, error) {
	own := histograms(s.Space).Cost
	if c == own { // with the λ that it was made for
		reg = s.Settings.Ground.Reg
	}
	g, err := c.Ground(s.Space.Centroids, b.Clusters, reg, s.Seed(ShuffledStream))
	if err == nil && c == own {
		g.Cost = s.Cost // to the last bit
	}
	return g, err
}

// Solver returns the space's own settings where the method has these.
func (s *source) Solver(t Transport) (distances, barycenters ot.Settings) {
	if t != histograms(s.Space).Transport {
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
	if stream == OwnStream {
		return 1
	}
	hash := fnv.New64a()
	hash.Write([]byte(stream))
	return hash.Sum64()
}

func (s *source) File(_ context.Context, name string) (Scored, error) {
	return nil, lacks("a space has no scores of other programs, such as %q", name)
}

func (s *source) Combined(
	ctx context.Context, _ Method, _ []sentence.Sentence, combine Combine,
) (ot.Histograms, error) {
	return combine(ctx, nil)
}

func (s *source) Progress() func(done, total int64) { return s.progress }

// histograms returns the space's own settings as those of a method. PointWeights and PointA are the defaults.
func histograms(s *cmdlib.Space) Histograms {
	var h Histograms
	SetDefaults(&h)
	h.Vectors = ""
	h.Estimates = Estimates{
		Smoothing: s.Settings.SPPMI.Smoothing, Shift: s.Settings.SPPMI.Shift,
		Normalisation: s.Settings.Estimate.Normalisation, Beta: s.Settings.Estimate.Beta,
	}
	h.Support = Support{Clusters: s.Cost.K}
	h.Cost.Metric, h.CostNormalisation = s.Settings.Ground.Metric, s.Settings.Ground.Normalisation
	h.Clip = s.Settings.Ground.Clip
	t := s.Settings.Transport
	h.Transport = Transport{
		Reg: t.Reg, Iterations: t.MaxIter, Tolerance: s.Settings.Sentence.Transport.Tol, Accelerate: t.Accelerate,
	}
	if w := s.Settings.Sentence.Weighting; !w.IsUniform() {
		h.Weights, h.A = Inverse, w.A
		if w.Scheme == sentence.SIF {
			h.Weights = SIFCorpus
		}
	}
	return h
}

// SettingsOf returns the settings of a space that compares texts by a method: an average of histograms or their
// barycenter, debiased or not, with weights by the corpus's own counts and no mix. Others are a cmdlib.ErrSettings.
func SettingsOf(m Method) (cmdlib.Settings, error) {
	var combination cmdlib.Combination
	switch m.(type) {
	case Average:
		combination = cmdlib.Average
	case Barycenter:
		combination = cmdlib.Barycenter
	case Debiased:
		combination = cmdlib.DebiasedBarycenter
	default:
		return cmdlib.Settings{}, lacks("the method %q of a space, expected one of %q, %q and %q", KindOf(m).ID,
			KindOf(Average{}).ID, KindOf(Barycenter{}).ID, KindOf(Debiased{}).ID)
	}
	h, _ := GroupOf[Histograms](m)
	if marginal := h.Weighting.Marginal(); marginal != OfCorpus {
		return cmdlib.Settings{},
			lacks("the weights %q of a space, whose words weigh by the corpus's own counts: expected %q, %q or %q",
				h.Weights, Uniform, Inverse, SIFCorpus)
	}
	s := cmdlib.Settings{
		SPPMI:     sppmi.Params{Smoothing: h.Smoothing, Shift: h.Shift},
		Estimate:  estimate.Params{Normalisation: h.Normalisation, Beta: h.Beta},
		Ground:    h.Cost.Params(h.Reg),
		Transport: ot.Settings{Reg: h.Reg, MaxIter: h.Iterations},
		Sentence:  cmdlib.SentenceSettings{Combination: combination, Weighting: h.Weighting.Sentence()},
		Encoding:  cmdlib.DefaultEncoding,
		Defaults:  cmdlib.Measured,
	}
	if h.Accelerate {
		s.Transport = h.Transport.Distances()
	}
	if combination != cmdlib.Average {
		s.Sentence.Transport = h.Transport.Barycenters()
	}
	return s, nil
}
