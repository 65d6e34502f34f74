package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"contextmover/cmdlib/internal/nearest"
	"contextmover/cmdlib/internal/relaxation"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/sentence"
	"contextmover/internal/parallel"
	"contextmover/internal/printable"
)

// Hit is a sentence or document and how far it is.
type Hit struct {
	Distance float64
	// Text is the sentence as it stands in the text, or the document's first; lines that it was broken into with blanks
	// between.
	Text string
	// Path is the file that the sentence is in, as Add was given
	// it, and Number that of the line where it begins, from 1.
	Path   string
	Number int64
	// Equal is the number of sentences with this text that the index has, of which this is the first; 1 of a document.
	Equal int64
	// Position is that of the sentence or document in the index, from 0.
	Position int64
	// Document is what else there is of a document, nil for a sentence.
	Document *Document
}

// Line is a hit in a line: its place and text, between them a tab, and how often it occurs if that is more than once.
// Of a document it has the place, the title or else the first sentence, and the sentence that is nearest. Characters
// that are not printable are escaped.
func (h Hit) Line() string {
	path, d := printable.Text(h.Path), h.Document
	if d == nil {
		line := fmt.Sprintf("%s:%d\t%s", path, h.Number, printable.Text(h.Text))
		if h.Equal > 1 {
			line += fmt.Sprintf("\t%d times", h.Equal)
		}
		return line
	}
	return fmt.Sprintf("%s:%d-%d\t%s\t%s", path, h.Number, d.Last, printable.Text(cmp.Or(d.Title, h.Text)),
		printable.Text(d.Sentence.Text))
}

// Found are the sentences or documents nearest to a query.
type Found struct {
	// Words are the words of the query that have an estimate, Unknown the others.
	Words, Unknown []string
	// Nearest are the nearest sentences, nearest first.
	Nearest []Hit
	// Compared is the number of sentences or documents that were compared. By the context mover's distance they are
	// those with a word that has an estimate. Bounded is for how many of them the second bound was needed, Begun for
	// how many the third, and Solved for how many a transport problem was solved.
	Compared, Bounded, Begun, Solved int64
	// Approximate tells that not all sentences were compared, so that nearer ones may be missing (SearchVectors).
	Approximate bool
}

// leastSlack covers float32 rounding and the marginal errors of problems that converge.
const leastSlack = 1e-3

// Sizes of what is done at once. Results do not depend on them.
const (
	largestGroup = 64   // blocks
	refinedOnce  = 4096 // sentences whose histograms are made at once
	// sampled is about the number of sentences that potentials are
	// made for and sorted by, from at most sampledBlocks blocks.
	sampled, sampledBlocks = 1024, 16
	mostThinned            = 512 // words of such a sentence
)

// Search returns the n sentences to which query has the smallest distance, nearest first, equally near ones in the
// order of the index. The distance is cmdlib.Space.Distance, with the query and the sentences taken as sentences even
// if they are single words. There are fewer if the index has fewer with a known word. Equal sentences are one.
//
// All sentences are compared, in four steps. The bound (1), a sum of a number a word, rules out most. The relaxation
// of one side's constraint [Atasu and Mittelholzer 2019] and the bound (2), from a few iterations, rule out more.
// What is left is solved. A distance is the cost of a plan whose column sums miss the sentence's histogram by its
// marginal error ε. So it is at least the bound less 3ε/2 of the largest cost, and less ε/2 for the first two. A
// sentence is ruled out if its bound exceeds the n-th distance so far by slack·max C, where slack is 0.001 or four
// times the largest ε solved so far. The result is that of solving all, as long as no sentence that is ruled out
// would have 3ε/2 above slack.
//
// A query without any known word is a *cmdlib.UnknownError, n < 1
// another error, a block that is not what was written an ErrDamaged.
func (x *Index) Search(ctx context.Context, query string, n int) (*Found, error) {
	return x.search(ctx, query, n, nil)
}

// search searches the documents, or without any the sentences.
func (x *Index) search(ctx context.Context, query string, n int, documents []listed) (*Found, error) {
	if n < 1 {
		return nil, fmt.Errorf("search: %d are asked for, expected at least 1", n)
	}
	q, err := x.space.Sentence(ctx, query)
	if err != nil {
		return nil, err
	}
	found := &Found{Words: q.Words, Unknown: q.Unknown}
	run := x.searching(q.Histogram, n, found)
	if run.documents = documents; documents == nil {
		run.near.Merge = merge
	}
	if run.rows, run.columns, err = x.relaxed.Of(ctx, x.space.Cost); err != nil {
		return nil, err
	}
	if err := run.run(ctx); err != nil {
		return nil, err
	}
	return found, run.show(ctx, found)
}

// searching is the state of a search.
type searching struct {
	*Index
	documents     []listed // nil: sentences are searched
	query         []float32
	rows, columns *relaxation.Relaxation
	first         *potentials
	slack         float64
	near          nearest.Search[content]
	found         *Found // counts
	spared        int64  // by the third bound
}

// content is what a search knows of a sentence or document beside its position and its bound.
type content struct {
	ids       []int32
	histogram []float32
	equal     []int64 // of what is found: the positions of all with the same words, as far away
}

type candidate = nearest.Candidate[content]

// searching begins a search for n sentences or documents, which counts in found.
func (x *Index) searching(query []float32, n int, found *Found) *searching {
	s := &searching{Index: x, query: query, slack: leastSlack, found: found}
	s.near = nearest.Search[content]{
		N: n, First: max(4*n, 128), Most: refinedOnce, Refine: s.refine, Solve: s.solve,
		Limit: func(nth float64) float64 { return nth + float64(s.slack*s.largest) },
	}
	return s
}

// merge makes sentences with the same words one of those that are found.
func merge(first, next *candidate) bool {
	same := slices.Equal(first.Of.ids, next.Of.ids)
	if same {
		first.Of.equal = append(first.Of.equal, next.Of.equal...)
	}
	return same
}

func (s *searching) run(ctx context.Context) error {
	blocks := s.spread()
	if err := s.prepare(ctx, blocks); err != nil {
		return err
	}
	// Groups grow, so that the first tell what is near.
	for size := 1; len(blocks) > 0; size = min(2*size, largestGroup) {
		group := blocks[:min(size, len(blocks))]
		blocks = blocks[len(group):]
		list, err := s.scan(ctx, group)
		if err != nil {
			return err
		}
		if err := s.near.Run(ctx, list); err != nil {
			return err
		}
	}
	return nil
}

// spread returns the blocks in an order in which each part of them comes from all over the index.
func (s *searching) spread() []*block {
	n := len(s.blocks)
	step := max(1, int(float64(n)*(math.Sqrt(5)-1)/2))
	for gcd(step, n) > 1 {
		step++
	}
	list := make([]*block, n)
	for i := range list {
		list[i] = &s.blocks[i*step%n]
	}
	return list
}

func gcd(a, b int) int {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// fromPotentials is the number of sentences from which the potentials spare more time than they take. Tests set it.
var fromPotentials int64 = 1 << 15

// prepare makes the potentials for sentences from some blocks; none for a small index, which has no need of them.
func (s *searching) prepare(ctx context.Context, blocks []*block) error {
	s.first = new(potentials)
	if s.Sentences < fromPotentials || s.largest == 0 {
		return nil
	}
	l, err := s.landmarks(ctx, blocks)
	if err != nil || l.means == nil {
		return err
	}
	if s.first, err = s.potentialsFor(ctx, s.query, l.means); err != nil {
		return err
	}
	s.first.sort(l.ids, l.totals)
	return nil
}

// thinned is a copy of words; of many, some, evenly spaced, which
// tell enough of a document where no bound depends on them.
func thinned(ids []int32) (some []int32) {
	step := (len(ids) + mostThinned - 1) / mostThinned
	for i := 0; i < len(ids); i += step {
		some = append(some, ids[i])
	}
	return some
}

// total is the sum of the weights of words.
func (s *searching) total(ids []int32) (sum float64) {
	for _, id := range ids {
		sum += float64(s.weights[id])
	}
	return sum
}

// scan returns the sentences of a group of blocks that the first bound does not rule out.
func (s *searching) scan(ctx context.Context, group []*block) ([]candidate, error) {
	limit := s.near.Bound()
	lists, compared := make([][]candidate, len(group)), make([]int64, len(group))
	err := parallel.Workers(ctx, len(group), 1, func() (func(lo, hi int) error, func()) {
		var room []byte
		return func(at, _ int) (err error) {
			b := group[at]
			room, err = s.each(b, room, func(position int64, ids []int32) {
				total := s.total(ids)
				if total == 0 {
					return
				}
				compared[at]++
				if bound := s.first.bound(ids, total, limit); bound <= limit {
					lists[at] = append(lists[at], candidate{
						Position: position, Value: bound, Of: content{ids: slices.Clone(ids)},
					})
				}
			})
			return err
		}, func() {}
	})
	for _, n := range compared {
		s.found.Compared += n
	}
	return slices.Concat(lists...), err
}

// refine makes the histograms of candidates and sets their bounds to the
// larger of the two relaxations, or to a part of it above the limit.
func (s *searching) refine(ctx context.Context, list []candidate, limit float64) error {
	sentences := make([]sentence.Sentence, len(list))
	for i, c := range list {
		sentences[i] = c.Of.ids
	}
	h, err := s.words.Combine(ctx, sentences)
	if err != nil {
		return err
	}
	s.found.Bounded += int64(len(list))
	return parallel.Blocks(ctx, len(list), 32, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			c := &list[i]
			c.Of.histogram = h.Row(i)
			if c.Value <= limit {
				c.Value = max(c.Value, s.rows.Bound(s.query, c.Of.histogram, limit))
			}
			if c.Value <= limit {
				c.Value = max(c.Value, s.columns.Bound(c.Of.histogram, s.query, limit))
			}
		}
		return nil
	})
}

// few is the number of iterations that begin makes, for λ and
// for its half. It is worth them only where solving takes more.
const few = 16

// begin returns those candidates that the third bound does not rule out.
func (s *searching) begin(ctx context.Context, list []candidate) ([]candidate, error) {
	limit := s.near.Bound()
	if math.IsInf(limit, 1) || s.space.Settings.Transport.MaxIter < 4*few || len(list) == 0 {
		return list, nil
	}
	if s.found.Begun > 1000 && s.spared < s.found.Begun/2 {
		return list, nil // as with a small λ, for which it takes more iterations
	}
	bounds, err := s.thirdBounds(ctx, list)
	if err != nil {
		return nil, err
	}
	s.found.Begun += int64(len(list))
	var rest []candidate
	for i, c := range list {
		if bounds[i] <= limit {
			rest = append(rest, c)
		}
	}
	s.spared += int64(len(list) - len(rest))
	return rest, nil
}

// thirdBounds are bounds of the regularised distance itself. With the value W_λ of the regularised problem
// (ot.Result.Value), which is concave in λ and has the derivative KL(T|a⊗b) there, the cost of the plan T of λ is
//
//	⟨T, C⟩ = W_λ − λ·W_λ' ≥ W_λ − λ·(W_λ − W_λ/2)/(λ/2) = 2·W_λ/2 − W_λ                                  (2)
//
// A few iterations give a dual value V ≤ W_λ/2, and for λ a plan that is optimal for a histogram
// of columns which misses b by ε. The mass ε/2 that is elsewhere costs at most ε/2·max C to
// move, which brings no information; and the potentials of columns differ by at most max C, so
// the dual value at b is at most ε/2·max C from that of the other. So W_λ ≤ V + ε·max C.
func (s *searching) thirdBounds(ctx context.Context, list []candidate) ([]float64, error) {
	rows, pairs := s.problems(list)
	reg := s.space.Settings.Transport.Reg
	var results [2][]ot.Result
	for i, reg := range []float64{reg, reg / 2} {
		var err error
		p := &ot.Problem{
			Settings: ot.Settings{Reg: reg, MaxIter: few}, Cost: s.space.Cost, Rows: rows, Pairs: pairs, Values: true,
		}
		if results[i], err = ot.Distances(ctx, cpu.New(), p); err != nil {
			return nil, err
		}
	}
	bounds := make([]float64, len(list))
	for i := range bounds {
		whole, half := results[0][i], results[1][i]
		bounds[i] = float64(2*half.Value) - whole.Value - float64(whole.MarginalError*s.largest)
	}
	return bounds, nil
}

// problems are the rows and pairs of moving the query to candidates.
func (s *searching) problems(list []candidate) (ot.Histograms, []ot.Pair) {
	rows := ot.Histograms{K: s.space.Cost.K, Data: slices.Clone(s.query)}
	pairs := make([]ot.Pair, len(list))
	for i, c := range list {
		rows.Data = append(rows.Data, c.Of.histogram...)
		pairs[i] = ot.Pair{Source: 0, Target: int32(i + 1)}
	}
	return rows, pairs
}

// solve solves the problems of those candidates that the third bound does not rule out.
func (s *searching) solve(ctx context.Context, list []candidate) ([]candidate, error) {
	list, err := s.begin(ctx, list)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	rows, pairs := s.problems(list)
	results, err := s.space.Transport(ctx, rows, pairs)
	if err != nil {
		return nil, err
	}
	for i, r := range results {
		list[i].Value, list[i].Of = r.Cost, content{ids: list[i].Of.ids, equal: []int64{list[i].Position}}
		s.slack = max(s.slack, 4*r.MarginalError)
	}
	s.found.Solved += int64(len(list))
	return list, nil
}

// show sets what is found, with the texts.
func (s *searching) show(ctx context.Context, found *Found) error {
	places := newPlaces(s.Index)
	if s.documents != nil {
		for _, c := range s.near.Nearest {
			hit, err := s.shown(ctx, c, places)
			if err != nil {
				return err
			}
			found.Nearest = append(found.Nearest, hit)
		}
		return nil
	}
	var hits []Hit
	for _, c := range s.near.Nearest {
		for _, position := range c.Of.equal {
			hits = append(hits, Hit{Distance: c.Value, Position: position})
		}
	}
	slices.SortFunc(hits, nearer)
	hits, err := places.distinct(hits)
	if err != nil {
		return err
	}
	found.Nearest = hits[:min(len(hits), s.near.N)]
	return parallel.Blocks(ctx, len(found.Nearest), 1, func(i, _ int) error {
		return places.fill(ctx, &found.Nearest[i])
	})
}

// blockOf is the block of a sentence.
func (x *Index) blockOf(position int64) *block {
	return &x.blocks[sort.Search(len(x.blocks), func(i int) bool { return x.blocks[i].end() > position })]
}
