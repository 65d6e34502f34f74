package corpus

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/transform"

	"contextmover/internal/enum"
)

// Layout says how a text's lines relate to its sentences. Windows do not reach from
// one sentence into another. The zero value is Sentences.
type Layout string

const (
	// Sentences has one sentence per line, as GloVe's tools expect.
	Sentences Layout = "sentences"
	// Paragraphs has lines of several sentences, which are cut at sentence ends.
	Paragraphs Layout = "paragraphs"
	// Wrapped has lines broken anywhere and blank lines between paragraphs, as many books
	// do. The lines of a paragraph are joined, then cut at sentence ends.
	Wrapped Layout = "wrapped"
)

var layouts = []Layout{Sentences, Paragraphs, Wrapped}

// Validate returns an error if l is no layout. The zero value is one.
func (l Layout) Validate() error {
	return enum.Validate("corpus: unknown layout", cmp.Or(l, Sentences), layouts)
}

// How much DetectLayout reads: the starts of some of the files.
const (
	detectFiles = 8
	detectBytes = 1 << 18
)

// DetectLayout guesses the layout of a text from the starts of some of its files:
//
//   - Wrapped, if at least one line of fifty is blank and nine of ten others have at most 100 characters. Most
//     lines that another one follows must not end with an end of a sentence;
//   - else Paragraphs, if at least three lines of ten hold an end of a sentence before
//     their own end;
//   - else Sentences.
func DetectLayout(files []string) (Layout, error) {
	var s layoutStats
	step := max(1, (len(files)+detectFiles-1)/detectFiles)
	for i := 0; i < len(files); i += step {
		f, err := Open(files[i])
		if err != nil {
			return "", err
		}
		err = s.read(io.LimitReader(transform.NewReader(f, lineEnds{}), detectBytes))
		f.Close()
		if err != nil {
			return "", err
		}
	}
	return s.layout(), nil
}

// layoutStats counts lines.
type layoutStats struct {
	lines, blank, short, several int
	followed, broken             int // lines that a line follows; those of them that end within a sentence
}

func (s *layoutStats) read(r io.Reader) error {
	lines := bufio.NewReaderSize(r, detectBytes)
	open := false // the line before is not blank and ends within a sentence
	filled := false
	for {
		line, err := lines.ReadSlice('\n')
		if err == io.EOF && len(line) == 0 {
			return nil
		}
		if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
			return err
		}
		line = bytes.TrimSpace(line)
		s.lines++
		if len(line) == 0 {
			s.blank++
			filled = false
			continue
		}
		if filled {
			s.followed++
			if open {
				s.broken++
			}
		}
		if utf8.RuneCount(line) <= 100 {
			s.short++
		}
		n := 0
		eachSentence(line, func([]byte) { n++ })
		if n > 1 {
			s.several++
		}
		filled, open = true, !endsSentence(line)
	}
}

func (s *layoutStats) layout() Layout {
	text := s.lines - s.blank
	switch {
	case text == 0:
		return Sentences
	case 50*s.blank >= s.lines && 10*s.short >= 9*text && 2*s.broken > s.followed:
		return Wrapped
	case 10*s.several >= 3*text:
		return Paragraphs
	}
	return Sentences
}

// lastBreak returns the end of the last line of data, or of its last paragraph; 0 if
// there is none.
func (l Layout) lastBreak(data []byte) int {
	at := bytes.LastIndexByte(data, '\n')
	if l == Wrapped {
		for at >= 0 && !blankLine(data, at) {
			at = bytes.LastIndexByte(data[:at], '\n')
		}
	}
	return at + 1
}

// blankLine tells whether the line that ends at data[end], a newline, is blank.
func blankLine(data []byte, end int) bool {
	for at := end - 1; at >= 0; at-- {
		switch data[at] {
		case '\n':
			return true
		case ' ', '\t', '\r':
		default:
			return false
		}
	}
	return true
}

// JoinLine appends the next line of a paragraph to its lines before. A blank comes between, except where a word goes
// on: a soft hyphen (U+00AD) at the end of a line is removed, a hyphen stays, since it may be that of a compound.
func JoinLine(paragraph, line []byte) []byte {
	trimmed := bytes.TrimRight(paragraph, " \t")
	if len(trimmed) == 0 {
		return append(paragraph, line...)
	}
	if before, soft := bytes.CutSuffix(trimmed, []byte("\u00ad")); soft {
		paragraph = before
	} else if !endsWithHyphen(trimmed) {
		paragraph = append(paragraph, ' ')
	} else {
		paragraph = trimmed
	}
	return append(paragraph, line...)
}

// endsWithHyphen reports whether a line ends within a word with a hyphen, rather than with a dash.
func endsWithHyphen(line []byte) bool {
	last, size := utf8.DecodeLastRune(line)
	before, _ := utf8.DecodeLastRune(line[:len(line)-size])
	return (last == '-' || last == '\u2010') && isWord(before)
}

// joinedLines is a paragraph of joined lines.
type joinedLines struct {
	text   []byte
	starts []int // of the lines in text
}

// lineOf returns the number of the line, from 0, that the byte at a position of the text is in.
func (j *joinedLines) lineOf(at int) int64 {
	line, found := slices.BinarySearch(j.starts, at)
	if !found {
		line--
	}
	return int64(max(line, 0))
}

// piece cuts off the first line, or the first paragraph with its lines joined in room,
// and tells whether its end is there.
func (l Layout) piece(data []byte, room *joinedLines) (piece, rest []byte, ended bool) {
	room.text, room.starts = room.text[:0], room.starts[:0]
	if l != Wrapped {
		at := bytes.IndexByte(data, '\n')
		if at < 0 {
			return data, nil, false
		}
		return data[:at], data[at+1:], true
	}
	for len(data) > 0 {
		line, after, newline := data, []byte(nil), false
		if at := bytes.IndexByte(data, '\n'); at >= 0 {
			line, after, newline = data[:at], data[at+1:], true
		}
		data = after
		if newline && len(bytes.TrimLeft(line, " \t")) == 0 {
			ended = true
			break
		}
		room.text = JoinLine(room.text, bytes.TrimLeft(line, " \t"))
		room.starts = append(room.starts, len(room.text)-len(bytes.TrimLeft(line, " \t")))
	}
	return room.text, data, ended
}

// eachSentence calls sentence for the sentences of a paragraph. A sentence ends with
// ., ?, ! or …, or a run of them, and the quotes and brackets that close right behind,
// if white space follows and then, perhaps after opening quotes, brackets or dashes, a capital letter or
// a digit (in a paragraph without any capital: anything). It does not end with the dot of an
// abbreviation (mr., no. 5), of an initial (J.) or of an acronym (U.S.). A quote or
// bracket with white space on both sides, as tokenised text has them, closes if one is open.
func eachSentence(paragraph []byte, sentence func([]byte)) {
	cased := bytes.ContainsFunc(paragraph, unicode.IsUpper)
	quotes := 0 // " so far
	from := 0
	for at := 0; at < len(paragraph); {
		if paragraph[at] == '"' {
			quotes++
		}
		end := at + terminators(paragraph[at:])
		if end == at {
			at++
			continue
		}
		mark := paragraph[at:end]
		before := paragraph[from:at]
		at = end
		for {
			size := oneOf(paragraph[at:], closing)
			if size == 0 {
				break
			}
			if paragraph[at] == '"' {
				quotes++
			}
			at += size
		}
		next := skipSpace(paragraph, at)
		if next == at {
			continue // within a word, or at the end
		}
		// Quotes and brackets that stand by themselves.
		for next < len(paragraph) {
			c := paragraph[next]
			alone := next+1 == len(paragraph) || skipSpace(paragraph, next+1) > next+1
			if !alone || c != ')' && c != ']' && (c != '"' || quotes%2 == 0) {
				break
			}
			if c == '"' {
				quotes++
			}
			at = next + 1
			next = skipSpace(paragraph, at)
		}
		start := next
		for start < len(paragraph) {
			size := oneOf(paragraph[start:], opening)
			if size == 0 {
				break
			}
			start = skipSpace(paragraph, start+size)
		}
		first, _ := utf8.DecodeRune(paragraph[start:])
		if next == len(paragraph) || cased && !unicode.IsUpper(first) && !unicode.IsTitle(first) &&
			!unicode.IsDigit(first) {
			continue
		}
		if len(mark) == 1 && mark[0] == '.' && keepsGoing(before, first) {
			continue
		}
		sentence(paragraph[from:at])
		from, at = next, next
	}
	if rest := bytes.TrimSpace(paragraph[from:]); len(rest) > 0 {
		sentence(rest)
	}
}

var (
	closing = []string{`"`, `'`, `)`, `]`, "”", "’", "»"}
	opening = []string{`"`, `'`, `(`, `[`, "“", "‘", "«", "`", "-", "–", "—"}
)

// endsSentence tells whether a line ends with the end of a sentence.
func endsSentence(line []byte) bool {
	line = bytes.TrimRight(line, `"')]”’» `)
	last, _ := utf8.DecodeLastRune(line)
	return last == '.' || last == '?' || last == '!' || last == '…' || last == ':'
}

// terminators returns the length of the run of end marks that text begins with.
func terminators(text []byte) int {
	n := 0
	for n < len(text) {
		switch c := text[n]; {
		case c == '.' || c == '?' || c == '!':
			n++
		case c == 0xE2 && bytes.HasPrefix(text[n:], []byte("…")):
			n += len("…")
		default:
			return n
		}
	}
	return n
}

// oneOf returns the length of the one of marks that text begins with, or 0.
func oneOf(text []byte, marks []string) int {
	for _, m := range marks {
		if len(text) >= len(m) && string(text[:len(m)]) == m {
			return len(m)
		}
	}
	return 0
}

// skipSpace returns the end of the white space at text[at:].
func skipSpace(text []byte, at int) int {
	return len(text) - len(bytes.TrimLeftFunc(text[at:], unicode.IsSpace))
}

// separators are the bytes that a word begins behind: white space, what begins such of several bytes, and openings.
const separators = " \t\n\v\f\r\xc2\xe1\xe2\xe3(\"'["

// keepsGoing tells whether the dot after before belongs to an abbreviation, an initial
// or an acronym, so that it ends no sentence. First is the character that follows.
func keepsGoing(before []byte, first rune) bool {
	start := len(before)
	for start > 0 && strings.IndexByte(separators, before[start-1]) < 0 {
		start--
	}
	word := before[start:]
	if len(word) == 0 || len(word) > 20 {
		return false
	}
	if r, size := utf8.DecodeRune(word); size == len(word) && unicode.IsLetter(r) {
		return r != 'I' && r != 'i' // “I” is mostly no initial
	}
	lower := bytes.ToLower(word)
	if isAcronym(bytes.Runes(lower)) {
		return true
	}
	kind := abbreviations[string(lower)]
	return kind == always || kind == beforeNumber && unicode.IsDigit(first)
}
