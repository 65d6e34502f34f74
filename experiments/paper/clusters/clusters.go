package clusters

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"contextmover/cmdlib/estimate"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/present"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/harness/store"
	"contextmover/experiments/show/figure"
	"contextmover/experiments/show/render"
)

// tableID is the id of the table and of the figure.
const tableID = "figureS1_num_clusters"

// Result is the outcome of the ablation of the number of clusters.
type Result struct {
	Row      profile.Row // what all settings share
	Group    profile.Group
	K        []int // ascending
	Variants []profile.ClusterVariant
	// Measures[v][k] is the validation average of variant v with K[k] clusters, Mean[k]
	// the mean over the variants.
	Measures [][]pipeline.Measure
	Mean     []pipeline.Measure
	// Plateau is the index in K from which on the mean curve stays within Tolerance of
	// its maximum, or −1 if it falls again, or rises to the end; see plateau. Best is that
	// of the maximum. The interval of its K is over the bootstrap draws.
	Plateau, Best     int
	Tolerance         float64
	BestLow, BestHigh float64
	// draws[v][k] and meanDraws[k] are what claims are decided by.
	draws     [][][]float64
	meanDraws [][]float64
}

// Compute scores the validation group with each of the profile's numbers of
// clusters (Figure S1 of the paper).
func Compute(ctx context.Context, w *pipeline.Workspace) (*Result, error) {
	p := w.Profile.Clusters
	row, ok := w.Profile.Row(p.Row)
	if !ok {
		return nil, fmt.Errorf("profile %s has no section [clusters], which says what numbers of clusters to try",
			w.Profile.Name)
	}
	group, err := w.ValidationGroup()
	if err != nil {
		return nil, err
	}
	s := &Result{
		Row: row, Group: group, K: slices.Sorted(slices.Values(p.K)), Variants: p.Variants,
		Tolerance: p.Tolerance,
	}
	sets := len(s.Group.Sets)
	all, err := store.All(ctx, w.Store, s.scores(w))
	if err != nil {
		return nil, err
	}
	for i := range s.Variants {
		s.Measures, s.draws = append(s.Measures, nil), append(s.draws, nil)
		for _, k := range s.K {
			var measures []pipeline.Measure
			for _, set := range all[:sets] {
				measures = append(measures, set.Measure)
			}
			all = all[sets:]
			m, _ := pipeline.Average(measures)
			draws, err := w.GroupDraws(ctx, s.row(i, k), s.Group)
			if err != nil {
				return nil, err
			}
			m.Low, m.High = score.Interval(draws)
			s.Measures[i], s.draws[i] = append(s.Measures[i], m), append(s.draws[i], draws)
		}
	}
	s.average()
	return s, nil
}

// scores are those of all variants with all numbers of clusters, set by set.
func (s *Result) scores(w *pipeline.Workspace) (scores []store.Node[pipeline.Scored]) {
	for i, variant := range s.Variants {
		for _, k := range s.K {
			for _, set := range s.Group.Sets {
				node := w.ScoresNode(s.row(i, k), set)
				node.Subject = fmt.Sprintf("variant %s with %d clusters on %s %s",
					variant.Name, k, s.Group.Name, set.Name)
				scores = append(scores, node)
			}
		}
	}
	return scores
}

// row has the settings of a variant with k clusters.
func (s *Result) row(variant, k int) profile.Row {
	row, v, h := s.Row, s.Variants[variant], s.Row.Histograms()
	h.Estimates = method.Estimates{Smoothing: v.Smoothing, Shift: v.Shift, Normalisation: estimate.Total, Beta: v.Beta}
	h.Clusters = k
	row.Method = method.With(row.Method, h)
	return row
}

// average sets the mean over the variants and its plateau.
func (s *Result) average() {
	mean := make([]float64, len(s.K))
	for k := range s.K {
		var own, large []score.Estimate
		for v := range s.Variants {
			own = append(own, s.Measures[v][k].Estimate)
			large = append(large, score.Estimate{Draws: s.draws[v][k]})
		}
		m, claimed := s.Measures[0][k], score.MeanEstimate(large)
		m.Estimate = score.MeanEstimate(own)
		m.Low, m.High = claimed.Low, claimed.High
		s.Mean, s.meanDraws = append(s.Mean, m), append(s.meanDraws, claimed.Draws)
		mean[k] = m.Value
	}
	s.Plateau, s.Best = plateau(mean, s.Tolerance)
	places := make([]float64, pipeline.Draws)
	for d := range places {
		for k := range s.K {
			mean[k] = s.Mean[k].Draws[d]
		}
		_, best := plateau(mean, s.Tolerance)
		places[d] = float64(s.K[best])
	}
	s.BestLow, s.BestHigh = score.Interval(places)
}

// plateau returns where a curve has its maximum (the first of equal ones), and the
// first index from which on it stays within tolerance of that. A curve whose last
// value is further below, or the only one that is not, has no plateau: −1.
func plateau(curve []float64, tolerance float64) (start, best int) {
	for i, v := range curve {
		if v > curve[best] {
			best = i
		}
	}
	for i, v := range curve {
		if v < curve[best]-tolerance {
			start = i + 1
		}
	}
	if start >= len(curve)-1 {
		start = -1
	}
	return start, best
}

// variantName prints a variant with its settings.
type variantName profile.ClusterVariant

func (v variantName) String() string {
	return fmt.Sprintf("%s (α = %g, β = %g, s = %g)", v.Name, v.Smoothing, v.Beta, v.Shift)
}

// plateauNote says where the maximum and the plateau are.
func (s *Result) plateauNote() string {
	last := len(s.K) - 1
	note := fmt.Sprintf("The mean is highest at K = %d, with %.1f (95 %% bootstrap interval of the place: %g to %g). ",
		s.K[s.Best], s.Mean[s.Best].Value, s.BestLow, s.BestHigh)
	switch {
	case s.Plateau >= 0:
		note += fmt.Sprintf("Its plateau begins at K = %d: from there on it stays within %g of the maximum.",
			s.K[s.Plateau], s.Tolerance)
	case s.Best == last:
		note += fmt.Sprintf("It has no plateau: all smaller K are more than %g below.", s.Tolerance)
	default:
		note += fmt.Sprintf("It has no plateau: at K = %d it is %.1f below the maximum, more than %g.",
			s.K[last], s.Mean[s.Best].Value-s.Mean[last].Value, s.Tolerance)
	}
	return note
}

// Table returns the numbers behind Figure.
func (s *Result) Table(p *profile.Profile) *render.Table {
	t := present.Table(p, tableID, "variant", s.Group.Name+" by the number of clusters K",
		fmt.Sprintf("Pearson × 100, plain mean over the sets of %s. All other settings are those of row %q.",
			s.Group.Name, s.Row.ID),
		s.plateauNote())
	for _, k := range s.K {
		t.Plain("K", 1, strconv.Itoa(k))
	}
	add := func(key, label string, measures []pipeline.Measure) {
		row := t.Add("", key, label)
		for _, m := range measures {
			row.Cells = append(row.Cells, m.Cell(nil))
		}
	}
	for v, variant := range s.Variants {
		add(variant.Name, variantName(variant).String(), s.Measures[v])
	}
	add("mean", "mean", s.Mean)
	return t
}

// Figure returns the curves without bootstrap bands: these are those of scores, far wider than those of the differences
// between numbers of clusters.
func (s *Result) Figure(w *pipeline.Workspace) (*figure.Figure, error) {
	x := make([]float64, len(s.K))
	for k := range s.K {
		x[k] = float64(s.K[k])
	}
	curves := &figure.Curves{X: "number of clusters K", Y: s.Group.Name + ", Pearson × 100"}
	add := func(c figure.Curve, measures []pipeline.Measure) {
		for _, m := range measures {
			c.X, c.Y = x, append(c.Y, m.Value)
		}
		curves.Curves = append(curves.Curves, c)
	}
	var settings []string
	for v, variant := range s.Variants {
		settings = append(settings, variantName(variant).String())
		add(figure.Curve{Name: variant.Name}, s.Measures[v])
	}
	add(figure.Curve{Name: "mean", Strong: true}, s.Mean)
	at, text := s.Best, "highest at"
	if s.Plateau >= 0 {
		at, text = s.Plateau, "plateau from"
	}
	curves.Marks = []figure.Mark{{At: x[at], Text: fmt.Sprintf("%s K = %d", text, s.K[at])}}
	f := &figure.Figure{
		ID: tableID, Title: fmt.Sprintf("%s by the number of clusters", s.Group.Name),
		Caption: fmt.Sprintf("Pearson × 100 on %s, the validation group, by the number of clusters K, for the "+
			"settings of the associations %s and their mean. %s",
			s.Group.Name, strings.Join(settings, ", "), s.plateauNote()),
		Provenance: figure.Provenance{Profile: w.Profile.Name},
		Width:      figure.Column, Height: 0.85 * figure.Column, Columns: 1, Panels: []figure.Panel{{Curves: curves}},
	}
	var scores []store.Input
	for _, node := range s.scores(w) {
		scores = append(scores, node)
	}
	keys, err := store.Keys(scores...)
	for _, key := range keys {
		f.Provenance.Artefacts = append(f.Provenance.Artefacts, string(key)[:16])
	}
	return f, err
}

// quantities returns the curves for the verdict.
func (s *Result) quantities() []results.Quantity {
	var all []results.Quantity
	for k, number := range s.K {
		add := func(name string, m pipeline.Measure, draws []float64) {
			all = append(all, results.Quantity{
				Table: tableID, Row: name, Column: strconv.Itoa(number), Variant: results.Paper, Source: s.Row.ID,
			}.With(score.Estimate{Value: m.Value, Low: m.Low, High: m.High, Draws: draws}))
		}
		for v, variant := range s.Variants {
			add(variant.Name, s.Measures[v][k], s.draws[v][k])
		}
		add("mean", s.Mean[k], s.meanDraws[k])
	}
	return all
}

// IDs lists the tables and figures that Run may make for a profile.
func IDs(*profile.Profile) []string { return []string{tableID} }

// Run makes the section's table, figure and quantities.
func Run(ctx context.Context, w *pipeline.Workspace) (*pipeline.Output, error) {
	s, err := Compute(ctx, w)
	if err != nil {
		return nil, err
	}
	f, err := s.Figure(w)
	if err != nil {
		return nil, err
	}
	return &pipeline.Output{
		Tables: []*render.Table{s.Table(w.Profile)}, Figures: []*figure.Figure{f}, Quantities: s.quantities(),
	}, nil
}
