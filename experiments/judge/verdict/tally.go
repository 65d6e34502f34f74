package verdict

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"contextmover/experiments/harness/published"
)

// Tally counts the claims of one kind and basis by how they fare under the paper's settings.
type Tally struct {
	Kind      published.Kind   `json:"kind"`
	Basis     published.Basis  `json:"basis,omitempty"`
	Decisions map[Decision]int `json:"decisions"`
	Claims    []string         `json:"claims"`
	// Lost counts those that hold or fail by themselves and not after Holm's correction.
	Lost int `json:"lost"`
}

// Name says what kind of claims are counted.
func (t Tally) Name() string {
	switch t.Kind {
	case published.CouldFail:
		return "could have failed, " + string(t.Basis)
	case published.ByExample:
		return "can only be shown by example, " + string(t.Basis)
	case published.OnHardware:
		return "can only be reached, on other hardware"
	}
	return "no number of ours bears on them"
}

// Tallies counts the claims apart by what testing them here can show.
func (r *Report) Tallies() []Tally {
	var all []Tally
	kinds := []published.Kind{published.CouldFail, published.ByExample, published.OnHardware, published.NoTest}
	for _, kind := range kinds {
		for _, basis := range []published.Basis{published.OnOurCorpus, published.InKind, ""} {
			t := Tally{Kind: kind, Basis: basis, Decisions: map[Decision]int{}}
			for _, c := range r.Claims {
				if c.Kind != kind || c.standsFor() != basis {
					continue
				}
				t.Decisions[c.Decision]++
				t.Claims = append(t.Claims, c.ID)
				if c.Lost() {
					t.Lost++
				}
			}
			if len(t.Claims) > 0 {
				all = append(all, t)
			}
		}
	}
	return all
}

// standsFor is what would stand for the paper's vectors, also where there is no decision.
func (c *Claim) standsFor() published.Basis {
	all := published.Claims()
	return all[slices.IndexFunc(all, func(p published.Claim) bool { return p.ID == c.ID })].Basis
}

// ClaimCounts says how many claims of each kind have each decision.
func (r *Report) ClaimCounts() string {
	var parts []string
	for _, t := range r.Tallies() {
		var counts []string
		for _, d := range Decisions() {
			if n := t.Decisions[d]; n > 0 {
				counts = append(counts, fmt.Sprintf("%d %s", n, d))
			}
		}
		parts = append(parts, fmt.Sprintf("%d %s: %s", len(t.Claims), t.Name(), strings.Join(counts, ", ")))
	}
	return fmt.Sprintf("%d claims under the paper's settings. %s", len(r.Claims), strings.Join(parts, ". "))
}

// Multiplicity says what testing so many claims at once does to the decisions.
func (r *Report) Multiplicity() string {
	family, decided, lost := 0, 0, 0
	for _, c := range r.Claims {
		if c.P == nil {
			continue
		}
		family++
		if c.Decision == Holds || c.Decision == Fails {
			decided++
		}
		if c.Lost() {
			lost++
		}
	}
	return fmt.Sprintf("Each claim is decided at 95 %%. If all %d claims that could have failed were borderline, "+
		"we would expect %.1f wrong verdicts. Holm's correction (1979) keeps the probability of any wrong verdict "+
		"at 5 %%; after it %d of the %d verdicts remain, and the others are marked. Claims under other settings "+
		"are corrected alike, each variant by itself.",
		family, level*float64(family), decided-lost, decided)
}

// ClaimsMarkdown writes the counts of the claims by kind, then the claims with the given ids, each with its evidence.
// Without ids it writes all claims that have a verdict.
func (r *Report) ClaimsMarkdown(w io.Writer, ids ...string) error {
	var b strings.Builder
	r.markdownTallies(&b)
	fmt.Fprintf(&b, "\n%s\n\n| | claim | verdict | evidence | with chosen settings |\n|:--|:--|:--|:--|:--|\n",
		r.Multiplicity())
	for _, c := range r.Claims {
		var chosen []string
		for _, o := range c.Others {
			if !strings.HasPrefix(o.Variant, "chosen") {
				continue
			}
			text := o.Variant + ": " + o.Verdict
			if o.Evidence != "" {
				text += ", " + o.Evidence
			}
			chosen = append(chosen, text)
		}
		if len(ids) > 0 && !slices.Contains(ids, c.ID) || len(ids) == 0 && c.Decision == NotTestable &&
			len(chosen) == 0 {
			continue
		}
		fmt.Fprintf(&b, "| %s | %s | **%s** | %s | %s |\n", c.ID, escape(c.Text), c.Verdict, escape(c.Evidence),
			escape(strings.Join(chosen, "; ")))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) markdownTallies(b *strings.Builder) {
	b.WriteString("| claims that | ")
	rule := "|:--|"
	for _, d := range Decisions() {
		fmt.Fprintf(b, "%s | ", d)
		rule += "--:|"
	}
	fmt.Fprintf(b, "all | lost to Holm's correction |\n%s--:|--:|\n", rule)
	for _, t := range r.Tallies() {
		fmt.Fprintf(b, "| %s |", t.Name())
		for _, d := range Decisions() {
			if n := t.Decisions[d]; n > 0 {
				fmt.Fprintf(b, " %d |", n)
			} else {
				b.WriteString(" |")
			}
		}
		fmt.Fprintf(b, " %d | %d |\n", len(t.Claims), t.Lost)
	}
}
