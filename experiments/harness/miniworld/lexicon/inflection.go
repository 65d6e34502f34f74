package lexicon

import (
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
func (x *Lexicon) verbForms(entry string) VerbForm {
	part := strings.Split(entry, "/")
	for _, p := range part {
		x.expectWord(p)
	}
	base := part[0]
	stem := base
	if doubles(base) {
		stem += base[len(base)-1:]
	}
	f := VerbForm{Base: base, Third: withS(base), Gerund: stem + "ing"}
	if base == "have" {
		f.Third = "has"
	}
	n := len(base)
	switch {
	case strings.HasSuffix(base, "e"):
		f.Past = base + "d"
		if !hasAnySuffix(base, "ee", "ye") {
			f.Gerund = base[:n-1] + "ing"
		}
	case n > 1 && base[n-1] == 'y' && !isVowel(base[n-2]):
		f.Past = base[:n-1] + "ied"
	default:
		f.Past = stem + "ed"
	}
	x.expect(len(part) <= 4, "%q has more than four forms", entry)
	if len(part) > 1 {
		f.Past = part[1]
	}
	f.Participle = f.Past
	if len(part) > 2 {
		f.Participle = part[2]
	}
	if len(part) > 3 {
		f.Gerund = part[3]
	}
	return f
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
