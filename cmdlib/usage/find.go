package usage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"contextmover/cmdlib"
	"contextmover/cmdlib/cluster"
	"contextmover/cmdlib/corpus"
)

// The settings of FindSenses.
const (
	starts     = 4 // of k-means, of which the tightest clustering is taken
	iterations = 100
)

// FindSenses groups the occurrences of a word into k senses by the vectors of the words around them (useVectors), by
// spherical k-means, with k = 0 into the number from 2 to mostSenses that has the largest Silhouette. It is
// deterministic, and always finds groups: whether these are senses is for their contexts, neighbours and sentences to
// tell.
//
// It is an ErrFew if there are fewer than 2k occurrences with contexts (4 for k = 0), a cmdlib.ErrNoVectors for a space
// without vectors, a cmdlib.ErrNoReference for one that does not estimate, and another error if k < 0.
func FindSenses(ctx context.Context, s *cmdlib.Space, occurrences []corpus.Occurrence, k int) (*Senses, error) {
	all := sentences(s, occurrences)
	vectors, err := newUseVectors(s, slices.Concat(all...))
	if err != nil {
		return nil, err
	}
	found := new(Senses)
	p, x := &points{dim: s.Dim}, make([]float64, s.Dim)
	for i, o := range occurrences {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if vectors.at(x, all[i], o.At) {
			p.ids, p.full = append(p.ids, i), append(p.full, x...)
		} else {
			found.Unclear = append(found.Unclear, i)
		}
	}
	least, most, err := numbers(k, len(p.ids), len(occurrences))
	if err != nil {
		return nil, err
	}
	best, err := p.best(ctx, least, most)
	if err != nil {
		return nil, err
	}
	found.Silhouette = best.silhouette
	for c := range best.centres {
		if err := p.sense(s, found, occurrences, best, c); err != nil {
			return nil, err
		}
	}
	return found.shared(len(occurrences)), nil
}

// best returns from least to most groups, as many as are best apart.
func (p *points) best(ctx context.Context, least, most int) (best *grouping, err error) {
	for k := least; k <= min(most, p.different()); k++ {
		g, err := p.group(ctx, k)
		if err != nil {
			return nil, err
		}
		if best == nil || g.silhouette > best.silhouette {
			best = g
		}
	}
	if best == nil { // fewer different places than groups, as of one sentence again and again
		return p.group(ctx, 1)
	}
	return best, nil
}

// numbers returns the least and the largest number of groups of n occurrences, of all that there are.
func numbers(k, n, all int) (least, most int, err error) {
	if k < 0 {
		return 0, 0, fmt.Errorf("usage: %d senses are asked for, expected at least 1, or 0 to choose", k)
	}
	if needed := max(2*k, 4); n < needed && k != 1 || n == 0 {
		return 0, 0, fmt.Errorf("%w: %d of %d have contexts of the space, expected at least %d",
			ErrFew, n, all, needed)
	}
	if k > 0 {
		return k, k, nil
	}
	return 2, min(mostSenses, n/2), nil
}

// sentences returns the ids of the words of occurrences' sentences, −1 for unknown ones. Occurrences in one sentence,
// which may be a whole book without ends of sentences, share them.
func sentences(s *cmdlib.Space, occurrences []corpus.Occurrence) (all [][]int32) {
	for n, o := range occurrences {
		if n > 0 && &o.Sentence[0] == &occurrences[n-1].Sentence[0] {
			all = append(all, all[n-1])
			continue
		}
		ids := make([]int32, len(o.Sentence))
		for i, word := range o.Sentence {
			var ok bool
			if ids[i], ok = s.ID(word); !ok {
				ids[i] = -1
			}
		}
		all = append(all, ids)
	}
	return all
}

// normalise divides x by its length, and tells whether it has one.
func normalise(x []float64) bool {
	length := floats.Norm(x, 2)
	if length > 0 {
		floats.Scale(1/length, x)
	}
	return length > 0
}

// points are the vectors of occurrences.
type points struct {
	dim  int
	ids  []int     // their occurrences
	full []float64 // n×dim, of length 1
}

func (p *points) row(i int) []float64 { return p.full[i*p.dim : (i+1)*p.dim] }

// different returns how many different points there are, at most mostSenses.
func (p *points) different() int {
	var seen [][]float64
	for i := 0; i < len(p.ids) && len(seen) < mostSenses; i++ {
		if !slices.ContainsFunc(seen, func(x []float64) bool { return slices.Equal(x, p.row(i)) }) {
			seen = append(seen, p.row(i))
		}
	}
	return len(seen)
}

// grouping is what k-means made of points.
type grouping struct {
	assignment []int32
	centres    [][]float64 // mean directions of the groups' full vectors
	silhouette float64
}

// group returns k groups, without those that are empty.
func (p *points) group(ctx context.Context, k int) (*grouping, error) {
	g := &grouping{assignment: make([]int32, len(p.ids)), centres: make([][]float64, k)}
	if k > 1 {
		single := make([]float32, len(p.full))
		for i, x := range p.full {
			single[i] = float32(x)
		}
		var best *cluster.Result
		for seed := range uint64(starts) {
			params := cluster.Params{K: k, Spherical: true, MaxIter: iterations, Seed: seed}
			r, err := cluster.KMeans(ctx, single, p.dim, params, nil)
			if err != nil {
				return nil, err
			}
			if best == nil || r.Inertia < best.Inertia {
				best = r
			}
		}
		copy(g.assignment, best.Assignment)
	}
	for c := range g.centres {
		g.centres[c] = make([]float64, p.dim)
	}
	for i, c := range g.assignment {
		floats.Add(g.centres[c], p.row(i))
	}
	for _, centre := range g.centres {
		normalise(centre)
	}
	if k == 1 {
		return g, nil
	}
	for i := range p.ids {
		first, second := math.Inf(-1), math.Inf(-1)
		for _, centre := range g.centres {
			if cosine := floats.Dot(centre, p.row(i)); cosine > first {
				first, second = cosine, first
			} else {
				second = max(second, cosine)
			}
		}
		g.silhouette += (first - second) / float64(len(p.ids))
	}
	return g, nil
}

// sense adds the sense that group c is. One without contexts is no sense: its occurrences are unclear.
func (p *points) sense(s *cmdlib.Space, found *Senses, occurrences []corpus.Occurrence, g *grouping, c int) error {
	type member struct {
		id     int
		cosine float64
	}
	var own []member
	for i, a := range g.assignment {
		if int(a) == c {
			own = append(own, member{p.ids[i], floats.Dot(g.centres[c], p.row(i))})
		}
	}
	if len(own) == 0 {
		return nil
	}
	var list []corpus.Occurrence
	for _, m := range own {
		list = append(list, occurrences[m.id])
	}
	e, err := s.Estimate(list)
	if errors.Is(err, cmdlib.ErrNoContexts) {
		for _, m := range own {
			found.Unclear = append(found.Unclear, m.id)
		}
		slices.Sort(found.Unclear)
		return nil
	}
	if err != nil {
		return err
	}
	slices.SortStableFunc(own, func(a, b member) int { return cmp.Compare(b.cosine, a.cosine) })
	sense := Sense{Estimate: e}
	for _, m := range own {
		sense.Occurrences = append(sense.Occurrences, m.id)
	}
	found.Senses = append(found.Senses, sense)
	return nil
}

// shared sets the shares of the senses among all occurrences that are clear, and sorts them.
func (s *Senses) shared(all int) *Senses {
	for i := range s.Senses {
		sense := &s.Senses[i]
		sense.Share = float64(len(sense.Occurrences)) / float64(all-len(s.Unclear))
	}
	slices.SortStableFunc(s.Senses, func(a, b Sense) int { return cmp.Compare(b.Share, a.Share) })
	return s
}
