// Package ot states discrete optimal transport problems between histograms that
// share one ground cost, and what an engine that solves them must return.
//
// For a source histogram a and a target histogram b over K bins, a ground cost M
// (K×K, row = source bin) and a regularisation λ > 0, the entropic transport plan is
//
//	T = argmin ⟨T, M⟩ + λ Σ T_ij ln T_ij   over T ≥ 0, T·1 = a, Tᵀ·1 = b      (1)
//
// and the reported distance is the linear cost ⟨T, M⟩ of that plan, without the
// entropy term and without a root [Singh et al. 2020, section 3; Cuturi 2013].
//
// A Problem or BarycenterProblem goes into an Engine, Results come out. Engines keep no state between calls, but for
// what Engine.Prepare makes of a cost, and may be used concurrently.
package ot

import "context"

// Histograms is a dense N×K matrix of histograms in row-major order:
// bin k of histogram i is Data[i*K+k].
type Histograms struct {
	K    int
	Data []float32
}

// Len returns the number of histograms, len(Data)/K.
func (h Histograms) Len() int { return len(h.Data) / h.K }

// Row returns histogram i; the slice aliases Data.
func (h Histograms) Row(i int) []float32 { return h.Data[i*h.K : (i+1)*h.K : (i+1)*h.K] }

// Cost is a K×K ground cost in row-major order: Data[i*K+j] ≥ 0 is the cost of
// moving one unit of mass from source bin i to target bin j. It need not be
// symmetric, nor zero on the diagonal.
type Cost struct {
	K    int
	Data []float32
}

// Settings are the knobs of a Sinkhorn iteration.
type Settings struct {
	// Reg is λ in (1), in the units of the cost. It must be positive and at least 1e-9
	// of the largest cost.
	Reg float64 `json:"reg"`
	// MaxIter bounds the number of iterations; it must be at least 1. One iteration
	// updates both scaling vectors once.
	MaxIter int `json:"max_iterations"`
	// Tol stops a problem early. For distances: when the L1 distance between the
	// column sums of T and b is at most Tol. For barycenters: when the sum over bins
	// of the standard deviation over the group's members of their current barycenter
	// estimates is at most Tol (POT's rule, with 1e-4 in the paper's code); for debiased
	// ones that sum plus the L1 change of the normalised barycenter in the last
	// iteration (1 in the first), since a group of one member always agrees with itself. Zero runs all MaxIter
	// iterations. Convergence is looked at in iterations 10, 20, 30, … (distances)
	// and 1, 11, 21, … (barycenters), and after the last one. Rounding sets a floor. In float32 the least errors are
	// about 1e-6 for distances, which run to MaxIter below that, and 2⁻¹⁹ ≈ 2e-6 for barycenters, where a smaller Tol
	// stops them as 2⁻¹⁹ does and leaves Converged false. Those that float32 cannot solve, and all of reference, get
	// to 2⁻²³ ≈ 1e-7, what rounding the histogram to float32 leaves.
	Tol float64 `json:"tolerance"`
	// Accelerate lets an engine reach Tol > 0 in fewer iterations: cpu and reference over-relax each problem by an ω
	// that they choose from its own rate of convergence. That is for distances, whose row sums of T are still exact,
	// and for barycenters that are neither debiased nor from an unweighted start. The paper's settings never do. The
	// limit is that of plain iterations.
	Accelerate bool `json:"accelerate,omitempty"`
}

// Pair names the source and the target row of one transport problem.
type Pair struct{ Source, Target int32 }

// Problem is a batch of transport problems that share one cost: problem p moves
// Rows.Row(Pairs[p].Source) to Rows.Row(Pairs[p].Target).
//
// Rows sum to 1 within MassTolerance. If two sums differ there is no plan between them. So a row whose sum is further
// from 1 than 2⁻²⁰, more than rounding to float32 explains, is divided by its sum first. In (1), and in all that is
// said of results, a and b are such rows. All engines do so, by Normalised, and so does Explicit, for package exact.
// Other rows are taken as they are: a marginal error below the difference of their sums, at most 2⁻¹⁹, cannot be had.
type Problem struct {
	Settings
	Cost  Cost
	Rows  Histograms
	Pairs []Pair
	// Border, if not nil, adds one private support point to each side (mixed
	// estimates, section 3.4 of the paper).
	Border *Border
	// Penalty is ρ of unbalanced transport: the sums of T may differ
	// from the histograms, which costs, in the units of the cost,
	//
	//	min ⟨T, M⟩ + λ KL(T | a⊗b) + ρ KL(T·1 | a) + ρ KL(Tᵀ·1 | b)                     (9)
	//
	// [Chizat, Peyré, Schmitzer, Vialard 2018; with this entropy Séjourné et al. 2019]. 0 stands for ∞, the plans of
	// (1), which are the limit of large ρ; for ρ → 0 the plan becomes a_i b_j exp(−M_ij/λ), which is what λ alone
	// asks for and for small λ has only mass whose transport costs nothing. With a penalty Settings.Accelerate has no
	// effect, as nothing proves that relaxed steps converge, and Plan.Bound is 0. Engines that have no unbalanced
	// transport return an error that is
	// errors.ErrUnsupported.
	Penalty float64
	// Values asks for Result.Value. Engines that cannot tell it return an error that is errors.ErrUnsupported.
	Values bool
}

// Border describes mixed estimates: histogram i keeps the share 1−Mass of its mass and puts Mass on a support point
// of its own. The problem of pair (i, j) then has K+1 bins on each side. They are the point of i, or of j, and then
// the K shared ones.
//
// Its costs are in the same units as Problem.Cost, that is, already normalised
// and clipped.
type Border struct {
	// Mass is m in [0, 1).
	Mass float64
	// FromPoint is N×K: row i is the cost from the point of histogram i to each shared bin.
	FromPoint []float32
	// ToPoint is N×K: row i is the cost from each shared bin to the point of histogram i.
	// It may be the same slice as FromPoint where the cost is symmetric.
	ToPoint []float32
	// Between has one entry a pair: the cost from the source's point to the target's.
	Between []float32
}

// Result is the outcome of one transport problem.
type Result struct {
	// Cost is ⟨T, M⟩ of the final plan.
	Cost float64
	// Iterations is the number of iterations done.
	Iterations int
	// MarginalError is the L1 distance between the column sums of T and b (the row
	// sums of T equal a by construction), computed from the final plan. With a penalty it is the L1 distance between
	// the column sums and those that the next half of an iteration gives, as a part of the mass that moves.
	MarginalError float64
	// Moved is the sum of T where there is a penalty, else 0.
	Moved float64
	// Converged tells whether MarginalError ≤ Tol (always false for Tol = 0).
	Converged bool
	// Value is, where Problem.Values asks for it and else 0, what T minimises, in the units of the cost and with the
	// entropy relative to the product of the histograms, as in Feydy et al. [2019, equation 2],
	//
	//	OT_λ(a, b) = min ⟨T, M⟩ + λ KL(T | a⊗b),  KL(T | S) = Σ T_ij ln(T_ij / S_ij) − Σ T_ij + Σ S_ij     (4)
	//
	// over the plans of (1), which has the same minimiser. It is the value Σ a_i f_i + Σ b_j g_j of the dual
	// problem at the potentials of T (see Plan): at most OT_λ after any number of iterations, and short of it by
	// the square of what T is short of. Computed in float32 it is off by about λ·2⁻²⁰, whatever the cost. With a
	// penalty it is the dual value of (9), at F and at what becomes of G in the next half of an iteration.
	Value float64
}

// Plan is a transport plan of one pair: Mass[i*Cols+j] moved from source bin i to target bin j. With a border, row 0
// and column 0 are the border's points.
type Plan struct {
	Result
	Rows, Cols int
	Mass       []float64
	// F (length Rows) and G (length Cols) are the dual potentials, in the units of the cost:
	//
	//	T_ij = a_i b_j exp((f_i + g_j − M_ij)/λ)                                        (5)
	//
	// for all bins, those without mass too; see Problem.Plan. They are unique up to a constant that moves from F
	// to G. By the envelope theorem the gradient of OT_λ (4) is F in the source histogram, G in the target histogram,
	// each up to a constant along histograms, which sum to 1, and Mass in the cost [Peyré, Cuturi 2019, section 4.5].
	// That is the gradient of the converged value alone: after a fixed number of iterations the potentials still
	// change with the histograms and the cost, and the error of all three is of the order of MarginalError. With a
	// penalty (5) still holds, and the gradient of (9) in the source is (ρ+λ)(1 − exp(−f_i/ρ)), in the target the same
	// of G. Package exact has a solution of the dual problem without λ instead, where only a subgradient may exist.
	F, G []float64
	// Bound is a lower bound of the optimal cost without regularisation, the value of a dual solution, so
	// that Cost − Bound tells how far from the optimum a plan with the right marginals is at most; see
	// Problem.Plan. 0, which is a bound always, where the engine gives none.
	Bound float64
}

// BarycenterProblem is a batch of fixed-support barycenters over one cost. Group g
// has the members Members[Offsets[g]:Offsets[g+1]], indices into Rows, with the
// weights at the same positions of Weights; weights of a group are positive and sum to 1.
//
//	barycenter_g = argmin_b Σ_s Weights[s] · OT_λ(Rows[Members[s]], b)              (2)
//
// by iterative Bregman projections [Benamou et al. 2015]; the words are the
// sources, the barycenter the target of the cost. With K = exp(−M/λ), the
// histogram A_s and the scaling U_s of member s, one iteration is
//
//	S_s = Kᵀ (A_s / (K U_s)),  b = Π_s S_s^Weights[s],  U_s = b/S_s                   (3)
//
// It starts from U_s = 1 with one such step more, which is not counted, as in the paper's
// code. Before U_s is replaced, R_s = U_s·S_s is the marginal of member s at the
// barycenter's side.
type BarycenterProblem struct {
	Settings
	Cost    Cost
	Rows    Histograms
	Offsets []int // length groups+1, Offsets[0] = 0, strictly increasing
	Members []int32
	Weights []float32
	// Debiased removes the entropic blur of (2) [Janati, Cuturi, Gramfort 2020,
	// algorithm 1]: from U_s = 1 and d = 1 on, an iteration is S_s as above,
	// b = d·Π_s S_s^Weights[s], U_s = b/S_s, d = √(d·b/(K d)). It needs a symmetric cost.
	Debiased bool
	// UnweightedStart is what the paper's code [wasserstein.py:165] has from POT instead of (3),
	// where weights are unequal: the step before the first iteration takes all weights
	// for equal, and then b = Π_s (U_s·S_s)^Weights[s]. That leaves c = Π_s U_s^Weights[s], which
	// is 1 for (3), at what the first step made of it, and so converges to the minimum of
	// (2) less λ·Σ_j b_j ln c_j: not a barycenter. It is there to reproduce results of
	// that code, and excludes Debiased.
	UnweightedStart bool
	// UntilConverged goes on where the rule of Settings.Tol is met and Barycenter.Converged is not, unless rounding is
	// all that still changes. It needs Tol > 0.
	// Without it iterations stop as those of POT do, which may be far from the limit: that of debiased
	// barycenters above all. Engines that do not tell Barycenter.Error return an error that is errors.ErrUnsupported.
	UntilConverged bool
}

// Barycenter is the outcome of one group; Histogram is normalised to sum 1.
type Barycenter struct {
	Histogram  []float32
	Iterations int
	// Spread is the quantity that Settings.Tol bounds, at the last iteration.
	Spread float64
	// Error is an estimate of the L1 distance from the limit, that of exact arithmetic after any number of iterations:
	// what is left to go by the rate at which changes from look to look fall, times 1.5, and at least Spread. Mostly it
	// is one to five times the distance. It is no less than the floor of Settings.Tol, nor than what rounding adds in
	// the slowest direction: UntilConverged stops where only rounding is left, and Error is the least that can be had.
	// It is 2, the largest distance that there is, where nothing less is known, as
	// after a single iteration or for a debiased barycenter whose kernel exp(−M/λ) has no inverse in float64. It is
	// −1 from an engine that does not tell, cuda.
	Error float64
	// Converged tells whether Spread and Error are at most Tol (always false for Tol = 0).
	Converged bool
}

// Engine solves transport problems. Implementations: reference (float64, the
// oracle), cpu (float32, vectorised), cuda; exact, without regularisation.
//
// The error of an engine that lacks one of the kinds of problems is errors.ErrUnsupported for errors.Is.
//
// All methods validate the problem first and return an error that names the offending row, bin, pair or weight. They
// never return a NaN. When ctx ends they return its error.
type Engine interface {
	// Name is the name the engine is chosen by.
	Name() string
	// Prepare returns an engine that solves all that this one does, with the same bits, and keeps what it makes of a
	// cost, such as the kernels exp(−M/λ) of the four λ used last. Single problems with this cost then take no longer
	// than their iterations. Cost.Data must not change from now on.
	Prepare(cost Cost) Engine
	// Distances solves all pairs and calls yield with consecutive results, in the
	// order of Pairs: results[i] belongs to pair first+i. The slice is reused after
	// yield returns. An error of yield ends the run and is returned.
	Distances(ctx context.Context, p *Problem, yield func(first int, results []Result) error) error
	// Plan solves the pair with the given index and returns its plan.
	Plan(ctx context.Context, p *Problem, pair int) (*Plan, error)
	// Barycenters solves all groups and calls yield with consecutive results, as
	// Distances does; the histograms are reused after yield returns.
	Barycenters(ctx context.Context, p *BarycenterProblem, yield func(first int, results []Barycenter) error) error
	// Rectangle solves r, which is valid, with the settings of b, in the goroutine that calls it.
	Rectangle(ctx context.Context, b *Batch, r *Rectangle) (Result, error)
}
