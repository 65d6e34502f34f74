package verdict

import (
	"fmt"
	"slices"

	"contextmover/experiments/harness/published"
	"contextmover/experiments/harness/results"
)

// Deciding are the profiles whose runs decide the paper's claims together. A claim has the verdict of the first of them
// that can decide it without a number that the paper quotes, or else of the first that can decide it at all, and a cell
// that of the first that has a number for it.
var Deciding = []string{"open", "systems"}

// former has the numbers of a recorded run of the profile open whose command has been removed since; formerName says
// which run that is.
const former, formerName = "former", "open at commit 668571e3"

// Whole judges the runs of all Deciding profiles together; read returns the results of a profile.
func Whole(read func(profile string) ([]*results.Result, error)) (*Report, error) {
	var reports []*Report
	for _, name := range Deciding {
		all, err := read(name)
		if err != nil {
			return nil, err
		}
		reports = append(reports, Judge(name, all))
	}
	all, err := RecordedResults(former)
	if err != nil {
		return nil, err
	}
	return merge(append(reports, Judge(formerName, all))), nil
}

// merge takes every claim, every variant of a claim and every cell from the first report that has something to say.
func merge(reports []*Report) *Report {
	first := reports[0]
	r := &Report{Profile: "open and systems", Seen: first.Seen}
	cells := func(of func(*Report) []Cell) (merged []Cell) {
		missing := func(c Cell) bool { return slices.Contains([]Verdict{Quoted, NoData, NotRun}, c.Verdict) }
		merged = slices.Clone(of(first))
		for i := range merged {
			for _, other := range reports[1:] {
				if c := of(other)[i]; missing(merged[i]) && !missing(c) {
					merged[i] = c
				}
			}
		}
		return merged
	}
	r.Cells = cells(func(r *Report) []Cell { return r.Cells })
	r.Text = cells(func(r *Report) []Cell { return r.Text })
	for i, c := range first.Claims {
		c.Others = slices.Clone(c.Others)
		for _, report := range reports[1:] {
			other := report.Claims[i]
			if supersedes(other.Outcome, c.Outcome) {
				c.Outcome, c.Profile = other.Outcome, other.Profile
			}
			for _, o := range other.Others {
				k := slices.IndexFunc(c.Others, func(known Outcome) bool { return known.Variant == o.Variant })
				switch {
				case k < 0:
					c.Others = append(c.Others, o)
				case supersedes(o, c.Others[k]):
					c.Others[k] = o
				}
			}
		}
		r.Claims = append(r.Claims, c)
	}
	correct(r.Claims)
	r.sum()
	return r
}

// supersedes reports whether an outcome decides what an earlier profile could not, or could only against numbers of
// other text that the paper quotes.
func supersedes(later, earlier Outcome) bool {
	return later.Decision != NotTestable && (earlier.Decision == NotTestable || earlier.quoted && !later.quoted)
}

// sum counts the verdicts.
func (r *Report) sum() {
	r.Agreement = r.agreement()
	t := Totals{Printed: len(r.Cells), Within: Count(r.Cells)[Within]}
	for _, c := range r.Claims {
		if c.Kind != published.CouldFail {
			continue
		}
		t.Testable++
		switch c.Decision {
		case Holds:
			t.Hold++
		case Fails:
			t.Fail++
		case Undecided:
			t.Undecided++
		default:
			t.NotTestable++
		}
		if c.Lost() {
			t.Lost++
		}
	}
	for _, c := range r.Cells {
		if d, ok := c.difference(); ok && decimals(c.Printed) == 1 && slices.Contains(Computed(), c.Verdict) {
			t.Scores++
			if max(d, -d) <= 1 {
				t.Near++
			}
		}
	}
	r.Totals = t
}

// Totals counts what became of the claims that could have failed, and of the printed cells.
type Totals struct {
	Testable    int `json:"testable"`
	Hold        int `json:"hold"`
	Fail        int `json:"fail"`
	Undecided   int `json:"undecided"`
	NotTestable int `json:"not_testable"` // with the data at hand
	Lost        int `json:"lost"`         // decided by themselves, and not after Holm's correction
	Printed     int `json:"printed"`      // cells
	Within      int `json:"within"`       // of these, within tolerance
	Scores      int `json:"scores"`       // cells in points that were computed here
	Near        int `json:"near"`         // of these, within one point
}

// String says what the counts are in two sentences.
func (t Totals) String() string {
	return fmt.Sprintf("Of the paper's %d testable claims %d hold, %d fail, %d are undecided and %d could not be "+
		"tested; Holm's correction takes back %d of the %d decisions. %d of %s printed numbers are reproduced "+
		"within tolerance, and %d of %d scores are within one point.",
		t.Testable, t.Hold, t.Fail, t.Undecided, t.NotTestable, t.Lost, t.Hold+t.Fail, t.Within,
		thousands(t.Printed), t.Near, t.Scores)
}

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
