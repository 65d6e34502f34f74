package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/floats"

	"contextmover/cmdlib"
	"contextmover/cmdlib/score"
	"contextmover/cmdlib/sentence"
	"contextmover/experiments/dataset"
)

// choose prints how well spaces of some sizes agree with people on validation sets of texts and words.
func choose(ctx context.Context, s *cmdlib.Space, data string, choices []string, sets []set, more []string) error {
	fmt.Print("| words | dimensions | bits | MB | STS16 |")
	var further []set
	for _, file := range more {
		of, err := readSet(file)
		if err != nil {
			return err
		}
		further = append(further, of)
		fmt.Printf(" %s |", filepath.Base(file))
	}
	fmt.Println(" MEN dev | SimVerb dev |")
	fmt.Println("|--:|--:|--:|--:|--:|" + strings.Repeat("--:|", len(more)+2))
	for _, choice := range choices {
		var words, dim, bits int
		if n, _ := fmt.Sscanf(choice, "%dx%dx%d", &words, &dim, &bits); n != 3 || dim < 1 || dim > s.Dim {
			return fmt.Errorf("%q: expected words × dimensions × bits as in 58000x%dx4, with at most %d dimensions",
				choice, s.Dim, s.Dim)
		}
		e := &encoder{vectors: cut(s, words, dim, bits), a: cmdlib.DefaultEncoding.A, own: true}
		var err error
		components := cmdlib.DefaultEncoding.Components
		if e.removed, err = sentence.FitComponents(ctx, e.random(1), dim, components); err != nil {
			return err
		}
		fmt.Printf("| %d | %d | %d | %.1f |", words, dim, bits, float64(words)*float64((dim*bits+7)/8+4)/1e6)
		for _, of := range append([][]set{sets}, each(further)...) {
			r, err := e.of(ctx, of, 0)
			if err != nil {
				return err
			}
			fmt.Printf(" %.1f |", r)
		}
		for _, file := range []string{"MEN_dataset_lemma_form.dev", "SimVerb-500-dev.txt"} {
			r, err := e.words(filepath.Join(data, "wordsim", file))
			if err != nil {
				return err
			}
			fmt.Printf(" %.1f |", r)
		}
		fmt.Println()
	}
	return nil
}

// each makes a list of every set.
func each(sets []set) (lists [][]set) {
	for i := range sets {
		lists = append(lists, sets[i:i+1])
	}
	return lists
}

// words returns Spearman × 100 of the cosines of words with what people say, over the pairs that are known.
func (e *encoder) words(file string) (float64, error) {
	pairs, err := dataset.ReadWordSimilarity(file)
	if err != nil {
		return 0, err
	}
	var values, gold []float64
	for _, p := range pairs {
		_, okA := e.id[p.A]
		_, okB := e.id[p.B]
		if !okA || !okB {
			continue
		}
		x, y := e.point([]string{p.A}), e.point([]string{p.B})
		values = append(values, floats.Dot(x, y)/(floats.Norm(x, 2)*floats.Norm(y, 2)))
		gold = append(gold, p.Score)
	}
	r, err := score.Spearman(values, gold)
	return 100 * r, err
}
