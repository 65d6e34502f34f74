package store

import (
	"context"
	"maps"
	"slices"
	"sync"
)

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
