package documents

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
)

// pageOf reads one <page> of MediaWiki's XML export, of which it takes the title, the id and the
// text of the last revision. Pages that are no articles, redirects and pages without a text come
// with the reason in skipped. It returns an error for what is no such page.
func pageOf(xml string) (article, error) {
	var a article
	var ok bool
	if a.title, ok = element(xml, "title"); !ok {
		return a, fmt.Errorf("a page without <title>, expected MediaWiki's XML export (pages-articles.xml)")
	}
	a.title = html.UnescapeString(a.title)
	if a.id, ok = element(xml, "id"); !ok {
		return a, fmt.Errorf("the page %q has no <id>, expected MediaWiki's XML export (pages-articles.xml)", a.title)
	}
	a.url = "https://en.wikipedia.org/wiki?curid=" + a.id
	if ns, _ := element(xml, "ns"); ns != "" && ns != "0" {
		a.skipped = "not an article"
		return a, nil
	}
	if strings.Contains(xml, "<redirect ") {
		a.skipped = "a redirect"
		return a, nil
	}
	at := strings.LastIndex(xml, "<text")
	if at < 0 {
		a.skipped = "no text"
		return a, nil
	}
	tag, rest, ok := strings.Cut(xml[at:], ">")
	if !ok || strings.HasSuffix(tag, "/") {
		a.skipped = "no text"
		return a, nil
	}
	text, _, ok := strings.Cut(rest, "</text>")
	if !ok {
		return a, fmt.Errorf("the page %q has a <text> without end, expected </text>", a.title)
	}
	text = html.UnescapeString(text)
	if t := strings.TrimSpace(text); len(t) > 9 && strings.EqualFold(t[:9], "#redirect") {
		a.skipped = "a redirect"
		return a, nil
	}
	a.text = plain(text)
	return a, nil
}

// element returns what stands in the first element of the name.
func element(xml, name string) (string, bool) {
	_, rest, ok := strings.Cut(xml, "<"+name+">")
	if !ok {
		return "", false
	}
	content, _, ok := strings.Cut(rest, "</"+name+">")
	return content, ok
}

var (
	comment = regexp.MustCompile(`(?s)<!--.*?-->`)
	refSelf = regexp.MustCompile(`(?i)<ref\b[^<>]*/>`)
	dropped = regexp.MustCompile(
		`(?is)<(ref|gallery|timeline|imagemap|score|table|pre|source|syntaxhighlight|div|code|hiero|templatestyles|section|poem)\b[^<>]*>.*?</(ref|gallery|timeline|imagemap|score|table|pre|source|syntaxhighlight|div|code|hiero|templatestyles|section|poem)>`,
	)
	formula   = regexp.MustCompile(`(?is)<(math|chem|ce)\b[^<>]*>.*?</(math|chem|ce)>`)
	anyTag    = regexp.MustCompile(`(?s)</?[a-zA-Z][^<>]*>`)
	external  = regexp.MustCompile(`\[(?:https?:|ftp:|mailto:|//)[^\s\]]*\s*([^\]]*)\]`)
	headline  = regexp.MustCompile(`(?m)^=+[^\n]*=+[ \t]*$`)
	emphasis  = regexp.MustCompile(`'{2,5}`)
	behaviour = regexp.MustCompile(`__[A-Z]+__`)
)

// plain returns the running text of wikitext, a paragraph a line: without comments, references, templates,
// tables, pictures, headings and lists, and with links as their text. A formula becomes U+FFFC, so that
// its sentence can be told.
func plain(s string) string {
	s = comment.ReplaceAllString(s, "")
	s = refSelf.ReplaceAllString(s, "")
	s = formula.ReplaceAllString(s, "\uFFFC")
	s = dropped.ReplaceAllString(s, "")
	s = nested(s, "{{", "}}", template)
	s = nested(s, "{|", "|}", func(string) string { return "" })
	s = nested(s, "[[", "]]", link)
	s = external.ReplaceAllString(s, "$1")
	s = anyTag.ReplaceAllString(s, "")
	s = headline.ReplaceAllString(s, "")
	s = emphasis.ReplaceAllString(s, "")
	s = behaviour.ReplaceAllString(s, "")
	s = html.UnescapeString(s)
	var out strings.Builder
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.ContainsRune("*#:;|!", rune(line[0])) {
			continue
		}
		out.WriteString(line)
		out.WriteByte('\n')
	}
	return out.String()
}

// deepest is how many levels of templates, tables or links are taken for such: as many as MediaWiki itself expands.
const deepest = 100

// nested replaces what stands between open and close, inner ones first, by what
// replace makes of it. What is not closed is taken to the end of its paragraph. What
// is nested deeper than deepest stays as it is. It takes a few times the memory of s.
func nested(s, open, close string, replace func(string) string) string {
	if !strings.Contains(s, open) {
		return s
	}
	out := make([]byte, 0, len(s))
	var starts []int // in out, of what is open
	deeper := 0      // levels that are open beyond
	for len(s) > 0 {
		at := strings.IndexAny(s, open[:1]+close[:1])
		if at < 0 {
			at = len(s)
		}
		out = append(out, s[:at]...)
		s = s[at:]
		sign := s[:min(1, len(s))]
		switch {
		case strings.HasPrefix(s, open) && len(starts) == deepest:
			sign = open
			deeper++
		case strings.HasPrefix(s, open):
			starts = append(starts, len(out))
			s = s[len(open):]
			continue
		case strings.HasPrefix(s, close) && deeper > 0:
			sign = close
			deeper--
		case strings.HasPrefix(s, close) && len(starts) > 0:
			start := starts[len(starts)-1]
			starts = starts[:len(starts)-1]
			out = append(out[:start], replace(string(out[start:]))...)
			s = s[len(close):]
			continue
		}
		out = append(out, sign...)
		s = s[len(sign):]
	}
	// Each that is open has its own text, up to where the next one begins, and what is left of that.
	var left []string // from the last one's on
	for i := len(starts) - 1; i >= 0; i-- {
		own := string(out[starts[i]:])
		out = out[:starts[i]]
		if at := strings.Index(own, "\n\n"); at >= 0 {
			left = append(left, own[at:])
		} else if len(left) > 0 && strings.HasSuffix(own, "\n") {
			left = append(left, "\n") // with what follows it, the end of the paragraph
		}
	}
	slices.Reverse(left)
	return string(out) + strings.Join(left, "")
}

// link returns the text of [[target|text]]; that of pictures, categories and other languages is none.
func link(inner string) string {
	target, text, ok := strings.Cut(inner, "|")
	if space, _, colon := strings.Cut(target, ":"); colon && space != "" {
		switch strings.ToLower(strings.TrimSpace(space)) {
		case "file", "image", "category", "media", "template", "wikt", "wiktionary", "s", "b", "q",
			"commons", "wikisource":
			if !ok || strings.EqualFold(space, "file") || strings.EqualFold(space, "image") {
				return ""
			}
		default:
			if len(space) <= 3 && !ok {
				return "" // a language
			}
		}
	}
	if !ok {
		return strings.TrimPrefix(target, ":")
	}
	if at := strings.LastIndexByte(text, '|'); at >= 0 {
		text = text[at+1:]
	}
	return text
}

// template returns what is known of {{name|…}}: the text of those that only say how it is set, and
// a quantity with its unit. Of others nothing is left.
func template(inner string) string {
	parts := strings.Split(inner, "|")
	var values []string
	for _, p := range parts[1:] {
		if name, _, ok := strings.Cut(p, "="); !ok || strings.ContainsAny(name, " <\"") &&
			!strings.HasPrefix(name, " ") {
			values = append(values, strings.TrimSpace(p))
		}
	}
	if len(values) == 0 {
		return ""
	}
	switch strings.ToLower(strings.TrimSpace(parts[0])) {
	case "nowrap", "nobr", "lang", "em", "strong", "smallcaps", "sc", "linktext", "transl", "translit",
		"transliteration", "script", "nihongo", "visible anchor", "vanchor", "abbr":
		if parts[0] == "nihongo" || strings.EqualFold(strings.TrimSpace(parts[0]), "abbr") {
			return values[0]
		}
		return values[len(values)-1]
	case "convert", "cvt":
		if len(values) >= 2 {
			return values[0] + " " + values[1]
		}
	case "circa", "c.", "ca":
		return "c. " + values[0]
	case "'", "snd", "spaced ndash", "ndash", "mdash":
		return " – "
	}
	return ""
}
