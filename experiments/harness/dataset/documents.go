package dataset

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// A Document is a text with its class. Test tells that it is in the test part of the published split, if there is one.
type Document struct {
	Text, Class string
	Test        bool
}

// The formats of documents with classes.
const (
	Labelled = "labelled" // two files: NAME, train or test, and class, separated by tabs; and the texts, line by line
	Tweets   = "tweets"   // a line has its class in quotes, a tab and the text
	BBCSport = "bbcsport" // the archive of texts without classes, which are known by their order
	Reviews  = "reviews"  // files of reviews by product, PRODUCT-RATING.review, whose classes are the products
	SMART    = "smart"    // files of the SMART collection, whose classes are the files
	Halves   = "halves"   // two files, for training and for test: lines of a class, ||| and the text
	Messages = "messages" // files HALF/GROUP/NUMBER of news or mail: HALF is train or test, GROUP the class
)

// DocumentFormats lists the formats.
func DocumentFormats() []string {
	return []string{Labelled, Tweets, BBCSport, Reviews, SMART, Halves, Messages}
}

// parsers read the formats whose files are read one by one.
var parsers = map[string]func(*lines) ([]Document, error){
	Halves: parseHalf, Messages: parseMessage, Tweets: parseTweets, Reviews: parseReviews, SMART: parseSMART,
}

// ReadDocuments reads documents with classes from files in one of DocumentFormats. Published says whether documents are
// split into those for training and for test.
func ReadDocuments(format string, files []string) (documents []Document, published bool, err error) {
	expected, fixed := map[string]int{Labelled: 2, Halves: 2, BBCSport: 1}[format]
	parse, known := parsers[format]
	switch {
	case !known && !fixed:
		return nil, false, fmt.Errorf("dataset: documents in the format %q, expected one of %s",
			format, strings.Join(DocumentFormats(), ", "))
	case fixed && len(files) != expected:
		return nil, false, fmt.Errorf("dataset: %d files of documents in the format %q, expected %d",
			len(files), format, expected)
	case format == Labelled:
		documents, err = labelled(files[0], files[1])
		return documents, true, err
	case format == BBCSport:
		documents, err = bbcSport(files[0])
		return documents, false, err
	}
	for i, file := range files {
		some, err := read(file, parse)
		if err != nil {
			return nil, false, err
		}
		for _, d := range some {
			d.Test = d.Test || format == Halves && i == 1
			documents = append(documents, d)
		}
	}
	return documents, format == Halves || format == Messages, nil
}

func labelled(labels, texts string) ([]Document, error) {
	documents, err := read(labels, func(lines *lines) ([]Document, error) {
		return each(lines, "labels", func() (d Document, err error) {
			fields := strings.Split(lines.text, "\t")
			if len(fields) != 3 || fields[1] != "train" && fields[1] != "test" {
				return d, lines.errorf("%s, expected a name, train or test, and a class, separated by tabs",
					found(lines.text))
			}
			return Document{Class: fields[2], Test: fields[1] == "test"}, nil
		})
	})
	if err != nil {
		return nil, err
	}
	lines, err := ReadTexts(texts)
	if err != nil {
		return nil, err
	}
	if len(lines) != len(documents) {
		return nil, wrongFile(texts, "%s for %s in %s, expected as many",
			count(len(lines), "line"), count(len(documents), "label"), labels)
	}
	for i := range documents {
		documents[i].Text = lines[i]
	}
	return documents, nil
}

func parseTweets(lines *lines) ([]Document, error) {
	return each(lines, "tweets", func() (d Document, err error) {
		class, text, ok := strings.Cut(lines.text, "\t")
		if !ok {
			return d, lines.errorf("%s, expected a class, a tab and a text", found(lines.text))
		}
		return Document{Text: text, Class: strings.Trim(class, `"`)}, nil
	})
}

func parseHalf(lines *lines) ([]Document, error) {
	return each(lines, "documents", func() (d Document, err error) {
		class, text, ok := strings.Cut(lines.text, "|||")
		if !ok || class == "" {
			return d, lines.errorf("%s, expected a class, ||| and a text", found(lines.text))
		}
		return Document{Text: text, Class: class}, nil
	})
}

// parseMessage takes the class and the half of a message from its folders, and its subject and body. A header goes on
// in lines that begin with a blank; of 20 newsgroups some messages begin within one.
func parseMessage(lines *lines) ([]Document, error) {
	group := filepath.Dir(lines.file)
	half := filepath.Base(filepath.Dir(group))
	if half != "train" && half != "test" {
		return nil, wrongFile(lines.file, "lies in %s, expected a message at train/GROUP/NUMBER or test/GROUP/NUMBER",
			filepath.Join(half, filepath.Base(group)))
	}
	lines.blank, lines.latin1 = true, true
	var text []string
	inBody, inSubject := false, false
	for lines.next() {
		name, value, ok := strings.Cut(lines.text, ":")
		switch {
		case inBody || inSubject && startsBlank(lines.text):
			text = append(text, lines.text)
		case lines.text == "":
			inBody = true
		case startsBlank(lines.text): // of a header that is left out
		case !ok || name == "" || strings.ContainsAny(name, " \t"):
			return nil, lines.errorf("%s, expected a header such as \"Subject: text\", or an empty line before the "+
				"body", found(lines.text))
		default:
			if inSubject = strings.EqualFold(name, "Subject"); inSubject {
				text = append(text, value)
			}
		}
	}
	if lines.err == nil && !inBody {
		return nil, wrongFile(lines.file, "no empty line, expected one between headers and body")
	}
	message := Document{Text: strings.Join(text, " "), Class: filepath.Base(group), Test: half == "test"}
	return end(lines, []Document{message}, "message")
}

func startsBlank(text string) bool {
	return strings.HasPrefix(text, " ") || strings.HasPrefix(text, "\t")
}

// sports are the classes of BBC sport in the order of its texts, with their numbers.
var sports = []struct {
	class string
	texts int
}{{"athletics", 101}, {"cricket", 124}, {"football", 265}, {"rugby", 147}, {"tennis", 100}}

func bbcSport(archive string) (all []Document, err error) {
	texts, err := ReadTexts(archive + "/bbcsport.txt")
	if err != nil {
		return nil, err
	}
	var classes []string
	for _, s := range sports {
		classes = append(classes, slices.Repeat([]string{s.class}, s.texts)...)
	}
	if len(texts) != len(classes) {
		return nil, wrongFile(archive, "%d texts, expected the %d whose classes are known by their order",
			len(texts), len(classes))
	}
	for i, text := range texts {
		all = append(all, Document{Text: text, Class: classes[i]})
	}
	return all, nil
}

func parseReviews(lines *lines) (all []Document, err error) {
	lines.blank = true
	product, _, _ := strings.Cut(filepath.Base(lines.file), "-")
	var text []string
	inside := false
	for lines.next() {
		switch strings.TrimSpace(lines.text) {
		case "<review_text>":
			if inside {
				return nil, lines.errorf("<review_text> within a text, expected </review_text> first")
			}
			text, inside = nil, true
			continue
		case "</review_text>":
			if !inside {
				return nil, lines.errorf("</review_text> without <review_text> before")
			}
			all, inside = append(all, Document{Text: strings.Join(text, " "), Class: product}), false
		}
		if inside {
			text = append(text, lines.text)
		}
	}
	return end(lines, all, "reviews")
}

// parseSMART takes the title and the text of each document, which begins with ".I NUMBER"; what follows that line
// without the name of a field is text as well.
func parseSMART(lines *lines) (all []Document, err error) {
	lines.blank = true
	class, _, _ := strings.Cut(strings.ToLower(filepath.Base(lines.file)), ".")
	var text []string
	begun, inside := false, false
	finish := func() {
		if begun {
			all = append(all, Document{Text: strings.Join(text, " "), Class: class})
		}
		text, begun = nil, true
	}
	for lines.next() {
		field := strings.TrimSpace(lines.text)
		switch {
		case strings.HasPrefix(field, ".I "):
			finish()
			inside = true
		case len(field) == 2 && field[0] == '.' && 'A' <= field[1] && field[1] <= 'Z':
			inside = field == ".T" || field == ".W"
		case !begun:
			return nil, lines.errorf("%s, expected a document to begin with .I and its number", found(lines.text))
		case inside:
			text = append(text, lines.text)
		}
	}
	finish()
	return end(lines, all, "documents")
}

// ReadWordList reads words, one a line; blank lines are passed over.
func ReadWordList(path string) ([]string, error) {
	return read(path, func(lines *lines) (words []string, err error) {
		lines.blank = true
		for lines.next() {
			if word := strings.TrimSpace(lines.text); word != "" {
				words = append(words, word)
			}
		}
		return end(lines, words, "words")
	})
}
