package store

import "slices"

// Used returns the keys of all artefacts that this Store has handed out, and so
// verified or made, in order of their digits.
func (s *Store) Used() []Key {
	s.mu.Lock()
	defer s.mu.Unlock()
	var keys []Key
	for key, c := range s.calls {
		select {
		case <-c.done:
			if c.err == nil {
				keys = append(keys, key)
			}
		default: // under way
		}
	}
	slices.Sort(keys)
	return keys
}
