package documents

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"contextmover/cmdlib/corpus"
)

// block is a run of lines of a book between blank lines.
type block struct {
	lines  []string // without white space at their ends
	before int      // blank lines before it
	kind   kind
	text   string // of prose: the lines joined and cleaned
}

// kind is what a block of a book is.
type kind uint8

const (
	prose kind = iota
	verse      // or lists and tables: lines that end before the margin
	heading
	note     // footnotes and other apparatus
	advert   // publishers' advertisements
	boiler   // what Project Gutenberg or those who typed the book say of themselves
	unended  // text without an end mark: titles, captions, contents
	numKinds = iota
)

// book is what is left of a book file.
type book struct {
	title, author string
	paragraphs    []string
	words         [numKinds]int // of each kind of block, in words
	drama         int           // words of paragraphs that begin with the name of who speaks, as in plays
}

// parseBook finds the prose of a plain-text book, in the form of Project Gutenberg: lines broken at
// a margin, paragraphs apart by blank lines. The file's name may be Author___Title.txt; a header's
// own lines Title: and Author: go before.
func parseBook(path, text string) book {
	var b book
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	b.title = name
	if author, title, ok := strings.Cut(name, "___"); ok {
		b.author, b.title = author, title
	}
	blocks := splitBlocks(b.body(text))
	margin := marginOf(blocks)
	mode := body
	inNote := 0   // blocks that an open bracket may still take
	open := false // the last paragraph ends within a sentence
	var paragraphs [][]byte
	speeches := map[string]spoken{}
	for i := range blocks {
		bl := &blocks[i]
		after := 1
		if i+1 < len(blocks) {
			after = blocks[i+1].before
		}
		bl.classify(margin, after)
		if inNote > 0 {
			inNote--
			if bl.depth() < 0 {
				inNote = 0
			}
			bl.kind = note
		} else if bl.kind == note && bl.depth() > 0 {
			inNote = 40
		}
		mode = mode.next(bl)
		// Notes to a chapter end where running text begins, those at the end of the book with it.
		if mode == apparatus && 5*i < 4*len(blocks) && bl.kind == prose &&
			!isNote(strings.TrimLeft(bl.lines[0], " \t")) && len(bl.lines) >= 4 {
			mode = body
		}
		if mode != body && (bl.kind == prose || bl.kind == unended || bl.kind == verse) {
			bl.kind = note
		}
		b.words[bl.kind] += bl.wordCount()
		switch bl.kind {
		case prose, unended:
			// A page, picture or footnote may stand in the middle of a paragraph.
			first, _ := utf8.DecodeRuneInString(bl.text)
			switch {
			case open && unicode.IsLower(first) && len(bl.lines) > 0:
				last := &paragraphs[len(paragraphs)-1]
				*last = corpus.JoinLine(*last, []byte(bl.text))
				if bl.kind == unended {
					b.words[unended] -= bl.wordCount()
					b.words[prose] += bl.wordCount()
				}
			case bl.kind == prose:
				paragraphs = append(paragraphs, []byte(bl.text))
				if name := speakerOf(bl.text); name != "" {
					speeches[name] = spoken{speeches[name].number + 1, speeches[name].words + bl.wordCount()}
				}
			case len(bl.lines) >= 2 && bl.wordCount() >= 20:
				// It may go on behind what interrupts it.
				paragraphs = append(paragraphs, []byte(bl.text))
			default:
				continue
			}
			open = !endsParagraph(bl.text)
		case heading:
			open = false
		}
	}
	for _, s := range speeches {
		if s.number >= minSpeeches {
			b.drama += s.words
		}
	}
	for _, joined := range paragraphs {
		p := string(joined)
		if !endsParagraph(p) {
			p = whole(p) // what interrupts the last sentence is not here
		}
		b.paragraphs = append(b.paragraphs, p)
	}
	return b
}

// spoken is the paragraphs that begin with one name.
type spoken struct{ number, words int }

// minSpeeches is how often a name must begin a paragraph to be a person of a play.
const minSpeeches = 8

// speakerOf returns the name that a paragraph begins with as those of plays
// do: up to three capitalised words before a dot, colon, dash or bracket.
func speakerOf(p string) string {
	at := strings.IndexAny(p, ".:[(—-,;!?\"'")
	if at < 2 || at > 28 || strings.IndexByte(",;!?\"'", p[at]) >= 0 || p[at] == '-' &&
		!strings.HasPrefix(p[at:], "--") {
		return ""
	}
	name := strings.TrimSpace(p[:at])
	words := strings.Fields(name)
	if len(words) == 0 || len(words) > 3 || starters[words[0]] || isNumber(words[0]) ||
		abbreviations[strings.ToLower(name)] == title || chapter.MatchString(name) {
		return ""
	}
	for _, w := range words {
		if !isCapital(w) {
			return ""
		}
	}
	return name
}

// whole returns the paragraph without its last sentence.
func whole(p string) string {
	last := 0
	sentences(p, false, func(s string) { last = len(s) })
	return strings.TrimRight(p[:len(p)-last], " ")
}

var (
	// smallPrint is the licence of old files, which stands before the book or behind it.
	smallPrint = regexp.MustCompile(
		`(?ims)^[ \t]*\*\*\* ?START\*\*[^\n]*$.*?^[ \t]*\*END\*? ?THE SMALL PRINT[^\n]*$`,
	)
	startMark = regexp.MustCompile(
		`(?im)^[ \t]*(\*\*\* ?START OF (THE|THIS) PROJECT GUTENBERG.*|\*END\*? ?THE SMALL PRINT.*)$`,
	)
	endMark = regexp.MustCompile(
		`(?im)^[ \t]*(\*\*\* ?END OF (THE|THIS) PROJECT GUTENBERG|End of (the |this )?Project Gutenberg|\*\*\* ?END\*\*).*$`,
	)
	titleLine  = regexp.MustCompile(`(?m)^Title: +(.+)$`)
	authorLine = regexp.MustCompile(`(?m)^Author: +(.+)$`)
	theEnd     = regexp.MustCompile(`(?m)^[ \t]*(THE END\.?|FINIS\.?|The End\.?)[ \t]*$`)
)

// body returns what stands between the marks of Project Gutenberg, or on the longer side of the small print, and
// takes title and author from the header. What follows the last "The End" is left out if it is a tenth of the book or
// less.
func (b *book) body(text string) string {
	if !strings.Contains(text, "Project Gutenberg") && !strings.Contains(text, "PROJECT GUTENBERG") {
		return beforeTheEnd(text)
	}
	head := ""
	if at := smallPrint.FindStringIndex(text); at != nil {
		before, after := text[:at[0]], text[at[1]:]
		if text = before; len(after) > len(before) {
			head, text = before, after
		}
	}
	if at := startMark.FindStringIndex(text); at != nil {
		head += text[:at[0]]
		text = text[at[1]:]
	}
	if m := titleLine.FindStringSubmatch(head); m != nil {
		b.title = strings.TrimSpace(m[1])
	}
	if m := authorLine.FindStringSubmatch(head); m != nil {
		b.author = strings.TrimSpace(m[1])
	}
	if at := endMark.FindStringIndex(text); at != nil && 2*at[0] > len(text) {
		text = text[:at[0]]
	}
	return beforeTheEnd(text)
}

func beforeTheEnd(text string) string {
	if !strings.Contains(text, "THE END") && !strings.Contains(text, "The End") && !strings.Contains(text, "FINIS") {
		return text
	}
	if all := theEnd.FindAllStringIndex(text, -1); len(all) > 0 {
		if at := all[len(all)-1][0]; 10*at >= 9*len(text) {
			text = text[:at]
		}
	}
	return text
}

// splitBlocks cuts text at blank lines, and where an indented line follows one that is not, if the
// text marks its paragraphs so.
func splitBlocks(text string) []block {
	var blocks []block
	blank := 1
	var lines []string
	flush := func() {
		if len(lines) == 0 {
			return
		}
		from := 0
		if starts := indentedStarts(lines); len(starts) > 0 {
			for _, at := range starts {
				blocks = append(blocks, block{lines: lines[from:at], before: blank})
				from, blank = at, 0
			}
		}
		blocks = append(blocks, block{lines: lines[from:], before: blank})
		lines, blank = nil, 0
	}
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " \t\f\v\u00a0")
		if line == "" {
			flush()
			blank++
			continue
		}
		lines = append(lines, line)
	}
	flush()
	return blocks
}

// indent returns the number of blanks that a line begins with.
func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// indentedStarts returns the indented lines of a block that begin a paragraph: each stands behind
// a line that ends a sentence, and fewer than half of the lines are indented.
func indentedStarts(lines []string) (starts []int) {
	indented := 0
	for i, line := range lines {
		n := indent(line)
		if n > 0 {
			indented++
		}
		if i > 0 && n > 0 && n <= 8 && indent(lines[i-1]) == 0 && endsParagraph(lines[i-1]) {
			starts = append(starts, i)
		}
	}
	if 2*indented > len(lines) {
		return nil
	}
	return starts
}

// marginOf returns the width at which the book's lines are broken: nine of ten lines that others of
// their block follow are at most as long. 0 is for lines that are not broken.
func marginOf(blocks []block) int {
	var lengths []int
	for _, b := range blocks {
		for _, line := range b.lines[:len(b.lines)-1] {
			lengths = append(lengths, utf8.RuneCountInString(line))
		}
	}
	if len(lengths) == 0 {
		return 0
	}
	slices.Sort(lengths)
	return lengths[len(lengths)*9/10]
}

var (
	chapter = regexp.MustCompile(
		`(?i)^[\W_]*(chapter|chap\.?|book|part|volume|vol\.?|letter|canto|act|scene|section|sect\.?|stave|lecture|sermon|appendix|preface|introduction|prologue|epilogue|conclusion)[ .]+([ivxlcdm]+|[0-9]+|the [a-z]+|one|two|three|four|five|six|seven|eight|nine|ten|[a-z]+teen|twenty[a-z -]*|thirty[a-z -]*)?\b`,
	)
	contentsHead = regexp.MustCompile(`(?i)contents|illustrations|list of|errata|corrigenda`)
	// apparatusHead begins what is no running text, up to the next heading.
	apparatusHead = regexp.MustCompile(
		`(?i)^[\W_]*(foot-?notes?( on the text)?|end-?notes?|notes?|index|general index|bibliography|glossary|advertisements?|(table of )?contents|(list of )?illustrations|list of (plates|maps|figures)|errata|corrigenda|(e-?text )?editor'?s'? bookmarks|transcriber'?s?'? notes?|press notices|by the same author|works by .{3,40}|(other )?(books|novels|works|stories) by .{3,40})[\W_]*$`,
	)
	noteStart = regexp.MustCompile(
		`^\W{0,3}(\[ ?(Foot-?note|Illustration|Side-?note|Transcriber|Editor|Note|Greek|Music|Page|Pg|Picture|Plate|Map|Diagram|Figure|Fig)|\[(FN ?#?)?[0-9*†‡]{1,4}[a-z]?\]|\{[0-9]{1,4}[a-z]?\}|\([0-9]{1,3}\) |\[[A-Z]\]|\* |† |‡ )`,
	)
	prices = regexp.MustCompile(`\$[0-9]+\.[0-9]{2}|\b[0-9]+s\. ?[0-9]*d?\.?`)
	ruler  = regexp.MustCompile(`^[\W_]*$`)
)

// classify says what the block is, and for prose makes its text. Margin is the book's; after is the
// number of blank lines behind the block.
func (b *block) classify(margin, after int) {
	first := strings.TrimLeft(b.lines[0], " \t")
	text := []byte(first)
	for _, line := range b.lines[1:] {
		text = corpus.JoinLine(text, []byte(strings.TrimLeft(line, " \t")))
	}
	joined := string(text)
	b.text = clean(joined)
	switch {
	case isNote(first) || indexEntry(b.lines):
		b.kind = note
	case isBoiler(joined):
		b.kind = boiler
	case b.text == "" || ruler.MatchString(joined):
		b.kind = heading
	case isAdvert(joined):
		b.kind = advert
	case b.isHeading(first, after):
		b.kind = heading
	case b.isVerse(margin):
		b.kind = verse
	case upperShare(joined) > 0.3:
		b.kind = heading
	case !endsParagraph(b.text) || len(b.text) < 2:
		b.kind = unended
	default:
		b.kind = prose
	}
}

// isNote tells whether a block that begins with first is a note, picture or page number.
func isNote(first string) bool {
	if first == "" || 'a' <= first[0]|0x20 && first[0]|0x20 <= 'z' && first[0] != 'F' {
		return false
	}
	return strings.HasPrefix(first, "Footnote") || strings.HasPrefix(first, "FOOTNOTE") || noteStart.MatchString(first)
}

// What those who made the file say of it: one of the first anywhere, one of the second in a short block.
var (
	boilerWords = []string{
		"this header should be the first",
		"gutenberg", "transcriber's", "proofread", " etext", "e-text", " ebook", "http:", "https:", "www.",
		"all rights reserved", "entered according to act", "scanned by", " ascii",
	}
	titleWords = []string{
		"transcribed from", "transcribed by", "copyright by", "copyright, ", "copyright 1", "printed by", "printed in",
		"printed at", "first published", "this edition", "electronic edition", "electronic version",
	}
	advertWords = []string{
		"12mo", "16mo", "18mo", "8vo", "4to", "cloth", "gilt edges", "gilt top", " net.", "postpaid", "post free",
		"illustrated by", "illustrations by", "publishers", "published by", "price ", "paper cover", "per volume",
		"new edition", "edition.", " vols.", "volumes",
	}
)

func containsAny(s string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}

// isBoiler tells whether a block speaks of its own publication.
func isBoiler(text string) bool {
	if len(text) > 1500 {
		return false
	}
	lower := strings.ToLower(text)
	return containsAny(lower, boilerWords) || len(text) < 250 && containsAny(lower, titleWords)
}

// isAdvert tells whether a block advertises books: it has three of their words and prices, or two if it
// is short.
func isAdvert(text string) bool {
	signs := 0
	if strings.ContainsAny(text, "$0123456789") {
		signs = len(prices.FindAllStringIndex(text, 3))
	}
	if signs == 0 && len(text) > 1500 {
		return false
	}
	lower := strings.ToLower(text)
	for _, w := range advertWords {
		if strings.Contains(lower, w) {
			signs++
		}
	}
	return signs >= 3 || len(text) < 400 && signs >= 2
}

// indexEntry tells whether most lines end with numbers of pages: an index or contents.
func indexEntry(lines []string) bool {
	n := 0
	for _, line := range lines {
		if c := strings.TrimRight(line, "."); c != "" && strings.IndexByte("0123456789ivxlc", c[len(c)-1]) >= 0 &&
			pageNumber.MatchString(line) {
			n++
		}
	}
	return n >= 1 && 2*n > len(lines)
}

var pageNumber = regexp.MustCompile(
	`([.,;]|  |\. \.|\bp\.|\bpp\.) *([0-9]+[-–]?[0-9]*|[ivxlc]+)([,;] *[0-9]+[-–]?[0-9]*)*[.]?$`,
)

// isHeading tells whether the block is a heading. First is its first line.
func (b *block) isHeading(first string, after int) bool {
	length := 0
	for _, line := range b.lines {
		length = max(length, len(strings.TrimSpace(line)))
	}
	if len(b.lines) > 4 || length > 80 {
		return false
	}
	text := strings.TrimSpace(b.text)
	if apparatusHead.MatchString(text) {
		return true
	}
	if chapter.MatchString(text) && len(b.lines) <= 3 &&
		(!endsParagraph(text) || upperShare(text) > 0.3 || len(text) < 60) {
		return true
	}
	if isNumber(strings.Trim(text, " .[]()")) {
		return true
	}
	// Alone between wide gaps, and short: "The Spouter-Inn."
	return len(b.lines) == 1 && b.before >= 2 && after >= 2 && len(text) < 60 && !strings.ContainsAny(text,
		"\"“”?!") && titleCase(text)
}

// titleCase tells whether all words of four letters or more begin with capitals.
func titleCase(text string) bool {
	for w := range strings.FieldsSeq(text) {
		if r, _ := utf8.DecodeRuneInString(w); len(w) >= 5 && unicode.IsLower(r) {
			return false
		}
	}
	return true
}

// isVerse tells whether lines end before the margin although the next word would have fitted: verse,
// tables, lists, addresses. Narrow prose, as of letters, has a margin of its own.
func (b *block) isVerse(margin int) bool {
	n := len(b.lines)
	if n < 2 {
		return false
	}
	early, capitals, longest := 0, 0, 0
	for _, line := range b.lines {
		longest = max(longest, utf8.RuneCountInString(line))
	}
	own := margin
	if n >= 4 || longest > margin {
		own = longest
	}
	for i, line := range b.lines[:n-1] {
		word, _, _ := strings.Cut(strings.TrimLeft(b.lines[i+1], " \t"), " ")
		width := utf8.RuneCountInString(line) + 1 + utf8.RuneCountInString(word)
		if width+8 <= own {
			early++
		}
		if strings.Contains(strings.TrimLeft(line, " \t"), "   ") {
			early++ // columns
		}
		if isCapital(strings.TrimLeft(word, "\"'“‘(_")) {
			capitals++
		}
	}
	breaks := n - 1
	short := longest < margin*4/5
	switch {
	case n >= 3 && 5*capitals >= 4*breaks && (n >= 4 || short || 4*early >= breaks):
		return true
	case n == 2:
		return early == 1 && (capitals == 1 || indent(b.lines[0]) > 0 && indent(b.lines[1]) > 0)
	}
	return 2*early > breaks || short && 10*capitals >= 6*breaks
}

// upperShare returns the share of the letters that are capitals; of fewer than eight letters 0.
func upperShare(s string) float64 {
	upper, letters := 0, 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			letters++
			if unicode.IsUpper(r) {
				upper++
			}
		}
	}
	if letters < 8 {
		return 0 // "Eh?"
	}
	return float64(upper) / float64(letters)
}

// endsParagraph tells whether a text ends as a paragraph may: with an end mark, or a colon or dash
// that something else follows.
func endsParagraph(s string) bool {
	s = strings.TrimRight(s, " \"')]}”’»*_")
	r, _ := utf8.DecodeLastRuneInString(s)
	return r == '.' || r == '?' || r == '!' || r == '…' || r == ':' || r == '—' || strings.HasSuffix(s, "--")
}

// depth is how many more brackets the block opens than it closes.
func (b *block) depth() (depth int) {
	for _, line := range b.lines {
		depth += strings.Count(line, "[") - strings.Count(line, "]")
	}
	return depth
}

func (b *block) wordCount() int {
	n := 0
	for _, line := range b.lines {
		n += len(strings.Fields(line))
	}
	return n
}

// region is a part of a book.
type region uint8

const (
	body      region = iota
	contents         // ends with the first paragraph of running text
	apparatus        // notes, an index, advertisements: ends with the next chapter
)

// next returns the region of block b, from that of the block before.
func (r region) next(b *block) region {
	if b.kind == heading || b.kind == unended && len(b.lines) == 1 {
		text := strings.TrimSpace(b.text)
		if apparatusHead.MatchString(text) {
			if contentsHead.MatchString(text) {
				return contents
			}
			return apparatus
		}
		if b.kind == heading && (chapter.MatchString(text) && !indexEntry(b.lines) || b.before >= 3) {
			return body
		}
	}
	if r == contents && b.kind == prose && len(b.lines) >= 3 {
		return body
	}
	return r
}
