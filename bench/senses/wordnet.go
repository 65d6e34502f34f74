package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// wordNet is what is read of the nouns of WordNet: data.noun and index.noun in the format wndb(5WN).
type wordNet struct {
	synsets map[string]synset   // by their offset in data.noun, eight digits
	senses  map[string][]string // of each word, the most frequent first
}

type synset struct {
	file         string // of the lexicographers: 05 is noun.animal
	words        []string
	gloss        string // with examples
	above, below []string
}

func readWordNet(dir string) (*wordNet, error) {
	w := &wordNet{synsets: make(map[string]synset), senses: make(map[string][]string)}
	err := lines(filepath.Join(dir, "data.noun"), func(fields []string, gloss string) error {
		n, err := strconv.ParseInt(fields[3], 16, 32)
		if err != nil || len(fields) < 5+2*int(n) {
			return fmt.Errorf("%q words", fields[3])
		}
		s := synset{file: fields[1], gloss: gloss}
		for i := range int(n) {
			s.words = append(s.words, strings.ToLower(strings.ReplaceAll(fields[4+2*i], "_", " ")))
		}
		for rest := fields[5+2*n:]; len(rest) >= 4; rest = rest[4:] { // symbol, offset, part of speech, words
			switch rest[0] {
			case "@", "@i":
				s.above = append(s.above, rest[1])
			case "~", "~i":
				s.below = append(s.below, rest[1])
			}
		}
		w.synsets[fields[0]] = s
		return nil
	})
	if err != nil {
		return nil, err
	}
	return w, lines(filepath.Join(dir, "index.noun"), func(fields []string, _ string) error {
		n, err := strconv.Atoi(fields[2])
		if err != nil || n < 1 || n > len(fields) {
			return fmt.Errorf("%q senses", fields[2])
		}
		w.senses[fields[0]] = fields[len(fields)-n:]
		return nil
	})
}

// lines gives each line but those of the licence, cut into fields, with what stands behind |.
func lines(path string, each func(fields []string, gloss string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for number := 1; in.Scan(); number++ {
		if strings.HasPrefix(in.Text(), "  ") {
			continue
		}
		line, gloss, _ := strings.Cut(in.Text(), "|")
		fields := strings.Fields(line)
		if len(fields) < 6 {
			return fmt.Errorf("%s, line %d: %d fields, expected at least 6", path, number, len(fields))
		}
		if err := each(fields, gloss); err != nil {
			return fmt.Errorf("%s, line %d: %w", path, number, err)
		}
	}
	return in.Err()
}

// text tells what a synset is, without the word that it is a sense of: its words, its gloss with examples, and
// the words of the synsets right above and below, after the extended glosses of Banerjee and Pedersen (2002).
func (w *wordNet) text(offset, word string) string {
	s := w.synsets[offset]
	parts := append(slices.Clone(s.words), s.gloss)
	for _, other := range slices.Concat(s.above, s.below) {
		parts = append(parts, w.synsets[other].words...)
	}
	var kept []string
	for _, token := range strings.FieldsFunc(strings.ToLower(strings.Join(parts, " ")), func(r rune) bool {
		return r < 'a' || r > 'z'
	}) {
		if token != word && token != word+"s" {
			kept = append(kept, token)
		}
	}
	return strings.Join(kept, " ")
}
