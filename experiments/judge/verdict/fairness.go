package verdict

import (
	"cmp"
	"fmt"
	"slices"
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
func unfair(left, right []quantity) string {
	byTried := func(a, b quantity) int { return cmp.Compare(a.Tried, b.Tried) }
	ours := func(all []quantity) []quantity {
		own := slices.DeleteFunc(slices.Clone(all), func(q quantity) bool { return q.Source == "" })
		slices.SortStableFunc(own, byTried)
		return own
	}
	a, b := ours(left), ours(right)
	if len(a) == 0 || len(b) == 0 {
		return ""
	}
	if byTried(a[0], b[0]) < 0 {
		a, b = b, a
	}
	switch most, least := a[len(a)-1].Tried, b[0].Tried; {
	case most > 0 && least == 0:
		return fmt.Sprintf("%s as it is against %s, whose settings were chosen among %d",
			b[0].Source, a[0].Source, most)
	case most > fewer*least:
		return fmt.Sprintf("%s, best of %d settings, against %s, best of %d", b[0].Source, least, a[0].Source, most)
	}
	return ""
}
