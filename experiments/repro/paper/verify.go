package paper

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"

	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/judge/verdict"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/atomicfile"
)

// resultsFlags choose the results of a profile.
type resultsFlags struct {
	cli.ProfileFlag
	Results string `default:"results" placeholder:"DIR" help:"Folder of the result files that repro run writes (default: results)."`
}

// read returns the results of the profile or, where there are none, those of the recorded
// run, if that has any.
func (f resultsFlags) read() (p *profile.Profile, all []*results.Result, recorded bool, err error) {
	if p, err = profile.Load(f.Profile, nil); err != nil {
		return nil, nil, false, err
	}
	own, err := results.Files(f.Results, p.Name)
	if err != nil {
		return nil, nil, false, err
	}
	if len(own) == 0 {
		if all, err = verdict.RecordedResults(p.Name); err != nil {
			return nil, nil, false, err
		}
	}
	if recorded = len(all) > 0; recorded {
		slog.Warn(fmt.Sprintf("no results in %s: these are of the recorded run; "+
			"name the folder of yours with --results, or make some with repro run all --profile %s",
			filepath.Join(f.Results, p.Name), p.Name))
		return p, all, true, nil
	}
	all, err = results.ReadProfile(f.Results, p.Name)
	if len(own) == 0 && err != nil {
		err = fmt.Errorf("%w, or name a profile with a recorded run by --profile, such as open", err)
	}
	return p, all, false, err
}

// Verify is repro verify.
type Verify struct {
	resultsFlags
	Reference string `placeholder:"FILE" help:"The recorded run (default: experiments/judge/verdict/reference/<profile>.json, or where that is not, the one that the program was built with)."`
	Update    bool   `help:"Record the results as the run that later ones are compared with, and show what changes."`
	JSON      bool   `name:"json" group:"common" help:"Print JSON."`
}

func (c *Verify) Run(e *cli.Env) error {
	p, all, recorded, err := c.read()
	if err != nil {
		return err
	}
	if recorded && c.Update {
		return cli.BadData(fmt.Errorf("there are no results in %s to record; make them with repro run all --profile %s",
			filepath.Join(c.Results, p.Name), p.Name))
	}
	if c.Reference == "" {
		c.Reference = filepath.Join(referenceDir, p.Name+".json")
	}
	if p.Published() || c.JSON {
		report := &verdict.Report{Profile: p.Name} // of a world that the paper knows nothing of
		if p.Published() {
			if report, err = c.judge(p, all); err != nil {
				return err
			}
			dir := tablesDir(p.Name)
			if slices.Contains(verdict.Deciding, p.Name) {
				dir = filepath.Dir(dir)
			}
			if err := writeVerdict(dir, report); err != nil {
				return err
			}
		}
		show := report.Summary
		if c.JSON {
			show = report.JSON
		}
		if err := show(e.Out); err != nil {
			return err
		}
	}
	if !p.Published() {
		slog.Info("the paper has no numbers for this profile; repro verify --profile open compares with them")
	}
	return c.regression(e, p, all)
}

// judge judges the results of a profile, and those of the other profiles that decide with it: the results in the
// folder, or else the recorded ones.
func (f resultsFlags) judge(p *profile.Profile, all []*results.Result) (*verdict.Report, error) {
	if !slices.Contains(verdict.Deciding, p.Name) {
		return verdict.Judge(p.Name, all), nil
	}
	return verdict.Whole(func(name string) ([]*results.Result, error) {
		if name == p.Name {
			return all, nil
		}
		own, err := results.Files(f.Results, name)
		if err != nil || len(own) == 0 {
			return verdict.RecordedResults(name)
		}
		return results.ReadProfile(f.Results, name)
	})
}

// writeVerdict writes the verdict into dir.
func writeVerdict(dir string, r *verdict.Report) error {
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{{"verdict.md", r.Markdown}, {"verdict.csv", r.CSV}} {
		var b bytes.Buffer
		if err := f.write(&b); err != nil {
			return err
		}
		if err := atomicfile.WriteInFolder(filepath.Join(dir, f.name), b.Bytes()); err != nil {
			return err
		}
	}
	slog.Info("wrote", "verdict", dir)
	return nil
}

// keep packs the results into dir as those of the recorded run, in place of what an earlier
// one left there.
func keep(dir, profile string, all []*results.Result) error {
	old, err := results.Files(dir, profile)
	if err != nil {
		return err
	}
	kept := verdict.Kept(all)
	kind := atomicfile.Kind{Name: "a recorded run"}
	for _, f := range old {
		kind.Files = append(kind.Files, filepath.Base(f))
	}
	for _, r := range kept {
		kind.Files = append(kind.Files, results.PackedName(r.Experiment))
	}
	err = atomicfile.Replace(filepath.Join(dir, profile), kind, func(made string) error {
		for _, r := range kept {
			if err := results.Pack(made, r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	slog.Info("kept the results of the recorded run", "in", filepath.Join(dir, profile))
	return nil
}

// say writes a line to stdout, or to stderr when stdout is JSON.
func (c *Verify) say(e *cli.Env, format string, args ...any) {
	if c.JSON {
		slog.Info(fmt.Sprintf(format, args...))
		return
	}
	fmt.Fprintf(e.Out, format+"\n", args...)
}

// regression holds the results against the recorded run.
func (c *Verify) regression(e *cli.Env, p *profile.Profile, all []*results.Result) error {
	say := func(format string, args ...any) { c.say(e, format, args...) }
	ref, err := verdict.ReadReference(c.Reference, p.Name)
	if errors.Is(err, fs.ErrNotExist) && !c.Update && c.Reference == filepath.Join(referenceDir, p.Name+".json") {
		ref, err = verdict.RecordedReference(p.Name)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && !c.Update:
		err := fmt.Errorf("no recorded run %s to hold the results against; record one with repro verify --profile %s "+
			"--update", c.Reference, p.Name)
		if !p.Published() {
			return cli.BadData(err) // nothing was checked
		}
		slog.Warn(err.Error())
		return nil
	case err != nil && !(c.Update && (errors.Is(err, fs.ErrNotExist) || cli.ExitCode(err) == cli.ExitData)):
		return err
	}
	worse := 0
	if ref != nil {
		changes, compared := ref.Compare(all)
		for _, change := range changes {
			word := "changed"
			if change.Worse {
				worse++
				word = "worse"
			}
			say("%-8s %s", word, change)
		}
		say("%d numbers compared with %s: %d worse, %d otherwise changed beyond their intervals",
			compared, c.Reference, worse, len(changes)-worse)
	}
	if c.Update {
		now := verdict.Record(p.Name, all)
		if err := now.Write(c.Reference); err != nil {
			return err
		}
		say("recorded %d tables in %s", len(now.Tables), c.Reference)
		if p.Corpus.Kind != profile.KindMiniWorld { // a generated world is made anew in minutes
			return keep(filepath.Dir(c.Reference), p.Name, all)
		}
		return nil
	}
	if worse > 0 {
		return cli.WithCode(fmt.Errorf("%d of the numbers are worse than in the recorded run; if that is meant, "+
			"record this one with --update", worse), cli.ExitRegression)
	}
	return nil
}
