package display

import (
	"context"
	"fmt"
	"time"

	"contextmover/experiments"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/published"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/harness/store"
	"contextmover/experiments/judge/verdict"
	"contextmover/experiments/show/render"
)

// Claims shows what became of the paper's claims with the given ids, by what the named
// experiments of the profile find. Every claim is tested under the paper's settings;
// what other settings say follows where they differ. On the generated world, whose data
// sets are not the paper's, the claims are listed only.
func Claims(ctx context.Context, w *pipeline.Workspace, names []string, ids ...string) {
	known := published.Claims()
	at := make(map[string]int)
	for i, c := range known {
		at[c.ID] = i
	}
	for _, id := range ids { // before anything is computed
		if _, ok := at[id]; !ok {
			check(fmt.Errorf("display: the paper has no claim %q; they are %s to %s", id,
				known[0].ID, known[len(known)-1].ID))
		}
	}

	t := render.NewTable("claims", "claim", "The paper's claims under the profile "+w.Profile.Name,
		"A claim holds if the 95 % bootstrap interval of what it compares lies wholly on its side, "+
			"fails if it lies wholly on the other, and is else undecided.")
	t.Plain("", 0, "printed", "here", "why")
	if w.Profile.Corpus.Kind == profile.KindMiniWorld {
		names = nil
		t.Columns, t.Title, t.Notes = t.Columns[:1], "The paper's claims", []string{
			"Not tested here, as the generated world has data sets of its own: the profile open tests them.",
		}
	}
	var chosen []experiments.Experiment
	for _, name := range names {
		chosen = append(chosen, must(find(name)))
	}
	var all []*results.Result
	for _, e := range chosen {
		ctx, reads := store.Reading(ctx)
		output := must(e.Run(ctx, w))
		// The time and the machine of a result are not shown.
		all = append(all, must(w.Outcome(e.Name, output, time.Now(), results.Machine{}, reads)))
	}
	claims := verdict.Judge(w.Profile.Name, all).Claims
	add := func(label string, cells ...string) {
		t.Add("", "", label, render.Texts(cells[:len(t.Columns)]...)...)
	}
	for _, id := range ids {
		c := claims[at[id]]
		add(id+": "+c.Text, c.Stated, c.Verdict, c.Reason)
		for _, o := range c.Others {
			if o.Verdict != c.Verdict {
				add(c.ID+" with the settings "+o.Variant, "", o.Verdict, o.Reason)
			}
		}
	}
	Table(t, nil)
}
