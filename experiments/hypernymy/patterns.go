package hypernymy

import (
	"context"
	"fmt"
	"slices"

	"contextmover/cmdlib/hearst"
	"contextmover/cmdlib/sparse"
	"contextmover/experiments/pipeline"
)

// patternMethod is that of rows by Hearst's patterns.
const patternMethod = "pattern"

// Pattern says how a pair is scored by what patterns say of it.
type Pattern struct {
	Score string `json:"score"`
	// Rank is that of the associations whose singular vectors are compared; Dim of them are made.
	Rank int `json:"rank,omitempty"`
	Dim  int `json:"dim,omitempty"`
	// Both tells that the contexts of a word, which the context mover's distance moves, are its examples too, not its
	// kinds alone.
	Both bool `json:"both,omitempty"`
}

// The scores of a pair by patterns.
const (
	patternCount = "count"
	patternPPMI  = "PPMI"
	patternSVD   = "PPMI, singular vectors"
	patternCMD   = "CMD"
)

func patternRow(p Pattern) Row {
	row := Row{Key: "patterns, " + p.Score, Label: "Hearst's patterns, " + p.Score, Method: patternMethod, Pattern: &p}
	if p.Rank > 0 {
		row.Key, row.Label = fmt.Sprintf("%s %d", row.Key, p.Rank), fmt.Sprintf("%s of rank %d", row.Label, p.Rank)
	}
	return row
}

// patternCMDRow moves histograms over k clusters of the words that patterns have beside a word.
func patternCMDRow(w *pipeline.Workspace, k int, both bool) Row {
	cmd := NewCMD(w, k, 1, 1)
	contexts := "kinds"
	if both {
		contexts += " and examples"
	}
	return Row{
		Key:    fmt.Sprintf("patterns, CMD K=%d, %s", k, contexts),
		Label:  fmt.Sprintf("CMD K=%d over Hearst's patterns, %s", k, contexts),
		Method: patternMethod, CMD: &cmd, Pattern: &Pattern{Score: patternCMD, Both: both},
	}
}

// patterns returns the rows by patterns; none for a profile without ranks. The rank of the one by singular vectors, and
// the clusters and contexts of the one by the context mover's distance are chosen.
func patterns(w *pipeline.Workspace) (all []candidate) {
	p := w.Profile.Hypernymy
	ranks := p.Patterns.Ranks
	if len(ranks) == 0 {
		return nil
	}
	for _, score := range []string{patternCount, patternPPMI} {
		all = append(all, candidate{row: patternRow(Pattern{Score: score})})
	}
	most := slices.Max(ranks)
	c := candidate{row: patternRow(Pattern{Score: patternSVD, Rank: most, Dim: most})}
	for _, rank := range ranks {
		c.grid = append(c.grid, patternRow(Pattern{Score: patternSVD, Rank: rank, Dim: most}))
	}
	moved := candidate{row: patternCMDRow(w, p.CMD.Clusters[0], false)}
	for _, both := range []bool{false, true} {
		for _, k := range p.CMD.Clusters {
			moved.grid = append(moved.grid, patternCMDRow(w, k, both))
		}
	}
	return append(all, c, moved)
}

// singulars are pairs whose terms count in the singular, as in patterns.
func singulars(ctx context.Context, w *pipeline.Workspace, pairs []TermPair) ([]TermPair, error) {
	v, err := w.Vocabulary(ctx)
	if err != nil {
		return nil, err
	}
	singular, all := hearst.Singulars(v), slices.Clone(pairs)
	for i, t := range pairs {
		if !t.unknown() {
			all[i] = TermPair{singular[t.Narrow], singular[t.Wide]}
		}
	}
	return all, nil
}

// patterned returns the value of a pair by patterns, and tells whether both of its words, or their singulars, are in
// any. The others are not covered.
func patterned(ctx context.Context, w *pipeline.Workspace, p Pattern) (func(t TermPair) (float64, bool), error) {
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
