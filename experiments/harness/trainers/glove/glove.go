package glove

import (
	"context"
	"fmt"

	"contextmover/cmdlib/sparse"
	"contextmover/experiments/harness/trainers"
	"contextmover/experiments/harness/trainers/internal/records"
	"contextmover/internal/setting"
)

// A Rule says how a record changes the parameters.
type Rule string

const (
	// Rule2018 is the rule of the tool in 2018, which made the vectors of Singh et al.
	// 2020: bias gradients are multiplied by the rate like all others, nothing is
	// clipped, and parameters start uniform in ±0.5/(Dim+1).
	Rule2018 Rule = "paper"
	// Rule2020 is the tool's rule since 2020: gradients are clipped to ±100, those of
	// the biases are not multiplied by the rate, and parameters start uniform in
	// ±0.5/Dim. The tool does not clip bias gradients; here they are clipped too,
	// which matters only while |f·diff| > 100, that is, never in a training that
	// gets anywhere.
	Rule2020 Rule = "today"
)

// Params are the settings of a training. The tool's own defaults are 50 dimensions,
// 25 epochs, rate 0.05, XMax 100 and Exponent 0.75; Singh et al. used 300, 75 and
// 0.005 with the rest as it was.
type Params struct {
	// Dim is the number of components of a vector.
	Dim int `toml:"dim" range:"1..1048576"`
	// Epochs is the number of passes over all records, at least 1.
	Epochs int `toml:"epochs" range:"1.."`
	// Rate is η > 0.
	Rate float64 `toml:"rate" range:">0"`
	// XMax > 0 is the count from which on all records weigh the same.
	XMax float64 `toml:"x_max" range:">0"`
	// Exponent ≥ 0 is that of the weight (X/XMax)^Exponent of rarer records.
	Exponent float64 `toml:"exponent" range:"0.."`
	Rule     Rule    `toml:"rule" oneof:"paper|today"`
	Seed     uint64  `toml:"-"`
}

// Train fits vectors to the square matrix of co-occurrence counts: each stored
// entry is a record and has to be a positive finite number. A word's vector, of Dim numbers, is the sum of its word and
// context vector; the loss is ½·f·diff².
//
// progress is told how many records of all epochs are done, some times an epoch, from one goroutine; it may be nil.
//
// Of counts on disk the records are there, too, and each epoch reads them once; memory has to hold what Memory says.
//
// A word without records keeps its random start. An error tells which parameter or
// record is bad, or in which epoch the loss stopped being a number.
func Train(
	ctx context.Context, counts *sparse.Matrix[float64], p Params, progress func(done, total int64),
) (r *trainers.Result, err error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	defer trainers.Named("glove", &err)
	l, err := arrange(ctx, counts, p)
	if err != nil {
		return nil, err
	}
	defer l.Free()
	m, err := newModel(ctx, l, p)
	if err != nil {
		return nil, err
	}
	return l.Fit(ctx, m.train, trainers.Training{
		Passes: p.Epochs, Progress: progress, Dim: p.Dim, Vector: m.sum,
	})
}

// Memory is about what Train takes of memory for a number of words, in addition to the counts and 12 bytes for each
// of them. It covers the parameters, the vectors, and the index of a word's records.
func Memory(words int64, dim int) int64 {
	return words * (2*4*int64(strideOf(dim)) + 4*int64(dim) + 8*int64(records.MaxParts))
}

// arrange makes the layout of counts.
func arrange(ctx context.Context, counts *sparse.Matrix[float64], p Params) (*records.Layout, error) {
	return records.Arrange(ctx, counts, records.Params{XMax: p.XMax, Exponent: p.Exponent, Seed: p.Seed})
}

// Validate returns a *setting.Error for a setting out of its range.
func (p Params) Validate() error {
	if p.Rule == Rule2020 && p.Rate < 0.001 {
		// The bias starts from 1 + (η² - 1) in float32, see newModel.
		problem := fmt.Sprintf("%v, expected at least 0.001 with rule %q", p.Rate, Rule2020)
		return &setting.Error{Owner: "glove", Name: "rate", Problem: problem}
	}
	return setting.Check("glove", p)
}
