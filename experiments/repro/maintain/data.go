package maintain

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"contextmover/experiments/dataset"
	"contextmover/experiments/repro/cli"
)

// DataLs is repro data ls.
type DataLs struct {
	cli.DataFlag
	JSON bool `name:"json" help:"Print JSON."`
}

// dataFile is the JSON form of a file of the catalogue.
type dataFile struct {
	Path    string         `json:"path"`
	Bytes   int64          `json:"bytes"`
	SHA256  string         `json:"sha256"`
	Purpose string         `json:"purpose"`
	Licence string         `json:"licence"`
	Origin  string         `json:"origin"`
	Source  string         `json:"source"`
	Address string         `json:"address,omitempty"` // where fetch gets it
	Status  dataset.Status `json:"status,omitempty"`  // of verify
	There   *int64         `json:"there,omitempty"`   // bytes in the data folder
}

func jsonFile(f dataset.File, status dataset.Status) dataFile {
	return dataFile{f.Path, f.Bytes, f.SHA256, f.Purpose, f.Licence, f.Original, f.Source, f.Address, status, nil}
}

func (c *DataLs) Run(e *cli.Env) error {
	files := dataset.Catalogue()
	list := make([]dataFile, len(files))
	total, there, complete, public := int64(0), int64(0), 0, 0
	for i, f := range files {
		list[i] = jsonFile(f, "")
		total += f.Bytes
		if f.Address != "" {
			public++
		}
		if c.Data != "" {
			have := int64(0)
			for _, name := range []string{f.Path, f.Path + ".part"} {
				if info, err := os.Stat(filepath.Join(c.Data, filepath.FromSlash(name))); err == nil && info.Mode().IsRegular() {
					have = info.Size()
					break
				}
			}
			list[i].There = &have
			there += have
			if have == f.Bytes {
				complete++
			}
		}
	}
	if c.JSON {
		return e.JSON(list)
	}
	w := tabwriter.NewWriter(e.Out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "FILE\tSIZE\tGET IT BY\tPURPOSE\tLICENCE")
	if c.Data != "" {
		fmt.Fprint(w, "\tTHERE")
	}
	fmt.Fprintln(w)
	for i, f := range files {
		by := "copy"
		if f.Address != "" {
			by = "fetch"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s", f.Path, cli.Size(f.Bytes), by, f.Purpose, shorten(f.Licence, 40))
		if c.Data != "" {
			part := "yes"
			switch have := *list[i].There; {
			case have == 0:
				part = "no"
			case have != f.Bytes:
				part = fmt.Sprintf("%s %%", cli.Percent(have, f.Bytes))
			}
			fmt.Fprintf(w, "\t%s", part)
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(e.Out, "%d files, %s; %d can be fetched, the others copied (data fetch --from DIR)\n", len(files), cli.Size(total), public)
	if c.Data != "" {
		fmt.Fprintf(e.Out, "%d files, %s are in %s; data verify checks their contents\n", complete, cli.Size(there), c.Data)
	}
	fmt.Fprintln(e.Out, "--json adds checksums, whole licences, origins and addresses")
	return nil
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
	From  string   `placeholder:"DIR" help:"Copy from this folder, which has the files under the same paths."`
	Files []string `arg:"" optional:"" name:"file" help:"Files or folders of the list (default: all)."`
}

func (c *DataFetch) Run(e *cli.Env) error {
	if c.Data == "" {
		return cli.BadUsage("expected the folder to fill: --data DIR or the variable CONTEXTMOVER_DATA")
	}
	files, err := chooseFiles(c.Files)
	if err != nil {
		return err
	}
	f := &dataset.Fetcher{Dir: c.Data}
	var got, had, private, lacking int
	var bytes int64
	var failures []error
files:
	for _, file := range files {
		have, err := f.Have(file)
		switch {
		case have:
			had++
			continue
		case err != nil:
		case c.From == "" && file.Address == "" && len(c.Files) == 0:
			private++
			continue
		case c.From != "":
			f.Progress = e.Progress.Step("copy " + file.Path)
			err = f.Copy(e, c.From, file)
			if errors.Is(err, fs.ErrNotExist) {
				if lacking++; len(c.Files) == 0 {
					continue
				}
				err = cli.BadData(err)
			}
		default:
			f.Progress = e.Progress.Step("fetch " + file.Path)
			err = f.Fetch(e, file)
		}
		if e.Err() != nil {
			return e.Err()
		}
		if err != nil {
			if !errors.Is(err, dataset.ErrData) && cli.ExitCode(err) != cli.ExitData {
				return err // the disk will not be better for the next file
			}
			slog.Error(err.Error())
			failures = append(failures, err)
			var fetch *dataset.FetchError
			if errors.As(err, &fetch) && fetch.Unreachable {
				slog.Warn("the network cannot be reached, so the other files are not tried")
				break files
			}
			continue
		}
		got++
		bytes += file.Bytes
	}
	fmt.Fprintf(e.Out, "%d files (%s) are new in %s, %d were there\n", got, cli.Size(bytes), c.Data, had)
	if private > 0 {
		fmt.Fprintf(e.Out, "%d files have no public address: repro data ls says where they come from, --from DIR copies them\n", private)
	}
	if lacking > 0 {
		fmt.Fprintf(e.Out, "%d files are not in %s\n", lacking, c.From)
	}
	if len(failures) > 0 {
		return cli.BadData(fmt.Errorf("%d files could not be had", len(failures)))
	}
	if c.From != "" && got+had == 0 {
		return cli.BadData(fmt.Errorf("%s has none of the files, expected them under the paths that repro data ls prints", c.From))
	}
	return nil
}

// chooseFiles returns the files of the catalogue with the given paths, or below them.
func chooseFiles(names []string) ([]dataset.File, error) {
	all := dataset.Catalogue()
	if len(names) == 0 {
		return all, nil
	}
	chosen := make(map[string]bool)
	for _, name := range names {
		found := false
		for _, f := range all {
			if f.Path == name || strings.HasPrefix(f.Path, strings.TrimSuffix(name, "/")+"/") {
				chosen[f.Path], found = true, true
			}
		}
		if !found {
			return nil, cli.BadUsage("no file or folder %q in the list (see repro data ls)", name)
		}
	}
	return slices.DeleteFunc(all, func(f dataset.File) bool { return !chosen[f.Path] }), nil
}

// DataVerify is repro data verify.
type DataVerify struct {
	cli.DataFlag
	JSON bool `name:"json" help:"Print JSON."`
}

func (c *DataVerify) Run(e *cli.Env) error {
	if c.Data == "" {
		return cli.BadData(errors.New("no data folder is named: use --data DIR or the variable CONTEXTMOVER_DATA"))
	}
	states, err := dataset.Verify(e, c.Data)
	if err != nil {
		return err
	}
	list := make([]dataFile, len(states))
	bad := 0
	for i, s := range states {
		list[i] = jsonFile(s.File, s.Status)
		if s.Status == dataset.Present {
			continue
		}
		bad++
		if !c.JSON {
			fmt.Fprintf(e.Out, "%s\t%s\n", s.Status, s.Path)
		}
	}
	if c.JSON {
		if err := e.JSON(list); err != nil {
			return err
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
