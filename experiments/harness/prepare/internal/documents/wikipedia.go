package documents

import (
	"html"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Wikipedia's text comes under this licence since 2023; before it was version 3.0.
const wikipediaLicence = "CC BY-SA 4.0 (3.0 for dumps before June 2023)"

// article is a page of an encyclopedia.
type article struct {
	title, url string
	text       string // a paragraph a line
}

// docTag begins a document of WikiExtractor, which writes revid with its option --revision.
var docTag = regexp.MustCompile(`^<doc id="[^"]*"(?: revid="[^"]*")? url="([^"]*)" title="(.*)">[ \t]*$`)

// isDump matches the start of MediaWiki's XML export.
var isDump = regexp.MustCompile(`^\x{feff}?\s*(<\?xml[^>]*>\s*)?<mediawiki[\s>]`)

// IsDump reports whether a file that begins with head is a raw dump of a wiki, whose markup none of the readers
// knows: WikiExtractor makes text of it.
func IsDump(head []byte) bool { return isDump.Match(head) }

// extracted calls page for the documents in the output of WikiExtractor,
//
//	<doc id="12" url="…" title="Anarchism">
//	Anarchism
//
//	Anarchism is …
//	</doc>
//
// whose first line, again the title, is left out. It returns the line, from 0, and what is wrong there.
func extracted(data string, page func(article)) (line int, problem string) {
	var a article
	var text strings.Builder
	open, began := false, 0
	for l := range strings.SplitSeq(data, "\n") {
		switch {
		case strings.HasPrefix(l, "<doc "):
			m := docTag.FindStringSubmatch(strings.TrimRight(l, "\r"))
			if open {
				return line, "a document begins within another, expected </doc> before it"
			}
			if m == nil {
				return line, `expected <doc id="…" url="…" title="…"> as WikiExtractor writes it`
			}
			a = article{url: html.UnescapeString(m[1]), title: html.UnescapeString(m[2])}
			text.Reset()
			open, began = true, line
		case strings.HasPrefix(l, "</doc>"):
			if !open {
				return line, "</doc> without a <doc …> before it"
			}
			open = false
			a.text = withoutTitle(text.String(), a.title)
			page(a)
		case open:
			text.WriteString(l)
			text.WriteByte('\n')
		case strings.TrimSpace(l) != "":
			return line, `text outside of a document, expected <doc id="…" url="…" title="…">`
		}
		line++
	}
	if open {
		return began, "the document has no end, expected </doc>: the file may be cut off"
	}
	return line, ""
}

// withoutTitle removes the first line of an article if it is again the title.
func withoutTitle(text, title string) string {
	text = strings.TrimLeft(text, "\n")
	if first, rest, ok := strings.Cut(text, "\n"); ok &&
		strings.TrimSpace(html.UnescapeString(first)) == strings.TrimSpace(title) {
		return rest
	}
	return text
}

var (
	leftover = regexp.MustCompile(
		`formula_[0-9]|codice_[0-9]|\{\{|\}\}|\[\[|\]\]|\|\||\{\||\|\}|https?:|www\.|ISBN|<[/a-z!]|&[a-z]+;|\x{FFFC}|__[A-Z]+__|\(\(|colspan|style=`,
	)
	emptied     = regexp.MustCompile(`[(\[]\s*((?i:or|and|also|from|in|pronounced|ipa|;|,|:|–|—|-|/|"|''|\.)\s*)*[)\]]`)
	brokenStart = regexp.MustCompile(`\(\s*[;,:]+\s*`)
	brokenEnd   = regexp.MustCompile(`\s*[;,:]+\s*\)|\s+\)`)
	doubled     = regexp.MustCompile(`\s+([,;.:])(\s|$)`)
	// lost is where a quantity or formula was: "a height of , and". Its sentence is dropped, for its U+FFFC.
	lost = regexp.MustCompile(
		`(?i)(\b(?:of|at|to|from|about|approximately|by|than|nearly|around|over|is|was|are|were|as|between|and|or|only|for|the|a|an)|[-–])\s+([,;.:])`,
	)
	reference = regexp.MustCompile(
		`\[(?i:[0-9]{1,3}|[a-z]|note [0-9]+|citation needed|clarification needed|who\?|when\?)\]`,
	)
)

// hasGaps tells whether a bracket opens or closes next to a blank or sign, as one does that something was taken from.
func hasGaps(line string) bool {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '(', '[':
			if i+1 == len(line) || strings.IndexByte(" ;,:)]-/\"'.\xe2iIopafO", line[i+1]) >= 0 {
				return true
			}
		case ')', ']':
			if i > 0 && strings.IndexByte(" ;,:-/", line[i-1]) >= 0 {
				return true
			}
		}
	}
	return false
}

// hasMarkup tells whether a sentence has markup that its making has left over, or a formula's place.
func hasMarkup(s string) bool {
	// The expression is slow, and few sentences have any of its signs.
	return (strings.ContainsAny(s, "_{}[]|<&=\uFFFC") || strings.Contains(s, "http") || strings.Contains(s, "www.") ||
		strings.Contains(s, "ISBN") || strings.Contains(s, "((")) && leftover.MatchString(s)
}

// articleParagraphs calls paragraph for the running text of an article: the lines of at least 40 characters and 8
// words that end with an end mark. Headings, lists, captions and table cells are not.
func articleParagraphs(text string, paragraph func(string)) {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if len(line) < 40 || strings.ContainsRune("*#:;|!{<", rune(line[0])) || utf8.RuneCountInString(line) < 40 ||
			len(strings.Fields(line)) < 8 || !endsParagraph(line) {
			continue
		}
		if strings.ContainsAny(line, "[]") {
			line = reference.ReplaceAllString(line, "")
		}
		if hasGaps(line) {
			for range 2 {
				line = emptied.ReplaceAllString(line, "")
				line = brokenStart.ReplaceAllString(line, "(")
				line = brokenEnd.ReplaceAllString(line, ")")
			}
		}
		if strings.Contains(line, " ,") || strings.Contains(line, " ;") || strings.Contains(line, " .") ||
			strings.Contains(line, " :") {
			line = lost.ReplaceAllString(line, "$1 \uFFFC$2")
			line = doubled.ReplaceAllString(line, "$1$2")
		}
		paragraph(oneBlank(strings.ReplaceAll(line, "''", "")))
	}
}

// isDisambiguation tells whether an article only lists what its title may mean.
func isDisambiguation(a article) bool {
	if strings.HasSuffix(a.title, "(disambiguation)") {
		return true
	}
	head, _, _ := strings.Cut(strings.TrimSpace(a.text), "\n")
	return len(head) < 200 && (strings.Contains(head, "may refer to") || strings.Contains(head, "can refer to")) &&
		strings.HasSuffix(strings.TrimSpace(head), ":")
}
