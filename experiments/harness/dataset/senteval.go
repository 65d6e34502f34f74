package dataset

import (
	"slices"
	"strings"
	"unicode"
)

// sentEval gives SemEval's sentences the form in which the paper's tables use them: that of the folder
// which SentEval's script makes, the first two fields of each line, tokenised and then lower-cased. The
// rules are those of Moses' tokeniser for English [Koehn et al. 2007], with what it keeps of abbreviations
// reduced to those that occur in these files. The published files have gone through both steps twice, which
// is why apostrophes stand apart from what follows them: "it's" becomes "it 's" first, then "it ' s".
//
// It is for these files only: the result counts if it has the catalogue's checksum.
func sentEval(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if len(fields) < 2 {
			return ""
		}
		for i, s := range fields[:2] {
			for range 2 {
				s = strings.ToLower(strings.ReplaceAll(moses(s), "İ", "i\u0307"))
			}
			b.WriteString(s)
			b.WriteByte("\t\n"[i])
		}
	}
	return b.String()
}

// Characters as the tokeniser's classes have them.
func alphabetic(r rune) bool {
	return unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Other_Alphabetic)
}
func notAlphabetic(r rune) bool { return !alphabetic(r) }
func notNumber(r rune) bool     { return !unicode.IsNumber(r) }

// abbreviations keep their dot before a capital.
var abbreviations = strings.Fields(
	"Aug Brig Bros Capt Cmdr Corp Dec Dr Feb Gen Gov Jan MR Mar Mr Ms Nov Oct Rep Rev Sen Sens St rev v vs",
)

// keptDot stands for a dot of several in a row while the others are looked at.
const keptDot = '\ue000'

// moses tokenises a sentence: tokens have one blank between them.
func moses(sentence string) string {
	var t []rune
	for _, r := range strings.Join(strings.Fields(sentence), " ") {
		switch {
		case r < ' ':
		case alphabetic(r), unicode.Is(unicode.Nd, r), strings.ContainsRune(" .'`,-", r):
			t = append(t, r)
		default:
			t = append(t, ' ', r, ' ')
		}
	}
	t = keepDots(t)
	// Commas but those within numbers.
	t = around(t, ',', notNumber, nil, true, true)
	t = around(t, ',', nil, notNumber, true, true)
	if n := len(t); n > 1 && t[n-1] == ',' && unicode.IsNumber(t[n-2]) {
		t = append(t[:n-1], ' ', ',')
	}
	t = around(t, '\'', notAlphabetic, notAlphabetic, true, true)
	t = around(t, '\'', func(r rune) bool { return notAlphabetic(r) && notNumber(r) }, alphabetic, true, true)
	t = around(t, '\'', alphabetic, notAlphabetic, true, true)
	t = around(t, '\'', alphabetic, alphabetic, true, false)
	t = around(t, '\'', unicode.IsNumber, func(r rune) bool { return r == 's' }, true, false)

	words := strings.Fields(string(t))
	for i, word := range words {
		stem, dot := strings.CutSuffix(word, ".")
		if !dot || stem == "" {
			continue
		}
		if i < len(words)-1 {
			next := []rune(words[i+1])[0]
			switch {
			case strings.Contains(stem, ".") && strings.ContainsFunc(stem, alphabetic), unicode.IsLower(next),
				slices.Contains(abbreviations, stem), len(stem) == 1 && 'A' <= stem[0] && stem[0] <= 'Z':
				continue
			}
		}
		words[i] = stem + " ."
	}
	s := strings.Join(words, " ")
	if head, ok := strings.CutSuffix(s, ".'"); ok {
		s = head + " . ' "
	}
	return strings.ReplaceAll(s, string(keptDot), ".")
}

// keepDots makes several dots in a row a token.
func keepDots(t []rune) []rune {
	var out []rune
	for i := 0; i < len(t); {
		n := i
		for n < len(t) && t[n] == '.' {
			n++
		}
		if n-i < 2 {
			out = append(out, t[i])
			i++
			continue
		}
		out = append(out, ' ')
		for range n - i {
			out = append(out, keptDot)
		}
		if n < len(t) {
			out = append(out, ' ')
		}
		i = n
	}
	return out
}

// around puts blanks to the left and right of a mark between two characters; a nil is not looked at. A character
// counts for one mark only, as it does where expressions are replaced.
func around(t []rune, mark rune, before, after func(rune) bool, left, right bool) []rune {
	var out []rune
	free := 0 // what comes before has been used up
	for i := 0; i < len(t); i++ {
		if t[i] == mark && (before == nil || i > free && before(t[i-1])) &&
			(after == nil || i+1 < len(t) && after(t[i+1])) && i >= free {
			if left {
				out = append(out, ' ')
			}
			out = append(out, mark)
			if right {
				out = append(out, ' ')
			}
			free = i + 1
			if after != nil {
				out = append(out, t[i+1])
				free = i + 2
				i++
			}
			continue
		}
		out = append(out, t[i])
	}
	return out
}
