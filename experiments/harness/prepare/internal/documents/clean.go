package documents

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"contextmover/cmdlib/corpus"
)

// decode returns text as UTF-8 in the form of corpus.Normal. Bytes that are not UTF-8 are taken for
// Windows-1252, which old books of Project Gutenberg are in.
func decode(data []byte) string {
	s := strings.TrimPrefix(string(data), "\ufeff")
	if !utf8.ValidString(s) {
		if out, err := charmap.Windows1252.NewDecoder().String(s); err == nil {
			s = out
		}
	}
	return string(corpus.Normal([]byte(s)))
}

var (
	inlineNote = regexp.MustCompile(
		`\[(?i:foot-?note|illustration|side-?note|transcriber|page|pg|greek|editor|note|picture|sic)\b[^\[\]]*\]|\[(FN ?#?)?[0-9]{1,4}[a-z]?\]|\{[0-9]{1,4}[a-z]?\}|\[[*†‡]+\]|\[[A-Za-z]\]`,
	)
	slashes = regexp.MustCompile(`(^|[\s"'(“‘-])/([A-Za-z][^/\n]{0,80}?)/($|[\s"'),.;:!?”’-])`)
	stars   = regexp.MustCompile(`(^|[^A-Za-z0-9*])\*([A-Za-z][^*\n]{0,80}?)\*($|[^A-Za-z0-9*])`)
	tags    = regexp.MustCompile(
		`</?(i|b|em|strong|sc|small|sup|sub|u|p|br|hr|center|blockquote|pre|tt)\b[^<>]{0,40}>`,
	)
	dots     = regexp.MustCompile(`\.( ?\.){1,}`)
	gapDots  = regexp.MustCompile(`([^ .])\.( \.)+`)
	rulers   = regexp.MustCompile(`( ?\*){2,}|_{2,}|={2,}|~{2,}`)
	asterisk = regexp.MustCompile(`([A-Za-z.,;:!?"'”’])[*†‡]+($|[\s"'”’.,;:!?)])`)
)

// emphases are signs, text between two of which is emphasised, in a fixed order.
var emphases = []string{"_", "=", "~", "+", "#"}

// emphasised finds text between two of a sign, by the signs.
var emphasised = func() map[string]*regexp.Regexp {
	found := map[string]*regexp.Regexp{}
	for _, sign := range emphases {
		found[sign] = regexp.MustCompile(
			strings.ReplaceAll(`(^|[^A-Za-z0-9])[@]([^\s@](?:[^@\n]{0,400}[^\s@])?)[@]($|[^A-Za-z0-9])`, "@", sign),
		)
	}
	return found
}()

// clean takes from a paragraph what stands for type rather than words: signs of emphasis, marks of
// notes and pages, rows of stars; and unites dots that stand apart.
func clean(s string) string {
	if strings.ContainsAny(s, "[{") {
		s = inlineNote.ReplaceAllString(s, "")
	}
	if strings.Contains(s, "<") {
		s = tags.ReplaceAllString(s, "")
	}
	if strings.Contains(s, "*") || strings.ContainsAny(s, "†‡") {
		s = rulers.ReplaceAllString(s, "")
		s = stars.ReplaceAllString(s, "$1$2$3")
		s = asterisk.ReplaceAllString(s, "$1$2")
		s = strings.ReplaceAll(s, "*", "")
	}
	if strings.ContainsAny(s, "_=~+#") {
		s = rulers.ReplaceAllString(s, " ")
		for _, sign := range emphases {
			if strings.Count(s, sign) >= 2 {
				s = emphasised[sign].ReplaceAllString(s, "$1$2$3")
				s = emphasised[sign].ReplaceAllString(s, "$1$2$3") // what closes one may stand beside the next
			}
		}
		s = strings.ReplaceAll(s, "_", " ")
	}
	if strings.Contains(s, "/") {
		s = slashes.ReplaceAllString(s, "$1$2$3")
	}
	s = oneBlank(s)
	if strings.Contains(s, ". .") {
		s = gapDots.ReplaceAllString(s, "$1 ...")
		s = dots.ReplaceAllString(s, "...")
	}
	return strings.TrimSpace(s)
}

// oneBlank makes every run of white space one blank, and removes that at both ends.
func oneBlank(s string) string { return strings.Join(strings.Fields(s), " ") }

// notLatin tells whether a character is a letter of another script than Latin.
func notLatin(r rune) bool {
	return r >= 0x250 && unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r)
}

// unspaced tells whether a character is a letter of a script that has no spaces between words.
func unspaced(r rune) bool {
	return r >= 0xe00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Yi,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Javanese, unicode.Balinese,
		unicode.Tai_Le, unicode.New_Tai_Lue, unicode.Tai_Tham, unicode.Tai_Viet)
}

// without drops the words of a tokenised sentence that have such characters, and the brackets that this empties.
func without(tokens []string, such func(rune) bool) []string {
	kept := slices.DeleteFunc(tokens, func(t string) bool { return strings.ContainsFunc(t, such) })
	if len(kept) == len(tokens) {
		return kept
	}
	return unbracket(kept)
}

// unbracket removes brackets and quotes with nothing but signs in them.
func unbracket(tokens []string) []string {
	out := tokens[:0]
	var open []int // brackets in out with nothing but signs behind them
	for _, t := range tokens {
		switch {
		case t == "(" || t == "[":
			open = append(open, len(out))
		case (t == ")" || t == "]") && len(open) > 0:
			out = out[:open[len(open)-1]]
			open = open[:len(open)-1]
			continue
		case strings.ContainsFunc(t, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }):
			open = open[:0]
		}
		out = append(out, t)
	}
	return out
}

// unusual says why a tokenised sentence is none to learn from, or
// nothing for one of 2 to 300 tokens, at least half of them words.
func unusual(tokens []string) (why string) {
	if len(tokens) < 2 {
		return tooShort
	}
	if len(tokens) > 300 {
		return tooLong
	}
	words := 0
	for _, t := range tokens {
		if r, _ := utf8.DecodeRuneInString(t); unicode.IsLetter(r) {
			words++
		}
	}
	if 2*words < len(tokens) {
		return mostlySigns
	}
	return ""
}
