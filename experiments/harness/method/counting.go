package method

import "slices"

// Identity says what a method computes: methods of one identity have the same scores from a source that solves
// transport as they say. Its settings are those that count. Whoever keeps scores, or what they are made of, keeps
// them under it.
//
// Constants of this package are not in it: who changes numbers raises the version of the method.
type Identity struct {
	// Method is the id of the kind; NBoW goes by that of SIF, which computes the same.
	Method string `json:"method"`
	// Version is that of methods whose numbers have changed, 0 for others, plus two where iterations are over-relaxed,
	// whose numbers have changed twice more.
	Version int `json:"version,omitempty"`
	// Settings are those that count, as Counting returns them.
	Settings Settings `json:"settings"`
}

// IdentityOf returns the identity of a method. It panics for a type that is not registered.
func IdentityOf(m Method) Identity {
	if as, ok := m.(interface{ computed() Method }); ok {
		m = as.computed()
	}
	id := Identity{Method: KindOf(m).ID, Settings: Counting(m)}
	if v, ok := m.(interface{ Version() int }); ok {
		id.Version = v.Version()
	}
	if id.Settings["accelerate"] == true {
		id.Version += 2
	}
	return id
}

// Counting returns the settings of a method that its scores depend on, the others being as they are. The a of uniform
// weights is not among them, nor are the weights of points without a mix, nor is λ where nothing is moved.
func Counting(m Method) Settings {
	all := Settings{}
	for _, f := range Fields(m) {
		if m.counts(f.Name) {
			all[f.Name] = f.In(m).Interface()
		}
	}
	return all
}

// counting is a method, or a group of settings, of which some do not count where others are as they are.
type counting interface {
	// counts tells whether scores depend on the setting of this name. It is true of names that the group does not have,
	// so that a method asks all its groups.
	counts(name string) bool
}

// has tells whether a group of settings has one of this name.
func has[G any](name string) bool {
	var group G
	return slices.ContainsFunc(Fields(group), func(f Field) bool { return f.Name == name })
}
