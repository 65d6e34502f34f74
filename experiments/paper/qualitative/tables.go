package qualitative

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/present"
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
	t := present.Table(w.Profile, s.Table, "pair",
		fmt.Sprintf("%s %s: pairs that CoMB and SIF + PC rank differently, of %d", s.Group, s.Set, len(s.Pairs)),
		fmt.Sprintf("Rank 1 is the most similar pair; equal scores are ranked in the order of the alphabet. CoMB "+
			"is row %q, SIF row %q. Better: whose rank is closer to the gold rank.", q.CoMB.ID, q.SIF.ID))
	t.Plain("", 1, "gold_score")
	t.Plain("", 0, "gold_rank", "CoMB_rank", "SIF_rank", "better")
	add := func(block, key string, p RankedPair, mark string) {
		row := t.Add(block, key, p.A+" / "+p.B)
		for i, v := range []float64{p.Gold, float64(p.GoldRank), float64(p.CoMBRank), float64(p.SIFRank)} {
			row.Cells = append(row.Cells, render.Cell{
				Value: &v, Printed: published.Number(s.Table, key, t.Columns[i].Name),
			})
		}
		better := p.better()
		if mark != "" {
			better += " (" + mark + ")"
		}
		row.Cells = append(row.Cells, render.Cell{Text: better})
	}
	if paper, err := published.Load(s.Table); err == nil {
		const block = "the paper's pairs"
		t.Blocks = []render.Block{{Title: block}}
		missing := 0
		for _, r := range paper.Rows {
			if p, ok := s.find(paper, r.Key); ok {
				add(block, r.Key, p, paper.Cell(r.Key, "highlighted_better").Text)
			} else {
				missing++
			}
		}
		if missing > 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("%d of the paper's pairs are not in the set.", missing))
		}
	}
	for i, p := range s.largest(shownPairs) {
		add("the largest differences here", fmt.Sprintf("largest/%d", i+1), p, "")
	}
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
	t := present.Table(w.Profile, lengthTable, "set",
		"Lengths of sentences, and where CoMB is better than SIF + PC",
		"Length: mean number of tokens of a sentence. Overlap: tokens of the second sentence that the first has "+
			"too. Effective length: their difference.",
		fmt.Sprintf("CoMB is row %q, SIF + PC row %q, both Pearson × 100; gain: their difference, with its "+
			"paired bootstrap interval.", q.CoMB.ID, q.SIF.ID))
	t.Plain("", 0, "pairs")
	t.Plain("", 2, "avg_sentence_length", "avg_word_overlap", "avg_effective_length")
	t.Plain("", 1, "CoMB", "SIF + PC", "gain")
	t.Plain("", 0, "better_method")
	for _, l := range q.Lengths {
		key := lengthKey(l)
		row := t.Add("", key, l.Group+" "+l.Set)
		for i, v := range []float64{float64(l.Pairs), l.Length, l.Overlap, l.Effective} {
			row.Cells = append(row.Cells, render.Cell{
				Value: &v, Printed: published.Number(lengthTable, key, t.Columns[i].Name),
			})
		}
		better := l.better()
		if mark, ok := published.Word(lengthTable, key, "better_method"); ok {
			better += " (" + mark + ")"
		}
		row.Cells = append(row.Cells, render.Number(l.CoMB.Value), render.Number(l.SIF.Value),
			pipeline.Cell(l.Gain), render.Cell{Text: better})
	}
	comb, sif := q.meanEffective(func(l SetLength) float64 { return l.Gain.Value })
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
			len(q.Lengths), q.Correlation.Value, q.Correlation.Low, q.Correlation.High))
	}
	return t
}

func (q *Result) neighboursTable(w *pipeline.Workspace) *render.Table {
	queries := "seven"
	if len(q.Neighbours) != 7 {
		queries = strconv.Itoa(len(q.Neighbours))
	}
	t := present.Table(w.Profile, neighboursTable, "rank", "The words nearest to "+queries+" queries",
		fmt.Sprintf("CoMB: by CMD from the barycenter of the query's words, settings of row %q. SIF: "+
			"by the cosine to the query's vector, row %q, no principal component removed. All words of the "+
			"vocabulary are candidates, those of the query included.",
			q.CoMB.ID, q.SIFWords.ID))
	for _, n := range q.Neighbours {
		t.Plain("", 0, n.Query)
	}
	for _, system := range []string{"CoMB", "SIF"} {
		for rank := range w.Profile.Qualitative.Neighbours {
			key, label := fmt.Sprintf("%s/%d", system, rank+1), strconv.Itoa(rank+1)
			var ours, printed []string
			any := false
			for _, n := range q.Neighbours {
				word, ok := published.Word(neighboursTable, n.Query+"/"+key, "word")
				ours, printed, any = append(ours, n.word(system, rank)), append(printed, word), any || ok
			}
			t.Add(system, key, label, render.Texts(ours...)...)
			if any && w.Profile.Published() {
				t.Add(system+", printed", "printed/"+key, label, render.Texts(printed...)...)
			}
		}
	}
	return t
}

func (n QueryNeighbours) word(system string, rank int) string {
	if words := n.Words[system]; rank < len(words) {
		return words[rank]
	}
	return ""
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
			if p, ok := s.find(paper, r.Key); ok {
				word(s.Table, r.Key, "highlighted_better", p.better(), q.CoMB.ID)
			}
		}
	}
	for _, l := range q.Lengths {
		word(lengthTable, lengthKey(l), "better_method", l.better(), q.CoMB.ID)
	}
	for _, n := range q.Neighbours {
		for system, words := range n.Words {
			for rank := range words {
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
	comb, sif := q.meanEffective(func(l SetLength) float64 { return l.Gain.Value })
	if math.IsNaN(comb) || math.IsNaN(sif) {
		return nil // one is better everywhere: there is nothing to compare
	}
	// Which method is better is decided again in each sample. A method that is better
	// nowhere in a sample keeps its mean: there is nothing else to compare.
	combDraws, sifDraws := make([]float64, pipeline.ClaimDraws), make([]float64, pipeline.ClaimDraws)
	for d := range pipeline.ClaimDraws {
		x, y := q.meanEffective(func(l SetLength) float64 { return l.Gain.Draws[d] })
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
