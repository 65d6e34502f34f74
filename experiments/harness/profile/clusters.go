package profile

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
