package profile

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// unfair returns what gives our rows an advantage over baselines in the blocks with chosen
// settings: a baseline that is not there or not searched, a method of transport with
// another number of settings than the average of histograms, or a baseline with fewer than
// the rows of transport that it stands beside: SIF beside those without a mix, SIF with
// the principal component removed beside those which remove it too.
func unfair(p *Profile) (faults []string) {
	for _, block := range p.STS.Blocks {
		rows := slices.DeleteFunc(slices.Clone(p.STS.Rows), func(r Row) bool { return r.Block != block.ID })
		if !slices.ContainsFunc(rows, func(r Row) bool { return r.Select }) {
			continue
		}
		tried := func(kind string, mix, pc bool) int {
			for _, r := range rows {
				if r.Kind() == kind && (r.Histograms().Mix > 0) == mix && r.Removal().RemovePC == pc && r.Select {
					return len(p.Candidates(r))
				}
			}
			return 0
		}
		for _, r := range rows {
			if !r.Select {
				faults = append(faults, fmt.Sprintf("%s: %s has no search", block.ID, r.ID))
			}
		}
		if tried("nbow", false, false) == 0 {
			faults = append(faults, block.ID+": no NBoW")
		}
		for _, kind := range []struct{ mix, pc bool }{{false, false}, {true, false}, {true, true}} {
			average := tried("euclidean", kind.mix, kind.pc)
			for _, method := range []string{"barycenter", "debiased"} {
				if n := tried(method, kind.mix, kind.pc); n != average {
					faults = append(faults, fmt.Sprintf("%s: %d settings of %s, %d of the average", block.ID, n, method, average))
				}
			}
			if sif := tried("sif", false, kind.pc); (kind.pc || !kind.mix) && sif < average {
				faults = append(faults, fmt.Sprintf("%s: %d settings of SIF, %d of transport", block.ID, sif, average))
			}
		}
	}
	return faults
}

func TestEqualSearches(t *testing.T) {
	for _, name := range []string{"mini", "open"} {
		if faults := unfair(load(t, name)); faults != nil {
			t.Errorf("%s: %q", name, faults)
		}
	}
	// A baseline that is not searched, or less, is found.
	for _, override := range []string{
		"sts.blocks.chosen.rows=['nbow', 'sif-pc', 'euclidean', 'comb', 'debiased']", "sts.blocks.chosen-svd.rows=['sif', 'euclidean']",
		"sts.select.vectors.a=[1e-3,1e-4]", "sts.select.vectors.pc_batch=[0]",
	} {
		if unfair(load(t, "open", override)) == nil {
			t.Errorf("%s: seems fair", override)
		}
	}
}

// The paper's settings are among those searched, so that a chosen row cannot be worse on
// the validation group: STS16's paper rows of the profile "open".
func TestPaperIsCandidate(t *testing.T) {
	p := load(t, "systems")
	for chosen, paper := range map[string]string{
		"glove-chosen-nbow": "glove-nbow", "glove-chosen-sif": "glove-sif", "glove-chosen-sif-pc": "glove-sif-pc",
		"glove-chosen-euclidean": "glove-euclidean", "glove-chosen-comb": "glove-comb", "glove-chosen-debiased": "glove-debiased",
		"glove-chosen-comb-mix": "glove-comb-mix", "glove-chosen-comb-mix-pc": "glove-comb-mix-pc",
		"glove-chosen-euclidean-mix": "glove-euclidean-mix", "glove-chosen-euclidean-mix-pc": "glove-euclidean-mix-pc",
		"chosen-sent2vec": "sent2vec", "chosen-sent2vec-pc": "sent2vec-pc", "chosen-comb": "comb", "chosen-comb-mix-pc": "comb-mix-pc", "chosen-nbow": "nbow", "chosen-sif": "sif", "chosen-sif-pc": "sif-pc",
	} {
		want := row(t, p, paper)
		found := false
		for _, c := range p.Candidates(row(t, p, chosen)) {
			c.ID, c.Label, c.Block, c.Select = want.ID, want.Label, want.Block, want.Select
			c.PublishedSummary, c.PublishedDetail = want.PublishedSummary, want.PublishedDetail
			if !c.HasHistograms() && !c.Removal().RemovePC {
				c = c.With("pc_batch", want.Removal().PCBatch) // of no effect
			}
			found = found || c == want
		}
		if !found {
			t.Errorf("%s: the settings of %s are not among those tried", chosen, paper)
		}
	}
}

func TestCandidates(t *testing.T) {
	p := load(t, "systems")
	for id, want := range map[string]int{
		"chosen-nbow": 1, "glove-chosen-nbow": 2,
		"chosen-sif": 2 * 25, "glove-chosen-sif": 2 * 25 * 2, "chosen-sif-pc": 2 * 25 * 2, "glove-chosen-sif-pc": 2 * 25 * 2 * 2,
		"chosen-wmd": 1 + 2*25, "glove-chosen-wrd": (1+2*25)*2 - 1, "chosen-sent2vec": 2,
		"chosen-comb": 48, "chosen-debiased": 48, "chosen-euclidean": 48, // the paper's settings are in the grid
		"chosen-comb-mix": 96 + 1, "chosen-debiased-mix-pc": 96 + 1, "chosen-euclidean-mix-pc": 96 + 1,
	} {
		all := p.Candidates(row(t, p, id))
		if len(all) != want || all[0] != row(t, p, id) {
			t.Errorf("%s: %d candidates, want %d, its own first", id, len(all), want)
		}
		seen := map[Row]bool{}
		for _, r := range all {
			if seen[r] {
				t.Errorf("%s: %+v twice", id, r)
			}
			seen[r] = true
		}
	}
}

// A set that the paper tests on is not chosen on, by its column or by its file.
func TestNothingIsChosenOnATestSet(t *testing.T) {
	for name, overrides := range map[string][]string{
		"the paper tests on STS13 (its column STS13)":         {"sts.groups.STS16.validation=false", "sts.groups.STS13.validation=true"},
		`"sts/2016/headlines.tsv" is also in the group STS16`: {"sts.groups.STS12.sets.MSRpar.file=sts/2016/headlines.tsv"},
		"2 groups have validation = true":                     {"sts.groups.STS12.validation=true", "sts.groups.STS12.published=" + `""`},
	} {
		_, err := Load("open", overrides)
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v: %v, want %q", overrides, err, name)
		}
	}
	// The paper's own validation group, and groups that it does not have.
	load(t, "open", "sts.groups.STS16.validation=true")
	load(t, "mini", "sts.groups.mini-val.validation=false", "sts.groups.mini-topic.validation=true")
}
