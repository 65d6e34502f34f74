package documents

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"contextmover/cmdlib"
	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sentence"
	"contextmover/experiments/beyond/documents/knn"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/store"
)

// Thresholded names costs min(M, τ), in addition to those of method: true, shuffled and discrete ones.
const Thresholded = "thresholded"

// A Row is a way to find neighbours. Those of a family differ in their ground cost alone.
type Row struct {
	ID, Label, Block string
	Family, Geometry string // of rows that move something or compare as if all moves cost the same
	// idf tells that words weigh by their idf, every that words without a vector count too.
	idf, every bool
	contexts   bool // takes histograms over contexts
	find       func(ctx context.Context, s *sources, r Row, quantile float64) ([][]knn.Neighbour, int64, error)
}

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
		{ID: "bow-every", Label: "bag of words, all words", Block: bagsBlock, every: true, find: bags},
		{ID: "tfidf-every", Label: "TF-IDF, all words", Block: bagsBlock, idf: true, every: true, find: bags},
		{ID: "nbow", Label: "average", Block: vectorsBlock, find: vectors(false)},
		{ID: "idf-average", Label: "average, IDF", Block: vectorsBlock, idf: true, find: vectors(false)},
		{ID: "sif-pc", Label: "SIF + PC removed", Block: vectorsBlock, find: vectors(true)},
	}
	for _, idf := range []bool{false, true} {
		id, label, block := "wmd", "WMD", wordsBlock
		if idf {
			id, label, block = "wmd-idf", "WMD, IDF", idfBlock
		}
		for _, g := range []string{method.TrueGeometry, method.Shuffled, Thresholded} {
			all = append(all, Row{
				ID: id + "-" + g, Label: label + ", " + g, Block: block, Family: block, Geometry: g, idf: idf,
				find: words,
			})
		}
	}
	for _, g := range []string{method.TrueGeometry, method.Shuffled, method.Discrete, Thresholded} {
		all = append(all, Row{
			ID: "cmd-" + g, Label: "average, IDF, " + g, Block: contextsBlock, Family: contextsBlock, Geometry: g,
			idf:      true,
			contexts: true, find: contexts,
		})
	}
	return append(all, Row{
		ID: "comb", Label: "CoMB, true", Block: contextsBlock, contexts: true, find: barycenters,
	})
}

func rowIDs() string {
	var ids []string
	for _, r := range rows() {
		ids = append(ids, r.ID)
	}
	return strings.Join(ids, ", ")
}

// sources are what rows find neighbours of.
type sources struct {
	*set
	space  *cmdlib.Space
	search knn.Search
	seed   uint64
	engine ot.Engine
}

func bags(ctx context.Context, s *sources, r Row, _ float64) ([][]knn.Neighbour, int64, error) {
	found, err := s.search.Bags(ctx, s.bags(r.idf, r.every))
	return found, 0, err
}

// sifA is a of SIF's weights a/(a + p), as its authors have it.
const sifA = 1e-3

// vectors averages the words' vectors, with idf or, where the first component is removed, SIF's weights.
func vectors(sif bool) func(ctx context.Context, s *sources, r Row, _ float64) ([][]knn.Neighbour, int64, error) {
	return func(ctx context.Context, s *sources, r Row, _ float64) ([][]knn.Neighbour, int64, error) {
		dim, of := s.space.Dim, s.wordVectors(false)
		rows := make([]float64, len(s.documents)*dim)
		for i, b := range s.bags(r.idf, false) {
			row := rows[i*dim : (i+1)*dim]
			for j, word := range b.Words {
				weight := b.Mass[j]
				if sif {
					weight *= sifA / (sifA + s.space.Probability(s.ids[word]))
				}
				for d, x := range of[int(word)*dim:][:dim] {
					row[d] += float64(weight * float64(x))
				}
			}
		}
		if sif {
			c, err := sentence.FitComponents(ctx, rows, dim, 1)
			if err != nil {
				return nil, 0, err
			}
			var dots []float64
			for lo := 0; lo < len(rows); lo += dim {
				dots = c.Remove(rows[lo:lo+dim], dots)
			}
		}
		found, err := s.search.Vectors(ctx, unit(rows, dim), dim)
		return found, 0, err
	}
}

// unit scales rows to length 1.
func unit(rows []float64, dim int) []float32 {
	scaled := make([]float32, len(rows))
	for lo := 0; lo < len(rows); lo += dim {
		square := 0.0
		for _, x := range rows[lo : lo+dim] {
			square += float64(x * x)
		}
		if square == 0 {
			continue
		}
		for d, x := range rows[lo : lo+dim] {
			scaled[lo+d] = float32(x / math.Sqrt(square))
		}
	}
	return scaled
}

// wordVectors are those of the set's words, of length 1; zeros for words without. Shuffled, each has that of another.
func (s *sources) wordVectors(shuffled bool) []float32 {
	dim := s.space.Dim
	of := make([]float32, len(s.words)*dim)
	var known []int
	for word, id := range s.ids {
		if id >= 0 {
			s.space.Vector(of[word*dim:][:dim], id)
			known = append(known, word)
		}
	}
	if !shuffled {
		return of
	}
	moved := make([]float32, len(of))
	for i, from := range s.random("shuffled words").Perm(len(known)) {
		copy(moved[known[i]*dim:][:dim], of[known[from]*dim:][:dim])
	}
	return moved
}

func (s *sources) random(stream string) *rand.Rand {
	return rand.New(rand.NewPCG(pipeline.Seed(s.seed, stream+" of "+s.Name), 0))
}

// sampledCosts is the number of pairs of words that quantiles of costs are taken of.
const sampledCosts = 100_000

// quantileOf is the cost that a share of the pairs of different words is at most apart.
func (s *sources) quantileOf(vectors []float32, quantile float64) float64 {
	var known []int
	for word, id := range s.ids {
		if id >= 0 {
			known = append(known, word)
		}
	}
	random, dim := s.random("sampled costs"), s.space.Dim
	var costs []float64
	for range sampledCosts {
		x, y := known[random.IntN(len(known))], known[random.IntN(len(known))]
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

func words(ctx context.Context, s *sources, r Row, quantile float64) ([][]knn.Neighbour, int64, error) {
	w := knn.Words{Vectors: s.wordVectors(r.Geometry == method.Shuffled), Dim: s.space.Dim}
	if r.Geometry == Thresholded {
		w.Most = s.quantileOf(w.Vectors, quantile)
	}
	return s.search.Words(ctx, s.bags(r.idf, false), w)
}

// averages are the documents' histograms over contexts, Σ mass·H(w) over the words that have one.
func (s *sources) averages(idf bool) (ot.Histograms, error) {
	of, err := s.space.Histograms()
	if err != nil {
		return of, err
	}
	h := ot.Histograms{K: s.space.Cost.K, Data: make([]float32, len(s.documents)*s.space.Cost.K)}
	sum := make([]float64, h.K)
	for i, b := range s.bags(idf, false) {
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
		if total == 0 {
			continue
		}
		for k, x := range sum {
			h.Row(i)[k] = float32(x / total)
		}
	}
	return h, nil
}

// contexts moves averages by the space's cost, or compares them as if all moves cost the same.
func contexts(ctx context.Context, s *sources, r Row, quantile float64) ([][]knn.Neighbour, int64, error) {
	h, err := s.averages(r.idf)
	if err != nil {
		return nil, 0, err
	}
	if r.Geometry == method.Discrete {
		found, err := s.search.Bags(ctx, asBags(h))
		return found, 0, err
	}
	return s.moved(ctx, h, s.cost(r.Geometry, quantile))
}

func (s *sources) moved(ctx context.Context, h ot.Histograms, cost ot.Cost) ([][]knn.Neighbour, int64, error) {
	return s.search.Histograms(ctx, s.engine, &ot.Problem{Settings: s.space.Settings.Transport, Cost: cost, Rows: h})
}

// asBags takes bins for words.
func asBags(h ot.Histograms) []knn.Bag {
	all := make([]knn.Bag, h.Len())
	for i := range all {
		for k, x := range h.Row(i) {
			if x > 0 {
				all[i].Words, all[i].Mass = append(all[i].Words, int32(k)), append(all[i].Mass, float64(x))
			}
		}
	}
	return all
}

// cost is the space's ground cost, shuffled or thresholded.
func (s *sources) cost(geometry string, quantile float64) ot.Cost {
	c := s.space.Cost
	switch geometry {
	case method.Shuffled:
		return method.Permute(c, s.random("shuffled contexts").Perm(c.K))
	case Thresholded:
		return method.Threshold{Quantile: quantile}.Lower(c)
	}
	return c
}

// barycenters moves CoMB of the words, each weighing the same.
func barycenters(ctx context.Context, s *sources, _ Row, _ float64) ([][]knn.Neighbour, int64, error) {
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
		Estimates: e, Cost: s.space.Cost, Engine: s.engine, Settings: s.space.Settings.Transport,
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
func node(w *pipeline.Workspace, s *sources, r Row, quantile float64) store.Node[found] {
	d := w.Profile.Documents
	inputs := []store.Input{store.Key(s.space.Identity())}
	for _, f := range s.Files { // a collection by its table, which has the checksums of its files
		inputs = append(inputs, w.FileInput(f))
	}
	if s.StopWords {
		inputs = append(inputs, w.FileInput(d.StopWords))
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
		}{of, r.ID, quantile, d.Depth, d.Words, d.Test, d.Validation, s.seed},
		Parts: func(f *found) []store.Part {
			return []store.Part{store.Array("index.npy", &f.Index), store.JSON("cost.json", &f.Cost)}
		},
		Make: func(ctx context.Context) (f found, err error) {
			_, finish := w.Step(fmt.Sprintf("neighbours, %s, %s %g", s.Name, r.ID, quantile))
			defer finish()
			all, solved, err := r.find(ctx, s, r, quantile)
			if err != nil {
				return f, fmt.Errorf("documents: %s, %s: %w", s.Name, r.ID, err)
			}
			f.Cost = cost{int64(len(s.search.Queries)) * int64(len(s.search.Among)), solved}
			for _, list := range all {
				for n := range d.Depth {
					index := int32(-1)
					if n < len(list) {
						index = int32(list[n].Index)
					}
					f.Index = append(f.Index, index)
				}
			}
			return f, nil
		},
	}
}
