// Package lineage tells what artefacts were made from, down to files of data.
package lineage

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/harness/store"
)

// Trace returns the artefacts of a store that have the keys of reads, with what these were said to be of, and all that
// they were made from, each after that. files are names of data files by their checksums; what the catalogue knows
// need not be among them.
func Trace(
	s *store.Store, reads map[store.Key][]string, files map[store.Key]string,
) ([]results.Artefact, error) {
	t := tracer{store: s, files: files, numbers: map[store.Key]int{}}
	for _, key := range slices.Sorted(maps.Keys(reads)) {
		at, err := t.visit(key)
		if err != nil {
			return nil, err
		}
		t.all[at].Used = true
		if of := reads[key]; len(of) > 0 {
			t.all[at].Subjects = of
		}
	}
	return t.all, nil
}

// catalogued are the files of data that the catalogue knows, by their checksums.
var catalogued = sync.OnceValue(func() map[store.Key]dataset.File {
	files := map[store.Key]dataset.File{}
	for _, f := range slices.Concat(dataset.Catalogue(), dataset.Prepared()) {
		files[store.Key(f.SHA256)] = f
	}
	return files
})

type tracer struct {
	store   *store.Store
	files   map[store.Key]string
	all     []results.Artefact
	numbers map[store.Key]int // of these
}

// visit adds a key after what it was made from, and returns its number.
func (t *tracer) visit(key store.Key) (int, error) {
	if at, seen := t.numbers[key]; seen {
		return at, nil
	}
	a := results.Artefact{Key: string(key)}
	info, err := t.store.Lookup(key)
	switch {
	case err == nil:
		a.Stage, a.Version, a.Seconds, a.By = info.Stage, info.Version, info.Duration.Seconds(), info.By
		a.Made, a.Bytes = info.Made, info.Size
		if info.Subject != "" {
			a.Subjects = []string{info.Subject}
		}
	case !errors.Is(err, fs.ErrNotExist):
		return 0, err
	default:
		f, ok := catalogued()[key]
		if !ok {
			f = dataset.File{Path: cmp.Or(t.files[key], "(a file that is not known any more)"), SHA256: string(key)}
		}
		a.Stage, a.Subjects, a.Bytes, a.SHA256 = results.FileStage, []string{f.Path}, f.Bytes, f.SHA256
	}
	for _, from := range info.From {
		at, err := t.visit(from)
		if err != nil {
			return 0, err
		}
		a.From = append(a.From, at)
	}
	slices.Sort(a.From)
	a.From = slices.Compact(a.From)
	at := len(t.all)
	t.numbers[key], t.all = at, append(t.all, a)
	return at, nil
}

// Below returns those artefacts that choose chooses and all that they were made from, in their places; those in the
// others' are zero. It returns nil if none is chosen.
func Below(all []results.Artefact, choose func(a results.Artefact) bool) []results.Artefact {
	if !slices.ContainsFunc(all, choose) {
		return nil
	}
	below := make([]results.Artefact, len(all))
	var want func(i int)
	want = func(i int) {
		if below[i].Stage == "" {
			below[i] = all[i]
			for _, from := range all[i].From {
				want(from)
			}
		}
	}
	for i, a := range all {
		if choose(a) {
			want(i)
		}
	}
	return below
}

// A Stage is all artefacts of a stage, or one file.
type Stage struct {
	Name    string
	Version int
	Subject string // what its only artefact is of; of a file, its path
	Number  int
	Bytes   int64
	Seconds float64
	Last    time.Time // when the last one was made
	By      string    // the build that made it
	SHA256  string    // of a file
	From    []int     // what it was made from, among the stages
	Used    bool
}

// IsFile tells whether it is a file of data.
func (s Stage) IsFile() bool { return s.Name == results.FileStage }

// Stages puts the artefacts of each stage together, in the order of their first ones.
func Stages(all []results.Artefact) (stages []Stage) {
	places := map[string]int{}
	place := make([]int, len(all)) // of the artefacts' stages
	for i, a := range all {
		name := fmt.Sprint(a.Stage, " ", a.Version)
		switch a.Stage {
		case "": // of Below
			continue
		case results.FileStage:
			name = a.Key
		}
		at, known := places[name]
		if !known {
			at = len(stages)
			places[name] = at
			stages = append(stages, Stage{
				Name: a.Stage, Version: a.Version, Subject: strings.Join(a.Subjects, ", "), SHA256: a.SHA256,
			})
		}
		place[i] = at
		s := &stages[at]
		if s.Number++; s.Number > 1 {
			s.Subject = ""
		}
		s.Bytes += a.Bytes
		s.Seconds += a.Seconds
		s.Used = s.Used || a.Used
		if a.Made.After(s.Last) {
			s.Last, s.By = a.Made, a.By
		}
	}
	for i, a := range all {
		s := &stages[place[i]]
		for _, from := range a.From {
			if at := place[from]; at != place[i] && !slices.Contains(s.From, at) {
				s.From = append(s.From, at)
			}
		}
	}
	return stages
}
