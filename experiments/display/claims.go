package display

import (
	"context"
	"fmt"
	"slices"
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
	generated := w.Profile.Corpus.Kind == profile.KindMiniWorld
	if generated {
		names = nil
	}
	known := published.Claims()
	for _, id := range ids { // before anything is computed
		if !slices.ContainsFunc(known, func(c published.Claim) bool { return c.ID == id }) {
			check(fmt.Errorf("display: the paper has no claim %q; they are %s to %s", id,
				known[0].ID, known[len(known)-1].ID))
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
	claims := make(map[string]verdict.Claim)
	for _, c := range verdict.Judge(w.Profile.Name, all).Claims {
		claims[c.ID] = c
	}
	t := render.NewTable("claims", "claim", "The paper's claims under the profile "+w.Profile.Name,
		"A claim holds if the 95 % bootstrap interval of what it compares lies wholly on its side, "+
			"fails if it lies wholly on the other, and is else undecided.")
	if generated {
		t.Title, t.Notes = "The paper's claims", []string{
			"Not tested here, as the generated world has data sets of its own: the profile open tests them.",
		}
	}
	t.Plain("", 0, []string{"printed", "here", "why"}[:columns(generated)]...)
	add := func(label string, cells ...string) {
		t.Add("", "", label, render.Texts(cells[:columns(generated)]...)...)
	}
	for _, id := range ids {
		c := claims[id]
		add(id+": "+c.Text, c.Stated, string(c.Verdict), c.Reason)
		for _, o := range c.Others {
			if o.Verdict != c.Verdict {
				add(c.ID+" with the settings "+o.Variant, "", string(o.Verdict), o.Reason)
			}
		}
	}
	Table(t, nil)
}

// columns is the number of columns of a table of claims: of those that are only listed there is no verdict.
func columns(generated bool) int {
	if generated {
		return 1
	}
	return 3
}
