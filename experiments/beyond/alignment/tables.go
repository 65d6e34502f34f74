package alignment

import (
	"slices"

	"contextmover/cmdlib/align"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/present"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/show/figure"
	"contextmover/experiments/show/render"
)

// The ids of the tables; the figure has the first.
const (
	tableID  = "alignment"
	minusID  = "alignment_minus"
	choiceID = "alignment_choice"

	examplesID = "alignment_pairs"
)

// Tables returns the scores, differences between rows, what was chosen, and pairs to look at.
func (r *Result) Tables(p *profile.Profile) []*render.Table {
	tables := []*render.Table{r.scores(p), r.differences(p), r.choices(p)}
	if r.Examples != nil {
		tables = append(tables, r.examplesTable(p))
	}
	return tables
}

// add adds rows to the blocks of a profile.
func (r *Result) add(t *render.Table, blocks []profile.AlignmentBlock, cells func(row int) []render.Cell) {
	for _, b := range blocks {
		for i, row := range r.Rows {
			if row.Block == b.ID {
				t.Add(b.Title, row.ID, row.Label, cells(i)...)
			}
		}
	}
}

func (r *Result) scores(p *profile.Profile) *render.Table {
	t := present.Table(p, tableID, "aligner", "Words linked as people link them",
		"Percent, over the sure links of the test parts: precision and recall are means over the pairs of "+
			"sentences, F1 their harmonic mean. exact: pairs whose links are exactly those of people. nulls: F1 "+
			"of the words without a link.",
		"Settings of each row and set are those of the highest F1 on the development part (alignment_choice); "+
			"one setting for all sets where the label says so. Intervals: 95 %, over pairs.",
		"Costs are 0 between the same words, capital or not. letters, discrete: 1 between all others. vectors: "+
			"1 − max(0, cosine). contexts: the context mover's distance of the words, at most 1. shuffled: each "+
			"word has the vector of another, or each cluster the centroid of another. The cost of two words "+
			"also depends on the words next to them, and on how far apart they are.",
		"Other systems: scored from the links that are published with the data, as they are.")
	for _, set := range p.Alignment.Sets {
		t.Scores(set.Name, 1, "precision", "recall", "F1", "exact", "nulls")
	}
	blocks := append(slices.Clone(p.Alignment.Blocks),
		profile.AlignmentBlock{ID: othersBlock, Title: "Other systems, from their links"})
	r.add(t, blocks, func(i int) (cells []render.Cell) {
		for _, o := range r.Outcomes[i] {
			if o == nil {
				cells = append(cells, render.Texts("–", "–", "–", "–", "–")...)
				continue
			}
			cells = append(cells, render.Number(o.Precision), render.Number(o.Recall), pipeline.Cell(o.F1),
				render.Number(o.Exact), pipeline.Cell(o.NullF1))
		}
		return cells
	})
	return t
}

func (r *Result) differences(p *profile.Profile) *render.Table {
	t := present.Table(p, minusID, "F1 of", "Differences in F1 between aligners",
		"Points of F1 on the test parts, over the same pairs, with 95 % intervals: one without 0 is "+
			"a difference that other pairs would also show.")
	for _, set := range p.Alignment.Sets {
		t.Plain("", 1, set.Name)
	}
	for _, m := range p.Alignment.Minus {
		a, b := r.Rows[r.row(m.Row)], r.Rows[r.row(m.Subtrahend)]
		row := t.Add("", m.Row+" − "+m.Subtrahend, a.Label+" − "+b.Label)
		for s := range p.Alignment.Sets {
			var less *score.Estimate
			if o, base := r.Outcomes[r.row(m.Row)][s], r.Outcomes[r.row(m.Subtrahend)][s]; o != nil && base != nil {
				e := o.F1.Minus(base.F1)
				less = &e
			}
			row.Cells = append(row.Cells, present.Cell(less))
		}
	}
	return t
}

func (r *Result) choices(p *profile.Profile) *render.Table {
	t := present.Table(p, choiceID, "aligner", "Settings of aligners, chosen on development parts",
		"F1: on the development part. tried: how many settings. γ: the weight of the words next to them. κ: the "+
			"weight of how far apart they are. λ, ρ: of the transport. bound: the least strength of a link, or "+
			"the most that it may cost.")
	for _, set := range p.Alignment.Sets {
		t.Plain(set.Name, 1, "F1")
		t.Plain(set.Name, 0, "tried", "γ", "κ", "λ", "ρ", "bound")
	}
	r.add(t, p.Alignment.Blocks, func(i int) (cells []render.Cell) {
		for _, o := range r.Outcomes[i] {
			s := o.Setting
			cells = append(cells, render.Number(o.Development), render.Number(float64(o.Tried)))
			for _, x := range []float64{s.Near, s.Distortion, s.Reg, s.Price, s.Threshold + s.Most} {
				cells = append(cells, render.Texts(present.Number(x))...)
			}
		}
		return cells
	})
	return t
}

// Figures shows F1 with each cost for each kind of transport, a panel a set; none for a profile without all nine rows.
func (r *Result) Figures(w *pipeline.Workspace) []*figure.Figure {
	geometries := []string{method.TrueGeometry, method.Shuffled, method.Discrete}
	row := func(is func(profile.AlignmentRow) bool) int { return slices.IndexFunc(r.Rows, is) }
	f := &figure.Figure{
		ID: tableID, Title: "Words linked by transport with true, shuffled and discrete costs",
		Caption: "F1 of the links on the test parts, by what the cost between words knows: vectors (true), vectors " +
			"of other words (shuffled), letters alone (discrete). Settings are chosen on the development parts; " +
			"95 % intervals.",
		Provenance: figure.Provenance{Profile: w.Profile.Name}, Columns: min(3, len(w.Profile.Alignment.Sets)),
	}
	for s, set := range w.Profile.Alignment.Sets {
		panel := f.Intervals(set.Name, "F1", "the same words without transport", geometries)
		for g, geometry := range geometries {
			for _, kind := range align.Kinds() {
				at := row(func(x profile.AlignmentRow) bool {
					return x.Aligner == string(kind) && x.Cost == profile.AlignVectors && x.Geometry == geometry
				})
				if at < 0 {
					return nil
				}
				e := r.Outcomes[at][s].F1
				panel.Series[g].Add(e.Value, e.Low, e.High)
			}
		}
		for _, kind := range align.Kinds() {
			panel.Names = append(panel.Names, string(kind))
		}
		panel.Zero = panel.Series[0].Value[0]
		if at := row(func(x profile.AlignmentRow) bool {
			return !x.Transport() && x.Cost == profile.AlignLetters
		}); at >= 0 {
			panel.Zero = r.Outcomes[at][s].F1.Value
		}
	}
	return []*figure.Figure{f.FitLines(24)}
}
