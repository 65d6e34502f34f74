package corpus

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Tokenise cuts a line of English into lower-case tokens, in the style of the
// sentence similarity data of SentEval: the rules of the Moses tokeniser without
// escaping [Koehn et al. 2007], but apostrophes always apart (it ' s).
//
//   - Every character that is not a letter, digit, combining mark, dot, comma,
//     apostrophe or hyphen is a token of its own. So is an apostrophe, a comma that
//     is not between two digits, and a run of two or more dots or of two or more hyphens.
//   - A dot at the end of a word is a token of its own, with three exceptions. The word holds a letter
//     and another dot (u.s.), or is, within a line, an abbreviation (mr., j.). Or a lower-case word follows
//     in a line that has upper-case letters too.
//     Other dots and hyphens stay within their word.
//   - Curly quotes become ' and ", dashes -- (- between letters or digits if short), an
//     ellipsis ..., and control and format characters are dropped. Text is read in the form of Normal,
//     and tokens have it.
//
// A line that is already tokenised passes unchanged, its tokens being what white space separates. It is taken for
// tokenised if it has no upper-case letter and the Moses rules would not split any of its tokens. The Moses rules
// also leave alone an apostrophe at either end of the line, backticks and hyphens within a word. So they do with a
// dot at the end of a word inside the line. So Tokenise(strings.Join(Tokenise(s), " ")) equals Tokenise(s).
func Tokenise(line string) []string {
	return new(tokeniser).tokens(line)
}

// TokeniseSentence is Tokenise for a sentence of any text. Where it has upper-case letters, fewer words keep their
// dot. Acronyms keep it only if no part has more than two letters (u.s., ph.d., but not io.eof.). Words before a
// lower-case one keep it only if they are abbreviations or have at most three letters.
func TokeniseSentence(line string) []string {
	return (&tokeniser{sentences: true}).tokens(line)
}

// tokeniser holds the scratch memory for one line after the other.
type tokeniser struct {
	sentences bool // of any text, see TokeniseSentence

	runes []rune // the line after normalise
	token []rune // the current token
	low   []rune // a token in lower case
	out   []byte // the tokens before it, each followed by a blank
}

// tokens returns the tokens of a line of any text.
func (t *tokeniser) tokens(line string) []string {
	return strings.Fields(string(t.line(Normal([]byte(line)))))
}

// line returns the line's tokens with white space between them: the line itself if it is
// already tokenised, otherwise memory that the next call overwrites.
func (t *tokeniser) line(line []byte) []byte {
	if tokenised(line) {
		return line
	}
	t.normalise(line)
	t.split()
	return Normal(t.out) // lower case may compose what capitals do not, and so may what was dropped
}

// inWord marks the ASCII characters that need no second look in tokenised text.
var inWord = func() (in [utf8.RuneSelf]bool) {
	for c := range in {
		in[c] = 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '`'
	}
	return in
}()

// tokenised tells whether the line has the form of tokenised text; see Tokenise.
func tokenised(line []byte) bool {
	line = bytes.TrimSpace(line)
	line = bytes.TrimPrefix(line, []byte{'\''})
	line, quote := bytes.CutSuffix(line, []byte{'\''})
	var last []byte
	for token := range bytes.FieldsSeq(line) {
		if !whole(token) {
			return false
		}
		last = token
	}
	before, dot := bytes.CutSuffix(last, []byte{'.'})
	word := bytes.Runes(before)
	if !dot || len(bytes.Trim(before, ".")) == 0 || isAcronym(word) {
		return true
	}
	apart := quote && !bytes.HasSuffix(line, last) // the apostrophe is a token after the dot
	return apart && isAbbreviation(word)
}

// whole tells whether the Moses rules leave the token in one piece.
func whole(token []byte) bool {
	plain := 0
	for plain < len(token) && token[plain] < utf8.RuneSelf && inWord[token[plain]] {
		plain++
	}
	if plain == len(token) {
		return true
	}
	var before rune
	symbol, dots := false, 0
	for at := 0; at < len(token); {
		r, size := utf8.DecodeRune(token[at:])
		switch {
		case r == utf8.RuneError && size == 1, unicode.ToLower(r) != r, isDropped(r):
			return false
		case unicode.IsMark(r):
		case symbol:
			return false
		case isWord(r) || r == '-' || r == '`':
		case r == '.':
			if before == '.' && dots < at {
				return false
			}
			dots++
		case r == ',' && at > 0:
			if next, _ := utf8.DecodeRune(token[at+1:]); !unicode.IsDigit(before) || !unicode.IsDigit(next) {
				return false
			}
		case at > 0:
			return false
		default:
			symbol = true
		}
		if dots > 1 && dots == at && r != '.' {
			return false
		}
		before = r
		at += size
	}
	return true
}

// isWord tells whether the character always belongs to a word.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// isDropped tells whether the character is no part of any text: controls and
// format characters such as soft hyphens, zero-width spaces and byte order marks.
func isDropped(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf) && !unicode.IsSpace(r)
}

// isAcronym tells whether the word keeps a dot at its end wherever it stands: it
// holds a letter and a dot.
func isAcronym(word []rune) bool {
	return slices.Contains(word, '.') && slices.ContainsFunc(word, unicode.IsLetter)
}

// mostLetters is the number of letters that each part of an acronym has at most in a sentence of any text.
const mostLetters = 2

// hasShortParts tells whether no part of an acronym has more letters than that.
func hasShortParts(word []rune) bool {
	n := 0
	return !slices.ContainsFunc(word, func(r rune) bool {
		if n++; r == '.' {
			n = 0
		}
		return n > mostLetters
	})
}

// mostBefore is the number of letters that a word has at most that keeps its dot before a lower-case word.
const mostBefore = 3

// normalise decodes the line, unifies its white space, quotes and dashes, and
// drops what is no text.
func (t *tokeniser) normalise(line []byte) {
	t.runes = t.runes[:0]
	for at := 0; at < len(line); {
		r, size := utf8.DecodeRune(line[at:])
		at += size
		switch r {
		case '\u2018', '\u2019', '\u201a', '\u201b', '\u02bc': // ‘ ’ ‚ ‛ ʼ
			r = '\''
		case '\u201c', '\u201d', '\u201e', '\u201f': // “ ” „ ‟
			r = '"'
		case '\u2010', '\u2011', '\u2012', '\u2212': // hyphens, figure dash, minus
			r = '-'
		case '\u2013': // en dash
			next, _ := utf8.DecodeRune(line[at:])
			if n := len(t.runes); n > 0 && isWord(t.runes[n-1]) && isWord(next) {
				r = '-'
				break
			}
			t.runes = append(t.runes, ' ', '-', '-')
			r = ' '
		case '\u2014', '\u2015': // em dash, horizontal bar
			t.runes = append(t.runes, ' ', '-', '-')
			r = ' '
		case '\u2026': // …
			t.runes = append(t.runes, ' ', '.', '.', '.')
			r = ' '
		}
		switch {
		case unicode.IsSpace(r):
			t.runes = append(t.runes, ' ')
		case !isDropped(r):
			t.runes = append(t.runes, r)
		}
	}
}

// split cuts t.runes into tokens and leaves them in t.out, in lower case.
func (t *tokeniser) split() {
	t.token, t.out = t.token[:0], t.out[:0]
	mixed := slices.ContainsFunc(t.runes, unicode.IsUpper)
	for at := 0; at < len(t.runes); at++ {
		r, rest := t.runes[at], t.runes[at+1:]
		run := 1
		if r == '.' || r == '-' {
			run += count(rest, r)
		}
		switch {
		case r == ' ':
			t.end()
		case isWord(r):
			t.token = append(t.token, r)
		case run > 1:
			t.alone(t.runes[at : at+run])
			at += run - 1
		case r == '-':
			t.token = append(t.token, r)
		case r == '.':
			if len(t.token) == 0 || goesOn(rest) || t.keepsDot(rest, mixed) {
				t.token = append(t.token, r)
			} else {
				t.alone(t.runes[at : at+1])
			}
		case r == ',' && at > 0 && unicode.IsDigit(t.runes[at-1]) && len(rest) > 0 && unicode.IsDigit(rest[0]):
			t.token = append(t.token, r)
		case r == ',' || r == '\'':
			t.alone(t.runes[at : at+1])
		default:
			marks := 0
			for marks < len(rest) && unicode.IsMark(rest[marks]) {
				marks++
			}
			t.alone(t.runes[at : at+1+marks])
			at += marks
		}
	}
	t.end()
}

// count returns how many times r stands at the start of runes.
func count(runes []rune, r rune) int {
	n := 0
	for n < len(runes) && runes[n] == r {
		n++
	}
	return n
}

// goesOn tells whether what follows a dot belongs to the same word.
func goesOn(rest []rune) bool {
	return len(rest) > 0 && (isWord(rest[0]) || rest[0] == '-' && count(rest, '-') == 1)
}

// end closes the current token.
func (t *tokeniser) end() {
	if len(t.token) == 0 {
		return
	}
	t.low = lower(t.low[:0], t.token)
	for _, r := range t.low {
		t.out = utf8.AppendRune(t.out, r)
	}
	t.out = append(t.out, ' ')
	t.token = t.token[:0]
}

// alone closes the current token and makes the characters one of their own.
func (t *tokeniser) alone(runes []rune) {
	t.end()
	t.token = append(t.token, runes...)
	t.end()
}

// keepsDot tells whether the dot after the current token stays with it. Mixed says
// whether the line has upper-case letters, without which a following lower-case
// word says nothing.
func (t *tokeniser) keepsDot(rest []rune, mixed bool) bool {
	strict := mixed && t.sentences
	t.low = lower(t.low[:0], t.token)
	if isAcronym(t.low) && (!strict || hasShortParts(t.low)) {
		return true
	}
	next := slices.IndexFunc(rest, func(r rune) bool { return r != ' ' })
	if next < 0 {
		return false
	}
	before := mixed && unicode.IsLower(rest[next]) && (!strict || len(t.low) <= mostBefore)
	return before || isAbbreviation(t.low) ||
		abbreviations[string(t.low)] == beforeNumber && unicode.IsDigit(rest[next])
}

// isAbbreviation tells whether the word keeps its dot wherever another token follows: j., mr.
func isAbbreviation(word []rune) bool {
	return len(word) == 1 && unicode.IsLetter(word[0]) || abbreviations[string(word)] == always
}

const (
	always       = 1
	beforeNumber = 2
)

// abbreviations are the words that keep their dot within a line: the English
// list of the Moses tokeniser, less what is also a common word, and with
// abbreviations frequent in encyclopedias.
var abbreviations = func() map[string]int {
	kinds := map[string]int{}
	for _, word := range strings.Fields(`
		adj adm adv asst bart bldg brig bros capt cmdr col comdr corp cpl dr drs ens gen gov hon hosp hr insp lt
		maj messrs mlle mm mme mr mrs ms msgr nr pfc ph prof pvt rep reps rev rs rt sen sens sfc sgt sr st supt surg v vs
		apr aug dec feb jan jul nov oct sep sept
		al approx ave blvd ca cf co dept ed eds esq est etc govt inc jr ltd viz`) {
		kinds[word] = always
	}
	for _, word := range strings.Fields("art ch chap fig figs ft jun mar no nos op p pp sec vol vols") {
		kinds[word] = beforeNumber
	}
	return kinds
}()
