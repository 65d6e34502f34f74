package paper

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/published"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/show/render"
	"contextmover/internal/atomicfile"
	"contextmover/internal/levenshtein"
)

// Table is repro table.
type Table struct {
	Name string `arg:"" optional:"" help:"The table's name or the beginning of it, such as table1; without a name the tables are listed."`
	resultsFlags
	Rows        []string `sep:"none" placeholder:"NAMES" help:"Only these rows: labels, blocks or block/label, with commas between; * stands for any text."`
	Columns     []string `sep:"none" placeholder:"NAMES" help:"Only these columns: names or groups, with commas between; * stands for any text."`
	List        bool     `help:"List the table's rows and columns, as --rows and --columns take them."`
	NoIntervals bool     `help:"Leave out the intervals."`
	NoNotes     bool     `help:"Leave out the notes below the table, except what its signs mean."`
	Caption     string   `placeholder:"TEXT" help:"Caption (default: the table's title)."`
	Label       string   `placeholder:"NAME" help:"Label in LaTeX, behind tab: (default: the table's name)."`
	As          string   `enum:"latex,macros,markdown,csv,text," default:"" help:"Format: latex, macros (of LaTeX, one per number), markdown, csv or text (default: as the name of --out says, else latex)."`
	Out         string   `short:"o" placeholder:"FILE" help:"Write a .tex, .md, .csv or .txt file (default: print it)."`
}

func (c *Table) Help() string {
	return `For a paper:

    \usepackage{array,booktabs,graphicx,longtable,pdflscape}
    ...
    \input{table1.tex}

With --as macros a number in the text comes from the run instead of being typed; without a name, all tables and the
claims are written:

    repro table --as macros --profile open --out numbers.tex

    \input{numbers}
    ... \cmours{table1_sts_summary}{glove-comb}{STS14}
        \cminterval{table1_sts_summary}{glove-comb}{STS14} ...

Rows and columns are named as in the table's CSV, without \ { } # % ~ ^. A name that no table has is an error of LaTeX.
\cmverdict{C01} and \cmevidence{C01} are the verdict on a claim and its evidence, \cmclaim{C01} is the claim.

In --rows and --columns, * stands for any text: --rows 'CoMB*,SIF*'. repro table NAME --list shows all rows with their keys, and all columns. The best of the rows shown are bold or underlined.`
}

// tableFormats are the extensions of --as.
var tableFormats = map[string]string{
	"latex": ".tex", "macros": ".tex", "markdown": ".md", "csv": ".csv", "text": ".txt",
}

func (c *Table) Run(e *cli.Env) error {
	extension := cmp.Or(filepath.Ext(c.Out), tableFormats[c.As], ".tex")
	if !slices.Contains(render.Formats(), extension) {
		return cli.BadUsage("--out=%s: expected a file called %s", c.Out, strings.Join(render.Formats(), ", "))
	}
	if format := tableFormats[c.As]; format != "" && format != extension {
		return cli.BadUsage("--as=%s --out=%s: a file of that format is called %s", c.As, c.Out, format)
	}
	if c.Name == "" && (c.List || len(c.Rows)+len(c.Columns) > 0) {
		return cli.BadUsage("--list, --rows and --columns are of one table: repro table NAME; repro table lists them")
	}
	p, all, _, err := c.read()
	if err != nil {
		return err
	}
	if c.Name == "" && c.As == "macros" {
		return c.write(e, func(w io.Writer) error { return c.allMacros(w, p, all) })
	}
	if c.Name == "" {
		return listTables(e, all)
	}
	t, err := findTable(c.Name, all)
	if err != nil {
		return err
	}
	if c.List {
		return render.Names(e.Out, t)
	}
	t, err = render.Select(t, c.Rows, c.Columns)
	var unknown *render.SelectError
	if errors.As(err, &unknown) {
		return cli.BadUsage("--%ss: %w", unknown.What, err)
	}
	if err != nil {
		return err
	}
	if c.NoIntervals {
		t = render.WithoutIntervals(t)
	}
	if c.NoNotes {
		t.Notes = nil
	}
	t.Title = cmp.Or(c.Caption, t.Title)
	if extension == ".tex" && c.As != "macros" {
		t.ID = cmp.Or(c.Label, t.ID)
	}
	if extension == ".txt" && c.Out == "" {
		return e.Table(t)
	}
	return c.write(e, func(w io.Writer) error {
		if c.As == "macros" {
			return render.Macros(w, []*render.Table{t})
		}
		return render.As(w, t, extension)
	})
}

// allMacros writes the numbers of all tables, and the claims where the paper has some about the profile.
func (c *Table) allMacros(w io.Writer, p *profile.Profile, all []*results.Result) error {
	var tables []*render.Table
	for _, r := range all {
		tables = append(tables, r.Tables...)
	}
	if err := render.Macros(w, tables); err != nil || !p.Published() {
		return err
	}
	report, err := c.judge(p, all)
	if err != nil {
		return err
	}
	return report.Macros(w)
}

// write prints what a function writes, or puts it into the file of --out.
func (c *Table) write(e *cli.Env, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	if c.Out == "" {
		_, err := e.Out.Write(b.Bytes())
		return err
	}
	if err := atomicfile.WriteInFolder(c.Out, b.Bytes()); err != nil {
		return err
	}
	fmt.Fprintln(e.Out, c.Out)
	return nil
}

// listTables prints the tables of results.
func listTables(e *cli.Env, all []*results.Result) error {
	for _, r := range all {
		for _, t := range r.Tables {
			rows := 0
			for _, b := range t.Blocks {
				rows += len(b.Rows)
			}
			fmt.Fprintf(e.Out, "%-40s %3d × %-2d  %s\n", t.ID, rows, len(t.Columns), t.Title)
		}
	}
	return nil
}

// findTable finds a table by its name, its beginning up to an underscore, or the number that the paper gives it.
func findTable(name string, all []*results.Result) (*render.Table, error) {
	var ids, found []string
	tables := map[string]*render.Table{}
	for _, r := range all {
		for _, t := range r.Tables {
			ids, tables[t.ID] = append(ids, t.ID), t
		}
	}
	if t := tables[name]; t != nil {
		return t, nil
	}
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, " ", "")) }
	for _, id := range ids {
		number := ""
		if paper, err := published.Load(id); err == nil {
			number = plain(paper.PaperNumber)
		}
		if want := plain(name); strings.HasPrefix(strings.ToLower(id), want+"_") || number != "" &&
			(number == want || number == "table"+want) {
			found = append(found, id)
		}
	}
	if len(found) == 1 {
		return tables[found[0]], nil
	}
	if len(found) == 0 {
		found = levenshtein.Similar(name, ids, 5, nil)
	}
	return nil, cli.BadUsage("no table %q; near: %s; repro table lists them", name,
		cmp.Or(strings.Join(found, ", "), "none"))
}
