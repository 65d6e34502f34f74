package paper

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"contextmover/experiments/harness/results"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/show/render"
)

// answers runs repro table on a small result of the profile mini.
func answers(t *testing.T, dir string, c Table) (string, error) {
	t.Helper()
	x, y := 48.25, 30.5
	table := func(id string) *render.Table {
		return &render.Table{ID: id, Title: "Title of " + id, Label: "method", Notes: []string{"A long note."}, Columns: []render.Column{{Name: "STS12", Digits: 1}, {Name: "STS13", Digits: 1}}, Blocks: []render.Block{{Rows: []render.Row{
			{Key: "nbow", Label: "NBoW", Cells: []render.Cell{{Value: &y, Interval: &render.Interval{Low: 29, High: 32}}, {Value: &x}}},
			{Key: "comb", Label: "CoMB", Cells: []render.Cell{{Value: &x}, {Value: &y}}},
		}}}}
	}
	err := results.Write(dir, &results.Result{
		Header: results.Header{Profile: "mini", Experiment: "sts", Started: time.Unix(0, 0)},
		Tables: []*render.Table{table("table1_sts_summary"), table("tableS1a_sts12_detail"), table("tableS1b_sts13_detail"), table("sts_search")},
	})
	if err != nil {
		t.Fatal(err)
	}
	c.Profile, c.Results = "mini", dir
	var out bytes.Buffer
	e := cli.NewEnv(t.Context(), &out, &cli.Progress{})
	err = c.Run(e)
	if flush := e.Out.Flush(); flush != nil {
		t.Fatal(flush)
	}
	return out.String(), err
}

func TestTable(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "folder", "x.csv")
	for _, c := range []struct {
		name string
		c    Table
		want []string
		not  string
	}{
		{"list", Table{}, []string{"table1_sts_summary", "sts_search", "2 × 2"}, "48.2"},
		{"latex", Table{Name: "table1"}, []string{`\begin{table*}`, `$_{29.0}^{32.0}$`, "interval of"}, "sts_search"},
		{"caption", Table{Name: "table1", Caption: "Ours & theirs", Label: "mine"}, []string{`\caption{Ours \& theirs}\label{tab:mine}`}, "Title of"},
		{"macros", Table{Name: "table1", As: "macros"}, []string{`\cm@set{table1_sts_summary}{nbow}{STS12}{30.5}{29.0}{32.0}{}`}, "sts_search"},
		{"all macros", Table{As: "macros"}, []string{`\cm@set{table1_sts_summary}{nbow}{STS12}`, `\cm@set{sts_search}{comb}{STS13}{30.5}{}{}{}`}, "tabular"},
		{"number", Table{Name: "1", As: "markdown"}, []string{"**Title of table1", "**48.2**"}, ""},
		{"part", Table{Name: "sts_search", As: "text", Rows: []string{"co*"}, Columns: []string{"STS13"}}, []string{"CoMB", "30.5"}, "NBoW"},
		{"file", Table{Name: "table1", Out: file}, []string{file}, "table1"},
	} {
		out, err := answers(t, dir, c.c)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, out)
			}
		}
		if c.not != "" && strings.Contains(out, c.not) {
			t.Errorf("%s: %q in\n%s", c.name, c.not, out)
		}
	}
	if text, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(text), "table,row,column") {
		t.Errorf("%q, %v", text, err)
	}
}

// A mistake ends with 2 and names what was probably meant.
func TestTableMistakes(t *testing.T) {
	for want, c := range map[string]Table{
		`no table "table1_sts_sumary"; near: table1_sts_summary`:                {Name: "table1_sts_sumary"},
		`no table "S1"; near: tableS1a_sts12_detail, tableS1b_sts13_detail`:     {Name: "S1"},
		`no table "nonsense"; near: none`:                                       {Name: "nonsense"},
		`--rows: table table1_sts_summary has no row "Comp"; near: CoMB`:        {Name: "table1", Rows: []string{"Comp"}},
		`--columns: table table1_sts_summary has no column "STS14"; near: STS1`: {Name: "table1", Columns: []string{"STS12,STS14"}},
		`--out=x.pdf: expected a file called .txt, .md, .tex, .csv`:             {Name: "table1", Out: "x.pdf"},
	} {
		_, err := answers(t, t.TempDir(), c)
		if err == nil || !strings.Contains(err.Error(), want) || cli.ExitCode(err) != cli.ExitUsage {
			t.Errorf("error %v, want one with %s", err, want)
		}
	}
}

// A number has one interval wherever it stands: in the table of its run, and beside the printed number in the verdict.
func TestOneNumberHasOneInterval(t *testing.T) {
	all, err := results.ReadProfile("../../judge/verdict/reference", "open")
	if err != nil {
		t.Fatal(err)
	}
	type place struct{ table, row string }
	cells := map[place][]render.Cell{}
	for _, r := range all {
		for _, table := range r.Tables {
			for _, b := range table.Blocks {
				for _, row := range b.Rows {
					key := row.Key
					if key == "" {
						key = row.Label
					}
					cells[place{table.ID, key}] = append(cells[place{table.ID, key}], row.Cells...)
				}
			}
		}
	}
	compared := 0
	for _, r := range all {
		for _, q := range r.Quantities {
			if q.Low == nil || q.High == nil {
				continue
			}
			for _, c := range cells[place{q.Table, q.Source}] {
				if c.Value == nil || *c.Value != q.Value || c.Interval == nil {
					continue
				}
				compared++
				if c.Interval.Low != *q.Low || c.Interval.High != *q.High {
					t.Errorf("%s, %s, %s is in [%v, %v] in its table and in [%v, %v] in the verdict", q.Table, q.Source, q.Column, c.Interval.Low, c.Interval.High, *q.Low, *q.High)
				}
			}
		}
	}
	if compared < 300 {
		t.Errorf("%d numbers compared", compared)
	}
}
