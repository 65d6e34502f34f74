package verdict

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"contextmover/experiments/harness/published"
	"contextmover/internal/elementary"
)

// JSON writes the whole verdict.
func (r *Report) JSON(w io.Writer) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", " ")
	return out.Encode(r)
}

// CSV writes one line a cell, then those of the running text, then one a claim. For a claim the table is claims, the
// row its id, the column its kind, the source what it was decided on.
//
//	table,row,column,printed,ours,low,high,difference,verdict,reason,source,profile
func (r *Report) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	// The writer keeps its first error for Flush and Error.
	out.Write([]string{
		"table", "row", "column", "printed", "ours", "low", "high", "difference", "verdict", "reason", "source",
		"profile",
	})
	full := func(v *float64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatFloat(*v, 'g', -1, 64)
	}
	for _, cells := range [][]Cell{r.Cells, r.Text} {
		for _, c := range cells {
			ours, difference := full(c.Ours), ""
			if c.Word != "" {
				ours = c.Word
			}
			if d, ok := c.difference(); ok {
				difference = strconv.FormatFloat(d, 'f', 6, 64)
			}
			out.Write([]string{
				c.Table, c.Row, c.Column, c.Printed, ours, full(c.Low), full(c.High), difference, string(c.Verdict),
				c.Reason, c.Source, c.Profile,
			})
		}
	}
	for _, c := range r.Claims {
		out.Write([]string{
			"claims", c.ID, string(c.Kind), c.Stated, "", "", "", "", c.Verdict, c.Reason, string(c.Basis), c.Profile,
		})
	}
	out.Flush()
	return out.Error()
}

// difference is ours minus the printed number.
func (c Cell) difference() (float64, bool) {
	if c.Ours == nil || c.Number == nil {
		return 0, false
	}
	return *c.Ours - *c.Number, true
}

// digits is the number of decimals that our number is shown with: those of the printed
// one, and more for what depends on the machine and would be shown as 0.
func (c Cell) digits() int {
	digits := decimals(c.Printed)
	from, _ := published.SourceOf(c.Address)
	if from != published.FromMachine || c.Ours == nil || *c.Ours <= 0 {
		return digits
	}
	return max(digits, 1-int(math.Floor(elementary.Log10(*c.Ours))))
}

// Show returns our number with the digits of the printed one, and its interval.
func (c Cell) Show() (ours, interval string) {
	digits := c.digits()
	if c.Word != "" {
		return c.Word, ""
	}
	if c.Ours == nil {
		return "", ""
	}
	ours = strconv.FormatFloat(*c.Ours, 'f', digits, 64)
	if strings.ContainsAny(c.Printed, "eE") {
		ours = strconv.FormatFloat(*c.Ours, 'g', -1, 64)
	}
	if c.Low != nil && c.High != nil {
		interval = fmt.Sprintf("[%.*f, %.*f]", digits, *c.Low, digits, *c.High)
	}
	return ours, interval
}

// Difference returns the number of this program minus the printed one as text, "" where there is none.
func (c Cell) Difference() string {
	d, ok := c.difference()
	if !ok {
		return ""
	}
	return fmt.Sprintf("%+.*f", c.digits(), d)
}

// Tolerance says what the verdicts mean.
const Tolerance = "Within tolerance: ours differs by at most one unit of the last printed digit; a whole number is " +
	"equal. The same word: also a nearest word at another rank of our ten; which of two methods did better agrees " +
	"by chance half the time. Indistinguishable: not within tolerance, but the printed number lies in the 95 % " +
	"bootstrap interval of ours over test items. That is no agreement, as the paper scored the same items: the set " +
	"is too small to tell. Inputs are settings, properties of the evaluation sets, and how many of their items the " +
	"vocabulary knows. What is known to differ is a circumstance, not a cause: how much of a difference it makes " +
	"has not been measured. A cause is named only where a run shows it, such as other settings that agree."

// Markdown writes the verdict for readers: the totals, all claims in one table, and the printed numbers by table. The
// cells themselves are what CSV writes.
func (r *Report) Markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# What became of the paper's claims and numbers (%s)\n\n%s\n\n", r.Profile, r.Totals)
	b.WriteString("## Claims\n\n" + r.HowDecided() + "\n\n")
	r.markdownClaims(&b)
	b.WriteString("\n## Numbers\n\n" + Tolerance + "\n\n| table |")
	for _, v := range Verdicts() {
		fmt.Fprintf(&b, " %s |", v)
	}
	b.WriteString(" all |\n|:--|" + strings.Repeat("--:|", len(Verdicts())+1) + "\n")
	count := func(name string, cells []Cell) {
		n := Count(cells)
		fmt.Fprintf(&b, "| %s |", name)
		for _, v := range Verdicts() {
			fmt.Fprintf(&b, " %s |", strings.TrimPrefix(strconv.Itoa(n[v]), "0"))
		}
		fmt.Fprintf(&b, " %d |\n", len(cells))
	}
	for _, t := range published.Tables() {
		own := slices.DeleteFunc(slices.Clone(r.Cells), func(c Cell) bool { return c.Table != t.ID })
		if len(own) > 0 {
			count(name(t.ID), own)
		}
	}
	count("all tables", r.Cells)
	count("numbers in the text", r.Text)
	fmt.Fprintf(&b, "\n## Agreement\n\n%s\n\n", HowAgreed)
	r.markdownAgreement(&b)
	b.WriteString("\n## What had been seen\n\n" + seenLead)
	b.WriteString("\n\n| choice | seen | rows | recorded in |\n|:--|:--|:--|:--|\n")
	for _, x := range r.Seen {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", escape(x.Choice), escape(x.Seen), escape(x.Rows), x.Where)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// name is the paper's number of a table and what it shows.
func name(id string) string {
	t, err := published.Load(id)
	if err != nil {
		panic("verdict: " + err.Error()) // an id that IDs has listed
	}
	return escape(t.PaperNumber + ": " + t.Title)
}

func (r *Report) markdownClaims(b *strings.Builder) {
	b.WriteString("| | claim | printed | verdict | direction | size (tolerance) | evidence | p after Holm | " +
		"decided by | other settings and readings |\n|:--|:--|:--|:--|:--|:--|:--|--:|:--|:--|\n")
	for _, c := range r.Claims {
		evidence := c.Evidence
		if c.Decision == NotTestable {
			evidence = c.Reason
		}
		var others []string
		for _, o := range c.Others {
			others = append(others, strings.TrimSuffix(o.Variant+": "+o.Verdict+", "+o.Evidence, ", "))
		}
		fmt.Fprintf(b, "| %s | %s | %s | **%s** | %s | %s | %s | %s | %s | %s |\n",
			c.ID, escape(c.Text), escape(c.Stated), c.Verdict, c.Direction, c.size(), signs(escape(evidence)),
			probability(c.Adjusted), c.Profile, signs(escape(strings.Join(others, "; "))))
	}
}

// size is the decision on the size of the claim and, in brackets, what counts as that size.
func (c Claim) size() string {
	all := published.Claims()
	var tolerances []string
	for _, t := range all[slices.IndexFunc(all, func(p published.Claim) bool { return p.ID == c.ID })].Tests {
		if size := t.Size(); size != "" && t.Reading == "" && !slices.Contains(tolerances, size) {
			tolerances = append(tolerances, size)
		}
	}
	if c.Size == "" {
		return ""
	}
	return fmt.Sprintf("%s (%s)", c.Size, strings.Join(tolerances, ", "))
}

func (r *Report) markdownAgreement(b *strings.Builder) {
	b.WriteString("| scores of | cells | CV* | CV*, not shifted | Pearson | Spearman | claims that hold |\n")
	b.WriteString("|:--|--:|--:|--:|--:|--:|--:|\n")
	optional := func(v *float64) string {
		if v == nil {
			return ""
		}
		return signs(fmt.Sprintf("%.2f", *v))
	}
	for _, a := range r.Agreement {
		of := "all these tables; all claims"
		if a.Table != "" {
			of = name(a.Table)
		}
		held := ""
		if a.Findings > 0 {
			held = fmt.Sprintf("%d of %d", a.Confirmed, a.Findings)
		}
		fmt.Fprintf(b, "| %s | %d | %.1f | %.1f | %s | %s | %s |\n",
			of, a.Cells, a.CV, a.Unshifted, optional(a.Pearson), optional(a.Spearman), held)
	}
}

// HowAgreed says what the measures of agreement are.
const HowAgreed = "By QRA++ (Belz 2025). CV* is the coefficient of variation of the printed number and ours, " +
	"in per cent and corrected for two measurements, as the median over the cells of a table: 0 for equal " +
	"numbers, 28.5 for 60 and 80. Correlations can be −1, so the measure shifts their scale to begin at 0; the " +
	"next column does without, which is stricter. Pearson and Spearman correlate the printed numbers with " +
	"ours. The last column counts the claims about a table that could have failed, and of them those that hold."

// HowDecided says what the decisions on claims mean.
func (r *Report) HowDecided() string {
	if slices.ContainsFunc(r.Claims, func(c Claim) bool { return c.Basis == published.OnTheirs }) {
		return strings.Replace(howDecided, "No decision is on", "On the authors' vectors:", 1)
	}
	return howDecided
}

const howDecided = "A claim that could have failed is tested by a paired bootstrap over test items and seeds: " +
	"it holds if the 95 % interval lies within what it says, fails if it lies outside, and else is undecided. A " +
	"claim with a size is also judged by its direction alone; \"about 10 %\" allows from half to twice that. " +
	"Holm's correction (1979) keeps the probability of any wrong verdict at 5 %, for the paper's settings and for " +
	"each variant of them. Where a number is kept with its interval alone, p is that of a normal distribution with " +
	"this interval, and at least 0.001. On our corpus: the same method, trained on another corpus. In kind: " +
	"vectors of another kind, or partly so. No decision is on the paper's own vectors. That something happens " +
	"at times is shown by an example and cannot fail; a speed that is reached on other hardware supports a " +
	"claim about the authors' machine, and one that is not reached leaves it undecided. Rows with chosen " +
	"settings are compared only with rows that were chosen among a comparable number of settings."

func probability(p *float64) string {
	if p == nil {
		return ""
	}
	return strconv.FormatFloat(*p, 'f', 4, 64)
}

// Summary writes what fits a terminal: the totals and a line for each claim.
func (r *Report) Summary(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n", r.Profile, r.Totals)
	for _, c := range r.Claims {
		fmt.Fprintf(&b, "%s  %s: %s\n", c.ID, c.Verdict, c.Text)
		if c.Decision != NotTestable {
			fmt.Fprintf(&b, "     %s\n", c.Reason)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// signs sets the minus of a number as one.
func signs(s string) string { return minus.ReplaceAllString(s, "$1−$2") }

func escape(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(s)
}
