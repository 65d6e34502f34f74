package corpus

import (
	"bytes"
	"unicode"

	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// Form names what Normal makes of a text. A space records it, because words are only found in the form that they were
// counted in.
const Form = "NFC"

// Normal returns text in the form that all readers of texts bring it into before they cut it into words: Unicode's
// composed form (NFC), where U+200B, which separates words in scripts without blanks, is a blank, and a line ends with
// LF. It returns text itself if that has this form.
func Normal(text []byte) []byte {
	if bytes.IndexByte(text, '\r') >= 0 {
		text, _, _ = transform.Bytes(lineEnds{}, text) // which has no errors
	}
	if bytes.Contains(text, zeroWidthSpace) {
		text = bytes.ReplaceAll(text, zeroWidthSpace, []byte{' '})
	}
	if norm.NFC.IsNormal(text) {
		return text
	}
	return norm.NFC.Bytes(text)
}

var zeroWidthSpace = []byte("\u200b")

// NormalWord is Normal of a word, in which nothing separates.
func NormalWord(word string) string { return norm.NFC.String(word) }

// NormalWords brings distinct words into the form of NormalWord, except one whose form another of them has, so that
// they remain distinct. It returns the positions of those that it changed.
func NormalWords(words []string) (changed []int) {
	var taken map[string]bool
	for i, word := range words {
		if norm.NFC.IsNormalString(word) {
			continue
		}
		if taken == nil {
			taken = make(map[string]bool, len(words))
			for _, w := range words {
				taken[w] = true
			}
		}
		if normal := norm.NFC.String(word); !taken[normal] {
			taken[normal] = true
			words[i] = normal
			changed = append(changed, i)
		}
	}
	return changed
}

// LowerWord is NormalWord in lower case, as Tokenise writes words.
func LowerWord(word string) string { return NormalWord(string(lower(nil, []rune(word)))) }

// lower appends the lower case of word to to. A capital sigma that ends a word of several letters is ς, as Unicode
// has it (Final_Sigma).
func lower(to, word []rune) []rune {
	for i, r := range word {
		if r == 'Σ' && endsLetters(word, i) {
			to = append(to, 'ς')
		} else {
			to = append(to, unicode.ToLower(r))
		}
	}
	return to
}

// endsLetters reports whether a letter stands before position i of a word, and none behind it.
func endsLetters(word []rune, i int) bool {
	before, after := i-1, i+1
	for before >= 0 && unicode.IsMark(word[before]) {
		before--
	}
	for after < len(word) && unicode.IsMark(word[after]) {
		after++
	}
	return before >= 0 && unicode.IsLetter(word[before]) && (after == len(word) || !unicode.IsLetter(word[after]))
}

// lineEnds is a transformer that ends each line of a text, which may end with CR LF, LF or CR alone, with LF. Several
// CR before an LF are one end: programs that add a CR to each LF twice make them.
type lineEnds struct{ transform.NopResetter }

// longestRun is more CRs in a row than have to be seen at once.
const longestRun = 64

func (lineEnds) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		plain := bytes.IndexByte(src[nSrc:], '\r')
		if plain < 0 {
			plain = len(src) - nSrc
		}
		n := copy(dst[nDst:], src[nSrc:nSrc+plain])
		nDst += n
		nSrc += n
		if n < plain {
			return nDst, nSrc, transform.ErrShortDst
		}

		end := nSrc
		for end < len(src) && src[end] == '\r' {
			end++
		}
		run := end - nSrc
		switch {
		case end == len(src) && !atEOF && run < longestRun:
			if run == 0 {
				return nDst, nSrc, nil
			}
			return nDst, nSrc, transform.ErrShortSrc // until it is known what follows
		case end < len(src) && src[end] == '\n':
			nSrc = end
			continue
		case len(dst)-nDst < run:
			return nDst, nSrc, transform.ErrShortDst
		}
		for range run {
			dst[nDst] = '\n'
			nDst++
		}
		nSrc = end
	}
	return nDst, nSrc, nil
}
