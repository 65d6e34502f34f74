package miniworld

import (
	"bufio"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"strconv"

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
	Corpus    []byte
	Sentences int
	Tokens    int
	// SentenceGroups are the sets of sentence pairs; one group is for validation.
	SentenceGroups []SentenceGroup
	WordSets       []WordSet
	HypernymySets  []HypernymySet
	Graded         []GradedPair
	// Frequencies are the words of another text than Corpus, the most frequent first: without
	// punctuation and without rare words.
	Frequencies []Frequency

	lexicon *lexicon.Lexicon
	senses  map[string][]Sense
}

// Generate makes the world of a seed with a corpus of at least the given number of
// tokens (by less than one sentence more). The gold data and the list of frequencies depend on the seed alone.
// The same arguments give the same bytes on any machine.
//
// It returns an error if tokens < 1, or if an embedded word list is at fault: with
// file, line and what was expected.
func Generate(seed uint64, tokens int) (*World, error) {
	return generateFrom(lexicon.Words, seed, tokens)
}

func generateFrom(files fs.FS, seed uint64, tokens int) (*World, error) {
	if tokens < 1 {
		return nil, fmt.Errorf("miniworld: %d tokens, expected at least 1", tokens)
	}
	x, err := lexicon.Load(files)
	if err != nil {
		return nil, err
	}
	t, err := newTables(x)
	if err != nil {
		return nil, err
	}
	stream := func(name string) *teller {
		h := fnv.New64a()
		h.Write([]byte(name))
		return &teller{x, t, rand.New(rand.NewPCG(seed, h.Sum64()))}
	}
	w := &World{lexicon: x, senses: allSenses(x)}
	corpus := &speaker{teller: stream("corpus"), pronouns: true}
	w.Corpus, w.Sentences, w.Tokens = corpus.writeCorpus(tokens)
	w.SentenceGroups = sentenceGroups(stream)
	w.WordSets = wordSets(w, stream)
	w.HypernymySets = hypernymySets(w, stream)
	w.Graded = gradedPairs(w, stream)
	other, _, _ := (&speaker{teller: stream("frequencies"), pronouns: true}).writeCorpus(listTokens)
	w.Frequencies = frequencies(other)
	return w, nil
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
	if err := write(dir, "corpus.txt", func(f *bufio.Writer) { f.Write(w.Corpus) }); err != nil {
		return err
	}
	for _, g := range w.SentenceGroups {
		for _, set := range g.Sets {
			err := write(dir, "sts/"+g.Name+"/"+set.Name+".tsv", func(f *bufio.Writer) {
				for _, p := range set.Pairs {
					fmt.Fprintf(f, "%s\t%s\t%s\n", decimal(p.Score), p.A, p.B)
				}
			})
			if err != nil {
				return err
			}
		}
	}
	for _, set := range w.WordSets {
		err := write(dir, "wordsim/"+set.Name+".txt", func(f *bufio.Writer) {
			for _, p := range set.Pairs {
				fmt.Fprintf(f, "%s\t%s\t%s\n", p.A, p.B, decimal(p.Score))
			}
		})
		if err != nil {
			return err
		}
	}
	for _, set := range w.HypernymySets {
		err := write(dir, "hypernymy/"+set.Name+".all", func(f *bufio.Writer) {
			for _, p := range set.Pairs {
				label := "False"
				if p.Hypernym {
					label = "True"
				}
				fmt.Fprintf(f, "%s\t%s\t%s\t%s\n", p.A, p.B, label, p.Relation)
			}
		})
		if err != nil {
			return err
		}
	}
	err := write(dir, "frequencies/mini.txt", func(f *bufio.Writer) {
		for _, w := range w.Frequencies {
			fmt.Fprintf(f, "%s %d\n", w.Word, w.Count)
		}
	})
	if err != nil {
		return err
	}
	return write(dir, "hypernymy/hyperlex-mini.txt", func(f *bufio.Writer) {
		fmt.Fprintln(f, "WORD1 WORD2 POS TYPE AVG_SCORE AVG_SCORE_0_10 STD SCORES..")
		for _, p := range w.Graded {
			fmt.Fprintf(f, "%s %s N %s %.2f %.2f %.2f", p.A, p.B, p.Relation, p.Mean(), p.Mean()*10/6, p.Deviation())
			for _, r := range p.Ratings {
				fmt.Fprintf(f, " %d", r)
			}
			fmt.Fprintln(f)
		}
	})
}

// decimal prints a mean of ratings: they have one decimal place.
func decimal(v float64) string {
	s := strconv.FormatFloat(v, 'f', 1, 64)
	if s[len(s)-2:] == ".0" {
		return s[:len(s)-2]
	}
	return s
}

func write(dir, name string, f func(*bufio.Writer)) error {
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := disk.MkdirAll(filepath.Dir(path)); err != nil {
		return fmt.Errorf("miniworld: %w", err)
	}
	file, err := disk.Create(path)
	if err != nil {
		return fmt.Errorf("miniworld: %w", err)
	}
	b := bufio.NewWriterSize(file, 1<<16)
	f(b)
	if err := b.Flush(); err != nil {
		file.Close()
		return fmt.Errorf("miniworld: %s: %w", path, err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("miniworld: %w", err)
	}
	return nil
}
