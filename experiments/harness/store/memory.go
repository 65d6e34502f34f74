package store

import (
	"container/list"
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
}

// defaultLimit is a third of the machine's memory, and 4 GiB where that is not known: on 16 GB the counts of a hundred
// thousand words, which take 3 GB, fit into memory in addition to their associations.
var defaultLimit = sync.OnceValue(func() int64 {
	if total, ok := system.Memory(); ok {
		return total / 3
	}
	return 4 << 30
})

func (m *memory) get(key Key) (value any, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.of[key]
	if e == nil {
		return nil, false
	}
	m.order.MoveToFront(e)
	return e.Value.(*remembered).value, true
}

func (m *memory) put(key Key, value any) {
	r := &remembered{key, value, bytesOf(reflect.ValueOf(value), map[uintptr]bool{})}
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

// bytesOf returns how much memory a value takes, about. What two of its parts share counts once.
func bytesOf(v reflect.Value, seen map[uintptr]bool) int64 {
	if !v.IsValid() {
		return 0
	}
	return int64(v.Type().Size()) + behind(v, seen)
}

// behind returns how much memory what a value points to takes, but for maps.
func behind(v reflect.Value, seen map[uintptr]bool) (bytes int64) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Slice:
		if v.IsNil() || seen[v.Pointer()] {
			return 0
		}
		seen[v.Pointer()] = true
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return bytesOf(v.Elem(), seen)
	case reflect.String:
		return int64(v.Len())
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice {
			bytes = int64(v.Cap()) * int64(v.Type().Elem().Size())
		}
		if v.Type().Elem().Kind() > reflect.Complex128 { // no numbers, of which there may be many
			for i := range v.Len() {
				bytes += behind(v.Index(i), seen)
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			bytes += behind(v.Field(i), seen)
		}
	}
	return bytes
}
