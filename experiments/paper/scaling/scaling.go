package scaling

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/present"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/published"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/paper/sts"
	"contextmover/experiments/show/figure"
	"contextmover/experiments/show/render"
	"contextmover/internal/elementary"
)

// tableID is the id of the table and of the figure.
const tableID = "sts_scaling"

// paperTokens is the size of the paper's corpus (Toronto Book Corpus), as it states it.
const paperTokens = 0.9e9

// average is the column of printed values that scores are compared with.
const average = "Avg_STS12_15"

// Result is the outcome of the experiment on the amount of text.
type Result struct {
	Rows   []profile.Row
	Tokens []int64 // of each amount of text, ascending
	// Scores[r][t] is the mean of row r over the test groups with Tokens[t] of text.
	Scores [][]score.Estimate
	Growth []Growth // of each row
}

// Growth is the line y = c + Doubling·log₂(tokens) that is nearest to a row's scores, by least
// squares. Intervals are over the bootstrap draws, which are the same pairs for all amounts of text:
// they leave out what another choice of the text or another seed would bring.
type Growth struct {
	// Doubling is the slope: what twice the text brings. LastDoubling is what the last
	// step brought, a doubling if the amounts double.
	Doubling, LastStep score.Estimate
	// AtPaper is the line's value for as much text as the paper's.
	AtPaper score.Estimate
	// Residual is the root mean square distance of the scores from the line. Missed is the largest
	// amount's score minus what the line through the others predicts for it.
	Residual, Missed float64
}

// Compute scores the profile's rows on the first parts of the text, for each number of parts
// that it names.
func Compute(ctx context.Context, w *pipeline.Workspace) (*Result, error) {
	rows, err := w.Profile.RowsOf("scaling.rows", w.Profile.Scaling.Rows)
	if err != nil {
		return nil, err
	}
	s := &Result{Rows: rows}
	s.Scores = make([][]score.Estimate, len(s.Rows))
	for _, n := range w.Profile.Scaling.Parts {
		part := w.WithParts(n)
		size, err := part.CorpusStats(ctx)
		if err != nil {
			return nil, err
		}
		slog.Info("amount of text", "parts", n, "tokens", size.Tokens)
		s.Tokens = append(s.Tokens, size.Tokens)
		measures, err := part.MeasureRows(ctx, s.Rows)
		if err != nil {
			return nil, fmt.Errorf("the first %d parts of the text: %w", n, err)
		}
		means, err := part.TestAverages(ctx, s.Rows, measures, part.GroupDraws)
		if err != nil {
			return nil, err
		}
		for r, mean := range means {
			s.Scores[r] = append(s.Scores[r], mean.Estimate)
		}
	}
	for r := range s.Rows {
		s.Growth = append(s.Growth, grow(s.Tokens, s.Scores[r]))
	}
	return s, nil
}

// grow fits the line to the scores, and to each of their draws.
func grow(tokens []int64, scores []score.Estimate) Growth {
	x := make([]float64, len(tokens))
	for t, n := range tokens {
		x[t] = elementary.Log2(float64(n))
	}
	last := len(x) - 1
	values := func(value func(e score.Estimate) float64) (y []float64) {
		for _, e := range scores {
			y = append(y, value(e))
		}
		return y
	}
	// line has what twice the text brings, the last step, and the line's value for as much text as the paper's.
	line := func(y []float64) (intercept float64, numbers [3]float64) {
		intercept, doubling := stat.LinearRegression(x, y, nil, false)
		return intercept, [3]float64{
			doubling, y[last] - y[last-1], intercept + float64(doubling*elementary.Log2(paperTokens)),
		}
	}
	y := values(func(e score.Estimate) float64 { return e.Value })
	intercept, numbers := line(y)
	var g Growth
	sum := 0.0
	for t := range y {
		d := y[t] - (intercept + float64(numbers[0]*x[t]))
		sum += float64(d * d)
	}
	g.Residual = math.Sqrt(sum / float64(len(y)))
	c, d := stat.LinearRegression(x[:last], y[:last], nil, false)
	g.Missed = y[last] - (c + float64(d*x[last]))
	var draws [3][]float64
	for d := range scores[0].Draws {
		_, drawn := line(values(func(e score.Estimate) float64 { return e.Draws[d] }))
		for i, v := range drawn {
			draws[i] = append(draws[i], v)
		}
	}
	for i, e := range []*score.Estimate{&g.Doubling, &g.LastStep, &g.AtPaper} {
		*e = score.NewEstimate(numbers[i], draws[i], nil)
	}
	return g
}

// millions prints a number of tokens in millions.
func millions(tokens int64) string {
	m := float64(tokens) / 1e6
	return strconv.FormatFloat(m, 'f', max(0, 1-int(math.Floor(elementary.Log10(m)))), 64)
}

// Table returns the scores and their growth.
func (s *Result) Table(p *profile.Profile) *render.Table {
	t := present.Table(p, tableID, "method", "Sentence similarity by the amount of text",
		"Pearson × 100, mean of the test groups, with everything recomputed from the first parts of the text: "+
			"vocabulary, counts, vectors, clusters, histograms. Settings stay those of the row.",
		"a doubling: slope of the line through the scores over log₂ of the tokens, by least squares. last step: "+
			"the last amount's score minus that of the one before. residual: root mean square distance from the "+
			"line. missed: the last score minus what the line through the others predicts for it.",
		fmt.Sprintf("at %s M: the line's value for as much text as the paper's (printed). Intervals are over "+
			"pairs of sentences; they contain neither the choice of the text nor the chance that growth leaves "+
			"the line.", millions(paperTokens)))
	for _, n := range s.Tokens {
		t.Plain("million tokens", 1, millions(n))
	}
	t.Plain("growth", 1, "a doubling", "last step")
	t.Plain("line", 1, "residual", "missed", fmt.Sprintf("at %s M", millions(paperTokens)))
	present.ByBlock(t, p.STS.Blocks, s.Rows, func(r int) (cells []render.Cell) {
		for _, e := range s.Scores[r] {
			cells = append(cells, pipeline.Cell(e))
		}
		g := s.Growth[r]
		far := pipeline.Cell(g.AtPaper)
		far.Printed = published.Number(sts.SummaryTable, s.Rows[r].PublishedSummary, average)
		return append(cells, pipeline.Cell(g.Doubling), pipeline.Cell(g.LastStep), render.Number(g.Residual),
			render.Number(g.Missed), far)
	})
	return t
}

// Figure shows the scores over the amount of text, a panel for each kind of vectors.
func (s *Result) Figure(w *pipeline.Workspace) *figure.Figure {
	x := make([]float64, len(s.Tokens))
	for t, n := range s.Tokens {
		x[t] = float64(n) / 1e6
	}
	f := &figure.Figure{
		ID: tableID, Title: "Sentence similarity by the amount of text",
		Caption: "Pearson × 100, mean over the test groups, by the amount of text that vectors and counts come from, " +
			"with 95 % bootstrap bands.",
		Provenance: figure.Provenance{Profile: w.Profile.Name}, Width: figure.Text, Height: 0.8 * figure.Column,
	}
	for r, row := range s.Rows {
		kind := profile.KindName(row.Vectors())
		at := slices.IndexFunc(f.Panels, func(p figure.Panel) bool { return p.Title == kind })
		if at < 0 {
			at, f.Columns = len(f.Panels), len(f.Panels)+1
			f.Panels = append(f.Panels, figure.Panel{Title: kind, Curves: &figure.Curves{
				X: "million tokens", Y: "STS12–15, Pearson × 100", LogX: true,
			}})
		}
		c := figure.Curve{Name: strings.ReplaceAll(row.Label, " removed", ""), X: x}
		for _, e := range s.Scores[r] {
			c.Y, c.Low, c.High = append(c.Y, e.Value), append(c.Low, e.Low), append(c.High, e.High)
		}
		f.Panels[at].Curves.Curves = append(f.Panels[at].Curves.Curves, c)
	}
	return f
}

// quantities returns what twice the text brings, for the verdict.
func (s *Result) quantities() (all []results.Quantity) {
	for r, row := range s.Rows {
		all = append(all, results.Quantity{
			Table: tableID, Row: row.ID, Column: "a doubling", Variant: row.Block, Source: row.ID,
		}.With(s.Growth[r].Doubling))
	}
	return all
}

// IDs lists the tables and figures that Run may make for a profile.
func IDs(*profile.Profile) []string { return []string{tableID} }

// Run makes the section's table, figure and quantities; nothing for a profile without the experiment.
func Run(ctx context.Context, w *pipeline.Workspace) (*pipeline.Output, error) {
	if len(w.Profile.Scaling.Parts) == 0 {
		return &pipeline.Output{}, nil
	}
	s, err := Compute(ctx, w)
	if err != nil {
		return nil, err
	}
	return &pipeline.Output{
		Tables: []*render.Table{s.Table(w.Profile)}, Figures: []*figure.Figure{s.Figure(w)}, Quantities: s.quantities(),
	}, nil
}
