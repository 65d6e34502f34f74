package search

import (
	"context"

	"contextmover/cmdlib/cluster"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sentence"
)

// landmarks are what potentials are made for, whatever the query: the means of groups of
// alike sentences or documents. A mean is near to what its group has in common; potentials
// that are optimal for a single sentence follow its own words, which no other has.
type landmarks struct {
	// Some sentences or documents, and the sums of their weights.
	ids    [][]int32
	totals []float64
	means  []float32 // mostStages·width histograms; nil if there are too few sentences for so many
}

// landmarks returns those of the sentences, or of the documents if these are searched, which are found once.
func (s *searching) landmarks(ctx context.Context, blocks []*block) (*landmarks, error) {
	s.landmarked.Lock()
	defer s.landmarked.Unlock()
	kept := &s.ofSentences
	if s.documents != nil {
		kept = &s.ofDocuments
	}
	if *kept == nil {
		found, err := s.findLandmarks(ctx, blocks)
		if err != nil {
			return nil, err
		}
		*kept = found
	}
	return *kept, nil
}

// groupRounds bounds the iterations of k-means: the groups need not be the best.
const groupRounds = 20

func (s *searching) findLandmarks(ctx context.Context, blocks []*block) (*landmarks, error) {
	const count = mostStages * width
	l := &landmarks{}
	for at, b := range blocks {
		if at >= sampledBlocks && len(l.ids) >= count {
			break // documents may be long, and few of a block
		}
		every, i := max(1, s.units(b)*min(len(blocks), sampledBlocks)/sampled), 0
		_, err := s.each(b, nil, func(_ int64, ids []int32) {
			if ids = thinned(ids); i%every == 0 {
				if total := s.total(ids); total > 0 {
					l.ids, l.totals = append(l.ids, ids), append(l.totals, total)
				}
			}
			i++
		})
		if err != nil {
			return nil, err
		}
	}
	if len(l.ids) < count {
		return l, nil
	}
	sentences := make([]sentence.Sentence, len(l.ids))
	for i, ids := range l.ids {
		sentences[i] = ids
	}
	h, err := s.words.Combine(ctx, sentences)
	if err != nil {
		return nil, err
	}
	groups, err := cluster.KMeans(ctx, h.Data, h.K, cluster.Params{K: count, MaxIter: groupRounds, Seed: 1}, nil)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	group := func(i int) int { return i * count / len(l.ids) }
	if err == nil { // else there are fewer histograms that differ than groups, and any will do
		group = func(i int) int { return int(groups.Assignment[i]) }
	}
	l.means = means(h, count, group)
	return l, nil
}

// means returns the means of groups of histograms, of which none is empty.
func means(h ot.Histograms, groups int, group func(i int) int) []float32 {
	sums, n := make([]float64, groups*h.K), make([]int, groups)
	for i := range h.Len() {
		g := group(i)
		n[g]++
		for j, x := range h.Row(i) {
			sums[g*h.K+j] += float64(x)
		}
	}
	of := make([]float32, len(sums))
	for i, sum := range sums {
		of[i] = float32(sum / float64(n[i/h.K]))
	}
	return of
}
