package timings

import (
	"context"
	"math/rand/v2"

	"contextmover/cmdlib/ot"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/published"
	"contextmover/experiments/paper/hypernymy"
)

// HypernymySet is the transport behind CMD on one set, for those who measure it.
type HypernymySet struct {
	Set     string
	Problem *ot.Problem
	// Printed is the number of seconds that the paper gives for the set; 0 for none.
	Printed float64
}

const timingsTable = "tableS15_hypeval_timings"

// HypernymySets returns the work of the first row of CMD on the sets that the paper timed,
// or on all if the paper printed none of them. Every pair is a problem of its own, repeated
// ones too; words without an estimate are replaced by others, so that no pair is
// missing. All iterations are done.
func HypernymySets(ctx context.Context, w *pipeline.Workspace) ([]HypernymySet, error) {
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
	var all []HypernymySet
	for _, set := range p.Sets {
		work := HypernymySet{Set: set.Name, Problem: &ot.Problem{
			Settings: ot.Settings{Reg: p.CMD.Reg, MaxIter: p.CMD.Iterations}, Cost: cost, Rows: e.Histograms,
		}}
		if p.Published {
			seconds, ok := published.Value(timingsTable, set.Name, "seconds")
			if !ok {
				continue
			}
			work.Printed = seconds
		}
		_, terms, err := hypernymy.ReadPairs(ctx, w, set)
		if err != nil {
			return nil, err
		}
		for _, t := range terms {
			work.Problem.Pairs = append(work.Problem.Pairs,
				ot.Pair{Source: estimated(t.Narrow), Target: estimated(t.Wide)})
		}
		all = append(all, work)
	}
	return all, nil
}
