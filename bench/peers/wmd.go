package main

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"contextmover/cmdlib/embedding"
	"contextmover/cmdlib/sentence"
	"contextmover/experiments/harness/dataset"
	"contextmover/internal/system"
)

// wordMover is peers wmd: it prints a distance a line, and last the processor seconds that all took.
func wordMover(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("wmd", flag.ExitOnError)
	vectors := flags.String("vectors", "", "file of vectors in word2vec's text format")
	pairs := flags.String("pairs", "", "set of pairs, sentences as tokens with blanks between")
	flags.Parse(args)
	v, err := embedding.Read(ctx, *vectors)
	if err != nil {
		return err
	}
	v = v.Normalised() // as gensim does
	ids := make(map[string]int32, len(v.Words))
	for i, w := range v.Words {
		ids[w] = int32(i)
	}
	lines, err := dataset.ReadPairs(*pairs)
	if err != nil {
		return err
	}
	sentenceOf := func(text string) (s sentence.Sentence) {
		for _, w := range strings.Fields(text) {
			if id, ok := ids[w]; ok {
				s = append(s, id)
			}
		}
		return s
	}
	all := make([]sentence.Pair, len(lines))
	for i, l := range lines {
		all[i] = sentence.Pair{A: sentenceOf(l.A), B: sentenceOf(l.B)}
	}
	method := sentence.WordMover{
		Points: sentence.Points{Vectors: v.Data, Dim: v.Dim, Weighting: sentence.Weighting{Scheme: sentence.Uniform}},
	}
	before, _ := system.ProcessorSeconds()
	scores, err := method.Score(ctx, all)
	if err != nil {
		return err
	}
	after, _ := system.ProcessorSeconds()
	for i, s := range scores.Value {
		if scores.Covered[i] {
			fmt.Println(-s)
		} else {
			fmt.Println("inf") // as gensim says
		}
	}
	fmt.Println(after - before)
	return nil
}
