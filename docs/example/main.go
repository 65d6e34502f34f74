// This program makes a Space of a small text and asks it for distances, neighbours and the
// similarity of sentences. It lies in a module of its own: copy the folder, and let the replace line of
// go.mod name the place of the library.
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
	"contextmover/cmdlib/ot/cpu"
)

// story is a text about animals, which are kept and eat, and music, which is played and sung.
func story() string {
	var text strings.Builder
	for i := range 60 {
		animal := []string{"dog", "cat", "horse"}[i%3]
		music := []string{"song", "tune", "melody"}[i/3%3]
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
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	text := filepath.Join(dir, "story.txt")
	if err := os.WriteFile(text, []byte(story()), 0o666); err != nil {
		return err
	}

	// From text to a Space: a folder of plain files.
	b := build.New()
	b.Text = corpus.Text{Files: []string{text}}
	b.MinCount, b.Dim, b.Clusters, b.SPPMI.Shift = 5, 8, 6, 1
	folder := filepath.Join(dir, "space")
	summary, err := b.Run(ctx, folder)
	if err != nil {
		return err
	}
	fmt.Printf("%d words in %d contexts\n", summary.WithEstimate, summary.Clusters)

	space, err := cmdlib.Open(folder, cpu.New())
	if err != nil {
		return err
	}
	defer space.Close()

	// Distances of words and of sentences.
	for _, pair := range []cmdlib.Pair{{A: "dog", B: "cat"}, {A: "dog", B: "song"}, {A: "the dog eats", B: "the singer sings a song"}} {
		d, err := space.Distance(ctx, pair.A, pair.B)
		if err != nil {
			return err
		}
		fmt.Printf("%s – %s: %.2f\n", pair.A, pair.B, d.Cost)
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

	m, err := space.Method("average-mix")
	if err != nil {
		return err
	}
	scores, err := space.Score(ctx, []cmdlib.Pair{
		{A: "a cat sleeps", B: "the horse eats"}, {A: "a cat sleeps", B: "a loud tune"},
	}, m, nil)
	if err != nil {
		return err
	}
	fmt.Printf("the first pair is more similar: %t\n", scores.Value[0] > scores.Value[1])
	return nil
}
