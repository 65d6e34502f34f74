package paper

import (
	"bytes"
	"cmp"
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

// load returns the results of a profile or, where there are none, those of the recorded run, if that has any.
func (f resultsFlags) load(name string) (all []*results.Result, recorded bool, err error) {
	own, err := results.Files(f.Results, name)
	if err != nil {
		return nil, false, err
	}
	if len(own) == 0 {
		if all, err = verdict.RecordedResults(name); err != nil || len(all) > 0 {
			return all, true, err
		}
	}
	all, err = results.ReadProfile(f.Results, name)
	return all, false, err
}

// read loads the results of the profile of the flag, and says so if they are recorded ones.
func (f resultsFlags) read() (p *profile.Profile, all []*results.Result, recorded bool, err error) {
	if p, err = profile.Load(f.Profile, nil); err != nil {
		return nil, nil, false, err
	}
	all, recorded, err = f.load(p.Name)
	if err == nil && recorded {
		slog.Warn(fmt.Sprintf("no results in %s: these are of the recorded run; name the folder of yours with "+
			"--results, or make some with repro run all --profile %s", filepath.Join(f.Results, p.Name), p.Name))
	}
	return p, all, recorded, err
}

// Verify is repro verify.
type Verify struct {
	resultsFlags
	Reference string `placeholder:"FILE" help:"The recorded run (default: experiments/judge/verdict/reference/<profile>.json, or where that is not, the one that the program was built with)."`
	Update    bool   `help:"Record the results as the run that later ones are compared with, and show what changes."`
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
	if p.Published() || e.AsJSON {
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
		if e.AsJSON {
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
		other, _, err := f.load(name)
		return other, err
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
	return atomicfile.Replace(filepath.Join(dir, profile), kind, func(made string) error {
		for _, r := range kept {
			if err := results.Pack(made, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// regression holds the results against the recorded run.
func (c *Verify) regression(e *cli.Env, p *profile.Profile, all []*results.Result) error {
	say := func(format string, args ...any) { fmt.Fprintf(e.Out, format+"\n", args...) }
	if e.AsJSON { // which has stdout for itself
		say = func(format string, args ...any) { slog.Info(fmt.Sprintf(format, args...)) }
	}
	path := cmp.Or(c.Reference, filepath.Join(referenceDir, p.Name+".json"))
	ref, err := verdict.ReadReference(path, p.Name)
	if errors.Is(err, fs.ErrNotExist) && c.Reference == "" && !c.Update {
		ref, err = verdict.RecordedReference(p.Name)
	}
	if err != nil && !c.Update {
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		err = fmt.Errorf("no recorded run %s to hold the results against; record one with repro verify --profile %s "+
			"--update", path, p.Name)
		if p.Published() { // the paper's numbers are compared
			slog.Warn(err.Error())
			return nil
		}
		return cli.BadData(err)
	}
	worse := 0
	if err == nil {
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
			compared, path, worse, len(changes)-worse)
	}
	if c.Update {
		now := verdict.Record(p.Name, all)
		if err := now.Write(path); err != nil {
			return err
		}
		say("recorded %d tables in %s", len(now.Tables), path)
		if p.Corpus.Kind != profile.KindMiniWorld { // a generated world is made anew in minutes
			return keep(filepath.Dir(path), p.Name, all)
		}
		return nil
	}
	if worse > 0 {
		return cli.WithCode(fmt.Errorf("%d of the numbers are worse than in the recorded run; if that is meant, "+
			"record this one with --update", worse), cli.ExitRegression)
	}
	return nil
}
