// Package lineage tells what artefacts were made from, down to files of data.
package lineage

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/harness/store"
)

// Trace returns the artefacts of a store that have these keys, and all that they were made from. of returns a
// description of a key, and whether the key itself was requested. files are names of data files by their checksums;
// what the catalogue knows need not be among them. Artefacts come sorted by stage and key, after them the files by
// name.
func Trace(
	s *store.Store, keys []store.Key, of func(store.Key) []string, files map[store.Key]string,
) ([]results.Artefact, error) {
	infos, err := s.List()
	if err != nil {
		return nil, err
	}
	known := make(map[store.Key]store.Info, len(infos))
	for _, i := range infos {
		known[i.Key] = i
	}
	parts := sync.OnceValue(func() map[store.Key]part { return partsOf(infos) })
	t := tracer{known: known, parts: parts, files: files, from: map[store.Key][]store.Key{}}
	for _, key := range keys {
		t.visit(key)
	}
	used := map[store.Key]bool{}
	for _, key := range keys {
		used[key] = true
	}
	for key, a := range t.artefacts {
		a.Used = used[key]
		if said := of(key); len(said) > 0 {
			a.Of = said
		}
		t.artefacts[key] = a
	}
	order := slices.SortedFunc(maps.Keys(t.artefacts), func(a, b store.Key) int {
		x, y := t.artefacts[a], t.artefacts[b]
		isFile := func(a results.Artefact) int { return map[bool]int{true: 1}[a.Stage == results.FileStage] }
		name := func(a results.Artefact) string { return strings.Join(a.Of, " ") }
		if isFile(x)+isFile(y) == 2 {
			return cmp.Or(cmp.Compare(name(x), name(y)), cmp.Compare(a, b))
		}
		return cmp.Or(cmp.Compare(isFile(x), isFile(y)), cmp.Compare(x.Stage, y.Stage), cmp.Compare(a, b))
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
	}
	return all, nil
}

// A part is a file of an artefact.
type part struct {
	of   store.Key
	file store.File
}

func partsOf(infos []store.Info) map[store.Key]part {
	parts := map[store.Key]part{}
	for _, info := range infos {
		for _, f := range info.Files {
			parts[store.PartKey(info.Key, f.Name)] = part{info.Key, f}
		}
	}
	return parts
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
	known     map[store.Key]store.Info
	parts     func() map[store.Key]part
	files     map[store.Key]string
	artefacts map[store.Key]results.Artefact
	from      map[store.Key][]store.Key
}

// visit adds a key and what it was made from.
func (t *tracer) visit(key store.Key) {
	if t.artefacts == nil {
		t.artefacts = map[store.Key]results.Artefact{}
	}
	if _, seen := t.artefacts[key]; seen {
		return
	}
	info, ok := t.known[key]
	if !ok {
		a := results.Artefact{Key: string(key), Stage: results.FileStage}
		if f, ok := catalogued()[key]; ok {
			a.Of, a.Bytes, a.SHA256 = []string{f.Path}, f.Bytes, f.SHA256
		} else if p, ok := t.parts()[key]; ok {
			a.Of, a.Bytes, a.SHA256 = []string{p.file.Name}, p.file.Size, p.file.SHA256
			t.from[key] = []store.Key{p.of}
		} else {
			a.Of, a.SHA256 = []string{cmp.Or(t.files[key], "(a file that is not known any more)")}, string(key)
		}
		t.artefacts[key] = a
		for _, from := range t.from[key] {
			t.visit(from)
		}
		return
	}
	a := results.Artefact{
		Key: string(key), Stage: info.Stage, Version: info.Version, Seconds: info.Duration.Seconds(), By: info.By,
		Made: info.Made, Bytes: info.Size,
	}
	if info.Of != "" {
		a.Of = []string{info.Of}
	}
	t.artefacts[key] = a
	from := slices.Concat(info.Inputs, info.Reads)
	slices.Sort(from)
	t.from[key] = slices.Compact(from)
	for _, f := range t.from[key] {
		t.visit(f)
	}
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
	Of      string // what its only artefact is of; of a file, its path
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
			s = &Stage{Name: a.Stage, Version: a.Version, Of: strings.Join(a.Of, ", "), SHA256: a.SHA256}
			stages[n], from[n] = s, map[string]bool{}
		}
		if s.Number++; s.Number > 1 {
			s.Of = ""
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
		first := func(n string) int { return map[bool]int{false: 1}[stages[n].IsFile()] }
		return cmp.Or(cmp.Compare(first(a), first(b)), cmp.Compare(stages[a].Of, stages[b].Of), cmp.Compare(a, b))
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
