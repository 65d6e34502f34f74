// This program asks the built-in English space, makes a space of a small text, and asks that for distances,
// neighbours, scores, explanations, search and senses. It lies in a module of its own:
// copy the folder, and let the replace line of go.mod name the place of the library.
package main

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
	"contextmover/cmdlib/english"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/search"
	"contextmover/cmdlib/usage"
)

// story returns a text about animals, which are kept and eat, and music, which is played and sung. With played, it is
// played what the horse was: the word is used as those of music are.
func story(played bool) string {
	var text strings.Builder
	for i := range 60 {
		animal := []string{"dog", "cat", "horse"}[i%3]
		music := []string{"song", "tune", "melody"}[i/3%3]
		if played && animal == "horse" {
			animal, music = "dog", "horse"
		}
		fmt.Fprintf(&text, "the %s eats its food and sleeps in the barn .\n", animal)
		fmt.Fprintf(&text, "the farmer feeds the hungry %s near the barn .\n", animal)
		fmt.Fprintf(&text, "the band plays a lovely %s on the stage .\n", music)
		fmt.Fprintf(&text, "the singer sings a loud %s with the guitar .\n", music)
	}
	return text.String()
}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	if err := askEnglish(ctx); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var texts [2]corpus.Text
	for i, name := range []string{"story.txt", "later.txt"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(story(i == 1)), 0o666); err != nil {
			return err
		}
		texts[i] = corpus.Text{Files: []string{path}}
	}

	// From text to a space, which is one file.
	b := build.New()
	b.Text = texts[0]
	b.MinCount, b.Dim, b.Clusters, b.SPPMI.Shift = 5, 8, 6, 1
	path := filepath.Join(dir, "my.space")
	summary, err := b.Run(ctx, path)
	if err != nil {
		return err
	}
	fmt.Printf("%d words in %d contexts\n", summary.WithEstimate, summary.Clusters)
	space, err := cmdlib.Open(path, cpu.New())
	if err != nil {
		return err
	}
	defer space.Close()

	for _, ask := range []func() error{
		func() error { return compare(ctx, space) },
		func() error { return score(ctx, space) },
		func() error { return find(ctx, space, filepath.Join(dir, "my.index"), texts[0]) },
		func() error { return sensesOf(ctx, space, "song", texts[0]) },
	} {
		if err := ask(); err != nil {
			return err
		}
	}
	return nil
}

// askEnglish asks the space that is built in.
func askEnglish(ctx context.Context) error {
	space, err := english.Open(cpu.New())
	if err != nil {
		return err
	}
	defer space.Close()
	found, err := space.Neighbours(ctx, "elephant", 3)
	if err != nil {
		return err
	}
	fmt.Print("nearest to elephant:")
	for _, n := range found.Nearest {
		fmt.Print(" ", n.Word)
	}
	fmt.Println()
	return nil
}

// compare prints distances of words and texts, neighbours, and which contexts move where.
func compare(ctx context.Context, space *cmdlib.Space) error {
	for _, pair := range []cmdlib.Pair{
		{A: "dog", B: "cat"}, {A: "dog", B: "song"}, {A: "the dog eats", B: "the singer sings a song"},
	} {
		d, err := space.Compare(ctx, pair.A, pair.B)
		if err != nil {
			return err
		}
		fmt.Printf("%s – %s: %.2f\n", pair.A, pair.B, d.Distance)
	}
	found, err := space.Neighbours(ctx, "song", 2)
	if err != nil {
		return err
	}
	fmt.Print("nearest to song:")
	for _, n := range found.Nearest {
		fmt.Print(" ", n.Word)
	}
	fmt.Println()
	explanation, err := space.ByTransport().Explain(ctx, "dog", "song", 3)
	if err != nil {
		return err
	}
	fmt.Printf("dog to song, mass that stays: %.2f, largest flows: %d\n", explanation.Stays, len(explanation.Flows))
	return nil
}

// score prints which of two pairs of sentences is more similar.
func score(ctx context.Context, space *cmdlib.Space) error {
	distances, err := space.ByTransport().Distances(ctx, []cmdlib.Pair{
		{A: "a cat sleeps", B: "the horse eats"}, {A: "a cat sleeps", B: "a loud tune"},
	})
	if err != nil {
		return err
	}
	fmt.Printf("the first pair is more similar: %t\n", distances[0] < distances[1])
	return nil
}

// find makes an index of a text and searches it.
func find(ctx context.Context, space *cmdlib.Space, path string, text corpus.Text) error {
	if _, err := search.Write(ctx, path, space, text, "", nil); err != nil {
		return err
	}
	index, err := search.Open(path, space)
	if err != nil {
		return err
	}
	defer index.Close()
	found, err := index.Search(ctx, "the band plays", search.Options{N: 1})
	if err != nil {
		return err
	}
	for _, hit := range found.Nearest {
		fmt.Println("found:", hit.Text)
	}
	return nil
}

// sensesOf prints how many senses a word has in a text.
func sensesOf(ctx context.Context, space *cmdlib.Space, word string, text corpus.Text) error {
	occurrences, _, err := text.Occurrences(ctx, []string{word}, usage.MostOccurrences, nil)
	if err != nil {
		return err
	}
	found, err := usage.FindSenses(ctx, space, occurrences[0], 2)
	if err != nil {
		return err
	}
	fmt.Printf("senses of %s: %d\n", word, len(found.Senses))
	return nil
}
