package store

import (
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// MadeFrom returns the artefacts that were made from the given ones, directly or through others. They have them among
// their inputs, or got them from the store when they were made. They are sorted by stage and key and without the
// given ones. A key may be its start of 16 digits. What has a damaged meta.json is followed as far as that can still
// be read.
func (s *Store) MadeFrom(keys ...Key) ([]Info, error) {
	folders, err := s.artefacts()
	if err != nil {
		return nil, err
	}
	type artefact struct {
		dir      string
		parts    map[string]bool // the starts of its own key and of those of its files
		from     []Key
		suspect  bool
		wasNamed bool
	}
	named := make(map[string]bool, len(keys))
	for _, key := range keys {
		named[start(key)] = true
	}
	all := make([]*artefact, len(folders))
	for i, dir := range folders {
		a := &artefact{dir: dir, parts: map[string]bool{filepath.Base(dir): true}}
		m := readableMeta(dir)
		a.from = slices.Clone(m.Inputs)
		if m, err := readMade(dir); err == nil {
			a.from = append(a.from, m.Reads...)
		}
		if m.Key != "" {
			for _, f := range m.Files {
				a.parts[start(PartKey(m.Key, f.Name))] = true
			}
		}
		a.wasNamed = named[filepath.Base(dir)]
		a.suspect = a.wasNamed
		all[i] = a
	}
	users := map[string][]*artefact{} // by the start of the key of what they were made from
	for _, a := range all {
		for _, key := range a.from {
			users[start(key)] = append(users[start(key)], a)
		}
	}
	open := slices.DeleteFunc(slices.Clone(all), func(a *artefact) bool { return !a.suspect })
	for len(open) > 0 {
		a := open[len(open)-1]
		open = open[:len(open)-1]
		for part := range a.parts {
			for _, b := range users[part] {
				if !b.suspect {
					b.suspect = true
					open = append(open, b)
				}
			}
		}
	}
	var infos []Info
	for _, a := range all {
		if a.suspect && !a.wasNamed {
			infos = append(infos, describe(a.dir))
		}
	}
	return infos, nil
}

// start is what a folder's name has of a key.
func start(key Key) string { return string(key[:min(len(key), nameLength)]) }

// readableMeta is readMeta for one that may be damaged: it has what can still be read of it. Its
// key is that of the folder, or empty if that cannot be told; its files are those that the folder has, too.
func readableMeta(dir string) (m meta) {
	text, err := os.ReadFile(filepath.Join(dir, metaName))
	if err != nil || json.Unmarshal(text, &m) != nil {
		return meta{}
	}
	keys := []Key{m.Key} // one of the two is still right if the damage is a small one
	if params, err := canonical(m.Params); err == nil {
		m.Params = params
		keys = append(keys, m.identity.key())
	}
	m.Key = ""
	for _, key := range keys {
		if start(key) == filepath.Base(dir) {
			m.Key = key
		}
	}
	_ = walk(dir, func(name string, info fs.FileInfo) error {
		if !info.IsDir() {
			m.Files = append(m.Files, File{Name: name})
		}
		return nil
	})
	return m
}

// Reads are keys of what was got from a store: in the making of an artefact, or on a context that Reading returned.
type Reads struct {
	mu  sync.Mutex
	of  map[Key][]string // what they were said to be of
	all *Reads           // what these are a part of
}

type readsKey struct{}

// Reading returns a context on which is noted what is got from a store, and the notes. Calls with contexts that are
// derived from it count too.
func Reading(ctx context.Context) (context.Context, *Reads) {
	r := new(Reads)
	r.all, _ = ctx.Value(readsKey{}).(*Reads)
	return context.WithValue(ctx, readsKey{}, r), r
}

// Keys returns the keys so far, each once, in order of their digits.
func (r *Reads) Keys() []Key {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.of))
}

// Of returns what a key was said to be of, in a few words each, sorted.
func (r *Reads) Of(key Key) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(slices.Values(r.of[key]))
}

// note notes a key on a context, and what it is of.
func note(ctx context.Context, key Key, of ...string) {
	for r, _ := ctx.Value(readsKey{}).(*Reads); r != nil; r = r.all {
		r.mu.Lock()
		if r.of == nil {
			r.of = map[Key][]string{}
		}
		known := r.of[key]
		for _, text := range of {
			if text != "" && !slices.Contains(known, text) {
				known = append(known, text)
			}
		}
		r.of[key] = known
		r.mu.Unlock()
	}
}
