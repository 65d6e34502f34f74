package figures

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"contextmover/cmdlib/cluster"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/method"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sppmi"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
	"contextmover/experiments/harness/trainers/entailment"
	"contextmover/experiments/show/density"
	"contextmover/experiments/show/figure"
	"contextmover/experiments/show/tsne"
	"contextmover/internal/levenshtein"
)

// IDs lists the tables and figures that Run may make for a profile.
func IDs(p *profile.Profile) (all []string) {
	for _, d := range slices.Concat(p.Figures.Densities, p.Figures.Combinations) {
		all = append(all, d.ID)
	}
	for _, d := range p.Figures.Plans {
		all = append(all, d.ID)
	}
	for _, d := range p.Figures.Flows {
		all = append(all, d.ID)
	}
	return all
}

// Run draws the figures that the profile lists.
func Run(ctx context.Context, w *pipeline.Workspace) (*pipeline.Output, error) {
	figures, err := OfProfile{w}.All(ctx)
	return &pipeline.Output{Figures: figures}, err
}

// OfProfile draws figures of words of a profile and keeps them in its store.
type OfProfile struct{ *pipeline.Workspace }

// masses are the shares of a density that its regions hold.
var masses = []float64{0.2, 0.4, 0.6, 0.8}

// mapNodes is the number of nodes along the longer side of a density's grid.
const mapNodes = 96

// All returns the figures that the profile lists. They are densities of words over a map of the contexts (Figures 1
// and 4 of the paper), the ways to combine words (Figure 3), and transport plans (Figure 2).
func (w OfProfile) All(ctx context.Context) ([]*figure.Figure, error) {
	var figures []*figure.Figure
	add := func(f *figure.Figure, err error) error {
		figures = append(figures, f)
		return err
	}
	p := w.Profile.Figures
	for _, d := range p.Densities {
		if err := add(w.Density(ctx, d.ID, d.Words, d.Colours)); err != nil {
			return nil, fmt.Errorf("figure %s: %w", d.ID, err)
		}
	}
	for _, d := range p.Combinations {
		if err := add(w.Combination(ctx, d.ID, d.Words, d.Colours)); err != nil {
			return nil, fmt.Errorf("figure %s: %w", d.ID, err)
		}
	}
	for _, d := range p.Plans {
		if err := add(w.Plan(ctx, d.ID, d.From, d.To, d.Contexts, d.Top)); err != nil {
			return nil, fmt.Errorf("figure %s: %w", d.ID, err)
		}
	}
	for _, d := range p.Flows {
		if err := add(w.Flow(ctx, d.ID, d.From, d.To, d.Contexts)); err != nil {
			return nil, fmt.Errorf("figure %s: %w", d.ID, err)
		}
	}
	return figures, nil
}

// UnknownWordError tells of a word that has no estimate.
type UnknownWordError struct {
	Word    string
	Profile string
	Known   bool     // in the vocabulary, but associated with no context
	Similar []string // words that are spelled alike
}

func (e *UnknownWordError) Error() string {
	if e.Known {
		return fmt.Sprintf("the word %q is associated with no context in the corpus of profile %s", e.Word, e.Profile)
	}
	s := fmt.Sprintf("the word %q is not in the vocabulary of profile %s", e.Word, e.Profile)
	if len(e.Similar) > 0 {
		s += fmt.Sprintf(" (did you mean %s?)", strings.Join(e.Similar, " or "))
	}
	return s
}

// wordID returns the id of a word of the vocabulary.
func (w OfProfile) wordID(ctx context.Context, word string) (int, error) {
	v, err := w.Vocabulary(ctx)
	if err != nil {
		return 0, err
	}
	for _, form := range []string{word, strings.ToLower(word)} {
		if id, ok := v.ID(form); ok {
			return int(id), nil
		}
	}
	return 0, &UnknownWordError{
		Word: word, Profile: w.Profile.Name,
		Similar: levenshtein.Similar(strings.ToLower(word), v.Words, 3, nil), // of equals the more frequent
	}
}

// figureRow is the row whose contexts and settings figures show.
func (w OfProfile) figureRow() profile.Row {
	row, _ := w.Profile.Row(w.Profile.Figures.Row)
	return row
}

// figure returns a figure from the store, or describes it. The spec is all that it
// depends on beside the row's contexts and the counts.
func (w OfProfile) figure(
	ctx context.Context, spec any, describe func(ctx context.Context) (*figure.Figure, error),
) (*figure.Figure, error) {
	row := w.figureRow()
	if row.ID == "" {
		return nil, fmt.Errorf("profile %s has no section [figures], which says what figures show", w.Profile.Name)
	}
	counts, clusters := w.CountsNode(), w.ClustersNode(w.RowClusters(row))
	node := store.Node[*figure.Figure]{
		Name: "figure", Version: 6, Inputs: []store.Input{counts, clusters},
		Params: struct {
			Estimates  pipeline.EstimateParams `json:"estimates"`
			Ground     pipeline.GroundParams   `json:"ground"`
			Iterations int                     `json:"iterations"`
			Spec       any                     `json:"spec"`
		}{w.RowEstimates(row), w.RowGround(row), row.Histograms().Iterations, spec},
		Parts: func(f **figure.Figure) []store.Part {
			if *f == nil {
				*f = new(figure.Figure)
			}
			return []store.Part{store.JSON("figure.json", *f)}
		},
		Make: describe,
	}
	kept, err := store.Get(ctx, w.Store, node)
	if err != nil {
		return nil, err
	}
	keys, err := store.Keys(node, clusters, counts)
	f := *kept
	f.Provenance = figure.Provenance{Profile: w.Profile.Name}
	for _, key := range keys {
		f.Provenance.Artefacts = append(f.Provenance.Artefacts, string(key))
	}
	return &f, err
}

// mapParams are what a map depends on, beside the contexts.
type mapParams struct {
	Perplexity float64                `json:"perplexity"`
	Iterations int                    `json:"iterations"`
	Seed       uint64                 `json:"seed"`
	Clusters   pipeline.ClusterParams `json:"clusters"`
}

func (w OfProfile) mapParams() mapParams {
	f := w.Profile.Figures
	return mapParams{
		f.Perplexity, f.Iterations, pipeline.Seed(w.Profile.Seed, "context map"), w.RowClusters(w.figureRow()),
	}
}

// contextMap returns where the K contexts lie on the map, K×2.
func (w OfProfile) contextMap(ctx context.Context) ([]float64, error) {
	p := w.mapParams()
	dimensions := 2
	return store.Get(ctx, w.Store, store.Node[[]float64]{
		Name: "context-map", Version: 1, Params: p, Inputs: []store.Input{w.ClustersNode(p.Clusters)},
		Parts: func(xy *[]float64) []store.Part { return []store.Part{store.Matrix("map.npy", &dimensions, xy)} },
		Make: func(ctx context.Context) ([]float64, error) {
			c, err := w.Clusters(ctx, p.Clusters)
			if err != nil {
				return nil, err
			}
			progress, finish := w.Step(fmt.Sprintf("map of the contexts, K=%d", p.Clusters.K))
			defer finish()
			m, err := tsne.Embed(ctx, c.Centroids, p.Clusters.K, len(c.Centroids)/p.Clusters.K,
				tsne.Params{Perplexity: p.Perplexity, Iterations: p.Iterations, Seed: p.Seed}, progress)
			if err != nil {
				return nil, err
			}
			return m.XY, nil
		},
	})
}

// contexts is what figures know of words and contexts, from a workspace or a space.
type contexts struct {
	words []string
	shown []shown
	// ids are those of all words of what is shown.
	ids       []int
	k         int // clusters
	settings  profile.Figures
	engine    ot.Engine
	transport method.Transport // but for λ, which figures have their own of
	// name is a telling word of cluster k for the words with these ids.
	name func(k int, ids ...int) string
	// places are where the clusters lie on the map, K×2.
	places func(ctx context.Context) ([]float64, error)
	// cost is that between the clusters, normalised as normalisation says and not clipped.
	cost          func(ctx context.Context, metric string, reg float64) (ot.Cost, error)
	normalisation string
	leftOut       string // a sentence about words without an estimate; empty if there are none

	// Only a workspace knows these.
	counts       *corpus.Counts
	associations *sppmi.Matrix
	clusters     *cluster.Result
	vectors      []float32
	dim          int
}

// shown is a word or a text with its histogram and the ids of its words.
type shown struct {
	name      string
	histogram []float32
	ids       []int
}

func (w OfProfile) contexts(ctx context.Context, words []string) (*contexts, error) {
	row := w.figureRow()
	h := row.Histograms()
	c := &contexts{
		settings: w.Profile.Figures, engine: w.Engine, transport: h.Transport,
		places:        func(ctx context.Context) ([]float64, error) { return w.contextMap(ctx) },
		normalisation: string(h.CostNormalisation),
		cost: func(ctx context.Context, metric string, reg float64) (ot.Cost, error) {
			p := w.RowGround(row)
			p.Metric, p.Clip, p.Reg = ground.Metric(metric), 0, reg
			g, err := w.Ground(ctx, p)
			if err != nil {
				return ot.Cost{}, err
			}
			return g.Cost, nil
		},
	}
	c.name = c.associated
	for _, word := range words {
		id, err := w.wordID(ctx, word)
		if err != nil {
			return nil, err
		}
		c.ids = append(c.ids, id)
	}
	v, err := w.Vocabulary(ctx)
	if err != nil {
		return nil, err
	}
	c.words = v.Words
	if c.counts, err = w.Counts(ctx); err != nil {
		return nil, err
	}
	if c.clusters, err = w.Clusters(ctx, w.RowClusters(row)); err != nil {
		return nil, err
	}
	vectors, err := w.VectorsOf(ctx, row.Vectors())
	if err != nil {
		return nil, err
	}
	c.vectors, c.dim = vectors.Data, vectors.Dim
	estimates, err := w.Estimates(ctx, w.RowEstimates(row))
	if err != nil {
		return nil, err
	}
	c.k = estimates.K
	for i, id := range c.ids {
		if !estimates.Known[id] {
			return nil, &UnknownWordError{Word: words[i], Profile: w.Profile.Name, Known: true}
		}
		c.shown = append(c.shown, shown{words[i], estimates.Histograms.Row(id), []int{id}})
	}
	c.associations, err = w.Associations(ctx, sppmi.Params{Smoothing: h.Smoothing, Shift: h.Shift})
	return c, err
}

// associated returns the most telling word of cluster k for the words shown: of the words
// in the cluster that they are associated with, the one with the largest product of
// association and co-occurrences (local mutual information, summed over the words),
// since associations alone favour rare words, and of its cosine to the centroid. The
// words shown themselves, and what has no letter, tell little. A cluster without a
// telling word is named by the one that is nearest to its centroid.
func (c *contexts) associated(k int, ids ...int) string {
	score := make(map[int32]float64)
	for _, id := range ids {
		index, value := c.associations.Row(id)
		counted, count := c.counts.Row(id)
		for e, word := range index {
			if int(c.clusters.Assignment[word]) == k && !slices.Contains(c.ids, int(word)) && c.hasLetter(int(word)) {
				at, _ := slices.BinarySearch(counted, word)
				score[word] += float64(float64(value[e]) * count[at])
			}
		}
	}
	centroid := c.clusters.Centroids[k*c.dim:][:c.dim]
	best, bestScore := -1, 0.0
	for word := range len(c.words) {
		if int(c.clusters.Assignment[word]) != k {
			continue
		}
		s := score[int32(word)]
		if len(score) == 0 && c.hasLetter(word) {
			s = 1
		}
		if s *= max(0, pipeline.Cosine(centroid, c.vectors[word*c.dim:][:c.dim])); s > bestScore || best < 0 {
			best, bestScore = word, s
		}
	}
	if best < 0 {
		return fmt.Sprintf("(%d)", k)
	}
	return c.words[best]
}

func (c *contexts) hasLetter(word int) bool {
	return strings.ContainsFunc(c.words[word], unicode.IsLetter)
}

// densitySpec is what a figure of densities depends on.
type densitySpec struct {
	Kind      string    `json:"kind"`
	ID        string    `json:"id"`
	Words     []string  `json:"words"`
	Colours   []string  `json:"colours"`
	Map       mapParams `json:"map"`
	Bandwidth float64   `json:"bandwidth"`
	Labels    int       `json:"labels"`
	Metric    string    `json:"metric,omitempty"` // of barycenters
	method.Transport
	Engine string `json:"engine,omitempty"`
}

// Density shows the estimates of words as densities over a map of the contexts.
// Words without a colour get one.
func (w OfProfile) Density(ctx context.Context, id string, words, colour []string) (*figure.Figure, error) {
	spec := w.densitySpec("density", id, words, colour)
	return w.figure(ctx, spec, func(ctx context.Context) (*figure.Figure, error) {
		c, err := w.contexts(ctx, words)
		if err != nil {
			return nil, err
		}
		return c.density(ctx, spec)
	})
}

// layers are those of the words shown.
func (c *contexts) layers(spec densitySpec) (layers []mapLayer) {
	for i, s := range c.shown {
		layers = append(layers, mapLayer{s, spec.Colours[i]})
	}
	return layers
}

func (c *contexts) density(ctx context.Context, spec densitySpec) (*figure.Figure, error) {
	panel, err := c.panel(ctx, c.layers(spec))
	if err != nil {
		return nil, err
	}
	return &figure.Figure{
		ID: spec.ID, Title: "Distributional estimates of " + list(spec.Words),
		Caption: fmt.Sprintf("%s over a map (t-SNE, perplexity %g) of %d clusters of contexts. Regions hold %s of "+
			"the mass. Points are clusters; the strongest are named by one of their words that goes with %s.",
			capital(estimatesOf(spec.Words)), spec.Map.Perplexity, c.k, percentages(masses), list(spec.Words)),
		Width: figure.Column, Height: 0.85 * figure.Column, Columns: 1,
		Panels: []figure.Panel{{Density: panel}},
	}, nil
}

func (w OfProfile) densitySpec(kind, id string, words, colour []string) densitySpec {
	return newDensitySpec(kind, id, words, colour, w.Profile.Figures, w.mapParams())
}

func newDensitySpec(kind, id string, words, colour []string, f profile.Figures, m mapParams) densitySpec {
	spec := densitySpec{Kind: kind, ID: id, Words: words, Map: m, Bandwidth: f.Bandwidth, Labels: f.Labels}
	for i := range words {
		if i < len(colour) {
			spec.Colours = append(spec.Colours, colour[i])
		} else {
			spec.Colours = append(spec.Colours, figure.Colours[i%len(figure.Colours)])
		}
	}
	return spec
}

// Combination shows words and what they combine to: (a) their estimates,
// (b) the Euclidean average, (c) the Wasserstein barycenter of the paper and (d) the
// debiased one.
func (w OfProfile) Combination(ctx context.Context, id string, words, colour []string) (*figure.Figure, error) {
	f := w.Profile.Figures
	spec := w.densitySpec("combination", id, words, colour)
	spec.Metric, spec.Reg, spec.Engine = f.BarycenterMetric, f.BarycenterReg, w.Engine.Name()
	spec.Accelerate = w.figureRow().Histograms().Accelerate
	return w.figure(ctx, spec, func(ctx context.Context) (*figure.Figure, error) {
		c, err := w.contexts(ctx, words)
		if err != nil {
			return nil, err
		}
		return c.combination(ctx, spec)
	})
}

func (c *contexts) combination(ctx context.Context, spec densitySpec) (*figure.Figure, error) {
	cost, err := c.cost(ctx, spec.Metric, spec.Reg)
	if err != nil {
		return nil, err
	}
	n := len(spec.Words)
	transport := c.transport
	transport.Reg = spec.Reg
	problem := &ot.BarycenterProblem{
		Settings: transport.Barycenters(),
		Cost:     cost, Rows: ot.Histograms{K: c.k}, Offsets: []int{0, n},
	}
	average := make([]float32, c.k)
	for i, s := range c.shown {
		problem.Rows.Data = append(problem.Rows.Data, s.histogram...)
		problem.Members = append(problem.Members, int32(i))
		problem.Weights = append(problem.Weights, 1/float32(n))
		for k, v := range s.histogram {
			average[k] += v / float32(n)
		}
	}
	barycenters := make([][]float32, 2)
	for i, debiased := range []bool{false, true} {
		p := *problem
		p.Debiased = debiased
		b, err := ot.Barycenters(ctx, c.engine, &p)
		if err != nil {
			return nil, err
		}
		barycenters[i] = b[0].Histogram
	}
	const mixture = "#6b4a8c"
	panels := []figure.Panel{
		{Title: "(a) " + strings.Join(spec.Words, ", ")}, {Title: "(b) Euclidean average"},
		{Title: "(c) Wasserstein barycenter"}, {Title: "(d) Wasserstein barycenter, debiased"},
	}
	for i, layers := range [][]mapLayer{
		c.layers(spec),
		{{shown{"Euclidean average", average, c.ids}, mixture}},
		{{shown{"Wasserstein barycenter", barycenters[0], c.ids}, mixture}},
		{{shown{"Wasserstein barycenter, debiased", barycenters[1], c.ids}, mixture}},
	} {
		if panels[i].Density, err = c.panel(ctx, layers); err != nil {
			return nil, err
		}
	}
	return &figure.Figure{
		ID: spec.ID, Title: "What " + list(spec.Words) + " combine to",
		Caption: fmt.Sprintf("%s over a map (t-SNE, perplexity %g) of %d clusters of contexts: (a) the words; (b) "+
			"the Euclidean average of their histograms; (c) their Wasserstein barycenter (cost %s, λ = %g); (d) the "+
			"same without the blur of regularisation. Regions hold %s of the mass.",
			capital(estimatesOf(spec.Words)), spec.Map.Perplexity, c.k, spec.Metric, spec.Reg, percentages(masses)),
		Width: figure.Page, Height: 0.88 * figure.Page, Columns: 2, Panels: panels,
	}, nil
}

// mapLayer is what is shown on the map in a colour; its words name its contexts.
type mapLayer struct {
	shown
	colour string
}

// panel shows layers over the map.
func (c *contexts) panel(ctx context.Context, layers []mapLayer) (*figure.Density, error) {
	f := c.settings
	xy, err := c.places(ctx)
	if err != nil {
		return nil, err
	}
	bandwidth := f.Bandwidth * density.Bandwidth(xy)
	if bandwidth == 0 {
		bandwidth = 1 // all contexts lie at one place
	}
	frame, err := density.Around(xy, 2*bandwidth, mapNodes)
	if err != nil {
		return nil, err
	}
	d := &figure.Density{X: frame.X, Y: frame.Y, Step: frame.Step, NX: frame.NX, NY: frame.NY, Points: xy}
	type strong struct {
		K      int
		Weight float32
		Ids    []int
	}
	var strongest []strong
	for _, l := range layers {
		weights := make([]float64, len(l.histogram))
		for k, v := range l.histogram {
			weights[k] = float64(v)
		}
		g, err := density.Estimate(ctx, frame, xy, weights, bandwidth)
		if err != nil {
			return nil, err
		}
		layer := figure.Layer{Name: l.name, Colour: l.colour, Masses: masses, Z: make([]float32, len(g.Z))}
		for i, z := range g.Z {
			layer.Z[i] = float32(z)
		}
		for _, m := range masses {
			layer.Levels = append(layer.Levels, g.Level(m))
		}
		d.Layers = append(d.Layers, layer)
		for k, v := range l.histogram {
			if v > 0 {
				strongest = append(strongest, strong{k, v, l.ids})
			}
		}
	}
	slices.SortStableFunc(strongest, func(a, b strong) int { return cmp.Compare(b.Weight, a.Weight) })
	// Each layer names its share of the strongest contexts; one that several share is
	// named once.
	used, named := make([]int, len(layers)), map[int]bool{}
	for _, s := range strongest {
		l := slices.IndexFunc(layers, func(l mapLayer) bool { return slices.Equal(l.ids, s.Ids) })
		if named[s.K] || used[l]*len(layers) >= f.Labels {
			continue
		}
		named[s.K] = true
		used[l]++
		d.Labels = append(d.Labels, figure.Label{Text: c.name(s.K, s.Ids...), X: xy[2*s.K], Y: xy[2*s.K+1]})
	}
	return d, nil
}

// planSpec is what a figure of a plan depends on.
type planSpec struct {
	Kind     string `json:"kind"`
	ID       string `json:"id"`
	From     string `json:"from"`
	To       string `json:"to"`
	Contexts int    `json:"contexts"`
	Top      int    `json:"top,omitempty"`
	Seed     uint64 `json:"seed,omitempty"`
	Metric   string `json:"metric"`
	method.Transport
	Engine string `json:"engine"`
	// Of plans between a few contexts: their cost's normalisation and vectors.
	Normalisation string    `json:"normalisation,omitempty"`
	Vectors       store.Key `json:"vectors,omitempty"`
}

// Plan shows the transport plan between a few contexts of two words. There are as many as contexts says, drawn at
// random from those of each word with the largest associations (top of them). Their weights are the associations,
// scaled to sum 1, and the cost is that between their vectors.
func (w OfProfile) Plan(ctx context.Context, id, from, to string, n, top int) (*figure.Figure, error) {
	row, f := w.figureRow(), w.Profile.Figures
	spec := planSpec{
		Kind: "plan", ID: id, From: from, To: to, Contexts: n, Top: top,
		Seed:   pipeline.Seed(w.Profile.Seed, "plan "+from+" "+to),
		Metric: f.PlanMetric, Transport: method.Transport{Reg: f.PlanReg}, Engine: w.Engine.Name(),
		Normalisation: string(row.Histograms().CostNormalisation),
	}
	kind := row.Vectors()
	if f.PlanMetric == profile.Entailment {
		kind, spec.Normalisation = profile.Entailment, string(w.Profile.Hypernymy.CMD.CostNormalisation)
	}
	var err error
	if spec.Vectors, err = w.VectorsNode(kind).InputKey(); err != nil {
		return nil, err
	}
	return w.figure(ctx, spec, func(ctx context.Context) (*figure.Figure, error) {
		c, err := w.contexts(ctx, []string{from, to})
		if err != nil {
			return nil, err
		}
		vectors, err := w.VectorsOf(ctx, kind)
		if err != nil {
			return nil, err
		}
		random := rand.New(rand.NewPCG(spec.Seed, 0))
		var chosen [2][]drawnContext
		for side, id := range c.ids {
			chosen[side] = c.draw(id, n, top, random)
		}
		rows, cols := len(chosen[0]), len(chosen[1])
		k := rows + cols
		var points []float32
		histograms := ot.Histograms{K: k, Data: make([]float32, 2*k)}
		for i, x := range slices.Concat(chosen[0], chosen[1]) {
			points = append(points, vectors.Row(x.id)...)
			side := 0
			if i >= rows {
				side = 1
			}
			histograms.Row(side)[i] = float32(x.weight)
		}
		cost, err := costBetween(points, k, vectors.Dim, ground.Params{
			Metric: ground.Metric(spec.Metric), Normalisation: ground.Normalisation(spec.Normalisation), Reg: spec.Reg,
		})
		if err != nil {
			return nil, err
		}
		plan, err := w.Engine.Plan(ctx, &ot.Problem{
			Settings: ot.Settings{Reg: spec.Reg, MaxIter: planIterations}, Cost: cost, Rows: histograms,
			Pairs: []ot.Pair{{Source: 0, Target: 1}},
		}, 0)
		if err != nil {
			return nil, err
		}
		p := &figure.Plan{From: from, To: to}
		for i, x := range chosen[0] {
			p.Rows = append(p.Rows, c.words[x.id])
			p.Mass = append(p.Mass, slices.Clone(plan.Mass[i*k+rows:][:cols]))
		}
		for _, y := range chosen[1] {
			p.Cols = append(p.Cols, c.words[y.id])
		}
		return &figure.Figure{
			ID: id, Title: fmt.Sprintf("Transport plan from %s to %s", from, to),
			Caption: fmt.Sprintf("Transport plan between contexts of %s (rows) and of %s (columns), %d each, drawn "+
				"at random from the %d with the largest associations; the darker, the more mass. Cost: %s between %s "+
				"vectors, normalised by %s; λ = %g.",
				from, to, n, top, spec.Metric, kind, spec.Normalisation, spec.Reg),
			Width: figure.Column, Height: 0.8 * figure.Column, Columns: 1, Panels: []figure.Panel{{Plan: p}},
		}, nil
	})
}

// costBetween returns the ground cost between k points, by a metric of package ground or that of entailment.
func costBetween(points []float32, k, dim int, p ground.Params) (ot.Cost, error) {
	if p.Metric == entailment.Metric {
		return entailment.Cost(points, k, dim, p)
	}
	g, err := ground.New(points, k, dim, p)
	if err != nil {
		return ot.Cost{}, err
	}
	return g.Cost, nil
}

// planIterations lets plans between a few contexts converge.
const planIterations = 500

// drawnContext is a word that is a context, with its weight.
type drawnContext struct {
	id     int
	weight float64
}

// draw returns n contexts at random from the top ones of a word, the strongest first,
// with weights that sum to 1; fewer where the word has fewer.
func (c *contexts) draw(id, n, top int, random *rand.Rand) []drawnContext {
	var all []drawnContext
	for e := c.associations.Start[id]; e < c.associations.Start[id+1]; e++ {
		all = append(all, drawnContext{int(c.associations.Index[e]), float64(c.associations.Value[e])})
	}
	slices.SortStableFunc(all, func(a, b drawnContext) int { return cmp.Compare(b.weight, a.weight) })
	all = all[:min(top, len(all))]
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	all = all[:min(n, len(all))]
	slices.SortStableFunc(all, func(a, b drawnContext) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.id, b.id))
	})
	var sum float64
	for _, x := range all {
		sum += x.weight
	}
	for i := range all {
		all[i].weight /= sum
	}
	return all
}

// Flow shows the whole transport plan between two words: the n strongest
// clusters of each, and the rest together.
func (w OfProfile) Flow(ctx context.Context, id, from, to string, n int) (*figure.Figure, error) {
	f := w.Profile.Figures
	spec := planSpec{
		Kind: "flow", ID: id, From: from, To: to, Contexts: n,
		Metric: f.FlowMetric, Transport: method.Transport{Reg: f.FlowReg}, Engine: w.Engine.Name(),
	}
	return w.figure(ctx, spec, func(ctx context.Context) (*figure.Figure, error) {
		c, err := w.contexts(ctx, []string{from, to})
		if err != nil {
			return nil, err
		}
		return c.flow(ctx, spec)
	})
}

func (c *contexts) flow(ctx context.Context, spec planSpec) (*figure.Figure, error) {
	cost, err := c.cost(ctx, spec.Metric, spec.Reg)
	if err != nil {
		return nil, err
	}
	settings := ot.Settings{Reg: spec.Reg, MaxIter: c.transport.Iterations}
	caption := fmt.Sprintf("Cost: %s, normalised by %s; λ = %g.", spec.Metric, c.normalisation, spec.Reg)
	return c.flowOf(ctx, spec, cost, settings, caption)
}

// flowOf draws the plan from the first to the second of what is shown.
func (c *contexts) flowOf(
	ctx context.Context, spec planSpec, cost ot.Cost, settings ot.Settings, caption string,
) (*figure.Figure, error) {
	from, to := c.shown[0], c.shown[1]
	plan, err := c.engine.Plan(ctx, &ot.Problem{
		Settings: settings, Cost: cost, Rows: ot.Histograms{K: c.k, Data: slices.Concat(from.histogram, to.histogram)},
		Pairs: []ot.Pair{{Source: 0, Target: 1}},
	}, 0)
	if err != nil {
		return nil, err
	}
	rows, cols := strongestBins(from.histogram, spec.Contexts), strongestBins(to.histogram, spec.Contexts)
	f := &figure.Flow{From: spec.From, To: spec.To, Rest: true}
	place := func(bins []int) []int {
		at := make([]int, plan.Rows)
		for k := range at {
			if at[k] = slices.Index(bins, k); at[k] < 0 {
				at[k] = len(bins)
			}
		}
		return at
	}
	for _, k := range rows {
		f.Rows = append(f.Rows, c.name(k, from.ids...))
	}
	for _, k := range cols {
		f.Cols = append(f.Cols, c.name(k, to.ids...))
	}
	f.Rows, f.Cols = append(f.Rows, "other contexts"), append(f.Cols, "other contexts")
	for range f.Rows {
		f.Mass, f.Cost = append(f.Mass, make([]float64, len(f.Cols))), append(f.Cost, make([]float64, len(f.Cols)))
	}
	rowAt, colAt := place(rows), place(cols)
	for i := range plan.Rows {
		for j := range plan.Cols {
			mass := plan.Mass[i*plan.Cols+j]
			f.Mass[rowAt[i]][colAt[j]] += mass
			f.Cost[rowAt[i]][colAt[j]] += float64(mass * float64(cost.Data[i*plan.Cols+j]))
		}
	}
	for i, row := range f.Mass {
		for j, mass := range row {
			if mass > 0 {
				f.Cost[i][j] /= mass
			}
		}
	}
	return &figure.Figure{
		ID: spec.ID, Title: fmt.Sprintf("Transport plan from %s to %s", spec.From, spec.To),
		Caption: fmt.Sprintf("Transport plan from %s to %s over %d clusters of contexts: the %d strongest of each "+
			"%s, each named by one of its words, and the rest drawn as one, without the %.0f %% of the mass that "+
			"move between the rest of both. %s",
			spec.From, spec.To, plan.Rows, spec.Contexts, c.noun(), 100*f.Mass[len(f.Rows)-1][len(f.Cols)-1], caption),
		// So high that every context has a line.
		Width: figure.Column, Height: min(max(1.1*figure.Column, 12*float64(max(len(f.Rows), len(f.Cols))+5)), 5000),
		Columns: 1, Panels: []figure.Panel{{Flow: f}},
	}, nil
}

// noun is what is shown.
func (c *contexts) noun() string {
	if len(c.ids) > len(c.shown) {
		return "text"
	}
	return "word"
}

// strongestBins returns the n heaviest bins with mass, the heaviest first.
func strongestBins(h []float32, n int) []int {
	var bins []int
	for k, v := range h {
		if v > 0 {
			bins = append(bins, k)
		}
	}
	slices.SortStableFunc(bins, func(a, b int) int { return cmp.Compare(h[b], h[a]) })
	return bins[:min(n, len(bins))]
}

// list writes words as people do: a, b and c.
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

func estimatesOf(words []string) string {
	if len(words) == 1 {
		return "the distributional estimate of " + words[0]
	}
	return "the distributional estimates of " + list(words)
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func percentages(shares []float64) string {
	var s []string
	for _, v := range shares {
		s = append(s, fmt.Sprintf("%.0f", 100*v))
	}
	return list(s) + " %"
}
