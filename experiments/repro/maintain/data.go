package maintain

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
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
	JSON  bool     `name:"json" group:"common" help:"Print JSON."`
	Files []string `arg:"" optional:"" name:"file" help:"Files or folders of the list; of a collection, all its files (default: all, a collection on one line)."`
}

// dataFile is the JSON form of a file of the catalogue.
type dataFile struct {
	dataset.File
	Address string         `json:"address,omitempty"` // where fetch gets it
	Files   int            `json:"files,omitempty"`   // in a collection, whose address is what theirs begin with
	Status  dataset.Status `json:"status,omitempty"`  // of verify
	There   *int64         `json:"there,omitempty"`   // bytes in the data folder
}

func jsonFile(f dataset.File, status dataset.Status) dataFile {
	d := dataFile{File: f, Address: f.Address(dataset.Host), Status: status}
	if f.Collection() {
		d.Files = f.Rows
	}
	return d
}

func (c *DataLs) Run(e *cli.Env) error {
	files := dataset.Catalogue()
	if len(c.Files) > 0 {
		var err error
		if files, err = dataset.Choose(c.Files...); err != nil {
			return cli.BadUsage("%w", err)
		}
	}
	list := make([]dataFile, len(files))
	total, there, complete := int64(0), int64(0), 0
	for i, f := range files {
		list[i] = jsonFile(f, "")
		have := dataset.Extent(c.Data, f)
		list[i].There = &have
		total, there = total+f.Bytes, there+have
		if have == f.Bytes {
			complete++
		}
	}
	if c.JSON {
		for _, f := range dataset.Prepared() {
			if len(c.Files) == 0 {
				list = append(list, jsonFile(f, ""))
			}
		}
		return e.JSON(list)
	}
	w := e.Tabs()
	fmt.Fprintln(w, "FILE\tSIZE\tTHERE\tUSE\tPURPOSE\tLICENCE\tCITE\tFROM")
	for i, f := range files {
		part := "yes"
		switch have := *list[i].There; {
		case have == 0:
			part = "no"
		case have != f.Bytes:
			part = fmt.Sprintf("%s %%", cli.Percent(have, f.Bytes))
		}
		source := strings.SplitN(f.Source, "@", 2)
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s@%.7s\n", f.Path, printable.Bytes(f.Bytes), part,
			cmp.Or(f.Use, "–"), f.Purpose,
			shorten(f.Licence, 40), shorten(f.Cite, 40), source[0], source[1])
	}
	if err := w.Flush(); err != nil {
		return err
	}
	// Whole, where the column had no room for them.
	shown := map[string]bool{}
	for _, f := range files {
		if shorten(f.Licence, 40) != f.Licence && !shown[f.Licence] {
			shown[f.Licence] = true
			fmt.Fprintf(e.Out, "licence of %s: %s\n", f.Path, f.Licence)
		}
	}
	fmt.Fprintf(e.Out, "%s, %s, all with an address at %s; %d of the %d lines are in %s, %s\n",
		countFiles(files), printable.Bytes(total), dataset.Host, complete, len(files), c.Data, printable.Bytes(there))
	fmt.Fprintln(e.Out, "repro data fetch gets all of it, repro data fetch FILE… some; data verify checks what is "+
		"there; --json adds addresses, checksums and citations")
	return nil
}

// countFiles says how many files there are, counting those of collections.
func countFiles(files []dataset.File) string {
	n, collections := 0, 0
	for _, f := range files {
		if f.Collection() {
			collections++
			n += f.Rows
		} else {
			n++
		}
	}
	switch collections {
	case 0:
		return fmt.Sprintf("%d files", n)
	case 1:
		return fmt.Sprintf("%d files, many of them in a collection", n)
	}
	return fmt.Sprintf("%d files, most of them in %d collections", n, collections)
}

// shorten cuts a text at a blank.
func shorten(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return text[:max(strings.LastIndexByte(text[:n], ' '), 0)] + " …"
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

func (c *DataFetch) Validate() error {
	if c.Profile != "" && len(c.Files) > 0 {
		return errors.New("--profile and files, expected one of them")
	}
	return nil
}

// chosen returns the files that are asked for, and which of those of the paper's authors the profile needs.
func (c *DataFetch) chosen() (files []dataset.File, p *profile.Profile, err error) {
	if c.Profile == "" {
		files, err := dataset.Choose(c.Files...)
		if err != nil {
			return nil, nil, cli.BadUsage("%w", err)
		}
		return files, new(profile.Profile), nil
	}
	p, err = profile.Load(c.Profile, nil)
	if err != nil {
		return nil, nil, err
	}
	names, err := experiments.Files(p, true, experiments.Experiments()...)
	if err != nil {
		return nil, nil, err
	}
	// Files of one's own are nowhere to be had.
	names = slices.DeleteFunc(names, func(name string) bool { _, known := dataset.Lookup(name); return !known })
	if len(names) == 0 {
		return nil, p, nil
	}
	files, err = dataset.Choose(names...)
	return files, p, err
}

// copyAuthors copies the files of the paper's authors that a profile is on from a folder that has them converted.
func (c *DataFetch) copyAuthors(e *cli.Env, f *dataset.Fetcher, p *profile.Profile) error {
	var files []dataset.File
	for _, folder := range p.Corpus.Files {
		given, err := dataset.AuthorsFiles(c.From, folder)
		if err != nil {
			return err
		}
		files = append(files, given...)
	}
	got, lacking, err := f.Copy(e, c.From, files)
	if err != nil && (e.Err() != nil || !errors.Is(err, dataset.ErrData)) {
		return errors.Join(e.Err(), err)
	}
	fmt.Fprintf(e.Out, "%d files of the authors are new in %s; repro data fetch --profile %s gets the others\n",
		got, c.Data, p.Name)
	for _, file := range lacking {
		slog.Error("not there, though listed", "file", file.Path, "folder", c.From)
	}
	if err := report(err, len(lacking)); err != nil {
		return err
	}
	return dataset.CheckPresent(c.Data, pipeline.AuthorsFiles(p)...)
}

func (c *DataFetch) Run(e *cli.Env) error {
	files, p, err := c.chosen()
	if err != nil {
		return err
	}
	if u, err := url.Parse(c.Mirror); c.Mirror != "" && (err != nil || u.Host == "" || u.Scheme != "http" &&
		u.Scheme != "https") {
		return cli.BadUsage("--mirror %s: expected a URL such as https://host/path", c.Mirror)
	}
	if len(files) == 0 {
		fmt.Fprintf(e.Out, "the profile %s reads no files that can be fetched\n", c.Profile)
		return nil
	}
	f := &dataset.Fetcher{Dir: c.Data, Mirror: c.Mirror}
	if c.From != "" && len(pipeline.AuthorsFiles(p)) > 0 {
		return c.copyAuthors(e, f, p)
	}
	if missing := dataset.CheckPresent(c.Data, pipeline.AuthorsFiles(p)...); missing != nil {
		slog.Warn(missing.Error())
	}
	if c.From != "" {
		return c.copy(e, f, files)
	}
	lacking, err := f.Lacking(e, files)
	if err != nil {
		return err
	}
	if len(lacking) == 0 {
		fmt.Fprintf(e.Out, "all %d files are in %s\n", len(files), c.Data)
		return nil
	}
	total := c.announce(e, lacking, len(files))
	if err := c.agree(e, lacking); err != nil {
		return err
	}
	if err := e.Out.Flush(); err != nil {
		return err
	}
	f.Progress = e.Progress.Step(fmt.Sprintf("fetch %d files, %s", len(lacking), printable.Bytes(total)))
	got, err := f.Fetch(e, lacking)
	if e.Err() != nil {
		return e.Err()
	}
	fmt.Fprintf(e.Out, "%d files are new in %s\n", got, c.Data)
	return report(err, len(lacking)-got)
}

// announce says what is about to be fetched, and returns how much that is.
func (c *DataFetch) announce(e *cli.Env, lacking []dataset.File, all int) (total int64) {
	type group struct{ repository, licence string }
	type amount struct {
		files int
		bytes int64
	}
	groups := map[group]amount{}
	for _, f := range lacking {
		g := group{f.Repository(), f.Licence}
		groups[g] = amount{groups[g].files + 1, groups[g].bytes + f.Bytes}
		total += f.Bytes
	}
	var order []group
	for g := range groups {
		order = append(order, g)
	}
	slices.SortFunc(order, func(a, b group) int {
		return cmp.Or(strings.Compare(a.repository, b.repository), strings.Compare(a.licence, b.licence))
	})
	fmt.Fprintf(e.Out, "%d of %d files, %s, come from %s to %s:\n", len(lacking), all, printable.Bytes(total),
		cmp.Or(c.Mirror, dataset.Host), c.Data)
	w := e.Tabs()
	fmt.Fprintln(w, "FILES\tSIZE\tREPOSITORY\tLICENCE")
	for _, g := range order {
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", groups[g].files, printable.Bytes(groups[g].bytes), g.repository, g.licence)
	}
	w.Flush() // e.Out keeps its errors
	seconds := max((total+5e6)/10e6, 1)
	about := fmt.Sprintf("%d seconds", seconds)
	if seconds >= 120 {
		about = fmt.Sprintf("%d minutes", (seconds+30)/60)
	}
	fmt.Fprintf(e.Out, "At 10 MB/s that takes about %s.\n", about)
	return total
}

// agree asks whether the user agrees to what licences ask for, once for all of them.
func (c *DataFetch) agree(e *cli.Env, lacking []dataset.File) error {
	asked := map[string][]string{}
	for _, f := range lacking {
		if f.Consent != "" {
			asked[f.Consent] = append(asked[f.Consent], f.Path)
		}
	}
	if len(asked) == 0 || c.Accept {
		return nil
	}
	var terms []string
	for term, files := range asked {
		terms = append(terms, fmt.Sprintf("%s (%s)", term, strings.Join(files, ", ")))
	}
	slices.Sort(terms)
	fmt.Fprintf(e.Out, "Some of them may be used under conditions only:\n  %s\n", strings.Join(terms, "\n  "))
	switch agreed, err := e.Confirm("Do you agree to these conditions?"); {
	case errors.Is(err, cli.ErrNoTerminal):
		return cli.BadUsage("some licences ask for agreement: if you agree, run make with ACCEPT=yes, or repro data " +
			"fetch with " +
			"--accept-licences; or name the files that you want (repro data ls --json tells which have a consent)")
	case err != nil:
		return err
	case !agreed:
		return cli.BadUsage(
			"nothing was fetched: name the files that you want (repro data ls --json tells which have a consent)",
		)
	}
	return nil
}

// copy copies from a folder.
func (c *DataFetch) copy(e *cli.Env, f *dataset.Fetcher, files []dataset.File) error {
	f.Progress = e.Progress.Step("copy from " + filepath.Base(c.From))
	got, lacking, err := f.Copy(e, c.From, files)
	if e.Err() != nil {
		return e.Err()
	}
	if err != nil && !errors.Is(err, dataset.ErrData) {
		return err
	}
	fmt.Fprintf(e.Out, "%d files are new in %s\n", got, c.Data)
	if len(lacking) > 0 {
		fmt.Fprintf(e.Out, "%d files are not in %s, %s …: repro data fetch gets them\n", len(lacking),
			c.From, lacking[0].Path)
	}
	if err != nil {
		return report(err, 0)
	}
	if len(lacking) == len(files) || len(c.Files) > 0 && len(lacking) > 0 {
		return cli.BadData(fmt.Errorf("%s lacks %s (%d files), which are known by their contents",
			c.From, lacking[0].Path, len(lacking)))
	}
	return nil
}

// report logs what could not be downloaded, of several files, and sums it up.
func report(err error, lacking int) error {
	if err == nil {
		return nil
	}
	if !errors.Is(err, dataset.ErrData) {
		return err // the disk's
	}
	failed := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		failed = joined.Unwrap()
	}
	for _, err := range failed {
		slog.Error(err.Error())
	}
	if lacking > len(failed) {
		slog.Warn("the other files are not tried: so many failed", "files", lacking-len(failed))
	}
	return cli.BadData(fmt.Errorf("%d files could not be downloaded", max(lacking, len(failed))))
}

// DataVerify is repro data verify.
type DataVerify struct {
	cli.DataFlag
	JSON bool `name:"json" group:"common" help:"Print JSON."`
}

func (c *DataVerify) Run(e *cli.Env) error {
	states, err := dataset.Verify(e, c.Data)
	if err != nil {
		return err
	}
	list := make([]dataFile, len(states))
	bad := 0
	missing := map[string]int{} // of collections
	for i, s := range states {
		list[i] = jsonFile(s.File, s.Status)
		if s.Status == dataset.Present {
			continue
		}
		bad++
		if collection := s.InCollection(); collection != "" && s.Status == dataset.Missing {
			missing[collection]++
		} else if !c.JSON {
			fmt.Fprintf(e.Out, "%s\t%s\n", s.Status, s.Path)
		}
	}
	if c.JSON {
		if err := e.JSON(list); err != nil {
			return err
		}
	} else {
		for _, f := range dataset.Catalogue() {
			if n := missing[f.Path]; n > 0 {
				fmt.Fprintf(e.Out, "%s\t%d of %d files of %s\n", dataset.Missing, n, f.Rows, f.Path)
			}
		}
	}
	if bad > 0 {
		return cli.BadData(fmt.Errorf("%d of %d files in %s are missing or damaged", bad, len(states), c.Data))
	}
	if !c.JSON {
		fmt.Fprintf(e.Out, "%d files in %s, all as expected\n", len(states), c.Data)
	}
	return nil
}
