package pipelinetest

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/ot/cpu"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
	"contextmover/internal/disk"
	"contextmover/internal/golden"
)

// Keys lists keys of artefacts.
type Keys struct {
	t       *testing.T
	profile string
	text    strings.Builder
}

// GoldenKeys compares the keys that list adds for a workspace of each embedded profile that has a text with the file
// testdata/keys.txt of its package. Data files that the catalogue does not know are stood in for by files with their
// names as content. A key that changes makes all that stores have of it again; go test -update writes the file.
func GoldenKeys(t *testing.T, list func(k *Keys, w *pipeline.Workspace)) {
	t.Helper()
	k := &Keys{t: t}
	for _, name := range profile.Names() {
		p, err := profile.Load(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		if p.Corpus.Kind == profile.KindNone {
			continue
		}
		s, err := store.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		k.profile = name
		list(k, &pipeline.Workspace{Profile: p, Store: s, Data: standIns(t, p), Engine: cpu.New()})
	}
	golden.Check(t, "testdata/keys.txt", k.text.String())
}

// standIns returns a data folder with a file for each that the catalogue does not know.
func standIns(t *testing.T, p *profile.Profile) string {
	t.Helper()
	files, err := pipeline.TextFiles(p)
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, pipeline.VectorFiles(p)...)
	files = append(files, p.STS.Frequencies, p.Hypernymy.HyperLex)
	for _, row := range p.STS.Rows {
		for _, file := range row.Method.Needs().Files {
			files = append(files, dataset.EncoderFiles(file)...)
		}
	}
	for _, set := range Sets(p, false) {
		files = append(files, set.File)
	}
	for _, set := range p.WordSim.Sets {
		files = append(files, set.File)
	}
	for _, set := range p.Hypernymy.Sets {
		files = append(files, set.File)
	}
	data := t.TempDir()
	for _, name := range files {
		if _, known := dataset.Lookup(name); known || name == "" {
			continue
		}
		path := filepath.Join(data, filepath.FromSlash(name))
		if err := disk.MkdirAll(filepath.Dir(path)); err != nil {
			t.Fatal(err)
		}
		if err := disk.WriteFile(path, []byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	return data
}

// A Staged is a node.
type Staged interface{ Stage() (store.Stage, error) }

// Add lists the key of one artefact, or of several by one digest and their number, and what they are of.
func (k *Keys) Add(of string, nodes ...Staged) {
	k.t.Helper()
	var stages []store.Stage
	for _, n := range nodes {
		s, err := n.Stage()
		if err != nil {
			k.t.Fatalf("profile %s, %s: %v", k.profile, of, err)
		}
		stages = append(stages, s)
	}
	if len(stages) == 0 {
		return
	}
	key, number := string(stages[0].Key()), ""
	if len(stages) > 1 {
		sum := sha256.New()
		for _, s := range stages {
			fmt.Fprintln(sum, s.Name, s.Key())
		}
		key, number = fmt.Sprintf("%x", sum.Sum(nil)), fmt.Sprintf(" ×%d", len(stages))
	}
	fmt.Fprintf(&k.text, "%s %s %s%s %s\n", k.profile, stages[0].Name, key[:16], number, of)
}

// Sets returns the sets of all groups of a profile, or only those for validation.
func Sets(p *profile.Profile, validation bool) (sets []profile.Set) {
	for _, g := range p.STS.Groups {
		if !validation || g.Validation {
			sets = slices.Concat(sets, g.Sets)
		}
	}
	return sets
}
