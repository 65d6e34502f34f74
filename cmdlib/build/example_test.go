package build_test

import (
	"context"
	"fmt"
	"log"

	"contextmover/cmdlib/build"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/embedding"
)

// A space of counts and vectors in memory: w0 and w1 are near each other, w2 and w3 as well.
func ExampleBuilder_FromCounts() {
	words, err := corpus.NewVocabulary([]string{"w0", "w1", "w2", "w3"}, []int64{12, 11, 10, 9})
	check(err)
	counts := &corpus.Counts{
		Rows: 4, Cols: 4, Start: []int64{0, 3, 6, 9, 12},
		Index: []int32{1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2},
		Value: []float64{6, 2, 1, 6, 1, 3, 2, 1, 8, 1, 3, 8},
	}
	vectors, err := embedding.New(words.Words, 2, []float32{1, 0, 1, .1, 0, 1, .1, 1})
	check(err)
	b := build.New()
	b.Clusters, b.SPPMI.Shift = 2, 1
	contents, summary, err := b.FromCounts(context.Background(), words, counts, vectors)
	check(err)
	fmt.Println(summary.WithEstimate, "words,", contents.Cost.K, "contexts")
	// Output:
	// 4 words, 2 contexts
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
