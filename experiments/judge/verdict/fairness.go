package verdict

import (
	"fmt"
	"strings"

	"contextmover/experiments/harness/results"
)

// fewer is how many times as many settings one side of a comparison may have had to choose
// from. The best of n settings that are in truth alike lies about √(2 ln n) standard errors of
// the validation score above their mean: five times as many settings add about half
// a standard error from 50 on.
const fewer = 5

// unfair says why two rows of ours may not be compared: the settings of one were searched on
// the validation set, and those of the other were not, or among far fewer. It is "" where they
// may be. Numbers that the paper quotes are what they are. It counts settings, also of a row that
// has no more than were tried: what more choice is worth to the other does not depend on why.
func (o ours) unfair(left, right []quantity) string {
	type side struct {
		least, most int
		row         string
	}
	measure := func(all []quantity) (s side, any bool) {
		for _, q := range all {
			if q.Source == "" {
				continue
			}
			n := o.settingsTried(q)
			if !any || magnitude(n) < magnitude(s.least) {
				s.least, s.row = n, q.Source
			}
			if !any || magnitude(n) > magnitude(s.most) {
				s.most = n
			}
			any = true
		}
		return s, any
	}
	a, okLeft := measure(left)
	b, okRight := measure(right)
	if !okLeft || !okRight {
		return ""
	}
	if magnitude(a.least) < magnitude(b.least) {
		a, b = b, a
	}
	switch {
	case a.most != 0 && b.least == 0:
		return fmt.Sprintf("%s as it is against %s, whose settings were chosen%s", b.row, a.row, among(a.most))
	case a.most > 0 && b.least > 0 && a.most > fewer*b.least:
		return fmt.Sprintf("%s, best of %d settings, against %s, best of %d", b.row, b.least, a.row, a.most)
	}
	return ""
}

func among(n int) string {
	if n < 0 {
		return ""
	}
	return fmt.Sprintf(" among %d", n)
}

// magnitude orders numbers of settings; an unknown number is some number.
func magnitude(n int) int {
	if n < 0 {
		return 1
	}
	return n
}

// settingsTried is the number of settings that a quantity's row was chosen from: 0 for a row
// whose settings were given, −1 for a chosen row of an experiment that does not record how
// many it tried.
func (o ours) settingsTried(q quantity) int {
	if q.Tried == 0 && !o.recordsTried(q.experiment) && strings.HasPrefix(q.Variant, results.Chosen) {
		return -1
	}
	return q.Tried
}

// recordsTried tells whether any quantity of an experiment says how many settings were tried.
func (o ours) recordsTried(experiment string) bool {
	for _, all := range o {
		for _, q := range all {
			if q.experiment == experiment && q.Tried > 0 {
				return true
			}
		}
	}
	return false
}
