package qualitative

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/published"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/show/render"
)

const (
	lengthTable     = "tableS8_sentence_length"
	neighboursTable = "tableS11_nearest_neighbours"
)

// shownPairs is the number of pairs in a table of pairs, as in the paper.
const shownPairs = 12

// Tables returns the pairs that are ranked differently (Tables S7, S9 and S10), the
// lengths of the sets (Table S8) and the neighbours of the queries (Table S11).
func (q *Result) Tables(w *pipeline.Workspace) []*render.Table {
	var tables []*render.Table
	for _, s := range q.Pairs {
		tables = append(tables, q.pairsTable(w, s))
	}
	tables = append(tables, q.lengthsTable(w))
	if len(q.Neighbours) > 0 {
		tables = append(tables, q.neighboursTable(w))
	}
	return tables
}

func (q *Result) pairsTable(w *pipeline.Workspace, s RankedSet) *render.Table {
	t := &render.Table{
		ID: s.Table, Label: "pair",
		Title: fmt.Sprintf("%s %s: pairs that CoMB and SIF + PC rank differently, of %d (profile %s)",
			s.Group, s.Set, len(s.Pairs), w.Profile.Name),
		Columns: []render.Column{
			{Name: "gold_score", Digits: 1, Unmarked: true}, {Name: "gold_rank", Unmarked: true},
			{Name: "CoMB_rank", Unmarked: true}, {Name: "SIF_rank", Unmarked: true}, {Name: "better", Unmarked: true},
		},
		Notes: []string{
			fmt.Sprintf("Rank 1 is the most similar pair; equal scores are ranked in the order of the alphabet. CoMB "+
				"is row %q, SIF row %q. Better: whose rank is closer to the gold rank.", q.CoMB.ID, q.SIF.ID),
		},
	}
	row := func(key string, p RankedPair, printed [4]*float64, mark string) render.Row {
		r := render.Row{Key: key, Label: p.A + " / " + p.B}
		for i, v := range []float64{p.Gold, float64(p.GoldRank), float64(p.CoMBRank), float64(p.SIFRank)} {
			r.Cells = append(r.Cells, render.Cell{Value: &v, Printed: printed[i]})
		}
		better := p.better()
		if mark != "" {
			better += " (" + mark + ")"
		}
		r.Cells = append(r.Cells, render.Cell{Text: better})
		return r
	}
	if paper, err := published.Load(s.Table); err == nil {
		block := render.Block{Title: "the paper's pairs"}
		missing := 0
		for _, r := range paper.Rows {
			p, ok := s.find(paper.Cell(r.Key, "sentence1").Text, paper.Cell(r.Key, "sentence2").Text)
			if !ok {
				missing++
				continue
			}
			var numbers [4]*float64
			for i, column := range []string{"gold_score", "gold_rank", "CoMB_rank", "SIF_rank"} {
				numbers[i] = published.Number(s.Table, r.Key, column)
			}
			block.Rows = append(block.Rows, row(r.Key, p, numbers, paper.Cell(r.Key, "highlighted_better").Text))
		}
		if missing > 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("%d of the paper's pairs are not in the set.", missing))
		}
		t.Blocks = append(t.Blocks, block)
	}
	block := render.Block{Title: "the largest differences here"}
	for i, p := range s.largest(shownPairs) {
		block.Rows = append(block.Rows, row(fmt.Sprintf("largest/%d", i+1), p, [4]*float64{}, ""))
	}
	t.Blocks = append(t.Blocks, block)
	return t
}

// paperSets are the paper's names of sets where they differ from those of the files.
var paperSets = map[string]string{
	"OnWN": "WordNet", "headlines": "Headlines", "images": "Images", "deft-forum": "Forum", "deft-news": "News",
	"tweet-news": "Twitter", "answers-forums": "Forum", "answers-students": "Students", "belief": "Belief",
}

// lengthKey is the row of a set in Table S8.
func lengthKey(l SetLength) string {
	name := l.Set
	if n, ok := paperSets[name]; ok {
		name = n
	}
	return l.Group + "-" + name
}

func (q *Result) lengthsTable(w *pipeline.Workspace) *render.Table {
	t := &render.Table{
		ID: lengthTable, Label: "set",
		Title: fmt.Sprintf("Lengths of sentences, and where CoMB is better than SIF + PC (profile %s)", w.Profile.Name),
		Columns: []render.Column{
			{Name: "pairs", Unmarked: true}, {Name: "avg_sentence_length", Digits: 2, Unmarked: true},
			{Name: "avg_word_overlap", Digits: 2, Unmarked: true},
			{Name: "avg_effective_length", Digits: 2, Unmarked: true},
			{Name: "CoMB", Digits: 1, Unmarked: true}, {Name: "SIF + PC", Digits: 1, Unmarked: true},
			{Name: "gain", Digits: 1, Unmarked: true},
			{Name: "better_method", Unmarked: true},
		},
		Notes: []string{
			"Length: mean number of tokens of a sentence. Overlap: tokens of the second sentence that the first has " +
				"too. Effective length: their difference.",
			fmt.Sprintf("CoMB is row %q, SIF + PC row %q, both Pearson × 100; gain: their difference, with its "+
				"paired bootstrap interval.", q.CoMB.ID, q.SIF.ID),
		},
	}
	for _, l := range q.Lengths {
		key := lengthKey(l)
		r := render.Row{Key: key, Label: l.Group + " " + l.Set}
		for i, v := range []float64{float64(l.Pairs), l.Length, l.Overlap, l.Effective} {
			r.Cells = append(r.Cells, render.Cell{
				Value: &v, Printed: published.Number(lengthTable, key, t.Columns[i].Name),
			})
		}
		better := l.better()
		if mark, ok := published.Word(lengthTable, key, "better_method"); ok {
			better += " (" + mark + ")"
		}
		r.Cells = append(r.Cells,
			render.Cell{Value: &l.CoMB.Value}, render.Cell{Value: &l.SIF.Value},
			render.Cell{Value: &l.Gain, Interval: &render.Interval{Low: l.GainLow, High: l.GainHigh}},
			render.Cell{Text: better})
		t.Add("", r)
	}
	comb, sif := q.meanEffective(func(l SetLength) float64 { return l.Gain })
	for _, x := range []struct {
		method string
		mean   float64
	}{{"CoMB", comb}, {"SIF + PC", sif}} {
		if math.IsNaN(x.mean) {
			t.Notes = append(t.Notes, x.method+" is better on no set.")
		} else {
			t.Notes = append(t.Notes, fmt.Sprintf("Mean effective length of the sets on which %s is better: %.2f.",
				x.method, x.mean))
		}
	}
	if len(q.Lengths) >= 3 {
		t.Notes = append(t.Notes, fmt.Sprintf("Correlation of effective length and gain over the %d sets: %.2f (95 "+
			"%% bootstrap interval over pairs %.2f to %.2f).",
			len(q.Lengths), q.Correlation, q.CorrelationLow, q.CorrelationHigh))
	}
	return t
}

func (q *Result) neighboursTable(w *pipeline.Workspace) *render.Table {
	t := &render.Table{
		ID: neighboursTable, Label: "rank",
		Title: fmt.Sprintf("The words nearest to seven queries (profile %s)", w.Profile.Name),
		Notes: []string{fmt.Sprintf("CoMB: by CMD from the barycenter of the query's words, settings of row %q. SIF: "+
			"by the cosine to the query's vector, row %q, no principal component removed. All words of the "+
			"vocabulary are candidates, those of the query included.",
			q.CoMB.ID, q.SIFWords.ID)},
	}
	if len(q.Neighbours) != 7 {
		t.Title = fmt.Sprintf("The words nearest to %d queries (profile %s)", len(q.Neighbours), w.Profile.Name)
	}
	for _, n := range q.Neighbours {
		t.Plain("", 0, n.Query)
	}
	for _, system := range []string{"CoMB", "SIF"} {
		ours, paper := render.Block{Title: system}, render.Block{Title: system + ", printed"}
		for rank := range w.Profile.Qualitative.Neighbours {
			row := render.Row{Key: fmt.Sprintf("%s/%d", system, rank+1), Label: strconv.Itoa(rank + 1)}
			mark := render.Row{Key: fmt.Sprintf("printed/%s/%d", system, rank+1), Label: row.Label}
			any := false
			for _, n := range q.Neighbours {
				row.Cells = append(row.Cells, render.Cell{Text: n.word(system, rank)})
				word, ok := published.Word(neighboursTable, fmt.Sprintf("%s/%s/%d", n.Query, system, rank+1), "word")
				mark.Cells = append(mark.Cells, render.Cell{Text: word})
				any = any || ok
			}
			ours.Rows = append(ours.Rows, row)
			if any && w.Profile.Published() {
				paper.Rows = append(paper.Rows, mark)
			}
		}
		t.Blocks = append(t.Blocks, ours)
		if len(paper.Rows) > 0 {
			t.Blocks = append(t.Blocks, paper)
		}
	}
	return t
}

func (n QueryNeighbours) word(system string, rank int) string {
	words := n.CoMB
	if system == "SIF" {
		words = n.SIF
	}
	if rank >= len(words) {
		return ""
	}
	return words[rank]
}

// quantities returns our words and lengths for the verdict; the tables' numbers next to
// printed ones come by themselves.
func (q *Result) quantities() []results.Quantity {
	var all []results.Quantity
	word := func(table, row, column, text, source string) {
		if _, ok := published.Word(table, row, column); ok && text != "" {
			all = append(all, results.Quantity{
				Table: table, Row: row, Column: column, Variant: results.Paper, Source: source, Text: text,
			})
		}
	}
	for _, s := range q.Pairs {
		paper, err := published.Load(s.Table)
		if err != nil {
			continue
		}
		for _, r := range paper.Rows {
			if p, ok := s.find(paper.Cell(r.Key, "sentence1").Text, paper.Cell(r.Key, "sentence2").Text); ok {
				word(s.Table, r.Key, "highlighted_better", p.better(), q.CoMB.ID)
			}
		}
	}
	for _, l := range q.Lengths {
		word(lengthTable, lengthKey(l), "better_method", l.better(), q.CoMB.ID)
	}
	for _, n := range q.Neighbours {
		for rank := range max(len(n.CoMB), len(n.SIF)) {
			for _, system := range []string{"CoMB", "SIF"} {
				word(neighboursTable, fmt.Sprintf("%s/%s/%d", n.Query, system, rank+1), "word",
					n.word(system, rank), q.CoMB.ID)
			}
		}
	}
	return append(all, q.EffectiveLengths(results.Paper)...)
}

// EffectiveLengths returns the mean effective lengths of the sets on which CoMB is better
// and of the others, nothing if there are no others.
func (q *Result) EffectiveLengths(variant string) []results.Quantity {
	comb, sif := q.meanEffective(func(l SetLength) float64 { return l.Gain })
	if math.IsNaN(comb) || math.IsNaN(sif) {
		return nil // one is better everywhere: there is nothing to compare
	}
	// Which method is better is decided again in each sample. A method that is better
	// nowhere in a sample keeps its mean: there is nothing else to compare.
	combDraws, sifDraws := make([]float64, pipeline.ClaimDraws), make([]float64, pipeline.ClaimDraws)
	for d := range pipeline.ClaimDraws {
		x, y := q.meanEffective(func(l SetLength) float64 { return l.gains[d] })
		if math.IsNaN(x) {
			x = comb
		}
		if math.IsNaN(y) {
			y = sif
		}
		combDraws[d], sifDraws[d] = x, y
	}
	var all []results.Quantity
	for _, x := range []struct {
		method, printed string
		value           float64
		draws           []float64
	}{{"CoMB", "CoMB", comb, combDraws}, {"SIF + PC", "SIF", sif, sifDraws}} {
		e := score.NewEstimate(x.value, x.draws, nil)
		all = append(all, results.Quantity{
			Table: published.TextTable,
			Row:   strings.Join([]string{"effective length where", x.method, "is better"}, " "), Column: "tokens",
			Variant: variant, Source: q.CoMB.ID,
		}.With(e), results.Quantity{
			Table: published.TextTable, Row: "sentence length: average effective length where " + x.printed + " wins",
			Column:  "value",
			Variant: variant, Source: q.CoMB.ID,
		}.With(score.Estimate{Value: e.Value, Low: e.Low, High: e.High}))
	}
	return all
}

// IDs lists the tables and figures that Run may make for a profile.
func IDs(p *profile.Profile) []string {
	all := []string{lengthTable, neighboursTable}
	for _, pairs := range p.Qualitative.Pairs {
		all = append(all, pairs.Table)
	}
	return all
}

// Run makes the section's tables and quantities.
func Run(ctx context.Context, w *pipeline.Workspace) (*pipeline.Output, error) {
	q, err := Compute(ctx, w)
	if err != nil {
		return nil, err
	}
	output := &pipeline.Output{Tables: q.Tables(w)}
	if !w.Profile.Published() {
		return output, nil
	}
	together, err := together(ctx, w, q)
	output.Quantities = append(q.quantities(), together...)
	return output, err
}
