package cli

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/engines"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/spaces"
	"contextmover/experiments/harness/store"
)

// Vars are the values that kong puts into the tags of these flags.
func Vars() kong.Vars {
	return kong.Vars{
		"engines":  strings.Join(engines.Names(), ","),
		"profiles": strings.Join(profile.Names(), ", "),
		"widths":   Widths,
		"space":    spaces.Default,
	}
}

// Check is an option of kong: it refuses an empty text, as of a variable of the shell that is not set, which would pass
// for a flag that is not given, and a number that is not positive or not in the range of the tags min and max.
var Check = kong.WithAfterApply(func(p *kong.Path) error {
	if p.Positional != nil && !p.Positional.Passthrough && isEmpty(p.Positional.Target.Interface()) {
		return fmt.Errorf("<%s> is empty", p.Positional.Name)
	}
	if p.Flag == nil {
		return nil
	}
	name, tag, value := p.Flag.Name, p.Flag.Tag, p.Flag.Target.Interface()
	if isEmpty(value) {
		return fmt.Errorf("--%s: an empty text, expected a %s", name, cmp.Or(p.Flag.PlaceHolder, "value"))
	}

	low, high := tag.Get("min"), tag.Get("max")
	least, most, expected := math.SmallestNonzeroFloat64, math.MaxFloat64, "a positive number"
	if low != "" {
		least, _ = tag.GetFloat("min")
		expected = "at least " + low
	}
	if high != "" {
		most, _ = tag.GetFloat("max")
		expected = low + " to " + high
	}
	x, _ := strconv.ParseFloat(fmt.Sprint(value), 64)
	if (low != "" || tag.Has("positive")) && !(x >= least && x <= most) {
		return fmt.Errorf("--%s=%v: expected %s", name, value, expected)
	}
	return nil
})

// isEmpty tells whether a value is an empty text or has one.
func isEmpty(value any) bool {
	list, _ := value.([]string)
	return value == "" || slices.Contains(list, "")
}

// DataFlag names the folder of real data; the mini profile needs none.
type DataFlag struct {
	Data string `group:"common" placeholder:"DIR" help:"Folder of real data (default: the variable CONTEXTMOVER_DATA, or contextmover in the user's data folder)."`
}

// AfterApply sets the folder where the flag does not name one.
func (f *DataFlag) AfterApply() error {
	if f.Data == "" {
		f.Data = defaultData()
	}
	return nil
}

// defaultData returns the folder of data that the environment names or the user has. Where there is none it is empty,
// which is what those who need it complain about.
func defaultData() string {
	dir, _ := dataset.DefaultDir()
	return cmp.Or(os.Getenv("CONTEXTMOVER_DATA"), dir)
}

// StoreFlag says where finished artefacts are kept.
type StoreFlag struct {
	Store string `group:"common" placeholder:"DIR" help:"Folder of finished artefacts (default: the variable CONTEXTMOVER_STORE, or contextmover in the user's cache folder)."`
}

// OpenStore opens the store, which it makes if there is none. Its errors are store.Open's.
func (f StoreFlag) OpenStore() (*store.Store, error) {
	dir := f.Store
	if dir == "" {
		var err error
		if dir, err = store.DefaultDir(); err != nil {
			return nil, err
		}
	}
	return store.Open(dir)
}

// DefaultProfile is the one that --profile names if it is not given.
const DefaultProfile = "mini"

// ProfileFlag chooses a profile.
type ProfileFlag struct {
	Profile string `group:"common" default:"mini" placeholder:"NAME" help:"Profile: ${profiles}, or the path of a .toml file (default: mini)."`
}

// EngineFlag chooses what solves transport problems.
type EngineFlag struct {
	Engine string `group:"common" enum:"${engines}" default:"auto" help:"What solves transport problems: ${enum} (default: auto)."`
}

// WorkspaceFlags choose a profile and what it works with.
type WorkspaceFlags struct {
	ProfileFlag
	EngineFlag
	DataFlag
	StoreFlag
	Set []string `group:"common" sep:"none" placeholder:"KEY=VALUE" help:"Override a key of the profile, such as sts.defaults.reg=0.05. Tables then go to a folder of their own."`
}

// Workspace returns the workspace that the flags choose, which tells e's progress how far it is. Its errors are
// those of profile.Load, pipeline.Engine and store.Open.
func (f WorkspaceFlags) Workspace(e *Env) (*pipeline.Workspace, error) {
	p, err := profile.Load(f.Profile, f.Set)
	if err != nil {
		return nil, err
	}
	if len(f.Set) > 0 {
		sum := sha256.Sum256([]byte(strings.Join(f.Set, "\n")))
		p.Name = fmt.Sprintf("%s-%x", p.Name, sum[:4])
	}
	engine, err := engines.New(f.Engine)
	if err != nil {
		return nil, err
	}
	s, err := f.OpenStore()
	if err != nil {
		return nil, err
	}
	return &pipeline.Workspace{
		Profile: p, Store: s, Data: cmp.Or(f.Data, defaultData()), Engine: engine, Progress: e.Progress.Step,
	}, nil
}
