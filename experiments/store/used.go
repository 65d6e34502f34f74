package store

import (
	"maps"
	"slices"
)

// Used returns the keys of all artefacts that this Store has handed out, and so
// verified or made, in order of their digits.
func (s *Store) Used() []Key {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.given))
}
