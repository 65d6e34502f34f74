package documents

import (
	"fmt"
	"html"
	"regexp"
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
	comment   = regexp.MustCompile(`(?s)<!--.*?-->`)
	refSelf   = regexp.MustCompile(`(?i)<ref\b[^<>]*/>`)
	dropped   = regexp.MustCompile(`(?is)<(ref|gallery|timeline|imagemap|score|table|pre|source|syntaxhighlight|div|code|hiero|templatestyles|section|poem)\b[^<>]*>.*?</(ref|gallery|timeline|imagemap|score|table|pre|source|syntaxhighlight|div|code|hiero|templatestyles|section|poem)>`)
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

// nested replaces what stands between open and close, inner ones first, by what replace makes of
// it. What is not closed is taken to the end of its paragraph.
func nested(s, open, close string, replace func(string) string) string {
	if !strings.Contains(s, open) {
		return s
	}
	stack := [][]byte{nil}
	add := func(text string) { stack[len(stack)-1] = append(stack[len(stack)-1], text...) }
	pop := func() string {
		inner := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		return string(inner)
	}
	for len(s) > 0 {
		at := strings.IndexAny(s, open[:1]+close[:1])
		if at < 0 {
			at = len(s)
		}
		add(s[:at])
		s = s[at:]
		switch {
		case strings.HasPrefix(s, open):
			stack = append(stack, nil)
			s = s[len(open):]
		case strings.HasPrefix(s, close) && len(stack) > 1:
			add(replace(pop()))
			s = s[len(close):]
		case len(s) > 0:
			add(s[:1])
			s = s[1:]
		}
	}
	for len(stack) > 1 {
		if _, rest, ok := strings.Cut(pop(), "\n\n"); ok {
			add("\n\n" + rest)
		}
	}
	return string(stack[0])
}

// link returns the text of [[target|text]]; that of pictures, categories and other languages is none.
func link(inner string) string {
	target, text, ok := strings.Cut(inner, "|")
	if space, _, colon := strings.Cut(target, ":"); colon && space != "" {
		switch strings.ToLower(strings.TrimSpace(space)) {
		case "file", "image", "category", "media", "template", "wikt", "wiktionary", "s", "b", "q", "commons", "wikisource":
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
		if name, _, ok := strings.Cut(p, "="); !ok || strings.ContainsAny(name, " <\"") && !strings.HasPrefix(name, " ") {
			values = append(values, strings.TrimSpace(p))
		}
	}
	if len(values) == 0 {
		return ""
	}
	switch strings.ToLower(strings.TrimSpace(parts[0])) {
	case "nowrap", "nobr", "lang", "em", "strong", "smallcaps", "sc", "linktext", "transl", "translit", "transliteration", "script", "nihongo", "visible anchor", "vanchor", "abbr":
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
