package profile

import (
	"fmt"
	"reflect"
)

// Clusters describes the ablation of the number of clusters.
type Clusters struct {
	// Row is the id of the row of sentence similarity that is varied.
	Row       string           `toml:"row"`
	K         []int            `toml:"k" range:"2.." words:"y"`
	Tolerance float64          `toml:"tolerance" range:"0.."`
	Variants  []ClusterVariant `toml:"variants"`
}

// ClusterVariant is one setting of the associations and histograms.
type ClusterVariant struct {
	Name      string  `toml:"name"`
	Smoothing float64 `toml:"smoothing" range:"0..1"`
	Beta      float64 `toml:"beta" range:"0..1"`
	Shift     float64 `toml:"shift" range:"1.."`
}

func (c *checker) clusters(s Clusters, rows []Row) {
	if reflect.ValueOf(s).IsZero() {
		return // a profile without the ablation
	}
	c.rowOf("clusters.row", s.Row, rows, true)
	if len(s.K) == 0 {
		c.fail("clusters.k", "no numbers of clusters, expected at least one")
	}
	seen := map[int]bool{}
	for i, k := range s.K {
		if seen[k] {
			c.fail(fmt.Sprintf("clusters.k[%d]", i), "%d stands twice", k)
		}
		seen[k] = true
	}
	c.group("clusters", s)
	if len(s.Variants) == 0 {
		c.fail("clusters.variants", "no variants, expected at least one")
	}
	var names []string
	for i, v := range s.Variants {
		key := fmt.Sprintf("clusters.variants[%d]", i)
		c.name(key+".name", v.Name, &names)
		if v.Name == "mean" {
			c.fail(key+".name", `"mean" is the name of the variants' mean`)
		}
		c.group(key, v)
	}
}
