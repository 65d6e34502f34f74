package method

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/ot"
)

// LocallyScaledAverage is Average with ground costs M_ij/√(r_i r_j), where r_i is the mean cost from bin i to its
// scaledBy nearest others [Zelnik-Manor and Perona 2004; Jégou, Harzallah, Schmid 2007]. So what is near to many, a
// hub, becomes further. The mean cost between different bins stays.
type LocallyScaledAverage struct{ Average }

// WhitenedAverage is Average with ground costs between centroids that are whitened as words are by their frequency
// [Yokoi, Bao, Kurita, Shimodaira 2024, Zipfian Whitening]. Let p be the words' shares of the corpus, μ = Σ p_w v_w
// and Σ p_w (v_w − μ)(v_w − μ)ᵀ = U S Uᵀ. Then a centroid c becomes S^(−1/2) Uᵀ (c − μ). The words are those that the
// source numbers: of a space, those of the texts.
type WhitenedAverage struct{ Average }

// UnsupervisedAverage is Average with ground costs learned without labels [Huizing, Cantini, Peyré 2021, Unsupervised
// Ground Metric Learning using Wasserstein Singular Vectors]. The histograms of unsupervisedWords words are the rows
// of a matrix. Costs between its columns, the bins, are transport costs over those between its rows, and those
// between rows are over those between columns,
//
//	B ∝ W_A(columns) + τ L1(columns),  A ∝ W_B(rows) + τ L1(rows)
//
// by power iterations from the discrete metric. The mean cost between different bins is that of the centroids.
type UnsupervisedAverage struct{ Average }

const (
	scaledBy          = 10
	unsupervisedWords = 100
	learnedIterations = 8
	learnedNorm       = 0.1  // τ
	learnedReg        = 0.05 // λ of these transport costs, of which the largest is 1
	learnedSmoothing  = 0.01 // share of all histograms that is uniform, so that none is empty
	leastVariance     = 1e-6 // of the largest: directions with less are left out
)

// Validate implements Method.
func (m LocallyScaledAverage) Validate() error { return checkAltered(m, m.Histograms) }

// Validate implements Method.
func (m WhitenedAverage) Validate() error { return checkAltered(m, m.Histograms) }

// Validate implements Method.
func (m UnsupervisedAverage) Validate() error { return checkAltered(m, m.Histograms) }

// checkAltered refuses a mix, whose points are no bins.
func checkAltered(m any, h Histograms) error {
	if err := check(m); err != nil {
		return err
	}
	if h.Mix > 0 {
		return wrong("mix", "above 0, but costs to points are as they were: expected 0")
	}
	return h.Validate()
}

// Needs implements Method.
func (m UnsupervisedAverage) Needs() Needs {
	n := m.Average.Needs()
	n.Engine = m.costCounts() // which solves transport problems to learn the cost
	return n
}

// Scorer implements Method.
func (m LocallyScaledAverage) Scorer(ctx context.Context, s Source, pairs []Pair) (Scorer, error) {
	return m.scorer(ctx, altered{s, func(_ context.Context, _ Cost, _ Bins, _ float64, c ot.Cost) (ot.Cost, error) {
		return locallyScaled(c), nil
	}}, pairs, m)
}

// Scorer implements Method.
func (m WhitenedAverage) Scorer(ctx context.Context, s Source, pairs []Pair) (Scorer, error) {
	alter := func(ctx context.Context, c Cost, b Bins, reg float64, _ ot.Cost) (ot.Cost, error) {
		centroids, err := s.Centroids(ctx, b)
		if err != nil {
			return ot.Cost{}, err
		}
		vectors, dim, err := s.Vectors(ctx, b.Kind, false)
		if err != nil {
			return ot.Cost{}, err
		}
		p, err := s.Probability(ctx, OfCorpus)
		if err != nil {
			return ot.Cost{}, err
		}
		if len(centroids) != b.Clusters*dim {
			return ot.Cost{}, fmt.Errorf("method: %d coordinates of %d centroids, and vectors of dimension %d",
				len(centroids), b.Clusters, dim)
		}
		white, n, err := whitened(centroids, vectors, dim, p)
		if err != nil {
			return ot.Cost{}, err
		}
		g, err := c.Ground(white[:b.Clusters*n], b.Clusters, reg, s.Seed(ShuffledStream))
		if err != nil {
			return ot.Cost{}, err
		}
		return g.Cost, nil
	}
	return m.scorer(ctx, altered{s, alter}, pairs, m)
}

// Scorer implements Method.
func (m UnsupervisedAverage) Scorer(ctx context.Context, s Source, pairs []Pair) (Scorer, error) {
	alter := func(ctx context.Context, _ Cost, b Bins, _ float64, c ot.Cost) (ot.Cost, error) {
		e, err := s.Estimates(ctx, m.Estimates, b)
		if err != nil {
			return ot.Cost{}, err
		}
		var rows []float32
		for i := 0; i < e.Len() && len(rows) < unsupervisedWords*e.K; i++ {
			if e.Known[i] {
				rows = append(rows, e.Row(i)...)
			}
		}
		learned, err := learnedCost(ctx, s.Engine(), ot.Histograms{K: e.K, Data: rows})
		if err != nil {
			return ot.Cost{}, fmt.Errorf("method: learning a ground cost: %w", err)
		}
		return asLarge(learned, c), nil
	}
	return m.scorer(ctx, altered{s, alter}, pairs, m)
}

// altered is a source whose ground costs are altered.
type altered struct {
	Source
	alter func(ctx context.Context, c Cost, b Bins, reg float64, cost ot.Cost) (ot.Cost, error)
}

// Ground implements Source.
func (a altered) Ground(ctx context.Context, c Cost, b Bins, reg float64) (*ground.Ground, error) {
	g, err := a.Source.Ground(ctx, c, b, reg)
	if err != nil {
		return nil, err
	}
	other := *g
	if other.Cost, err = a.alter(ctx, c, b, reg, g.Cost); err != nil {
		return nil, err
	}
	return &other, nil
}

// CostMatrix implements Source.
func (a altered) CostMatrix(ctx context.Context, c Cost, b Bins, reg float64) (ot.Cost, error) {
	cost, err := a.Source.CostMatrix(ctx, c, b, reg)
	if err != nil {
		return cost, err
	}
	return a.alter(ctx, c, b, reg, cost)
}

// locallyScaled returns M_ij/√(r_i r_j), with the mean of M. Bins whose nearest ones cost nothing stay as they are.
func locallyScaled(c ot.Cost) ot.Cost {
	near := make([]float64, c.K)
	for i := range near {
		others := slices.Delete(slices.Clone(c.Data[i*c.K:(i+1)*c.K]), i, i+1)
		slices.Sort(others)
		n := min(scaledBy, len(others))
		for _, x := range others[:n] {
			near[i] += float64(x) / float64(n)
		}
		if near[i] == 0 {
			near[i] = 1
		}
	}
	scaled := ot.Cost{K: c.K, Data: make([]float32, len(c.Data))}
	for at, x := range c.Data {
		scaled.Data[at] = float32(float64(x) / math.Sqrt(float64(near[at/c.K]*near[at%c.K])))
	}
	return asLarge(scaled, c)
}

// asLarge scales a cost to the mean of another, of pairs of different bins.
func asLarge(c, other ot.Cost) ot.Cost {
	mean := func(c ot.Cost) (sum float64) {
		for at, x := range c.Data {
			if at/c.K != at%c.K {
				sum += float64(x)
			}
		}
		return sum
	}
	own := mean(c)
	if own == 0 {
		return c
	}
	scale := mean(other) / own
	for at := range c.Data {
		c.Data[at] = float32(float64(c.Data[at]) * scale)
	}
	return c
}

// whitened returns points by the mean and the covariance of vectors, which weigh p, in n ≤ dim dimensions.
func whitened(points, vectors []float32, dim int, p []float64) (white []float32, n int, err error) {
	total, mean := 0.0, make([]float64, dim)
	of := func(i int) []float32 { return vectors[i*dim : (i+1)*dim] }
	for i, share := range p {
		if isZero(of(i)) {
			continue
		}
		total += share
		for d, x := range of(i) {
			mean[d] += float64(share * float64(x))
		}
	}
	if total == 0 {
		return nil, 0, wrong("vectors", "of the words of no text, expected a text with one")
	}
	for d := range mean {
		mean[d] /= total
	}
	rows := mat.NewDense(len(p), dim, nil)
	for i, share := range p {
		if isZero(of(i)) {
			continue
		}
		weight := math.Sqrt(share / total)
		for d, x := range of(i) {
			rows.Set(i, d, weight*(float64(x)-mean[d]))
		}
	}
	var covariance mat.SymDense
	covariance.SymOuterK(1, rows.T())
	var eigen mat.EigenSym
	if !eigen.Factorize(&covariance, true) {
		return nil, 0, fmt.Errorf("method: the covariance of %d vectors has no eigenvalues", len(p))
	}
	values := eigen.Values(nil)
	var directions mat.Dense
	eigen.VectorsTo(&directions)
	most := values[dim-1]
	for d := range dim {
		if values[d] > leastVariance*most {
			n++
		}
	}
	if n == 0 {
		return nil, 0, wrong("vectors", "all equal, expected words that differ")
	}
	for lo := 0; lo < len(points); lo += dim {
		for j := dim - n; j < dim; j++ {
			sum := 0.0
			for d, x := range points[lo : lo+dim] {
				sum += float64((float64(x) - mean[d]) * directions.At(d, j))
			}
			white = append(white, float32(sum/math.Sqrt(values[j])))
		}
	}
	return white, n, nil
}

// learnedCost returns the cost between the columns of rows, of which the largest is 1.
func learnedCost(ctx context.Context, e ot.Engine, rows ot.Histograms) (ot.Cost, error) {
	n, k := rows.Len(), rows.K
	if n < 2 {
		return ot.Cost{}, wrong("estimates", "of fewer than two words, expected texts with more")
	}
	columns := ot.Histograms{K: n, Data: make([]float32, n*k)}
	for i := range n {
		for j, x := range rows.Row(i) {
			columns.Data[j*n+i] = x
		}
	}
	smooth(rows)
	smooth(columns)
	bins := ot.Cost{K: k, Data: make([]float32, k*k)}
	for i := range bins.Data {
		if i/k != i%k {
			bins.Data[i] = 1
		}
	}
	for range learnedIterations {
		words, err := between(ctx, e, rows, bins)
		if err != nil {
			return bins, err
		}
		if bins, err = between(ctx, e, columns, words); err != nil {
			return bins, err
		}
	}
	return bins, nil
}

// smooth makes the sums of rows 1, with a share that is uniform.
func smooth(h ot.Histograms) {
	for i := range h.Len() {
		row, sum := h.Row(i), 0.0
		for _, x := range row {
			sum += float64(x)
		}
		for j, x := range row {
			share := 0.0
			if sum > 0 {
				share = float64(x) / sum
			} else {
				share = 1 / float64(h.K)
			}
			row[j] = float32(float64((1-learnedSmoothing)*share) + learnedSmoothing/float64(h.K))
		}
	}
}

// between returns the costs between the rows of h, Sinkhorn divergences over a cost and τ times half their L1 distance,
// all divided by the largest.
func between(ctx context.Context, e ot.Engine, h ot.Histograms, c ot.Cost) (ot.Cost, error) {
	n := h.Len()
	p := &ot.Problem{Settings: ot.Settings{Reg: learnedReg, MaxIter: 200, Tol: 1e-4}, Cost: c, Rows: h}
	for i := range n {
		for j := i; j < n; j++ {
			p.Pairs = append(p.Pairs, ot.Pair{Source: int32(i), Target: int32(j)})
		}
	}
	results, err := ot.Distances(ctx, e, p)
	if err != nil {
		return ot.Cost{}, err
	}
	own := make([]float64, n)
	for at, pair := range p.Pairs {
		if pair.Source == pair.Target {
			own[pair.Source] = results[at].Cost
		}
	}
	out := ot.Cost{K: n, Data: make([]float32, n*n)}
	most := float32(0)
	for at, pair := range p.Pairs {
		i, j := int(pair.Source), int(pair.Target)
		if i == j {
			continue
		}
		apart := 0.0
		for k, x := range h.Row(i) {
			apart += float64(math.Abs(float64(x)-float64(h.Row(j)[k])) / 2)
		}
		value := float32(max(0, results[at].Cost-float64((own[i]+own[j])/2)) + float64(learnedNorm*apart))
		out.Data[i*n+j], out.Data[j*n+i] = value, value
		most = max(most, value)
	}
	for at := range out.Data {
		if most > 0 {
			out.Data[at] /= most
		}
	}
	return out, nil
}
