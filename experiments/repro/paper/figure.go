package paper

import (
	"strings"

	"contextmover/experiments/repro/cli"
	"contextmover/experiments/show/figure"
)

// Drawn returns the figure of a run of a profile that is called name, or whose name begins so, and the profile's name.
// It is an error, that of wrong usage, if the results have none.
func Drawn(profile, name string) (drawn *figure.Figure, folder string, err error) {
	p, all, _, err := (resultsFlags{ProfileFlag: cli.ProfileFlag{Profile: profile}, Results: resultsDir}).read()
	if err != nil {
		return nil, "", err
	}
	var ids []string
	for _, r := range all {
		for _, f := range r.Figures {
			if f.ID == name || strings.HasPrefix(f.ID, name+"_") {
				if drawn, err = figure.Decode(f.Data); err != nil {
					err = cli.BadData(err)
				}
				return drawn, p.Name, err
			}
			ids = append(ids, f.ID)
		}
	}
	return nil, "", cli.BadUsage("no figure %q in the results of profile %s; there is %s",
		name, p.Name, near(name, ids))
}
