package hypernymy

import (
	"context"
	"fmt"
	"slices"

	"contextmover/cmdlib/hearst"
	"contextmover/cmdlib/sparse"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/profile"
)

// patternMethod is that of rows by Hearst's patterns.
const patternMethod = "pattern"

// Pattern says how a pair is scored by what patterns say of it.
type Pattern struct {
	Score string `json:"score"`
	// Rank is that of the associations whose singular vectors are compared; Dim of them are made.
	Rank int `json:"rank,omitempty"`
	Dim  int `json:"dim,omitempty"`
}

// The scores of a pair by patterns.
const (
	patternCount = "count"
	patternPPMI  = "PPMI"
	patternSVD   = "PPMI, singular vectors"
)

func patternRow(p Pattern) Row {
	row := Row{Key: "patterns, " + p.Score, Label: "Hearst's patterns, " + p.Score, Method: patternMethod, Pattern: &p}
	if p.Rank > 0 {
		row.Key, row.Label = fmt.Sprintf("%s %d", row.Key, p.Rank), fmt.Sprintf("%s of rank %d", row.Label, p.Rank)
	}
	return row
}

// patterns returns the rows by patterns; none for a profile without ranks. The rank of the last is chosen.
func patterns(p profile.Hypernymy) (all []candidate) {
	ranks := p.Patterns.Ranks
	if len(ranks) == 0 {
		return nil
	}
	for _, score := range []string{patternCount, patternPPMI} {
		all = append(all, candidate{row: patternRow(Pattern{Score: score})})
	}
	most := slices.Max(ranks)
	c := candidate{row: patternRow(Pattern{patternSVD, most, most})}
	for _, rank := range ranks {
		c.grid = append(c.grid, patternRow(Pattern{patternSVD, rank, most}))
	}
	return append(all, c)
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
