package maintain

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"contextmover/experiments/harness/store"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/printable"
)

// Ls is repro ls.
type Ls struct {
	cli.StoreFlag
	Stage string `arg:"" optional:"" help:"List the artefacts of this stage one by one."`
	JSON  bool   `name:"json" group:"common" help:"Print JSON, one entry per artefact."`
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

func (c *Ls) Run(e *cli.Env) error {
	s, err := c.OpenStore()
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
		a := artefact{info.Key, info.Stage, info.Size, info.Made, info.Duration.Seconds(), printable.Path(info.Dir), ""}
		if info.Damage != nil {
			a.Damage = info.Damage.Error()
		}
		list = append(list, a)
		total += info.Size
	}
	if c.Stage != "" && len(list) == 0 {
		return cli.BadUsage("no artefact of the stage %q in %s (see repro ls)", c.Stage, s.Dir())
	}
	if c.JSON {
		return e.JSON(list)
	}
	w := e.Tabs()
	if c.Stage != "" {
		listArtefacts(w, list)
	} else {
		listStages(w, list)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(e.Out, "%s, %s, in %s\n", artefacts(len(list)), printable.Bytes(total), s.Dir())
	return nil
}

func listArtefacts(w io.Writer, list []artefact) {
	fmt.Fprintln(w, "KEY\tSIZE\tMADE\tTOOK")
	for _, a := range list {
		took := "unknown"
		if !a.Made.IsZero() {
			took = cli.Took(a.Seconds)
		}
		if a.Damage != "" {
			took = "damaged: " + a.Damage
		}
		fmt.Fprintf(w, "%.12s\t%s\t%s\t%s\n", a.Key, printable.Bytes(a.Bytes), cli.Moment(a.Made), took)
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
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\n", list[lo].Stage, hi-lo, printable.Bytes(bytes), cli.Moment(last),
			cli.Took(took))
		lo = hi
	}
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
				return cli.BadUsage("%q is no stage, and %d artefacts in %s have a key that starts with it, expected "+
					"one (see repro ls)", name, start, s.Dir())
			}
		}
		infos = slices.DeleteFunc(infos, func(info store.Info) bool { return !chosen[info.Key] })
	}
	removed, err := s.Remove(e, infos...)
	freed := int64(0)
	for _, info := range infos[:removed] {
		freed += info.Size
	}
	if err == nil || removed > 0 {
		fmt.Fprintf(e.Out, "removed %s, freed %s\n", artefacts(removed), printable.Bytes(freed))
	}
	return err
}

func artefacts(n int) string {
	if n == 1 {
		return "1 artefact"
	}
	return fmt.Sprintf("%d artefacts", n)
}
