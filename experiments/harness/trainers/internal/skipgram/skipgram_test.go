package skipgram

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/sparse"
	"contextmover/experiments/harness/trainers"
	"contextmover/experiments/harness/trainers/internal/countstest"
)

// empty are vectors of no components.
func empty(int32, []float32) {}

// counted counts the pairs of words that blocks yield in one pass.
func counted(t *testing.T, m *sparse.Matrix[float64], p Params) (map[[2]int32]int, *Sampler) {
	t.Helper()
	s, err := New(t.Context(), m, p)
	if err != nil {
		t.Fatal(err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // the map is shared
	drawn := map[[2]int32]int{}
	_, err = s.Train(t.Context(), func(b *Block) float64 {
		for word, context := range b.Pairs {
			drawn[[2]int32{s.Words[word], s.Words[context]}]++
		}
		return 0
	}, trainers.Training{Vector: empty})
	if err != nil {
		t.Fatal(err)
	}
	return drawn, s
}

// A pass draws every count in proportion, and nothing else; the filter leaves out what independent words have too.
func TestDrawnInProportion(t *testing.T) {
	m := countstest.Groups(130, 10)
	rows, columns, total := make([]float64, 130), make([]float64, 130), 0.0
	for i := range m.Rows {
		index, values := m.Row(i)
		for e, j := range index {
			rows[i] += values[e]
			columns[j] += values[e]
			total += values[e]
		}
	}
	for _, filter := range []float64{0, 1.5} {
		passes := func(i int, j int32, x float64) bool { return x*total >= filter*rows[i]*columns[j] }
		kept, left := 0.0, 0
		for i := range m.Rows {
			index, values := m.Row(i)
			for e, j := range index {
				if passes(i, j, values[e]) {
					kept += values[e]
				} else {
					left++
				}
			}
		}
		if (filter > 0) != (left > 0) {
			t.Fatalf("the filter %v leaves %d out", filter, left)
		}
		drawn, s := counted(t, m, Params{Passes: 1, Samples: 2_000_000, Filter: filter, Seed: 1})
		sum := 0.0
		for _, x := range s.Kept {
			sum += x
		}
		if math.Abs(sum-kept) > 1e-9*kept || math.Abs(s.Total-total) > 1e-9*total {
			t.Errorf("filter %v: kept %v of %v, want %v of %v", filter, sum, s.Total, kept, total)
		}
		for i := range m.Rows {
			index, values := m.Row(i)
			for e, j := range index {
				want := 0.0
				if passes(i, j, values[e]) {
					want = values[e] / kept * 2_000_000
				}
				if got := float64(drawn[[2]int32{int32(i), j}]); math.Abs(got-want) > 1 {
					t.Fatalf("filter %v: (%d, %d) drawn %v times, want %v", filter, i, j, got, want)
				}
				delete(drawn, [2]int32{int32(i), j})
			}
		}
		if len(drawn) > 0 {
			t.Errorf("%d pairs without a count were drawn", len(drawn))
		}
	}
}

// Subsampling draws each word less by what word2vec keeps of it, on both sides.
func TestSubsample(t *testing.T) {
	m := countstest.Groups(130, 10)
	const subsample = 0.002
	_, all := counted(t, m, Params{Passes: 1, Samples: 1, Seed: 1})
	_, some := counted(t, m, Params{Passes: 1, Samples: 1, Subsample: subsample, Seed: 1})
	keep := func(i int32) float64 {
		f := (all.rows[i] + all.columns[i]) / (2 * all.Total)
		return min(1, math.Sqrt(subsample/f))
	}
	for i := range m.Rows {
		index, values := m.Row(i)
		want := 0.0
		for e, j := range index {
			want += values[e] * keep(int32(i)) * keep(j)
		}
		if math.Abs(some.Kept[i]-want) > 1e-9*want {
			t.Errorf("word %d: kept %v, want %v", i, some.Kept[i], want)
		}
	}
}

// Negatives of a block are contexts of its part, by their count to the power Noise.
func TestNegatives(t *testing.T) {
	m := countstest.Groups(128, 8)
	s, err := New(t.Context(), m, Params{Passes: 1, Samples: 200_000, Noise: 0.5, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	drawn, n := map[int32]int{}, 0
	_, err = s.Train(t.Context(), func(b *Block) float64 {
		part := -1
		for _, c := range b.Pairs {
			for q := range s.Parts {
				if c >= s.First[q] && c < s.First[q+1] {
					part = q
				}
			}
			negative := b.Negative()
			if negative < s.First[part] || negative >= s.First[part+1] {
				t.Fatalf("negative %d of part %d", negative, part)
			}
			if part == 1 {
				drawn[negative]++
				n++
			}
		}
		return 0
	}, trainers.Training{Vector: empty})
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for at := s.First[1]; at < s.First[2]; at++ {
		sum += math.Sqrt(s.columns[s.Words[at]])
	}
	for at := s.First[1]; at < s.First[2]; at++ {
		p := math.Sqrt(s.columns[s.Words[at]]) / sum
		if got := float64(drawn[at]) / float64(n); math.Abs(got-p) > 5*math.Sqrt(p/float64(n)) {
			t.Errorf("context %d: drawn with frequency %v, want %v", at, got, p)
		}
	}
}

// The blocks are the same for any number of threads, and no two at once share a word or a context.
func TestSameForAnyNumberOfThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	m := countstest.Groups(300, 10)
	var first [][2]int32
	for _, threads := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(threads)
		s, err := New(t.Context(), m, Params{Passes: 2, Samples: 20_000, Noise: 0.75, Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		seen := make([][][2]int32, m.Rows) // by word, which only one worker has at a time
		if _, err := s.Train(t.Context(), func(b *Block) float64 {
			for word, context := range b.Pairs {
				seen[word] = append(seen[word], [2]int32{context, b.Negative()})
			}
			return 0
		}, trainers.Training{Vector: empty}); err != nil {
			t.Fatal(err)
		}
		if all := slices.Concat(seen...); first == nil {
			first = all
		} else if !slices.Equal(first, all) {
			t.Errorf("other pairs with %d threads", threads)
		}
	}
}

func TestErrors(t *testing.T) {
	good := Params{Passes: 1, Samples: 10}
	m := countstest.Groups(30, 10)
	bad := *m
	bad.Value = slices.Clone(m.Value)
	bad.Value[4] = math.NaN()
	for _, c := range []struct {
		want string
		m    *sparse.Matrix[float64]
		p    Params
	}{
		{"samples -1", m, Params{Passes: 1, Samples: -1}},
		{"take a lower filter", m, Params{Passes: 1, Samples: 1, Filter: 1e6}},
		{"word 0, context 4: the count is NaN", &bad, good},
		{"square", &sparse.Matrix[float64]{Rows: 1, Cols: 2, Start: []int64{0, 1}, Index: []int32{1}, Value: []float64{1}}, good},
		{"nothing to learn", &sparse.Matrix[float64]{Rows: 2, Cols: 2, Start: []int64{0, 0, 0}}, good},
	} {
		if _, err := New(t.Context(), c.m, c.p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	s, err := New(t.Context(), m, good)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Train(t.Context(), func(*Block) float64 { return math.NaN() }, trainers.Training{Vector: empty}); err == nil || !strings.Contains(err.Error(), "pass 1 of 1: the loss is no longer a number") {
		t.Errorf("error of a loss that is no number: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Train(ended, nil, trainers.Training{Vector: empty}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of an ended context", err)
	}
}
