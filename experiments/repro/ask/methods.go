package ask

import (
	"contextmover/experiments/harness/method"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/show/render"
)

// Methods is repro methods.
type Methods struct {
	Method string `arg:"" optional:"" help:"List the settings of this one."`
}

func (c *Methods) Help() string {
	return `Commands take a method by its name in the first column, with settings after commas:

    repro score --pairs pairs.tsv --method sif,a=1e-4,remove_pc=true

Names that end in -mix or -pc, and average and comb, are other methods with settings: repro methods comb-mix lists them.

nearest, for texts, and sif, for single words, agree best with people on the sets on which they were chosen. average, comb and debiased are the context mover's distance, which is explained by contexts. distance, neighbours, explain and Explore take nearest, sif, nbow and these three; score takes all.`
}

// jsonMethod is a method in JSON.
type jsonMethod struct {
	ID    string   `json:"id"`
	Name  string   `json:"name"`
	Names []string `json:"names"` // that commands take
	Help  string   `json:"help"`
	Needs string   `json:"needs"`
	// Settings are the defaults.
	Settings map[string]any `json:"settings"`
}

func (c *Methods) Run(e *cli.Env) error {
	if c.Method != "" {
		return c.settings(e)
	}
	t := render.NewTable("methods", "name", "Methods that compare texts",
		"needs: with the default settings. Whether a space has it, its error tells.")
	t.Plain("", 0, "in tables", "what it is", "needs")
	var all []jsonMethod
	for _, k := range method.Kinds() {
		m := k.Method
		names := k.Names()
		j := jsonMethod{
			ID: k.ID, Name: k.Name, Names: names, Help: k.Help, Needs: m.Needs().String(), Settings: settingsOf(m),
		}
		for i, name := range names {
			cells := render.Texts(k.Name, k.Help, j.Needs)
			if i > 0 {
				cells = render.Texts("″", "″", "″")
			}
			t.Add("", name, name, cells...)
		}
		all = append(all, j)
	}
	return e.Show(all, t)
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
	t := render.NewTable("settings", "setting", method.KindOf(m).Name+": "+method.KindOf(m).Help,
		"value: where neither command nor space names another. A space has its own vectors, "+
			"histograms, costs and transport.")
	t.Plain("", 0, "value", "can be", "sign", "what it is")
	for _, f := range method.Fields(m) {
		t.Add("", f.Name, f.Name, render.Texts(f.Text(m), f.Range(), f.Sign, f.Help)...)
	}
	return e.Show(settingsOf(m), t)
}
