package cli

import (
	"path/filepath"

	"contextmover/cmdlib"
	"contextmover/cmdlib/ot"
	"contextmover/experiments/harness/engines"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/spaces"
)

// SpaceFlags choose the space that words and sentences are looked up in. The store and the data of a profile's space
// are those that the environment names.
type SpaceFlags struct {
	Space string `group:"common" default:"${space}" placeholder:"NAME|FILE" help:"The space: english, which is built in; a profile or its .toml file, whose space is made if need be; or the file of a space of your own (default: ${space})."`
	EngineFlag
}

// Open opens the space with an engine that keeps account of convergence.
func (f SpaceFlags) Open(e *Env) (*cmdlib.Space, *ot.Monitor, error) {
	engine, err := engines.New(f.Engine)
	if err != nil {
		return nil, nil, err
	}
	monitor := &ot.Monitor{Engine: engine}
	s, err := spaces.Open(e, f.Space, monitor, func(string) (*pipeline.Workspace, error) {
		return f.workspace().Workspace(e)
	})
	if err != nil && !spaces.IsProfile(f.Space) {
		err = BadData(err)
	}
	return s, monitor, err
}

func (f SpaceFlags) workspace() WorkspaceFlags {
	return WorkspaceFlags{ProfileFlag: ProfileFlag{f.Space}, EngineFlag: f.EngineFlag}
}

// Profile returns the profile whose space it is; and of another space the one whose settings figures of it have.
func (f SpaceFlags) Profile() (*profile.Profile, error) {
	if spaces.IsProfile(f.Space) {
		return profile.Load(f.Space, nil)
	}
	return profile.Load(DefaultProfile, nil)
}

// ProfileWorkspace returns the workspace of a space that is a profile's, and whether it is.
func (f SpaceFlags) ProfileWorkspace(e *Env) (*pipeline.Workspace, bool, error) {
	if !spaces.IsProfile(f.Space) {
		return nil, false, nil
	}
	w, err := f.workspace().Workspace(e)
	return w, true, err
}

// Title is what a space is called in texts, and the name of folders of what is made from it.
func (f SpaceFlags) Title() (title, folder string, err error) {
	switch {
	case spaces.IsProfile(f.Space):
		p, err := f.Profile()
		if err != nil {
			return "", "", err
		}
		return "of profile " + p.Name, p.Name, nil
	case f.Space == spaces.Default:
		return f.Space, f.Space, nil
	}
	base := filepath.Base(filepath.Clean(f.Space))
	return base, base, nil
}
