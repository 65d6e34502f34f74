package published

import (
	"embed"
	"fmt"
	"io/fs"
	"math"
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
	for _, r := range mustLoadClaims().origins {
		if glob(r.table, a.Table) && glob(r.row, a.Row) && glob(r.column, a.Column) {
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
func Claims() []Claim { return slices.Clone(mustLoadClaims().claims) }

// TextNumbers returns the numbers that the paper states outside its tables.
func TextNumbers() []TextNumber { return slices.Clone(mustLoadClaims().numbers) }

//go:embed claims/*.csv
var embeddedClaims embed.FS

type origin struct {
	table, row, column string
	from               Source
	why                string
}

type claims struct {
	claims  []Claim
	numbers []TextNumber
	origins []origin
}

var loadClaims = sync.OnceValues(func() (*claims, error) {
	data, err := fs.Sub(embeddedClaims, "claims")
	if err != nil {
		return nil, err
	}
	return readClaims(data)
})

func mustLoadClaims() *claims {
	c, err := loadClaims()
	if err != nil {
		panic(err)
	}
	return c
}

func readClaims(data fs.FS) (*claims, error) {
	c := new(claims)
	lines := func(name, header string, each func(line []string) error) error {
		records, err := readCSV(data, name)
		if err != nil {
			return err
		}
		if got := strings.Join(records[0], ","); got != header {
			return fmt.Errorf("published: %s:1: columns %s, expected %s", name, got, header)
		}
		for i, r := range records[1:] {
			if err := each(r); err != nil {
				return fmt.Errorf("published: %s:%d: %w", name, i+2, err)
			}
		}
		return nil
	}
	at := map[string]int{}
	err := lines("claims.csv", "id,claim,kind,basis,numbers,source,remark", func(r []string) error {
		if _, twice := at[r[0]]; twice || r[0] == "" {
			return fmt.Errorf("the id %q is empty or occurs twice", r[0])
		}
		at[r[0]] = len(c.claims)
		claim := Claim{
			ID: r[0], Text: r[1], Kind: Kind(r[2]), Basis: Basis(r[3]), Numbers: r[4], Source: r[5], Remark: r[6],
		}
		c.claims = append(c.claims, claim)
		return claim.check()
	})
	if err != nil {
		return nil, err
	}
	err = lines("tests.csv", "id,reading,statistic,left,right,low,high,reason", func(r []string) error {
		k, ok := at[r[0]]
		if !ok {
			return fmt.Errorf("no claim %q", r[0])
		}
		t := Test{Reading: r[1], Statistic: Statistic(r[2]), Low: math.Inf(-1), High: math.Inf(1), Reason: r[7]}
		if t.Left, err = addresses(r[3]); err != nil {
			return err
		}
		if t.Right, err = addresses(r[4]); err != nil {
			return err
		}
		for _, b := range []struct {
			text string
			to   *float64
		}{{r[5], &t.Low}, {r[6], &t.High}} {
			if b.text == "" {
				continue
			}
			if *b.to, err = strconv.ParseFloat(b.text, 64); err != nil {
				return err
			}
		}
		if err := t.check(); err != nil {
			return err
		}
		if kind := c.claims[k].Kind; kindOf[t.Statistic] != kind {
			return fmt.Errorf("the statistic %q on the claim %s of kind %q: it is for the kind %q alone, so that "+
				"claims that cannot fail are not counted with those that can",
				t.Statistic, r[0], kind, kindOf[t.Statistic])
		}
		c.claims[k].Tests = append(c.claims[k].Tests, t)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, claim := range c.claims {
		if !slices.ContainsFunc(claim.Tests, func(t Test) bool { return t.Reading == "" }) {
			return nil, fmt.Errorf("published: tests.csv has no line for %s", claim.ID)
		}
	}
	err = lines("text_numbers.csv", "topic,quantity,value,unit,where_in_paper", func(r []string) error {
		n := TextNumber{Row: r[0] + ": " + r[1], Value: r[2], Unit: r[3], Source: r[4]}
		cell := parseCell(r[2])
		n.Number, n.AsNumber = cell.Number, cell.Value
		c.numbers = append(c.numbers, n)
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = lines("origins.csv", "table,row,column,from,why", func(r []string) error {
		from := Source(r[3])
		if !slices.Contains([]Source{
			FromCorpus, FromVectors, FromSetting, FromData, FromCovered, FromMachine, FromClaim, Elsewhere, Unavailable,
		}, from) {
			return fmt.Errorf("unknown source %q", r[3])
		}
		c.origins = append(c.origins, origin{r[0], r[1], r[2], from, r[4]})
		return nil
	})
	return c, err
}

func (c Claim) check() error {
	if !slices.Contains([]Kind{CouldFail, ByExample, OnHardware, NoTest}, c.Kind) {
		return fmt.Errorf("unknown kind %q", c.Kind)
	}
	vectors := c.Kind == CouldFail || c.Kind == ByExample
	if vectors != slices.Contains([]Basis{OnOurCorpus, InKind}, c.Basis) || !vectors && c.Basis != "" {
		return fmt.Errorf("basis %q of a claim of kind %q; expected %q or %q where the claim is about vectors, else "+
			"none", c.Basis, c.Kind, OnOurCorpus, InKind)
	}
	return nil
}

func (t Test) check() error {
	right := 0
	switch t.Statistic {
	case Untested:
		if t.Reason == "" {
			return fmt.Errorf("no test and no reason")
		}
		return nil
	case ValueOf, Attained:
		if len(t.Left) != 1 {
			return fmt.Errorf("%d quantities on the left, expected 1", len(t.Left))
		}
	case Difference, Gain, Example:
		right = max(1, len(t.Right))
	case Wins:
		right = len(t.Left)
	default:
		return fmt.Errorf("unknown statistic %q", t.Statistic)
	}
	if len(t.Left) == 0 || len(t.Right) != right {
		return fmt.Errorf("%d quantities on the left and %d on the right of %q", len(t.Left), len(t.Right), t.Statistic)
	}
	if math.IsInf(t.Low, -1) && math.IsInf(t.High, 1) || t.Low > t.High {
		return fmt.Errorf("bounds %v and %v", t.Low, t.High)
	}
	if t.Statistic == Wins && t.Low <= 0 && t.High >= float64(len(t.Left)) {
		return fmt.Errorf("bounds %v and %v of wins among %d: every count lies within, so that the test cannot fail",
			t.Low, t.High, len(t.Left))
	}
	return nil
}

// addresses reads "table|row|column,column". A comma before a blank is a part of a column's name.
func addresses(s string) ([]Address, error) {
	if s == "" {
		return nil, nil
	}
	part := strings.Split(s, "|")
	if len(part) != 3 {
		return nil, fmt.Errorf("%q, expected table|row|columns", s)
	}
	var all []Address
	for column := range strings.SplitSeq(part[2], ",") {
		if strings.HasPrefix(column, " ") { // the comma is one of the name
			all[len(all)-1].Column += "," + column
			continue
		}
		all = append(all, Address{part[0], part[1], column})
	}
	return all, nil
}

// glob matches a pattern in which * stands for any text and ? for any character.
func glob(pattern, s string) bool {
	if pattern == "" {
		return s == ""
	}
	switch {
	case pattern[0] == '*':
		for i := 0; i <= len(s); i++ {
			if glob(pattern[1:], s[i:]) {
				return true
			}
		}
		return false
	case s == "":
		return false
	case pattern[0] == '?' || pattern[0] == s[0]:
		return glob(pattern[1:], s[1:])
	}
	return false
}
