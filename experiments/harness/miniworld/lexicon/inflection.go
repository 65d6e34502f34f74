package lexicon

import (
	"cmp"
	"slices"
	"strings"
)

func isVowel(c byte) bool { return strings.IndexByte("aeiou", c) >= 0 }

// withS returns the regular plural of a noun, or the third person of a verb.
func withS(w string) string {
	n := len(w)
	switch {
	case hasAnySuffix(w, "s", "x", "z", "ch", "sh"):
		return w + "es"
	case n > 1 && w[n-1] == 'y' && !isVowel(w[n-2]):
		return w[:n-1] + "ies"
	}
	return w + "s"
}

// hasAnySuffix tells whether a word ends in one of the suffixes.
func hasAnySuffix(w string, suffixes ...string) bool {
	return slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(w, s) })
}

// verbForms reads "base", "base/past/participle" or "base/past/participle/gerund"
// and adds the regular forms that are left out.
func verbForms(entry string) VerbForm {
	part := append(strings.Split(entry, "/"), "", "", "")
	base := part[0]
	stem, third := base, withS(base)
	if doubles(base) {
		stem += base[len(base)-1:]
	}
	past, gerund := stem+"ed", stem+"ing"
	if base == "have" {
		third = "has"
	}
	switch {
	case strings.HasSuffix(base, "e"):
		past = base + "d"
		if !hasAnySuffix(base, "ee", "ye") {
			gerund = base[:len(base)-1] + "ing"
		}
	case strings.HasSuffix(third, "ies"):
		past = base[:len(base)-1] + "ied"
	}
	past = cmp.Or(part[1], past)
	return VerbForm{base, third, past, cmp.Or(part[2], past), cmp.Or(part[3], gerund)}
}

// doubles tells whether a verb of one syllable doubles its last consonant: plan, planning.
func doubles(w string) bool {
	n := len(w)
	return n >= 3 && !strings.ContainsAny(w[n-1:], "aeiouwxy") && isVowel(w[n-2]) &&
		!strings.ContainsAny(w[:n-2], "aeiou")
}

// Article returns "a" or "an" as the next word asks for.
func Article(next string) string {
	switch {
	case next == "hour" || next == "honest":
		return "an"
	case strings.HasPrefix(next, "uni"), strings.HasPrefix(next, "euro"), strings.HasPrefix(next, "use"),
		strings.HasPrefix(next, "one"), !isVowel(next[0]):
		return "a"
	}
	return "an"
}
