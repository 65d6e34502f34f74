// Package spaces finds a space by what people call it: the one
// that is built in, that of a profile, or a file.
package spaces

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"contextmover/cmdlib"
	"contextmover/cmdlib/english"
	"contextmover/cmdlib/ot"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
)

// Default is the name of the space that is asked where none is named: the one that is built in.
const Default = english.Name

// IsProfile tells whether a name is that of a profile, or of a profile's file, whose space it then stands for.
func IsProfile(name string) bool {
	return slices.Contains(profile.Names(), name) || strings.HasSuffix(name, ".toml")
}

// Open opens the space with a name: Default, that of a profile, or the path of a file. The engine
// solves its transport problems. A profile's space is made if need be, in what workspace returns for the profile.
//
// The error of a name that is none of these lists those that there are, and is an fs.ErrNotExist.
func Open(
	ctx context.Context, name string, engine ot.Engine, workspace func(profile string) (*pipeline.Workspace, error),
) (*cmdlib.Space, error) {
	switch {
	case name == english.Name:
		return english.Open(engine)
	case IsProfile(name):
		w, err := workspace(name)
		if err != nil {
			return nil, err
		}
		w.Engine = engine
		s, _, err := w.OpenSpace(ctx)
		return s, err
	}
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no space %q (%w): expected %s, which is built in, a profile, whose space is made "+
			"where it is not there (%s, or the path of a .toml file), or the path of a space that you have built "+
			"or packed",
			name, fs.ErrNotExist, english.Name, strings.Join(profile.Names(), ", "))
	}
	return cmdlib.Open(name, engine)
}
