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
//	table,row,column,printed,ours,low,high,difference,verdict,reason,source
func (r *Report) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	// The writer keeps its first error for Flush and Error.
	out.Write([]string{
		"table", "row", "column", "printed", "ours", "low", "high", "difference", "verdict", "reason", "source",
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
				c.Reason, c.Source,
			})
		}
	}
	for _, c := range r.Claims {
		out.Write([]string{
			"claims", c.ID, string(c.Kind), c.Stated, "", "", "", "", c.Verdict, c.Reason, string(c.Basis),
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
	from, _ := published.SourceOf(published.Address{Table: c.Table, Row: c.Row, Column: c.Column})
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

// Difference returns ours minus printed as text, "" where there is none.
func (c Cell) Difference() string {
	d, ok := c.difference()
	if !ok {
		return ""
	}
	return fmt.Sprintf("%+.*f", c.digits(), d)
}

// Headline counts the cells that were computed here, and how far off they are.
func (r *Report) Headline() string {
	count := Count(r.Cells)
	text := fmt.Sprintf("%d of the %d printed cells in %d tables were computed here. Numbers within tolerance: %d; "+
		"words that are the same: %d; indistinguishable on so few items: %d; different: %d.",
		total(count, Computed()), len(r.Cells), len(tablesOf(r.Cells)), count[Within], count[SameWord],
		count[Indistinguishable], count[Otherwise]+count[Differs])
	bounds := []float64{1, 2.5, 5, 10}
	near, points := make([]int, len(bounds)), 0
	for _, c := range r.Cells {
		d, ok := c.difference()
		if !ok || decimals(c.Printed) != 1 || !slices.Contains(Computed(), c.Verdict) {
			continue
		}
		points++
		for i, bound := range bounds {
			if math.Abs(d) <= bound {
				near[i]++
			}
		}
	}
	if points == 0 {
		return text
	}
	return text + fmt.Sprintf(" Of the %d scores in points %d are within 1 point, %d within 2.5, %d within 5 and %d "+
		"within 10.", points, near[0], near[1], near[2], near[3])
}

func total(count map[Verdict]int, of []Verdict) (n int) {
	for _, v := range of {
		n += count[v]
	}
	return n
}

// Tolerance says what the verdicts mean.
const Tolerance = "Within tolerance: ours differs by at most one unit of the last printed digit; a whole number is " +
	"equal. The same word: also a nearest word at another rank of our ten; which of two methods did better agrees " +
	"by chance half the time. Indistinguishable: not within tolerance, but the printed number lies in the 95 % " +
	"bootstrap interval of ours over test items. That is no agreement, as the paper scored the same items: the set " +
	"is too small to tell. Inputs are settings, properties of the evaluation sets, and how many of their items the " +
	"vocabulary knows. What is known to differ is a circumstance, not a cause: how much of a difference it makes " +
	"has not been measured. A cause is named only where a run shows it, such as other settings that agree."

// Markdown writes the verdict for readers: counts, claims and all cells by table.
func (r *Report) Markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Verdict on the paper's numbers and claims (profile %s)\n\n", r.Profile)
	fmt.Fprintf(&b, "%s\n\n| verdict | cells |\n|:--|--:|\n", r.Headline())
	count := Count(r.Cells)
	for _, v := range Computed() {
		fmt.Fprintf(&b, "| %s | %d |\n", v, count[v])
	}
	fmt.Fprintf(&b, "| **computed here** | **%d** |\n", total(count, Computed()))
	for _, v := range Apart() {
		fmt.Fprintf(&b, "| %s | %d |\n", v, count[v])
	}
	fmt.Fprintf(&b, "| all | %d |\n\n%s\n\n", len(r.Cells), Tolerance)
	b.WriteString(
		"## What had been seen\n\n" + seenLead + "\n\n| choice | seen | rows | recorded in |\n|:--|:--|:--|:--|\n",
	)
	for _, x := range r.Seen {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", escape(x.Choice), escape(x.Seen), escape(x.Rows), x.Where)
	}
	b.WriteString("\n## Claims\n\n")
	r.markdownTallies(&b)
	fmt.Fprintf(&b, "\n%s\n\n%s\n\n", HowDecided, r.Multiplicity())
	b.WriteString("| claim | | paper | verdict | evidence | p | after Holm | under other settings " +
		"|\n|:--|:--|:--|:--|:--|--:|--:|:--|\n")
	for _, c := range r.Claims {
		var others []string
		for _, o := range c.Others {
			others = append(others, fmt.Sprintf("%s: **%s**, %s", o.Variant, o.Verdict, o.Reason))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | **%s** | %s | %s | %s | %s |\n", c.ID, escape(c.Text), escape(c.Stated),
			c.Verdict, escape(c.Reason), probability(c.P), probability(c.Adjusted), escape(strings.Join(others, "; ")))
	}
	b.WriteString("\n## Cells\n")
	for _, id := range tablesOf(r.Cells) {
		t, err := published.Load(id)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "\n### %s (%s)\n\n%s\n\n", t.PaperNumber, id, t.Title)
		markdownCells(&b, r.Cells, id)
	}
	b.WriteString("\n### Running text\n\n")
	markdownCells(&b, r.Text, published.TextTable)
	_, err := io.WriteString(w, b.String())
	return err
}

func markdownCells(b *strings.Builder, cells []Cell, table string) {
	b.WriteString("| row | column | printed | ours | interval | difference | verdict | reason " +
		"|\n|:--|:--|--:|--:|:--|--:|:--|:--|\n")
	for _, c := range cells {
		if c.Table != table {
			continue
		}
		ours, interval := c.Show()
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s | %s |\n",
			escape(c.Row), escape(c.Column), escape(c.Printed), escape(ours), interval, c.Difference(),
			c.Verdict, escape(c.Reason))
	}
}

func tablesOf(cells []Cell) (ids []string) {
	for _, c := range cells {
		if len(ids) == 0 || ids[len(ids)-1] != c.Table {
			ids = append(ids, c.Table)
		}
	}
	return ids
}

// HowDecided says what the decisions on claims mean.
const HowDecided = "A claim that could have failed is tested by a paired bootstrap over test items and seeds: it " +
	"holds if the 95 % interval lies within what it says, fails if it lies outside, and else is undecided. None of " +
	"the decisions is on the paper's own vectors. On our corpus: the same method, trained on another corpus. In " +
	"kind: vectors of another kind, such as untrained entailment vectors. That something happens at times is shown " +
	"by an example and cannot fail; a speed that is reached on other hardware supports a claim about the authors' " +
	"machine, and one that is not reached leaves it undecided. Rows of ours whose settings were chosen are " +
	"compared with rows of ours that were chosen among a comparable number of settings, and else not."

func probability(p *float64) string {
	if p == nil {
		return ""
	}
	return strconv.FormatFloat(*p, 'f', 4, 64)
}

// Summary writes what fits a terminal: counts of cells by table and verdict, and the
// claims.
func (r *Report) Summary(w io.Writer) error {
	var b strings.Builder
	count := Count(r.Cells)
	fmt.Fprintf(&b, "Profile %s. %s\n\n", r.Profile, r.Headline())
	for _, v := range Computed() {
		fmt.Fprintf(&b, "%6d  %s\n", count[v], v)
	}
	b.WriteByte('\n')
	for _, v := range Apart() {
		fmt.Fprintf(&b, "%6d  %s\n", count[v], v)
	}
	text := Count(r.Text)
	var parts []string
	for _, v := range Verdicts() {
		if text[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", text[v], v))
		}
	}
	fmt.Fprintf(&b, "\n%d numbers in the text: %s\n\n%s\n\n", len(r.Text), strings.Join(parts, ", "),
		r.ClaimCounts()+".\n"+r.Multiplicity())
	for _, c := range r.Claims {
		fmt.Fprintf(&b, "%s  %s: %s\n", c.ID, c.Verdict, clip(c.Text, 100))
		if c.Decision != NotTestable {
			fmt.Fprintf(&b, "                   %s\n", c.Reason)
		}
		for _, o := range c.Others {
			fmt.Fprintf(&b, "                   %s: %s, %s\n", o.Variant, o.Verdict, o.Reason)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

func escape(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(s)
}
