package miniworld

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"contextmover/experiments/harness/miniworld/lexicon"
	"contextmover/internal/disk"
)

const (
	// DefaultSeed and DefaultTokens make the world that every command uses by default.
	DefaultSeed   = 1
	DefaultTokens = 2_500_000
	// Version changes whenever the same seed makes another world; it belongs in the
	// key of whatever is made from a world.
	Version = 2

	// listTokens is the length of the text that the list of frequencies is made from.
	listTokens = 400_000
)

// World is a generated corpus with its gold data and the truth behind them.
type World struct {
	// Corpus is tokenised, lower-case text, one sentence per line, tokens separated
	// by one space.
	Corpus []byte
	// Sentences are sets of sentence pairs, named by group and set; one group is for validation. Words and Hypernymy
	// are of words, as Graded is, with ratings from 0 to 6.
	Sentences, Words, Hypernymy []Set
	Graded                      []Pair
	// Frequencies are the words of another text than Corpus, the most frequent first: without
	// punctuation and without rare words.
	Frequencies []Frequency

	lexicon *lexicon.Lexicon
	senses  map[string][]sense
}

// Frequency is how often a word occurs in another text of the same world.
type Frequency struct {
	Word  string
	Count int
}

// Generate makes the world of a seed with a corpus of at least the given number of
// tokens (by less than one sentence more). The gold data and the list of frequencies depend on the seed alone.
// The same arguments give the same bytes on any machine.
func Generate(seed uint64, tokens int) *World {
	x, sums := lexicon.Load(), map[choice][]uint32{}
	stream := func(name string) *teller {
		h := fnv.New64a()
		h.Write([]byte(name))
		return &teller{x, rand.New(rand.NewPCG(seed, h.Sum64())), sums}
	}
	w := &World{lexicon: x, senses: allSenses(x)}
	text := func(name string, tokens int) []byte {
		return (&speaker{teller: stream(name), pronouns: true}).writeCorpus(tokens)
	}
	w.Corpus = text("corpus", tokens)
	w.Sentences = sentenceSets(stream)
	w.Words = wordSets(w, stream)
	w.Hypernymy = hypernymySets(w, stream)
	w.Graded = gradedPairs(w, stream)
	w.Frequencies = frequencies(text("frequencies", listTokens))
	return w
}

// frequencies counts the words of a text, and leaves out what lists of frequencies lack:
// punctuation and rare words.
func frequencies(text []byte) (list []Frequency) {
	const rare = 20
	counts := map[string]int{}
	for token := range bytes.FieldsSeq(text) {
		counts[string(token)]++
	}
	for word, n := range counts {
		if word[0] >= 'a' && n >= rare {
			list = append(list, Frequency{word, n})
		}
	}
	slices.SortFunc(list, func(a, b Frequency) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Word, b.Word))
	})
	return list
}

// Write writes the world into the folder dir, which is made if need be:
//
//	corpus.txt                 the corpus
//	sts/<group>/<set>.tsv      score<TAB>sentence<TAB>sentence
//	wordsim/<set>.txt          word<TAB>word<TAB>score
//	hypernymy/<set>.all        word<TAB>word<TAB>True|False<TAB>relation (HypEval's format)
//	hypernymy/hyperlex-mini.txt  HyperLex's format
//	frequencies/mini.txt       word<blank>count
func (w *World) Write(dir string) error {
	files := map[string][]byte{"corpus.txt": w.Corpus}
	print := func(name, format string, args ...any) {
		files[name] = fmt.Appendf(files[name], format, args...)
	}
	for _, set := range w.Sentences {
		for _, p := range set.Pairs {
			print("sts/"+set.Name+".tsv", "%v\t%s\t%s\n", p.Mean(), p.A, p.B)
		}
	}
	for _, set := range w.Words {
		for _, p := range set.Pairs {
			print("wordsim/"+set.Name+".txt", "%s\t%s\t%v\n", p.A, p.B, p.Mean())
		}
	}
	for _, set := range w.Hypernymy {
		for _, p := range set.Pairs {
			label := "False"
			if p.Relation == "hyper" {
				label = "True"
			}
			print("hypernymy/"+set.Name+".all", "%s\t%s\t%s\t%s\n", p.A, p.B, label, p.Relation)
		}
	}
	for _, f := range w.Frequencies {
		print("frequencies/mini.txt", "%s %d\n", f.Word, f.Count)
	}
	const graded = "hypernymy/hyperlex-mini.txt"
	print(graded, "WORD1 WORD2 POS TYPE AVG_SCORE AVG_SCORE_0_10 STD SCORES..\n")
	for _, p := range w.Graded {
		print(graded, "%s %s N %s %.2f %.2f %.2f %s\n", p.A, p.B, p.Relation, p.Mean(), p.Mean()*10/6, p.Deviation(),
			strings.Trim(fmt.Sprint(p.Ratings), "[]"))
	}
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		err := disk.MkdirAll(filepath.Dir(path))
		if err == nil {
			err = disk.WriteFile(path, content)
		}
		if err != nil {
			return fmt.Errorf("miniworld: %w", err)
		}
	}
	return nil
}
