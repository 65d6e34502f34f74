package sent2vec_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"contextmover/cmdlib/corpus"
	"contextmover/experiments/harness/trainers/sent2vec"
)

func ExampleTrain() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "sent2vec")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "text.txt")
	if err := os.WriteFile(path, []byte(strings.Repeat("the cat sleeps\nthe dog sleeps\nstocks fall today\n", 100)), 0o666); err != nil {
		log.Fatal(err)
	}
	text := corpus.Text{Files: []string{path}, Tokenised: true}
	words, _, err := corpus.BuildVocabulary(ctx, text, 5, nil)
	if err != nil {
		log.Fatal(err)
	}
	r, err := sent2vec.Train(ctx, sent2vec.Source{Text: text, Vocabulary: words, Scratch: dir}, sent2vec.Params{
		Dim: 10, Epochs: 20, Rate: 0.2, NGrams: 2, Buckets: 1000, Dropout: 1, Negatives: 3, Subsample: 0.1, Seed: 1,
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(r.Vectors)/words.Len(), r.Loss[19] < r.Loss[0])
	// Output: 10 true
}
