package store

// An Input is what an artefact is made from, or several such: a Node, a FileOf, a Source or a Key.
type Input interface {
	// Refs returns what it is known by; the error of a file says why it has no key.
	Refs() ([]Ref, error)
}

// A Ref is an input by its key.
type Ref struct {
	Key Key
	// Through has the artefacts and data that stand behind an input which is itself neither: a file of an artefact, or
	// a node in memory alone. It is nil for others.
	Through []Key
}

// behind returns what stands behind an input, or the input itself if it is an artefact or data.
func (r Ref) behind() []Key {
	if r.Through != nil {
		return r.Through
	}
	return []Key{r.Key}
}

// Refs returns the key itself.
func (k Key) Refs() ([]Ref, error) { return []Ref{{Key: k}}, nil }

// A Source is data whose checksums, which it has or should have, are found when they are asked for.
type Source func() ([]Ref, error)

// Refs returns what the source returns.
func (s Source) Refs() ([]Ref, error) { return s() }

// A FileOf is a file of an artefact, as an input of a stage that reads no other file of it.
type FileOf struct {
	Artefact Input
	Name     string // as in File
}

// Refs returns the only one.
func (f FileOf) Refs() ([]Ref, error) {
	of, err := Keys(f.Artefact)
	key := Stage{Name: "file", Version: 1, Params: f.Name, Inputs: of}.Key()
	return []Ref{{key, of}}, err
}

// Refs returns those of inputs, in their order.
func Refs(inputs ...Input) (all []Ref, err error) {
	for _, input := range inputs {
		of, err := input.Refs()
		if err != nil {
			return nil, err
		}
		all = append(all, of...)
	}
	return all, nil
}

// Keys returns the keys of inputs, in their order.
func Keys(inputs ...Input) ([]Key, error) {
	refs, err := Refs(inputs...)
	keys := make([]Key, len(refs))
	for i, r := range refs {
		keys[i] = r.Key
	}
	return keys, err
}
