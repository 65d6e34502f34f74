package profile

import (
	"fmt"
	"slices"
)

// Clusters describes the ablation of the number of clusters.
type Clusters struct {
	// Row is the id of the row of sentence similarity that is varied.
	Row       string           `toml:"row" row:"histograms"`
	K         []int            `toml:"k" range:"2.." words:"y" need:"no numbers of clusters, expected at least one"`
	Tolerance float64          `toml:"tolerance" range:"0.."`
	Variants  []ClusterVariant `toml:"variants" need:"no variants, expected at least one"`
}

// ClusterVariant is one setting of the associations and histograms.
type ClusterVariant struct {
	Name      string  `toml:"name" unique:"y"`
	Smoothing float64 `toml:"smoothing" range:"0..1"`
	Beta      float64 `toml:"beta" range:"0..1"`
	Shift     float64 `toml:"shift" range:"1.."`
}

func (c *checker) clusters(s Clusters) {
	for i, k := range s.K {
		if slices.Contains(s.K[:i], k) {
			c.fail(fmt.Sprintf("clusters.k[%d]", i), "%d stands twice", k)
		}
	}
	for i, v := range s.Variants {
		if v.Name == "mean" {
			c.fail(fmt.Sprintf("clusters.variants[%d].name", i), `"mean" is the name of the variants' mean`)
		}
	}
}
