package search_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/english"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/search"
)

// An index of a few sentences, and the nearest to a query: they share no word that tells anything.
func Example() {
	dir, err := os.MkdirTemp("", "search")
	check(err)
	defer os.RemoveAll(dir)
	text := filepath.Join(dir, "text")
	check(os.WriteFile(text, []byte("The court heard the case on Friday.\nA violin was played.\nHe painted the fence.\nShe bought potatoes.\n"), 0o666))
	space, err := english.Open(cpu.New())
	check(err)
	defer space.Close()
	ctx := context.Background()

	written, err := search.Write(ctx, filepath.Join(dir, "index"), space, corpus.Text{Files: []string{text}}, "", nil)
	check(err)
	index, err := search.Open(filepath.Join(dir, "index"), space)
	check(err)
	defer index.Close()
	found, err := index.Search(ctx, "an orchestra at the concert", search.Options{N: 1})
	check(err)
	fmt.Println(written.Total, "sentences; line", found.Nearest[0].Number, "is", found.Nearest[0].Text)
	// Output:
	// 4 sentences; line 2 is A violin was played.
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
