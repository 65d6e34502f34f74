package hypernymy

import (
	"context"
	"fmt"
	"slices"

	"contextmover/cmdlib/corpus"
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

// patterns returns the rows by patterns; none for a profile without ranks. The rank of the one by singular vectors, and
// the clusters and contexts of the one by the context mover's distance are chosen.
func patterns(w *pipeline.Workspace) (all []Searched) {
	p := w.Profile.Hypernymy
	ranks := p.Patterns.Ranks
	if len(ranks) == 0 {
		return nil
	}
	for _, score := range []string{patternCount, patternPPMI} {
		all = append(all, Searched{
			note: patternNote, Row: Row{"patterns, " + score, "Hearst's patterns, " + score, Pattern{Score: score}},
		})
	}
	most := slices.Max(ranks)
	ranked := func(rank int) Row {
		return Row{
			fmt.Sprintf("patterns, %s %d", patternSVD, rank),
			fmt.Sprintf("Hearst's patterns, %s of rank %d", patternSVD, rank), Pattern{patternSVD, rank, most},
		}
	}
	vectors := Searched{note: patternNote, Row: ranked(most)}
	for _, rank := range ranks {
		vectors.grid = append(vectors.grid, ranked(rank))
	}
	var moved Searched
	for _, contexts := range []string{"kinds", "kinds and examples"} {
		for _, k := range p.CMD.Clusters {
			moved.grid = append(moved.grid, Row{
				fmt.Sprintf("patterns, CMD K=%d, %s", k, contexts),
				fmt.Sprintf("CMD K=%d over Hearst's patterns, %s", k, contexts),
				movedPatterns{NewCMD(w, k, 1, 1), contexts != "kinds"},
			})
		}
	}
	moved.note, moved.Row = patternNote, moved.grid[0]
	return append(all, vectors, moved)
}

// in has the terms of a pair count in the singular, as in patterns.
func (m movedPatterns) in(w *pipeline.Workspace) scoring {
	s, e := m.CMD.in(w), m.estimates(w)
	estimates := w.PatternEstimatesNode(e, m.Both)
	s.kind = "pattern"
	s.settings["pattern"] = struct {
		Score string `json:"score"`
		Both  bool   `json:"both,omitempty"`
	}{patternCMD, m.Both}
	s.inputs = []store.Input{w.PatternsNode(), w.ClustersNode(e.Clusters)}
	s.shared = []store.Input{estimates}
	s.by = func(ctx context.Context, name string, pairs []TermPair) (scorer, error) {
		v, err := w.Vocabulary(ctx)
		if err != nil {
			return nil, err
		}
		e, err := store.Get(ctx, w.Store, estimates)
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
	return s
}

// in covers pairs both of whose words, or their singulars, are in any pattern.
func (p Pattern) in(w *pipeline.Workspace) scoring {
	s := scoring{kind: "pattern", settings: map[string]any{"pattern": p}, inputs: []store.Input{w.PatternsNode()}}
	if p.Dim > 0 {
		s.inputs = append(s.inputs, w.PatternVectorsNode(p.Dim))
	}
	s.by = func(ctx context.Context, _ string, _ []TermPair) (scorer, error) {
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
		value, err := p.compare(ctx, w, counts)
		return func(t TermPair) (float64, bool) {
			if t.unknown() {
				return 0, false
			}
			example, kind := singular[t.Narrow], singular[t.Wide]
			if !known[example] || !known[kind] {
				return 0, false
			}
			return value(example, kind), true
		}, err
	}
	return s
}

func (p Pattern) compare(ctx context.Context, w *pipeline.Workspace, counts *corpus.Counts) (comparison, error) {
	switch p.Score {
	case patternCount:
		return func(example, kind int32) float64 { return entry(counts, example, kind) }, nil
	case patternPPMI:
		m, err := w.PatternAssociations(ctx)
		return func(example, kind int32) float64 { return float64(entry(m, example, kind)) }, err
	}
	x, err := store.Get(ctx, w.Store, w.PatternVectorsNode(p.Dim))
	return func(example, kind int32) float64 {
		sum, to := 0.0, x.Kinds[int(kind)*p.Dim:]
		for j, y := range x.Examples[int(example)*p.Dim:][:p.Rank] {
			sum += float64(float64(y) * float64(to[j]))
		}
		return sum
	}, err
}

// entry is a number of a matrix, 0 where it has none.
func entry[T float32 | float64](m *sparse.Matrix[T], row, column int32) T {
	columns, values := m.Row(int(row))
	if at, ok := slices.BinarySearch(columns, column); ok {
		return values[at]
	}
	return 0
}
