package profile

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/prepare"
)

// The values that some keys choose from.
var (
	vectorKinds        = []string{SVD, GloVe, Sent2vec}
	gloveRules         = []string{"paper", "today"}
	normalisations     = []string{"none", "total", "cluster size"}
	metrics            = []string{"euclidean", "squared euclidean", "angular"}
	costNormalisations = []string{"none", "max", "median", "mean", "log2", "ln"}
	spaceWeightings    = []string{Uniform, Inverse, SIFCorpus}
	weightings         = append(slices.Clone(spaceWeightings), SIFList, SIFRaw)
)

const idLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

// checker collects the first thing that is wrong.
type checker struct {
	d       *decoder
	words   int   // of the vocabulary; math.MaxInt before it is known
	err     error // about the profile itself
	tooMany error // about a number that the vocabulary is too small for
}

func (c *checker) fail(key, format string, args ...any) {
	if c.err == nil {
		c.err = c.d.errorf(key, format, args...)
	}
}

func (c *checker) oneOf(key, value string, known []string) {
	if !slices.Contains(known, value) {
		c.fail(key, "%q, expected one of %s", value, `"`+strings.Join(known, `", "`)+`"`)
	}
}

// between checks low ≤ value ≤ high.
func (c *checker) between(key string, value, low, high float64) {
	if value < low || value > high {
		c.fail(key, "%v, expected %v to %v", value, low, high)
	}
}

func (c *checker) atLeast(key string, value, low int) {
	if value < low {
		c.fail(key, "%d, expected %d or more", value, low)
	}
}

func (c *checker) positive(key string, value float64) {
	if value <= 0 {
		c.fail(key, "%v, expected a number above 0", value)
	}
}

// reg checks a λ: the transport engines resolve costs of up to 1e9 λ, and a normalised cost is about 1.
func (c *checker) reg(key string, value float64) { c.between(key, value, 1e-9, 1e9) }

// largestDim is more than anybody has trained, and less than would not fit into memory.
const largestDim = 10_000

func (c *checker) dim(key string, value int) {
	if value < 1 || value > largestDim {
		c.fail(key, "%d, expected 1 to %d", value, largestDim)
	}
}

// k checks a number of clusters of words.
func (c *checker) k(key string, value int) {
	c.atLeast(key, value, 2)
	c.atMostWords(key, value)
}

func (c *checker) atMostWords(key string, value int) {
	if value > c.words && c.tooMany == nil {
		c.tooMany = c.d.errorf(key, "%d, expected at most %d, as many as the vocabulary has words", value, c.words)
	}
}

// validStem is what files and folders can be called everywhere.
var validStem = regexp.MustCompile(`^[\pL\pN][\pL\pM\pN_-]{0,63}$`)

// stem checks the name of a file or a folder.
func (c *checker) stem(key, value string) {
	if !validStem.MatchString(value) {
		c.fail(key, "%q, expected a name for files and folders: up to 64 letters, digits, - and _, a letter or digit first", value)
	}
}

// check looks at all values where there are so many words.
func (d *decoder) check(p *Profile, words int) *checker {
	c := &checker{d: d, words: words}
	c.stem("name", p.Name)
	c.atLeast("seeds.sts", p.Seeds.STS, 1)
	c.atLeast("seeds.hypernymy", p.Seeds.Hypernymy, 1)
	c.atLeast("seeds.wordsim", p.Seeds.WordSim, 1)
	c.atLeast("seeds.clusters", p.Seeds.Clusters, 1)
	c.corpus(p.Corpus)
	c.vectors(p.Vectors)
	c.glove(p.GloVe)
	c.sent2vec(p.Sent2vec)
	c.sts(p.STS)
	c.wordSimilarity(p.WordSim)
	c.hypernymy(p.Hypernymy)
	c.figures(p.Figures, p.STS.Rows)
	c.clusters(p.Clusters, p.STS.Rows)
	c.scaling(p.Scaling, p.Corpus, p.STS.Rows)
	c.systems(p.Systems, p.STS.Rows)
	c.geometry(p.Geometry, p.STS.Rows)
	c.qualitative(p.Qualitative, p.STS)
	c.space(p.Space)
	return c
}

func (c *checker) corpus(s Corpus) {
	c.oneOf("corpus.kind", s.Kind, []string{KindMiniWorld, KindPrepared, KindFiles})
	switch s.Kind {
	case KindMiniWorld:
		c.atLeast("corpus.tokens", s.Tokens, 1)
		if s.MinCount > int64(s.Tokens) {
			c.fail("corpus.min_count", "%d, expected at most %d, the number of tokens: no word can occur more often", s.MinCount, s.Tokens)
		}
	case KindPrepared:
		if s.Books == "" && s.Wikipedia == "" {
			c.fail("corpus.kind", "%q, but neither corpus.books nor corpus.wikipedia names what is prepared", s.Kind)
		}
		c.between("corpus.shards", float64(s.Shards), 1, prepare.MaxShards)
		if s.Taken < 1 || s.Taken > s.Shards {
			c.fail("corpus.taken", "%d, expected 1 to %d, the number of shards", s.Taken, s.Shards)
		}
		if !s.Tokenised {
			c.fail("corpus.tokenised", "false, but what is prepared is tokenised already: expected true")
		}
	case KindFiles:
		if len(s.Files) == 0 {
			c.fail("corpus.files", "no files, expected at least one")
		}
	}
	c.atLeast("corpus.min_count", int(s.MinCount), 1)
	c.between("corpus.window", float64(s.Window), 1, corpus.MaxWindow)
}

func (c *checker) vectors(s Vectors) {
	c.dim("vectors.dim", s.Dim)
	c.atMostWords("vectors.dim", s.Dim)
	c.between("vectors.smoothing", s.Smoothing, 0, 1)
	c.shift("vectors.shift", s.Shift)
	c.between("vectors.exponent", s.Exponent, 0, 1)
	c.between("vectors.oversampling", float64(s.Oversampling), 0, largestDim)
	c.atLeast("vectors.power_iterations", s.PowerIterations, 0)
}

func (c *checker) glove(s GloVeTraining) {
	c.dim("glove.dim", s.Dim)
	c.atLeast("glove.epochs", s.Epochs, 1)
	c.positive("glove.rate", s.Rate)
	c.positive("glove.x_max", s.XMax)
	c.between("glove.exponent", s.Exponent, 0, 1)
	c.oneOf("glove.rule", s.Rule, gloveRules)
}

func (c *checker) sent2vec(s Sent2vecTraining) {
	c.dim("sent2vec.dim", s.Dim)
	c.atLeast("sent2vec.epochs", s.Epochs, 1)
	c.positive("sent2vec.rate", s.Rate)
	c.between("sent2vec.ngrams", float64(s.NGrams), 1, 5)
	c.between("sent2vec.buckets", float64(s.Buckets), 1, 1<<30)
	c.atLeast("sent2vec.dropout", s.Dropout, 0)
	c.atLeast("sent2vec.negatives", s.Negatives, 1)
	c.positive("sent2vec.subsample", s.Subsample)
	c.atLeast("sent2vec.min_target", int(s.MinTarget), 0)
}

func (c *checker) shift(key string, s float64) {
	if s < 1 {
		c.fail(key, "%v, expected 1 or more", s)
	}
}

func (c *checker) sts(s STS) {
	validation := 0
	var names []string
	for g, group := range s.Groups {
		key := fmt.Sprintf("sts.groups[%d]", g)
		c.name(key+".name", group.Name, &names)
		if group.Validation {
			validation++
			if group.Published != "" && group.Published != validationColumn {
				c.fail(key+".validation", "true, but the paper tests on %s (its column %s): nothing is chosen on a test set; the paper's validation column is %s", group.Name, group.Published, validationColumn)
			}
		}
		if len(group.Sets) == 0 {
			c.fail(key+".sets", "no sets of sentence pairs in the group %s, expected at least one", group.Name)
		}
		c.stem(key+".table", group.Table)
		var sets []string
		for i, set := range group.Sets {
			k := fmt.Sprintf("%s.sets[%d]", key, i)
			c.name(k+".name", set.Name, &sets)
			if set.File == "" {
				c.fail(k+".file", "no file for the set %s", set.Name)
			}
		}
	}
	c.apart(s.Groups)
	if validation > 1 {
		c.fail("sts.groups", "%d groups have validation = true, expected at most one", validation)
	}
	var blocks []string
	for i, block := range s.Blocks {
		c.name(fmt.Sprintf("sts.blocks[%d].id", i), block.ID, &blocks)
	}
	c.grid("sts.select.transport", s.Select.Transport)
	c.grid("sts.select.vectors", s.Select.Vectors)
	c.only("sts.select.vectors", s.Select.Vectors, vectorKeys)
	c.grid("sts.tune.transport", s.Tune.Transport)
	c.grid("sts.tune.vectors", s.Tune.Vectors)
	c.only("sts.tune.vectors", s.Tune.Vectors, vectorKeys)
	if s.UsesList() && s.Frequencies == "" && !slices.ContainsFunc(s.Rows, Row.UsesList) {
		c.fail("sts.frequencies", "no file, but [sts.select] or [sts.tune] tries weights %q, which go by a list of frequencies", SIFList)
	}
	c.rowsOf("sts.steps", s.Steps, s.Rows)
	if len(s.Steps) == 1 {
		c.fail("sts.steps", "one row, expected several, or none")
	}
	for _, row := range s.Rows {
		key := "sts.rows." + row.ID
		if strings.Trim(row.ID, idLetters) != "" || row.ID == "" {
			c.fail(key, "%q is no id, expected letters, digits, - and _", row.ID)
		}
		c.row(key, row)
		if row.UsesList() && s.Frequencies == "" {
			c.fail("sts.frequencies", "no file, but the row %s has weights %q, which go by a list of frequencies", row.ID, SIFList)
		}
		if !slices.Contains(blocks, row.Block) {
			c.inherited(key, "block", func(k string) { c.fail(k, "%q, expected the id of a block: %s", row.Block, strings.Join(blocks, ", ")) })
		}
		if row.Select && validation == 0 {
			c.fail(key+".select", "true, but no group has validation = true")
		}
	}
}

// validationColumn is the column of the paper's Table 1 whose sets it chose settings on.
const validationColumn = "STS16_val"

// apart checks that no file is both chosen and tested on.
func (c *checker) apart(groups []Group) {
	validation := map[string]string{} // the groups of files
	for _, g := range groups {
		for _, set := range g.Sets {
			if g.Validation {
				validation[set.File] = g.Name
			}
		}
	}
	for g, group := range groups {
		for i, set := range group.Sets {
			if chosen, ok := validation[set.File]; ok && !group.Validation {
				c.fail(fmt.Sprintf("sts.groups[%d].sets[%d].file", g, i), "%q is also in the group %s, on which settings are chosen: nothing is chosen on a test set", set.File, chosen)
			}
		}
	}
}

// name checks that a name is given and new.
func (c *checker) name(key, name string, names *[]string) {
	switch {
	case name == "":
		c.fail(key, "no name")
	case slices.Contains(*names, name):
		c.fail(key, "%q stands twice", name)
	}
	*names = append(*names, name)
}

// inherited calls f with the key of the row or, where the row has it from them, of
// the defaults, so that the error tells the right line.
func (c *checker) inherited(row, name string, f func(key string)) {
	key := row + "." + name
	_, set := c.d.from[key]
	if c.d.places[key].line == 0 && !set {
		key = "sts.defaults." + name
	}
	f(key)
}

func (c *checker) row(key string, r Row) {
	check := func(name string, f func(key string)) { c.inherited(key, name, f) }
	if r.Label == "" {
		c.fail(key+".label", "no label")
	}
	check("method", func(k string) { c.oneOf(k, r.Method, Methods()) })
	check("vectors", func(k string) {
		if !IsVectorFile(r.Vectors) {
			c.oneOf(k, r.Vectors, vectorKinds)
		}
		if r.Method == Sent2vec && r.Vectors != Sent2vec {
			c.fail(k, "%q, but the method %q averages vectors of its own: expected %q", r.Vectors, Sent2vec, Sent2vec)
		}
	})
	check("file", func(k string) {
		switch {
		case r.Method == Encoder && r.File == "":
			c.fail(k, "no file, which the method %q reads: vectors of sentences (FILE.npy, with the sentences in FILE.txt) or scores of pairs", Encoder)
		case r.Method != Encoder && r.File != "":
			c.fail(k, "%q, but the method %q reads none: expected %q", r.File, r.Method, Encoder)
		}
	})
	check("select", func(k string) {
		if r.Method == Encoder && r.Select {
			c.fail(k, "true, but the method %q has no settings to choose", Encoder)
		}
	})
	check("smoothing", func(k string) { c.between(k, r.Smoothing, 0, 1) })
	check("shift", func(k string) { c.shift(k, r.Shift) })
	check("normalisation", func(k string) { c.oneOf(k, r.Normalisation, normalisations) })
	check("beta", func(k string) { c.between(k, r.Beta, 0, 1) })
	check("clusters", func(k string) { c.k(k, r.Clusters) })
	check("metric", func(k string) { c.oneOf(k, r.Metric, metrics) })
	check("cost_normalisation", func(k string) { c.oneOf(k, r.CostNormalisation, costNormalisations) })
	check("clip", func(k string) { c.notNegative(k, r.Clip) })
	check("geometry", func(k string) {
		c.oneOf(k, r.Geometry, []string{TrueGeometry, Flat, Shuffled})
		if r.Geometry != TrueGeometry && r.Mix > 0 {
			c.fail(k, "%q with a mix, whose points are elsewhere: expected mix = 0", r.Geometry)
		}
	})
	check("compare", func(k string) {
		c.oneOf(k, r.Compare, Comparisons())
		if r.Compare != ByTransport && r.Mix > 0 {
			c.fail(k, "%q with a mix, whose points are no bins: expected mix = 0", r.Compare)
		}
	})
	check("reg", func(k string) { c.reg(k, r.Reg) })
	check("iterations", func(k string) { c.atLeast(k, r.Iterations, 1) })
	check("tolerance", func(k string) { c.notNegative(k, r.Tolerance) })
	check("weights", func(k string) {
		c.oneOf(k, r.Weights, weightings)
		if r.Method == Sent2vec && r.Weights != Uniform {
			c.fail(k, "%q, but the method %q takes a plain mean: expected %q", r.Weights, Sent2vec, Uniform)
		}
	})
	check("a", func(k string) { c.positive(k, r.A) })
	check("mix", func(k string) { c.mix(k, r.Mix) })
	check("point_weights", func(k string) { c.oneOf(k, r.PointWeights, weightings) })
	check("point_a", func(k string) { c.positive(k, r.PointA) })
	check("pc_batch", func(k string) { c.batch(k, r.PCBatch) })
	check("unit", func(k string) {
		if r.Unit && !r.HasVectorsAlone() {
			c.fail(k, "true, but the method %q has histograms: expected one of those with vectors alone", r.Method)
		}
	})
	check("remove_pc", func(k string) {
		if r.RemovePC && (r.MovesWords() || r.Method == Encoder) {
			c.fail(k, "true, but the method %q has no average of words to remove it from", r.Method)
		}
	})
	check("components", func(k string) {
		c.atLeast(k, r.Components, 1)
		if r.Components > 1 && !r.IsAverage() {
			c.fail(k, "%d, but only averages of word vectors can lose more than one: expected 1", r.Components)
		}
	})
	check("own", func(k string) {
		c.oneOf(k, r.Own, []string{NoneOwn, UnknownOwn, UnknownAndNumbers})
		if r.HasWordsOfSets() && (!r.Unit || r.Method != NBoW && r.Method != SIF && r.Method != WMD && r.Method != WRD) {
			c.fail(k, "%q beside %q, of the method %q with unit = %v: expected one of %q, %q, %q and %q with unit = true", r.Own, r.Beside, r.Method, r.Unit, NBoW, SIF, WMD, WRD)
		}
	})
	check("beside", func(k string) {
		if r.Beside != "" && !IsVectorFile(r.Beside) {
			c.oneOf(k, r.Beside, vectorKinds)
		}
	})
	check("beside_scale", func(k string) { c.positive(k, r.BesideScale) })
	check("rotator", func(k string) {
		c.notNegative(k, r.Rotator)
		if r.Rotator > 0 && r.Method != NBoW && r.Method != SIF {
			c.fail(k, "%v, but the method %q has no cosine of averages to take it from: expected 0", r.Rotator, r.Method)
		}
	})
	check("rotator_a", func(k string) { c.positive(k, r.RotatorA) })
	check("gamma", func(k string) { c.positive(k, r.Gamma) })
	check("documents", func(k string) { c.atLeast(k, r.Documents, 1) })
	check("length", func(k string) { c.atLeast(k, r.Length, 1) })
}

func (c *checker) batch(key string, n int) {
	if n < 0 || n == 1 {
		c.fail(key, "%d, expected 0 (all sentences of a set together) or 2 or more", n)
	}
}

func (c *checker) notNegative(key string, x float64) {
	if x < 0 {
		c.fail(key, "%v, expected 0 or more", x)
	}
}

func (c *checker) mix(key string, m float64) {
	if m < 0 || m >= 1 {
		c.fail(key, "%v, expected 0 or more and below 1", m)
	}
}

func (c *checker) grid(key string, s Select) {
	each(key+".smoothing", s.Smoothing, func(k string, v float64) { c.between(k, v, 0, 1) })
	each(key+".shift", s.Shift, c.shift)
	each(key+".normalisation", s.Normalisation, func(k, v string) { c.oneOf(k, v, normalisations) })
	each(key+".beta", s.Beta, func(k string, v float64) { c.between(k, v, 0, 1) })
	each(key+".clusters", s.Clusters, c.k)
	each(key+".metric", s.Metric, func(k, v string) { c.oneOf(k, v, metrics) })
	each(key+".cost_normalisation", s.CostNormalisation, func(k, v string) { c.oneOf(k, v, costNormalisations) })
	each(key+".clip", s.Clip, c.notNegative)
	each(key+".reg", s.Reg, c.reg)
	each(key+".weights", s.Weights, func(k, v string) { c.oneOf(k, v, weightings) })
	each(key+".a", s.A, c.positive)
	each(key+".mix", s.Mix, c.mix)
	each(key+".point_a", s.PointA, c.positive)
	each(key+".pc_batch", s.PCBatch, c.batch)
	each(key+".beside_scale", s.BesideScale, c.positive)
	each(key+".rotator", s.Rotator, c.notNegative)
	each(key+".gamma", s.Gamma, c.positive)
	if len(s.Unit) > 0 && !strings.HasSuffix(key, ".vectors") {
		c.fail(key+".unit", "only methods with vectors alone can have them scaled to length 1")
	}
	if len(s.Gamma) > 0 && !strings.HasSuffix(key, ".vectors") {
		c.fail(key+".gamma", "only the method %q has one", WME)
	}
	if len(s.BesideScale)+len(s.Rotator) > 0 && !strings.HasSuffix(key, ".vectors") {
		c.fail(key+".beside_scale", "only methods with vectors alone have others beside them, or the word rotator's distance")
	}
}

// vectorKeys are the keys of a grid that methods with vectors alone have.
var vectorKeys = []string{"weights", "a", "pc_batch", "unit", "beside_scale", "rotator", "gamma"}

// only checks that a grid has lists of the given keys alone.
func (c *checker) only(key string, s Select, known []string) {
	fields := fieldsOf(reflect.TypeOf(s))
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(known, name) && reflect.ValueOf(s).Field(fields[name]).Len() > 0 {
			c.fail(key+"."+name, "methods with vectors alone have no such setting, expected the keys %s", strings.Join(known, ", "))
		}
	}
}

func each[T any](key string, values []T, check func(key string, value T)) {
	for i, v := range values {
		check(fmt.Sprintf("%s[%d]", key, i), v)
	}
}
