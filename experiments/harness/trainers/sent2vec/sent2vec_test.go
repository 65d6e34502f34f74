package sent2vec

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/corpus"
)

func params() Params {
	return Params{Dim: 20, Epochs: 3, Rate: 0.2, NGrams: 2, Buckets: 500, Dropout: 2, Negatives: 5, Subsample: 1e-2, MinTarget: 1, Seed: 1}
}

// world is a text of topics: words of a sentence are of one topic, or of none.
func world(t *testing.T, sentences, topics int) (corpus.Text, *corpus.Vocabulary) {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 0))
	var b strings.Builder
	for range sentences {
		topic := random.IntN(topics)
		for range 4 + random.IntN(8) {
			if random.IntN(4) == 0 {
				fmt.Fprintf(&b, "the%d ", random.IntN(5))
			} else {
				fmt.Fprintf(&b, "t%dw%d ", topic, random.IntN(12))
			}
		}
		b.WriteString(".\n")
	}
	path := filepath.Join(t.TempDir(), "text.txt")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	text := corpus.Text{Files: []string{path}, Tokenised: true}
	v, _, err := corpus.BuildVocabulary(t.Context(), text, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	return text, v
}

func train(t *testing.T, text corpus.Text, v *corpus.Vocabulary, p Params) *Result {
	t.Helper()
	r, err := Train(t.Context(), Source{text, v, t.TempDir()}, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// counts are those of the words of random, in a text of 27.
var counts = []int64{9, 8, 4, 3, 2, 1}

// random makes a trainer with random parameters.
func random(t *testing.T, p Params) *trainer {
	t.Helper()
	tr, err := newTrainer(counts, 27, p)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(5, 0))
	for i := range tr.inputs() + tr.words {
		for k := range p.Dim {
			tr.row(i)[k] = float32(random.NormFloat64())
		}
	}
	return tr
}

// A step moves all parameters by the rate times the gradients of the documented loss, computed in float64 by central
// differences: each of the terms moves the rows of its context, and the row of its negative from where the terms of
// the words foretold before have left it.
func TestStepFollowsTheGradient(t *testing.T) {
	p := params()
	p.Dim, p.Buckets, p.Subsample = 7, 4, 10 // every word is foretold
	for i, words := range [][]int32{{1, 2, 3, 4, 5}, {1, 2}, {6, 1, 6, 6, 2, 6}, {1, 2, 3, 4, 5}, {6, 1, 6, 6, 2, 6, 3, 4, 5, 1, 3}, {6, 1, 6, 6, 2, 6, 3, 4, 5, 1, 3}} {
		p.NGrams = 1 + i%2
		tr := random(t, p)
		before := slices.Clone(tr.parameters)
		x, moved := make([]float64, len(before)), make([]float64, len(before))
		for i, v := range before {
			x[i] = float64(v)
		}
		const rate = 1e-2
		s := &sentence{words: slices.Clone(words)}
		seed := func() *rand.PCG { return rand.NewPCG(8, 8) }
		tr.gradient(s, seed(), rate)
		for part := range parts {
			tr.apply([]*cursor{{sentence: *s}}, part)
		}

		loss := 0.0
		row := func(of []float64, i int) []float64 { return of[i*tr.stride:][:p.Dim] }
		term := func(context []int32, u []float64, sign float64) float64 {
			score := 0.0
			for k := range p.Dim {
				h := 0.0
				for _, c := range context {
					h += row(x, int(c))[k]
				}
				score += h / float64(len(context)) * u[k]
			}
			return math.Log1p(math.Exp(-sign * score))
		}
		step := func(place []float64, loss func() float64) []float64 {
			const h = 1e-5
			steps := make([]float64, len(place))
			for k, at := range place {
				place[k] = at + h
				up := loss()
				place[k] = at - h
				steps[k] = -rate * (up - loss()) / (2 * h)
				place[k] = at
			}
			return steps
		}
		move := func(context []int32, output int32, u []float64, sign float64) {
			now := func() float64 { return term(context, u, sign) }
			loss += now()
			distinct := slices.Compact(slices.Sorted(slices.Values(context)))
			for _, c := range distinct {
				for k, d := range step(row(x, int(c)), now) {
					row(moved, int(c))[k] += d
				}
			}
			for k, d := range step(u, now) {
				row(moved, tr.inputs()+int(output))[k] += d
				if sign < 0 {
					u[k] += d
				}
			}
		}
		again, room := seed(), &sentence{words: slices.Clone(words)} // the same draws
		for range words {
			uniform(again)
		}
		for first := 0; first < len(words); first += together {
			targets := words[first:min(first+together, len(words))]
			contexts := make([][]int32, len(targets))
			for i, target := range targets {
				context := slices.Clone(words)
				context[first+i] = 0
				tr.drop(room, again)
				contexts[i] = append(context, p.Grams(nil, context, tr.words, room.dropped)...)
				move(contexts[i], target, slices.Clone(row(x, tr.inputs()+int(target))), 1)
			}
			for range p.Negatives {
				word := tr.negative(again.Uint64())
				u := slices.Clone(row(x, tr.inputs()+int(word)))
				for i, target := range targets {
					if target != word {
						move(contexts[i], word, u, -1)
					}
				}
			}
		}
		if math.Abs(s.loss-loss) > 1e-5*loss || s.targets != len(words) {
			t.Fatalf("%v: loss %v of %d words, want %v of %d", words, s.loss, s.targets, loss, len(words))
		}
		for i, want := range moved {
			if got := float64(tr.parameters[i]) - float64(before[i]); math.Abs(got-want) > 1e-6+1e-3*math.Abs(want) {
				t.Fatalf("%v: row %d, component %d moved by %v, want %v", words, i/tr.stride, i%tr.stride, got, want)
			}
		}
	}
}

// As the original: bigrams of neighbours, none that touches a dropped place, by its hash.
func TestGrams(t *testing.T) {
	tr := random(t, params())
	words := []int32{3, 1, 0, 2}
	row := func(a, b uint64) int32 { return int32(7 + (a*116049371+b)%500) }
	if got, want := tr.p.Grams(nil, words, 7, nil), []int32{row(3, 1), row(1, 0), row(0, 2)}; !slices.Equal(got, want) {
		t.Errorf("bigrams %v, want %v", got, want)
	}
	if got, want := tr.p.Grams(nil, words, 7, []bool{false, false, false, true}), []int32{row(3, 1), row(1, 0)}; !slices.Equal(got, want) {
		t.Errorf("bigrams %v, want %v", got, want)
	}
	tr.p.NGrams = 3
	if got := tr.p.Grams(nil, words, 7, []bool{true, false, false, false}); len(got) != 3 || got[1] != int32(7+((1*116049371+0)*uint64(116049371)+2)%500) {
		t.Errorf("n-grams %v", got)
	}
	tr.p.Dropout = 3
	for n := 2; n < 8; n++ {
		s := &sentence{words: make([]int32, n)}
		tr.drop(s, rand.NewPCG(1, uint64(n)))
		dropped := 0
		for _, d := range s.dropped {
			if d {
				dropped++
			}
		}
		if dropped != min(3, n-2) {
			t.Errorf("%d of %d places dropped", dropped, n)
		}
	}
}

// Words are foretold with the documented probability, and rare ones never.
func TestSubsample(t *testing.T) {
	p := params()
	p.Subsample, p.MinTarget = 0.02, 3
	tr := random(t, p)
	times := make([]int, tr.words)
	words := []int32{1, 2, 3, 4, 5, 6}
	const n = 20_000
	for i := range n {
		s := &sentence{words: words}
		tr.gradient(s, rand.NewPCG(1, uint64(i)), 0)
		for _, place := range s.places {
			times[words[place]]++
		}
	}
	for i, c := range times {
		want := 0.0
		if i > 0 && counts[i-1] >= 3 {
			r := 0.02 / (float64(counts[i-1]) / 27)
			want = min(1, math.Sqrt(r)+r)
		}
		if got := float64(c) / n; math.Abs(got-want) > 5*math.Sqrt(0.25/n) {
			t.Errorf("word %d foretold with probability %.3f, want %.3f", i, got, want)
		}
	}
}

// Sentences of a topic come closer to each other than to those of
// others, and the loss falls far below that of knowing nothing.
// meanOf is the mean of the vectors of a sentence's words and n-grams.
func meanOf(r *Result, v *corpus.Vocabulary, p Params, words []string) []float32 {
	var rows, numbered []int32
	for _, word := range words {
		id, _ := v.ID(word)
		rows, numbered = append(rows, id), append(numbered, id+1)
	}
	rows = p.Grams(rows, numbered, v.Len(), nil)
	all, sum := slices.Concat(r.Vectors, r.Grams), make([]float32, p.Dim)
	for _, row := range rows {
		for k, x := range all[int(row)*p.Dim:][:p.Dim] {
			sum[k] += x / float32(len(rows))
		}
	}
	return sum
}

func TestTrainLearns(t *testing.T) {
	text, v := world(t, 4000, 8)
	p := params()
	p.Epochs = 8
	for _, p.NGrams = range []int{1, 2} {
		r := train(t, text, v, p)
		chance := float64(p.Negatives+1) * math.Ln2
		if last := r.Loss[p.Epochs-1]; last > 0.7*chance || last >= r.Loss[0] {
			t.Errorf("losses %v, of knowing nothing %v", r.Loss, chance)
		}
		right := 0
		for topic := range 8 {
			name := func(topic int, words ...int) (s []string) {
				for _, w := range words {
					s = append(s, fmt.Sprintf("t%dw%d", topic, w))
				}
				return append(s, "the1", ".")
			}
			mean := func(topic int, words ...int) []float32 { return meanOf(r, v, p, name(topic, words...)) }
			x := mean(topic, 1, 2, 3)
			if cosine(x, mean(topic, 7, 8, 9)) > cosine(x, mean((topic+1)%8, 7, 8, 9)) {
				right++
			}
		}
		if right < 8 {
			t.Errorf("%d-grams: %d of 8 topics found", p.NGrams, right)
		}
	}
}

func cosine(x, y []float32) float64 {
	var xy, xx, yy float64
	for k := range x {
		xy += float64(x[k]) * float64(y[k])
		xx += float64(x[k]) * float64(x[k])
		yy += float64(y[k]) * float64(y[k])
	}
	return xy / math.Sqrt(xx*yy)
}

func TestSameBitsForAnyNumberOfThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	text, v := world(t, 500, 4)
	var first []float32
	for _, threads := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(threads)
		if r := train(t, text, v, params()); first == nil {
			first = r.Vectors
		} else if !slices.Equal(first, r.Vectors) {
			t.Errorf("other vectors with %d threads", threads)
		}
	}
	p := params()
	p.Seed = 2
	if slices.Equal(first, train(t, text, v, p).Vectors) {
		t.Error("the same vectors with another seed")
	}
}

// Every sentence is read once an epoch, whole up to 256 words, whatever the length of the text.
func TestReaders(t *testing.T) {
	for _, sentences := range []int{1, 3, 63, 64, 65, 1000} {
		ids := []int32{corpus.SentenceEnd}
		words := 0
		for i := range sentences {
			for range 1 + i*37%300 {
				ids = append(ids, int32(words))
				words++
			}
			ids = append(ids, corpus.SentenceEnd)
		}
		seen := make([]int, words)
		ids = append(ids, corpus.SentenceEnd)
		cursors := cut(ids, 64)
		for step := next(cursors, ids); len(step) > 0; step = next(cursors, ids) {
			for _, c := range step {
				for i, id := range c.words {
					seen[id-1]++
					if i > 0 && id != c.words[i-1]+1 || len(c.words) > longest {
						t.Fatalf("sentence %v", c.words)
					}
				}
			}
		}
		for i, n := range seen {
			if n != 1 {
				t.Fatalf("%d sentences: word %d read %d times", sentences, i, n)
			}
		}
	}
}

func TestTrainErrors(t *testing.T) {
	text, v := world(t, 20, 2)
	with := func(change func(p *Params)) Params {
		p := params()
		change(&p)
		return p
	}
	other, err := corpus.NewVocabulary([]string{"absent", "."}, []int64{1, 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want string
		v    *corpus.Vocabulary
		p    Params
	}{
		{"dim 0", v, with(func(p *Params) { p.Dim = 0 })},
		{"epochs 0", v, with(func(p *Params) { p.Epochs = 0 })},
		{"rate NaN", v, with(func(p *Params) { p.Rate = math.NaN() })},
		{"ngrams 6", v, with(func(p *Params) { p.NGrams = 6 })},
		{"buckets 0", v, with(func(p *Params) { p.Buckets = 0 })},
		{"dropout -1", v, with(func(p *Params) { p.Dropout = -1 })},
		{"negatives 0", v, with(func(p *Params) { p.Negatives = 0 })},
		{"subsample 0", v, with(func(p *Params) { p.Subsample = 0 })},
		{"no longer a number", v, with(func(p *Params) { p.Rate = 1e30 })},
		{"nothing to tell apart", other, params()},
	} {
		if _, err := Train(t.Context(), Source{text, c.v, t.TempDir()}, c.p, nil); err == nil || !strings.HasPrefix(err.Error(), "sent2vec: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Train(ended, Source{text, v, t.TempDir()}, params(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of an ended context", err)
	}
}

// Progress ends at the whole, and nothing is left in the scratch folder.
func TestProgress(t *testing.T) {
	text, v := world(t, 300, 2)
	dir := t.TempDir()
	var last, of int64
	r, err := Train(t.Context(), Source{text, v, dir}, params(), func(done, total int64) {
		if done < last {
			t.Errorf("progress %d after %d", done, last)
		}
		last, of = done, total
	})
	if err != nil {
		t.Fatal(err)
	}
	words := int64(0)
	for _, n := range v.Counts {
		words += n
	}
	if last != of || of != 3*words || len(r.Loss) != 3 {
		t.Errorf("progress ends at %d of %d, losses %v", last, of, r.Loss)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left: %v, %v", entries, err)
	}
}

// The kernels of this processor do what the portable ones do, and touch nothing else.
func TestKernelsAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for _, n := range []int{lanes, 3 * lanes, 704} {
		x, y := make([]float32, n+1), make([]float32, n+1)
		for k := range x {
			x[k], y[k] = float32(random.NormFloat64()), float32(random.NormFloat64())
		}
		for name, k := range kernels() {
			if a, b := k.dot(x[:n], y[:n], x[:n]), dotPortable(x[:n], y[:n], nil); math.Abs(float64(a-b)) > 1e-4 {
				t.Errorf("%s: products %v and %v of %d", name, a, b, n)
			}
			z, w := slices.Clone(y), slices.Clone(y)
			k.addScaled(z[:n], x[:n], 0.7, x[:n])
			addScaledPortable(w[:n], x[:n], 0.7, nil)
			for i := range z {
				if math.Abs(float64(z[i]-w[i])) > 1e-6 {
					t.Fatalf("%s: component %d of %d is %v and %v", name, i, n, z[i], w[i])
				}
			}
		}
	}
}

type kernel struct {
	addScaled func(y, x []float32, a float32, ahead []float32)
	dot       func(x, y, ahead []float32) float32
}
