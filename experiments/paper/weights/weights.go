package weights

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/present"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/published"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/paper/sts"
	"contextmover/experiments/show/render"
)

const tableID = "sts_weights"

// A Reading is one way to read how the authors weighed the words of a sentence, which the
// paper does not say.
type Reading struct {
	Label string
	// Transport weighs histograms, Vectors word vectors: names of weights in a profile, with
	// A for both.
	Transport, Vectors string
	A                  float64
}

// Readings returns the readings that are compared. For sums of co-occurrence counts or of PPMI there is
// one a: they are so far above it that a/(a + sum) is a/sum, in which a is a common factor.
func Readings() []Reading {
	return []Reading{
		{"corpus, a = 1e-3", profile.Inverse, profile.SIFCorpus, 1e-3},
		{"corpus, a = 1e-4", profile.Inverse, profile.SIFCorpus, 1e-4},
		{"list, a = 1e-3", profile.SIFList, profile.SIFList, 1e-3},
		{"list, a = 1e-4", profile.SIFList, profile.SIFList, 1e-4},
		{"raw marginals", profile.SIFRaw, profile.SIFRaw, 1e-3},
		{"PPMI marginals", profile.SIFPPMI, profile.SIFPPMI, 1e-3},
		{"uniform", profile.Uniform, profile.Uniform, 1},
	}
}

// Result is the outcome of the comparison: how well each reading meets what the paper printed.
type Result struct {
	Readings []Reading
	// For each reading: the rows of SIF, of SIF without its principal component and of the Euclidean
	// average, and CoMB's from either start.
	SIF, SIFPC, Euclidean, CoMB, Coded []Fit
}

// A Fit compares a row of this program with a printed one.
type Fit struct {
	// Average and PrintedAverage are means of the test groups, as in the paper's Table 1.
	Average, PrintedAverage float64
	// Ours and Printed are Pearson × 100 of every set that has a printed value, those for
	// validation included.
	Ours, Printed []float64
}

// Error is the root mean square of ours − printed over the sets, Bias their mean.
func (f Fit) Error() float64 {
	sum := 0.0
	for i := range f.Ours {
		d := f.Ours[i] - f.Printed[i]
		sum += float64(d * d)
	}
	return math.Sqrt(sum / float64(len(f.Ours)))
}

// Bias is the mean of ours − printed over the sets.
func (f Fit) Bias() float64 { return stat.Mean(f.Ours, nil) - stat.Mean(f.Printed, nil) }

// minus returns the differences of two rows over the same sets.
func (f Fit) minus(g Fit) Fit {
	d := Fit{Average: f.Average - g.Average, PrintedAverage: f.PrintedAverage - g.PrintedAverage}
	for i := range f.Ours {
		d.Ours, d.Printed = append(d.Ours, f.Ours[i]-g.Ours[i]), append(d.Printed, f.Printed[i]-g.Printed[i])
	}
	return d
}

// both returns the sets of two rows as one list, without averages.
func (f Fit) both(g Fit) Fit {
	return Fit{
		Ours:    append(append([]float64(nil), f.Ours...), g.Ours...),
		Printed: append(append([]float64(nil), f.Printed...), g.Printed...),
	}
}

// Compute scores the rows of the profile that have a printed counterpart on all its sets. It does so with each
// reading of their weights: SIF with and without its principal component, the Euclidean average and CoMB, all without
// a mix. A profile that lacks one of them has no such comparison: nil.
func Compute(ctx context.Context, w *pipeline.Workspace) (*Result, error) {
	find := func(kind string, removePC bool) (profile.Row, bool) {
		for _, r := range w.Profile.STS.Rows {
			if r.PublishedSummary != "" && r.PublishedDetail != "" && r.Is(kind, removePC) {
				return r, true
			}
		}
		return profile.Row{}, false
	}
	result := &Result{Readings: Readings()}
	for _, part := range []struct {
		kind     string
		removePC bool
		coded    bool
		fits     *[]Fit
	}{
		{"sif", false, false, &result.SIF},
		{"sif", true, false, &result.SIFPC},
		{"euclidean", false, false, &result.Euclidean},
		{"barycenter", false, false, &result.CoMB},
		{"barycenter", false, true, &result.Coded},
	} {
		row, ok := find(part.kind, part.removePC)
		if !ok {
			return nil, nil
		}
		var rows []profile.Row
		for _, r := range result.Readings {
			weights := r.Transport
			if !row.HasHistograms() {
				weights = r.Vectors
			}
			row := row.With("weights", weights).With("a", r.A)
			if part.coded && r.Transport != profile.Uniform { // equal weights start from an unweighted mean
				row = row.As("unweighted start")
			}
			rows = append(rows, row)
		}
		measures, err := w.MeasureRows(ctx, rows)
		if err != nil {
			return nil, err
		}
		for r := range rows {
			*part.fits = append(*part.fits, fit(w, rows[r], measures[r]))
		}
	}
	return result, nil
}

// fit puts the measures of a row, as [group][set], next to the printed values.
func fit(w *pipeline.Workspace, row profile.Row, measures [][]pipeline.Measure) (f Fit) {
	tests := 0.0
	for g, group := range w.Profile.STS.Groups {
		average, _ := pipeline.Average(measures[g])
		if group.Test() {
			f.Average += average.Value
			tests++
		}
		for s, set := range group.Sets {
			if printed, ok := published.Value(group.Table, row.PublishedDetail, set.Name); ok {
				f.Ours, f.Printed = append(f.Ours, measures[g][s].Value), append(f.Printed, printed)
			}
		}
	}
	f.Average /= tests
	f.PrintedAverage, _ = published.Value(sts.SummaryTable, row.PublishedSummary, "Avg_STS12_15")
	return f
}

// IDs lists the tables and figures that Run may make for a profile.
func IDs(*profile.Profile) []string { return []string{tableID} }

// Run makes the table of readings; nothing for a profile without the rows that are compared.
func Run(ctx context.Context, w *pipeline.Workspace) (*pipeline.Output, error) {
	result, err := Compute(ctx, w)
	if err != nil || result == nil {
		return &pipeline.Output{}, err
	}
	return &pipeline.Output{Tables: []*render.Table{result.Table(w.Profile)}}, nil
}

// Table shows for each reading how near it comes to what is printed: first with barycenters, then
// with what the paper's code computes from its unweighted start. Uniform weights have one start.
func (w *Result) Table(p *profile.Profile) *render.Table {
	sets := len(w.CoMB[0].Ours)
	t := present.Table(p, tableID, "p(w) of the weights", "Which weights of words meet the printed scores",
		"Weights are a/(a + p(w)). corpus: the word's share of the corpus; list: its share of the list that "+
			"SIF's code comes with, 0 for words that it lacks, which so weigh 1; raw and PPMI marginals: the "+
			"sum of its co-occurrence counts or of its PPMI (α = 0.75, s = 1), undivided, both in the paper's "+
			"code, where PPMI is the default.",
		fmt.Sprintf("average: Pearson × 100, mean of the test groups (printed). error and bias: root mean square "+
			"and mean of ours − printed over the %d sets. joint error: over the sets of CoMB and of the "+
			"Euclidean average together.", sets),
		fmt.Sprintf("CoMB − Euclidean: its mean over the sets (printed), and the correlation of ours with the "+
			"printed differences over the sets; unrelated ones stay within ±%.2f 19 times in "+
			"20.", 1.96/math.Sqrt(float64(sets-1))))
	errors := func(group, name string) {
		t.Columns = append(t.Columns, render.Column{Group: group, Name: name, Digits: 1, LowerIsBetter: true})
	}
	fits := func(groups ...string) {
		for _, group := range groups {
			t.Plain(group, 1, "average")
			errors(group, "error")
			t.Plain(group, 1, "bias")
		}
	}
	fits("CoMB", "Euclidean avg")
	errors("both", "joint error")
	t.Plain("CoMB − Euclidean", 1, "mean")
	t.Plain("CoMB − Euclidean", 2, "correlation")
	fits("SIF", "SIF + PC removed")
	block := func(title, key string, comb []Fit, coded bool) {
		for r, reading := range w.Readings {
			if coded && reading.Transport == profile.Uniform {
				continue
			}
			euclidean, sif := w.Euclidean[r].cells(), slices.Concat(w.SIF[r].cells(), w.SIFPC[r].cells())
			if coded { // as in the block above
				clear(euclidean)
				clear(sif)
			}
			t.Add(title, key+"/"+reading.Label, reading.Label, slices.Concat(comb[r].cells(), euclidean,
				[]render.Cell{render.Number(comb[r].both(w.Euclidean[r]).Error())},
				comb[r].minus(w.Euclidean[r]).difference(), sif)...)
		}
	}
	block("barycenters", "barycenter", w.CoMB, false)
	block("unweighted start", "unweighted start", w.Coded, true)
	return t
}

func (f Fit) cells() []render.Cell {
	return []render.Cell{
		{Value: &f.Average, Printed: &f.PrintedAverage}, render.Number(f.Error()), render.Number(f.Bias()),
	}
}

// difference is the mean of a difference of rows and its correlation with the printed one,
// which is undefined if either is the same on all sets.
func (f Fit) difference() []render.Cell {
	ours, printed := stat.Mean(f.Ours, nil), stat.Mean(f.Printed, nil)
	correlation := render.Cell{Text: "undefined"}
	if r, err := score.Pearson(f.Ours, f.Printed); err == nil {
		correlation = render.Number(r)
	}
	return []render.Cell{{Value: &ours, Printed: &printed}, correlation}
}
