package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"contextmover/experiments/store"
)

// storeFlag says where finished artefacts are kept.
type storeFlag struct {
	Store string `placeholder:"DIR" help:"Folder of finished artefacts (default: in the user's cache folder)."`
}

func (f storeFlag) open() (*store.Store, error) {
	dir := f.Store
	if dir == "" {
		var err error
		if dir, err = store.DefaultDir(); err != nil {
			return nil, err
		}
	}
	return store.Open(dir)
}

type lsCmd struct {
	storeFlag
	Stage string `arg:"" optional:"" help:"List the artefacts of this stage one by one."`
	JSON  bool   `name:"json" help:"Print JSON, one entry an artefact."`
}

// artefact is the JSON form of a line of ls.
type artefact struct {
	Key     store.Key `json:"key"`
	Stage   string    `json:"stage"`
	Bytes   int64     `json:"bytes"`
	Made    time.Time `json:"made"`
	Seconds float64   `json:"seconds"`
	Dir     string    `json:"dir"`
	Damage  string    `json:"damage,omitempty"`
}

func (c *lsCmd) Run(e *env) error {
	s, err := c.open()
	if err != nil {
		return err
	}
	infos, err := s.List()
	if err != nil {
		return err
	}
	list := []artefact{}
	total := int64(0)
	for _, info := range infos {
		if c.Stage != "" && info.Stage != c.Stage {
			continue
		}
		a := artefact{info.Key, info.Stage, info.Size, info.Made, info.Duration.Seconds(), info.Dir, ""}
		if info.Damage != nil {
			a.Damage = info.Damage.Error()
		}
		list = append(list, a)
		total += info.Size
	}
	if c.Stage != "" && len(list) == 0 {
		return badUsage("no artefact of the stage %q in %s (see repro ls)", c.Stage, s.Dir())
	}
	if c.JSON {
		return e.json(list)
	}
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	if c.Stage != "" {
		listArtefacts(w, list)
	} else {
		listStages(w, list)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(e.out, "%s, %s, in %s\n", artefacts(len(list)), size(total), s.Dir())
	return nil
}

func listArtefacts(w io.Writer, list []artefact) {
	fmt.Fprintln(w, "KEY\tSIZE\tMADE\tTOOK")
	for _, a := range list {
		made, took := "unknown", "unknown"
		if !a.Made.IsZero() {
			made, took = a.Made.Local().Format(time.DateTime), seconds(a.Seconds)
		}
		if a.Damage != "" {
			took = "damaged: " + a.Damage
		}
		fmt.Fprintf(w, "%.12s\t%s\t%s\t%s\n", a.Key, size(a.Bytes), made, took)
	}
}

// listStages sums up the artefacts, which come sorted by stage.
func listStages(w io.Writer, list []artefact) {
	fmt.Fprintln(w, "STAGE\tARTEFACTS\tSIZE\tLAST MADE\tTOOK")
	for lo := 0; lo < len(list); {
		hi, bytes, took, last := lo, int64(0), 0.0, time.Time{}
		for hi < len(list) && list[hi].Stage == list[lo].Stage {
			bytes += list[hi].Bytes
			took += list[hi].Seconds
			if list[hi].Made.After(last) {
				last = list[hi].Made
			}
			hi++
		}
		made := "unknown"
		if !last.IsZero() {
			made = last.Local().Format(time.DateTime)
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\n", list[lo].Stage, hi-lo, size(bytes), made, seconds(took))
		lo = hi
	}
}

func seconds(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(10 * time.Millisecond).String()
}

type cleanCmd struct {
	storeFlag
	All   bool     `help:"Remove all artefacts."`
	Names []string `arg:"" optional:"" name:"name" help:"What to remove: stages, or keys of artefacts or their starts, as ls prints them."`
}

func (c *cleanCmd) Run(e *env) error {
	if c.All == (len(c.Names) > 0) {
		return badUsage("expected either stages or keys of artefacts (see repro ls) or --all")
	}
	s, err := c.open()
	if err != nil {
		return err
	}
	infos, err := s.List()
	if err != nil {
		return err
	}
	if !c.All {
		chosen := make(map[store.Key]bool)
		for _, name := range c.Names {
			stage, start := 0, 0
			for _, info := range infos {
				if info.Stage == name {
					stage++
					chosen[info.Key] = true
				}
			}
			for _, info := range infos {
				if stage == 0 && strings.HasPrefix(string(info.Key), name) {
					start++
					chosen[info.Key] = true
				}
			}
			if stage == 0 && start != 1 {
				return badUsage("%q is no stage, and %d artefacts in %s have a key that starts with it, expected one (see repro ls)", name, start, s.Dir())
			}
		}
		infos = slices.DeleteFunc(infos, func(info store.Info) bool { return !chosen[info.Key] })
	}
	freed := int64(0)
	for i, info := range infos {
		if err := e.Err(); err != nil {
			return err
		}
		if err := s.Remove(info.Key); err != nil {
			fmt.Fprintf(e.out, "removed %s, freed %s\n", artefacts(i), size(freed))
			return err
		}
		freed += info.Size
	}
	fmt.Fprintf(e.out, "removed %s, freed %s\n", artefacts(len(infos)), size(freed))
	return nil
}

func artefacts(n int) string {
	if n == 1 {
		return "1 artefact"
	}
	return fmt.Sprintf("%d artefacts", n)
}

// size writes a number of bytes for people.
func size(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%d B", n)
}
