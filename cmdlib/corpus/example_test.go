package corpus_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"contextmover/cmdlib/corpus"
)

// How often words occur together, one apart weighing 1 and two apart 1/2. What occurs once is no word of the
// vocabulary, and is skipped: the dot is next to the dog.
func ExampleCount() {
	dir, err := os.MkdirTemp("", "corpus-")
	check(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "text.txt")
	check(os.WriteFile(path, []byte("The dog barks.\nThe dog sleeps.\n"), 0o666))
	text := corpus.Text{Files: []string{path}}
	words, _, err := corpus.BuildVocabulary(context.Background(), text, 2, nil)
	check(err)
	counts, stats, err := corpus.Count(context.Background(), text, words, 2, nil)
	check(err)
	fmt.Printf("%d tokens, words %q\n", stats.Tokens, words.Words)
	dog, _ := words.ID("dog")
	columns, values := counts.Row(int(dog))
	for i, c := range columns {
		fmt.Println("dog", words.Words[c], values[i])
	}
	// Output:
	// 8 tokens, words ["." "dog" "the"]
	// dog . 2
	// dog the 2
}

func ExampleTokenise() {
	fmt.Printf("%q\n", corpus.Tokenise("It's a dog, isn't it?"))
	// Output:
	// ["it" "'" "s" "a" "dog" "," "isn" "'" "t" "it" "?"]
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
