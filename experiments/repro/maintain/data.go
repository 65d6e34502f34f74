package maintain

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"contextmover/experiments"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/printable"
)

// DataLs is repro data ls.
type DataLs struct {
	cli.DataFlag
	Files []string `arg:"" optional:"" name:"file" help:"Files or folders of the list; of a collection, all its files (default: all, a collection on one line)."`
}

// dataFile is the JSON form of a file of the catalogue.
type dataFile struct {
	dataset.File
	Address string         `json:"address,omitempty"` // where fetch gets it; what those of a collection begin with
	Status  dataset.Status `json:"status,omitempty"`  // of verify
}

func (c *DataLs) Run(e *cli.Env) (err error) {
	files := dataset.Catalogue()
	if len(c.Files) > 0 {
		if files, err = dataset.Choose(c.Files...); err != nil {
			return cli.BadUsage("%w", err)
		}
	}
	if e.AsJSON {
		var list []dataFile
		for _, f := range files {
			list = append(list, dataFile{f, f.Address(dataset.Host), ""})
		}
		return e.JSON(list)
	}
	w := e.Tabs()
	fmt.Fprintln(w, "FILE\tSIZE\tTHERE\tUSE\tPURPOSE\tLICENCE\tCITE\tFROM")
	members, total, there := 0, int64(0), int64(0)
	for _, f := range files {
		have := dataset.Extent(c.Data, f)
		members, total, there = members+len(f.Members()), total+f.Bytes, there+have
		repository, commit, _ := strings.Cut(f.Source, "@")
		fmt.Fprintf(w, "%s\t%s\t%s %%\t%s\t%s\t%s\t%s\t%s@%.7s\n", f.Path, printable.Bytes(f.Bytes),
			cli.Percent(have, f.Bytes), cmp.Or(f.Use, "–"), f.Purpose, shorten(f.Licence), shorten(f.Cite), repository,
			commit)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(e.Out, "%d files, %s, all with an address at %s; %s are in %s\n", members, printable.Bytes(total),
		dataset.Host, printable.Bytes(there), c.Data)
	return nil
}

// shorten cuts a text of more than 40 bytes at a blank.
func shorten(text string) string {
	if len(text) <= 40 {
		return text
	}
	return text[:max(strings.LastIndexByte(text[:40], ' '), 0)] + " …"
}

// DataFetch is repro data fetch.
type DataFetch struct {
	cli.DataFlag
	From    string   `xor:"source" placeholder:"DIR" help:"Copy the files from this folder instead, whatever its layout."`
	Mirror  string   `xor:"source" placeholder:"URL" help:"Fetch from this server instead, which has the files under the paths of their addresses."`
	Accept  bool     `name:"accept-licences" help:"Agree to the licences that ask for it."`
	Profile string   `placeholder:"NAME" help:"Get what this profile reads: sample, open, or the path of a .toml file."`
	Files   []string `arg:"" optional:"" name:"file" help:"Files or folders of the list (default: all)."`
}

// chosen returns the files that are asked for, and the profile that reads them, if one is named.
func (c *DataFetch) chosen() (files []dataset.File, p *profile.Profile, err error) {
	p = new(profile.Profile)
	names := c.Files
	if c.Profile != "" {
		if len(names) > 0 {
			return nil, nil, cli.BadUsage("--profile and files, expected one of them")
		}
		if p, err = profile.Load(c.Profile, nil); err != nil {
			return nil, nil, err
		}
		names, err = experiments.Files(p, true, experiments.Experiments()...)
		// Files of one's own are nowhere to be had.
		names = slices.DeleteFunc(names, func(name string) bool { _, known := dataset.Lookup(name); return !known })
		if err != nil || len(names) == 0 {
			return nil, p, err
		}
	}
	if files, err = dataset.Choose(names...); err != nil {
		err = cli.BadUsage("%w", err)
	}
	return files, p, err
}

func (c *DataFetch) Run(e *cli.Env) error {
	files, p, err := c.chosen()
	if err != nil {
		return err
	}
	if c.Mirror != "" && !strings.HasPrefix(c.Mirror, "http") {
		return cli.BadUsage("--mirror %s: expected a URL such as https://host/path", c.Mirror)
	}
	if len(files) == 0 {
		fmt.Fprintf(e.Out, "the profile %s reads no files that can be fetched\n", c.Profile)
		return nil
	}
	f := &dataset.Fetcher{Dir: c.Data, Mirror: c.Mirror}
	if c.From != "" {
		return c.copy(e, f, files, p)
	}
	if missing := dataset.CheckPresent(c.Data, pipeline.AuthorsFiles(p)...); missing != nil {
		slog.Warn(missing.Error())
	}
	lacking, err := f.Lacking(e, files)
	if err != nil {
		return err
	}
	total, asking := int64(0), []string{}
	for _, file := range lacking {
		total += file.Bytes
		if file.Consent != "" {
			asking = append(asking, file.Path+": "+file.Consent)
		}
	}
	fmt.Fprintf(e.Out, "%d of %d files, %s, come from %s to %s\n", len(lacking), len(files), printable.Bytes(total),
		cmp.Or(c.Mirror, dataset.Host), c.Data)
	if len(asking) > 0 && !c.Accept {
		return cli.BadUsage("some licences ask for agreement: if you agree, run make with ACCEPT=yes, or repro data "+
			"fetch with --accept-licences; or name the files that you want\n%s", strings.Join(asking, "\n"))
	}
	if err := e.Out.Flush(); err != nil {
		return err
	}
	f.Progress = e.Progress.Step(fmt.Sprintf("fetch %d files, %s", len(lacking), printable.Bytes(total)))
	got, err := f.Fetch(e, lacking)
	return c.report(e, got, len(lacking)-got, err)
}

// copy copies files from a folder: of the authors' profile, those of the paper's authors, which has them converted.
func (c *DataFetch) copy(e *cli.Env, f *dataset.Fetcher, files []dataset.File, p *profile.Profile) error {
	authors := pipeline.AuthorsFiles(p)
	all := len(authors) > 0 || len(c.Files) > 0 // none may be lacking
	if len(authors) > 0 {
		files = nil
		for _, folder := range p.Corpus.Files {
			given, err := dataset.AuthorsFiles(c.From, folder)
			if err != nil {
				return err
			}
			files = append(files, given...)
		}
	}
	f.Progress = e.Progress.Step("copy from " + filepath.Base(c.From))
	got, lacking, err := f.Copy(e, c.From, files)
	if err := c.report(e, got, 0, err); err != nil {
		return err
	}
	if len(lacking) == len(files) || all && len(lacking) > 0 {
		return cli.BadData(fmt.Errorf("%s lacks %s (%d files), which are known by their contents",
			c.From, lacking[0].Path, len(lacking)))
	}
	return nil
}

// report says how many files are new, and how many could not be fetched.
func (c *DataFetch) report(e *cli.Env, got, lacking int, err error) error {
	if e.Err() != nil {
		return e.Err()
	}
	fmt.Fprintf(e.Out, "%d files are new in %s\n", got, c.Data)
	if errors.Is(err, dataset.ErrData) {
		return cli.BadData(fmt.Errorf("%w\n%d files could not be fetched", err, lacking))
	}
	return err
}

// DataVerify is repro data verify.
type DataVerify struct{ cli.DataFlag }

func (c *DataVerify) Run(e *cli.Env) error {
	states, err := dataset.Verify(e, c.Data)
	if err != nil {
		return err
	}
	var list []dataFile
	var lines []string // of what is wrong: a file or a collection each
	count, bad := map[string]int{}, 0
	for _, s := range states {
		list = append(list, dataFile{s.File, s.Address(dataset.Host), s.Status})
		if s.Status == dataset.Present {
			continue
		}
		bad++
		line := fmt.Sprintf("%s\t%s", s.Status, cmp.Or(s.InCollection(), s.Path))
		if count[line]++; count[line] == 1 {
			lines = append(lines, line)
		}
	}
	if e.AsJSON {
		lines, err = nil, e.JSON(list)
	}
	for _, line := range lines {
		fmt.Fprintf(e.Out, "%s\t%d files\n", line, count[line])
	}
	if bad > 0 && err == nil {
		err = cli.BadData(fmt.Errorf("%d of %d files in %s are missing or damaged", bad, len(states), c.Data))
	}
	return err
}
