package usage

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/ot"
)

// rounds is how often occurrences are assigned again to the senses' estimates, at most.
const rounds = 5

// sampled is the number of occurrences that medoids are found among.
const sampled = 300

// byTransport groups the occurrences of a word by k-medoids under the context mover's distance. Each is estimated
// alone, and then joins the estimate of a group that it is nearest to, up to five times. With k = 0 the number of
// groups is the one with the largest silhouette. A sense that no occurrence is nearest to is left out.
//
// Errors are those of FindSenses.
func byTransport(ctx context.Context, s *cmdlib.Space, occurrences []corpus.Occurrence, k int) (*Senses, error) {
	f := &finding{space: s, occurrences: occurrences, rows: ot.Histograms{K: s.Cost.K}}
	found := &Senses{Method: "transport"}
	for i := range occurrences {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		e, err := s.Estimate(occurrences[i : i+1])
		if errors.Is(err, cmdlib.ErrNoContexts) {
			found.Unclear = append(found.Unclear, i)
			continue
		}
		if err != nil {
			return nil, err
		}
		f.ids, f.rows.Data = append(f.ids, i), append(f.rows.Data, e.Histogram...)
	}
	least, most, err := numbers(k, len(f.ids), len(occurrences))
	if err != nil {
		return nil, err
	}
	centres, silhouette, err := f.medoids(ctx, least, most)
	if err != nil {
		return nil, err
	}
	found.Silhouette = silhouette

	var assignment []int
	for range rounds {
		next, near, err := f.nearest(ctx, centres)
		if err != nil {
			return nil, err
		}
		if slices.Equal(next, assignment) {
			break
		}
		assignment = next
		if found.Senses, centres, err = f.estimate(assignment, near, centres.Len()); err != nil {
			return nil, err
		}
	}
	return found.shared(len(occurrences)), nil
}

// finding is the state of byTransport.
type finding struct {
	space       *cmdlib.Space
	occurrences []corpus.Occurrence
	ids         []int // occurrences that have a histogram
	rows        ot.Histograms
}

// medoids returns the histograms of the medoids of an even sample of the occurrences, and their silhouette. Of the
// numbers of groups from least to most it takes the one with the largest silhouette.
func (f *finding) medoids(ctx context.Context, least, most int) (centres ot.Histograms, silhouette float64, err error) {
	n := min(f.rows.Len(), sampled)
	sample := ot.Histograms{K: f.rows.K}
	var pairs []ot.Pair
	for i := range n {
		sample.Data = append(sample.Data, f.rows.Row(i*f.rows.Len()/n)...)
		for j := i + 1; j < n; j++ {
			pairs = append(pairs, ot.Pair{Source: int32(i), Target: int32(j)})
		}
	}
	list, err := f.costs(ctx, sample, pairs)
	if err != nil {
		return centres, 0, err
	}
	distances := make([]float64, n*n)
	for at, p := range pairs {
		i, j := int(p.Source), int(p.Target)
		distances[i*n+j], distances[j*n+i] = list[at], list[at]
	}

	var best *medoids
	for k := least; k <= most; k++ {
		m, err := kMedoids(ctx, n, distances, k)
		if err != nil {
			return centres, 0, err
		}
		if best == nil || m.silhouette > best.silhouette {
			best = m
		}
	}
	centres.K = f.rows.K
	for _, m := range best.centres {
		centres.Data = append(centres.Data, sample.Row(m)...)
	}
	return centres, best.silhouette, nil
}

// costs returns those of the plans between pairs of histograms.
func (f *finding) costs(ctx context.Context, rows ot.Histograms, pairs []ot.Pair) (list []float64, err error) {
	results, err := f.space.Transport(ctx, rows, pairs)
	for _, r := range results {
		list = append(list, r.Cost)
	}
	return list, err
}

// nearest returns, for each occurrence, the centre that it has the smallest distance to, the first of equally near
// ones, and that distance.
func (f *finding) nearest(
	ctx context.Context, centres ot.Histograms,
) (assignment []int, distances []float64, err error) {
	n, k := f.rows.Len(), centres.Len()
	both := ot.Histograms{K: centres.K, Data: slices.Concat(f.rows.Data, centres.Data)}
	var pairs []ot.Pair
	for i := range n {
		for c := range k {
			pairs = append(pairs, ot.Pair{Source: int32(i), Target: int32(n + c)})
		}
	}
	list, err := f.costs(ctx, both, pairs)
	if err != nil {
		return nil, nil, err
	}
	for row := range slices.Chunk(list, k) {
		smallest := slices.Min(row)
		assignment, distances = append(assignment, slices.Index(row, smallest)), append(distances, smallest)
	}
	return assignment, distances, nil
}

// estimate makes senses of an assignment, and the centres that they are.
func (f *finding) estimate(assignment []int, near []float64, k int) (senses []Sense, centres ot.Histograms, err error) {
	centres.K = f.rows.K
	for c := range k {
		var own []int // positions in ids
		for i, a := range assignment {
			if a == c {
				own = append(own, i)
			}
		}
		if len(own) == 0 {
			continue
		}
		var list []corpus.Occurrence
		for _, i := range own {
			list = append(list, f.occurrences[f.ids[i]])
		}
		e, err := f.space.Estimate(list)
		if err != nil {
			return nil, centres, err
		}
		slices.SortStableFunc(own, func(a, b int) int { return cmp.Compare(near[a], near[b]) })
		sense := Sense{Estimate: e}
		for _, i := range own {
			sense.Occurrences = append(sense.Occurrences, f.ids[i])
		}
		senses, centres.Data = append(senses, sense), append(centres.Data, e.Histogram...)
	}
	return senses, centres, nil
}
