package published

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Claim is a claim of the paper that can be right or wrong, with how it is tested.
type Claim struct {
	ID      string // C01, C02, …
	Text    string
	Kind    Kind
	Basis   Basis
	Numbers string // as printed
	Source  string // where
	Remark  string // what recomputing it from the printed cells shows; or ""
	Tests   []Test // at least one of each reading; under a reading the claim holds if all hold
}

// Kind says what testing a claim here can show.
type Kind string

const (
	// CouldFail is an ordinary claim: our numbers could have contradicted it.
	CouldFail Kind = "test"
	// ByExample is a claim that something happens at times: a case shows it, and none
	// can refute it.
	ByExample Kind = "example"
	// OnHardware is a claim about the authors' machine: reaching its bound on another one
	// supports it, missing it does not refute it.
	OnHardware Kind = "hardware"
	// NoTest is a claim that no number of ours bears on.
	NoTest Kind = "untested"
)

// Basis says what stands here for the vectors that a claim is about, which are the authors'
// own. A decision on such a claim is one about what stands in for them.
type Basis string

const (
	// OnOurCorpus: vectors by the same method, trained on another corpus.
	OnOurCorpus Basis = "on our corpus"
	// InKind: vectors of another kind.
	InKind Basis = "in kind"
	// OnTheirs: the vectors that the authors published, in the profile that reads these.
	OnTheirs Basis = "on the authors' vectors"
)

// Statistic is what a test computes from our numbers.
type Statistic string

const (
	// Untested tests nothing; Test.Reason says why. A left quantity, if any, is shown.
	Untested Statistic = "none"
	// ValueOf is the left quantity.
	ValueOf Statistic = "value"
	// Difference is the mean of the left quantities minus that of the right ones.
	Difference Statistic = "difference"
	// Gain is 100 (mean of left / mean of right − 1), per cent.
	Gain Statistic = "gain"
	// Wins counts the left quantities that are greater than the right one in the same
	// place.
	Wins Statistic = "wins"
	// Example is Difference in a claim ByExample, and of no other kind, since it cannot fail.
	Example Statistic = "example"
	// Attained is ValueOf in a claim OnHardware, and of no other kind, since it cannot fail.
	Attained Statistic = "attained"
)

// kindOf is the only kind of claim that a statistic may test.
var kindOf = map[Statistic]Kind{
	Untested: NoTest, ValueOf: CouldFail, Difference: CouldFail, Gain: CouldFail, Wins: CouldFail,
	Example: ByExample, Attained: OnHardware,
}

// Test says that a statistic lies between two bounds.
type Test struct {
	// Reading is "" for what the paper's text says. Tests of another reading of the same
	// words, which is named here, are shown next to it and decide nothing.
	Reading     string
	Statistic   Statistic
	Left, Right []Address
	// Low and High bound what the claim says, ±Inf where it does not. A claim with a
	// size ("by about 10 %") is taken to allow from half to twice that size.
	Low, High float64
	Reason    string // why a claim is not tested
}

// Direction is the part of the test that says on which side of zero, or of half of the comparisons, its statistic
// lies. It reports false where the test only gives a size, such as "level within 0.5".
func (t Test) Direction() (Test, bool) {
	middle := 0.0
	if t.Statistic == Wins {
		middle = float64(len(t.Left)) / 2
	}
	switch {
	case kindOf[t.Statistic] != CouldFail || t.Low < middle && t.High != middle:
		return t, false
	case t.Low >= middle:
		t.Low, t.High = middle, math.Inf(1)
	}
	return t, true
}

// Size returns the tolerance of the size that the test states, such as "5 to 20 %"; "" where it states none.
func (t Test) Size() string {
	unit := map[Statistic]string{Gain: " %", Wins: fmt.Sprintf(" of %d", len(t.Left))}[t.Statistic]
	majority := 0.0
	if t.Statistic == Wins {
		majority = 0.5
	}
	direction, ok := t.Direction()
	text := func(x float64) string { return strings.Replace(strconv.FormatFloat(x, 'g', -1, 64), "-", "−", 1) }
	switch {
	case kindOf[t.Statistic] != CouldFail || t.High == 0:
		return ""
	case ok && t.Low-direction.Low <= majority && math.IsInf(t.High, 1):
		return ""
	case t.Low == -t.High:
		return "±" + text(t.High)
	case math.IsInf(t.High, 1) && t.Statistic == Wins:
		return "at least " + text(math.Ceil(t.Low)) + unit
	case math.IsInf(t.High, 1):
		return "at least " + text(t.Low) + unit
	}
	return text(t.Low) + " to " + text(t.High) + unit
}

// Address names a quantity: mostly a printed cell, else something the experiments
// name themselves.
type Address struct {
	Table  string `json:"table"`
	Row    string `json:"row"`
	Column string `json:"column"`
}

func (a Address) String() string { return a.Table + ", " + a.Row + ", " + a.Column }

// groups are the words for the first part of rows: which vectors, of which text.
var groups = map[string]string{
	"a_unsup_glove_tbc": "GloVe, Toronto Books", "b_unsup_sent2vec_tbc": "Sent2vec, Toronto Books",
	"c_unsup_other_corpora": "other corpora", "d_supervised": "supervised",
	"glove_tbc": "GloVe, Toronto Books", "glove_tbc_newscrawl": "GloVe, Toronto Books and News Crawl",
	"sent2vec_tbc": "Sent2vec, Toronto Books",
}

var columnNames = map[string]string{
	"Avg_STS12_15": "average of STS12–15", "STS16_val": "STS16 (validation)", "Wt_Average": "weighted average",
	"accuracy_pct": "accuracy, %", "HypeNet-Train_val": "HypeNet-Train (validation)",
}

// People returns the parts of a for people: the paper's number of the table, the
// row and the column in words. The table of numbers in the running text is "Text".
func (a Address) People() (table, row, column string) {
	table, row, column = a.Table, a.Row, a.Column
	if t, err := Load(a.Table); err == nil {
		table = t.PaperNumber
	} else if a.Table == TextTable {
		table = "Text"
	}
	if group, method, ok := strings.Cut(a.Row, "/"); ok && groups[group] != "" {
		row = method + " (" + groups[group] + ")"
	}
	if name := columnNames[column]; name != "" {
		column = name
	} else {
		column = strings.ReplaceAll(column, "_", " ")
	}
	return table, row, column
}

// TextTable is the table of Addresses of numbers in the running text.
const TextTable = "text_numbers"

// TextNumber is a number in the paper's running text.
type TextNumber struct {
	Row      string // topic: quantity
	Value    string // as printed
	Unit     string
	Source   string // where
	Number   bool   // whether Value is one number
	AsNumber float64
}

// Source says what a printed number depends on.
type Source string

const (
	FromCorpus  Source = "corpus"      // on vectors and counts of the corpus
	FromVectors Source = "vectors"     // on vectors whose training is not published in full
	FromSetting Source = "setting"     // it is a setting
	FromData    Source = "data"        // on the evaluation data alone
	FromCovered Source = "covered"     // on how much of the evaluation data the vocabulary knows
	FromMachine Source = "machine"     // on the machine
	FromClaim   Source = "claim"       // it is what a claim says, whose id is the reason
	Elsewhere   Source = "quoted"      // quoted from other work
	Unavailable Source = "unavailable" // on data that cannot be had
)

// Input tells whether a number is given to the methods rather than computed by one.
func (s Source) Input() bool { return s == FromSetting || s == FromData || s == FromCovered }

// SourceOf tells what the cell of a printed table or of TextTable depends on, and why
// where that needs saying.
func SourceOf(a Address) (Source, string) {
	for _, r := range loadClaims().origins {
		if r.table.MatchString(a.Table) && r.row.MatchString(a.Row) && r.column.MatchString(a.Column) {
			return r.from, r.why
		}
	}
	return "", ""
}

// StandIn is our row in place of one that needs the authors' vectors or corpora. It has the same method with the
// vectors at hand. Against numbers of other work this is a test of its own; between the authors' rows it is none.
func StandIn(a Address) (Address, bool) {
	if a.Table != "table1_sts_summary" {
		return a, false
	}
	switch a.Row {
	case "b_unsup_sent2vec_tbc/CoMB Mix + PC removed", "c_unsup_other_corpora/CoMB Mix + PC removed (GloVe)":
		a.Row = "a_unsup_glove_tbc/CoMB Mix + PC removed"
		return a, true
	}
	return a, false
}

// Claims returns the paper's claims C01 to C40.
func Claims() []Claim { return slices.Clone(loadClaims().claims) }

// TextNumbers returns the numbers that the paper states outside its tables.
func TextNumbers() []TextNumber { return slices.Clone(loadClaims().numbers) }

type origin struct {
	table, row, column *regexp.Regexp
	from               Source
	why                string
}

type claims struct {
	claims  []Claim
	numbers []TextNumber
	origins []origin
}

var loadClaims = sync.OnceValue(func() (c claims) {
	for _, r := range lines("claims/claims.csv") {
		c.claims = append(c.claims, Claim{
			ID: r["id"], Text: r["claim"], Kind: Kind(r["kind"]), Basis: Basis(r["basis"]), Numbers: r["numbers"],
			Source: r["source"], Remark: r["remark"],
		})
	}
	bound := func(text string, sign int) float64 {
		if text == "" {
			return math.Inf(sign)
		}
		return must(strconv.ParseFloat(text, 64))
	}
	for _, r := range lines("claims/tests.csv") {
		of := &c.claims[slices.IndexFunc(c.claims, func(c Claim) bool { return c.ID == r["id"] })]
		of.Tests = append(of.Tests, Test{
			Reading: r["reading"], Statistic: Statistic(r["statistic"]), Left: addresses(r["left"]),
			Right: addresses(r["right"]), Low: bound(r["low"], -1), High: bound(r["high"], 1), Reason: r["reason"],
		})
	}
	for _, r := range lines("claims/text_numbers.csv") {
		cell := parseCell(r["value"])
		c.numbers = append(c.numbers, TextNumber{
			Row: r["topic"] + ": " + r["quantity"], Value: r["value"], Unit: r["unit"], Source: r["where_in_paper"],
			Number: cell.Number, AsNumber: cell.Value,
		})
	}
	for _, r := range lines("claims/origins.csv") {
		c.origins = append(c.origins, origin{
			glob(r["table"]), glob(r["row"]), glob(r["column"]), Source(r["from"]), r["why"],
		})
	}
	return c
})

// addresses reads "table|row|column,column". A comma before a blank is a part of a column's name.
func addresses(s string) (all []Address) {
	if s == "" {
		return nil
	}
	part := strings.Split(s, "|")
	for column := range strings.SplitSeq(part[2], ",") {
		if strings.HasPrefix(column, " ") { // the comma is one of the name
			all[len(all)-1].Column += "," + column
			continue
		}
		all = append(all, Address{part[0], part[1], column})
	}
	return all
}

// glob matches a pattern in which * stands for any text and ? for any character.
func glob(pattern string) *regexp.Regexp {
	text := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern))
	return regexp.MustCompile("^(?s:" + text + ")$")
}
