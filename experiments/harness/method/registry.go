package method

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Kind is a method as people choose it.
type Kind struct {
	// ID names it in profiles and on the command line, Name in tables.
	ID, Name string
	// Help is what it does, in a line.
	Help string

	Method Method // with its defaults
}

// kinds are all methods, in the order of the tables.
var kinds = []Kind{
	kind("nbow", "NBoW", "cosine of averages of word vectors", NBoW{}),
	kind("sif", "SIF", "cosine of averages of word vectors, frequent words weighing less", SIF{}, "weights=sif"),
	kind("sent2vec", "Sent2vec", "cosine of averages of vectors of words and n-grams", sent2vec{}, "vectors=sent2vec"),
	kind("nearest", "Nearest words", "the nearest words of the other text, on average", Nearest{}, "weights=sif"),
	kind("wmd", "WMD", "minus the word mover's distance", wmd{}),
	kind("wmd, λ", "WMD, λ", "minus the word mover's distance with entropy", regularisedWMD{}),
	kind("wrd", "WRD", "minus the word rotator's distance", wrd{}),
	kind("euclidean", "Euclidean avg", "minus the distance of averages of histograms", Average{}),
	kind("barycenter", "CoMB", "minus the distance of barycenters of histograms", Barycenter{}),
	kind("debiased", "CoMB, debiased", "the same, of barycenters without the blur of λ", Debiased{}),
	kind("unweighted start", "CoMB, unweighted start", "the same, as the paper's code computes it", unweightedStart{}),
	kind("thresholded", "Euclidean avg, thresholded costs", "euclidean with costs min(M, τ)", thresholdedAverage{}),
	kind("thresholded barycenter", "CoMB, thresholded costs", "barycenter with costs min(M, τ)",
		thresholdedBarycenter{}),
	kind("encoder", "Encoder", "scores that another program made", Encoder{}),
}

// presets are methods with some settings of their own, by the names that they have on the command line.
var presets = []struct{ name, spec string }{
	{"sif-pc", "sif,remove_pc=true"},
	{"average", "euclidean"}, {"average-mix", "euclidean,mix=0.4"},
	{"comb", "barycenter"}, {"comb-mix", "barycenter,mix=0.4"},
	{"debiased-mix", "debiased,mix=0.4"},
}

func kind(id, name, help string, m Method, settings ...string) Kind {
	p := reflect.New(reflect.TypeOf(m))
	SetDefaults(p.Interface())
	m = p.Elem().Interface().(Method)
	for _, s := range settings {
		var err error
		if m, err = parseSetting(m, id, s); err != nil {
			panic("method: " + err.Error())
		}
	}
	return Kind{ID: id, Name: name, Help: help, Method: m}
}

// Kinds lists all methods, in the order of the tables.
func Kinds() []Kind { return slices.Clone(kinds) }

// KindOf returns what kind a method is. It panics for a type that is not registered.
func KindOf(m Method) Kind {
	for _, k := range kinds {
		if reflect.TypeOf(k.Method) == reflect.TypeOf(m) {
			return k
		}
	}
	panic(fmt.Sprintf("method: %T is not registered", m))
}

// Names lists the names by which Parse knows the method, the id first, and it with some settings.
func (k Kind) Names() []string {
	names := []string{k.ID}
	for _, p := range presets {
		if id, _, _ := strings.Cut(p.spec, ","); id == k.ID {
			names = append(names, p.name)
		}
	}
	return names
}

// Names lists all names that Parse knows: ids, and short names of methods with some settings.
func Names() (names []string) {
	for _, k := range kinds {
		names = append(names, k.ID)
	}
	for _, p := range presets {
		names = append(names, p.name)
	}
	return names
}

// ByID returns the method with this id with its defaults, and whether there is one.
func ByID(id string) (Method, bool) {
	for _, k := range kinds {
		if k.ID == id {
			return k.Method, true
		}
	}
	return nil, false
}

// Preset returns the method that has one of Names, with the settings that the name stands for and defaults.
func Preset(name string) (Method, error) {
	return parse(name, nil)
}

// Parse reads a method as people write it: its id or another of Names, then settings, separated by commas, as in
// "sif,a=1e-4,remove_pc=true". Settings that neither text nor name gives are those that own returns. It takes a
// method with its defaults, returns one with what is usual where it is to be used, and may be nil.
//
// An error names what is not known, and what is.
func Parse(text string, own func(Method) Method) (Method, error) {
	m, err := parse(text, own)
	if err != nil {
		return nil, err
	}
	return m, m.Validate()
}

func parse(text string, own func(Method) Method) (Method, error) {
	name, rest := "", ""
	for _, known := range Names() { // one may have a comma, and begin with another
		after, ok := strings.CutPrefix(text, known)
		if ok && (after == "" || after[0] == ',') && len(known) > len(name) {
			name, rest = known, after
		}
	}
	for _, p := range presets {
		if p.name == name {
			return parse(p.spec+rest, own)
		}
	}
	m, ok := ByID(name)
	if !ok {
		name, _, _ = strings.Cut(text, ",")
		return nil, fmt.Errorf("no method %q, expected one of: %s", name, strings.Join(Names(), ", "))
	}
	if own != nil {
		m = own(m)
	}
	if rest == "" {
		return m, nil
	}
	for _, setting := range strings.Split(rest[1:], ",") {
		var err error
		if m, err = parseSetting(m, name, setting); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func parseSetting(m Method, id, text string) (Method, error) {
	name, value, _ := strings.Cut(text, "=")
	var known []string
	for _, f := range Fields(m) {
		if f.Name == name {
			v, err := f.Parse(value)
			if err != nil {
				return nil, err
			}
			return with(m, f, v), nil
		}
		known = append(known, f.Name)
	}
	return nil, fmt.Errorf("the method %q has no setting %q, expected one of: %s", id, name, strings.Join(known, ", "))
}

// AllFields returns the settings of all methods, each once, in the order in which methods first have them.
func AllFields() (all []Field) {
	seen := map[string]bool{}
	for _, k := range kinds {
		for _, f := range Fields(k.Method) {
			if !seen[f.Name] {
				seen[f.Name] = true
				all = append(all, f)
			}
		}
	}
	return all
}

// String says it in words.
func (n Needs) String() string {
	var parts []string
	add := func(ok bool, text string) {
		if ok {
			parts = append(parts, text)
		}
	}
	add(len(n.Vectors) > 0 && !n.Histograms, "word vectors")
	add(n.Histograms, "histograms over clusters of word vectors")
	add(len(n.Vectors) > 1, "further word vectors")
	add(n.NGrams, "vectors of n-grams")
	for _, m := range n.Marginals {
		add(m == OfList, "a list of frequencies")
		add(m == OfCounts || m == OfPPMI, "co-occurrence counts")
	}
	add(n.Engine, "an engine of transport")
	add(len(n.Files) > 0, "a file of scores")
	return strings.Join(parts, ", ")
}
