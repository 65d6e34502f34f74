package maintain

import (
	"fmt"
	"slices"
	"time"

	"contextmover/experiments/harness/store"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/printable"
)

// Ls is repro ls.
type Ls struct {
	cli.StoreFlag
	Stage string `arg:"" optional:"" help:"List the artefacts of this stage one by one."`
}

// artefact is the JSON form of a line of ls.
type artefact struct {
	Key     store.Key `json:"key"`
	Stage   string    `json:"stage"`
	Bytes   int64     `json:"bytes"`
	Made    time.Time `json:"made"`
	Seconds float64   `json:"seconds"`
	Dir     string    `json:"dir"`
}

func (c *Ls) Run(e *cli.Env) error {
	s, err := c.OpenStore()
	if err != nil {
		return err
	}
	infos, err := s.List()
	if err != nil {
		return err
	}
	if c.Stage != "" {
		infos = slices.DeleteFunc(infos, func(info store.Info) bool { return info.Stage != c.Stage })
		if len(infos) == 0 {
			return cli.BadUsage("no artefact of the stage %q in %s (see repro ls)", c.Stage, s.Dir())
		}
	}
	list := []artefact{}
	for _, i := range infos {
		list = append(list, artefact{i.Key, i.Stage, i.Size, i.Made, i.Duration.Seconds(), printable.Path(i.Dir)})
	}
	if e.AsJSON {
		return e.JSON(list)
	}
	w := e.Tabs()
	if c.Stage == "" {
		fmt.Fprintln(w, "STAGE\tARTEFACTS\tSIZE\tLAST MADE\tTOOK")
	} else {
		fmt.Fprintln(w, "KEY\tSIZE\tMADE\tTOOK")
	}
	for len(list) > 0 { // artefacts come sorted by stage
		sum, n := list[0], 1
		for ; c.Stage == "" && n < len(list) && list[n].Stage == sum.Stage; n++ {
			sum.Bytes += list[n].Bytes
			sum.Seconds += list[n].Seconds
			if list[n].Made.After(sum.Made) {
				sum.Made = list[n].Made
			}
		}
		what := fmt.Sprintf("%.12s", sum.Key)
		if c.Stage == "" {
			what = fmt.Sprintf("%s\t%d", sum.Stage, n)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", what, printable.Bytes(sum.Bytes), cli.Moment(sum.Made),
			cli.Took(sum.Seconds))
		list = list[n:]
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(e.Out, "%s, in %s\n", artefacts(infos), s.Dir())
	return nil
}

// Clean is repro clean.
type Clean struct {
	cli.StoreFlag
	All   bool     `help:"Remove all artefacts."`
	Names []string `arg:"" optional:"" name:"name" help:"What to remove: stages, or keys of artefacts or their starts, as ls prints them."`
}

func (c *Clean) Run(e *cli.Env) error {
	if c.All == (len(c.Names) > 0) {
		return cli.BadUsage("expected either stages or keys of artefacts (see repro ls) or --all")
	}
	s, err := c.OpenStore()
	if err != nil {
		return err
	}
	infos, err := s.List()
	if err != nil {
		return err
	}
	if !c.All {
		chosen := map[store.Key]bool{}
		for _, name := range c.Names {
			found := false
			for _, info := range infos {
				if info.Stage == name {
					found, chosen[info.Key] = true, true
				}
			}
			if !found {
				info, err := s.Match(store.Key(name))
				if err != nil {
					return cli.BadUsage("%q is no stage: %w", name, err)
				}
				chosen[info.Key] = true
			}
		}
		infos = slices.DeleteFunc(infos, func(info store.Info) bool { return !chosen[info.Key] })
	}
	removed, err := s.Remove(e, infos...)
	if err == nil || removed > 0 {
		fmt.Fprintf(e.Out, "removed %s\n", artefacts(infos[:removed]))
	}
	return err
}

// artefacts says how many there are, and how large.
func artefacts(infos []store.Info) string {
	bytes, what := int64(0), "artefacts"
	for _, info := range infos {
		bytes += info.Size
	}
	if len(infos) == 1 {
		what = "artefact"
	}
	return fmt.Sprintf("%d %s, %s", len(infos), what, printable.Bytes(bytes))
}
