package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"contextmover/cmdlib/corpus"
)

// Change is how much people say that a word changed between two periods.
type Change struct {
	Word string
	// Graded is from 0 to 1; Changed tells whether senses came or went.
	Graded  float64
	Changed bool
}

// ReadUses reads a word's uses of a DWUG: a table with tabs and a header that has context, indexes_target_token and
// grouping, 1 or 2. It returns the uses of both periods; the words around them are tokenised.
func ReadUses(path string) (periods [2][]corpus.Occurrence, err error) {
	rows, err := readColumns(path, "context", "indexes_target_token", "grouping")
	for i, f := range rows {
		text := []rune(f[0])
		first, last, _ := strings.Cut(f[1], ":")
		from, err1 := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if errors.Join(err1, err2) != nil || from < 0 || to <= from || to > len(text) {
			return periods, wrong(path, i+2, "the place %q, expected first:end of %s", f[1],
				count(len(text), "character"))
		}
		period := slices.Index([]string{"1", "2"}, f[2])
		if period < 0 {
			return periods, wrong(path, i+2, "the grouping %q, expected 1 or 2", f[2])
		}
		before := corpus.Tokenise(string(text[:from]))
		sentence := slices.Concat(before, []string{strings.ToLower(string(text[from:to]))},
			corpus.Tokenise(string(text[to:])))
		periods[period] = append(periods[period], corpus.Occurrence{Sentence: sentence, At: len(before)})
	}
	if err == nil && (periods[0] == nil || periods[1] == nil) {
		err = wrong(path, 0, "uses of one grouping alone, expected some of 1 and some of 2")
	}
	return periods, err
}

// ReadChanges reads the table stats_groupings of a DWUG, of which it takes lemma, change_graded and change_binary.
func ReadChanges(path string) (all []Change, err error) {
	rows, err := readColumns(path, "lemma", "change_graded", "change_binary")
	for i, f := range rows {
		c, problem := newChange(f[0], f[1], f[2])
		if problem != "" {
			return nil, wrong(path, i+2, "%s", problem)
		}
		all = append(all, c)
	}
	return all, err
}

// ReadTruths reads the truths of SemEval-2020 task 1 in two files of lines with a word and a number: graded change,
// and whether it changed. Both have the same words in the same order.
func ReadTruths(graded, binary string) (all []Change, err error) {
	rows, err := readBeside(graded, 2, binary, 2)
	for i, f := range rows {
		if f[2] != f[0] {
			return nil, wrong(binary, i+1, "the word %q, expected %q as in %s", f[2], f[0], graded)
		}
		c, problem := newChange(f[0], f[1], f[3])
		if problem != "" {
			return nil, wrong(graded, i+1, "%s", problem)
		}
		all = append(all, c)
	}
	return all, err
}

// newChange reads the numbers of a word, or says what is wrong with them.
func newChange(word, graded, changed string) (c Change, problem string) {
	x, err := strconv.ParseFloat(graded, 64)
	if err != nil || !(x >= 0 && x <= 1) {
		return c, fmt.Sprintf("the graded change %q of %q, expected a number from 0 to 1", graded, word)
	}
	if changed != "0" && changed != "1" {
		return c, fmt.Sprintf("the binary change %q of %q, expected 0 or 1", changed, word)
	}
	return Change{word, x, changed == "1"}, ""
}

// InContext is a pair of uses of a word, and whether people say that it means the same in both.
type InContext struct {
	Uses [2]corpus.Occurrence
	Same bool
}

// ReadInContext reads WiC: lines with a word, its part of speech, its places i-j and two sentences, and the answers,
// T or F, in lines of their own file. Words are in lower case.
func ReadInContext(data, answers string) (all []InContext, err error) {
	rows, err := readBeside(data, 5, answers, 1)
	for i, f := range rows {
		pair := InContext{Same: f[5] == "T"}
		if !pair.Same && f[5] != "F" {
			return nil, wrong(answers, i+1, "the answer %q, expected T or F", f[5])
		}
		first, second, _ := strings.Cut(f[2], "-")
		for side, place := range []string{first, second} {
			if pair.Uses[side], err = use(data, i+1, place, f[3+side]); err != nil {
				return nil, err
			}
		}
		all = append(all, pair)
	}
	return all, err
}

// ReadTagged reads a word's places of CoarseWSD: lines with a place and a sentence, and the tags, numbers from 0, in
// lines of their own file. Words are in lower case.
func ReadTagged(data, tags string) (list []corpus.Occurrence, numbers []int, err error) {
	rows, err := readBeside(data, 2, tags, 1)
	for i, f := range rows {
		o, err := use(data, i+1, f[0], f[1])
		if err != nil {
			return nil, nil, err
		}
		tag, err := strconv.Atoi(f[2])
		if err != nil || tag < 0 {
			return nil, nil, wrong(tags, i+1, "the tag %q, expected a number from 0", f[2])
		}
		list, numbers = append(list, o), append(numbers, tag)
	}
	return list, numbers, err
}

// use is the word at a place of a sentence, whose words are separated by blanks.
func use(path string, line int, place, sentence string) (corpus.Occurrence, error) {
	words := strings.Fields(strings.ToLower(sentence))
	at, err := strconv.Atoi(place)
	if err != nil || at < 0 || at >= len(words) {
		return corpus.Occurrence{}, wrong(path, line, "the place %q, expected a number below %d", place, len(words))
	}
	return corpus.Occurrence{Sentence: words, At: at}, nil
}

func wrong(path string, line int, format string, args ...any) error {
	return &FormatError{File: path, Line: line, Problem: fmt.Sprintf(format, args...)}
}

// readCells reads lines of fields that are separated by tabs, as many in each as in the first.
func readCells(path string) ([][]string, error) {
	return read(path, func(l *lines) (rows [][]string, err error) {
		for l.next() {
			f := strings.Split(l.text, "\t")
			if rows != nil && len(f) != len(rows[0]) {
				return nil, l.errorf("%s, expected %d as before", count(len(f), "field"), len(rows[0]))
			}
			rows = append(rows, f)
		}
		return end(l, rows, "lines")
	})
}

// readColumns reads the columns with these names of a table with a header, row by row.
func readColumns(path string, names ...string) (rows [][]string, err error) {
	all, err := readCells(path)
	if err != nil {
		return nil, err
	}
	for _, row := range all[1:] {
		var picked []string
		for _, name := range names {
			at := slices.Index(all[0], name)
			if at < 0 {
				return nil, wrong(path, 1, "no column %s, expected %s", name, strings.Join(names, ", "))
			}
			picked = append(picked, row[at])
		}
		rows = append(rows, picked)
	}
	if rows == nil {
		return nil, wrong(path, 0, "a header alone, expected lines below it")
	}
	return rows, nil
}

// readBeside reads two files of as many lines each, with n and m fields, and puts their lines side by side.
func readBeside(path string, n int, other string, m int) (rows [][]string, err error) {
	rows, err = readCells(path)
	if err != nil {
		return nil, err
	}
	beside, err := readCells(other)
	switch {
	case err != nil:
		return nil, err
	case len(rows) != len(beside):
		return nil, wrong(other, 0, "%s for %d in %s, expected as many", count(len(beside), "line"), len(rows), path)
	case len(rows[0]) != n:
		return nil, wrong(path, 1, "%s, expected %d", count(len(rows[0]), "field"), n)
	case len(beside[0]) != m:
		return nil, wrong(other, 1, "%s, expected %d", count(len(beside[0]), "field"), m)
	}
	for i := range rows {
		rows[i] = append(rows[i], beside[i]...)
	}
	return rows, nil
}
