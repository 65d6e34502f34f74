// Package verdict compares our numbers with the paper's: every printed cell gets a verdict and a reason, every claim is
// tested, and a run is held against a recorded one. It works from result files (package results) alone.
package verdict

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/published"
	"contextmover/experiments/harness/results"
	"contextmover/internal/elementary"
)

// Verdict says how a printed cell compares with the number of this program.
type Verdict string

// The verdicts on a cell that a method computed here.
const (
	// Within: the numbers agree within a tolerance that is fixed by what was printed.
	Within Verdict = "within tolerance"
	// SameWord: a word that a method found is the printed one.
	SameWord Verdict = "the same word"
	// Indistinguishable: not within tolerance, but the printed number lies in the interval
	// of ours over test items. That is no agreement: both methods were scored on the same
	// items, and the fewer these are, the wider is the interval.
	Indistinguishable Verdict = "indistinguishable on so few items"
	// Otherwise: other settings than the paper's, or other vectors, come within tolerance.
	Otherwise Verdict = "differs; other settings or vectors agree"
	Differs   Verdict = "differs"
)

// The verdicts on all other cells, which are counted apart.
const (
	// An input is a setting, a property of the evaluation sets, or how many of their items
	// the vocabulary knows: what a method is given.
	EqualInput Verdict = "input: equal"
	OtherInput Verdict = "input: differs"
	Machine    Verdict = "measured on another machine"
	Quoted     Verdict = "quoted"
	NoData     Verdict = "data not available"
	NotRun     Verdict = "not yet run"
)

// Computed lists the verdicts on cells that a method computed here, Apart those on others.
func Computed() []Verdict {
	return []Verdict{Within, SameWord, Indistinguishable, Otherwise, Differs}
}

func Apart() []Verdict {
	return []Verdict{EqualInput, OtherInput, Machine, Quoted, NoData, NotRun}
}

// Verdicts lists all verdicts on cells.
func Verdicts() []Verdict { return append(Computed(), Apart()...) }

// Cell is a printed cell with the number of this program.
type Cell struct {
	published.Address
	Printed string `json:"printed_text"` // as printed: a number, or a word in a table of words
	// Number is the printed number, nil for a word or a range.
	Number *float64 `json:"printed"`
	// Ours is our number, nil if there is none; Low and High its 95 % interval.
	Ours    *float64 `json:"ours,omitempty"`
	Low     *float64 `json:"low,omitempty"`
	High    *float64 `json:"high,omitempty"`
	Word    string   `json:"word,omitempty"`   // ours, in a table of words
	Source  string   `json:"source,omitempty"` // our row
	Verdict Verdict  `json:"verdict"`
	Reason  string   `json:"reason"`
	Profile string   `json:"profile,omitempty"` // whose run has our number
}

// Report is the verdict on a profile's results.
type Report struct {
	Profile string `json:"profile"`
	// Cells are the printed cells of all numeric tables, in the paper's order, and
	// Text the numbers in the running text.
	Cells  []Cell  `json:"cells"`
	Text   []Cell  `json:"text"`
	Claims []Claim `json:"claims"`
	// Totals counts the verdicts, Agreement measures the tables of scores, Seen has what had been seen when choices
	// were made.
	Totals    Totals      `json:"totals"`
	Agreement []Agreement `json:"agreement"`
	Seen      []Seen      `json:"seen"`
}

// Count returns how many cells have each verdict.
func Count(cells []Cell) map[Verdict]int {
	n := map[Verdict]int{}
	for _, c := range cells {
		n[c.Verdict]++
	}
	return n
}

// ours finds our quantities by the paper's address.
type ours map[published.Address][]quantity

type quantity struct {
	results.Quantity
	experiment string
}

func collect(all []*results.Result) ours {
	o := ours{}
	for _, r := range all {
		for _, q := range r.Quantities {
			a := published.Address{Table: q.Table, Row: q.Row, Column: q.Column}
			o[a] = append(o[a], quantity{q, r.Experiment})
		}
	}
	return o
}

func (o ours) find(a published.Address, variant string) *quantity {
	for i := range o[a] {
		if o[a][i].Variant == variant {
			return &o[a][i]
		}
	}
	return nil
}

// onAuthorsFiles finds in settings, as TOML, that they are on the files of the paper's authors.
var onAuthorsFiles = regexp.MustCompile(`(?m)^kind = ["']` + profile.KindAuthors + `["']$`)

// Judge compares the results of a profile with everything the paper printed.
func Judge(name string, all []*results.Result) *Report {
	o := collect(all)
	theirs := slices.ContainsFunc(all, func(r *results.Result) bool { return onAuthorsFiles.MatchString(r.Settings) })
	r := &Report{Profile: name, Claims: o.claims(theirs), Seen: WhatWasSeen()}
	for i := range r.Claims {
		if r.Claims[i].Decision != NotTestable {
			r.Claims[i].Profile = name
		}
	}
	for _, table := range published.Tables() {
		for _, row := range table.Rows {
			for k, c := range row.Cells {
				word := isWord(table.ID, table.Columns[k]) // which may look like a number
				if !c.Number && !word || c.Text == "" {
					continue
				}
				a := published.Address{Table: table.ID, Row: row.Key, Column: table.Columns[k]}
				r.Cells = append(r.Cells, o.judge(a, c.Text, c.Number && !word, c.Value, row.Origin))
			}
		}
	}
	for _, n := range published.TextNumbers() {
		a := published.Address{Table: published.TextTable, Row: n.Row, Column: "value"}
		if from, id := published.SourceOf(a); from == published.FromClaim {
			r.Text = append(r.Text, r.judgeByClaim(a, n.Value, id))
			continue
		}
		r.Text = append(r.Text, o.judge(a, n.Value, n.Number, n.AsNumber, published.Run))
	}
	for _, cells := range [][]Cell{r.Cells, r.Text} {
		for i := range cells {
			if cells[i].Source != "" {
				cells[i].Profile = name
			}
			for _, from := range []published.Source{published.FromCorpus, published.FromVectors} {
				if theirs {
					cells[i].Reason = strings.Replace(cells[i].Reason, circumstance(from), "", 1)
				}
			}
		}
	}
	r.sum()
	return r
}

// judgeByClaim judges what a claim says with numbers, such as a range, by how the claim
// fares.
func (r *Report) judgeByClaim(a published.Address, text, id string) Cell {
	c := Cell{Address: a, Printed: text}
	claim := r.Claims[slices.IndexFunc(r.Claims, func(c Claim) bool { return c.ID == id })]
	c.Reason = fmt.Sprintf("claim %s %s: %s", id, claim.Verdict, claim.Reason)
	switch claim.Decision {
	case Holds:
		c.Verdict = Within
	case NotTestable:
		c.Verdict = NotRun
		if claim.Kind == published.NoTest {
			c.Verdict = NoData
		}
	default:
		c.Verdict = Differs
	}
	return c
}

// isWord tells whether a column holds words that a method found: nearest words, and
// which of two methods did better. Sentences and gold labels are not results.
func isWord(table, column string) bool {
	return column == "highlighted_better" || column == "better_method" || isNeighbour(table, column)
}

func isNeighbour(table, column string) bool {
	return table == "tableS11_nearest_neighbours" && column == "word"
}

func (o ours) judge(a published.Address, text string, number bool, printed float64, origin published.Origin) Cell {
	c := Cell{Address: a, Printed: text}
	if number {
		c.Number = &printed
	}
	from, why := published.SourceOf(a)
	q := o.find(a, results.Paper)
	if q != nil {
		c.Source, c.Word = q.Source, q.Text
		if q.Text == "" {
			mean := q.Mean()
			c.Ours, c.Low, c.High = &mean, q.Low, q.High
		}
	}
	switch {
	case (origin == published.Quoted || from == published.Elsewhere) && q == nil:
		c.Verdict, c.Reason = Quoted, "quoted by the paper from other work"
		if why != "" && from == published.Elsewhere {
			c.Reason += "; " + why
		}
	case origin == published.NotStated && q == nil:
		c.Verdict, c.Reason = Quoted, "the paper does not say whether it ran or quoted this row"
	case q == nil && from == published.Unavailable:
		c.Verdict, c.Reason = NoData, why
	case q == nil:
		c.Verdict, c.Reason = NotRun, "no result of ours for this cell"
		if from == published.FromMachine {
			c.Reason = "repro timings measures it"
		}
		if why != "" {
			c.Reason = why
		}
	case from == published.FromMachine && q.Text == "":
		judgeMachine(&c, q.Value)
	case !number && q.Text == "":
		c.Verdict, c.Reason = Differs, "ours is a number and the printed one is not"
	case !number:
		o.judgeWord(&c, from)
	case q.Text != "":
		c.Verdict, c.Reason = Differs, "ours is not a number"
	default:
		o.judgeNumber(&c, q, from, why)
	}
	return c
}

// judgeNumber judges our number for a printed one by the number alone, and where they do not agree also by those of
// other variants.
func (o ours) judgeNumber(c *Cell, q *quantity, from published.Source, why string) {
	text, printed := c.Printed, *c.Number
	ok, how := within(q.Mean(), text, printed, from.Input())
	if ok {
		c.Verdict, c.Reason = Within, how
		if from.Input() {
			c.Verdict = EqualInput
		}
		return
	}
	d := q.Mean() - printed
	c.Reason = fmt.Sprintf("ours is %s %s", strconv.FormatFloat(math.Abs(d), 'f', decimals(text), 64),
		map[bool]string{true: "higher", false: "lower"}[d > 0])
	half := float64(lastUnit(text) / 2)
	switch other, what := o.otherwise(c); {
	case from.Input():
		c.Verdict = OtherInput
	case other != nil:
		c.Verdict = Otherwise
		c.Reason += fmt.Sprintf("; with %s (%s) it is %.*f", what, other.Source, decimals(text), other.Mean())
	case q.Low != nil && q.High != nil && printed >= *q.Low-half && printed <= *q.High+half:
		c.Verdict = Indistinguishable
		c.Reason += "; the printed number lies in the 95 % interval of ours over test items"
	default:
		c.Verdict = Differs
	}
	c.Reason += circumstance(from)
	if why != "" {
		c.Reason += "; " + why
	}
}

// otherwise returns the first number of another variant that is within tolerance, and what is other in it.
func (o ours) otherwise(c *Cell) (*quantity, string) {
	for i, other := range o[c.Address] {
		if other.Variant == results.Paper || other.Text != "" {
			continue
		}
		if ok, _ := within(other.Mean(), c.Printed, *c.Number, false); ok {
			if strings.HasPrefix(other.Variant, results.Chosen) && !strings.Contains(other.Variant, "-") {
				return &o[c.Address][i], "settings chosen on the validation set"
			}
			return &o[c.Address][i], "other vectors"
		}
	}
	return nil, ""
}

// judgeMachine compares what depends on the machine: a time, a speed, or a bound of one.
func judgeMachine(c *Cell, value float64) {
	bound, isBound := strings.CutPrefix(c.Printed, "<")
	printed, err := strconv.ParseFloat(bound, 64)
	if err != nil {
		c.Verdict, c.Reason = Differs, "ours is a number and the printed one is not"
		return
	}
	ratio, word := value/printed, "times"
	switch machineUnit(c.Address) {
	case "1/s":
		word = "times as fast"
	case "s", "min":
		ratio, word = printed/value, "times as fast"
	}
	if ratio < 1 && word == "times as fast" {
		ratio, word = 1/ratio, "times as slow"
	}
	c.Verdict, c.Reason = Machine, significant(ratio, 2)+" "+word
	switch ok, _ := within(value, bound, printed, false); {
	case isBound && value < printed:
		c.Reason = "below the printed bound"
	case !isBound && ok:
		c.Reason = "equal as printed"
	}
	c.Reason += ": " + c.Source
}

// significant writes a positive number with n digits, or more where it has more before the
// point.
func significant(x float64, n int) string {
	return strconv.FormatFloat(x, 'f', max(0, n-1-int(math.Floor(elementary.Log10(x)))), 64)
}

// machineUnit is the unit of a number that depends on the machine.
func machineUnit(a published.Address) string {
	if a.Table != published.TextTable {
		return "s"
	}
	for _, n := range published.TextNumbers() {
		if n.Row == a.Row {
			return n.Unit
		}
	}
	return ""
}

// judgeWord compares words; a nearest word may be at any rank of ours for the same system
// and query, since ranks of near ties say little.
func (o ours) judgeWord(c *Cell, from published.Source) {
	same := c.Word == c.Printed
	c.Reason = map[bool]string{true: "the same", false: "another one"}[same]
	if isNeighbour(c.Table, c.Column) {
		list := c.Row[:strings.LastIndex(c.Row, "/")+1]
		same = false
		for other, q := range o {
			same = same || other.Table == c.Table && other.Column == c.Column && strings.HasPrefix(other.Row,
				list) && q[0].Text == c.Printed
		}
		c.Reason = map[bool]string{true: "among our ten", false: "not among our ten"}[same]
	}
	switch {
	case same && from.Input():
		c.Verdict = EqualInput
	case same:
		c.Verdict = SameWord
	case from.Input():
		c.Verdict = OtherInput
	default:
		c.Verdict = Differs
		c.Reason += circumstance(from)
	}
}

// circumstance says what a number depends on that is not as it was for the authors. It
// is not the cause of a difference: nobody has taken the one away and seen the other go.
func circumstance(from published.Source) string {
	switch from {
	case published.FromCorpus, published.FromCovered:
		return "; known to differ: the corpus"
	case published.FromVectors:
		return "; known to differ: the corpus, the entailment vectors"
	}
	return ""
}

// within tells whether a number of ours agrees with a printed one, and how. Inputs and
// whole numbers have to be equal as printed. Other numbers may differ by one unit of the
// last printed digit: the paper's own tables differ so much from each other.
func within(value float64, text string, printed float64, input bool) (bool, string) {
	unit := lastUnit(text)
	d := math.Abs(value - printed)
	switch {
	case strings.ContainsAny(text, "eE"):
		return d <= 1e-9*math.Abs(printed), "equal"
	case d <= unit/2*(1+1e-9):
		return true, "equal as printed"
	case input || decimals(text) == 0:
		return false, ""
	}
	return d <= unit*(1+1e-9), "equal within the paper's rounding"
}

// lastUnit is one unit of the last printed digit.
func lastUnit(text string) float64 { return elementary.Pow(10, -float64(decimals(text))) }

// decimals counts the digits after the decimal point.
func decimals(text string) int {
	_, after, _ := strings.Cut(text, ".")
	return len(after)
}

// variants lists the variants of all quantities, the paper's settings first.
func (o ours) variants() []string {
	var all []string
	for _, list := range o {
		for _, q := range list {
			if !slices.Contains(all, q.Variant) {
				all = append(all, q.Variant)
			}
		}
	}
	// −1, any other, comes last.
	rank := func(v string) uint { return uint(slices.Index([]string{results.Paper, results.Chosen}, v)) }
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a, b)) })
	return all
}
