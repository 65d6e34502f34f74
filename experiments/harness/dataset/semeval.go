package dataset

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"contextmover/internal/archive"
)

// scoresOf returns the path of the scores that belong to a file of sentences of SemEval, and whether the name is
// that of one.
func scoresOf(path string) (scores string, ok bool) {
	dir, name := filepath.Split(path)
	scores = strings.Replace(name, ".input.", ".gs.", 1)
	return dir + scores, scores != name && strings.HasPrefix(name, "STS") && strings.HasSuffix(name, ".txt")
}

// readScored reads SemEval's sentences and their scores.
func readScored(sentences, scores string) ([]Pair, error) {
	return read(sentences, func(text *lines) ([]Pair, error) {
		return read(scores, func(gold *lines) ([]Pair, error) { return parseScored(text, gold) })
	})
}

// parseScored reads two files line by line: sentences separated by a tab, with notes perhaps in further fields; and
// the score, or an empty line for a pair that nobody scored, which is left out.
func parseScored(sentences, scores *lines) ([]Pair, error) {
	sentences.blank, scores.blank = true, true
	var pairs []Pair
	for {
		more, scored := sentences.next(), scores.next()
		switch {
		case sentences.err != nil:
			return nil, sentences.err
		case scores.err != nil:
			return nil, scores.err
		case more && !scored:
			return nil, scores.errorf("ends before %s, expected a line for each of its lines", sentences.file)
		case scored && !more:
			return nil, sentences.errorf("ends before %s, expected a line for each of its lines", scores.file)
		case !more:
			return end(sentences, pairs, "scored sentence pairs")
		case strings.TrimSpace(scores.text) == "":
			continue
		}
		fields := strings.Split(sentences.text, "\t")
		if len(fields) < 2 {
			return nil, sentences.errorf("%s, expected two sentences, separated by a tab", count(len(fields), "field"))
		}
		gold, err := scores.score(strings.TrimSpace(scores.text), "a score alone")
		if err != nil {
			return nil, err
		}
		p := Pair{A: fields[0], B: fields[1], Gold: gold, HasGold: true, Line: sentences.number}
		if err := sentences.full(p.A, p.B); err != nil {
			return nil, err
		}
		pairs = append(pairs, p)
	}
}

// open opens a file, or one in a zip archive, which is named as if the archive were a folder.
func open(path string) (io.ReadCloser, error) {
	file, name := archive.Split(path)
	if name == "" {
		return os.Open(path)
	}
	r, err := archive.Open(file, name)
	if err != nil {
		return nil, wrongFile(file, "%v", err)
	}
	return r, nil
}
