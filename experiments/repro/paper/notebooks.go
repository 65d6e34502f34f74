package paper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"contextmover/experiments/display"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
	"contextmover/experiments/notebook"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/disk"
)

// Notebooks is repro notebooks.
type Notebooks struct {
	Names   []string          `arg:"" optional:"" name:"name" help:"Notebooks: names such as sts, or paths of .ipynb files (default: all of notebooks/)."`
	Profile string            `default:"mini" placeholder:"NAME" help:"Profile that they run, as --set profile=NAME for those that have it (default: mini)."`
	Set     map[string]string `mapsep:"none" placeholder:"NAME=VALUE" help:"Give a parameter, a variable with a text in the cell tagged parameters, another value, such as name=mini for the quickstart; more than once for more."`
	InPlace bool              `help:"Write the outputs into the notebooks themselves."`
	Timeout time.Duration     `default:"1h" help:"What a cell may take at most (default: 1h)."`
	cli.DataFlag
	cli.StoreFlag
}

// executed is the outcome of one notebook.
type executed struct {
	name, path string // path of the executed copy, or of what is no notebook
	cells      int
	elapsed    time.Duration
	err        error
}

func (c *Notebooks) Run(e *cli.Env) error {
	root, err := notebook.Root(".")
	if err != nil {
		return cli.WithCode(err, cli.ExitUsage)
	}
	paths, err := c.paths(root)
	if err != nil {
		return err
	}
	c.Profile = cmp.Or(c.Set[profileParameter], c.Profile)
	if _, err := profile.Load(c.Profile, nil); err != nil {
		return cli.WithCode(err, cli.ExitUsage)
	}
	list, broken := make([]*notebook.Notebook, len(paths)), make([]error, len(paths))
	for i, path := range paths {
		if list[i], broken[i] = notebook.Read(path); broken[i] != nil {
			continue // one that fails, beside others that do not
		}
		if err := c.set(list[i]); err != nil {
			return cli.WithCode(err, cli.ExitUsage)
		}
	}
	spec, remove, err := notebook.GoNB(e, root)
	if e.Err() != nil {
		return e.Err()
	}
	if err != nil {
		return cli.WithCode(err, cli.ExitNotebook)
	}
	defer remove()
	if spec.Env, err = c.environment(spec.Env); err != nil {
		return err
	}

	done := make([]executed, len(paths))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	var line sync.Mutex
	for i, path := range paths {
		if broken[i] != nil {
			done[i] = executed{name: stem(path), path: path, err: broken[i]}
			continue
		}
		group.Go(func() error {
			done[i] = c.execute(e, spec, list[i], path, func(format string, args ...any) {
				line.Lock()
				defer line.Unlock()
				fmt.Fprintf(e.Progress, format, args...)
			})
			return nil
		})
	}
	group.Wait()
	if err := e.Err(); err != nil {
		return err
	}
	failures := 0
	for _, d := range done {
		state := "ok"
		if d.err != nil {
			failures++
			state = "FAILED"
		}
		fmt.Fprintf(e.Out, "%-12s %3d cells %7.1f s  %-6s  %s\n", d.name, d.cells, d.elapsed.Seconds(), state, d.path)
	}
	if failures > 0 {
		var errs []error
		for _, d := range done {
			errs = append(errs, d.err)
		}
		return cli.WithCode(fmt.Errorf("%d of %d notebooks failed\n%w", failures, len(done), errors.Join(errs...)),
			cli.ExitNotebook)
	}
	return nil
}

// paths returns the notebooks to execute.
func (c *Notebooks) paths(root string) ([]string, error) {
	folder := filepath.Join(root, "notebooks")
	if len(c.Names) == 0 {
		return filepath.Glob(filepath.Join(folder, "*.ipynb"))
	}
	var paths []string
	for _, name := range c.Names {
		path := name
		if !strings.HasSuffix(name, ".ipynb") {
			path = filepath.Join(folder, name+".ipynb")
		}
		if _, err := os.Stat(path); err != nil {
			return nil, cli.BadUsage("no notebook %s: expected a name of %s, or the path of an .ipynb file", name,
				folder)
		}
		if slices.ContainsFunc(paths, func(p string) bool { return c.target(p) == c.target(path) }) {
			return nil, cli.BadUsage("two notebooks would be executed as %s: run them one by one", c.target(path))
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// environment tells the cells, which run in the notebook's folder, what to work with.
func (c *Notebooks) environment(env []string) ([]string, error) {
	env = append(env, display.AloneVariable+"=1")
	for _, folder := range [][2]string{{display.DataVariable, c.Data}, {store.Variable, c.Store}} {
		if folder[1] == "" {
			continue
		}
		path, err := filepath.Abs(folder[1])
		if err != nil {
			return nil, err
		}
		env = append(env, folder[0]+"="+path) // the last one of a name counts
	}
	return env, nil
}

// set gives a notebook the profile, where it has that parameter, and those of --set.
func (c *Notebooks) set(n *notebook.Notebook) error {
	sets := map[string]string{}
	maps.Copy(sets, c.Set)
	if slices.Contains(n.Parameters(), profileParameter) {
		if sets[profileParameter] = c.Profile; strings.HasSuffix(c.Profile, ".toml") {
			path, err := filepath.Abs(c.Profile) // cells run in the notebook's folder
			if err != nil {
				return err
			}
			sets[profileParameter] = path
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		if err := n.Set(name, sets[name]); err != nil {
			return err
		}
	}
	return nil
}

// profileParameter is the name of the parameter that --profile gives.
const profileParameter = "profile"

// execute executes one notebook, says how each cell went, and writes the executed
// copy, also of one that failed, so that one can look where.
func (c *Notebooks) execute(
	ctx context.Context, spec notebook.Spec, n *notebook.Notebook, path string, say func(format string, args ...any),
) executed {
	d := executed{name: stem(path), path: c.target(path)}
	start := time.Now()
	d.err = n.Execute(ctx, spec, notebook.Options{Timeout: c.Timeout, Cell: func(cell notebook.Done) {
		d.cells++
		state := "ok"
		if cell.Err != nil {
			state = "FAILED"
		}
		say("%-12s cell %2d of %d %7.1f s  %s\n", d.name, cell.Cell, cell.Cells, cell.Elapsed.Seconds(), state)
	}})
	d.elapsed = time.Since(start)
	if c.InPlace {
		n.Reset() // outputs are recorded, parameters are the reader's
	}
	if ctx.Err() != nil || c.InPlace && d.err != nil {
		return d
	}
	if d.err != nil && d.cells == 0 { // there is nothing to look at, and an earlier copy stays
		d.path = path
		return d
	}
	if err := disk.MkdirAll(filepath.Dir(d.path)); err != nil {
		d.err = errors.Join(d.err, err)
		return d
	}
	d.err = errors.Join(d.err, n.Write(d.path))
	return d
}

// target is the path of the executed copy.
func (c *Notebooks) target(path string) string {
	if c.InPlace {
		return path
	}
	return filepath.Join("executed", stem(c.Profile), filepath.Base(path))
}

// stem is a file's name without its folder and extension.
func stem(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}
