package hypernymy

import (
	"context"
	"fmt"

	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ot"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
	"contextmover/experiments/harness/trainers/entailment"
)

// CMD is the context mover's distance, negative, from the narrow to the wide term, with the cost that Henderson's
// operator makes. A term is a text of one word.
type CMD struct {
	method.Average
	// Transposed moves mass at the cost of the way back.
	Transposed bool
}

// NewCMD returns the profile's settings of CMD with k clusters and the associations given.
func NewCMD(w *pipeline.Workspace, k int, smoothing, shift float64) CMD {
	p := w.Profile.Hypernymy.CMD
	e := p.Estimates
	e.Smoothing, e.Shift = smoothing, shift
	return CMD{Average: method.Average{Histograms: method.Histograms{
		WordVectors: method.WordVectors{Vectors: profile.Entailment}, Estimates: e,
		Support: method.Support{Clusters: k},
		Cost: method.Cost{
			Metric: entailment.Metric, CostNormalisation: p.CostNormalisation, Geometry: method.TrueGeometry,
		},
		Transport: p.Transport,
	}}}
}

func (m CMD) estimates(w *pipeline.Workspace) pipeline.EstimateParams {
	return w.EstimateParams(m.Estimates, m.Bins())
}

func (m CMD) ground(w *pipeline.Workspace) pipeline.GroundParams {
	return w.GroundParams(m.Cost, m.Bins(), m.Reg)
}

func (m CMD) in(w *pipeline.Workspace) scoring {
	p := m.estimates(w)
	return scoring{
		kind: "cmd", settings: map[string]any{"cmd": struct {
			Estimates   pipeline.EstimateParams `json:"estimates"`
			Ground      pipeline.GroundParams   `json:"ground"`
			Iterations  int                     `json:"iterations"`
			Tolerance   float64                 `json:"tolerance"`
			Accelerated bool                    `json:"relaxed,omitempty"`
			Engine      string                  `json:"engine"`
			Transposed  bool                    `json:"transposed,omitempty"`
		}{p, m.ground(w), m.Iterations, m.Tolerance, m.Accelerate, w.Engine.Name(), m.Transposed}},
		inputs: []store.Input{w.ClustersNode(p.Clusters)}, shared: w.Shared(p), random: true,
		by: func(ctx context.Context, name string, pairs []TermPair) (scorer, error) {
			e, err := w.Estimates(ctx, p)
			if err != nil {
				return nil, err
			}
			return m.over(ctx, w, e, name, pairs)
		},
	}
}

// over moves the histograms e, for distinct pairs once. A word without contexts has none: its pairs are not covered.
func (m CMD) over(
	ctx context.Context, w *pipeline.Workspace, e *estimate.Estimates, name string, pairs []TermPair,
) (scorer, error) {
	cost, err := w.EntailmentCost(ctx, m.ground(w))
	if err != nil {
		return nil, err
	}
	problem, at := m.problem(e, cost, pairs)
	var costs []float64
	if len(problem.Pairs) > 0 {
		progress, finish := w.Step(fmt.Sprintf("CMD, %s, %d distinct pairs, K=%d",
			name, len(problem.Pairs), problem.Cost.K))
		defer finish()
		err = w.Engine.Distances(ctx, problem, func(first int, results []ot.Result) error {
			for _, r := range results {
				costs = append(costs, r.Cost)
			}
			if progress != nil {
				progress(int64(len(costs)), int64(len(problem.Pairs)))
			}
			return nil
		})
	}
	return func(p TermPair) (float64, bool) {
		i, ok := at[p]
		if !ok {
			return 0, false
		}
		return -costs[i], true
	}, err
}

// problem states the distinct pairs of words that have histograms as transport problems, from the narrow term's to
// the wide one's, and returns the problem of each.
func (m CMD) problem(e *estimate.Estimates, cost ot.Cost, pairs []TermPair) (*ot.Problem, map[TermPair]int) {
	problem := &ot.Problem{
		Settings: m.Transport.Barycenters(), // to the profile's own tolerance
		Cost:     cost, Rows: ot.Histograms{K: e.K},
	}
	rows := map[int32]int32{}
	row := func(word int32) int32 {
		if _, ok := rows[word]; !ok {
			rows[word] = int32(len(rows))
			problem.Rows.Data = append(problem.Rows.Data, e.Row(int(word))...)
		}
		return rows[word]
	}
	at := map[TermPair]int{}
	for _, t := range pairs {
		if _, ok := at[t]; ok || t.unknown() || !e.Known[t.Narrow] || !e.Known[t.Wide] {
			continue
		}
		at[t] = len(problem.Pairs)
		if m.Transposed { // Σ Tᵢⱼ Mⱼᵢ from a to b is Σ Tⱼᵢ Mⱼᵢ from b to a
			t = t.reversed()
		}
		problem.Pairs = append(problem.Pairs, ot.Pair{Source: row(t.Narrow), Target: row(t.Wide)})
	}
	return problem, at
}
