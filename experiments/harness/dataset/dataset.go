// Package dataset reads the evaluation data: sentence pairs, word similarity and hypernymy files. Its catalogue has
// the files there are, what they are for, where they come from and their checksums.
//
// An error that comes from the data and not from the system satisfies
// errors.Is(err, ErrData), and names the file, the line, what was expected and how
// to mend it.
package dataset

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"contextmover/internal/bounded"
	"contextmover/internal/system"
)

// ErrData is what every error about missing, damaged or malformed data is.
var ErrData = errors.New("data missing, damaged or malformed")

// FormatError says what is wrong in a line of a file.
type FormatError struct {
	File    string
	Line    int    // from 1; 0 for the file as a whole
	Problem string // what was found, what was expected, how to mend it
}

func (e *FormatError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("dataset: %s: %s", e.File, e.Problem)
	}
	return fmt.Sprintf("dataset: %s:%d: %s", e.File, e.Line, e.Problem)
}

// wrongFile says what is wrong with a file as a whole.
func wrongFile(file, format string, args ...any) error {
	return &FormatError{File: file, Problem: fmt.Sprintf(format, args...)}
}

// Is tells that the error is ErrData.
func (e *FormatError) Is(target error) bool { return target == ErrData }

// Pair is a pair of sentences.
type Pair struct {
	A, B    string
	Gold    float64 // how similar people found them; greater is more similar
	HasGold bool
	Line    int // in the file, from 1
}

// ReadPairs reads tab-separated sentence pairs, one a line: either
//
//	score	sentence 1	sentence 2
//
// or, without gold scores, the two sentences only. The first line decides which.
// Line ends may be \n or \r\n; a byte order mark is skipped. A score is any finite
// number.
//
// A first line that is SICK's header makes the fields those of SICK, of which sentence_A, sentence_B
// and relatedness_score are read. A file whose name ends in .csv has comma-separated fields instead,
// quoted where they hold a comma: the two sentences and the score, as the STS benchmark is passed on. One whose first
// line is the header of STR-2022 has the two sentences in one field, with a line end between them.
//
// A file with the name that SemEval's tasks give to sentences, such as STS.input.MSRpar.txt, is read with its scores,
// STS.gs.MSRpar.txt. A line belongs to the line of the same number. The sentences are the first two fields, and pairs
// with an empty line for a score are left out.
func ReadPairs(path string) ([]Pair, error) {
	if scores, ok := scoresOf(path); ok {
		if _, err := os.Stat(scores); err == nil {
			return readScored(path, scores)
		}
	}
	if strings.EqualFold(filepath.Ext(path), ".csv") {
		return read(path, parseCSV)
	}
	return read(path, parsePairs)
}

const sickHeader = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment"

func parseSICK(lines *lines) ([]Pair, error) {
	return each(lines, "sentence pairs", func() (Pair, error) {
		fields := strings.Split(lines.text, "\t")
		if len(fields) != 5 {
			return Pair{}, lines.errorf("%s, expected the 5 of the header, separated by tabs",
				count(len(fields), "field"))
		}
		return lines.pair(fields[1], fields[2], fields[3], "those of the header")
	})
}

const strHeader = "Index,SourceID,SubsetID,PairID,Text,Score"

// parseCSV reads records of comma-separated fields. In STR-2022 the two sentences are the lines of one field.
func parseCSV(l *lines) (pairs []Pair, err error) {
	header, str, columns := 0, l.header(strHeader), 3
	fields := "sentence 1, sentence 2 and score, separated by commas"
	if str {
		header, columns, fields = 1, 6, "those of the header, with both sentences on lines of the 5th"
	}
	text, err := l.all("sentence pairs")
	if err != nil {
		return nil, err
	}
	r := csv.NewReader(strings.NewReader(strings.Join(text, "\n")))
	r.FieldsPerRecord = columns
	for {
		record, err := r.Read()
		if err == io.EOF {
			return pairs, nil
		}
		if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
			l.number = header + wrong.StartLine
			return nil, l.errorf("%v, expected %s: quote a field that holds a comma, and double each quote in it",
				wrong.Err, fields)
		}
		line, _ := r.FieldPos(0)
		l.number = header + line
		if str {
			a, b, _ := strings.Cut(record[4], "\n")
			record = []string{a, b, record[5]}
		}
		p, err := l.pair(record[0], record[1], record[2], fields)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, p)
	}
}

func parsePairs(lines *lines) ([]Pair, error) {
	if lines.header(sickHeader) {
		return parseSICK(lines)
	}
	columns := 0
	return each(lines, "sentence pairs", func() (Pair, error) {
		fields := strings.Split(lines.text, "\t")
		columns = cmp.Or(columns, len(fields))
		switch {
		case columns != 2 && columns != 3:
			return Pair{}, lines.errorf("%s, expected score, sentence 1 and sentence 2, or two sentences, "+
				"separated by tabs", count(columns, "field"))
		case len(fields) != columns:
			return Pair{}, lines.errorf("%s, expected %d as in line 1: separate the fields by one tab each and leave "+
				"no tab in a sentence", count(len(fields), "field"), columns)
		case columns == 2:
			return Pair{A: fields[0], B: fields[1], Line: lines.number}, lines.full(fields[0], fields[1])
		}
		return lines.pair(fields[1], fields[2], fields[0], "score, sentence 1 and sentence 2, separated by tabs")
	})
}

// ReadTexts reads texts, one a line. Line ends may be \n or \r\n; a byte order mark is skipped.
func ReadTexts(path string) ([]string, error) { return read(path, parseTexts) }

func parseTexts(lines *lines) ([]string, error) { return lines.all("texts") }

// WordPair is a pair of words, as written in the file, with a graded score.
type WordPair struct {
	A, B  string
	Score float64
	// POS is the part of speech, where the file tells it: "n", "v", "j" for adjective; of two words that differ "n-v".
	POS      string
	Relation string // where the file tells it
	Line     int    // in the file, from 1
}

// ReadWordSimilarity reads word similarity judgements. A line has fields separated by tabs or blanks: the two words
// and the score. In SimVerb's splits they are the two words, the part of speech, the score and (optionally) the
// relation. Where all words of a file end in -n, -v or -j, as in MEN's lemma form, these endings become the part of
// speech.
func ReadWordSimilarity(path string) ([]WordPair, error) { return read(path, parseWordSimilarity) }

func parseWordSimilarity(lines *lines) ([]WordPair, error) {
	const threeFields, fiveFields = "word 1, word 2 and score", "word 1, word 2, part of speech, score and relation"
	columns := 0
	pairs, err := each(lines, "word pairs", func() (p WordPair, err error) {
		fields := strings.Fields(lines.text)
		columns = cmp.Or(columns, len(fields))
		switch {
		case columns != 3 && columns != 5:
			return p, lines.errorf("%s, expected %s, or %s", count(columns, "field"), threeFields, fiveFields)
		case len(fields) != columns && (columns != 5 || len(fields) != 4):
			return p, lines.errorf("%s, expected %d as in line 1", count(len(fields), "field"), columns)
		}
		p = WordPair{A: fields[0], B: fields[1], Line: lines.number}
		score, expected := fields[2], threeFields
		if columns == 5 {
			p.POS, score, expected = strings.ToLower(fields[2]), fields[3], fiveFields
			if len(fields) == 5 {
				p.Relation = fields[4]
			}
		}
		p.Score, err = lines.score(score, expected)
		return p, err
	})
	if columns == 3 {
		cutPOS(pairs, func(p *WordPair) (a, b, pos *string) { return &p.A, &p.B, &p.POS })
	}
	return pairs, err
}

// HypernymPair asks whether A is a kind of B.
type HypernymPair struct {
	A, B     string
	True     bool
	Relation string // "hyper", "coord", "random" …, as the file names it
	POS      string // as in WordPair
	Line     int    // in the file, from 1
}

// ReadHypernymy reads tab-separated pairs of terms with the fields
//
//	term 1	term 2	True|False	relation
//
// A term may consist of several words with blanks between them. Where all terms of a
// file end in -n, -v or -j, these endings become the part of speech. WBLESS's
// header line and its column fold, which is ignored, are understood too.
func ReadHypernymy(path string) ([]HypernymPair, error) { return read(path, parseHypernymy) }

const wblessHeader = "word1\tword2\tlabel\trelation\tfold"

func parseHypernymy(lines *lines) ([]HypernymPair, error) {
	columns := 4
	if lines.header(wblessHeader) {
		columns = 5
	}
	pairs, err := each(lines, "pairs of terms", func() (p HypernymPair, err error) {
		fields := strings.Split(lines.text, "\t")
		if len(fields) != columns {
			return p, lines.errorf("%s, expected %d: term 1, term 2, True or False, relation, separated by tabs",
				count(len(fields), "field"), columns)
		}
		p = HypernymPair{
			A: fields[0], B: fields[1], True: fields[2] == "True", Relation: fields[3], Line: lines.number,
		}
		switch {
		case p.A == "" || p.B == "":
			return p, lines.errorf("a term is empty: write it or remove the line")
		case !p.True && fields[2] != "False":
			return p, lines.errorf("%q, expected True or False in field 3", fields[2])
		}
		return p, nil
	})
	cutPOS(pairs, func(p *HypernymPair) (a, b, pos *string) { return &p.A, &p.B, &p.POS })
	return pairs, err
}

// ReadHyperLex reads HyperLex's pairs; the score is the mean rating, 0 to 6, of how
// much the first word is a kind of the second. The file has the header line
// "WORD1 WORD2 POS TYPE AVG_SCORE AVG_SCORE_0_10 STD SCORES..", separated by blanks.
func ReadHyperLex(path string) ([]WordPair, error) { return read(path, parseHyperLex) }

func parseHyperLex(lines *lines) ([]WordPair, error) {
	const header = "WORD1 WORD2 POS TYPE AVG_SCORE "
	if lines.next() && !strings.HasPrefix(strings.Join(strings.Fields(lines.text), " "), header) {
		return nil, lines.errorf("%s, expected HyperLex's header line: %sAVG_SCORE_0_10 STD SCORES..",
			found(lines.text), header)
	}
	return each(lines, "word pairs", func() (p WordPair, err error) {
		fields := strings.Fields(lines.text)
		if len(fields) < 7 {
			return p, lines.errorf("%s, expected at least 7: two words, part of speech, type, mean score, mean "+
				"score from 0 to 10, standard deviation", count(len(fields), "field"))
		}
		score, err := lines.score(fields[4], "those of the header")
		return WordPair{
			A: fields[0], B: fields[1], Score: score, POS: strings.ToLower(fields[2]), Relation: fields[3],
			Line: lines.number,
		}, err
	})
}

// cutPOS makes the endings -n, -v and -j of words their parts of speech, if every word has one.
func cutPOS[P any](pairs []P, of func(p *P) (a, b, pos *string)) {
	cut := func(word string) (bare, pos string) {
		if n := len(word) - 2; n > 0 && word[n] == '-' && strings.Contains("nvj", word[n+1:]) {
			return word[:n], word[n+1:]
		}
		return word, ""
	}
	for i := range pairs {
		a, b, _ := of(&pairs[i])
		for _, word := range []string{*a, *b} {
			if _, pos := cut(word); pos == "" {
				return
			}
		}
	}
	for i := range pairs {
		a, b, pos := of(&pairs[i])
		var other string
		*a, *pos = cut(*a)
		if *b, other = cut(*b); other != *pos {
			*pos += "-" + other
		}
	}
}

// lines reads a text file line by line.
type lines struct {
	file   string
	number int
	text   string
	again  bool // the line is still to be read
	blank  bool // lines may be empty
	latin1 bool // bytes that are not UTF-8 are Latin-1

	scanner *bufio.Scanner
	err     error
}

const longestLine = 1 << 20

// memoryPerByte is what the shortest pair takes in memory, 160 bytes with the room for more, for each
// byte of its line.
const memoryPerByte = 40

func newLines(file string, r io.Reader) *lines {
	l := &lines{file: file, scanner: bufio.NewScanner(r)}
	l.scanner.Buffer(nil, longestLine)
	return l
}

// next goes to the next line and returns false at the end or at an error, which end
// then returns.
func (l *lines) next() bool {
	if l.again {
		l.again = false
		return true
	}
	if l.err != nil {
		return false
	}
	l.number++
	if !l.scanner.Scan() || l.scanner.Err() != nil { // an error of reading cuts the last line
		l.err = l.scanner.Err()
		if errors.Is(l.err, bufio.ErrTooLong) {
			l.err = l.errorf("a line of more than %d bytes, expected text", longestLine)
		} else if errors.Is(l.err, bounded.ErrTooLarge) {
			l.err = l.errorf("%v", l.err)
		}
		return false
	}
	l.text = strings.TrimSuffix(l.scanner.Text(), "\r")
	if l.number == 1 {
		l.text = strings.TrimPrefix(l.text, "\ufeff")
	}
	if l.latin1 {
		l.text = fromLatin1(l.text)
	}
	switch {
	case !utf8.ValidString(l.text):
		l.err = l.errorf("%s is not UTF-8: convert the file, for example with iconv -f latin1 -t utf-8", found(l.text))
	case strings.Contains(l.text, "\x00"):
		l.err = l.errorf("%s holds a NUL byte, expected UTF-8 text: convert the file, for example with iconv -f "+
			"utf-16 -t utf-8", found(l.text))
	case !l.blank && strings.TrimSpace(l.text) == "":
		l.err = l.errorf("the line is empty: remove it")
	}
	return l.err == nil
}

// header reports whether the first line is a header, and goes to the lines behind it.
func (l *lines) header(text string) bool {
	there := l.next()
	l.again = there && l.text != text
	return there && !l.again
}

// each returns the items that lines have, one each or more, or the error that ended the lines, or one if there was
// nothing in them.
func each[T any](l *lines, what string, item func() (T, error)) (items []T, err error) {
	for l.next() {
		one, err := item()
		if err != nil {
			return nil, err
		}
		items = append(items, one)
	}
	return end(l, items, what)
}

// all returns the lines.
func (l *lines) all(what string) ([]string, error) {
	return each(l, what, func() (string, error) { return l.text, nil })
}

// pair returns two sentences with their score; fields tells what the fields of a line are.
func (l *lines) pair(a, b, score, fields string) (p Pair, err error) {
	p = Pair{A: a, B: b, HasGold: true, Line: l.number}
	if p.Gold, err = l.score(score, fields); err == nil {
		err = l.full(a, b)
	}
	return p, err
}

// fromLatin1 takes each byte that is no part of UTF-8 for the character that it has in Latin-1.
func fromLatin1(text string) string {
	var valid strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError && size == 1 {
			r = rune(text[0])
		}
		valid.WriteRune(r)
		text = text[size:]
	}
	return valid.String()
}

// full returns an error if a sentence is empty.
func (l *lines) full(sentences ...string) error {
	for i, s := range sentences {
		if strings.TrimSpace(s) == "" {
			return l.errorf("sentence %d is empty: write it or remove the line", i+1)
		}
	}
	return nil
}

// end returns the items, or the error that ended the lines, or one if there was
// nothing in them.
func end[T any](l *lines, items []T, what string) ([]T, error) {
	if l.err != nil {
		return nil, l.err
	}
	if len(items) == 0 {
		return nil, wrongFile(l.file, "no %s in the file", what)
	}
	return items, nil
}

func (l *lines) errorf(format string, args ...any) error {
	return &FormatError{File: l.file, Line: l.number, Problem: fmt.Sprintf(format, args...)}
}

// score reads a score; its error tells what the fields of a line are.
func (l *lines) score(field, fields string) (float64, error) {
	x, err := strconv.ParseFloat(field, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		hint := "write it with a decimal point"
		if l.number == 1 {
			hint = "remove the line if it is a header"
		}
		return 0, l.errorf("the score %s is not a finite number: %s; the fields of a line are %s",
			found(field), hint, fields)
	}
	return x, nil
}

// found quotes what stands in a file, cut to a readable length.
func found(text string) string {
	if len(text) > 60 {
		return strconv.Quote(text[:60]) + "…"
	}
	return strconv.Quote(text)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func read[T any](path string, parse func(*lines) ([]T, error)) (items []T, err error) {
	f, err := open(path)
	if err == nil {
		defer f.Close()
		items, err = parse(newLines(path, bounded.Reader(f, bounded.Share(memoryPerByte))))
	}
	switch {
	case err == nil || errors.As(err, new(*FormatError)):
	case errors.Is(err, os.ErrNotExist):
		err = wrongFile(path, "there is no such file")
	case system.AtFault(err):
		err = fmt.Errorf("dataset: %s: %w", path, err)
	default: // such as a folder, a damaged compressed file, or one too large
		err = wrongFile(path, "cannot be read: %v", err)
	}
	return items, err
}
