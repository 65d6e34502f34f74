package ot

import (
	"slices"
	"sync"
	"unsafe"
)

// mostKept is how many things a cost keeps: those of a few λ.
const mostKept = 4

// kept is what engines made of a cost, what was asked for last at the end.
type kept struct {
	data *float32
	k, n int

	mu  sync.Mutex
	all []keptUnder
}

type keptUnder struct{ key, value any }

// Keeping returns c with a place where engines keep what they make of it, such as the kernels exp(−M/λ) of the four λ
// used last. Single problems then cost no more than their iterations. All copies of the result share the place. Data
// must not change from now on; with another slice as Data nothing is kept. Results have the same bits.
func (c Cost) Keeping() Cost {
	c.kept = &kept{data: unsafe.SliceData(c.Data), k: c.K, n: len(c.Data)}
	return c
}

// Kept returns what make returns: for a cost of Keeping what it returned before for this key, unless other keys have
// pushed it out. Engines call it, with keys of a type of their own. make is called under a lock and must be short: what
// takes long it leaves to a sync.OnceValue.
func (c Cost) Kept(key any, make func() any) any {
	p := c.kept
	if p == nil || p.data != unsafe.SliceData(c.Data) || p.k != c.K || p.n != len(c.Data) {
		return make()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at := slices.IndexFunc(p.all, func(x keptUnder) bool { return x.key == key })
	var x keptUnder
	switch {
	case at >= 0:
		x = p.all[at]
	case len(p.all) == mostKept:
		x, at = keptUnder{key, make()}, 0
	default:
		x, at = keptUnder{key, make()}, len(p.all)
		p.all = append(p.all, x)
	}
	p.all = append(slices.Delete(p.all, at, at+1), x)
	return x.value
}
