package published

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"
)

func TestClaims(t *testing.T) {
	all := Claims()
	if len(all) != 40 {
		t.Fatalf("%d claims, want 40", len(all))
	}
	for i, c := range all {
		if want := fmt.Sprintf("C%02d", i+1); c.ID != want {
			t.Errorf("claim %d is %s, want %s", i, c.ID, want)
		}
		for _, test := range c.Tests {
			for _, a := range append(append([]Address{}, test.Left...), test.Right...) {
				table, err := Load(a.Table)
				if err != nil {
					continue // a quantity that the experiments name
				}
				if cell := table.Cell(a.Row, a.Column); cell == nil || !cell.Number {
					t.Errorf("%s: %v is no printed number", c.ID, a)
				}
			}
		}
	}
}

// What a claim says of a direction and of a size is told apart, with the tolerance of the size.
func TestDirectionAndSize(t *testing.T) {
	inf := math.Inf(1)
	ten := make([]Address, 10)
	for _, c := range []struct {
		statistic   Statistic
		left        []Address
		low, high   float64
		direction   bool
		low2, high2 float64
		size        string
	}{
		{Difference, ten[:1], 0, inf, true, 0, inf, ""},
		{ValueOf, ten[:1], -inf, 0, true, -inf, 0, ""},
		{Gain, ten[:1], 5, 20, true, 0, inf, "5 to 20 %"},
		{Difference, ten[:1], 1, 6, true, 0, inf, "1 to 6"},
		{Difference, ten[:1], -0.5, 0.5, false, 0, 0, "±0.5"},
		{Difference, ten[:1], -0.01, inf, false, 0, 0, "at least −0.01"},
		{Wins, ten, 5.5, inf, true, 5, inf, ""},
		{Wins, ten[:9], 7.5, inf, true, 4.5, inf, "at least 8 of 9"},
		{Attained, ten[:1], 13700, inf, false, 0, 0, ""},
		{Example, ten[:1], 0, inf, false, 0, 0, ""},
	} {
		test := Test{Statistic: c.statistic, Left: c.left, Low: c.low, High: c.high}
		direction, ok := test.Direction()
		if ok != c.direction || ok && (direction.Low != c.low2 || direction.High != c.high2) || test.Size() != c.size {
			t.Errorf("%s within [%v, %v]: direction [%v, %v] %v and size %q, want %+v", c.statistic, c.low, c.high, direction.Low, direction.High, ok, test.Size(), c)
		}
	}
}

// Every printed number depends on something.
func TestEveryNumberHasASource(t *testing.T) {
	for _, id := range IDs() {
		table, err := Load(id)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range table.Rows {
			for k, c := range r.Cells {
				a := Address{id, r.Key, table.Columns[k]}
				if from, _ := SourceOf(a); c.Number && from == "" {
					t.Errorf("%v has no source", a)
				}
			}
		}
	}
	if n := len(TextNumbers()); n != 45 {
		t.Errorf("%d numbers in the text, want 45", n)
	}
	for _, n := range TextNumbers() {
		if from, _ := SourceOf(Address{TextTable, n.Row, "value"}); from == "" {
			t.Errorf("%s has no source", n.Row)
		}
	}
}

func TestBrokenClaimsAreRefused(t *testing.T) {
	good := map[string]string{
		"claims.csv":       "id,claim,kind,basis,numbers,source,remark\nC1,x,test,in kind,1,T,\n",
		"tests.csv":        "id,reading,statistic,left,right,low,high,reason\nC1,,wins,\"t|a|x,y\",\"t|b|x,y\",0.5,,\n",
		"text_numbers.csv": "topic,quantity,value,unit,where_in_paper\na,b,1,,S1\n",
		"origins.csv":      "table,row,column,from,why\n*,*,*,corpus,\n",
	}
	for want, change := range map[string][3]string{
		"":                               {},
		"tests.csv:2: no claim":          {"tests.csv", "\nC1", "\nC2"},
		"unknown statistic":              {"tests.csv", "wins", "draws"},
		"2 quantities on the left and 1": {"tests.csv", "t|b|x,y", "t|b|x"},
		"expected table|row|columns":     {"tests.csv", "t|a|", "t|"},
		"bounds -Inf and +Inf":           {"tests.csv", ",0.5,,", ",,,"},
		"tests.csv has no line for C2":   {"claims.csv", "T,\n", "T,\nC2,x,test,in kind,1,T,\n"},
		// What cannot fail may not stand among the claims that could have failed.
		`tests.csv:2: the statistic "example" on the claim C1 of kind "test"`:  {"tests.csv", `wins,"t|a|x,y","t|b|x,y"`, `example,"t|a|x,y","t|b|x,y"`},
		`tests.csv:2: the statistic "attained" on the claim C1 of kind "test"`: {"tests.csv", `wins,"t|a|x,y","t|b|x,y"`, "attained,t|a|x,"},
		`tests.csv:2: the statistic "wins" on the claim C1 of kind "example"`:  {"claims.csv", ",test,", ",example,"},
		"every count lies within":                      {"tests.csv", ",0.5,,", ",0,,"},
		`claims.csv:2: unknown kind "certain"`:         {"claims.csv", ",test,", ",certain,"},
		`claims.csv:2: basis "" of a claim of kind`:    {"claims.csv", "in kind", ""},
		`basis "in kind" of a claim of kind "hardware`: {"claims.csv", ",test,", ",hardware,"},
		// Another reading alone decides nothing.
		"tests.csv has no line for C1":     {"tests.csv", "C1,,", "C1,other,"},
		"origins.csv:2: unknown source":    {"origins.csv", "corpus", "corpse"},
		"claims.csv:1: columns":            {"claims.csv", "id,claim", "id,claims"},
		`claims.csv:2: the id "" is empty`: {"claims.csv", "\nC1", "\n"},
	} {
		files := fstest.MapFS{}
		for name, text := range good {
			if name == change[0] {
				text = strings.Replace(text, change[1], change[2], 1)
			}
			files[name] = &fstest.MapFile{Data: []byte(text)}
		}
		_, err := readClaims(files)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, s string
		want       bool
	}{
		{"*", "", true}, {"a*c", "abbc", true}, {"a*c", "ab", false}, {"?b", "ab", true}, {"?", "", false}, {"tableS?*_detail", "tableS1a_sts12_detail", true},
	} {
		if got := glob(c.pattern, c.s); got != c.want {
			t.Errorf("glob(%q, %q) = %v", c.pattern, c.s, got)
		}
	}
}
