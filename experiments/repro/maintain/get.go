package maintain

import (
	"fmt"
	"text/tabwriter"

	"contextmover/cmdlib/english"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/spaces"
	"contextmover/experiments/repro/cli"
)

// Get is repro get.
type Get struct {
	Name string `arg:"" optional:"" placeholder:"NAME" help:"A space of the list (default: show the list)."`
	JSON bool   `name:"json" help:"Print JSON."`
	cli.MakingFlags
}

func (c *Get) Help() string {
	return "One space is built in. The others are nowhere to be downloaded: they are made on this machine, of text " +
		"that is fetched first (repro data fetch), and kept in the store. A --space that is not there is made as " +
		"well, of text that is."
}

// made are the profiles whose spaces are worth making, with what they take: minutes on two processors, as measured
// once, without the fetching, and bytes.
var made = []struct {
	profile string
	minutes float64
	bytes   int64
}{
	{"mini", 0.05, 3_264_358},
	{"sample", 0.5, 86_105_738},
	{"open", 8, 620_917_679},
}

// jsonSpace is the JSON form of a space of the list.
type jsonSpace struct {
	Name  string `json:"name"`
	What  string `json:"what"`
	There bool   `json:"there"`
	Bytes int64  `json:"bytes"`           // of the space
	Fetch int64  `json:"fetch,omitempty"` // bytes of the text that it is made of
	// Minutes are about what making it takes, without the fetching.
	Minutes float64 `json:"minutes,omitempty"`
}

func (c *Get) Run(e *cli.Env) error {
	if c.Name == "" {
		return c.list(e)
	}
	if c.Name == spaces.Default {
		fmt.Fprintf(e.Out, "%s is built in: repro neighbours elephant asks it\n", c.Name)
		return nil
	}
	if !spaces.IsProfile(c.Name) {
		return cli.BadUsage("no space %q can be got, expected one of the list that repro get prints", c.Name)
	}
	flags := cli.WorkspaceFlags{ProfileFlag: cli.ProfileFlag{Profile: c.Name}, MakingFlags: c.MakingFlags}
	w, err := flags.Workspace(e)
	if err != nil {
		return err
	}
	if !w.HasSpace() {
		files, err := fetched(w.Profile)
		if err != nil {
			return err
		}
		if len(files) > 0 {
			if err := (&DataFetch{DataFlag: c.DataFlag, Files: files}).Run(e); err != nil {
				return err
			}
		}
	}
	s, dir, err := w.OpenSpace(e)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.Out, "%s\t%d words over %d clusters; ask it with --space %s\n", dir, len(s.Words), s.Cost.K, c.Name)
	return s.Close()
}

// fetched are the files that the space of a profile is made of and that can be fetched.
func fetched(p *profile.Profile) (names []string, err error) {
	files, err := pipeline.TextFiles(p)
	for _, name := range append(files, pipeline.VectorFiles(p)...) {
		if _, known := dataset.Lookup(name); known {
			names = append(names, name)
		}
	}
	return names, err
}

func (c *Get) list(e *cli.Env) error {
	list := []jsonSpace{{
		Name: english.Name, What: "100,000 English words, of novels and Wikipedia", There: true,
		Bytes: int64(english.Size()),
	}}
	for _, m := range made {
		flags := cli.WorkspaceFlags{ProfileFlag: cli.ProfileFlag{Profile: m.profile}, MakingFlags: c.MakingFlags}
		w, err := flags.Workspace(e)
		if err != nil {
			return err
		}
		x := jsonSpace{
			Name: m.profile, What: w.Profile.Description, There: w.HasSpace(), Bytes: m.bytes, Minutes: m.minutes,
		}
		files, err := fetched(w.Profile)
		if err != nil {
			return err
		}
		if len(files) > 0 {
			chosen, err := dataset.Choose(files...)
			if err != nil {
				return err
			}
			for _, f := range chosen {
				x.Fetch += f.Bytes
			}
		}
		list = append(list, x)
	}
	if c.JSON {
		return e.JSON(list)
	}
	w := tabwriter.NewWriter(e.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SPACE\tSIZE\tWHAT IT IS OF\tHOW TO GET IT")
	for _, x := range list {
		time := "less than a minute"
		if x.Minutes >= 1 {
			time = fmt.Sprintf("about %.0f minutes on two processors", x.Minutes)
		}
		how := fmt.Sprintf("repro get %s makes it of %s of text that it fetches, in %s",
			x.Name, cli.Size(x.Fetch), time)
		switch {
		case x.Name == english.Name:
			how = "built in"
		case x.There:
			how = "in the store"
		case x.Fetch == 0:
			how = "made when it is first asked, in seconds"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", x.Name, cli.Size(x.Bytes), x.What, how)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(
		e.Out, "Commands ask the first of them; --space NAME asks another, --space DIR one of your own (repro build).",
	)
	return nil
}
