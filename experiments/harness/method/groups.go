package method

import (
	"strings"

	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sentence"
)

// The kinds of word vectors that are trained; others are files.
const (
	SVD     = "svd"
	GloVe   = "glove"
	OfGrams = "sent2vec"
)

// options are the names that settings choose from, by what their tags call them.
var options = map[string][]string{
	"kinds":       {SVD, GloVe, OfGrams},
	"bins":        {"none", "total", "cluster size"},
	"metrics":     {"euclidean", "squared euclidean", "angular"},
	"unit":        {"none", "max", "median", "mean", "log2", "ln"},
	"geometries":  {TrueGeometry, Discrete, Shuffled},
	"weightings":  {Uniform, Inverse, SIFCorpus, SIFList, SIFRaw, SIFPPMI},
	"own":         {NoneOwn, UnknownOwn, UnknownAndNumbers},
	"comparisons": comparisons(),
}

// IsVectorFile tells whether a kind of vectors is the name of a file, which has a dot.
func IsVectorFile(kind string) bool { return strings.Contains(kind, ".") }

// WordVectors says which vectors words have.
type WordVectors struct {
	// Vectors is SVD, GloVe, OfGrams, the name of a file, or "" for those of a space.
	Vectors string `toml:"vectors" default:"svd" oneof:"kinds" help:"the word vectors, or a file of them"`
}

// Scaled says whether word vectors are scaled to length 1 first.
type Scaled struct {
	Unit bool `toml:"unit" grid:"y" help:"scale the vectors to length 1 first"`
}

// Estimates says how the histograms of words are estimated: with A the associations of word w with the contexts of
// bin k, α = Smoothing and s = Shift,
//
//	A(w, c) = max(0, log(#(w,c)·Σ_c' #(c')^α / (#(w)·#(c)^α)) − log s),  H(w)_k ∝ Σ_{c ∈ k} A(w, c) / n_k
//
// where n_k is 1, the column's sum to the power β, or the number of contexts in k, as Normalisation says.
type Estimates struct {
	Smoothing float64 `toml:"smoothing" default:"0.55" range:"0..1" grid:"y" sign:"α" help:"power of context counts"`

	Shift float64 `toml:"shift" default:"5" range:"1.." grid:"y" sign:"s" help:"lowers associations by ln s"`

	Normalisation estimate.Normalisation `toml:"normalisation" default:"total" oneof:"bins" grid:"y" help:"divisor"`

	Beta float64 `toml:"beta" default:"1" range:"0..1" grid:"y" sign:"β" help:"power of a column's sum"`
}

func (e Estimates) counts(name string) bool { return name != "beta" || e.Normalisation == "total" }

// Support says what the bins of histograms are: Clusters clusters of word vectors by k-means, on the sphere with
// cosines if Spherical.
type Support struct {
	Clusters int `toml:"clusters" default:"300" range:"2.." words:"y" grid:"y" sign:"K" help:"number of bins"`

	Spherical bool `toml:"spherical" grid:"y" help:"cluster by direction"`
}

// How much a ground cost depends on where bins are.
const (
	TrueGeometry = "true"
	Discrete     = "discrete" // all moves cost the same: the mean of the true costs
	Shuffled     = "shuffled" // each bin has the centroid of another
)

// Divisor says what ground costs are divided by.
type Divisor = ground.Normalisation

// Cost says what moving mass from one bin to another costs: the distance of their centroids, divided by a constant of
// all, at most Clip·λ where Clip is not 0.
type Cost struct {
	Metric ground.Metric `toml:"metric" default:"euclidean" oneof:"metrics" grid:"y" help:"distance of two centroids"`

	CostNormalisation Divisor `toml:"cost_normalisation" default:"median" oneof:"unit" grid:"y" help:"divisor"`

	Clip float64 `toml:"clip" default:"10" range:"0.." grid:"y" sign:"clip/λ" help:"at most so many λ; 0 for no limit"`

	Geometry string `toml:"geometry" default:"true" oneof:"geometries" help:"how costs depend on the places of the bins"`
}

// Params returns the cost as package ground takes it, for transport with the λ given.
func (c Cost) Params(reg float64) ground.Params {
	return ground.Params{Metric: c.Metric, Normalisation: c.CostNormalisation, Clip: c.Clip, Reg: reg}
}

// Transport says how regularised transport is solved: see ot.Settings.
type Transport struct {
	Reg float64 `toml:"reg" json:"reg,omitempty" default:"0.1" range:"1e-9..1e9" grid:"y" sign:"λ" help:"of entropy"`

	Iterations int `toml:"iterations" json:"iterations,omitempty" default:"100" range:"1.." help:"iterations at most"`

	Tolerance float64 `toml:"tolerance" json:"tolerance,omitempty" default:"1e-4" range:"0.." help:"of barycenters"`

	Accelerate bool `toml:"accelerate" json:"relaxed,omitempty" help:"over-relaxed, distances to 1e-3"`
}

// Distances returns the settings of distances. They end before the last iteration where the marginals of the plan agree
// to 1e-5, or 1e-3 with Accelerate, so that the mass that is still missing costs at most this part of the
// largest cost.
func (t Transport) Distances() ot.Settings {
	s := ot.Settings{Reg: t.Reg, MaxIter: t.Iterations, Tol: 1e-5, Accelerate: t.Accelerate}
	if t.Accelerate {
		s.Tol = 1e-3
	}
	return s
}

// Barycenters returns the settings of barycenters.
func (t Transport) Barycenters() ot.Settings {
	return ot.Settings{Reg: t.Reg, MaxIter: t.Iterations, Tol: t.Tolerance, Accelerate: t.Accelerate}
}

// The weights of words in a sentence, a/(a + p(w)) but for Uniform.
const (
	Uniform = "uniform"
	Inverse = "inverse" // p is the word's share of the corpus; the weights are scaled to sum 1
	// The weights of the others are divided by the number of words, where they are not
	// of histograms, which need the sum 1.
	SIFCorpus = "sif"      // p as for Inverse
	SIFList   = "sif-list" // p is the word's share of a list, 0 for a word that it lacks: the authors' code of SIF
	SIFRaw    = "sif-raw"  // p is the sum of the word's co-occurrence counts, its other branch [ppmi_fast.py:108]
	SIFPPMI   = "sif-ppmi" // p is the sum of the word's PPMI, the default of the paper's code [options.py:49]
)

// Weighting says how much a word of a sentence weighs: see sentence.Weighting.
type Weighting struct {
	Weights string `toml:"weights" default:"uniform" oneof:"weightings" grid:"y" help:"weights of words in a text"`

	A float64 `toml:"a" default:"1e-3" range:">0" grid:"y" sign:"a" help:"a of weights a/(a + p)"`
}

// Sentence returns the weights as package sentence takes them.
func (w Weighting) Sentence() sentence.Weighting {
	switch w.Weights {
	case Inverse:
		return sentence.Weighting{Scheme: sentence.InverseMarginal, A: w.A}
	case SIFCorpus, SIFList, SIFRaw, SIFPPMI:
		return sentence.Weighting{Scheme: sentence.SIF, A: w.A}
	}
	return sentence.Weighting{Scheme: sentence.Uniform}
}

// Marginal says what p(w) of the weights is.
func (w Weighting) Marginal() Marginal {
	switch w.Weights {
	case SIFList:
		return OfList
	case SIFRaw:
		return OfCounts
	case SIFPPMI:
		return OfPPMI
	}
	return OfCorpus
}

func (w Weighting) counts(name string) bool { return name != "a" || w.Weights != Uniform }

// Marginal says what the p(w) of weights a/(a + p(w)) is. The zero value is the word's share of the corpus.
type Marginal string

const (
	OfCorpus Marginal = ""       // the word's share of the corpus
	OfList   Marginal = "list"   // its share of a list of frequencies, 0 for a word that the list lacks
	OfCounts Marginal = "counts" // the sum of its co-occurrence counts
	OfPPMI   Marginal = "ppmi"   // the sum of its associations with all contexts, SPPMI with α = 0.75 and s = 1
)

// Removal says whether the first principal component of the texts' vectors is removed, or several as Shares says.
type Removal struct {
	RemovePC bool `toml:"remove_pc" help:"remove the first component of the texts' vectors"`
	// PCBatch is from how many texts at a time, each side of the pairs by itself, 2 or more; 0: all of a set together.
	PCBatch int `toml:"pc_batch" range:"0|2.." grid:"y" help:"from so many texts at a time, 0: a set's all"`
}

func (r Removal) counts(name string) bool { return name != "pc_batch" || r.RemovePC }

// Shares says how many components Removal removes: of several, each by its share of the variance
// [Ethayarajh 2018, Unsupervised Random Walk Sentence Embeddings].
type Shares struct {
	Components int `toml:"components" default:"1" range:"1.." help:"how many components"`
}

// Mixed puts the share Mix of a text's mass on a point of its own, its average word vector (section 3.4 of the paper).
type Mixed struct {
	Mix float64 `toml:"mix" range:"0..1)" grid:"y" sign:"m" help:"share of mass on the average vector"`

	PointWeights string `toml:"point_weights" default:"inverse" oneof:"weightings" help:"weights of its words"`

	PointA float64 `toml:"point_a" default:"1e-3" range:">0" grid:"y" help:"their a"`
}

// Weighting returns the weights of the words in the point.
func (m Mixed) Weighting() Weighting { return Weighting{m.PointWeights, m.PointA} }

func (m Mixed) counts(name string) bool {
	switch name {
	case "point_weights":
		return m.Mix > 0
	case "point_a":
		return m.Mix > 0 && m.PointWeights != Uniform
	}
	return true
}
