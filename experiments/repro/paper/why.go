package paper

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"contextmover/experiments/harness/lineage"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/harness/store"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/show/render"
	"contextmover/internal/printable"
)

// Why is repro why.
type Why struct {
	Name   string `arg:"" help:"A claim of the paper, such as C01; a table or figure of a run; or the key of an artefact, or its start, as in repro ls."`
	Row    string `arg:"" optional:"" help:"Only what is behind this row of the table: its label or name."`
	Column string `arg:"" optional:"" help:"Only what is behind this cell of the row."`
	resultsFlags
	cli.StoreFlag
}

func (c *Why) Help() string {
	return `Shows what a result was made from, down to the data files with their checksums, and what that took; of a claim,
how it was judged and by which numbers.

For a column that is a mean over sets, it shows all that is behind the row; for means of several rows, and for figures,
all that is behind their section.`
}

func (c *Why) Run(e *cli.Env) error {
	if number, ok := strings.CutPrefix(strings.ToUpper(c.Name), "C"); ok && strings.Trim(number, "0123456789") == "" {
		return c.ofClaim(e)
	}
	name, artefacts, err := c.trace()
	if err != nil {
		return err
	}
	return c.print(e, name, lineage.Stages(artefacts))
}

// trace returns the name of what was asked for and what it was made from.
func (c *Why) trace() (string, []results.Artefact, error) {
	if strings.Trim(c.Name, "0123456789abcdef") == "" && len(c.Name) >= 4 {
		return c.ofKey()
	}
	p, all, recorded, err := c.read()
	if err != nil {
		return "", nil, err
	}
	var ids []string
	for _, r := range all {
		for _, t := range r.Tables {
			if t.ID == c.Name {
				return c.ofTable(r, t, recorded)
			}
			ids = append(ids, t.ID)
		}
		for _, f := range r.Figures {
			if f.ID == c.Name {
				return c.Name, r.Artefacts, c.some(r.Artefacts, recorded)
			}
			ids = append(ids, f.ID)
		}
	}
	return "", nil, cli.BadUsage("no table or figure %q in the results of profile %s; there is %s",
		c.Name, p.Name, near(c.Name, ids))
}

// some is an error if there are no artefacts.
func (c *Why) some(artefacts []results.Artefact, recorded bool) error {
	switch {
	case len(artefacts) > 0:
		return nil
	case recorded:
		return cli.BadData(fmt.Errorf("a recorded run does not say what it was made from; make your own with "+
			"repro run all --profile %s", c.Profile))
	}
	return cli.BadData(errors.New("these results do not say what they were made from; make them again with repro run"))
}

// ofTable traces a table, or a row or cell of it.
func (c *Why) ofTable(r *results.Result, t *render.Table, recorded bool) (string, []results.Artefact, error) {
	if err := c.some(r.Artefacts, recorded); err != nil || c.Row == "" {
		return c.Name, r.Artefacts, err
	}
	key, column := "", ""
	var labels, columns []string
	for _, b := range t.Blocks {
		for _, row := range b.Rows {
			if row.Key == c.Row || key == "" && row.Label == c.Row {
				key = row.Key
			}
			labels = append(labels, row.Label)
		}
	}
	for _, col := range t.Columns {
		if col.Name == c.Column {
			column, _, _ = strings.Cut(col.Name, " (")
		}
		columns = append(columns, col.Name)
	}
	switch {
	case key == "":
		return "", nil, cli.BadUsage("no row %q in %s; there is %s", c.Row, t.ID, near(c.Row, labels))
	case column == "" && c.Column != "":
		return "", nil, cli.BadUsage("no column %q in %s; there is %s", c.Column, t.ID, near(c.Column, columns))
	}
	name := strings.Trim(strings.Join([]string{c.Name, c.Row, c.Column}, ", "), ", ")
	for _, column := range slices.Compact([]string{column, ""}) {
		found := lineage.Below(r.Artefacts, func(a results.Artefact) bool {
			return a.Used && slices.ContainsFunc(a.Subjects, func(subject string) bool {
				on, ok := strings.CutPrefix(subject, fmt.Sprintf("row %q on ", key))
				return ok && (column == "" || slices.Contains(strings.Fields(on), column) || on == column)
			})
		})
		if len(found) > 0 {
			return name, found, nil
		}
		slog.Info("nothing was made for this alone: this is all that is behind what it is a part of")
	}
	return name, r.Artefacts, nil
}

// ofKey traces an artefact of the store.
func (c *Why) ofKey() (name string, all []results.Artefact, err error) {
	s, err := c.OpenStore()
	if err != nil {
		return "", nil, err
	}
	info, err := s.Match(store.Key(c.Name))
	if err != nil {
		return "", nil, cli.BadUsage("%w", err)
	}
	all, err = lineage.Trace(s, map[store.Key][]string{info.Key: nil}, nil)
	return fmt.Sprintf("%s %.12s", info.Stage, info.Key), all, err
}

func (c *Why) print(e *cli.Env, name string, stages []lineage.Stage) error {
	var artefacts, files int
	var bytes int64
	var took float64
	for _, s := range stages {
		if s.IsFile() {
			files++
			continue
		}
		artefacts += s.Number
		bytes += s.Bytes
		took += s.Seconds
	}
	fmt.Fprintf(e.Out, "%s: %d artefacts, %s, made in %s, from %d files\n\n",
		name, artefacts, printable.Bytes(bytes), cli.Took(took), files)
	w := e.Tabs()
	fmt.Fprintln(w, "STAGE\tARTEFACTS\tSIZE\tTOOK\tLAST MADE\tFROM")
	for _, s := range slices.Backward(stages) {
		if s.IsFile() {
			continue
		}
		var from []string
		for _, f := range s.From {
			name := stages[f].Name
			if stages[f].IsFile() {
				name = "files"
			}
			if !slices.Contains(from, name) {
				from = append(from, name)
			}
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\n",
			s.Name, s.Number, printable.Bytes(s.Bytes), cli.Took(s.Seconds), cli.Moment(s.Last),
			strings.Join(from, ", "))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nFILE\tSIZE\tSHA-256")
	for _, s := range stages {
		if s.IsFile() {
			fmt.Fprintf(w, "%s\t%s\t%s\n", s.Subject, printable.Bytes(s.Bytes), s.SHA256)
		}
	}
	return w.Flush()
}
