package store

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"

	"contextmover/internal/parallel"
)

// A Node is something that is made once, and what it is made from. Its key is that of its Stage: params and inputs have
// to determine what Make makes, bit for bit. Get makes it, or finds it.
//
// One with Parts is kept in files. One with Fill is a folder that Fill writes, and T is string, the folder's path.
// One with neither is big and quick to make, and is kept in memory alone.
type Node[T any] struct {
	Name    string // as of a Stage
	Version int
	Params  any
	Inputs  []Input
	// Shared are the nodes in memory alone that Make asks for, those that take longest first.
	// All makes nodes that share them one after the other. They are no part of the key.
	Shared []Input
	// Known, if set, finds the node's key in less time than it takes to compute it.
	Known Input
	// Subject says in a few words what it is of, for errors and for people. It is no part of the key.
	Subject string

	// Parts returns the files of a value. It is called with the value that Make made, to write them, and with a zero
	// one, or a pointer to such, to read them.
	Parts func(*T) []Part
	// Complete, if set, gives a value whose parts were read what the files do not have.
	Complete func(ctx context.Context, value *T) error
	// Make makes the value. Its context is that of the first who asks for it.
	Make func(ctx context.Context) (T, error)
	// Fill writes the files of a folder, as Store.Get has it.
	Fill func(ctx context.Context, dir string) error
}

// Stage returns what the node is made from.
func (n Node[T]) Stage() (Stage, error) {
	refs, err := Refs(n.Inputs...)
	s := Stage{Name: n.Name, Version: n.Version, Params: n.Params, subject: n.Subject, refs: refs}
	for _, r := range refs {
		s.Inputs = append(s.Inputs, r.Key)
	}
	return s, err
}

// Refs returns the node by its stage's key.
func (n Node[T]) Refs() ([]Ref, error) {
	if n.Known != nil {
		return n.Known.Refs()
	}
	stage, err := n.Stage()
	if err != nil {
		return nil, err
	}
	r := Ref{Key: stage.Key()}
	if !n.kept() {
		r.Through = []Key{}
		for _, input := range stage.refs {
			r.Through = append(r.Through, input.behind()...)
		}
	}
	return []Ref{r}, nil
}

// Get returns the value of a node: from memory, from its files, or made, once for all who ask at the same time. When
// the context of who makes it ends, so does the making, and another who waits begins it again. The value is shared and
// must not be changed. A panic of Make is one of all who wait.
func Get[T any](ctx context.Context, s *Store, n Node[T]) (T, error) {
	var none T
	refs, err := n.Refs()
	if err != nil {
		return none, err
	}
	key := refs[0].Key
	got, err := s.once(ctx, key, func(ctx context.Context) (any, error) {
		if value, ok := s.memory.get(key); ok {
			return value, nil
		}
		value, err := n.obtain(ctx, s)
		if err == nil {
			s.memory.put(key, value)
		}
		return value, err
	})
	if err != nil {
		return none, err
	}
	for _, key := range refs[0].behind() {
		note(ctx, key, n.Subject)
	}
	return got.(T), nil
}

// obtain returns the value from its files, or makes it.
func (n Node[T]) obtain(ctx context.Context, s *Store) (any, error) {
	if !n.kept() {
		return n.Make(ctx)
	}
	stage, err := n.Stage()
	if err != nil {
		return nil, err
	}
	if n.Fill != nil {
		return s.Get(ctx, stage, n.Fill)
	}
	// It is read in both cases: what was made is the same as what is found later.
	dir, err := s.Get(ctx, stage, n.write)
	if err != nil {
		return nil, err
	}
	return n.open(ctx, dir)
}

// Stored reports whether the store has the files of a node. It reads no contents.
func Stored(s *Store, n interface{ Stage() (Stage, error) }) bool {
	stage, err := n.Stage()
	return err == nil && s.Has(stage)
}

// kept tells whether the node has files.
func (n Node[T]) kept() bool { return n.Fill != nil || n.Parts != nil }

func (n Node[T]) write(ctx context.Context, dir string) error {
	made, err := n.Make(ctx)
	if err != nil {
		return err
	}
	for _, p := range n.Parts(&made) {
		if err := p.Write(filepath.Join(dir, p.Name)); err != nil {
			return err
		}
	}
	return nil
}

func (n Node[T]) open(ctx context.Context, dir string) (value T, err error) {
	if v := reflect.ValueOf(&value).Elem(); v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
	}
	for _, p := range n.Parts(&value) {
		if err := p.Read(filepath.Join(dir, p.Name)); err != nil {
			return value, err
		}
	}
	if n.Complete != nil {
		err = n.Complete(ctx, &value)
	}
	return value, err
}

// beside is how many nodes All runs at the same time, at most: each uses all processors itself, where it can.
const beside = 4

// All returns the values of nodes. Those with the same Shared are made at the same time, a few at once, and before
// those that share less with them. So each of these is made once and few are in memory together. The error is that of
// the first node which failed, and names what the node is of.
func All[T any](ctx context.Context, s *Store, nodes []Node[T]) ([]T, error) {
	shared := make([][]Key, len(nodes))
	order := make([]int, len(nodes))
	for i, n := range nodes {
		var err error
		if shared[i], err = Keys(n.Shared...); err != nil {
			return nil, n.named(err)
		}
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(shared[a], shared[b]) })
	values := make([]T, len(nodes))
	for len(order) > 0 {
		n := 1
		for n < min(len(order), beside) && slices.Equal(shared[order[n]], shared[order[0]]) {
			n++
		}
		err := parallel.Blocks(ctx, n, 1, func(i, _ int) (err error) {
			at := order[i]
			if values[at], err = Get(ctx, s, nodes[at]); err != nil {
				return nodes[at].named(err)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		order = order[n:]
	}
	return values, nil
}

// named returns an error with what the node is of.
func (n Node[T]) named(err error) error {
	if n.Subject == "" {
		return err
	}
	return fmt.Errorf("%s: %w", n.Subject, err)
}
