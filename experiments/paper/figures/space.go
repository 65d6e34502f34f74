package figures

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"contextmover/cmdlib"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/method"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/usage"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/show/figure"
	"contextmover/experiments/show/tsne"
)

// OfSpace draws figures of words and texts in a space, as OfProfile does of words in a profile. It draws no plans of
// single contexts, since a space does not keep the associations with them. A text is what Space.Sentence combines its
// words to. Nothing is stored.
//
// A text without a word that has an estimate is a *cmdlib.UnknownError.
type OfSpace struct {
	Space *cmdlib.Space
	// Settings are those of a profile's section [figures]; their row is not used.
	Settings profile.Figures
	Engine   ot.Engine
	// Name is that of the space in the files.
	Name string
	// Progress is that of a pipeline.Workspace.
	Progress func(step string) func(done, total int64)

	xy       []float64 // where the contexts lie on the map, once it is made
	nameless []int     // words that name no context
}

// Density is that of OfProfile.
func (f *OfSpace) Density(ctx context.Context, id string, words, colour []string) (*figure.Figure, error) {
	c, words, err := f.contexts(ctx, words)
	if err != nil {
		return nil, err
	}
	return c.tell(f.named(c.density(ctx, newDensitySpec("density", id, words, colour, f.Settings, f.mapParams()))))
}

// Combination is that of OfProfile.
func (f *OfSpace) Combination(ctx context.Context, id string, words, colour []string) (*figure.Figure, error) {
	c, words, err := f.contexts(ctx, words)
	if err != nil {
		return nil, err
	}
	spec := newDensitySpec("combination", id, words, colour, f.Settings, f.mapParams())
	spec.Metric, spec.Reg = f.Settings.BarycenterMetric, f.Settings.BarycenterReg
	return c.tell(f.named(c.combination(ctx, spec)))
}

// Flow is that of OfProfile, for the plan behind the distance that the space tells.
func (f *OfSpace) Flow(ctx context.Context, id, from, to string, n int) (*figure.Figure, error) {
	c, words, err := f.contexts(ctx, []string{from, to})
	if err != nil {
		return nil, err
	}
	spec := planSpec{ID: id, From: words[0], To: words[1], Contexts: n}
	return c.tell(f.named(c.flowOf(ctx, spec, f.Space.Cost, f.Space.Settings.Transport, f.costs())))
}

// costs says what the plans behind distances cost.
func (f *OfSpace) costs() string {
	s := f.Space.Settings
	text := fmt.Sprintf("Cost: %s, normalised by %s", s.Ground.Metric, s.Ground.Normalisation)
	if s.Ground.Clip > 0 {
		text += fmt.Sprintf(", at most %.3g", s.Ground.Clip*s.Ground.Reg)
	}
	return text + fmt.Sprintf("; λ = %g.", s.Transport.Reg)
}

// The bands of Sentences are those of the largest flows that have together so much of the mass, at most so many.
const (
	bandsShare = 0.8
	mostBands  = 40
)

// Sentences shows two texts word by word: what mass each word brings, what it costs to move it, and the largest
// flows between words, as cmdlib.WordFlows has them.
func (f *OfSpace) Sentences(ctx context.Context, id, from, to string) (*figure.Figure, error) {
	e, err := f.Space.Explain(ctx, from, to, 1)
	if err != nil {
		return nil, err
	}
	flows := f.Space.WordFlows(e)
	s := &figure.Sentences{Mass: flows.Mass, Cost: flows.Cost, Bands: flows.Largest(bandsShare, mostBands)}
	unknown := ""
	for _, side := range []struct {
		words []cmdlib.TextWord
		to    *[]figure.TextWord
	}{{flows.From, &s.From}, {flows.To, &s.To}} {
		for _, w := range side.words {
			*side.to = append(*side.to, figure.TextWord(w))
			if !w.Known {
				unknown = " Words with a line through them have no estimate and are left out."
			}
		}
	}
	banded := 0.0
	for _, b := range s.Bands {
		banded += s.Mass[b[0]][b[1]]
	}
	how := "the " + string(f.Space.Settings.Sentence.Combination) + " of their words"
	if len(s.From) == 1 && len(s.To) == 1 {
		how = "their own histograms"
	}
	return f.named(&figure.Figure{
		ID: id, Title: fmt.Sprintf("From %q to %q, word by word: distance %.4g", from, to, e.Cost),
		Caption: fmt.Sprintf("From %q to %q, compared by %s: distance %.4g. Bars and numbers: the share of the mass "+
			"that a word brings; colours: what it costs to move a unit of it. Bands: the %d largest flows between "+
			"words, %.0f %% of the mass.%s %s",
			from, to, how, e.Cost, len(s.Bands), 100*banded, unknown, f.costs()),
		Width: figure.Column, Height: figure.SentencesHeight(len(s.From), len(s.To)), Columns: 1,
		Panels: []figure.Panel{{Sentences: s}},
	}, nil)
}

// Senses shows the senses of a word that are found in a space, each as a density over the map with its
// share of the occurrences. Contexts are named by words that the occurrences of the sense stand near.
func (f *OfSpace) Senses(ctx context.Context, id, word string, found *usage.Senses) (*figure.Figure, error) {
	learned, names := found.Learn(f.Space, word)
	g, err := f.learned(ctx, learned, word)
	if err != nil {
		return nil, err
	}
	c, _, err := g.contexts(ctx, names)
	if err != nil {
		return nil, err
	}
	x := &figure.Figure{
		ID: id, Title: "Senses of " + word,
		Caption: fmt.Sprintf("Senses of %s, found by grouping its occurrences (silhouette %.2f), each with its share "+
			"of them, as densities over a map (t-SNE, perplexity %g) of %d clusters of contexts. Regions hold %s of "+
			"the mass. Points are clusters; those strongest in a sense are named by a word of theirs that goes with "+
			"it.",
			word, found.Silhouette, f.Settings.Perplexity, c.k, percentages(masses)),
		Width: figure.Page, Columns: 2,
	}
	if len(names) == 1 {
		x.Width, x.Columns = figure.Column, 1
	} else if len(names) > 4 || len(names) == 3 {
		x.Columns = 3
	}
	rows := (len(names) + x.Columns - 1) / x.Columns
	x.Height = 0.92 * x.Width / float64(x.Columns) * float64(rows)
	for i, sense := range c.shown {
		panel, err := c.panel(ctx, []mapLayer{{sense, figure.Colours[i%len(figure.Colours)]}})
		if err != nil {
			return nil, err
		}
		x.Panels = append(x.Panels, figure.Panel{
			Title: fmt.Sprintf("%s: %.0f %%", sense.name, 100*found.Senses[i].Share), Density: panel,
		})
	}
	return f.named(x, nil)
}

// learned returns what draws a space that has learned estimates of a word, on the same map. The word names no contexts.
func (f *OfSpace) learned(ctx context.Context, s *cmdlib.Space, word string) (*OfSpace, error) {
	if err := f.Map(ctx); err != nil {
		return nil, err
	}
	g := f.Asked(s)
	if id, ok := f.Space.ID(word); ok {
		g.nameless = append(g.nameless, int(id))
	}
	return g, nil
}

// Map makes the map of the contexts, which figures else make when they first need it.
func (f *OfSpace) Map(ctx context.Context) error {
	_, err := f.places(ctx)
	return err
}

// Asked returns what draws the space s, which is the same but for settings of its answers: on the same map, if it is
// made.
func (f *OfSpace) Asked(s *cmdlib.Space) *OfSpace {
	g := *f
	g.Space = s
	return &g
}

// tell adds which words of the texts are left out.
func (c *contexts) tell(x *figure.Figure, err error) (*figure.Figure, error) {
	if err == nil {
		x.Caption += c.leftOut
	}
	return x, err
}

// named adds where a figure comes from.
func (f *OfSpace) named(x *figure.Figure, err error) (*figure.Figure, error) {
	if err != nil {
		return nil, err
	}
	// A name may be another space's tomorrow.
	x.Provenance.Space = fmt.Sprintf("%s (identity %.16s)", f.Name, f.Space.Identity())
	return x, nil
}

func (f *OfSpace) mapParams() mapParams {
	return mapParams{
		Perplexity: f.Settings.Perplexity, Iterations: f.Settings.Iterations, Seed: pipeline.Seed(1, "context map"),
	}
}

// contexts returns what figures know, and the words as the space writes them.
func (f *OfSpace) contexts(ctx context.Context, words []string) (*contexts, []string, error) {
	s := f.Space
	c := &contexts{
		words: s.Words, k: s.Cost.K, settings: f.Settings, engine: f.Engine,
		transport: method.Transport{
			Iterations: s.Settings.Transport.MaxIter, Tolerance: s.Settings.Sentence.Transport.Tol,
			Accelerate: s.Settings.Sentence.Transport.Accelerate,
		},
		places: f.places, normalisation: string(s.Settings.Ground.Normalisation),
		cost: func(_ context.Context, metric string, reg float64) (ot.Cost, error) {
			p := s.Settings.Ground
			p.Metric, p.Clip, p.Reg = ground.Metric(metric), 0, reg
			g, err := ground.New(s.Centroids, s.Cost.K, s.Dim, p)
			if err != nil {
				return ot.Cost{}, err
			}
			return g.Cost, nil
		},
	}
	var known, unknown []string
	single := true // then compared by their own histograms, as Space.Distance does
	for _, text := range words {
		seen, err := s.Sentence(ctx, text)
		if err != nil {
			return nil, nil, err
		}
		unknown = append(unknown, seen.Unknown...)
		x := shown{name: text, histogram: seen.Histogram}
		for _, word := range seen.Words {
			id, _ := s.ID(word)
			x.ids = append(x.ids, int(id))
			for k := range s.Cost.K {
				if _, err := s.Sources(id, k); err != nil {
					return nil, nil, err
				}
			}
		}
		if len(seen.Words)+len(seen.Unknown) == 1 {
			x.name = seen.Words[0]
		} else {
			single = false
		}
		c.ids, c.shown, known = append(c.ids, x.ids...), append(c.shown, x), append(known, x.name)
	}
	if single {
		for i := range c.shown {
			h, err := s.Row(int32(c.ids[i]))
			if err != nil {
				return nil, nil, err
			}
			c.shown[i].histogram = h
		}
	}
	c.name = func(k int, ids ...int) string { return f.telling(k, ids, slices.Concat(c.ids, f.nameless)) }
	if len(unknown) > 0 {
		c.leftOut = " Left out, as they have no estimate: " + strings.Join(unknown, ", ") + "."
	}
	return c, known, nil
}

// telling returns the context word that brought most of cluster k's mass to the words with these
// ids, but none of those shown and none without a letter; a word near the centroid if the space keeps none.
func (f *OfSpace) telling(k int, ids, shown []int) string {
	fits := func(word string) bool {
		id, _ := f.Space.ID(word)
		return strings.ContainsFunc(word, unicode.IsLetter) && !slices.Contains(shown, int(id))
	}
	best := cmdlib.Source{}
	for _, id := range ids {
		sources, _ := f.Space.Sources(int32(id), k) // contexts has seen the error
		for _, source := range sources {
			if source.Share > best.Share && fits(source.Word) {
				best = source
			}
		}
	}
	if best.Word != "" {
		return best.Word
	}
	near := f.Space.Name(k, len(shown)+3)
	if i := slices.IndexFunc(near, fits); i >= 0 {
		return near[i]
	}
	return fmt.Sprintf("(%d)", k)
}

func (f *OfSpace) places(ctx context.Context) ([]float64, error) {
	if f.xy != nil {
		return f.xy, nil
	}
	var progress func(done, total int64)
	if f.Progress != nil {
		progress = f.Progress(fmt.Sprintf("map of the contexts, K=%d", f.Space.Cost.K))
	}
	p := f.mapParams()
	m, err := tsne.Embed(ctx, f.Space.Centroids, f.Space.Cost.K, f.Space.Dim, tsne.Params{
		Perplexity: p.Perplexity, Iterations: p.Iterations, Seed: p.Seed,
	}, progress)
	if err != nil {
		return nil, err
	}
	f.xy = m.XY
	return f.xy, nil
}
