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
// they were made from. files are names of data files by their checksums; what the catalogue knows need not be among
// them. Artefacts come sorted by stage and key, after them the files by name.
func Trace(
	s *store.Store, reads map[store.Key][]string, files map[store.Key]string,
) ([]results.Artefact, error) {
	t := tracer{
		store: s, files: files, artefacts: map[store.Key]results.Artefact{}, from: map[store.Key][]store.Key{},
	}
	for key, of := range reads {
		if err := t.visit(key); err != nil {
			return nil, err
		}
		a := t.artefacts[key]
		a.Used = true
		if len(of) > 0 {
			a.Subjects = of
		}
		t.artefacts[key] = a
	}
	rank := func(key store.Key) []string {
		if a := t.artefacts[key]; a.Stage != results.FileStage {
			return []string{"artefact", a.Stage, string(key)}
		}
		return []string{"file", strings.Join(t.artefacts[key].Subjects, " "), string(key)}
	}
	order := slices.SortedFunc(maps.Keys(t.artefacts), func(a, b store.Key) int {
		return slices.Compare(rank(a), rank(b))
	})
	place := make(map[store.Key]int, len(order))
	for i, key := range order {
		place[key] = i
	}
	all := make([]results.Artefact, len(order))
	for i, key := range order {
		all[i] = t.artefacts[key]
		for _, from := range t.from[key] {
			all[i].From = append(all[i].From, place[from])
		}
		slices.Sort(all[i].From)
		all[i].From = slices.Compact(all[i].From)
	}
	return all, nil
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
	store     *store.Store
	files     map[store.Key]string
	artefacts map[store.Key]results.Artefact
	from      map[store.Key][]store.Key
}

// visit adds a key and what it was made from.
func (t *tracer) visit(key store.Key) error {
	if _, seen := t.artefacts[key]; seen {
		return nil
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
		return err
	default:
		f, ok := catalogued()[key]
		if !ok {
			f = dataset.File{Path: cmp.Or(t.files[key], "(a file that is not known any more)"), SHA256: string(key)}
		}
		a.Stage, a.Subjects, a.Bytes, a.SHA256 = results.FileStage, []string{f.Path}, f.Bytes, f.SHA256
	}
	t.artefacts[key], t.from[key] = a, info.From
	for _, from := range info.From {
		if err := t.visit(from); err != nil {
			return err
		}
	}
	return nil
}

// Below returns those artefacts that choose chooses and all that they were made from, in their order.
func Below(all []results.Artefact, choose func(a results.Artefact) bool) []results.Artefact {
	wanted := make([]bool, len(all))
	var want func(i int)
	want = func(i int) {
		if !wanted[i] {
			wanted[i] = true
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
	return keep(all, wanted)
}

func keep(all []results.Artefact, wanted []bool) (kept []results.Artefact) {
	place := make([]int, len(all))
	for i := range all {
		place[i] = len(kept)
		if wanted[i] {
			kept = append(kept, all[i])
		}
	}
	for i := range kept {
		from := make([]int, len(kept[i].From))
		for j, f := range kept[i].From {
			from[j] = place[f]
		}
		kept[i].From = from
	}
	return kept
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
func (s Stage) IsFile() bool { return s.SHA256 != "" || s.Name == results.FileStage }

// Stages puts the artefacts of each stage together. What a stage is made from comes before it: files first.
func Stages(all []results.Artefact) []Stage {
	name := func(a results.Artefact) string {
		if a.Stage == results.FileStage {
			return results.FileStage + " " + a.Key
		}
		return fmt.Sprint(a.Stage, " ", a.Version)
	}
	from := map[string]map[string]bool{}
	stages := map[string]*Stage{}
	for _, a := range all {
		n := name(a)
		s := stages[n]
		if s == nil {
			s = &Stage{Name: a.Stage, Version: a.Version, Subject: strings.Join(a.Subjects, ", "), SHA256: a.SHA256}
			stages[n], from[n] = s, map[string]bool{}
		}
		if s.Number++; s.Number > 1 {
			s.Subject = ""
		}
		s.Bytes += a.Bytes
		s.Seconds += a.Seconds
		s.Used = s.Used || a.Used
		if a.Made.After(s.Last) {
			s.Last, s.By = a.Made, a.By
		}
		for _, i := range a.From {
			if m := name(all[i]); m != n {
				from[n][m] = true
			}
		}
	}
	var order []string
	done := map[string]bool{}
	var visit func(n string)
	visit = func(n string) {
		if done[n] {
			return
		}
		done[n] = true
		for _, m := range slices.Sorted(maps.Keys(from[n])) {
			visit(m)
		}
		order = append(order, n)
	}
	names := slices.SortedFunc(maps.Keys(stages), func(a, b string) int {
		s, t := stages[a], stages[b]
		switch {
		case s.IsFile() && !t.IsFile():
			return -1
		case t.IsFile() && !s.IsFile():
			return 1
		}
		return cmp.Or(cmp.Compare(s.Subject, t.Subject), cmp.Compare(a, b))
	})
	for _, n := range names {
		visit(n)
	}
	place := map[string]int{}
	for i, n := range order {
		place[n] = i
	}
	out := make([]Stage, len(order))
	for i, n := range order {
		out[i] = *stages[n]
		for m := range from[n] {
			out[i].From = append(out[i].From, place[m])
		}
		slices.Sort(out[i].From)
	}
	return out
}

// Direct returns stages without the lines that others imply: of what a stage is made from, what nothing else that it is
// made from is made from.
func Direct(stages []Stage) []Stage {
	// below[i] tells what stage i is made from, through others too; stages come after what they are made from.
	below := make([][]bool, len(stages))
	direct := slices.Clone(stages)
	for i, s := range stages {
		below[i] = make([]bool, len(stages))
		implied := make([]bool, len(stages))
		for _, from := range s.From {
			below[i][from] = true
			for j, is := range below[from] {
				below[i][j] = below[i][j] || is
				implied[j] = implied[j] || is
			}
		}
		direct[i].From = slices.DeleteFunc(slices.Clone(s.From), func(from int) bool { return implied[from] })
	}
	return direct
}
