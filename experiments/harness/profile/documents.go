package profile

import (
	"fmt"
	"strings"

	"contextmover/experiments/harness/dataset"
)

// Documents describes the experiment on documents by their nearest neighbours, in the built-in space.
type Documents struct {
	// Sets are classified. An empty list leaves the experiment out.
	Sets []DocumentSet `toml:"sets"`
	// StopWords is the file of words that are left out of sets with StopWords.
	StopWords string `toml:"stop_words"`
	// Words is how many different words of a document are kept, those of the largest mass by IDF; 0 for all.
	Words int `toml:"words" range:"0.."`
	// Splits is the number of random splits of a set that has none of its own.
	Splits int `toml:"splits" range:"1.."`
	// Test and Validation are shares: of documents that are drawn for test, and of the others for validation.
	Test       float64 `toml:"test" range:"0.05..0.95"`
	Validation float64 `toml:"validation" range:"0.05..0.95"`
	// Neighbours lists the k of which one is chosen on the validation part, Depth how many neighbours are looked for,
	// of which those in the training part are enough for the largest.
	Neighbours []int `toml:"neighbours" need:"no k, expected at least one"`
	Depth      int   `toml:"depth"`
	// Quantiles lists the thresholds of costs of which one is chosen on the validation part: quantiles of the costs.
	Quantiles []float64 `toml:"quantiles" range:"0..1" need:"no quantile, expected at least one"`
}

// DocumentSet is a set of documents with classes.
type DocumentSet struct {
	Name   string `toml:"name" unique:"y"`
	Format string `toml:"format"` // one of dataset.DocumentFormats
	// Files are its files in the data folder. A path with a slash at its end is a collection of the data, all of whose
	// files belong to the set; Paths lists them.
	Files []string `toml:"files" need:"no files, expected at least one"`
	// StopWords tells that stop words are left out.
	StopWords bool `toml:"stop_words"`
	// Most is how many documents are drawn of a larger set; 0 for all.
	Most int `toml:"most" range:"0.."`
	// Contexts tells that histograms over contexts are moved too, which takes longest.
	Contexts bool `toml:"contexts"`
}

// Paths lists the files of the set, those of collections one by one.
func (s DocumentSet) Paths() (paths []string) {
	for _, name := range s.Files {
		f, known := dataset.Lookup(name)
		if !known {
			f.Path = name
		}
		for _, member := range f.Members() {
			paths = append(paths, member.Path)
		}
	}
	return paths
}

func (c *checker) documents(d Documents) {
	for i, s := range d.Sets {
		key := fmt.Sprintf("documents.sets[%d]", i)
		c.oneOf(key+".format", s.Format, dataset.DocumentFormats())
		for _, name := range s.Files {
			if _, known := dataset.Lookup(name); !known && strings.HasSuffix(name, "/") {
				c.fail(key+".files", "%q, expected a file, or a collection of the data such as "+
					"documents/20news/train/ (see repro data ls)", name)
			}
		}
		if s.StopWords && d.StopWords == "" {
			c.fail("documents.stop_words", "no file, which the set %q needs", s.Name)
		}
	}
	for i, k := range d.Neighbours {
		c.between(fmt.Sprintf("documents.neighbours[%d]", i), float64(k), 1, float64(d.Depth))
	}
}
