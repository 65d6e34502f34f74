// Command groups measures how well the groups of repro cluster are the topics of documents, by each method: the
// adjusted Rand index of the groups with the documents' classes, as many groups as there are classes. It prints a table
// in Markdown.
//
//	go run ./bench/groups -space NAME|DIR|FILE -data DIR
//
// It takes the documents for training, or the first half of a random order (seed 1) of sets without a published split.
// Of these, it draws 5 times 200 documents; intervals are of the mean over the draws.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/english"
	"contextmover/cmdlib/groups"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/score"
	"contextmover/experiments/dataset"
	"contextmover/experiments/profile"
)

const draws, drawn = 5, 200

func main() {
	space := flag.String("space", english.Name, "the built-in space, or a folder or file of a space")
	data := flag.String("data", os.Getenv("CONTEXTMOVER_DATA"), "folder of real data")
	sets := flag.String("sets", "twitter,bbcsport,R8,classic", "sets of the profile documents")
	methods := flag.String("methods", "sif,average,comb", "methods")
	words := flag.Int("words", 50, "words of a document that are taken, the first ones")
	flag.Parse()
	if err := run(context.Background(), *space, *data, *sets, *methods, *words); err != nil {
		fmt.Fprintln(os.Stderr, "groups:", err)
		os.Exit(1)
	}
}

func open(name string) (*cmdlib.Space, error) {
	if name == english.Name {
		return english.Open(cpu.New())
	}
	return cmdlib.Open(name, cpu.New())
}

func run(ctx context.Context, name, data, sets, methods string, words int) error {
	space, err := open(name)
	if err != nil {
		return err
	}
	defer space.Close()
	p, err := profile.Load("documents", nil)
	if err != nil {
		return err
	}
	fmt.Printf("adjusted Rand index × 100, mean of %d draws of %d documents, their first %d words\n\n",
		draws, drawn, words)
	fmt.Printf("| | classes | %s |\n|:--|--:|%s\n", strings.ReplaceAll(methods, ",", " | "),
		strings.Repeat("--:|", 1+strings.Count(methods, ",")))
	for _, set := range p.Documents.Sets {
		if !strings.Contains(","+sets+",", ","+set.Name+",") {
			continue
		}
		documents, err := training(data, set)
		if err != nil {
			return err
		}
		if err := row(ctx, space, set.Name, documents, strings.Split(methods, ","), words); err != nil {
			return err
		}
	}
	return nil
}

// training returns the documents that methods may be chosen on.
func training(data string, set profile.DocumentSet) ([]dataset.Document, error) {
	var files []string
	for _, f := range set.Files {
		files = append(files, filepath.Join(data, f))
	}
	all, published, err := dataset.ReadDocuments(set.Format, files)
	if err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(1, 1))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if !published {
		return all[:len(all)/2], nil
	}
	var of []dataset.Document
	for _, d := range all {
		if !d.Test {
			of = append(of, d)
		}
	}
	return of, nil
}

// row prints a row of the table: of each method the mean index, and behind the first one how much more it has than
// that one.
func row(
	ctx context.Context, space *cmdlib.Space, set string, documents []dataset.Document, methods []string, words int,
) error {
	classes := make(map[string]int)
	for _, d := range documents {
		if _, ok := classes[d.Class]; !ok {
			classes[d.Class] = len(classes)
		}
	}
	index := make([][]float64, len(methods))
	random := rand.New(rand.NewPCG(2, 2))
	for range draws {
		var texts []string
		var tags []int
		for _, i := range random.Perm(len(documents))[:min(drawn, len(documents))] {
			tokens := corpus.Tokenise(documents[i].Text)
			texts = append(texts, strings.Join(tokens[:min(words, len(tokens))], " "))
			tags = append(tags, classes[documents[i].Class])
		}
		for m, method := range methods {
			x, err := agreement(ctx, space, texts, tags, len(classes), method)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", set, method, err)
			}
			index[m] = append(index[m], 100*x)
		}
	}
	fmt.Printf("| %s | %d |", set, len(classes))
	for m := range methods {
		mean, low, high := interval(index[m], nil)
		fmt.Printf(" %.1f [%.1f, %.1f]", mean, low, high)
		if m > 0 {
			mean, low, high = interval(index[0], index[m])
			fmt.Printf(", −%s %.1f [%.1f, %.1f]", methods[0], -mean, -high, -low)
		}
		fmt.Print(" |")
	}
	fmt.Println()
	return nil
}

// agreement is that of the groups of some texts with their classes. Texts without a known word are left out.
func agreement(
	ctx context.Context, space *cmdlib.Space, texts []string, tags []int, k int, method string,
) (float64, error) {
	with, err := space.Asked(cmdlib.Override{Method: method}, cpu.New())
	if err != nil {
		return 0, err
	}
	found, err := groups.Sentences(ctx, with, texts, k)
	if err != nil {
		return 0, err
	}
	var a, b []int
	for g, group := range found.Groups {
		for _, i := range group.Members {
			a, b = append(a, g), append(b, tags[i])
		}
	}
	return score.AdjustedRand(a, b), nil
}

// interval is the mean of x − y (y nil for 0) over draws, with its 95 % interval by Student's t.
func interval(x, y []float64) (mean, low, high float64) {
	const t = 2.776 // of draws − 1 degrees of freedom
	difference := slices.Clone(x)
	if y != nil {
		floats.Sub(difference, y)
	}
	mean, deviation := stat.MeanStdDev(difference, nil)
	half := t * deviation / math.Sqrt(float64(len(difference)))
	return mean, mean - half, mean + half
}
