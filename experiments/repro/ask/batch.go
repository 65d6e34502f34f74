package ask

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"contextmover/cmdlib/ot"
	"contextmover/experiments/repro/batch"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/show/convergence"
)

// batchFlags say where the answers to the lines of a file go, and which share of them to make.
type batchFlags struct {
	Out string `and:"file" placeholder:"DIR" help:"With a file of texts: the folder for the results."`
	cli.ShareFlag
}

// batchHelp says what processes do together.
const batchHelp = "Any number of processes may share a file: each does its part, finished parts are not done " +
	"again, and the last process to finish joins them."

// makeBatch makes what is not made yet of a share, and joins all if nothing is missing then.
func makeBatch(e *cli.Env, share cli.Share, b *batch.Batch, monitor *ot.Monitor) error {
	numbers, made := slices.Collect(share.Indices(b.Blocks())), 0
	step := e.Progress.Step(b.Things)
	for i, number := range numbers {
		did, err := b.Make(e, number)
		if err != nil {
			return err
		}
		if did {
			made++
		}
		step(int64(i+1), int64(len(numbers)))
	}
	convergence.Warn(monitor, hint)
	fmt.Fprintf(e.Out, "%s\t%d of %d blocks made, %d were there\n", b.Folder(), made, b.Blocks(), len(numbers)-made)
	err := b.Join(e)
	if errors.Is(err, fs.ErrNotExist) { // another process joins them
		return nil
	}
	if err == nil {
		fmt.Fprintf(e.Out, "%s\t%d %s\n", filepath.Join(filepath.Dir(b.Folder()), b.Name), b.Lines(), b.Things)
	}
	return err
}

// Encode is repro encode.
type Encode struct {
	Texts  string `required:"" placeholder:"FILE" help:"Texts, one per line."`
	Out    string `required:"" placeholder:"FILE.npy" help:"File to write the array to, one row per text."`
	Method string `sep:"none" default:"sif" placeholder:"NAME[,KEY=VALUE…]" help:"Vectors by sif or nbow, or histograms by average, comb or debiased, with settings after commas, such as sif,a=1e-4 or comb,reg=0.05 (default ${default})."`
	cli.ShareFlag
	cli.SpaceFlags
}

func (c *Encode) Help() string {
	return "Writes an array for numpy.load with one row per text. sif and nbow give vectors, N×D float32 of length " +
		"1, whose inner products are the cosines of the texts: each is the average of the vectors of a text's words, " +
		"in which sif gives rare words more weight and removes what all texts have in common. A row does not depend " +
		"on the other texts. Words that the space does not know get vectors of their own, so that texts which share " +
		"one are nearer. average, comb and debiased give histograms over the space's contexts, N×K float32: the " +
		"weighted average of those of a text's words, their Wasserstein barycenter, or the debiased one, without the " +
		"blur of regularisation. A text without a known word has a row of zeros, and a warning counts these. " +
		batchHelp
}

func (c *Encode) Run(e *cli.Env) error {
	s, monitor, err := (&spaceFlags{SpaceFlags: c.SpaceFlags}).openBy(e, methodFlags{c.Method})
	if err != nil {
		return err
	}
	defer s.Close()
	rows := batch.Histograms
	if s.ByVectors() {
		rows = batch.Vectors
	}
	b, err := rows(s, c.Texts, c.Out)
	if err != nil {
		return err
	}
	return makeBatch(e, c.Share, b, monitor)
}
