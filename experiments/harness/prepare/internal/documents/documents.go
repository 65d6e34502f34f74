// Package documents makes documents, tokenised sentences with the name of a title and
// an author, of the bytes of books, of Wikipedia, of JSON lines and of any other text.
package documents

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"contextmover/cmdlib/corpus"
	"contextmover/internal/jsonerror"
)

// Document is a text that is ready to be written, or a part of one.
type Document struct {
	Title, Author, Source, Licence string

	Continues bool   // the document before goes on
	Left      string // why it is left out; empty for one that is used
	Measures  string // what Left was decided by

	Text   []byte   // the tokenised sentences, each with \n
	Ends   []int    // of the sentences in Text
	Tokens []int32  // of the sentences
	Hashes []uint64 // of the sentences; 0 for one too short to count as repeated

	Odd map[string]int64 // sentences that are left out, by reason

	latin bool // words of other scripts than Latin are left out, and sentences end as in English
}

// Why sentences are left out.
const (
	withMarkup   = "markup, or a place where a formula was"
	tooShort     = "a single word or sign"
	tooLong      = "more than 300 words and signs"
	mostlySigns  = "more signs and numbers than words"
	otherScripts = "words that are not in Latin letters, which books and Wikipedia are read without: prepare it as text"
	withoutSpace = "words in a script without spaces between them: separate them first"
)

// leaveOut counts a sentence that is left out.
func (d *Document) leaveOut(why string) {
	if d.Odd == nil {
		d.Odd = map[string]int64{}
	}
	d.Odd[why]++
}

// Where names a place in an error: the file, and the line where
// that is known, so many lines behind the first of what is read.
type Where func(lines int64) string

// repeatable is the number of tokens from which on a sentence is dropped when it comes again: shorter
// ones are repeated by chance (" yes , " he said .).
const repeatable = 8

// add splits a paragraph into sentences and tokens and adds those worth keeping.
func (d *Document) add(paragraph string, markup bool) {
	sentences(paragraph, !d.latin, func(s string) { d.sentence(s, markup) })
}

// sentence adds a sentence.
func (d *Document) sentence(s string, markup bool) {
	if markup && hasMarkup(s) {
		d.leaveOut(withMarkup)
		return
	}
	tokenise, dropped, script := corpus.TokeniseSentence, unspaced, withoutSpace
	if d.latin {
		tokenise, dropped, script = corpus.Tokenise, notLatin, otherScripts
	}
	all := tokenise(s)
	n := len(all)
	tokens := without(all, dropped)
	if why := unusual(tokens); why != "" {
		if len(tokens) < n && why != tooLong {
			why = script
		}
		d.leaveOut(why)
		return
	}
	from := len(d.Text)
	for i, t := range tokens {
		if i > 0 {
			d.Text = append(d.Text, ' ')
		}
		d.Text = append(d.Text, t...)
	}
	var hash uint64
	if len(tokens) >= repeatable {
		hash = max(xxhash.Sum64(d.Text[from:]), 1)
	}
	d.Text = append(d.Text, '\n')
	d.Ends = append(d.Ends, len(d.Text))
	d.Tokens = append(d.Tokens, int32(len(tokens)))
	d.Hashes = append(d.Hashes, hash)
}

func (d *Document) tokenCount() (n int64) {
	for _, t := range d.Tokens {
		n += int64(t)
	}
	return n
}

// What a book must be to be used; see usable.
const (
	minBookTokens   = 500
	minEnglish      = 0.38
	minProse        = 0.5
	maxVerse        = 0.3
	maxDrama        = 0.15
	maxNotes        = 0.4
	minSentence     = 8
	minArticleWords = 50
)

// usable says why a book is not used, or nothing: it is short, not English, verse, a play, or
// a work of reference. The measures behind it come along.
func usable(b book, d *Document) (left, measures string) {
	total := 0
	for _, n := range b.words {
		total += n
	}
	share := func(n int) float64 { return float64(n) / float64(max(total, 1)) }
	english := d.english()
	length := float64(d.tokenCount()) / math.Max(float64(len(d.Ends)), 1)
	drama := float64(b.drama) / float64(max(b.words[prose], 1))
	measures = fmt.Sprintf("tokens %d, english %.2f, prose %.2f, verse %.2f, notes %.2f, drama %.2f, length %.1f",
		d.tokenCount(), english, share(b.words[prose]), share(b.words[verse]), share(b.words[note]), drama, length)
	switch {
	case share(b.words[verse]) > maxVerse:
		return "verse or tables", measures
	case drama > maxDrama:
		return "a play", measures
	case d.tokenCount() < minBookTokens:
		return "short", measures
	case english < minEnglish:
		return "not English", measures
	case share(b.words[note]) > maxNotes:
		return "notes and indexes", measures
	case share(b.words[prose]) < minProse:
		return "little prose", measures
	case length < minSentence:
		return "no running text", measures
	}
	return "", measures
}

// english returns the share of function words among the words of the document.
func (d *Document) english() float64 {
	words, known := 0, 0
	for w := range strings.FieldsSeq(string(d.Text[:min(len(d.Text), 1<<18)])) {
		if r, _ := utf8.DecodeRuneInString(w); unicode.IsLetter(r) {
			words++
			if functionWords[w] {
				known++
			}
		}
	}
	return float64(known) / float64(max(words, 1))
}

var functionWords = set(`the of and to a in that he i it was his is with as for had you not be her on at by which but have
	from they this she or him all were are my we one so said them there what when if their an would no been me who out up
	more will then your could into do man has now very some our about any did than like other these only over its before`)

// Book makes a document of a book in a file of that name, or says why it is not used.
func Book(name string, data []byte) Document {
	b := parseBook(name, decode(data))
	const licence = "public domain in the USA (Project Gutenberg)"
	d := Document{Title: b.title, Author: b.author, Source: name, Licence: licence, latin: true}
	for _, p := range b.paragraphs {
		d.add(p, false)
	}
	d.Left, d.Measures = usable(b, &d)
	return d
}

// articleDocument prepares a page of Wikipedia.
func articleDocument(a article) Document {
	d := Document{
		Title: a.title, Author: "contributors to Wikipedia", Source: a.url, Licence: wikipediaLicence, latin: true,
	}
	if isDisambiguation(a) {
		d.Left = "disambiguation"
		return d
	}
	// WikiExtractor writes & and < as HTML does, unless it is told not to.
	articleParagraphs(html.UnescapeString(a.text), func(p string) { d.add(p, true) })
	if n := d.tokenCount(); n < minArticleWords {
		d.Left, d.Measures = "short", fmt.Sprintf("tokens %d", n)
	}
	return d
}

// Extracted makes documents of a part of what WikiExtractor writes.
func Extracted(where Where, data []byte) ([]Document, error) {
	var list []Document
	at, problem := extracted(decode(data), func(a article) { list = append(list, articleDocument(a)) })
	if problem != "" {
		return nil, fmt.Errorf("%s: %s", where(int64(at)), problem)
	}
	return list, nil
}

// Text makes a document of a part of any text in a file of that name, or, where that continues another, makes it go on.
func Text(name string, layout corpus.Layout, data []byte, continues bool) Document {
	d := Document{Title: name, Source: name, Continues: continues}
	d.running(decode(data), layout)
	return d
}

// running adds the sentences of a text.
func (d *Document) running(text string, layout corpus.Layout) {
	separator := "\n"
	if layout == corpus.Wrapped {
		separator = "\n\n"
	}
	for p := range strings.SplitSeq(text, separator) {
		var joined []byte
		for line := range strings.SplitSeq(p, "\n") {
			joined = corpus.JoinLine(joined, []byte(strings.Trim(line, " \t")))
		}
		if p = clean(string(joined)); p == "" {
			continue
		}
		if layout == corpus.Sentences {
			d.sentence(p, false)
		} else {
			d.add(p, false)
		}
	}
}

// JSON makes documents of objects in lines of JSON, of which the first has the number line in the file of that name.
// Fields that only describe the text may be of any type.
func JSON(name string, where Where, line int64, data []byte) (list []Document, err error) {
	number := int64(0)
	for l := range bytes.Lines(data) {
		if l := bytes.TrimSpace(bytes.TrimPrefix(l, []byte("\ufeff"))); len(l) > 0 {
			var o struct {
				Text                        *string `json:"text"`
				Title, Author, URL, Licence any
			}
			switch err := json.Unmarshal(l, &o); {
			case err != nil:
				return nil, fmt.Errorf("%s: %w; write an object with a field \"text\" into each line", where(number),
					jsonerror.Explain(err))
			case o.Text == nil:
				return nil, fmt.Errorf(`%s: the object has no field "text", expected the document's text there`,
					where(number))
			}
			d := Document{
				Title: cmp.Or(text(o.Title), fmt.Sprintf("%s:%d", name, line+number)), Author: text(o.Author),
				Source: cmp.Or(text(o.URL), name), Licence: text(o.Licence),
			}
			d.running(decode([]byte(*o.Text)), corpus.Paragraphs)
			list = append(list, d)
		}
		number++
	}
	return list, nil
}

// text returns a value that is a string, and nothing for any other.
func text(value any) string {
	s, _ := value.(string)
	return s
}
