package sentence_test

import (
	"context"
	"fmt"
	"log"

	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/sentence"
)

// The mean of (1, 0) and (0, 1) is at 45 degrees from (1, 0).
func ExampleVectorAverage() {
	method := sentence.VectorAverage{Points: sentence.Points{Vectors: []float32{1, 0, 0, 1}, Dim: 2}}
	scores, err := method.Score(context.Background(), []sentence.Pair{{A: sentence.Sentence{0}, B: sentence.Sentence{0, 1}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", scores.Value[0])
	// Output:
	// 0.707
}

// Half of the mass of the first sentence stays, the other half moves by 5.
func ExampleWordMover() {
	method := sentence.WordMover{Points: sentence.Points{Vectors: []float32{1, 0, 4, 4, 1, 1}, Dim: 2}}
	scores, err := method.Score(context.Background(), []sentence.Pair{{A: sentence.Sentence{0, 2}, B: sentence.Sentence{1, 2}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", -scores.Value[0])
	// Output:
	// 2.500
}

// Contexts are degrees on a thermometer. The barycenter of "cold hot" is "lukewarm": right if a sentence
// means what is in the middle of its words, and wrong if it means all that they do, as the average has it.
func ExampleTransport() {
	const cold, lukewarm, hot = 0, 2, 4
	g, err := ground.New([]float32{0, 1, 2, 3, 4}, 5, 1, ground.Params{Metric: ground.SquaredEuclidean, Normalisation: ground.None})
	if err != nil {
		log.Fatal(err)
	}
	// Word i occurs in context i alone.
	e := &estimate.Estimates{Histograms: ot.Histograms{K: 5, Data: make([]float32, 25)}, Known: []bool{true, true, true, true, true}}
	for i := range 5 {
		e.Row(i)[i] = 1
	}
	engine, settings := cpu.New(), ot.Settings{Reg: 0.1, MaxIter: 1000, Tol: 1e-6}
	for _, c := range []struct {
		name     string
		combiner sentence.Combiner
	}{
		{"barycenter", sentence.Barycenter{Estimates: e, Cost: g.Cost, Engine: engine, Settings: settings}},
		{"average", sentence.HistogramAverage{Estimates: e}},
	} {
		method := sentence.Transport{Combiner: c.combiner, Ground: g, Engine: engine, Settings: settings}
		scores, err := method.Score(context.Background(), []sentence.Pair{{A: sentence.Sentence{cold, hot}, B: sentence.Sentence{lukewarm}}})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %.1f\n", c.name, -scores.Value[0])
	}
	// Output:
	// barycenter: 0.0
	// average: 4.0
}
