package score

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// A Ranking is a list of items in descending order of their scores, from which
// measures are taken again and again, as for Pairs.Draws, without sorting again.
type Ranking struct {
	place    []int32 // of each item
	positive []bool  // by place
	score    []float64
	ends     []int32 // places at which blocks of equal scores end
}

// NewRanking ranks items by their scores; a greater score means more likely positive.
// It returns an error for a score that is NaN and panics if the lengths differ.
func NewRanking(positive []bool, scores []float64) (*Ranking, error) {
	o, err := descending(positive, scores)
	if err != nil {
		return nil, err
	}
	n := len(scores)
	r := &Ranking{place: make([]int32, n), positive: make([]bool, n), score: make([]float64, n), ends: o.ends}
	for at, i := range o.items {
		r.place[i], r.positive[at], r.score[at] = int32(at), positive[i], scores[i]
	}
	return r, nil
}

// descending returns the order of the scores, the greatest first.
func descending(positive []bool, scores []float64) (order, error) {
	if len(positive) != len(scores) {
		panic(fmt.Sprintf("score: %d labels and %d scores", len(positive), len(scores)))
	}
	if i := slices.IndexFunc(scores, math.IsNaN); i >= 0 {
		return order{}, fmt.Errorf("score: score %d is NaN", i)
	}
	return sorted(scores, func(a, b float64) int { return cmp.Compare(b, a) }), nil
}

// AveragePrecision returns the average precision where item i occurs weights[i] times. The function of that name does
// so for items that occur once; NaN if no positive item has a weight. Calls must not overlap. It panics if the
// lengths differ.
func (r *Ranking) AveragePrecision(weights []int32) float64 {
	if len(weights) != len(r.place) {
		panic(fmt.Sprintf("score: %d weights of %d items", len(weights), len(r.place)))
	}
	counts := make([]int32, len(weights))
	for i, w := range weights {
		counts[r.place[i]] = w
	}
	sum, found, seen, at := 0.0, 0, 0, int32(0)
	for _, end := range r.ends {
		before := found
		for ; at < end; at++ {
			n := int(counts[at])
			seen += n
			if r.positive[at] {
				found += n
			}
		}
		if found > before {
			sum += float64(found-before) * float64(found) / float64(seen)
		}
	}
	return sum / float64(found)
}

// AveragePrecisionAt returns the average precision of the k items with the greatest scores (all, if there are fewer),
// the recall being that of these items. Of equal scores at the cut, the earlier items stay [HypEval, AP@k]. It is 0
// if none of them is positive. Errors are those of NewRanking; it panics if k < 1 too.
func AveragePrecisionAt(k int, positive []bool, scores []float64) (float64, error) {
	if k < 1 {
		panic(fmt.Sprintf("score: the first %d items", k))
	}
	o, err := descending(positive, scores)
	if err != nil {
		return 0, err
	}
	var labels []bool
	var values []float64
	for _, i := range o.items[:min(k, len(o.items))] {
		labels, values = append(labels, positive[i]), append(values, scores[i])
	}
	if !slices.Contains(labels, true) {
		return 0, nil
	}
	return AveragePrecision(labels, values)
}

// HalfAccuracy returns the share of right answers where the half of the items with the
// greater scores is called positive [Henderson and Popa 2016, "50 % accuracy"]. Equal
// scores at the cut share the places that are left. It panics without items.
func (r *Ranking) HalfAccuracy() float64 {
	n := len(r.positive)
	if n == 0 {
		panic("score: the accuracy of no items")
	}
	half, right, at := float64(float64(n)/2), 0.0, int32(0)
	for _, end := range r.ends {
		size, called, positives := float64(end-at), max(half-float64(at), 0), 0.0
		for ; at < end; at++ {
			if r.positive[at] {
				positives++
			}
		}
		called = min(called, size) / size
		right += float64(called*positives) + float64((1-called)*(size-positives))
	}
	return right / float64(n)
}

// HeldOutAccuracy returns, for each of a number of draws, the share of right answers on the items that were not
// drawn. Items with a score above a threshold are called positive, and the threshold is the one that was right most
// often on those drawn: the share given, at least one. The threshold lies half way between two neighbouring scores of
// the drawn items, or beyond all; of equally good ones the highest is taken [after Nguyen et al. 2017, HyperVec: 2 %
// and 1000 draws].
//
// The draws depend on the number of items, share, draws and seed alone. It panics if a
// share of the items, or the rest, is none.
func (r *Ranking) HeldOutAccuracy(share float64, draws int, seed uint64) []float64 {
	n := len(r.positive)
	drawn := max(1, int(math.Round(share*float64(n))))
	if draws < 1 || drawn >= n {
		panic(fmt.Sprintf("score: %d draws of %d of %d items", draws, drawn, n))
	}
	// Places, in the items' order: equal draws for all scores.
	places := slices.Clone(r.place)
	upTo := make([]int, n+1) // positives among the first places
	for at, p := range r.positive {
		upTo[at+1] = upTo[at]
		if p {
			upTo[at+1]++
		}
	}
	random := rand.New(rand.NewPCG(seed, 0))
	sample := make([]int32, drawn)
	accuracies := make([]float64, draws)
	for d := range accuracies {
		for i := range drawn {
			j := i + random.IntN(n-i)
			places[i], places[j] = places[j], places[i]
		}
		copy(sample, places[:drawn])
		slices.Sort(sample)
		threshold := r.threshold(sample)
		// All items above the threshold, then without those drawn.
		cut, _ := slices.BinarySearchFunc(r.score, threshold, func(s, t float64) int {
			if s > t {
				return -1
			}
			return 1
		})
		right := upTo[cut] + (n - cut) - (upTo[n] - upTo[cut])
		for _, at := range sample {
			if r.positive[at] == (int(at) < cut) {
				right--
			}
		}
		accuracies[d] = float64(right) / float64(n-drawn)
	}
	return accuracies
}

// threshold returns the best threshold for the items at the sorted places.
func (r *Ranking) threshold(places []int32) float64 {
	right := 0 // with none above the threshold
	for _, at := range places {
		if !r.positive[at] {
			right++
		}
	}
	best, threshold := right, math.Inf(1)
	for i, at := range places {
		if r.positive[at] {
			right++
		} else {
			right--
		}
		s, next := r.score[at], math.Inf(-1)
		if i+1 < len(places) {
			if next = r.score[places[i+1]]; next == s {
				continue
			}
		}
		if right > best {
			best, threshold = right, float64(s/2)+float64(next/2)
			if threshold >= s { // neighbours
				threshold = next
			}
		}
	}
	return threshold
}
