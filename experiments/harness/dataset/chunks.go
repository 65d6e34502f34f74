package dataset

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"contextmover/cmdlib/align"
)

// mostWords is what a sentence has at most, as all its words may be linked to all of the other.
const mostWords = 200

// parseChunks reads pairs whose chunks are linked, as SemEval-2016 task 2 has them: the sentences behind //, then lines
// "1 2 <==> 3 // TYPE // …" with the numbers of the words of two chunks, from 1, or 0 for none. All words of two linked
// chunks are linked.
func parseChunks(l *lines) (pairs []Aligned, err error) {
	l.blank = true
	var p *Aligned
	var seen map[align.Link]bool // links of p
	for l.next() {
		text := strings.TrimSpace(l.text)
		switch {
		case p == nil && strings.HasPrefix(text, "<sentence "):
			pairs = append(pairs, Aligned{ID: strconv.Itoa(len(pairs) + 1)})
			p, seen = &pairs[len(pairs)-1], map[align.Link]bool{}
		case p == nil:
			if text != "" {
				return nil, l.errorf("%s, expected <sentence id=…>", found(l.text))
			}
		case p.Target == nil && (text == "</sentence>" || strings.Contains(text, "<==>")):
			return nil, l.errorf("%s, expected two sentences behind // first", found(l.text))
		case text == "</sentence>":
			p = nil
		case strings.HasPrefix(text, "//") && p.Target == nil:
			words := strings.Fields(text[2:])
			if n := len(words); n == 0 || n > mostWords {
				return nil, l.errorf("a sentence of %s, expected 1 to %d", count(n, "word"), mostWords)
			}
			if p.Source == nil {
				p.Source, p.SourceChunks = words, apart(len(words))
			} else {
				p.Target, p.TargetChunks = words, apart(len(words))
			}
		case strings.Contains(text, "<==>"):
			if err := p.linkChunks(text, seen); err != nil {
				return nil, l.errorf("%v", err)
			}
		}
	}
	if p != nil {
		return nil, l.errorf("the file ends within a pair, expected </sentence>")
	}
	return end(l, pairs, "aligned pairs")
}

// apart numbers n words as chunks of their own.
func apart(n int) []int {
	chunks := make([]int, n)
	for i := range chunks {
		chunks[i] = i
	}
	return chunks
}

// linkChunks adds a line of linked chunks, or of one alone, but for the links that were seen.
func (p *Aligned) linkChunks(line string, seen map[align.Link]bool) error {
	words, _, _ := strings.Cut(line, "//")
	from, to, _ := strings.Cut(words, "<==>")
	source, err := chunk(from, p.SourceChunks)
	if err != nil {
		return err
	}
	target, err := chunk(to, p.TargetChunks)
	if err != nil {
		return err
	}
	for _, i := range source {
		for _, j := range target {
			if link := (align.Link{Source: i, Target: j}); !seen[link] {
				seen[link] = true
				p.Sure = append(p.Sure, link)
			}
		}
	}
	return nil
}

// chunk reads the numbers of a chunk's words, from 1, and makes them one of chunks: that of its first word.
func chunk(text string, chunks []int) (words []int, err error) {
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return nil, errors.New("a chunk without words, expected their numbers, or 0")
	}
	if fields[0] == "0" {
		return nil, nil
	}
	for _, field := range fields {
		i, err := strconv.Atoi(field)
		if err != nil || i < 1 || i > len(chunks) {
			return nil, fmt.Errorf("the word %s, expected a number from 1 to %d", found(field), len(chunks))
		}
		words = append(words, i-1)
		chunks[i-1] = chunks[words[0]]
	}
	return words, nil
}

// Whole returns links as a pair has them: where chunks are linked, each with all words of the two chunks, once.
func (p *Aligned) Whole(links []align.Link) (all []align.Link) {
	if p.SourceChunks == nil {
		return links
	}
	seen := map[align.Link]bool{}
	for _, l := range links {
		seen[align.Link{Source: p.SourceChunks[l.Source], Target: p.TargetChunks[l.Target]}] = true
	}
	for i, from := range p.SourceChunks {
		for j, to := range p.TargetChunks {
			if seen[align.Link{Source: from, Target: to}] {
				all = append(all, align.Link{Source: i, Target: j})
			}
		}
	}
	return all
}
