package figures

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"contextmover/cmdlib"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/usage"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/show/density"
	"contextmover/experiments/show/figure"
	"contextmover/experiments/show/tsne"
)

// OfSpace draws figures of words and texts in a space. It draws no plans of single contexts, since a space does not
// keep the associations with them. A text is what Space.Sentence combines its words to. Nothing is stored. Contexts
// have the names of Space.Name in every figure; those whose names tell nothing are not named, and count among the
// others.
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

	xy []float64 // where the contexts lie on the map, once it is made
}

// shown is a word or a text with its histogram.
type shown struct {
	name      string
	histogram []float32
}

// show finds words and texts. Single words have their own histograms where all are, as in Space.Compare. leftOut is a
// sentence about words that are left out; empty if there are none.
func (f *OfSpace) show(ctx context.Context, words []string) (all []shown, leftOut string, err error) {
	s, texts := f.Space, false
	var unknown []string
	for _, text := range words {
		seen, err := s.Sentence(ctx, text)
		if err != nil {
			return nil, "", err
		}
		unknown = append(unknown, seen.Unknown...)
		x := shown{text, seen.Histogram}
		if len(seen.Words)+len(seen.Unknown) == 1 {
			x.name = seen.Words[0]
		} else {
			texts = true
		}
		all = append(all, x)
	}
	for i := range all {
		if texts {
			break
		}
		id, _ := s.ID(all[i].name)
		if all[i].histogram, err = s.Row(id); err != nil {
			return nil, "", err
		}
	}
	if len(unknown) > 0 {
		leftOut = " Left out, as they have no estimate: " + strings.Join(unknown, ", ") + "."
	}
	return all, leftOut, nil
}

// contextName is the name of a cluster of contexts, and whether it tells something.
func (f *OfSpace) contextName(k int) (string, bool) {
	words, telling := f.Space.Name(k, 3)
	if len(words) == 0 {
		return "", false
	}
	return strings.Join(words, " "), telling
}

// Density shows the estimates of words as densities over a map of the contexts.
func (f *OfSpace) Density(ctx context.Context, id string, words []string) (*figure.Figure, error) {
	all, leftOut, err := f.show(ctx, words)
	if err != nil {
		return nil, err
	}
	panel, err := f.panel(ctx, all)
	if err != nil {
		return nil, err
	}
	return f.named(&figure.Figure{
		ID: id, Title: "Distributional estimates of " + list(all),
		Caption: estimatesOf(all) + f.onMap() + leftOut,
		Width:   figure.Column, Height: 0.9 * figure.Column, Columns: 1,
		Panels: []figure.Panel{{Density: panel}},
	}), nil
}

// onMap says what is seen on a map of densities.
func (f *OfSpace) onMap() string {
	return fmt.Sprintf(" over a map (t-SNE, perplexity %g) of %d clusters of contexts, which are the points. Regions "+
		"hold 20, 40, 60 and 80 %% of the mass. The clusters with most of it are named by their central words, unless "+
		"these are proper names, function words or noise.", f.Settings.Perplexity, f.Space.Cost.K)
}

// Combination shows words and what they combine to: (a) their estimates,
// (b) the Euclidean average and (c) the Wasserstein barycenter of the paper.
func (f *OfSpace) Combination(ctx context.Context, id string, words []string) (*figure.Figure, error) {
	all, leftOut, err := f.show(ctx, words)
	if err != nil {
		return nil, err
	}
	own := f.Space.Settings
	cost, err := f.cost(f.Settings.BarycenterMetric, f.Settings.BarycenterReg)
	if err != nil {
		return nil, err
	}
	transport := method.Transport{
		Reg: f.Settings.BarycenterReg, Iterations: own.Transport.MaxIter, Tolerance: own.Sentence.Transport.Tol,
		Accelerate: own.Sentence.Transport.Accelerate,
	}
	n := len(words)
	problem := &ot.BarycenterProblem{
		Settings: transport.Barycenters(), Cost: cost, Rows: ot.Histograms{K: cost.K}, Offsets: []int{0, n},
	}
	average := make([]float32, cost.K)
	for i, s := range all {
		problem.Rows.Data = append(problem.Rows.Data, s.histogram...)
		problem.Members = append(problem.Members, int32(i))
		problem.Weights = append(problem.Weights, 1/float32(n))
		for k, v := range s.histogram {
			average[k] += v / float32(n)
		}
	}
	barycenters, err := ot.Barycenters(ctx, f.Engine, problem)
	if err != nil {
		return nil, err
	}
	x := &figure.Figure{
		ID: id, Title: "What " + list(all) + " combine to",
		Caption: fmt.Sprintf("(a) %s, (b) the Euclidean average of their histograms and (c) their Wasserstein "+
			"barycenter (cost %s, λ = %g)%s", estimatesOf(all), f.Settings.BarycenterMetric, f.Settings.BarycenterReg,
			f.onMap()) + leftOut,
		Width: figure.Page, Height: 0.42 * figure.Page, Columns: 3,
		Panels: []figure.Panel{
			{Title: "(a) the words"}, {Title: "(b) Euclidean average"}, {Title: "(c) Wasserstein barycenter"},
		},
	}
	for i, layers := range [][]shown{
		all, {{"Euclidean average", average}}, {{"Wasserstein barycenter", barycenters[0].Histogram}},
	} {
		if x.Panels[i].Density, err = f.panel(ctx, layers); err != nil {
			return nil, err
		}
	}
	return f.named(x), nil
}

// cost is that between the clusters by another metric, normalised as the space's and not clipped.
func (f *OfSpace) cost(metric string, reg float64) (ot.Cost, error) {
	p := f.Space.Settings.Ground
	p.Metric, p.Clip, p.Reg = ground.Metric(metric), 0, reg
	g, err := ground.New(f.Space.Centroids, f.Space.Cost.K, f.Space.Dim, p)
	if err != nil {
		return ot.Cost{}, err
	}
	return g.Cost, nil
}

// panel shows layers over the map. Each names its share of the strongest contexts; one that several share is named
// once.
func (f *OfSpace) panel(ctx context.Context, layers []shown) (*figure.Density, error) {
	xy, err := f.places(ctx)
	if err != nil {
		return nil, err
	}
	bandwidth := f.Settings.Bandwidth * density.Bandwidth(xy)
	if bandwidth == 0 {
		bandwidth = 1 // all contexts lie at one place
	}
	frame := density.Around(xy, 2*bandwidth, mapNodes)
	d := &figure.Density{X: frame.X, Y: frame.Y, Step: frame.Step, NX: frame.NX, NY: frame.NY, Points: xy}
	type strong struct {
		k, layer int
		mass     float32
	}
	var strongest []strong
	for l, of := range layers {
		weights := make([]float64, len(of.histogram))
		for k, v := range of.histogram {
			if weights[k] = float64(v); v > 0 {
				strongest = append(strongest, strong{k, l, v})
			}
		}
		g, err := density.Estimate(ctx, frame, xy, weights, bandwidth)
		if err != nil {
			return nil, err
		}
		layer := figure.Layer{Name: of.name, Masses: masses, Z: make([]float32, len(g.Z))}
		for i, z := range g.Z {
			layer.Z[i] = float32(z)
		}
		for _, m := range masses {
			layer.Levels = append(layer.Levels, g.Level(m))
		}
		d.Layers = append(d.Layers, layer)
	}
	slices.SortStableFunc(strongest, func(a, b strong) int { return cmp.Compare(b.mass, a.mass) })
	used, named := make([]int, len(layers)), map[int]bool{}
	for _, s := range strongest {
		name, telling := f.contextName(s.k)
		if named[s.k] || !telling || used[s.layer]*len(layers) >= f.Settings.Labels {
			continue
		}
		named[s.k] = true
		used[s.layer]++
		d.Labels = append(d.Labels, figure.Label{Text: name, X: xy[2*s.k], Y: xy[2*s.k+1]})
	}
	return d, nil
}

// Flow shows the transport plan behind the distance in the space of two words or texts: the n strongest
// clusters of each, and the rest together.
func (f *OfSpace) Flow(ctx context.Context, id, from, to string, n int) (*figure.Figure, error) {
	spec := planSpec{ID: id, From: from, To: to, Contexts: n}
	return f.flow(ctx, spec, f.Space.Cost, f.Space.Settings.Transport, f.costs())
}

// flowAt is Flow with the metric and λ of the settings.
func (f *OfSpace) flowAt(ctx context.Context, spec planSpec) (*figure.Figure, error) {
	cost, err := f.cost(spec.Metric, spec.Reg)
	if err != nil {
		return nil, err
	}
	settings := ot.Settings{Reg: spec.Reg, MaxIter: f.Space.Settings.Transport.MaxIter}
	caption := fmt.Sprintf("Cost: %s, normalised by %s; λ = %g.",
		spec.Metric, f.Space.Settings.Ground.Normalisation, spec.Reg)
	return f.flow(ctx, spec, cost, settings, caption)
}

func (f *OfSpace) flow(
	ctx context.Context, spec planSpec, cost ot.Cost, settings ot.Settings, caption string,
) (*figure.Figure, error) {
	both, leftOut, err := f.show(ctx, []string{spec.From, spec.To})
	if err != nil {
		return nil, err
	}
	from, to := both[0], both[1]
	plan, err := f.Engine.Plan(ctx, &ot.Problem{
		Settings: settings, Cost: cost, Pairs: []ot.Pair{{Source: 0, Target: 1}},
		Rows: ot.Histograms{K: cost.K, Data: slices.Concat(from.histogram, to.histogram)},
	}, 0)
	if err != nil {
		return nil, err
	}
	// The same on both sides, so that what stays is seen.
	bins := f.strongest(from.histogram, to.histogram, spec.Contexts)
	x := &figure.Flow{From: from.name, To: to.name, Rest: true}
	at := slices.Repeat([]int{len(bins)}, cost.K)
	for i, k := range bins {
		at[k] = i
		name, _ := f.contextName(k)
		x.Rows = append(x.Rows, name)
	}
	x.Rows = append(x.Rows, "other contexts")
	x.Cols = slices.Clone(x.Rows)
	for range x.Rows {
		x.Mass, x.Cost = append(x.Mass, make([]float64, len(x.Cols))), append(x.Cost, make([]float64, len(x.Cols)))
	}
	for i := range plan.Rows {
		for j := range plan.Cols {
			mass := plan.Mass[i*plan.Cols+j]
			x.Mass[at[i]][at[j]] += mass
			x.Cost[at[i]][at[j]] += float64(mass * float64(cost.Data[i*plan.Cols+j]))
		}
	}
	stays := 0.0
	for i, row := range x.Mass {
		for j, mass := range row {
			if mass > 0 {
				x.Cost[i][j] /= mass
			}
		}
	}
	for k := range cost.K {
		stays += plan.Mass[k*cost.K+k]
	}
	return f.named(&figure.Figure{
		ID: spec.ID, Title: fmt.Sprintf("Transport plan from %s to %s", from.name, to.name),
		Caption: fmt.Sprintf("Transport plan from %s to %s over %d clusters of contexts: the %d strongest of both, "+
			"named by their central words, and the rest drawn as one. %.0f %% of the mass stays in its context; the "+
			"%.0f %% between the rest of both are not drawn. %s",
			from.name, to.name, plan.Rows, len(bins), 100*stays, 100*x.Mass[len(x.Rows)-1][len(x.Cols)-1],
			caption) + leftOut,
		// So high that every context has a line.
		Width: 1.4 * figure.Column, Height: min(max(figure.Column, 12*float64(len(x.Rows)+6)), 5000),
		Columns: 1, Panels: []figure.Panel{{Flow: x}},
	}), nil
}

// strongest returns the n bins that are heaviest in either of two histograms, the heaviest first, of those whose names
// tell something.
func (f *OfSpace) strongest(a, b []float32, n int) (bins []int) {
	for k := range a {
		if _, telling := f.contextName(k); max(a[k], b[k]) > 0 && telling {
			bins = append(bins, k)
		}
	}
	slices.SortStableFunc(bins, func(i, j int) int { return cmp.Compare(max(a[j], b[j]), max(a[i], b[i])) })
	return bins[:min(n, len(bins))]
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

// leastBand is the share of the mass from which on Sentences shows what moves between two words.
const leastBand = 0.01

// Sentences shows two texts word by word: what mass each word brings, what it costs to move it, and the larger
// flows between words, as cmdlib.WordFlows has them.
func (f *OfSpace) Sentences(ctx context.Context, id, from, to string) (*figure.Figure, error) {
	e, err := f.Space.ByTransport().Explain(ctx, from, to, 1)
	if err != nil {
		return nil, err
	}
	flows := e.WordFlows()
	x := &figure.Flow{Texts: true, Mass: flows.Mass, Cost: flows.Cost, Least: leastBand}
	unknown := ""
	for i, w := range slices.Concat(flows.From, flows.To) {
		side := &x.Rows
		if i >= len(flows.From) {
			side = &x.Cols
		}
		*side = append(*side, w.Text)
		if !w.Known {
			unknown = " Grey words have no estimate and are left out."
		}
	}
	banded := 0.0
	for _, row := range x.Mass {
		for _, mass := range row {
			if mass >= leastBand {
				banded += mass
			}
		}
	}
	how := "the " + string(f.Space.Settings.Sentence.Combination) + " of their words"
	if len(x.Rows) == 1 && len(x.Cols) == 1 {
		how = "their own histograms"
	}
	return f.named(&figure.Figure{
		ID: id, Title: fmt.Sprintf("From %q to %q, word by word: distance %.4g", from, to, e.Cost),
		Caption: fmt.Sprintf("From %q to %q, compared by %s: distance %.4g. Bars and numbers: the share of the mass "+
			"that a word brings; colours: what it costs to move a unit of it. Bands: flows between words of at least "+
			"1 %% of the mass, %.0f %% together.%s %s", from, to, how, e.Cost, 100*banded, unknown, f.costs()),
		// So high that every word has a line.
		Width: figure.Column, Height: min(max(0.6*figure.Column, 15*float64(max(len(x.Rows), len(x.Cols))+3)), 5000),
		Columns: 1, Panels: []figure.Panel{{Flow: x}},
	}), nil
}

// Senses shows the senses of a word that are found in a space, each as a density over the map with its
// share of the occurrences.
func (f *OfSpace) Senses(ctx context.Context, id, word string, found *usage.Senses) (*figure.Figure, error) {
	if err := f.Map(ctx); err != nil {
		return nil, err
	}
	learned, names := found.Learn(f.Space, word)
	g := f.With(learned)
	all, _, err := g.show(ctx, names)
	if err != nil {
		return nil, err
	}
	x := &figure.Figure{
		ID: id, Title: "Senses of " + word,
		Caption: fmt.Sprintf("Senses of %s, found by grouping its occurrences (silhouette %.2f), each with its share "+
			"of them, as densities%s", word, found.Silhouette, f.onMap()),
		Width: figure.Page, Columns: min(len(names), 3),
	}
	if len(names) == 1 {
		x.Width = figure.Column
	}
	rows := (len(names) + x.Columns - 1) / x.Columns
	x.Height = 0.92 * x.Width / float64(x.Columns) * float64(rows)
	for i, sense := range all {
		panel, err := g.panel(ctx, []shown{sense})
		if err != nil {
			return nil, err
		}
		x.Panels = append(x.Panels, figure.Panel{
			Title: fmt.Sprintf("%s: %.0f %%", sense.name, 100*found.Senses[i].Share), Density: panel,
		})
	}
	return f.named(x), nil
}

// Map makes the map of the contexts, which figures else make when they first need it.
func (f *OfSpace) Map(ctx context.Context) error {
	_, err := f.places(ctx)
	return err
}

// With returns what draws the space s, which is the same but for settings of its answers: on the same map, if it is
// made.
func (f *OfSpace) With(s *cmdlib.Space) *OfSpace {
	g := *f
	g.Space = s
	return &g
}

// named adds where a figure comes from.
func (f *OfSpace) named(x *figure.Figure) *figure.Figure {
	// A name may be another space's tomorrow.
	x.Provenance.Space = fmt.Sprintf("%s (identity %.16s)", f.Name, f.Space.Identity())
	return x
}

func (f *OfSpace) places(ctx context.Context) (xy []float64, err error) {
	if f.xy == nil {
		var progress func(done, total int64)
		if f.Progress != nil {
			progress = f.Progress(fmt.Sprintf("map of the contexts, K=%d", f.Space.Cost.K))
		}
		f.xy, err = tsne.Embed(ctx, f.Space.Centroids, f.Space.Cost.K, f.Space.Dim, tsne.Params{
			Perplexity: f.Settings.Perplexity, Iterations: f.Settings.Iterations, Seed: pipeline.Seed(1, "context map"),
		}, progress)
	}
	return f.xy, err
}

// list writes the names of what is shown as people do: a, b and c.
func list(all []shown) (s string) {
	for i, x := range all {
		switch {
		case i > 0 && i == len(all)-1:
			s += " and "
		case i > 0:
			s += ", "
		}
		s += x.name
	}
	return s
}

func estimatesOf(all []shown) string {
	if len(all) == 1 {
		return "The distributional estimate of " + list(all)
	}
	return "The distributional estimates of " + list(all)
}
