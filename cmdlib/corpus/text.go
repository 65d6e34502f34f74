package corpus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/transform"

	"contextmover/cmdlib/corpus/internal/runs"
	"contextmover/internal/parallel"
)

// Text is a corpus: files of UTF-8 text, plain or compressed (see Open). They are read
// in the given order, as if they were one file.
//
// Lines end with LF, CR LF or CR, and text is read in the form of Normal. Tokens longer
// than 999 bytes are cut there, as GloVe's tools do, before the character that does not
// fit. A byte order mark at the start of a file is dropped, and each run of bytes that
// is not UTF-8 is read as U+FFFD (see Stats.Invalid).
//
// Errors name the file and line: a NUL byte (binary data or UTF-16), the token
// <unk>, which GloVe reserves for unknown words, or 4 MiB without any white space.
type Text struct {
	Files []string
	// Tokenised text is split at white space only; other text goes through Tokenise,
	// sentence by sentence (a line or paragraph of more than 4 MiB in pieces).
	Tokenised bool
	// SplitDots takes TokeniseSentence instead, which leaves fewer words their dots.
	SplitDots bool
	// Layout says where the sentences end; by default a sentence is a line.
	Layout Layout

	shard Shard            // instead of Files
	read  func(sum uint64) // is told, in order, the checksum of each piece that was read
}

// Stats says what was read.
type Stats struct {
	Lines   int64 // or sentences, where the Layout makes them
	Tokens  int64
	Known   int64 // tokens in the vocabulary
	Invalid int64 // lines with bytes that are not UTF-8
	// FirstInvalid is the place of the first of them, as file:line, or empty. Jobs do not keep it.
	FirstInvalid string `json:"-"`
}

func (s *Stats) add(t Stats) {
	s.Lines += t.Lines
	s.Tokens += t.Tokens
	s.Known += t.Known
	s.Invalid += t.Invalid
}

// numbers are what files of a job have of it.
func (s Stats) numbers() runs.Stats { return runs.Stats{s.Lines, s.Tokens, s.Known, s.Invalid} }

func statsOf(n runs.Stats) Stats { return Stats{Lines: n[0], Tokens: n[1], Known: n[2], Invalid: n[3]} }

// Sizes of the pieces a text is read in. Results do not depend on them; they are
// variables so that tests can cut everywhere.
var (
	chunkSize = 1 << 20
	// longestLine is how much of a line is taken in one piece.
	longestLine = 1 << 22
)

// longestToken is MAX_STRING_LENGTH − 1 of GloVe's tools.
const longestToken = 999

// unknown is the token that GloVe's tools forbid in a corpus.
const unknown = "<unk>"

// chunk is a piece of a file, cut at white space.
type chunk struct {
	number int // of this chunk in the whole text, from 0
	piece  Piece
	line   int64 // number of its first line in the piece, from 1
	data   []byte
	// first and last mark the ends of a file; the end ends a line even without \n.
	first, last bool
	continued   bool // the first line began in an earlier chunk

	// What a worker keeps from chunk to chunk.
	stats     Stats
	invalid   int  // number of its first chunk with bytes that are not UTF-8; the place is in stats
	forbidden bool // the token <unk> was seen
	tokeniser tokeniser
	joined    joinedLines // room for a paragraph
}

// scan reads the text in chunks and hands each one to a worker, of which there are
// GOMAXPROCS; start is called once a worker and returns the function for its
// chunks, which may be called in any order of chunks.
// Progress is reported in stored bytes.
func (t Text) scan(
	ctx context.Context, progress func(done, total int64), start func() func(*chunk) error,
) (Stats, error) {
	pieces := t.shard
	for _, path := range t.Files {
		pieces = append(pieces, Piece{Path: path})
	}
	if len(pieces) == 0 {
		return Stats{}, errors.New("corpus: no files given, expected at least one text file")
	}
	if err := t.Layout.Validate(); err != nil {
		return Stats{}, err
	}
	s := &source{pieces: pieces, layout: t.Layout, read: t.read, progress: progress}
	defer s.close()
	if err := s.measure(); err != nil {
		return Stats{}, err
	}
	var stats Stats
	invalid := 0
	workers := runtime.GOMAXPROCS(0)
	err := parallel.Blocks(ctx, workers, 1, func(int, int) error {
		handle := start()
		c := &chunk{}
		for {
			more, err := s.next(ctx, c)
			if err == nil && more {
				if err = c.clean(); err == nil {
					err = handle(c)
				}
				if err == nil && c.forbidden {
					err = c.unknownToken()
				}
			}
			if err != nil {
				// The lowest chunk's error is returned, whichever worker comes first.
				s.fail(c.number, err)
				return nil
			}
			if !more {
				break
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if place := c.stats.FirstInvalid; place != "" && (stats.FirstInvalid == "" || c.invalid < invalid) {
			stats.FirstInvalid, invalid = place, c.invalid
		}
		stats.add(c.stats)
		return nil
	})
	if err == nil {
		err = s.err
	}
	if err != nil {
		return Stats{}, err
	}
	return stats, nil
}

// source cuts files into chunks, one after the other.
type source struct {
	pieces   []Piece
	layout   Layout
	read     func(sum uint64)
	progress func(done, total int64)
	size     int64 // of all files, as stored

	mu     sync.Mutex
	open   *input    // pieces[at], or nil
	text   io.Reader // of open, with unified ends of lines
	inLine bool      // the last chunk ended within a line
	at     int
	line   int64
	before int64  // stored bytes of the files before at
	rest   []byte // read from the file and not handed out
	number int
	err    error
	errAt  int
}

// measure finds out the files' sizes, so that a missing one is reported at once.
func (s *source) measure() error {
	for _, p := range s.pieces {
		f, err := p.open()
		if err != nil {
			return err
		}
		s.size += f.size
		f.Close()
	}
	return nil
}

func (s *source) fail(number int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil || number < s.errAt {
		s.err, s.errAt = err, number
	}
}

func (s *source) close() {
	if s.open != nil {
		s.open.Close()
	}
}

// next fills c with the next chunk. It returns false at the end of the text or
// after an error of another worker.
func (s *source) next(ctx context.Context, c *chunk) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if s.err != nil {
		return false, nil
	}
	c.number, c.first, c.last = s.number, s.open == nil, false
	if s.open == nil {
		if s.at == len(s.pieces) {
			return false, nil
		}
		f, err := s.pieces[s.at].open()
		if err != nil {
			return false, err
		}
		s.open, s.text, s.line = f, transform.NewReader(f, lineEnds{}), 1
	}
	c.piece, c.line, c.continued = s.pieces[s.at], s.line, s.inLine
	s.number++

	c.data = append(c.data[:0], s.rest...)
	s.rest = s.rest[:0]
	for cut := -1; cut < 0; {
		from := len(c.data)
		room := max(chunkSize-from, chunkSize/4, 1)
		c.data = append(c.data, make([]byte, room)...)
		n, err := io.ReadFull(s.text, c.data[from:])
		c.data = c.data[:from+n]
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			c.last = true
			cut = len(c.data)
		case err != nil:
			return false, err
		default:
			cut = s.layout.lastBreak(c.data)
			if cut == 0 && len(c.data) >= longestLine {
				if cut = bytes.LastIndexAny(c.data, " \t") + 1; cut == 0 {
					return false, fmt.Errorf("corpus: %s:%d: %d bytes without white space, expected text with a "+
						"blank between words", c.piece.Path, c.lineOf(0), len(c.data))
				}
			}
			if cut == 0 {
				cut = -1
			}
		}
		if cut >= 0 {
			s.rest = append(s.rest, c.data[cut:]...)
			c.data = c.data[:cut]
		}
	}
	s.inLine = !c.last && c.data[len(c.data)-1] != '\n'
	s.line += int64(bytes.Count(c.data, []byte{'\n'}))
	report(s.progress, s.before+s.open.consumed.Load(), s.size)
	if c.last {
		s.before += s.open.size
		s.at++
		err, sum := s.open.Close(), s.open.sum.Sum64()
		s.open = nil
		if err == nil {
			err = c.piece.Is(sum)
		}
		if err != nil {
			return false, err
		}
		if s.read != nil {
			s.read(sum)
		}
	}
	return true, nil
}

func report(progress func(done, total int64), done, total int64) {
	if progress != nil {
		progress(done, total)
	}
}

var byteOrderMark = []byte("\ufeff")

// clean makes the chunk's bytes UTF-8 without NUL in the form of Normal.
func (c *chunk) clean() error {
	if c.first && c.piece.From == 0 {
		c.data = bytes.TrimPrefix(c.data, byteOrderMark)
	}
	if at := bytes.IndexByte(c.data, 0); at >= 0 {
		return fmt.Errorf("corpus: %s:%d: NUL byte, expected UTF-8 text; if this is UTF-16, convert it (iconv -f "+
			"UTF-16 -t UTF-8)", c.piece.Path, c.lineOf(at))
	}
	if !utf8.Valid(c.data) {
		at := 0
		for line := range bytes.Lines(c.data) {
			if !utf8.Valid(line) {
				c.stats.Invalid++
				if c.stats.FirstInvalid == "" { // a worker's chunks are in the order of the text
					c.stats.FirstInvalid, c.invalid = fmt.Sprintf("%s:%d", c.piece.Path, c.lineOf(at)), c.number
				}
			}
			at += len(line)
		}
		c.data = bytes.ToValidUTF8(c.data, []byte("\ufffd"))
	}
	c.data = Normal(c.data)
	return nil
}

// lineOf returns the number of the line with the chunk's byte at.
func (c *chunk) lineOf(at int) int64 {
	return c.piece.LinesBefore() + c.line + int64(bytes.Count(c.data[:at], []byte{'\n'}))
}

// unknownToken is the error for the first <unk> of the chunk. Only a tokenised text can
// have it: Tokenise would cut it.
func (c *chunk) unknownToken() error {
	at := 0
	for line := range bytes.Lines(c.data) {
		if slices.ContainsFunc(bytes.Fields(line), func(token []byte) bool { return string(token) == unknown }) {
			break
		}
		at += len(line)
	}
	return fmt.Errorf("corpus: %s:%d: the token %s, which GloVe's tools reserve for unknown words; replace it in the "+
		"text, for example by <raw_unk>", c.piece.Path, c.lineOf(at), unknown)
}

// words calls word for the chunk's tokens and end after each sentence. A line or paragraph
// that goes on in the next chunk has no end here. The token is only valid during the call.
func (c *chunk) words(t Text, word func(word []byte), end func()) {
	c.sentences(t, func([]byte, int64) {}, word, end)
}

// sentences is words that also calls begin before each sentence, with its bytes, which are
// only valid during the call, and the number of the line that it begins in.
func (c *chunk) sentences(t Text, begin func(sentence []byte, line int64), word func(word []byte), end func()) {
	finish := func() {
		c.stats.Lines++
		end()
	}
	if len(c.data) == 0 && c.last && c.continued {
		finish()
	}
	line, counted := c.line, 0 // the number of the line with the byte up to which lines are counted
	for data := c.data; len(data) > 0; {
		piece, rest, ended := t.Layout.piece(data, &c.joined)
		from := len(c.data) - len(data)
		data = rest
		line += int64(bytes.Count(c.data[counted:from], []byte{'\n'}))
		counted = from
		if t.Layout != Paragraphs && t.Layout != Wrapped {
			begin(piece, line)
			c.sentence(t, piece, word)
		} else {
			within := false
			eachSentence(piece, func(sentence []byte) {
				if within {
					finish()
				}
				within = true
				begin(sentence, line+c.joined.lineOf(cap(piece)-cap(sentence))) // which is a part of the piece
				c.sentence(t, sentence, word)
			})
			if !within {
				begin(nil, line)
			}
		}
		if ended || c.last {
			finish()
		}
	}
}

func (c *chunk) sentence(t Text, sentence []byte, word func(word []byte)) {
	if !t.Tokenised {
		c.tokeniser.sentences = t.SplitDots
		sentence = c.tokeniser.line(sentence)
	}
	for token := range bytes.FieldsSeq(sentence) {
		if len(token) > longestToken {
			token = truncate(token)
		}
		c.stats.Tokens++
		c.forbidden = c.forbidden || string(token) == unknown
		word(token)
	}
}

// truncate cuts a token to at most longestToken bytes of whole characters.
func truncate(token []byte) []byte {
	n := longestToken
	for n > 0 && !utf8.RuneStart(token[n]) {
		n--
	}
	return token[:n]
}
