package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"contextmover/cmdlib"
	"contextmover/internal/parallel"
	"contextmover/internal/printable"
)

// Options are the settings of Search.
type Options struct {
	// N is the number of sentences or documents that are asked for, at least 1.
	N int
	// Documents has documents found instead of sentences, each by its nearest sentence.
	Documents bool
	// Exact has all vectors of an index with lists compared, too.
	Exact bool
	// Rerank, if not nil, is the space of the index as it is to compare texts (cmdlib.Space.With). If that is by
	// transport or by nearest words, the sentences that are nearest by vectors are ordered by its Distances to the
	// query: the first thousand by transport, the first hundred by nearest words, or N if that is more. Those without a
	// known word are left out. With nil the method is that of the space for texts, unless it is one of transport.
	Rerank *cmdlib.Space
}

// Hit is a sentence and how far it is.
type Hit struct {
	// Distance is that of the method that orders hits (Index.Method): by vectors of texts 1 − their cosine.
	Distance float64 `json:"distance"`
	// Text is the sentence as it stands in the text; lines that it was broken into with blanks between.
	Text string `json:"text"`
	// Path is the file that the sentence is in, as Write was given it, and Number that of the line where it begins,
	// from 1.
	Path   string `json:"path"`
	Number int64  `json:"number"`
	// Equal is the number of sentences with this text that the index has, or that the document has where documents
	// are asked for; this is the first of them.
	Equal int64 `json:"equal"`
	// Position is that of the sentence in the index, from 0.
	Position int64 `json:"-"`
	// Document is the one that the sentence is in, if documents are asked for.
	Document *Document `json:"document,omitempty"`
}

// Document is what a Hit has of a document.
type Document struct {
	// Title is that of prepared text, or empty.
	Title string `json:"title,omitempty"`
	// First and Last are the numbers of the lines in the file where its first and last sentence begin.
	First int64 `json:"first"`
	Last  int64 `json:"last"`
}

// Line is a hit in a line: its place and text, between them a tab, and how often it occurs if that is more than once.
// Of a document it has the place, the title and the sentence. Characters that are not printable are escaped.
func (h Hit) Line() string {
	path, text := printable.Text(h.Path), printable.Text(h.Text)
	if d := h.Document; d != nil {
		return fmt.Sprintf("%s:%d-%d\t%s\t%s", path, d.First, d.Last, printable.Text(d.Title), text)
	}
	line := fmt.Sprintf("%s:%d\t%s", path, h.Number, text)
	if h.Equal > 1 {
		line += fmt.Sprintf("\t%d times", h.Equal)
	}
	return line
}

// Found are the sentences or documents nearest to a query.
type Found struct {
	// Words are the words of the query that have an estimate, Unknown the others.
	Words   []string `json:"words"`
	Unknown []string `json:"unknown,omitempty"`
	// Nearest are the hits, nearest first, equally near ones in the order of the text.
	Nearest []Hit `json:"nearest"`
	// Compared is the number of sentences that were compared, Transported that of those, each text once, whose
	// transport problem was solved.
	Compared    int64 `json:"compared"`
	Transported int64 `json:"transported,omitempty"`
	// Approximate tells that not all sentences were compared, so that nearer ones may be missing.
	Approximate bool `json:"approximate,omitempty"`
}

const (
	// mostTransported is how many sentences are ordered by transport, unless more are asked for, and mostCompared how
	// many by their nearest words.
	mostTransported = 1000
	mostCompared    = 100
	// reserve is how many sentences or documents more than are asked for are compared by vectors of float32.
	reserve = 8
	// eachDocument is how many sentences of a document are.
	eachDocument = 4
)

// Search returns the sentences whose vectors (cmdlib.Encoder) have the largest cosines with that of the query.
// Sentences are compared as vectors of 8 bits, and of the N+8 different ones that these put nearest, the N are returned
// that are nearest as vectors of float32. Equal sentences are one. A document is as near as its nearest
// sentence; of each, the 4 nearest by 8 bits are compared by float32. Options.Rerank says what else may order them.
//
// All sentences are compared, unless the vectors of the index take more than 3 GiB. Then those of a sixteenth of its
// lists are (mips.Lists), and Found is Approximate. With Exact all are.
//
// A query without any known word is a *cmdlib.UnknownError, N < 1 another error, and a block or vectors that are not
// what was written an ErrDamaged.
func (x *Index) Search(ctx context.Context, query string, o Options) (*Found, error) {
	if o.N < 1 {
		return nil, fmt.Errorf("search: %d are asked for, expected at least 1", o.N)
	}
	var documents []document
	if o.Documents {
		var err error
		if documents, err = x.documents(); err != nil {
			return nil, err
		}
	}
	by := x.by(o)
	asked, err := cmp.Or(o.Rerank, x.space).Sentences(ctx, []string{query})
	if err != nil {
		return nil, err
	}
	found := &Found{Words: asked[0].Words, Unknown: asked[0].Unknown}
	vector, err := x.vector(ctx, query, found)
	if err != nil {
		return nil, err
	}
	transport := by != nil && by.Default() != cmdlib.Nearest
	if transport && len(found.Words) == 0 {
		_, err := by.Sentence(ctx, query)
		return nil, err
	}
	places := newPlaces(x)
	hits, err := x.candidates(ctx, places, vector, o, documents, found)
	if err != nil {
		return nil, err
	}
	if hits, err = x.rescore(ctx, places, hits, query, vector, by); err != nil {
		return nil, err
	}
	if transport {
		found.Transported = int64(len(hits))
	}
	if o.Documents {
		hits = firsts(hits, documents, 1)
	}
	found.Nearest = hits[:min(o.N, len(hits))]
	if o.Documents {
		return found, x.describe(places, documents, found.Nearest)
	}
	return found, nil
}

// by returns the space by which the nearest are ordered, nil if that is by the vectors of the index.
func (x *Index) by(o Options) *cmdlib.Space {
	switch by := cmp.Or(o.Rerank, x.space); {
	case by.Default() == cmdlib.Nearest, o.Rerank != nil && !by.ByVectors():
		return by
	}
	return nil
}

// Method names the method by which Search orders what is nearest.
func (x *Index) Method(o Options) string {
	if by := x.by(o); by != nil {
		return by.Default()
	}
	return x.encoder.Method.Name
}

// vector is that of a query.
func (x *Index) vector(ctx context.Context, query string, found *Found) ([]float32, error) {
	if len(found.Words) == 0 { // they may still have vectors
		if _, err := x.encoder.Terms(ctx, query); err != nil {
			return nil, err
		}
	}
	vector, err := x.encoder.Encode(ctx, []string{query})
	if err == nil && !slices.ContainsFunc(vector, func(c float32) bool { return c != 0 }) {
		if _, err = x.space.Sentence(ctx, query); err == nil {
			err = fmt.Errorf("search: %q has no vector: its words are what all texts have", query)
		}
	}
	return vector, err
}

// candidates returns the sentences, each text once, that the result is chosen from.
func (x *Index) candidates(
	ctx context.Context, places *places, vector []float32, o Options, documents []document, found *Found,
) ([]Hit, error) {
	by, want := x.by(o), o.N+reserve
	switch {
	case by != nil && by.Default() == cmdlib.Nearest:
		want = max(o.N, mostCompared)
	case by != nil:
		want = max(o.N, mostTransported)
	}
	for most := 2 * want; ; most *= 4 {
		nearest, looked, err := x.nearest(ctx, vector, most, o.Exact)
		if err != nil {
			return nil, err
		}
		found.Compared, found.Approximate = looked, looked < x.Sentences
		hits, err := places.distinct(nearest, documents)
		if err != nil {
			return nil, err
		}
		whole := len(nearest) < most || most >= int(x.Sentences)
		if !whole { // of the last some equals may be missing
			last := nearest[len(nearest)-1].Distance
			hits = slices.DeleteFunc(hits, func(h Hit) bool { return h.Distance == last })
		}
		if o.Documents && by == nil {
			number := len(firsts(slices.Clone(hits), documents, 1))
			if hits = firsts(hits, documents, eachDocument); whole || number >= want {
				return hits, nil
			}
		} else if whole || len(hits) >= want {
			return hits[:min(len(hits), want)], nil
		}
	}
}

// firsts returns the first sentences of each document, so many of each, in place. Others are left out.
func firsts(hits []Hit, documents []document, each int) []Hit {
	seen := make(map[int]int)
	return slices.DeleteFunc(hits, func(h Hit) bool {
		d := documentOf(documents, h.Position)
		seen[d]++
		return d < 0 || seen[d] > each
	})
}

// rescore sets the texts of hits and their distances, by vectors of float32 or by the method of a space, and sorts
// them. Sentences without a word that counts are left out.
func (x *Index) rescore(
	ctx context.Context, places *places, hits []Hit, query string, vector []float32, by *cmdlib.Space,
) ([]Hit, error) {
	err := parallel.Blocks(ctx, len(hits), 1, func(i, _ int) error { return places.fill(&hits[i]) })
	if err != nil {
		return nil, err
	}
	hits = slices.DeleteFunc(hits, func(h Hit) bool { return h.Text == "" })
	if by != nil {
		pairs := make([]cmdlib.Pair, len(hits))
		for i, h := range hits {
			pairs[i] = cmdlib.Pair{A: query, B: h.Text}
		}
		distances, err := by.Distances(ctx, pairs)
		if err != nil {
			return nil, err
		}
		known := hits[:0]
		for i, d := range distances {
			if !math.IsNaN(d) {
				hits[i].Distance = d
				known = append(known, hits[i])
			}
		}
		slices.SortFunc(known, nearer)
		return known, nil
	}
	texts := make([]string, len(hits))
	for i, h := range hits {
		texts[i] = h.Text
	}
	vectors, err := x.encoder.Encode(ctx, texts)
	if err != nil {
		return nil, err
	}
	for i := range hits {
		cos := 0.0
		for j, a := range vectors[i*len(vector) : (i+1)*len(vector)] {
			cos += float64(float64(a) * float64(vector[j]))
		}
		hits[i].Distance = max(0, 1-cos)
	}
	slices.SortFunc(hits, nearer)
	return hits, nil
}

// describe sets the documents of hits.
func (x *Index) describe(places *places, documents []document, hits []Hit) error {
	for i := range hits {
		d := documents[documentOf(documents, hits[i].Position)]
		first, err := places.at(d.first)
		if err != nil {
			return err
		}
		last, err := places.at(d.end() - 1)
		if err != nil {
			return err
		}
		hits[i].Document = &Document{Title: d.title, First: first.line, Last: last.line}
	}
	return nil
}
