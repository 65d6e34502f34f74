// Package printable makes words from anybody's files, and numbers of bytes, fit to be shown.
package printable

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Text returns s with escapes, such as \x1b and \u202e, for what would act instead of being seen:
// control characters, which terminals obey and XML forbids; ends of lines; characters that turn the
// text around them or have no form, except the joiners that some scripts and emoji need; what Unicode
// keeps for internal use; and bytes that are not UTF-8. All other text is returned as it is, in any
// script, backslashes too: the result is for people, and Text of it is itself. Programs get s itself.
func Text(s string) string {
	var b strings.Builder
	kept := 0 // s[kept:i] needs no escape
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		invalid := r == utf8.RuneError && size == 1
		if invalid || acts(r) {
			b.WriteString(s[kept:i])
			if invalid {
				r = rune(s[i])
				b.WriteString(`\x` + strconv.FormatInt(int64(r), 16))
			} else {
				b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
			}
			kept = i + size
		}
		i += size
	}
	if kept == 0 {
		return s
	}
	b.WriteString(s[kept:])
	return b.String()
}

// Path returns a path as JSON can have it: as it is if it is UTF-8, else in Go's quotes, from which
// strconv.Unquote has the path back. encoding/json would lose the bytes.
func Path(path string) string {
	if utf8.ValidString(path) {
		return path
	}
	return strconv.Quote(path)
}

// JSON returns a JSON text, as encoding/json writes it, with JSON's own escapes for what Text escapes: to a
// program it is the same.
func JSON(text []byte) []byte {
	var b []byte
	for _, r := range string(text) {
		switch {
		case r < utf8.RuneSelf && r != 0x7f || !acts(r):
			b = utf8.AppendRune(b, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			b = fmt.Appendf(b, `\u%04x\u%04x`, high, low)
		default:
			b = fmt.Appendf(b, `\u%04x`, r)
		}
	}
	return b
}

// acts tells whether a character does something instead of being seen.
func acts(r rune) bool {
	const zeroWidthNonJoiner, zeroWidthJoiner = 0x200c, 0x200d
	if r == zeroWidthNonJoiner || r == zeroWidthJoiner || unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Noncharacter_Code_Point)
}

// Shell returns a word as a POSIX shell takes it.
func Shell(word string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("-_./=:,@%+", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !safe(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Bytes writes a number of bytes for people.
func Bytes(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%d B", n)
}
