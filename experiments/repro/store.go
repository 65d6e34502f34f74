package main

import (
	"fmt"
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
	JSON bool `name:"json" help:"Print JSON."`
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
	list := make([]artefact, len(infos))
	total := int64(0)
	for i, info := range infos {
		list[i] = artefact{info.Key, info.Stage, info.Size, info.Made, info.Duration.Seconds(), info.Dir, ""}
		if info.Damage != nil {
			list[i].Damage = info.Damage.Error()
		}
		total += info.Size
	}
	if c.JSON {
		return e.json(list)
	}
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "KEY\tSTAGE\tSIZE\tMADE\tTOOK")
	for _, a := range list {
		made, took := "unknown", "unknown"
		if !a.Made.IsZero() {
			made, took = a.Made.Local().Format(time.DateTime), time.Duration(a.Seconds*float64(time.Second)).Round(10*time.Millisecond).String()
		}
		if a.Damage != "" {
			took = "damaged: " + a.Damage
		}
		fmt.Fprintf(w, "%.12s\t%s\t%s\t%s\t%s\n", a.Key, a.Stage, size(a.Bytes), made, took)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(e.out, "%d artefacts, %s, in %s\n", len(list), size(total), s.Dir())
	return nil
}

type cleanCmd struct {
	storeFlag
	All  bool        `help:"Remove all artefacts."`
	Keys []store.Key `arg:"" optional:"" name:"key" help:"Keys of artefacts to remove, or their starts, as ls prints them."`
}

func (c *cleanCmd) Run(e *env) error {
	if c.All == (len(c.Keys) > 0) {
		return badUsage("expected either keys of artefacts (see repro ls) or --all")
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
		var chosen []store.Info
		for _, key := range c.Keys {
			n := len(chosen)
			for _, info := range infos {
				if strings.HasPrefix(string(info.Key), string(key)) {
					chosen = append(chosen, info)
				}
			}
			if len(chosen) != n+1 {
				return badUsage("%d artefacts in %s have a key that starts with %q, expected one (see repro ls)", len(chosen)-n, s.Dir(), key)
			}
		}
		infos = chosen
	}
	freed := int64(0)
	for i, info := range infos {
		if err := e.Err(); err != nil {
			return err
		}
		if err := s.Remove(info.Key); err != nil {
			fmt.Fprintf(e.out, "removed %d artefacts, freed %s\n", i, size(freed))
			return err
		}
		freed += info.Size
	}
	fmt.Fprintf(e.out, "removed %d artefacts, freed %s\n", len(infos), size(freed))
	return nil
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
