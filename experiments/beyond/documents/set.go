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

// set is a set of documents by their words.
type set struct {
	profile.DocumentSet
	classes []int // of the documents
	test    []bool
	// published tells that test is the published split.
	published bool
	documents [][]int32 // ids of words, in order
	words     []string
	frequency []int     // documents that have the word
	ids       []int32   // of the space; −1 of words without a vector
	kept      [][]int32 // documents by the words that have a vector, the heaviest ones
	first     []bool    // documents that are not an earlier one's words again
}

// read reads the documents of a set.
func read(ctx context.Context, w *pipeline.Workspace, space *cmdlib.Space, of profile.DocumentSet) (*set, error) {
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
	stop := map[string]bool{}
	if of.StopWords {
		path, err := w.File(ctx, w.Profile.Documents.StopWords)
		if err != nil {
			return nil, err
		}
		words, err := dataset.ReadWordList(path)
		if err != nil {
			return nil, pipeline.DataError(err)
		}
		for _, word := range words {
			stop[word] = true
		}
	}
	if of.Most > 0 && len(list) > of.Most {
		at := rand.New(rand.NewPCG(pipeline.Seed(w.Profile.Seed, "documents of "+of.Name), 0)).Perm(len(list))[:of.Most]
		slices.Sort(at)
		drawn := make([]dataset.Document, len(at))
		for i, d := range at {
			drawn[i] = list[d]
		}
		list = drawn
	}
	s := &set{DocumentSet: of, published: published}
	classes, words, seen := map[string]int{}, map[string]int32{}, map[string]bool{}
	for _, d := range list {
		if _, ok := classes[d.Class]; !ok {
			classes[d.Class] = len(classes)
		}
		s.classes, s.test = append(s.classes, classes[d.Class]), append(s.test, d.Test)
		var ids []int32
		for _, word := range corpus.Tokenise(d.Text) {
			if stop[word] || !strings.ContainsFunc(word, letter) {
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
		sorted := slices.Clone(ids)
		slices.Sort(sorted)
		for _, id := range slices.Compact(slices.Clone(sorted)) {
			s.frequency[id]++
		}
		key := fmt.Sprint(sorted)
		s.first, seen[key] = append(s.first, !seen[key]), true
	}
	vector := make([]float32, space.Dim)
	for _, word := range s.words {
		id, ok := space.ID(word)
		if !ok || !space.Vector(vector, id) {
			id = -1
		}
		s.ids = append(s.ids, id)
	}
	for _, words := range s.documents {
		s.kept = append(s.kept, s.heaviest(words, w.Profile.Documents.Words))
	}
	return s, nil
}

// heaviest are the occurrences of words with a vector, of the n different ones with the largest mass by IDF.
func (s *set) heaviest(words []int32, n int) (kept []int32) {
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
	if n > 0 && len(known) > n {
		slices.SortFunc(known, func(a, b int32) int { return cmp.Or(cmp.Compare(mass[b], mass[a]), cmp.Compare(a, b)) })
		for _, word := range known[n:] {
			delete(mass, word)
		}
	}
	for _, word := range words {
		if _, ok := mass[word]; ok {
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

// bags are the documents' words, each weighing 1, or its idf: those that are kept, unless every one is wanted.
func (s *set) bags(idf, every bool) []knn.Bag {
	bags := make([]knn.Bag, len(s.documents))
	of := s.kept
	if every {
		of = s.documents
	}
	for i, words := range of {
		bags[i] = knn.NewBag(words, func(word int32) float64 {
			if idf {
				return s.idf(word)
			}
			return 1
		})
	}
	return bags
}

// split says which documents are for training, for validation and for test; those left out are for nothing.
type split struct{ train, validation, test []int }

// splits are the published one, or random ones, of the documents that keep is true of.
func (s *set) splits(d profile.Documents, seed uint64, keep func(i int) bool) (all []split) {
	n := d.Splits
	if s.published {
		n = 1
	}
	for k := range n {
		random := rand.New(rand.NewPCG(pipeline.Seed(seed, "split of "+s.Name), uint64(k)))
		order := random.Perm(len(s.documents))
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

// search says what neighbours splits need: those of all documents, or of a published test part in the other.
func (s *set) search(d profile.Documents, seed uint64) knn.Search {
	search := knn.Search{K: d.Depth}
	if !s.published {
		for i := range s.documents {
			search.Queries, search.Among = append(search.Queries, i), append(search.Among, i)
		}
		return search
	}
	for _, keep := range []func(int) bool{func(int) bool { return true }, s.unique} {
		for _, of := range s.splits(d, seed, keep) {
			search.Queries = slices.Concat(search.Queries, of.validation, of.test)
		}
	}
	slices.Sort(search.Queries)
	search.Queries = slices.Compact(search.Queries)
	for i, test := range s.test {
		if !test {
			search.Among = append(search.Among, i)
		}
	}
	return search
}

// unique tells that a document's words are not those of an earlier one.
func (s *set) unique(i int) bool { return s.first[i] }
