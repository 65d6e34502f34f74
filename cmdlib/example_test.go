package cmdlib_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"contextmover/cmdlib"
	"contextmover/cmdlib/build"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/reference"
)

// toy writes a space of six words over three clusters of contexts, which lie in a
// plane: sounds at (0, 1), stones at (1, 0), and beasts far off at (−3, −3). The word
// rock occurs with sounds and with stones.
func toy() (dir string, remove func()) {
	parent, err := os.MkdirTemp("", "toy")
	check(err)
	words, err := corpus.NewVocabulary(
		[]string{"the", "rock", "music", "stone", "elephant", "mammal"},
		[]int64{900, 40, 30, 15, 10, 5})
	check(err)
	centroids := []float32{0, 1, 1, 0, -3, -3}
	cost, err := ground.New(centroids, 3, 2, ground.Params{Metric: ground.Euclidean, Normalisation: ground.Max})
	check(err)
	dir = filepath.Join(parent, "space")
	check(cmdlib.Write(context.Background(), dir, cmdlib.Contents{
		Vocabulary: words,
		Histograms: ot.Histograms{K: 3, Data: []float32{
			.34, .33, .33, // the
			.5, .5, 0, // rock
			.9, .1, 0, // music
			.1, .8, .1, // stone
			0, .1, .9, // elephant
			.1, 0, .9, // mammal
		}},
		Dim:       2,
		Vectors:   []float32{0, 0, .5, .5, .1, .9, .8, .2, -3, -2.9, -2.8, -3},
		Centroids: centroids,
		Cost:      cost.Cost,
		Settings: cmdlib.Settings{
			Ground:    cost.Params,
			Transport: ot.Settings{Reg: 0.02, MaxIter: 500},
			Sentence:  cmdlib.SentenceSettings{Combination: cmdlib.Average},
		},
		Provenance: map[string]any{"corpus": "made up"},
	}))
	return dir, func() { os.RemoveAll(parent) }
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// Music and stone are not far from rock, an elephant is.
func Example() {
	dir, remove := toy()
	defer remove()
	space, err := cmdlib.Open(dir, reference.New())
	check(err)
	defer space.Close()
	for _, word := range []string{"music", "stone", "elephant"} {
		result, err := space.Compare(context.Background(), "rock", word)
		check(err)
		fmt.Printf("rock – %-8s %.2f\n", word, result.Cost)
	}
	// Output:
	// rock – music    0.11
	// rock – stone    0.18
	// rock – elephant 0.90
}

func ExampleSpace_Neighbours() {
	dir, remove := toy()
	defer remove()
	space, err := cmdlib.Open(dir, reference.New())
	check(err)
	defer space.Close()
	found, err := space.Neighbours(context.Background(), "stone rock music", 3)
	check(err)
	for _, n := range found.Nearest {
		fmt.Printf("%-6s %.2f\n", n.Word, n.Distance)
	}
	// Output:
	// rock   0.03
	// music  0.14
	// stone  0.16
}

func ExampleSpace_Sentence() {
	dir, remove := toy()
	defer remove()
	space, err := cmdlib.Open(dir, reference.New())
	check(err)
	defer space.Close()
	sentence, err := space.Sentence(context.Background(), "The rock music festival")
	check(err)
	fmt.Printf("known %q\nunknown %q\nhistogram %.2f\n", sentence.Words, sentence.Unknown, sentence.Histogram)
	// Output:
	// known ["the" "rock" "music"]
	// unknown ["festival"]
	// histogram [0.58 0.31 0.11]
}

func ExampleSpace_Explain() {
	dir, remove := toy()
	defer remove()
	space, err := cmdlib.Open(dir, reference.New())
	check(err)
	defer space.Close()
	explained, err := space.Explain(context.Background(), "rock", "music", 3)
	check(err)
	plan := explained.Plan
	clusters := []string{"sounds", "stones", "beasts"}
	for i, from := range clusters {
		for j, to := range clusters {
			if mass := plan.Mass[i*plan.Cols+j]; mass > 0.005 {
				fmt.Printf("%s → %s %.2f\n", from, to, mass)
			}
		}
	}
	// Output:
	// sounds → sounds 0.50
	// stones → sounds 0.40
	// stones → stones 0.10
}

func ExampleUnknownError() {
	dir, remove := toy()
	defer remove()
	space, err := cmdlib.Open(dir, reference.New())
	check(err)
	defer space.Close()
	_, err = space.Compare(context.Background(), "elefant", "mammal")
	fmt.Println(err)
	// Output:
	// cmdlib: unknown word "elefant" (did you mean "elephant"?)
}

// A space that knows lions and hammers learns what a sea lion is from two sentences.
func ExampleData_Estimate() {
	dir, err := os.MkdirTemp("", "estimate")
	check(err)
	defer os.RemoveAll(dir)
	var text strings.Builder
	for i := range 300 {
		animal, tool := []string{"lion", "tiger", "wolf"}[i%3], []string{"hammer", "chisel", "saw"}[i%3]
		fmt.Fprintf(&text, "the %s %s in the %s\n", animal, []string{"hunts", "eats", "sleeps", "roars"}[i%4], []string{"forest", "jungle", "grass"}[i/3%3])
		fmt.Fprintf(&text, "the %s %s in the %s\n", tool, []string{"lies", "hits", "cuts", "breaks"}[i%4], []string{"workshop", "wood", "bench"}[i/3%3])
	}
	file := filepath.Join(dir, "text.txt")
	check(os.WriteFile(file, []byte(text.String()), 0o666))
	b := build.New()
	b.Text, b.Dim, b.Clusters, b.SPPMI.Shift = corpus.Text{Files: []string{file}}, 8, 6, 1
	_, err = b.Run(context.Background(), filepath.Join(dir, "space"))
	check(err)
	space, err := cmdlib.Open(filepath.Join(dir, "space"), reference.New())
	check(err)
	defer space.Close()

	occurrences, err := corpus.FindOccurrences([]string{"A sea lion eats in the grass.", "The sea lion sleeps, or it hunts."}, "sea lion")
	check(err)
	estimate, err := space.Estimate(occurrences)
	check(err)
	learned := space.Learn(map[string]*cmdlib.Estimate{"sea lion": estimate})
	for _, word := range []string{"wolf", "hammer"} {
		far, err := learned.Compare(context.Background(), "sea lion", word)
		check(err)
		fmt.Printf("%s: near %v\n", word, far.Cost < 0.5)
	}
	// Output:
	// wolf: near true
	// hammer: near false
}
