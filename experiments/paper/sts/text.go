package sts

import (
	"context"
	"strconv"
	"strings"

	"contextmover/cmdlib/sppmi"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/published"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/harness/store"
)

// settingNumbers are the settings that the paper's text states, as the profile has them.
func settingNumbers(p *profile.Profile) []results.Quantity {
	var all []results.Quantity
	either := func(row string, v float64, word string) {
		all = append(all, results.Quantity{
			Table: published.TextTable, Row: row, Column: "value", Variant: results.Paper,
			Source: "profile " + p.Name, Value: v, Text: word,
		})
	}
	add := func(row string, v float64) { either(row, v, "") }
	add("vocabulary: TBC min_count", float64(p.Corpus.MinCount))
	add("cooccurrence: window (symmetric)", float64(p.Corpus.Window))
	add("glove: dimensions", float64(p.GloVe.Dim))
	add("glove: iterations", float64(p.GloVe.Epochs))
	add("glove: learning rate", p.GloVe.Rate)
	add("optimal transport: typical lambda", p.STS.Plain().Reg)
	add("support: typical n", float64(p.STS.Plain().Clusters))
	for _, b := range p.WordSim.Blocks {
		if b.Published {
			add("word similarity: mixing weight m", b.Mix)
			add("word similarity: alpha", b.Smoothing)
			add("word similarity: K", float64(b.Clusters))
		}
	}
	if h := p.Hypernymy; h.Published {
		add("entailment vectors: dimensions", float64(h.Vectors.Dim))
		add("hypernymy: alpha", h.CMD.Smoothing)
		add("hypernymy: beta", h.CMD.Beta)
		add("hypernymy: s", h.CMD.Shift)
		add("hypernymy: lambda", h.CMD.Reg)
		add("hypernymy: Sinkhorn iterations", float64(h.CMD.Iterations))
		var k []string
		for _, n := range h.CMD.Clusters {
			k = append(k, strconv.Itoa(n))
		}
		either("hypernymy: K (best two on validation)", 0, strings.Join(k, " and "))
		normalisation := string(h.CMD.CostNormalisation)
		if normalisation == "log2" || normalisation == "ln" {
			normalisation = "log" // the paper does not say to which base; its code takes 2
		}
		either("hypernymy: ground metric normalisation", 0, normalisation)
	}
	return all
}

// The paper's text says that rows of associations have so many contexts.
const fewestContexts, mostContexts = 1_000, 50_000

// supportShare is the share of words, in per cent, whose associations have as many contexts
// as the paper says, under the settings of its plain CoMB.
func supportShare(ctx context.Context, w *pipeline.Workspace) (results.Quantity, error) {
	q := results.Quantity{
		Table: published.TextTable, Row: "share of words with 1000 to 50000 associated contexts", Column: "per cent",
		Variant: results.Paper, Source: "profile " + w.Profile.Name,
	}
	defaults := w.Profile.STS.Plain()
	p := sppmi.Params{Smoothing: defaults.Smoothing, Shift: defaults.Shift}
	type support struct {
		PerCent float64 `json:"per_cent"`
	}
	share, err := store.Get(ctx, w.Store, store.Node[support]{
		Name: "sppmi-support", Version: 1, Params: p, Inputs: []store.Input{w.CountsNode()},
		Parts: func(s *support) []store.Part { return []store.Part{store.JSON("share.json", s)} },
		Make: func(ctx context.Context) (s support, err error) {
			m, err := w.Associations(ctx, p)
			if err != nil {
				return s, err
			}
			within := 0
			for i := range m.Rows {
				if n := m.Start[i+1] - m.Start[i]; n >= fewestContexts && n <= mostContexts {
					within++
				}
			}
			s.PerCent = 100 * float64(within) / float64(m.Rows)
			return s, nil
		},
	})
	q.Value = share.PerCent
	return q, err
}
