package ask

import (
	"errors"
	"fmt"

	"contextmover/cmdlib/method"
	"contextmover/experiments/methods"
	"contextmover/experiments/render"
	"contextmover/experiments/repro/cli"
)

// Methods is repro methods.
type Methods struct {
	Method  string   `arg:"" optional:"" help:"List the settings of this one."`
	Measure bool     `help:"Measure those that a space answers by: the table with 95 % intervals, or with --json the record that is part of the program."`
	All     bool     `help:"With --measure, also measure on the test sets of 2012 to 2015."`
	Only    []string `sep:";" placeholder:"NAME" help:"With --measure, measure these methods. Separate several by semicolons."`
	cli.SpaceFlags
	JSON bool `name:"json" help:"Print JSON."`
}

// Validate refuses what belongs to another use.
func (c *Methods) Validate() error {
	if !c.Measure && (c.All || len(c.Only) > 0) || c.Measure && c.Method != "" {
		return errors.New("--all and --only belong to --measure, which takes no method beside them")
	}
	return c.SpaceFlags.Validate()
}

func (c *Methods) Help() string {
	return `Methods compare texts. Commands take them by the names in the first column, with settings behind commas:

    repro score --pairs pairs.tsv --method sif,a=1e-4,remove_pc=true

Names that end in -mix or -pc, and average and comb, are other methods with settings: repro methods comb-mix lists them.

sif agrees best with people. average, comb and debiased are the context mover's distance: they explain by contexts, and their cost may be directed. distance, neighbours, explain, cluster and Explore take sif, nbow and these three; score and compare take all.`
}

// jsonMethod is a method in JSON.
type jsonMethod struct {
	ID    string   `json:"id"`
	Name  string   `json:"name"`
	Names []string `json:"names"` // that commands take
	Help  string   `json:"help"`
	Needs string   `json:"needs"`
	// Measured are those of its names that were measured in the built-in space.
	Measured []methods.Method `json:"measured,omitempty"`
	Settings map[string]any   `json:"settings"` // defaults
}

func (c *Methods) Run(e *cli.Env) error {
	if c.Measure {
		return c.measure(e)
	}
	if c.Method != "" {
		return c.settings(e)
	}
	measured, err := methods.Recorded()
	if err != nil {
		return err
	}
	t := &render.Table{ID: "methods", Label: "name", Title: "Methods that compare texts", Notes: []string{
		"needs: with the default settings. Whether a space has it, its error tells.",
	}}
	t.Plain("", 0, "in tables", "what it is", "needs")
	var all []jsonMethod
	for _, k := range method.Kinds() {
		m := k.New()
		names := k.Names()
		j := jsonMethod{
			ID: k.ID, Name: k.Name, Names: names, Help: k.Help, Needs: m.Needs().String(), Settings: settingsOf(m),
		}
		for i, name := range names {
			row := render.Row{
				Key: name, Label: name, Cells: []render.Cell{{Text: k.Name}, {Text: k.Help}, {Text: j.Needs}},
			}
			if of := measured.Of(name); of != nil {
				j.Measured = append(j.Measured, *of)
			}
			if i > 0 {
				row.Cells = []render.Cell{{Text: "″"}, {Text: "″"}, {Text: "″"}}
			}
			t.Add("", row)
		}
		all = append(all, j)
	}
	if c.JSON {
		return e.JSON(all)
	}
	if err := e.Table(t); err != nil {
		return err
	}
	fmt.Fprintln(e.Out)
	return e.Table(measured.Table())
}

// measure prints what is measured of a space.
func (c *Methods) measure(e *cli.Env) error {
	s, _, err := c.Open(e)
	if err != nil {
		return err
	}
	defer s.Close()
	sets, err := methods.Sets(c.All)
	if err != nil {
		return err
	}
	names := c.Only
	if len(names) == 0 {
		names = methods.Names()
	}
	r, err := methods.Measure(e, s, c.Data, sets, names)
	if err != nil {
		return err
	}
	if c.JSON {
		return e.JSON(r)
	}
	return e.Table(r.Table())
}

func settingsOf(m method.Method) map[string]any {
	all := map[string]any{}
	for _, f := range method.Fields(m) {
		all[f.Name] = f.In(m).Interface()
	}
	return all
}

// settings lists those of one method.
func (c *Methods) settings(e *cli.Env) error {
	m, err := method.Preset(c.Method)
	if err != nil {
		return cli.BadUsage("%w", err)
	}
	if c.JSON {
		return e.JSON(settingsOf(m))
	}
	t := &render.Table{
		ID: "settings", Label: "setting", Title: method.KindOf(m).Name + ": " + method.KindOf(m).Help,
		Notes: []string{"value: where neither command nor space says another. A space has its own vectors, " +
			"histograms, costs and transport."},
	}
	t.Plain("", 0, "value", "can be", "sign", "what it is")
	for _, f := range method.Fields(m) {
		t.Add("", render.Row{Key: f.Name, Label: f.Name, Cells: []render.Cell{
			{Text: f.Text(m)}, {Text: f.Range()}, {Text: f.Sign}, {Text: f.Help},
		}})
	}
	return e.Table(t)
}
