package published

import (
	"fmt"
	"math"
	"slices"
	"testing"
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

// Claims and their tests have the form that the verdict takes for granted: what cannot fail does not stand among the
// claims that could have failed.
func TestClaimsAreSound(t *testing.T) {
	ids := map[string]bool{}
	for _, c := range Claims() {
		if c.ID == "" || ids[c.ID] {
			t.Errorf("the id %q is empty or occurs twice", c.ID)
		}
		ids[c.ID] = true
		if !slices.Contains([]Kind{CouldFail, ByExample, OnHardware, NoTest}, c.Kind) {
			t.Errorf("%s: unknown kind %q", c.ID, c.Kind)
		}
		vectors := c.Kind == CouldFail || c.Kind == ByExample
		if vectors != slices.Contains([]Basis{OnOurCorpus, InKind}, c.Basis) || !vectors && c.Basis != "" {
			t.Errorf("%s: basis %q of a claim of kind %q", c.ID, c.Basis, c.Kind)
		}
		if !slices.ContainsFunc(c.Tests, func(t Test) bool { return t.Reading == "" }) {
			t.Errorf("%s: no test of what the text says", c.ID)
		}
		for _, test := range c.Tests {
			left, right := len(test.Left), len(test.Right)
			expected, bounded := 0, !math.IsInf(test.Low, -1) || !math.IsInf(test.High, 1)
			switch test.Statistic {
			case Untested:
				if test.Reason == "" {
					t.Errorf("%s: no test and no reason", c.ID)
				}
				continue
			case ValueOf, Attained:
				left = min(left, 2-left) // exactly 1
			case Difference, Gain, Example:
				expected = max(1, right)
			case Wins:
				expected = left
				if test.Low <= 0 && test.High >= float64(left) {
					t.Errorf("%s: every count of wins lies within the bounds", c.ID)
				}
			}
			if kindOf[test.Statistic] != c.Kind || left < 1 || right != expected || !bounded || test.Low > test.High {
				t.Errorf("%s of kind %q: test %+v", c.ID, c.Kind, test)
			}
		}
	}
	for _, r := range lines("claims/origins.csv") {
		if !slices.Contains([]Source{
			FromCorpus, FromVectors, FromSetting, FromData, FromCovered, FromMachine, FromClaim, Elsewhere, Unavailable,
		}, Source(r["from"])) {
			t.Errorf("unknown source %q", r["from"])
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
		if got := glob(c.pattern).MatchString(c.s); got != c.want {
			t.Errorf("glob(%q, %q) = %v", c.pattern, c.s, got)
		}
	}
}
