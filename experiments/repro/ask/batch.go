package ask

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"contextmover/cmdlib"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/search"
	"contextmover/experiments/repro/batch"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/show/convergence"
)

// batchFlags say where the answers to the lines of a file go, and which share of them to make.
type batchFlags struct {
	Out string `placeholder:"DIR" help:"With a file of texts: the folder for the results."`
	cli.ShareFlag
}

// given tells whether there is one, of those that belong to a file.
func (f batchFlags) given() bool { return f.Out != "" || f.Share != (cli.Share{}) }

// batchHelp says what processes do together.
const batchHelp = "Any number of processes may share a file: each does its part, finished parts are not done " +
	"again, and the last process to finish joins them."

// make makes what is not made yet of the share, and joins all if nothing is missing then.
func (f batchFlags) make(e *cli.Env, b *batch.Batch, monitor *ot.Monitor) error {
	step, n, made, there := e.Progress.Step(b.Things), 0, 0, 0
	for range f.Share.Indices(b.Blocks()) {
		n++
	}
	for number := range f.Share.Indices(b.Blocks()) {
		did, err := b.Make(e, number)
		if err != nil {
			return err
		}
		if did {
			made++
		} else {
			there++
		}
		step(int64(made+there), int64(n))
	}
	convergence.Warn(monitor, hint)
	fmt.Fprintf(e.Out, "%s\t%d of %d blocks made, %d were there\n", b.Folder(), made, b.Blocks(), there)
	switch err := b.Join(e); {
	case errors.Is(err, fs.ErrNotExist): // another process joins them
	case err != nil:
		return err
	default:
		fmt.Fprintf(e.Out, "%s\t%d %s\n", filepath.Join(filepath.Dir(b.Folder()), b.Name), b.Lines(), b.Things)
	}
	return nil
}

// lineFlags are those of questions that are asked of one text, or of the lines of a file.
type lineFlags struct {
	batchFlags
	methodFlags
	spaceFlags
}

// makeAll answers the lines of a file: asked tells whether there is a text beside it, of which no says that there may
// be none. expected begins the errors.
func (f *lineFlags) makeAll(
	e *cli.Env, expected string, asked bool, no, answers string, of func(*cmdlib.Space) (*batch.Batch, error),
) error {
	switch {
	case asked || f.JSON:
		return cli.BadUsage("%s %s with it, and no --json", expected, no)
	case len(f.In) > 0:
		return cli.BadUsage("%s no --in: put what it learns into a space first", expected)
	case f.Out == "":
		return cli.BadUsage("%s --out DIR, the folder to write %s to", expected, answers)
	}
	return f.batchFlags.makeIn(e, &f.spaceFlags, f.methodFlags, of)
}

// makeIn makes the answers that a space gives by a method.
func (f batchFlags) makeIn(
	e *cli.Env, in *spaceFlags, by methodFlags, of func(*cmdlib.Space) (*batch.Batch, error),
) error {
	s, monitor, err := in.openBy(e, by)
	if err != nil {
		return err
	}
	defer s.Close()
	b, err := of(s.Space)
	if err != nil {
		return err
	}
	return f.make(e, b, monitor)
}

// makeAll is repro search --texts.
func (c *Search) makeAll(e *cli.Env) error {
	if len(c.Query) > 0 || c.JSON {
		return cli.BadUsage("--texts: expected no query with it, and no --json")
	}
	if c.Out == "" {
		return cli.BadUsage("--texts: expected --out DIR, the folder to write the nearest sentences to")
	}
	if len(c.In) > 1 || !search.IsIndex(c.In[0]) || c.Index != "" {
		return cli.BadUsage("--texts: expected an index as --in, which --index makes once for all processes")
	}
	x, err := c.open(e)
	if err != nil {
		return err
	}
	defer x.close()
	b, err := batch.Search(x.Index, x.opened, x.Options, c.Texts, c.Out)
	if err != nil {
		return err
	}
	return indexed(c.make(e, b, x.monitor))
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
	return batchFlags{c.Out, c.ShareFlag}.makeIn(e, &spaceFlags{SpaceFlags: c.SpaceFlags}, methodFlags{c.Method},
		func(s *cmdlib.Space) (*batch.Batch, error) {
			if s.ByVectors() {
				return batch.Vectors(s, c.Texts, c.Out)
			}
			return batch.Histograms(s, c.Texts, c.Out)
		})
}
