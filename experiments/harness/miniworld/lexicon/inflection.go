package lexicon

import (
	"fmt"
	"strings"
)

func isVowel(c byte) bool { return strings.IndexByte("aeiou", c) >= 0 }

// pluralOf returns the regular plural of a noun.
func pluralOf(w string) string { return withS(w) }

func withS(w string) string {
	n := len(w)
	switch {
	case HasAnySuffix(w, "s", "x", "z", "ch", "sh"):
		return w + "es"
	case n > 1 && w[n-1] == 'y' && !isVowel(w[n-2]):
		return w[:n-1] + "ies"
	}
	return w + "s"
}

// HasAnySuffix tells whether a word ends in one of the suffixes.
func HasAnySuffix(w string, suffixes ...string) bool {
	for _, s := range suffixes {
		if strings.HasSuffix(w, s) {
			return true
		}
	}
	return false
}

// verbForms reads "base", "base/past/participle" or "base/past/participle/gerund"
// and adds the regular forms that are left out.
func verbForms(entry string) (VerbForm, error) {
	part := strings.Split(entry, "/")
	for _, p := range part {
		if !IsWord(p) {
			return VerbForm{}, fmt.Errorf("%q is not a lower-case word", p)
		}
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
		if !HasAnySuffix(base, "ee", "ye") {
			f.Gerund = base[:n-1] + "ing"
		}
	case n > 1 && base[n-1] == 'y' && !isVowel(base[n-2]):
		f.Past = base[:n-1] + "ied"
	default:
		f.Past = stem + "ed"
	}
	f.Participle = f.Past
	switch len(part) {
	case 1:
	case 2:
		f.Past, f.Participle = part[1], part[1]
	case 3:
		f.Past, f.Participle = part[1], part[2]
	case 4:
		f.Past, f.Participle, f.Gerund = part[1], part[2], part[3]
	default:
		return VerbForm{}, fmt.Errorf("%q has more than four forms", entry)
	}
	return f, nil
}

// doubles tells whether a verb of one syllable doubles its last consonant: plan, planning.
func doubles(w string) bool {
	n := len(w)
	if n < 3 || isVowel(w[n-1]) || strings.IndexByte("wxy", w[n-1]) >= 0 || !isVowel(w[n-2]) || isVowel(w[n-3]) {
		return false
	}
	vowels := 0
	for i := range n {
		if isVowel(w[i]) {
			vowels++
		}
	}
	return vowels == 1
}

// Article returns "a" or "an" as the next word asks for.
func Article(next string) string {
	switch {
	case next == "hour" || next == "honest":
		return "an"
	case hasAnyPrefix(next, "uni", "euro", "use", "one"):
		return "a"
	case isVowel(next[0]):
		return "an"
	}
	return "a"
}

func hasAnyPrefix(w string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(w, p) {
			return true
		}
	}
	return false
}
