package sent2vec

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"contextmover/cmdlib/corpus"
)

// BenchmarkTrain trains an epoch of 700 dimensions on sentences
// of 20 words by Zipf's law, and reports the time of a token.
func BenchmarkTrain(b *testing.B) {
	const words, tokens = 30_000, 400_000
	path := filepath.Join(b.TempDir(), "text.txt")
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(file)
	random := rand.New(rand.NewPCG(1, 1))
	for i := range tokens {
		fmt.Fprintf(w, "w%d", int(math.Pow(words, random.Float64())))
		w.WriteByte(" \n"[btoi(i%20 == 19)])
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := file.Close(); err != nil {
		b.Fatal(err)
	}
	text := corpus.Text{Files: []string{path}, Tokenised: true}
	v, _, err := corpus.BuildVocabulary(b.Context(), text, 5, nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, ngrams := range []int{1, 2} {
		b.Run(fmt.Sprintf("ngrams=%d", ngrams), func(b *testing.B) {
			p := Params{Dim: 700, Epochs: 1, Rate: 0.2, NGrams: ngrams, Buckets: 100_000, Dropout: 4, Negatives: 10, Subsample: 1e-5, MinTarget: 8, Seed: 1}
			for b.Loop() {
				if _, err := Train(b.Context(), Source{text, v, b.TempDir()}, p, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tokens, "ns/token")
		})
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
