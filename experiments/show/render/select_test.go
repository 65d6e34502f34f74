package render

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestSelect(t *testing.T) {
	shape := func(rows, columns []string) string {
		t.Helper()
		part, err := Select(sample(), rows, columns)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, b := range part.Blocks {
			for _, r := range b.Rows {
				all = append(all, r.Label)
				if len(r.Cells) != len(part.Columns) {
					t.Errorf("%d cells for %d columns", len(r.Cells), len(part.Columns))
				}
			}
		}
		all = append(all, "|")
		for _, c := range part.Columns {
			all = append(all, c.Name)
		}
		return strings.Join(all, ";")
	}
	for _, c := range []struct {
		rows, columns []string
		want          string
	}{
		{[]string{"nbow"}, []string{"STS12"}, "NBoW;|;MSRpar;MSRvid"},
		{[]string{"other work"}, []string{"STS12/MSRvid,FNWN"}, "Skip-thought;InferSent;|;MSRvid;FNWN"},
		{[]string{"other work/Infer*", "a/NBoW"}, []string{"STS13 (one set)"}, "NBoW;InferSent;|;FNWN"},
		{[]string{"unsupervised, GloVe/*Mix*"}, []string{"pairs"}, "CoMB (GloVe) + Mix + PC removed (TBC + News Crawl);|;pairs"},
		{[]string{"Skip*,unsupervised, GloVe/NBoW, other work/Infer*"}, []string{"pairs"}, "NBoW;Skip-thought;InferSent;|;pairs"},
		{[]string{"[mean] * of both"}, []string{"MSR???"}, "[mean] * of both;|;MSRpar;MSRvid"},
	} {
		if got := shape(c.rows, c.columns); got != c.want {
			t.Errorf("%q %q: %s, want %s", c.rows, c.columns, got, c.want)
		}
	}
	table := sample()
	table.Notes = []string{"other work: as printed.", "unsupervised, GloVe: ours."}
	part, err := Select(table, []string{"NBoW"}, nil)
	if err != nil || len(part.Notes) != 1 || part.Notes[0] != table.Notes[1] {
		t.Errorf("notes %q, %v", part.Notes, err)
	}
	for pattern, want := range map[string]string{"NBow2": "NBoW", "Infersend": "InferSent", "thought": "Skip-thought"} {
		_, err := Select(sample(), []string{pattern}, nil)
		var unknown *SelectError
		if !errors.As(err, &unknown) || unknown.What != "row" || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want one that names %s", pattern, err, want)
		}
	}
	if _, err := Select(sample(), nil, []string{"FNWN,MSRpax"}); err == nil || !strings.Contains(err.Error(), `column "MSRpax"; near: MSRpar`) {
		t.Errorf("error %v", err)
	}
}

func TestWithoutIntervals(t *testing.T) {
	table := sample()
	var b bytes.Buffer
	if err := LaTeX(&b, WithoutIntervals(table)); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "$_{") || strings.Contains(b.String(), "interval") {
		t.Errorf("intervals in\n%s", b.String())
	}
	if table.Blocks[0].Rows[0].Cells[1].Interval == nil {
		t.Error("the table itself was changed")
	}
}

func TestMacros(t *testing.T) {
	var b bytes.Buffer
	if err := Macros(&b, []*Table{sample()}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`\cm@set{tableS9z_sample}{a/NBoW}{STS12/MSRvid}{$-$6.4}{$-$12.0}{0.5}{$-$6.4}`,
		`\cm@set{tableS9z_sample}{a/CoMB}{corpus}{books\_1 \& wiki}{}{}{}`,
		`\cm@set{tableS9z_sample}{b/CoMB}{STS12/MSRpar}{}{}{}{30.8}`,
	} {
		if !strings.Contains(b.String(), want+"\n") {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
	same := sample()
	same.Blocks[0].Rows[1].Key = "a/NBoW%"
	if err := Macros(&b, []*Table{same}); err == nil || !strings.Contains(err.Error(), "same name") {
		t.Errorf("error %v for two rows of one name", err)
	}
}

func FuzzSelect(f *testing.F) {
	f.Add("NBoW", "STS12/*")
	f.Add("[a-", `\`)
	f.Add("0", "\xed")
	f.Fuzz(func(t *testing.T, row, column string) {
		part, err := Select(sample(), []string{row}, []string{column})
		var unknown *SelectError
		if err != nil && !errors.As(err, &unknown) {
			t.Fatal(err)
		}
		if err == nil && (len(part.Columns) == 0 || len(part.Blocks) == 0) {
			t.Errorf("%q %q name nothing, without an error", row, column)
		}
	})
}
