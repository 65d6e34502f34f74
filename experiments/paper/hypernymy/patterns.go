package hypernymy

import (
	"context"
	"fmt"
	"slices"

	"contextmover/cmdlib/sparse"
	"contextmover/experiments/harness/hearst"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/store"
)

// Pattern says how a pair is scored by what patterns say of it.
type Pattern struct {
	Score string `json:"score"`
	// Rank is that of the associations whose singular vectors are compared; Dim of them are made.
	Rank int `json:"rank,omitempty"`
	Dim  int `json:"dim,omitempty"`
}

// movedPatterns is CMD over what patterns have next to a word.
type movedPatterns struct {
	CMD
	// Both tells that the contexts of a word are its examples too, not its kinds alone.
	Both bool
}

// The scores of a pair by patterns.
const (
	patternCount = "count"
	patternPPMI  = "PPMI"
	patternSVD   = "PPMI, singular vectors"
	patternCMD   = "CMD"
)

func patternRow(p Pattern) Row {
	row := Row{"patterns, " + p.Score, "Hearst's patterns, " + p.Score, p}
	if p.Rank > 0 {
		row.Key, row.Label = fmt.Sprintf("%s %d", row.Key, p.Rank), fmt.Sprintf("%s of rank %d", row.Label, p.Rank)
	}
	return row
}

// patternCMDRow moves histograms over k clusters of the words that patterns have next to a word.
func patternCMDRow(w *pipeline.Workspace, k int, both bool) Row {
	contexts := "kinds"
	if both {
		contexts += " and examples"
	}
	return Row{
		fmt.Sprintf("patterns, CMD K=%d, %s", k, contexts),
		fmt.Sprintf("CMD K=%d over Hearst's patterns, %s", k, contexts),
		movedPatterns{NewCMD(w, k, 1, 1), both},
	}
}

// patterns returns the rows by patterns; none for a profile without ranks. The rank of the one by singular vectors, and
// the clusters and contexts of the one by the context mover's distance are chosen.
func patterns(w *pipeline.Workspace) (all []Searched) {
	p := w.Profile.Hypernymy
	ranks := p.Patterns.Ranks
	if len(ranks) == 0 {
		return nil
	}
	for _, score := range []string{patternCount, patternPPMI} {
		all = append(all, Searched{note: patternNote, Row: patternRow(Pattern{Score: score})})
	}
	most := slices.Max(ranks)
	c := Searched{note: patternNote, Row: patternRow(Pattern{Score: patternSVD, Rank: most, Dim: most})}
	for _, rank := range ranks {
		c.grid = append(c.grid, patternRow(Pattern{Score: patternSVD, Rank: rank, Dim: most}))
	}
	moved := Searched{note: patternNote, Row: patternCMDRow(w, p.CMD.Clusters[0], false)}
	for _, both := range []bool{false, true} {
		for _, k := range p.CMD.Clusters {
			moved.grid = append(moved.grid, patternCMDRow(w, k, both))
		}
	}
	return append(all, c, moved)
}

func (m movedPatterns) needs(w *pipeline.Workspace) needs {
	n, e := m.CMD.needs(w), m.estimates(w)
	n.kind = "pattern"
	n.settings["pattern"] = struct {
		Score string `json:"score"`
		Both  bool   `json:"both,omitempty"`
	}{patternCMD, m.Both}
	n.inputs = []store.Input{w.PatternsNode(), w.ClustersNode(e.Clusters)}
	n.shared = []store.Input{w.PatternEstimatesNode(e, m.Both)}
	return n
}

// scorer has the terms of a pair count in the singular, as in patterns.
func (m movedPatterns) scorer(
	ctx context.Context, w *pipeline.Workspace, name string, pairs []TermPair,
) (scorer, error) {
	v, err := w.Vocabulary(ctx)
	if err != nil {
		return nil, err
	}
	e, err := store.Get(ctx, w.Store, w.PatternEstimatesNode(m.estimates(w), m.Both))
	if err != nil {
		return nil, err
	}
	words, all := hearst.Singulars(v), slices.Clone(pairs)
	singular := func(t TermPair) TermPair {
		if t.unknown() {
			return t
		}
		return TermPair{words[t.Narrow], words[t.Wide]}
	}
	for i, t := range pairs {
		all[i] = singular(t)
	}
	score, err := m.over(ctx, w, e, name, all)
	return func(t TermPair) (float64, bool) { return score(singular(t)) }, err
}

func (p Pattern) needs(w *pipeline.Workspace) needs {
	n := needs{kind: "pattern", settings: map[string]any{"pattern": p}, inputs: []store.Input{w.PatternsNode()}}
	if p.Dim > 0 {
		n.inputs = append(n.inputs, w.PatternVectorsNode(p.Dim))
	}
	return n
}

// scorer covers pairs both of whose words, or their singulars, are in any pattern.
func (p Pattern) scorer(ctx context.Context, w *pipeline.Workspace, _ string, _ []TermPair) (scorer, error) {
	v, err := w.Vocabulary(ctx)
	if err != nil {
		return nil, err
	}
	counts, err := w.Patterns(ctx)
	if err != nil {
		return nil, err
	}
	singular, known := hearst.Singulars(v), make([]bool, v.Len())
	for i := range known {
		columns, _ := counts.Row(i)
		for _, c := range columns {
			known[i], known[c] = true, true
		}
	}
	var value func(example, kind int32) float64
	switch p.Score {
	case patternCount:
		value = func(example, kind int32) float64 { return entry(counts, example, kind) }
	case patternPPMI:
		associations, err := w.PatternAssociations(ctx)
		if err != nil {
			return nil, err
		}
		value = func(example, kind int32) float64 { return float64(entry(associations, example, kind)) }
	default:
		x, err := w.PatternVectors(ctx, p.Dim)
		if err != nil {
			return nil, err
		}
		value = func(example, kind int32) float64 {
			sum, to := 0.0, x.Kinds[int(kind)*p.Dim:]
			for j, y := range x.Examples[int(example)*p.Dim:][:p.Rank] {
				sum += float64(float64(y) * float64(to[j]))
			}
			return sum
		}
	}
	return func(t TermPair) (float64, bool) {
		if t.unknown() {
			return 0, false
		}
		example, kind := singular[t.Narrow], singular[t.Wide]
		if !known[example] || !known[kind] {
			return 0, false
		}
		return value(example, kind), true
	}, nil
}

// entry is a number of a matrix, 0 where it has none.
func entry[T float32 | float64](m *sparse.Matrix[T], row, column int32) T {
	columns, values := m.Row(int(row))
	if at, ok := slices.BinarySearch(columns, column); ok {
		return values[at]
	}
	return 0
}
