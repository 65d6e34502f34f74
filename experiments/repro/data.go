package main

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"contextmover/experiments/dataset"
)

// dataFlag names the folder of real data; the mini profile needs none.
type dataFlag struct {
	Data string `env:"CONTEXTMOVER_DATA" placeholder:"DIR" help:"Folder of real data (default: the variable CONTEXTMOVER_DATA)."`
}

type dataLsCmd struct {
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
	Status  dataset.Status `json:"status,omitempty"` // of verify
}

func jsonFile(f dataset.File, status dataset.Status) dataFile {
	return dataFile{f.Path, f.Bytes, f.SHA256, f.Purpose, f.Licence, f.Original, status}
}

func (c *dataLsCmd) Run(e *env) error {
	files := dataset.Catalogue()
	if c.JSON {
		list := make([]dataFile, len(files))
		for i, f := range files {
			list[i] = jsonFile(f, "")
		}
		return e.json(list)
	}
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "FILE\tSIZE\tPURPOSE")
	total := int64(0)
	for _, f := range files {
		fmt.Fprintf(w, "%s\t%s\t%s\n", f.Path, size(f.Bytes), f.Purpose)
		total += f.Bytes
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(e.out, "%d files, %s; --json adds checksums, licences and origins\n", len(files), size(total))
	return nil
}

type dataVerifyCmd struct {
	dataFlag
	JSON bool `name:"json" help:"Print JSON."`
}

func (c *dataVerifyCmd) Run(e *env) error {
	if c.Data == "" {
		return badData(errors.New("no data folder is named: use --data DIR or the variable CONTEXTMOVER_DATA"))
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
			fmt.Fprintf(e.out, "%s\t%s\n", s.Status, s.Path)
		}
	}
	if c.JSON {
		if err := e.json(list); err != nil {
			return err
		}
	}
	if bad > 0 {
		return badData(fmt.Errorf("%d of %d files in %s are missing or damaged", bad, len(states), c.Data))
	}
	if !c.JSON {
		fmt.Fprintf(e.out, "%d files in %s, all as expected\n", len(states), c.Data)
	}
	return nil
}

// checkData is doctor's look at the data folder.
func (c *doctorCmd) checkData(e *env) finding {
	if c.Data == "" {
		return finding{"data", true, "no folder named; only profiles on real data need one", ""}
	}
	states, err := dataset.Verify(e, c.Data)
	if err != nil {
		return finding{"data", false, err.Error(), "name the folder with --data DIR or the variable CONTEXTMOVER_DATA"}
	}
	count := make(map[dataset.Status]int)
	first := make(map[dataset.Status]string)
	for _, s := range states {
		count[s.Status]++
		if first[s.Status] == "" {
			first[s.Status] = s.Path
		}
	}
	f := finding{"data", count[dataset.Present] == len(states), fmt.Sprintf("%d of %d files in %s are as expected", count[dataset.Present], len(states), c.Data), ""}
	for _, status := range []dataset.Status{dataset.Missing, dataset.Damaged} {
		if count[status] > 0 {
			f.Detail += fmt.Sprintf(", %d %s (%s …)", count[status], status, first[status])
			f.Cure = "repro data verify lists them and repro data ls says where each comes from"
		}
	}
	return f
}
