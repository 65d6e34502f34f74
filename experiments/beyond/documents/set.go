package documents

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/experiments/beyond/documents/knn"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/internal/elementary"
)

// set is a set of documents by their words, and what neighbours are found of.
type set struct {
	*pipeline.Workspace
	profile.DocumentSet
	space   *cmdlib.Space
	classes []int // of the documents
	test    []bool
	// published tells that test is the published split.
	published bool
	documents [][]int32 // ids of words, in order
	words     []string
	frequency []int     // documents that have the word
	ids       []int32   // of the space; −1 of words without a vector
	known     []int     // words with a vector
	kept      [][]int32 // documents by the words that have a vector, the heaviest ones
	first     []bool    // documents that are not an earlier one's words again
	search    knn.Search
}

// read reads the documents of a set.
func read(ctx context.Context, w *pipeline.Workspace, space *cmdlib.Space, of profile.DocumentSet) (*set, error) {
	s := &set{Workspace: w, DocumentSet: of, space: space}
	var files []string
	for _, f := range of.Paths() {
		path, err := w.File(ctx, f)
		if err != nil {
			return nil, err
		}
		files = append(files, path)
	}
	list, published, err := dataset.ReadDocuments(of.Format, files)
	if err != nil {
		return nil, pipeline.DataError(err)
	}
	s.published = published
	var stop []string
	if of.StopWords {
		path, err := w.File(ctx, w.Profile.Documents.StopWords)
		if err == nil {
			stop, err = dataset.ReadWordList(path)
		}
		if err != nil {
			return nil, pipeline.DataError(err)
		}
	}
	if of.Most > 0 && len(list) > of.Most {
		at := s.random("documents", 0).Perm(len(list))[:of.Most]
		slices.Sort(at)
		for i, d := range at {
			list[i] = list[d]
		}
		list = list[:of.Most]
	}

	classes, words, seen := map[string]int{}, map[string]int32{}, map[string]bool{}
	for _, d := range list {
		if _, ok := classes[d.Class]; !ok {
			classes[d.Class] = len(classes)
		}
		s.classes, s.test = append(s.classes, classes[d.Class]), append(s.test, d.Test)
		var ids []int32
		for _, word := range corpus.Tokenise(d.Text) {
			if slices.Contains(stop, word) || !strings.ContainsFunc(word, letter) {
				continue
			}
			id, ok := words[word]
			if !ok {
				id = int32(len(s.words))
				words[word], s.words, s.frequency = id, append(s.words, word), append(s.frequency, 0)
			}
			ids = append(ids, id)
		}
		s.documents = append(s.documents, ids)
		sorted := slices.Sorted(slices.Values(ids))
		key := fmt.Sprint(sorted)
		s.first, seen[key] = append(s.first, !seen[key]), true
		for _, id := range slices.Compact(sorted) {
			s.frequency[id]++
		}
	}
	vector := make([]float32, space.Dim)
	for i, word := range s.words {
		id, ok := space.ID(word)
		if ok = ok && space.Vector(vector, id); ok {
			s.known = append(s.known, i)
		} else {
			id = -1
		}
		s.ids = append(s.ids, id)
	}
	for _, words := range s.documents {
		s.kept = append(s.kept, s.heaviest(words))
	}
	s.search = s.needed()
	return s, nil
}

// share is that of occurrences of words with a vector.
func (s *set) share() float64 {
	known, total := 0, 0
	for _, words := range s.documents {
		for _, word := range words {
			if total++; s.ids[word] >= 0 {
				known++
			}
		}
	}
	return float64(known) / float64(total)
}

// heaviest are the occurrences of words with a vector, of the different ones that the profile keeps: those with the
// largest mass by IDF.
func (s *set) heaviest(words []int32) (kept []int32) {
	mass := map[int32]float64{}
	var known []int32
	for _, word := range words {
		if s.ids[word] < 0 {
			continue
		}
		if _, seen := mass[word]; !seen {
			known = append(known, word)
		}
		mass[word] += s.idf(word)
	}
	if n := s.Profile.Documents.Words; n > 0 && len(known) > n {
		slices.SortFunc(known, func(a, b int32) int { return cmp.Or(cmp.Compare(mass[b], mass[a]), cmp.Compare(a, b)) })
		known = known[:n]
	}
	for _, word := range words {
		if slices.Contains(known, word) {
			kept = append(kept, word)
		}
	}
	return kept
}

func letter(r rune) bool { return 'a' <= r && r <= 'z' || r > 127 }

// idf is log(N/n) of a word that n of N documents have.
func (s *set) idf(word int32) float64 {
	return elementary.Log(float64(len(s.documents)) / float64(s.frequency[word]))
}

// bags are the documents' words, each weighing 1, or its idf.
func (s *set) bags(documents [][]int32, idf bool) (bags []knn.Bag) {
	weight := func(int32) float64 { return 1 }
	if idf {
		weight = s.idf
	}
	for _, words := range documents {
		bags = append(bags, knn.NewBag(words, weight))
	}
	return bags
}

// seed is that of a random stream for the set.
func (s *set) seed(stream string) uint64 { return pipeline.Seed(s.Profile.Seed, stream+" of "+s.Name) }

func (s *set) random(stream string, number int) *rand.Rand {
	return rand.New(rand.NewPCG(s.seed(stream), uint64(number)))
}

// split says which documents are for training, for validation and for test; those left out are for nothing.
type split struct{ train, validation, test []int }

// splits are the published one, or random ones, of the documents that keep is true of.
func (s *set) splits(keep func(i int) bool) (all []split) {
	d := s.Profile.Documents
	n := d.Splits
	if s.published {
		n = 1
	}
	for k := range n {
		order := s.random("split", k).Perm(len(s.documents))
		held := int(d.Test * float64(len(order)))
		var of split
		var rest []int
		for at, i := range order {
			switch {
			case !keep(i):
			case s.published && s.test[i] || !s.published && at < held:
				of.test = append(of.test, i)
			default:
				rest = append(rest, i)
			}
		}
		n := int(d.Validation * float64(len(rest)))
		of.validation, of.train = rest[:n], rest[n:]
		slices.Sort(of.test)
		all = append(all, of)
	}
	return all
}

// needed says what neighbours splits need: those of all documents, or of a published test part in the other.
func (s *set) needed() knn.Search {
	search := knn.Search{K: s.Profile.Documents.Depth}
	for i, test := range s.test {
		if !s.published {
			search.Queries = append(search.Queries, i)
		}
		if !s.published || !test {
			search.Among = append(search.Among, i)
		}
	}
	if s.published {
		for _, of := range slices.Concat(s.splits(func(int) bool { return true }), s.splits(s.unique)) {
			search.Queries = slices.Concat(search.Queries, of.validation, of.test)
		}
		slices.Sort(search.Queries)
		search.Queries = slices.Compact(search.Queries)
	}
	return search
}

// unique tells that a document's words are not those of an earlier one.
func (s *set) unique(i int) bool { return s.first[i] }
