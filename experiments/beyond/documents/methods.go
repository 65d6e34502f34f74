package documents

import (
	"context"
	"fmt"
	"math"
	"slices"

	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sentence"
	"contextmover/experiments/beyond/documents/knn"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/store"
)

// Thresholded names costs min(M, τ), in addition to those of method: true, shuffled and discrete ones.
const Thresholded = "thresholded"

// A Row is a way to find neighbours. Those of a family differ in their ground cost alone.
type Row struct {
	ID, Label, Block string
	Family, Geometry string // of rows that move something or compare as if all moves cost the same
	idf              bool   // words weigh by their idf
	contexts         bool   // takes histograms over contexts
	find             finder
}

// A finder returns the neighbours by a row, with a quantile of costs as threshold, and how many transport problems were
// solved.
type finder func(ctx context.Context, s *set, r Row, quantile float64) ([][]knn.Neighbour, int64, error)

// The blocks of rows.
const (
	bagsBlock     = "bags of words, L1 distance"
	vectorsBlock  = "vectors, cosine"
	wordsBlock    = "moved words, equal masses"
	idfBlock      = "moved words, IDF masses"
	contextsBlock = "moved contexts"
)

func rows() []Row {
	all := []Row{
		{ID: "bow", Label: "bag of words", Block: bagsBlock, Family: wordsBlock, Geometry: method.Discrete, find: bags},
		{ID: "tfidf", Label: "TF-IDF", Block: bagsBlock, Family: idfBlock, Geometry: method.Discrete, idf: true,
			find: bags},
		{ID: "bow-every", Label: "bag of words, all words", Block: bagsBlock, find: allBags},
		{ID: "tfidf-every", Label: "TF-IDF, all words", Block: bagsBlock, idf: true, find: allBags},
		{ID: "nbow", Label: "average", Block: vectorsBlock, find: vectors},
		{ID: "idf-average", Label: "average, IDF", Block: vectorsBlock, idf: true, find: vectors},
		{ID: "sif-pc", Label: "SIF + PC removed", Block: vectorsBlock, find: withoutComponent},
	}
	moved := func(id, label string, like Row, geometries ...string) {
		for _, like.Geometry = range geometries {
			like.ID, like.Label, like.Family = id+"-"+like.Geometry, label+", "+like.Geometry, like.Block
			all = append(all, like)
		}
	}
	moved("wmd", "WMD", Row{Block: wordsBlock, find: words}, method.TrueGeometry, method.Shuffled, Thresholded)
	moved("wmd-idf", "WMD, IDF", Row{Block: idfBlock, idf: true, find: words},
		method.TrueGeometry, method.Shuffled, Thresholded)
	moved("cmd", "average, IDF", Row{Block: contextsBlock, idf: true, contexts: true, find: contexts},
		method.TrueGeometry, method.Shuffled, method.Discrete, Thresholded)
	return append(all, Row{
		ID: "comb", Label: "CoMB, true", Block: contextsBlock, contexts: true, find: barycenters,
	})
}

func bags(ctx context.Context, s *set, r Row, _ float64) ([][]knn.Neighbour, int64, error) {
	found, err := s.search.Bags(ctx, s.bags(s.kept, r.idf))
	return found, 0, err
}

// allBags takes words without a vector, too, however many.
func allBags(ctx context.Context, s *set, r Row, _ float64) ([][]knn.Neighbour, int64, error) {
	found, err := s.search.Bags(ctx, s.bags(s.documents, r.idf))
	return found, 0, err
}

// vectors averages the words' vectors.
func vectors(ctx context.Context, s *set, r Row, _ float64) ([][]knn.Neighbour, int64, error) {
	return s.byCosine(ctx, s.means(r.idf, func(int32) float64 { return 1 }))
}

// withoutComponent averages the words' vectors with SIF's weights a/(a + p), and removes the first component.
func withoutComponent(ctx context.Context, s *set, r Row, _ float64) ([][]knn.Neighbour, int64, error) {
	const a = 1e-3 // as its authors have it
	means := s.means(r.idf, func(word int32) float64 { return a / (a + s.space.Probability(s.ids[word])) })
	c, err := sentence.FitComponents(ctx, means, s.space.Dim, 1)
	if err != nil {
		return nil, 0, err
	}
	var dots []float64
	for row := range slices.Chunk(means, s.space.Dim) {
		dots = c.Remove(row, dots)
	}
	return s.byCosine(ctx, means)
}

// means are the weighted sums of each document's vectors, in rows.
func (s *set) means(idf bool, weight func(word int32) float64) []float64 {
	dim, vectors := s.space.Dim, s.wordVectors(false)
	means := make([]float64, len(s.documents)*dim)
	for i, b := range s.bags(s.kept, idf) {
		for j, word := range b.Words {
			share := b.Mass[j] * weight(word)
			for d, x := range vectors[int(word)*dim:][:dim] {
				means[i*dim+d] += float64(share * float64(x))
			}
		}
	}
	return means
}

// byCosine scales rows to length 1 and compares them.
func (s *set) byCosine(ctx context.Context, rows []float64) ([][]knn.Neighbour, int64, error) {
	scaled := make([]float32, 0, len(rows))
	for row := range slices.Chunk(rows, s.space.Dim) {
		square := 0.0
		for _, x := range row {
			square += float64(x * x)
		}
		for _, x := range row {
			if square > 0 {
				x /= math.Sqrt(square)
			}
			scaled = append(scaled, float32(x))
		}
	}
	found, err := s.search.Vectors(ctx, scaled, s.space.Dim)
	return found, 0, err
}

// wordVectors are those of the set's words, of length 1; zeros for words without. Shuffled, each has that of another.
func (s *set) wordVectors(shuffled bool) []float32 {
	dim := s.space.Dim
	from := make([]int, len(s.known))
	for i := range from {
		from[i] = i
	}
	if shuffled {
		from = s.random("shuffled words", 0).Perm(len(from))
	}
	vectors := make([]float32, len(s.words)*dim)
	for i, word := range s.known {
		s.space.Vector(vectors[word*dim:][:dim], s.ids[s.known[from[i]]])
	}
	return vectors
}

// sampledCosts is the number of pairs of words that quantiles of costs are taken of.
const sampledCosts = 100_000

// quantileOf is the cost that a share of the pairs of different words is at most apart.
func (s *set) quantileOf(vectors []float32, quantile float64) float64 {
	random, dim := s.random("sampled costs", 0), s.space.Dim
	var costs []float64
	for range sampledCosts {
		x, y := s.known[random.IntN(len(s.known))], s.known[random.IntN(len(s.known))]
		if x == y {
			continue
		}
		square := 0.0
		for d := range dim {
			e := float64(vectors[x*dim+d] - vectors[y*dim+d])
			square += float64(e * e)
		}
		costs = append(costs, math.Sqrt(square))
	}
	slices.Sort(costs)
	return costs[min(len(costs)-1, int(quantile*float64(len(costs))))]
}

func words(ctx context.Context, s *set, r Row, quantile float64) ([][]knn.Neighbour, int64, error) {
	w := knn.Words{Vectors: s.wordVectors(r.Geometry == method.Shuffled), Dim: s.space.Dim}
	if r.Geometry == Thresholded {
		w.Most = s.quantileOf(w.Vectors, quantile)
	}
	return s.search.Words(ctx, s.bags(s.kept, r.idf), w)
}

// averages are the documents' histograms over contexts, Σ mass·H(w) over the words that have one.
func (s *set) averages(idf bool) (ot.Histograms, error) {
	of, err := s.space.Histograms()
	if err != nil {
		return of, err
	}
	h := ot.Histograms{K: s.space.Cost.K, Data: make([]float32, len(s.documents)*s.space.Cost.K)}
	sum := make([]float64, h.K)
	for i, b := range s.bags(s.kept, idf) {
		clear(sum)
		total := 0.0
		for j, word := range b.Words {
			for k, x := range of.Row(int(s.ids[word])) {
				sum[k] += float64(b.Mass[j] * float64(x))
			}
		}
		for _, x := range sum {
			total += x
		}
		for k, x := range sum {
			if total > 0 {
				h.Row(i)[k] = float32(x / total)
			}
		}
	}
	return h, nil
}

// contexts moves averages by the space's cost, or compares them as if all moves cost the same.
func contexts(ctx context.Context, s *set, r Row, quantile float64) ([][]knn.Neighbour, int64, error) {
	h, err := s.averages(r.idf)
	if err != nil {
		return nil, 0, err
	}
	cost := s.space.Cost
	switch r.Geometry {
	case method.Discrete:
		bags := make([]knn.Bag, h.Len()) // bins for words
		for i := range bags {
			for k, x := range h.Row(i) {
				if x > 0 {
					bags[i].Words, bags[i].Mass = append(bags[i].Words, int32(k)), append(bags[i].Mass, float64(x))
				}
			}
		}
		found, err := s.search.Bags(ctx, bags)
		return found, 0, err
	case method.Shuffled:
		cost = method.Permute(cost, s.random("shuffled contexts", 0).Perm(cost.K))
	case Thresholded:
		cost = method.Threshold{Quantile: quantile}.Lower(cost)
	}
	return s.moved(ctx, h, cost)
}

func (s *set) moved(ctx context.Context, h ot.Histograms, cost ot.Cost) ([][]knn.Neighbour, int64, error) {
	return s.search.Histograms(ctx, s.Engine, &ot.Problem{Settings: s.space.Settings.Transport, Cost: cost, Rows: h})
}

// barycenters moves CoMB of the words, each weighing the same.
func barycenters(ctx context.Context, s *set, _ Row, _ float64) ([][]knn.Neighbour, int64, error) {
	of, err := s.space.Histograms()
	if err != nil {
		return nil, 0, err
	}
	e := &estimate.Estimates{Histograms: ot.Histograms{K: s.space.Cost.K}}
	for _, id := range s.ids {
		row := make([]float32, e.K)
		if id >= 0 {
			copy(row, of.Row(int(id)))
		}
		e.Data, e.Known = append(e.Data, row...), append(e.Known, slices.Max(row) > 0)
	}
	texts := make([]sentence.Sentence, len(s.documents))
	for i, words := range s.kept {
		texts[i] = words
	}
	b := sentence.Barycenter{
		Estimates: e, Cost: s.space.Cost, Engine: s.Engine, Settings: s.space.Settings.Transport,
	}
	h, err := b.Combine(ctx, texts)
	if err != nil {
		return nil, 0, err
	}
	return s.moved(ctx, h, s.space.Cost)
}

// found are the neighbours of the queries, Depth indices each, −1 behind the last.
type found struct {
	Index []int32
	Cost  cost
}

// cost is how much was computed.
type cost struct {
	Pairs  int64 `json:"pairs"`
	Solved int64 `json:"solved"`
}

// node finds the neighbours of a row of a set, once.
func (s *set) node(r Row, quantile float64) store.Node[found] {
	d := s.Profile.Documents
	inputs := []store.Input{store.Key(s.space.Identity())}
	for _, f := range s.Files { // a collection by its table, which has the checksums of its files
		inputs = append(inputs, s.FileInput(f))
	}
	if s.StopWords {
		inputs = append(inputs, s.FileInput(d.StopWords))
	}
	of := s.DocumentSet
	of.Files, of.Contexts = nil, false
	version := 2 // Tokenise writes the documents' words in lower case
	if r.contexts {
		version = 3 // each two documents once, not those that bounds leave; barycenters of ordered words
	}
	return store.Node[found]{
		Name: "document-neighbours", Version: version, Inputs: inputs, Subject: s.Name + ", " + r.ID,
		Params: struct {
			Set              any
			Row              string
			Quantile         float64
			Depth, Words     int
			Test, Validation float64
			Seed             uint64
		}{of, r.ID, quantile, d.Depth, d.Words, d.Test, d.Validation, s.Profile.Seed},
		Parts: func(f *found) []store.Part {
			return []store.Part{store.Array("index.npy", &f.Index), store.JSON("cost.json", &f.Cost)}
		},
		Make: func(ctx context.Context) (f found, err error) {
			_, finish := s.Step(fmt.Sprintf("neighbours, %s, %s %g", s.Name, r.ID, quantile))
			defer finish()
			all, solved, err := r.find(ctx, s, r, quantile)
			if err != nil {
				return f, fmt.Errorf("documents: %s, %s: %w", s.Name, r.ID, err)
			}
			f.Cost = cost{int64(len(s.search.Queries)) * int64(len(s.search.Among)), solved}
			for _, list := range all {
				row := slices.Repeat([]int32{-1}, d.Depth)
				for n, neighbour := range list {
					row[n] = int32(neighbour.Index)
				}
				f.Index = append(f.Index, row...)
			}
			return f, nil
		},
	}
}
