package store

import "fmt"

// An Input is what an artefact is made from, known by its key: a Node, a Source or a Key. Sources are several.
type Input interface {
	// InputKey returns the key; the error of a file says why it has none.
	InputKey() (Key, error)
}

// InputKey returns the key itself.
func (k Key) InputKey() (Key, error) { return k, nil }

// A Source is data that is no artefact. It returns the checksum that the data has or should have.
type Source func() (Key, error)

// InputKey returns what the source returns.
func (s Source) InputKey() (Key, error) { return s() }

// Sources are several inputs, whose keys are found when they are asked for.
type Sources func() ([]Key, error)

// InputKey returns the key of the only one.
func (s Sources) InputKey() (Key, error) {
	keys, err := s()
	if err == nil && len(keys) != 1 {
		err = fmt.Errorf("store: %d inputs, expected one", len(keys))
	}
	if err != nil {
		return "", err
	}
	return keys[0], nil
}

// Keys returns the keys of inputs, in their order.
func Keys(inputs ...Input) ([]Key, error) {
	keys := make([]Key, 0, len(inputs))
	for _, input := range inputs {
		if several, ok := input.(Sources); ok {
			of, err := several()
			if err != nil {
				return nil, err
			}
			keys = append(keys, of...)
			continue
		}
		key, err := input.InputKey()
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}
