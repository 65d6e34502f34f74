package create

import (
	"fmt"
	"path/filepath"

	"contextmover/cmdlib/build"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/embedding"
	"contextmover/cmdlib/embedding/svd"
	"contextmover/cmdlib/npy"
	"contextmover/cmdlib/sppmi"
	"contextmover/experiments/harness/trainers/glove"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/atomicfile"
)

// The files of vectors.
const (
	vectorsText  = "vectors.txt"
	vectorsArray = "vectors.npy"
)

// vectorsKind is that of the folders that vectors are written to.
var vectorsKind = atomicfile.Kind{Name: "vectors", Files: []string{vectorsText, vectorsArray}}

// embedFlags are common to all ways to make vectors.
type embedFlags struct {
	Counts string   `required:"" placeholder:"DIR" help:"Folder with vocab.txt and cooccurrence.bin, as corpus count and GloVe's tools write them."`
	Dim    int      `default:"300" min:"1" placeholder:"N" help:"Dimensions (default ${default})."`
	Seed   uint64   `default:"1" placeholder:"N" help:"Seed of the random start (default ${default})."`
	Memory ByteSize `placeholder:"SIZE" help:"Take about this much memory, such as 2GB. The rest is kept on disk next to --out and read in passes, with the same vectors (default: the free memory)."`
	Out    string   `required:"" placeholder:"DIR" help:"Folder to write vectors.txt (GloVe's text format) and vectors.npy (row i for line i of vocab.txt) to."`
}

// run makes vectors of the counts and writes them, of length 1 if normalise is set. Train may free the counts.
func (f embedFlags) run(
	e *cli.Env, normalise bool, takes func(words, pairs int64) takes, train func(*corpus.Counts) ([]float32, error),
) error {
	from, err := openCounts(f.Counts)
	if err != nil {
		return err
	}
	words := from.words
	if f.Dim > words.Len() {
		return cli.BadUsage("--dim=%d: the vocabulary has %d words, expected at most as many dimensions",
			f.Dim, words.Len())
	}
	if err := outFolder(f.Out, vectorsKind); err != nil {
		return err
	}
	disk, err := takes(int64(words.Len()), from.pairs).here(f.Memory, f.Out)
	if err != nil {
		return err
	}
	defer disk.Close()
	counts, err := from.read(e, disk)
	if err != nil {
		return cli.BadData(err)
	}
	data, err := train(counts)
	if err != nil {
		return err
	}
	vectors, err := embedding.New(words.Words, f.Dim, data)
	if err != nil {
		return err
	}
	if normalise {
		vectors = vectors.Normalised()
	}
	// Both files are put in place together, so that they are of the same run.
	err = atomicfile.Replace(f.Out, vectorsKind, func(made string) error {
		if err := vectors.Write(e, filepath.Join(made, vectorsText), embedding.GloVe); err != nil {
			return err
		}
		return npy.Write(filepath.Join(made, vectorsArray), []int{vectors.Len(), vectors.Dim}, vectors.Data)
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(e.Out, "%s\t%d words, %d dimensions\n%s\tthe same\n", filepath.Join(f.Out, vectorsText), vectors.Len(),
		vectors.Dim, filepath.Join(f.Out, vectorsArray))
	return nil
}

// SVD is repro embed svd.
type SVD struct {
	embedFlags
	Smoothing float64 `default:"1" min:"0" max:"1" placeholder:"α" help:"Context counts are raised to this power in the associations, 0 to 1 (default ${default})."`
	Shift     float64 `default:"1" min:"1" placeholder:"s" help:"Associations are lowered by ln s, s ≥ 1 (default ${default})."`
	Exponent  float64 `default:"0" min:"0" max:"1" placeholder:"p" help:"Power of the singular values in the vectors, 0 to 1 (default ${default})."`
	Normalise bool    `default:"true" negatable:"" help:"Scale every vector to length 1 (default)."`
}

func (c *SVD) Run(e *cli.Env) error {
	p := svd.Params{Dim: c.Dim, Oversampling: 20, PowerIterations: 3, Exponent: c.Exponent, Seed: c.Seed}
	takes := func(words, pairs int64) takes {
		// The counts, the associations and their transposed copy.
		entries := int64((12 + 16*build.PositiveShare) * float64(pairs))
		return newTakes(svd.Memory(words, words, p), entries, svd.Passes)
	}
	return c.run(e, c.Normalise, takes, func(counts *corpus.Counts) ([]float32, error) {
		associations, err := sppmi.Compute(e, counts, sppmi.Params{Smoothing: c.Smoothing, Shift: c.Shift})
		if err != nil {
			return nil, err
		}
		counts.Free()
		r, err := svd.Compute(e, associations, p, e.Progress.Step("singular vectors"))
		if err != nil {
			return nil, err
		}
		return r.Vectors, nil
	})
}

// GloVe is repro embed glove.
type GloVe struct {
	embedFlags
	Epochs    int     `default:"15" min:"1" placeholder:"N" help:"Passes over all counts (default ${default}; the paper makes 75 at a rate of 0.005)."`
	Rate      float64 `default:"0.05" positive:"" placeholder:"η" help:"Learning rate (default ${default})."`
	XMax      float64 `name:"x-max" default:"100" positive:"" placeholder:"N" help:"Counts from this one on all have the same weight (default ${default})."`
	Exponent  float64 `default:"0.75" min:"0" placeholder:"p" help:"Power of the weight of rarer counts (default ${default})."`
	Normalise bool    `help:"Scale every vector to length 1."`
	Rule      string  `enum:"paper,today" default:"paper" help:"The update of GloVe's tool: paper (2018, the default) or today (since 2020)."`
}

func (c *GloVe) Run(e *cli.Env) error {
	// Counts and records. A block of them is in memory, with what is read ahead and written behind.
	takes := func(words, pairs int64) takes {
		return newTakes(glove.Memory(words, min(c.Dim, 1<<20)), 24*pairs, 1<<28)
	}
	return c.run(e, c.Normalise, takes, func(counts *corpus.Counts) ([]float32, error) {
		r, err := glove.Train(e, counts, glove.Params{
			Dim: c.Dim, Epochs: c.Epochs, Rate: c.Rate, XMax: c.XMax, Exponent: c.Exponent,
			Rule: glove.Rule(c.Rule), Seed: c.Seed,
		}, e.Progress.Step("GloVe"))
		if err != nil {
			return nil, err
		}
		return r.Vectors, nil
	})
}
