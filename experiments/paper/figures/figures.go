package figures

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sppmi"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
	"contextmover/experiments/harness/trainers/entailment"
	"contextmover/experiments/show/figure"
	"contextmover/experiments/show/tsne"
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
func (w OfProfile) All(ctx context.Context) (figures []*figure.Figure, err error) {
	p := w.Profile.Figures
	add := func(id string, spec any, describe describe) {
		if err != nil {
			return
		}
		var f *figure.Figure
		if f, err = w.figure(ctx, spec, describe); err != nil {
			err = fmt.Errorf("figure %s: %w", id, err)
		}
		figures = append(figures, f)
	}
	for _, d := range p.Densities {
		add(d.ID, w.densitySpec("density", d), func(ctx context.Context, f *OfSpace) (*figure.Figure, error) {
			return f.Density(ctx, d.ID, d.Words)
		})
	}
	for _, d := range p.Combinations {
		spec := w.densitySpec("combination", d)
		spec.Metric, spec.Reg, spec.Engine = p.BarycenterMetric, p.BarycenterReg, w.Engine.Name()
		spec.Accelerate = w.figureRow().Histograms().Accelerate
		add(d.ID, spec, func(ctx context.Context, f *OfSpace) (*figure.Figure, error) {
			return f.Combination(ctx, d.ID, d.Words)
		})
	}
	for _, d := range p.Plans {
		var f *figure.Figure
		if err == nil {
			f, err = w.Plan(ctx, d.ID, d.From, d.To, d.Contexts, d.Top)
		}
		figures = append(figures, f)
	}
	for _, d := range p.Flows {
		spec := planSpec{
			Kind: "flow", ID: d.ID, From: d.From, To: d.To, Contexts: d.Contexts,
			Metric: p.FlowMetric, Transport: method.Transport{Reg: p.FlowReg}, Engine: w.Engine.Name(),
		}
		add(d.ID, spec, func(ctx context.Context, f *OfSpace) (*figure.Figure, error) {
			return f.flowAt(ctx, spec)
		})
	}
	if err != nil {
		return nil, err
	}
	return figures, nil
}

// describe describes a figure in a space.
type describe = func(ctx context.Context, f *OfSpace) (*figure.Figure, error)

// figureRow is the row whose contexts and settings figures show.
func (w OfProfile) figureRow() profile.Row {
	row, _ := w.Profile.Row(w.Profile.Figures.Row)
	return row
}

// figure returns a figure from the store, or describes it in the space of the row. The spec is all that it
// depends on in addition to the row's contexts and the counts.
func (w OfProfile) figure(ctx context.Context, spec any, describe describe) (*figure.Figure, error) {
	row := w.figureRow()
	if row.ID == "" {
		return nil, fmt.Errorf("profile %s has no section [figures], which says what figures show", w.Profile.Name)
	}
	counts, clusters := w.CountsNode(), w.ClustersNode(w.RowEstimates(row).Clusters)
	node := store.Node[*figure.Figure]{
		Name: "figure", Version: 7, Inputs: []store.Input{counts, clusters},
		Params: struct {
			Estimates  pipeline.EstimateParams `json:"estimates"`
			Ground     pipeline.GroundParams   `json:"ground"`
			Iterations int                     `json:"iterations"`
			Spec       any                     `json:"spec"`
		}{w.RowEstimates(row), w.RowGround(row), row.Histograms().Iterations, spec},
		Parts: func(f **figure.Figure) []store.Part { return []store.Part{store.JSON("figure.json", *f)} },
		Make: func(ctx context.Context) (*figure.Figure, error) {
			space, _, err := w.OpenSpaceOf(ctx, row)
			if err != nil {
				return nil, err
			}
			defer space.Close()
			f := &OfSpace{Space: space, Settings: w.Profile.Figures, Engine: w.Engine, Name: w.Profile.Name}
			if f.xy, err = w.contextMap(ctx); err != nil {
				return nil, err
			}
			return describe(ctx, f)
		},
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

// mapParams are what a map depends on, next to the contexts.
type mapParams struct {
	Perplexity float64                `json:"perplexity"`
	Iterations int                    `json:"iterations"`
	Seed       uint64                 `json:"seed"`
	Clusters   pipeline.ClusterParams `json:"clusters"`
}

func (w OfProfile) mapParams() mapParams {
	f := w.Profile.Figures
	return mapParams{
		f.Perplexity, f.Iterations, pipeline.Seed(w.Profile.Seed, "context map"),
		w.RowEstimates(w.figureRow()).Clusters,
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
			return tsne.Embed(ctx, c.Centroids, p.Clusters.K, len(c.Centroids)/p.Clusters.K,
				tsne.Params{Perplexity: p.Perplexity, Iterations: p.Iterations, Seed: p.Seed}, progress)
		},
	})
}

// densitySpec is what a figure of densities depends on.
type densitySpec struct {
	Kind      string    `json:"kind"`
	ID        string    `json:"id"`
	Words     []string  `json:"words"`
	Map       mapParams `json:"map"`
	Bandwidth float64   `json:"bandwidth"`
	Labels    int       `json:"labels"`
	Metric    string    `json:"metric,omitempty"` // of barycenters
	method.Transport
	Engine string `json:"engine,omitempty"`
}

func (w OfProfile) densitySpec(kind string, d profile.DensityFigure) densitySpec {
	f := w.Profile.Figures
	return densitySpec{
		Kind: kind, ID: d.ID, Words: d.Words, Map: w.mapParams(), Bandwidth: f.Bandwidth, Labels: f.Labels,
	}
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
	vectors, err := store.Keys(w.VectorsNode(kind))
	if err != nil {
		return nil, err
	}
	spec.Vectors = vectors[0]
	return w.figure(ctx, spec, func(ctx context.Context, f *OfSpace) (*figure.Figure, error) {
		h := row.Histograms()
		associations, err := w.Associations(ctx, sppmi.Params{Smoothing: h.Smoothing, Shift: h.Shift})
		if err != nil {
			return nil, err
		}
		vectors, err := w.VectorsOf(ctx, kind)
		if err != nil {
			return nil, err
		}
		random := rand.New(rand.NewPCG(spec.Seed, 0))
		p := &figure.Plan{From: from, To: to}
		var points, weights []float32 // of the contexts of both words
		for side, word := range []string{from, to} {
			seen, err := f.Space.Sentence(ctx, word)
			if err != nil {
				return nil, err
			}
			if len(seen.Words) != 1 {
				return nil, fmt.Errorf("a plan between single contexts is one between two words, not %q", word)
			}
			id, _ := f.Space.ID(seen.Words[0])
			names := &p.Rows
			if side == 1 {
				names = &p.Cols
			}
			for _, x := range drawContexts(associations, int(id), n, top, random) {
				points, weights = append(points, vectors.Row(x.id)...), append(weights, float32(x.weight))
				*names = append(*names, f.Space.Words[x.id])
			}
		}
		rows, k := len(p.Rows), len(weights)
		histograms := ot.Histograms{K: k, Data: make([]float32, 2*k)}
		copy(histograms.Row(0), weights[:rows])
		copy(histograms.Row(1)[rows:], weights[rows:])
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
		for i := range rows {
			p.Mass = append(p.Mass, plan.Mass[i*k+rows:(i+1)*k])
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

// drawContexts returns n contexts at random from the top ones of a word, the strongest first,
// with weights that sum to 1; fewer where the word has fewer.
func drawContexts(associations *sppmi.Matrix, id, n, top int, random *rand.Rand) []drawnContext {
	var all []drawnContext
	index, value := associations.Row(id)
	for e, context := range index {
		all = append(all, drawnContext{int(context), float64(value[e])})
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
