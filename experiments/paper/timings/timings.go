package timings

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"contextmover/cmdlib/cluster"
	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sentence"
	"contextmover/cmdlib/sppmi"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/present"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/published"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/paper/hypernymy"
	"contextmover/experiments/show/render"
	"contextmover/internal/system"
)

// Timing is how long CMD took for the pairs of a set, from the words' estimates on.
type Timing struct {
	Set     string  `json:"set"`
	Pairs   int     `json:"pairs"`
	Seconds float64 `json:"seconds"`
	Printed float64 `json:"paper_seconds,omitempty"`
}

// TextTiming is a speed or a duration that the paper's text gives.
type TextTiming struct {
	Row   string  `json:"row"` // of the numbers in the paper's running text
	What  string  `json:"what"`
	On    string  `json:"paper_machine"`
	Unit  string  `json:"unit"`
	Paper string  `json:"paper,omitempty"`
	Ours  float64 `json:"ours"`
}

// Timings is how long here takes what the paper timed.
type Timings struct {
	Machine    string       `json:"machine"`
	Threads    int          `json:"threads"`
	Engine     string       `json:"engine"`
	Bins       int          `json:"bins"`
	Iterations int          `json:"iterations"`
	Sets       []Timing     `json:"sets"`
	Text       []TextTiming `json:"text"`
	notes      []string
}

const (
	timingsTable     = "tableS15_hypeval_timings"
	textTimingsTable = "timings"
)

// Time measures again what the paper timed. Nothing of it is kept in the store: durations
// are no artefacts.
func Time(ctx context.Context, w *pipeline.Workspace) (*Timings, error) {
	t := &Timings{Machine: system.Processor(), Threads: runtime.GOMAXPROCS(0), Engine: w.Engine.Name()}
	for _, part := range []func(context.Context, *pipeline.Workspace) error{
		t.hypernymy, t.throughput, t.sentences,
	} {
		if err := part(ctx, w); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// HypernymySet is the transport behind CMD on one set.
type HypernymySet struct {
	Set     string
	Problem *ot.Problem
	// Printed is the number of seconds that the paper gives for the set; 0 for none.
	Printed float64
}

// HypernymySets returns the work of the first row of CMD on the sets that the paper timed, or on all if it printed
// none of them. Every pair is a problem of its own, repeated ones too; words without an estimate are replaced by
// others, so that no pair is missing. All iterations are done.
func HypernymySets(ctx context.Context, w *pipeline.Workspace) (all []HypernymySet, err error) {
	p := w.Profile.Hypernymy
	if len(p.CMD.Clusters) == 0 {
		return nil, nil
	}
	cmd := profile.Row{Method: hypernymy.NewCMD(w, p.CMD.Clusters[0], p.CMD.Smoothing, p.CMD.Shift).Average}
	e, err := w.Estimates(ctx, w.RowEstimates(cmd))
	if err != nil {
		return nil, err
	}
	cost, err := w.EntailmentCost(ctx, w.RowGround(cmd))
	if err != nil {
		return nil, err
	}
	known := known(e)
	random := rand.New(rand.NewPCG(pipeline.Seed(w.Profile.Seed, "timings"), 0))
	estimated := func(word int32) int32 {
		if word < 0 || !e.Known[word] {
			return known[random.IntN(len(known))]
		}
		return word
	}
	for _, set := range p.Sets {
		printed, ok := published.Value(timingsTable, set.Name, "seconds")
		switch {
		case !p.Published:
			printed = 0
		case !ok:
			continue
		}
		_, terms, err := hypernymy.ReadPairs(ctx, w, set)
		if err != nil {
			return nil, err
		}
		problem := &ot.Problem{
			Settings: ot.Settings{Reg: p.CMD.Reg, MaxIter: p.CMD.Iterations}, Cost: cost, Rows: e.Histograms,
		}
		for _, x := range terms {
			problem.Pairs = append(problem.Pairs, ot.Pair{Source: estimated(x.Narrow), Target: estimated(x.Wide)})
		}
		all = append(all, HypernymySet{set.Name, problem, printed})
	}
	return all, nil
}

// hypernymy measures what the paper's Table S15 does.
func (t *Timings) hypernymy(ctx context.Context, w *pipeline.Workspace) error {
	sets, err := HypernymySets(ctx, w)
	if err != nil || len(sets) == 0 {
		return err
	}
	t.Bins, t.Iterations = sets[0].Problem.Cost.K, sets[0].Problem.MaxIter
	total := Timing{Set: "Total"}
	for _, s := range sets {
		progress := progress(w, "CMD, "+s.Set)
		done, n := 0, len(s.Problem.Pairs)
		start := time.Now()
		err := w.Engine.Distances(ctx, s.Problem, func(_ int, results []ot.Result) error {
			done += len(results)
			progress(int64(done), int64(n))
			return nil
		})
		if err != nil {
			return fmt.Errorf("%s: %w", s.Set, err)
		}
		one := Timing{s.Set, n, time.Since(start).Seconds(), s.Printed}
		t.Sets = append(t.Sets, one)
		total.Pairs, total.Seconds, total.Printed = total.Pairs+one.Pairs, total.Seconds+one.Seconds,
			total.Printed+one.Printed
	}
	t.Sets = append(t.Sets, total)
	return nil
}

// add records a measurement of what a row of the paper's running text times.
func (t *Timings) add(row, what, on string, ours float64) {
	row = "runtime: " + row
	i := slices.IndexFunc(published.TextNumbers(), func(n published.TextNumber) bool { return n.Row == row })
	n := published.TextNumbers()[i] // its tests know all rows
	t.Text = append(t.Text, TextTiming{row, what, on, n.Unit, n.Value, ours})
}

// throughput measures distances and barycenters of generated histograms.
func (t *Timings) throughput(ctx context.Context, w *pipeline.Workspace) (err error) {
	const titan, batch = "a TitanX", 200
	random := rand.New(rand.NewPCG(1, 0))
	var rates []float64
	keep := func(_ string, work work) {
		if err == nil {
			var m Measurement
			m, _, err = measure(ctx, func() float64 { return 1 }, work)
			rates = append(rates, m.Rate)
		}
	}
	keep(distances{100, 100, ""}.work(ctx, w.Engine, random))
	keep(barycenters{100, 25, ""}.work(ctx, w.Engine, random))
	_, fifty := barycenters{100, 50, ""}.work(ctx, w.Engine, random)
	for _, units := range []int{batch, 1} {
		keep("", func(n int) (done int, flop float64, err error) {
			for ; done < n && err == nil; done += units {
				_, _, err = fifty(units)
			}
			return done, 0, err
		})
	}
	if err != nil {
		return err
	}
	together, alone := rates[2], rates[3]
	t.add("Wasserstein distances per second (histogram size 100, TitanX)", "distances, K = 100", titan, rates[0])
	t.add("barycenters per second (25 words, histogram size 100, TitanX)",
		"barycenters of 25 words, K = 100", titan, rates[1])
	t.add("batch of 200 barycenters of 50 histograms of size 100",
		"200 barycenters of 50 words, K = 100", titan, batch/together)
	t.add("batching speed-up", "speed-up over one by one", titan, together/alone)
	t.notes = append(t.notes, "Distances and barycenters: random histograms, λ = 0.1, 100 iterations.")
	return nil
}

// sentences measures sentence similarity from vectors and counts on, as the paper's
// supplement does.
func (t *Timings) sentences(ctx context.Context, w *pipeline.Workspace) error {
	row, ok := SentenceRow(w.Profile)
	if !ok {
		return nil
	}
	vectors, err := w.VectorsOf(ctx, row.Vectors())
	if err != nil {
		return err
	}
	counts, err := w.Counts(ctx)
	if err != nil {
		return err
	}
	estimates := w.RowEstimates(row)
	clusters := estimates.Clusters
	var made *cluster.Result
	work, err := NewSentences(ctx, w, row)
	if err != nil {
		return err
	}
	total := 0.0
	for _, step := range []struct {
		row, what, on string
		run           func() error
	}{
		{
			"cluster 200000 words (1 GPU)", fmt.Sprintf("clusters of %d words, K = %d", vectors.Len(), clusters.K),
			"a GPU", func() (err error) {
				made, err = cluster.KMeans(ctx, vectors.Data, vectors.Dim, clusters.KMeans(), nil)
				return err
			},
		},
		{"raw co-occurrence to histograms of size 300 (1 CPU core)", fmt.Sprintf("histograms from %d co-occurrences",
			counts.NonZeros()), "a CPU core", func() error {
			m, err := sppmi.Compute(ctx, counts, sppmi.Params{Smoothing: estimates.Smoothing, Shift: estimates.Shift})
			if err != nil {
				return err
			}
			_, err = estimate.Histograms(ctx, m, made.Assignment, clusters.K, estimate.Params{
				Normalisation: estimate.Normalisation(estimates.Normalisation), Beta: estimates.Beta,
			})
			return err
		}},
		{"all STS tasks (1 GPU, about 25000 sentences)", fmt.Sprintf("CoMB + Mix + PC removed, %d sentences",
			2*work.pairs), "a GPU", func() error {
			for _, set := range work.Sets {
				if work.Mixed.Combiner, err = sentence.Precompute(ctx, work.Barycenter, set); err != nil {
					return err
				}
				if _, err = work.Mixed.Score(ctx, set); err != nil {
					return err
				}
			}
			return nil
		}},
	} {
		progress := progress(w, step.what)
		progress(0, 1)
		start := time.Now()
		if err := step.run(); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
		minutes := time.Since(start).Minutes()
		progress(1, 1)
		t.add(step.row, step.what, step.on, minutes)
		total += minutes
	}
	t.add("total from scratch for STS", "the last three together", "a GPU and a CPU core", total)
	if w.Profile.Published() {
		t.notes = append(t.notes,
			"The paper's sentence similarity: 200,000 words of a corpus of 0.9 billion tokens, about 25,000 sentences.")
	}
	t.notes = append(t.notes, fmt.Sprintf("Sentence similarity: row %q of the profile with m = %g, from "+
		"%d-dimensional vectors and counts in memory.", row.ID, row.Histograms().Mix, vectors.Dim))
	if len(t.Sets) > 0 {
		last := t.Sets[len(t.Sets)-1]
		t.add("hypernymy evaluation, >100000 pairs (1 GPU)", fmt.Sprintf("%d pairs of hypernymy, K = %d, %d iterations",
			last.Pairs, t.Bins, t.Iterations), "a GPU", last.Seconds/60)
	}
	return nil
}

// units are those of the paper's numbers as they are shown.
var units = map[string]string{"1/s": " a second", "s": " s", "min": " min", "x": " times"}

// withUnit shows a number with its unit; less than a minute in seconds.
func withUnit(x float64, unit string) string {
	if unit == "min" && x < 1 {
		x, unit = 60*x, "s"
	}
	return Speed(x) + units[unit]
}

// Output is what was measured as tables and, where the paper's own data were timed, as
// quantities.
func (t *Timings) Output(p *profile.Profile) *pipeline.Output {
	on := fmt.Sprintf("%s, %d threads", t.Machine, t.Threads)
	ours := fmt.Sprintf("Ours: %s, engine %s, profile %s.", on, t.Engine, p.Name)
	output := new(pipeline.Output)
	quantity := func(table, row, column, what string, value float64) {
		if p.Published() {
			output.Quantities = append(output.Quantities, results.Quantity{
				Table: table, Row: row, Column: column, Variant: results.Paper, Source: what + on, Value: value,
			})
		}
	}
	if len(t.Sets) > 0 {
		table := present.Table(p, timingsTable, "set",
			"Seconds for the pairs of the hypernymy sets, from the words' estimates on",
			fmt.Sprintf("CMD with K = %d and all %d iterations. Every pair is solved, repeated ones too; words "+
				"out of vocabulary are replaced by others.", t.Bins, t.Iterations),
			ours)
		table.Plain("", 0, "size")
		table.Plain("", 2, "seconds")
		table.Plain("", 0, "pairs/s")
		if p.Published() {
			table.Notes = append(table.Notes, "The paper's, in parentheses: one GPU.")
		}
		for _, s := range t.Sets {
			size := float64(s.Pairs)
			row := table.Add("", "", s.Set,
				render.Number(size), render.Number(s.Seconds), render.Number(size/s.Seconds))
			for i, column := range []string{"size", "seconds"} {
				if p.Published() {
					row.Cells[i].Printed = published.Number(timingsTable, s.Set, column)
				}
			}
			quantity(timingsTable, s.Set, "size", "", size)
			quantity(timingsTable, s.Set, "seconds", "", s.Seconds)
		}
		output.Tables = append(output.Tables, table)
	}
	table := present.Table(p, textTimingsTable, "what", "Timings in the paper's text", append(t.notes, ours)...)
	table.Scores("", 0, "ours")
	if p.Published() {
		table.Scores("", 0, "the paper", "on")
	}
	for i, x := range t.Text {
		row := table.Add("", x.Row, x.What, render.Cell{Text: withUnit(x.Ours, x.Unit)})
		if p.Published() {
			row.Cells = append(row.Cells, render.Texts(x.Paper+units[x.Unit], x.On)...)
		} else {
			t.Text[i].Paper = ""
		}
		quantity(published.TextTable, x.Row, "value", x.What+"; ", x.Ours)
	}
	output.Tables = append(output.Tables, table)
	return output
}
