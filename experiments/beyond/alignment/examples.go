package alignment

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"contextmover/cmdlib/align"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/present"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/show/render"
)

// Example is a pair of sentences with what people and an aligner linked.
type Example struct {
	Set, Source, Target string
	// Both are links of people and of the aligner, as "word – word", Same the number of others, between the same words.
	// People and Aligner are those of one alone.
	Both, People, Aligner []string
	Same                  int
}

// exampleCount is how many pairs are looked at.
const exampleCount = 10

// examples draws pairs of the sets in turn.
func (d *data) examples(ctx context.Context, r *Result) (all []Example, err error) {
	at := slices.IndexFunc(r.Rows, func(x profile.AlignmentRow) bool { return x.Common })
	if at < 0 {
		return nil, nil
	}
	sets := d.Profile.Alignment.Sets
	var linked []int // sets whose words are linked
	for s, set := range sets {
		if chunks, err := d.chunks(ctx, set.Test); err != nil {
			return nil, err
		} else if !chunks {
			linked = append(linked, s)
		}
	}
	random := rand.New(rand.NewPCG(pipeline.Seed(d.Profile.Seed, "examples of aligned pairs"), 0))
	for len(all) < exampleCount && len(linked) > 0 {
		s := linked[len(all)%len(linked)]
		pairs, err := d.read(ctx, sets[s].Test)
		if err != nil {
			return nil, err
		}
		base, err := d.costs(ctx, r.Rows[at], sets[s].Test)
		if err != nil {
			return nil, err
		}
		i := random.IntN(len(pairs))
		err = d.link(ctx, r.Rows[at], &pairs[i], base[i], []Setting{r.Outcomes[at][s].Setting},
			func(_ int, links []align.Link) { all = append(all, example(sets[s].Name, &pairs[i], links)) })
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func example(set string, p *dataset.Aligned, links []align.Link) Example {
	e := Example{Set: set, Source: strings.Join(p.Source, " "), Target: strings.Join(p.Target, " ")}
	name := func(l align.Link) string { return p.Source[l.Source] + " – " + p.Target[l.Target] }
	for _, l := range links {
		switch {
		case !slices.Contains(p.Sure, l):
			e.Aligner = append(e.Aligner, name(l))
		case strings.EqualFold(p.Source[l.Source], p.Target[l.Target]):
			e.Same++
		default:
			e.Both = append(e.Both, name(l))
		}
	}
	for _, l := range p.Sure {
		if !slices.Contains(links, l) {
			e.People = append(e.People, name(l))
		}
	}
	return e
}

// examplesTable shows what people and the aligner linked, a pair a row.
func (r *Result) examplesTable(p *profile.Profile) *render.Table {
	t := present.Table(p, examplesID, "pair", "Pairs of sentences with the links of people and of transport",
		"Drawn of the test parts, before anybody had looked. Links of partial transport with the "+
			"first four letters and one setting for all sets.")
	t.Scores("", 0,
		"set", "sentences", "linked by both", "by people alone", "by transport alone", "same words, by both")
	list := func(links []string) string { return cmp.Or(strings.Join(links, ", "), "–") }
	for i, e := range r.Examples {
		number := strconv.Itoa(i + 1)
		t.Add("", number, number, render.Texts(e.Set, e.Source+" / "+e.Target, list(e.Both), list(e.People),
			list(e.Aligner), strconv.Itoa(e.Same))...)
	}
	return t
}
