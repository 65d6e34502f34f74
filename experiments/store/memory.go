package store

import (
	"container/list"
	"context"
	"reflect"
	"sync"

	"contextmover/internal/system"
)

// memory keeps the values of nodes that were asked for last, up to a number of bytes; one that has more is kept until
// the next.
type memory struct {
	mu    sync.Mutex
	limit int64 // bytes; 0 for defaultLimit
	bytes int64
	of    map[Key]*list.Element // of *remembered
	order list.List             // those asked for last at the front
}

type remembered struct {
	key   Key
	value any
	bytes int64
	reads *Reads // what was got from the store for it
}

// defaultLimit is a third of the machine's memory, and 4 GiB where that is not known: on 16 GB the counts of a hundred
// thousand words, which take 3 GB, have room beside their associations.
var defaultLimit = sync.OnceValue(func() int64 {
	if total, ok := system.Memory(); ok {
		return total / 3
	}
	return 4 << 30
})

func (m *memory) get(key Key) *remembered {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.of[key]
	if e == nil {
		return nil
	}
	m.order.MoveToFront(e)
	return e.Value.(*remembered)
}

func (m *memory) put(r *remembered) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of == nil {
		m.of = map[Key]*list.Element{}
	}
	if e := m.of[r.key]; e != nil {
		m.drop(e)
	}
	limit := m.limit
	if limit == 0 {
		limit = defaultLimit()
	}
	for m.order.Len() > 0 && m.bytes+r.bytes > limit {
		m.drop(m.order.Back())
	}
	m.of[r.key] = m.order.PushFront(r)
	m.bytes += r.bytes
}

func (m *memory) drop(e *list.Element) {
	r := m.order.Remove(e).(*remembered)
	delete(m.of, r.key)
	m.bytes -= r.bytes
}

// value returns what is remembered of a key, or what f makes.
func (s *Store) value(ctx context.Context, key Key, f func(context.Context) (any, error)) (any, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := s.memory.get(key)
	if r == nil {
		var err error
		r, err = s.values.do(ctx, key, func(ctx context.Context) (*remembered, error) {
			if r := s.memory.get(key); r != nil { // made since
				return r, nil
			}
			ctx, made := Reading(context.WithValue(ctx, readsKey{}, nil))
			value, err := f(ctx)
			if err != nil {
				return nil, err
			}
			r := &remembered{key, value, bytesOf(reflect.ValueOf(value), map[uintptr]bool{}), made}
			s.memory.put(r)
			return r, nil
		})
		if err != nil {
			return nil, err
		}
	}
	for _, key := range r.reads.Keys() {
		note(ctx, key, r.reads.Of(key)...)
	}
	return r.value, nil
}

// bytesOf returns how much memory a value takes, about. What two of its parts share counts once.
func bytesOf(v reflect.Value, seen map[uintptr]bool) (bytes int64) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || seen[v.Pointer()] {
			return 8
		}
		seen[v.Pointer()] = true
		return 8 + bytesOf(v.Elem(), seen)
	case reflect.Interface:
		return 16 + bytesOf(v.Elem(), seen)
	case reflect.String:
		return 16 + int64(v.Len())
	case reflect.Slice:
		bytes = 24 + int64(v.Cap()-v.Len())*int64(v.Type().Elem().Size())
		if v.Len() > 0 && seen[v.Pointer()] {
			return 24
		}
		if v.Len() > 0 {
			seen[v.Pointer()] = true
		}
		fallthrough
	case reflect.Array:
		if flat(v.Type().Elem()) {
			return bytes + int64(v.Len())*int64(v.Type().Elem().Size())
		}
		for i := range v.Len() {
			bytes += bytesOf(v.Index(i), seen)
		}
		return bytes
	case reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			bytes += 16 + bytesOf(entries.Key(), seen) + bytesOf(entries.Value(), seen)
		}
		return bytes
	case reflect.Struct:
		if flat(v.Type()) {
			return int64(v.Type().Size())
		}
		for i := range v.NumField() {
			bytes += bytesOf(v.Field(i), seen)
		}
		return bytes
	case reflect.Invalid:
		return 0
	}
	return int64(v.Type().Size())
}

// flat tells whether a type's values hold all that they have themselves.
func flat(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.String, reflect.Slice, reflect.Map, reflect.Func, reflect.Chan:
		return false
	case reflect.Array:
		return flat(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !flat(t.Field(i).Type) {
				return false
			}
		}
	}
	return true
}
