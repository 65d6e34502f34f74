package systems

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"contextmover/cmdlib/method"
	"contextmover/cmdlib/score"
	"contextmover/experiments/figure"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/present"
	"contextmover/experiments/profile"
	"contextmover/experiments/render"
	"contextmover/experiments/results"
	"contextmover/experiments/store"
	"contextmover/experiments/sts"
	"contextmover/internal/system"
)

// tableID is the id of the table and of the figure.
const tableID = "systems"

// System is a row with what it scores and costs.
type System struct {
	Row profile.Row // every setting resolved
	// Pearson is the mean of the test groups. Spearman is the mean over them of the rank correlation × 100 of all
	// pairs of a group together.
	Pearson  score.Estimate
	Spearman float64
	// Training is how long the making of what a system is of took, as the store tells: counts,
	// vectors, clusters. Zero if it is not known, as of vectors that are read from a file.
	Training time.Duration
	// Scoring is how long the pairs of the validation group took, with all that is computed for them alone; zero for
	// scores that are read.
	Scoring time.Duration
	Pairs   int // of the validation group
	// Memory is the number of bytes of the word vectors and, for transport, of the words' histograms.
	Memory int64
	// Tokens is the size of the text; zero if it is not known.
	Tokens int64
}

// Result is the outcome of the experiment.
type Result struct{ Systems []System }

// Compute scores and times the profile's systems. It makes what the store lacks of sentence similarity, with the
// choice of settings.
func Compute(ctx context.Context, w *pipeline.Workspace) (*Result, error) {
	var rows []profile.Row
	for _, row := range w.Profile.STS.Rows {
		if slices.Contains(w.Profile.Systems.Rows, row.ID) {
			rows = append(rows, row)
		}
	}
	w = w.WithRows(rows)
	all, err := sts.Compute(ctx, w)
	if err != nil {
		return nil, err
	}
	made, err := w.Store.List()
	if err != nil {
		return nil, err
	}
	seconds := make(map[store.Key]time.Duration, len(made))
	for _, a := range made {
		seconds[a.Key] = a.Duration
	}
	result := &Result{}
	for r, row := range all.Rows {
		s := System{Row: row, Pearson: all.Averages[r].Estimate}
		for _, part := range []func(context.Context, *pipeline.Workspace) error{
			s.rank,
			func(ctx context.Context, w *pipeline.Workspace) error { return s.cost(ctx, w, seconds) },
			s.time,
		} {
			if err := part(ctx, w); err != nil {
				return nil, fmt.Errorf("row %q: %w", row.ID, err)
			}
		}
		result.Systems = append(result.Systems, s)
	}
	return result, nil
}

// rank computes Spearman.
func (s *System) rank(ctx context.Context, w *pipeline.Workspace) error {
	groups := 0.0
	for _, group := range w.Profile.STS.Groups {
		if !group.Test() {
			continue
		}
		var values, gold []float64
		for _, set := range group.Sets {
			v, _, err := w.Scores(ctx, s.Row, set)
			if err != nil {
				return err
			}
			pairs, err := w.ReadPairs(ctx, set)
			if err != nil {
				return err
			}
			values, gold = append(values, v...), append(gold, pairs.Gold...)
		}
		r, err := score.Spearman(values, gold)
		if err != nil {
			return fmt.Errorf("%s: %w", group.Name, err)
		}
		s.Spearman += float64(100 * r)
		groups++
	}
	s.Spearman /= max(groups, 1)
	return nil
}

// cost computes Training, Memory and Tokens.
func (s *System) cost(ctx context.Context, w *pipeline.Workspace, seconds map[store.Key]time.Duration) error {
	if !s.hasVectors() {
		return nil
	}
	trained := !method.IsVectorFile(s.Row.Vectors())
	if trained {
		keys, err := w.TrainingKeys(s.Row)
		if err != nil {
			return err
		}
		for _, key := range keys {
			s.Training += seconds[key]
		}
	}
	words := 0
	for _, kind := range s.Row.Method.Needs().Vectors {
		vectors, err := w.VectorsOf(ctx, kind)
		if err != nil {
			return err
		}
		words = vectors.Len()
		s.Memory += 4 * int64(len(vectors.Data))
	}
	s.Memory += 4 * int64(words) * int64(s.Row.Histograms().Clusters)
	if !trained {
		return nil
	}
	size, err := w.CorpusStats(ctx)
	s.Tokens = size.Tokens
	return err
}

// hasVectors tells whether the system is computed from vectors, and not read.
func (s *System) hasVectors() bool { return len(s.Row.Method.Needs().Vectors) > 0 }

// time computes Scoring.
func (s *System) time(ctx context.Context, w *pipeline.Workspace) error {
	if !s.hasVectors() {
		return nil
	}
	for _, group := range w.Profile.STS.Groups {
		if !group.Validation {
			continue
		}
		for _, set := range group.Sets {
			scorer, pairs, err := w.Scorer(ctx, s.Row, set, false)
			if err != nil {
				return err
			}
			runtime.GC() // what others left
			start := time.Now()
			if _, err := scorer(ctx); err != nil {
				return err
			}
			s.Scoring += time.Since(start)
			s.Pairs += len(pairs.Pairs)
		}
	}
	return nil
}

// perThousand is the seconds for 1,000 pairs.
func (s *System) perThousand() float64 {
	return s.Scoring.Seconds() / float64(s.Pairs) * 1000
}

// Table returns scores and costs.
func (r *Result) Table(p *profile.Profile) *render.Table {
	t := &render.Table{
		ID: tableID, Label: "system",
		Title: fmt.Sprintf("What systems of sentence similarity score and cost (profile %s)", p.Name),
		Columns: []render.Column{
			{Group: "STS12–15", Name: "Pearson", Digits: 1, Unmarked: true},
			{Group: "STS12–15", Name: "Spearman", Digits: 1, Unmarked: true},
			{Group: "seconds", Name: "training", Digits: 0, Unmarked: true},
			{Group: "seconds", Name: "1,000 pairs", Digits: 3, Unmarked: true},
			{Name: "MB", Digits: 0, Unmarked: true},
			{Name: "M tokens", Digits: 0, Unmarked: true},
		},
		Notes: []string{
			"Pearson: × 100, plain mean over the sets of each year and over the years. Spearman: × 100, of all pairs " +
				"of a year together, mean over the years. Settings of rows that choose were chosen on the validation " +
				"group.",
			fmt.Sprintf("training: time to make counts, vectors and clusters, as recorded in the store; other "+
				"programs may have run at the same time. 1,000 pairs: time to score them after that. Both: %s, %d "+
				"threads. –: read from a file, or not known.", system.Processor(), runtime.GOMAXPROCS(0)),
			"MB: word vectors and, for transport, the words' histograms, in memory. M tokens: the text they come from.",
		},
	}
	rows := make([]profile.Row, len(r.Systems))
	for i, s := range r.Systems {
		rows[i] = s.Row
	}
	known := func(x float64) render.Cell {
		if x == 0 {
			return render.Cell{Text: "–"}
		}
		return render.Cell{Value: &x}
	}
	t.Blocks = present.ByBlock(p.STS.Blocks, rows, func(i int) []render.Cell {
		s := &r.Systems[i]
		cells := []render.Cell{pipeline.Cell(s.Pearson), {Value: &s.Spearman}, known(s.Training.Seconds())}
		if s.Pairs > 0 {
			cells = append(cells, known(s.perThousand()))
		} else {
			cells = append(cells, known(0))
		}
		return append(cells, known(float64(s.Memory)/1e6), known(float64(s.Tokens)/1e6))
	})
	return t
}

// Figure shows scores over what scoring costs, of the systems that were timed; nil if there are none.
func (r *Result) Figure(w *pipeline.Workspace) *figure.Figure {
	curves := &figure.Curves{X: "seconds for 1,000 pairs", Y: "STS12–15, Pearson × 100", LogX: true}
	for _, s := range r.Systems {
		if s.Pairs == 0 || s.Scoring <= 0 {
			continue
		}
		curves.Curves = append(curves.Curves, figure.Curve{
			Name:   fmt.Sprintf("%s: %s", profile.KindName(s.Row.Vectors()), s.Row.Label),
			Colour: figure.Colours[len(curves.Curves)%len(figure.Colours)],
			X:      []float64{s.perThousand()}, Y: []float64{s.Pearson.Value},
		})
	}
	if curves.Curves == nil {
		return nil
	}
	return &figure.Figure{
		ID: tableID, Title: "What systems of sentence similarity score and cost",
		Caption: "Pearson × 100, mean over the test groups, by the seconds that scoring 1,000 pairs takes on this " +
			"machine, from vectors and histograms on. Names begin with the vectors; the table lists the settings.",
		Provenance: figure.Provenance{Profile: w.Profile.Name},
		Width:      1.5 * figure.Column, Height: 1.3 * figure.Column, Columns: 1,
		Panels: []figure.Panel{{Curves: curves}},
	}
}

// Run makes the table, the figure and quantities of the scores; nothing for a profile without the experiment.
func Run(ctx context.Context, w *pipeline.Workspace) (*pipeline.Output, error) {
	if len(w.Profile.Systems.Rows) == 0 {
		return &pipeline.Output{}, nil
	}
	r, err := Compute(ctx, w)
	if err != nil {
		return nil, err
	}
	out := &pipeline.Output{Tables: []*render.Table{r.Table(w.Profile)}}
	if f := r.Figure(w); f != nil {
		out.Figures = []*figure.Figure{f}
	}
	for _, s := range r.Systems {
		out.Quantities = append(out.Quantities, results.Quantity{
			Table: tableID, Row: s.Row.ID, Column: "Spearman", Variant: s.Row.Block, Source: s.Row.ID,
			Value: s.Spearman,
		})
	}
	return out, nil
}
