package store

import (
	"context"
	"slices"
	"sync"
)

// Reads are keys of what was got from a store on a context that Reading returned; not what was got for its making.
type Reads struct {
	mu       sync.Mutex
	subjects map[Key][]string // what they were said to be of
}

type readsKey struct{}

// Reading returns a context on which is noted what is got from a store, and the notes. Calls with contexts that are
// derived from it count too.
func Reading(ctx context.Context) (context.Context, *Reads) {
	r := &Reads{subjects: map[Key][]string{}}
	return context.WithValue(ctx, readsKey{}, r), r
}

// Subjects returns the keys so far, and what each was said to be of, in a few words each, sorted.
func (r *Reads) Subjects() map[Key][]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := map[Key][]string{}
	for key, of := range r.subjects {
		all[key] = slices.Sorted(slices.Values(of))
	}
	return all
}

// note notes a key on a context, and what it is of.
func note(ctx context.Context, key Key, of string) {
	r, _ := ctx.Value(readsKey{}).(*Reads)
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.subjects[key]
	if of != "" && !slices.Contains(known, of) {
		known = append(known, of)
	}
	r.subjects[key] = known
}
