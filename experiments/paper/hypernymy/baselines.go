package hypernymy

import (
	"cmp"
	"math"
	"slices"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/sppmi"
	"contextmover/internal/elementary"
)

// shared is how the associations of two words overlap.
type shared struct {
	narrow, wide float64 // sums of each word's associations
	common       float64 // sum of the narrow word's over contexts of both
	least        float64 // sum over contexts of the lesser
}

func overlap(m *sppmi.Matrix, narrow, wide int32) shared {
	i, x := m.Row(int(narrow))
	j, y := m.Row(int(wide))
	var s shared
	for _, v := range x {
		s.narrow += float64(v)
	}
	for _, v := range y {
		s.wide += float64(v)
	}
	for a, b := 0, 0; a < len(i) && b < len(j); {
		switch {
		case i[a] < j[b]:
			a++
		case i[a] > j[b]:
			b++
		default:
			s.common += float64(x[a])
			s.least += float64(min(x[a], y[b]))
			a, b = a+1, b+1
		}
	}
	return s
}

// weedsPrec is the share of the narrow word's associations that are with contexts of
// the wide one [Weeds and Weir 2003].
func (s shared) weedsPrec() float64 {
	if s.narrow == 0 {
		return 0
	}
	return s.common / s.narrow
}

// invCL is high where the narrow word's associations are within the wide one's and not the
// other way round, √(c(narrow, wide)·(1 − c(wide, narrow))) [Lenci and Benotto 2012].
func (s shared) invCL() float64 {
	if s.narrow == 0 || s.wide == 0 {
		return 0
	}
	return math.Sqrt(s.least / s.narrow * max(0, 1-s.least/s.wide))
}

// generality returns a function that finds for a word the median entropy of its contexts, the n with the greatest
// count·association [Santus et al. 2014, SLQS]. The entropy of a context is that of the words next to it, in bits.
func generality(counts *corpus.Counts, m *sppmi.Matrix, n int) func(word int32) float64 {
	entropy := remembered(func(c int32) (h float64) {
		// The counts are symmetric: the row of a context is its column.
		_, x := counts.Row(int(c))
		total := 0.0
		for _, v := range x {
			total += v
		}
		for _, v := range x {
			h -= float64(v / total * elementary.Log2(v/total))
		}
		return h
	})
	type context struct {
		id   int32
		mass float64
	}
	return remembered(func(word int32) float64 {
		index, x := m.Row(int(word))
		columns, count := counts.Row(int(word))
		var contexts []context
		at := 0
		for e, c := range index {
			for columns[at] < c { // every association has a count
				at++
			}
			contexts = append(contexts, context{c, float64(x[e]) * count[at]})
		}
		slices.SortStableFunc(contexts, func(a, b context) int { return cmp.Compare(b.mass, a.mass) })
		var h []float64
		for _, c := range contexts[:min(n, len(contexts))] {
			h = append(h, entropy(c.id))
		}
		if len(h) == 0 {
			return 0
		}
		slices.Sort(h)
		return (h[(len(h)-1)/2] + h[len(h)/2]) / 2
	})
}

// remembered is a function of words that does its work once for each.
func remembered(f func(int32) float64) func(int32) float64 {
	values := map[int32]float64{}
	return func(word int32) float64 {
		v, ok := values[word]
		if !ok {
			v = f(word)
			values[word] = v
		}
		return v
	}
}
