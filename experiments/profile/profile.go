// Package profile reads the settings of a reproduction run: strict TOML files, of
// which mini.toml, open.toml and paper.toml are embedded. Comments in the first two
// explain every key.
package profile

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"contextmover/cmdlib/sentence"
	"contextmover/internal/bounded"
)

// Profile holds the settings of a run.
type Profile struct {
	Name        string           `toml:"name"`
	Description string           `toml:"description"`
	Seed        uint64           `toml:"seed"`
	Seeds       Seeds            `toml:"seeds"`
	Corpus      Corpus           `toml:"corpus"`
	Vectors     Vectors          `toml:"vectors"`
	GloVe       GloVeTraining    `toml:"glove"`
	Sent2vec    Sent2vecTraining `toml:"sent2vec"`
	STS         STS              `toml:"sts"`
	WordSim     WordSim          `toml:"wordsim"`
	Hypernymy   Hypernymy        `toml:"hypernymy"`
	Figures     Figures          `toml:"figures"`
	Clusters    Clusters         `toml:"clusters"`
	Scaling     Scaling          `toml:"scaling"`
	Systems     Systems          `toml:"systems"`
	Geometry    Geometry         `toml:"geometry"`
	Qualitative Qualitative      `toml:"qualitative"`
	Space       Space            `toml:"space"`

	// read knows where each key stands; nil in a profile that Load has not returned.
	read *decoder `toml:"-"`
}

// CheckVocabulary returns an error, as Load does, for the first setting that a vocabulary of so many words
// cannot serve: one that asks for more clusters or dimensions than there are words.
func (p *Profile) CheckVocabulary(words int) error { return p.decoder().check(p, words).tooMany }

// Errorf returns an error about a key of the profile that only shows with its data. It tells the key's file
// and line or override, and is formatted as by fmt.Errorf.
func (p *Profile) Errorf(key, format string, args ...any) error {
	return p.decoder().errorf(key, format, args...)
}

func (p *Profile) decoder() *decoder {
	if p.read == nil {
		return new(decoder)
	}
	return p.read
}

// Published tells whether the profile reproduces rows that the paper printed.
func (p *Profile) Published() bool {
	return slices.ContainsFunc(p.STS.Rows, func(r Row) bool { return r.PublishedSummary != "" || r.PublishedDetail != "" })
}

// Corpus says what text is counted and how.
type Corpus struct {
	Kind      string   `toml:"kind"` // KindMiniWorld, KindPrepared or KindFiles
	Tokens    int      `toml:"tokens"`
	Files     []string `toml:"files"`
	Books     string   `toml:"books"`     // a collection of the data
	Wikipedia string   `toml:"wikipedia"` // the same
	Shards    int      `toml:"shards"`
	Taken     int      `toml:"taken"` // shards
	Tokenised bool     `toml:"tokenised"`
	MinCount  int64    `toml:"min_count"`
	Window    int      `toml:"window"`
}

const (
	KindMiniWorld = "miniworld" // a generated text
	KindPrepared  = "prepared"  // prepared from books and Wikipedia
	KindFiles     = "files"     // files of text
)

// Parts returns the number of parts that the text can be cut into: its files or shards.
func (c Corpus) Parts() int {
	switch c.Kind {
	case KindFiles:
		return len(c.Files)
	case KindPrepared:
		return c.Taken
	}
	return 1
}

// The kinds of word vectors. Sent2vec is also the method of a row that averages all of its vectors.
const (
	SVD      = "svd"
	GloVe    = "glove"
	Sent2vec = "sent2vec"
)

// IsVectorFile tells whether what a row has as its vectors is the name of a file, which has a dot, and no kind.
func IsVectorFile(kind string) bool { return strings.Contains(kind, ".") }

// KindName is what people call a kind of vectors; of a file, its name without folder and ending.
func KindName(kind string) string {
	if IsVectorFile(kind) {
		base := filepath.Base(filepath.FromSlash(kind))
		return strings.TrimSuffix(base, filepath.Ext(base))
	}
	return map[string]string{SVD: "SVD", GloVe: "GloVe", Sent2vec: "Sent2vec"}[kind]
}

// Vectors says how word vectors are made by the singular value decomposition of the
// associations.
type Vectors struct {
	Dim             int     `toml:"dim"`
	Smoothing       float64 `toml:"smoothing"`
	Shift           float64 `toml:"shift"`
	Exponent        float64 `toml:"exponent"`
	Oversampling    int     `toml:"oversampling"`
	PowerIterations int     `toml:"power_iterations"`
	Normalise       bool    `toml:"normalise"`
}

// GloVeTraining says how word vectors are trained on the counts, or what file they are
// read from.
type GloVeTraining struct {
	File      string  `toml:"file"`
	Dim       int     `toml:"dim"`
	Epochs    int     `toml:"epochs"`
	Rate      float64 `toml:"rate"`
	XMax      float64 `toml:"x_max"`
	Exponent  float64 `toml:"exponent"`
	Rule      string  `toml:"rule"`
	Normalise bool    `toml:"normalise"`
}

// Sent2vecTraining says how vectors of words and n-grams are trained on the text, or what file those of words
// are read from.
type Sent2vecTraining struct {
	File      string  `toml:"file"`
	Dim       int     `toml:"dim"`
	Epochs    int     `toml:"epochs"`
	Rate      float64 `toml:"rate"`
	NGrams    int     `toml:"ngrams"`
	Buckets   int     `toml:"buckets"`
	Dropout   int     `toml:"dropout"`
	Negatives int     `toml:"negatives"`
	Subsample float64 `toml:"subsample"`
	MinTarget int64   `toml:"min_target"`
}

// Seeds says in how many seeds in all, Seed, Seed + 1, …, an experiment makes everything random.
type Seeds struct {
	STS       int `toml:"sts"`
	Hypernymy int `toml:"hypernymy"`
	WordSim   int `toml:"wordsim"`
	Clusters  int `toml:"clusters"`
}

// STS describes the experiment on sentence similarity.
type STS struct {
	// Frequencies is the file of word frequencies that weights SIFList go by.
	Frequencies string `toml:"frequencies"`

	Groups   []Group `toml:"groups"`
	Blocks   []Block `toml:"blocks"`
	Defaults Row     `toml:"defaults"`
	Rows     []Row   `toml:"rows"` // in the file's order; a table [sts.rows.<id>] each
	// Steps are ids of rows that each add something to the one before; an empty list leaves their table and figure out.
	Steps  []string `toml:"steps"`
	Select Grids    `toml:"select"` // tried whole for the rows with select = true
	Tune   Grids    `toml:"tune"`   // then varied one list at a time by repro tune
}

// Grids are what is tried for rows: the same for all methods that compare histograms, so
// that none of them has more to choose from, and for all that compare averages of vectors.
type Grids struct {
	Transport Select `toml:"transport"`
	Vectors   Select `toml:"vectors"` // of NBoW and SIF
}

// Of returns the grid of a row.
func (g Grids) Of(row Row) Select {
	if row.HasVectorsAlone() {
		return g.Vectors
	}
	return g.Transport
}

// Candidates returns the settings that are tried for a row with select = true: its own, then
// those of its grid that differ.
func (p *Profile) Candidates(row Row) []Row {
	all := []Row{row}
	for _, r := range p.Settings(p.STS.Select.Of(row), row) {
		if !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	return all
}

// Settings returns the rows of a grid (see Select.Rows) without those that scaling vectors
// to length 1 does not change, because the profile's have it already.
func (p *Profile) Settings(grid Select, row Row) []Row {
	if row.Vectors == SVD && p.Vectors.Normalise || row.Vectors == GloVe && p.GloVe.Normalise {
		grid.Unit = nil
	}
	return grid.Rows(row)
}

// Group is what the paper calls a year: sets of sentence pairs that are averaged.
type Group struct {
	Name       string `toml:"name"`
	Table      string `toml:"table"`
	Published  string `toml:"published"` // its column in the paper's Table 1, or empty
	Validation bool   `toml:"validation"`
	Unseen     bool   `toml:"unseen"`
	Sets       []Set  `toml:"sets"`
}

// Test tells whether the group is part of the average over test groups.
func (g Group) Test() bool { return !g.Validation && !g.Unseen }

// Set is a file of sentence pairs.
type Set struct {
	Name string `toml:"name"`
	File string `toml:"file"`
}

// Block is a part of the tables: rows that belong together.
type Block struct {
	ID    string `toml:"id"`
	Title string `toml:"title"`
	Note  string `toml:"note"`
}

// The methods of a row.
const (
	NBoW       = "nbow"       // mean of the word vectors, cosine
	SIF        = "sif"        // weighted sum of the word vectors, cosine
	Euclidean  = "euclidean"  // weighted mean of the histograms, CMD
	Barycenter = "barycenter" // Wasserstein barycenter of the histograms, CMD
	Debiased   = "debiased"   // the same without its entropic blur
	WMD        = "wmd"        // words moved onto words: see sentence.WordMover
	RegularWMD = "wmd, λ"     // the same with entropy
	WRD        = "wrd"        // the word rotator's distance
	WME        = "wme"        // distances to random documents: see sentence.WordMoverFeatures
	Encoder    = "encoder"    // read from a file: see dataset.Encoder
	// UnweightedStart is Barycenter as the paper's code computes it, which for unequal
	// weights is none: see ot.BarycenterProblem.
	UnweightedStart = "unweighted start"
)

// What a row's ground cost knows of where clusters are.
const (
	TrueGeometry = "true"
	Flat         = "flat"     // all moves cost the same: the mean of the true costs
	Shuffled     = "shuffled" // each cluster has the centroid of another
)

// How a row's histograms are compared, if not by one of sentence.Divergences.
const (
	ByTransport = "transport"
	// With the places of the clusters, and without a plan: sentence.MaximumMeanDiscrepancy of the row's unclipped cost, and
	// sentence.SlicedWasserstein of the centroids.
	MaximumMeanDiscrepancy = "maximum mean discrepancy"
	SlicedWasserstein      = "sliced wasserstein"
)

// Comparisons lists the ways to compare histograms.
func Comparisons() []string {
	all := []string{ByTransport}
	for _, d := range sentence.Divergences() {
		all = append(all, string(d))
	}
	return append(all, MaximumMeanDiscrepancy, SlicedWasserstein)
}

// Methods lists the methods of a row.
func Methods() []string {
	return []string{NBoW, SIF, Sent2vec, WMD, RegularWMD, WRD, WME, Euclidean, Barycenter, Debiased, UnweightedStart, Encoder}
}

// The weights of words in a sentence, a/(a + p(w)) but for Uniform.
const (
	Uniform = "uniform"
	Inverse = "inverse" // p is the word's share of the corpus; the weights are scaled to sum 1
	// The weights of the others are divided by the number of words, where they are not
	// of histograms, which need the sum 1.
	SIFCorpus = "sif"      // p as for Inverse
	SIFList   = "sif-list" // p is the word's share of the list of frequencies, 0 for a word that it lacks: the authors' code of SIF
	SIFRaw    = "sif-raw"  // p is the sum of the word's co-occurrence counts, undivided: the paper's released code
)

// UsesList tells whether the row needs the list of frequencies.
func (r Row) UsesList() bool {
	return r.Weights == SIFList || r.hasPoints() && r.PointWeights == SIFList
}

// UsesList tells whether a row, or a setting that is tried, needs the list of frequencies.
func (s STS) UsesList() bool {
	for _, g := range []Select{s.Select.Transport, s.Select.Vectors, s.Tune.Transport, s.Tune.Vectors} {
		if slices.Contains(g.Weights, SIFList) {
			return true
		}
	}
	return slices.ContainsFunc(s.Rows, Row.UsesList)
}

// hasPoints tells whether a sentence has a point of its own beside its histogram.
func (r Row) hasPoints() bool { return r.Mix > 0 && !r.HasVectorsAlone() }

// What words have vectors of their own, at right angles to all others.
const (
	NoneOwn           = "none"
	UnknownOwn        = "unknown"
	UnknownAndNumbers = "unknown and numbers" // and words with a digit
)

// Row is a row of the tables: a method with all of its settings.
type Row struct {
	ID     string `toml:"-"`
	Label  string `toml:"label"`
	Block  string `toml:"block"`
	Method string `toml:"method"`
	Select bool   `toml:"select"`
	// Vectors is SVD, GloVe, Sent2vec or a file: see IsVectorFile.
	Vectors string `toml:"vectors"`
	// File is what the method Encoder reads, in the data folder or with a full path; "" for the others.
	File string `toml:"file"`
	// The paper's rows that this one reproduces, as keys of package published: in
	// Table 1 and in the tables of the groups. Empty: the paper has none.
	PublishedSummary string `toml:"published_summary"`
	PublishedDetail  string `toml:"published_detail"`

	Smoothing         float64 `toml:"smoothing"`
	Shift             float64 `toml:"shift"`
	Normalisation     string  `toml:"normalisation"`
	Beta              float64 `toml:"beta"`
	Clusters          int     `toml:"clusters"`
	Metric            string  `toml:"metric"`
	Spherical         bool    `toml:"spherical"`
	CostNormalisation string  `toml:"cost_normalisation"`
	Clip              float64 `toml:"clip"`
	Geometry          string  `toml:"geometry"`
	Compare           string  `toml:"compare"`
	Reg               float64 `toml:"reg"`
	Iterations        int     `toml:"iterations"`
	Tolerance         float64 `toml:"tolerance"`
	Accelerate        bool    `toml:"accelerate"` // as ot.Settings has it
	Weights           string  `toml:"weights"`
	A                 float64 `toml:"a"`
	Mix               float64 `toml:"mix"`
	PointWeights      string  `toml:"point_weights"`
	PointA            float64 `toml:"point_a"`
	RemovePC          bool    `toml:"remove_pc"`
	PCBatch           int     `toml:"pc_batch"`
	Components        int     `toml:"components"` // how many RemovePC removes
	Unit              bool    `toml:"unit"`
	Own               string  `toml:"own"`    // words that have a vector of their own
	Beside            string  `toml:"beside"` // further vectors of each word, "" for none
	BesideScale       float64 `toml:"beside_scale"`
	Rotator           float64 `toml:"rotator"` // weight of the word rotator's distance, taken from the cosine
	RotatorA          float64 `toml:"rotator_a"`
	Gamma             float64 `toml:"gamma"`
	Documents         int     `toml:"documents"`
	Length            int     `toml:"length"`
}

// IsAverage tells whether the method is an average of word vectors, which uses
// neither histograms nor transport.
func (r Row) IsAverage() bool { return r.Method == NBoW || r.Method == SIF || r.Method == Sent2vec }

// MovesWords tells whether the method is one of transport between the words of two sentences.
func (r Row) MovesWords() bool {
	return r.Method == WMD || r.Method == RegularWMD || r.Method == WRD || r.Method == WME
}

// HasVectorsAlone tells whether the method does without histograms.
func (r Row) HasVectorsAlone() bool { return r.IsAverage() || r.MovesWords() || r.Method == Encoder }

// HasWordsOfSets tells whether the row has vectors that are put together for the words of a set of pairs, known or not.
func (r Row) HasWordsOfSets() bool { return r.Own != "" && r.Own != NoneOwn || r.Beside != "" }

// Select is a grid of settings. An empty list leaves the row's own value, but for
// Spherical, whose empty list makes the clusters spherical exactly where the metric is
// angular.
type Select struct {
	Smoothing         []float64 `toml:"smoothing"`
	Shift             []float64 `toml:"shift"`
	Normalisation     []string  `toml:"normalisation"`
	Beta              []float64 `toml:"beta"`
	Clusters          []int     `toml:"clusters"`
	Metric            []string  `toml:"metric"`
	Spherical         []bool    `toml:"spherical"`
	CostNormalisation []string  `toml:"cost_normalisation"`
	Clip              []float64 `toml:"clip"`
	Reg               []float64 `toml:"reg"`
	Weights           []string  `toml:"weights"`
	A                 []float64 `toml:"a"`
	Mix               []float64 `toml:"mix"`
	PointA            []float64 `toml:"point_a"`
	PCBatch           []int     `toml:"pc_batch"`
	Unit              []bool    `toml:"unit"`
	BesideScale       []float64 `toml:"beside_scale"`
	Rotator           []float64 `toml:"rotator"`
	Gamma             []float64 `toml:"gamma"`
}

// Rows returns the row with each combination of the grid's values, the later lists
// varying faster. Combinations that mean the same appear once: beta counts only with
// the normalisation "total", a only with weights that use it, pc_batch only where the
// principal component is removed; a row without a mix stays without, and then point_a does
// not count. Of methods with vectors alone only weights, a, pc_batch and unit vary, but of NBoW, Sent2vec and
// WME not the weights; unit varies of no others, but stays where vectors are put together; beside_scale varies where there are
// vectors beside, rotator where it is not 0, and gamma of WME alone.
func (s Select) Rows(row Row) []Row {
	rows := []Row{row}
	if row.HasVectorsAlone() {
		if row.Method == SIF || row.MovesWords() && row.Method != WME {
			vary(&rows, s.Weights, func(r *Row, v string) { r.Weights = v })
			vary(&rows, s.A, func(r *Row, v float64) { r.A = v })
		}
		varyBatch(&rows, s.PCBatch)
		if !row.HasWordsOfSets() {
			vary(&rows, s.Unit, func(r *Row, v bool) { r.Unit = v })
		}
		if row.Beside != "" {
			vary(&rows, s.BesideScale, func(r *Row, v float64) { r.BesideScale = v })
		}
		if row.Rotator != 0 {
			vary(&rows, s.Rotator, func(r *Row, v float64) { r.Rotator = v })
		}
		if row.Method == WME {
			vary(&rows, s.Gamma, func(r *Row, v float64) { r.Gamma = v })
		}
		return rows
	}
	vary(&rows, s.Smoothing, func(r *Row, v float64) { r.Smoothing = v })
	vary(&rows, s.Shift, func(r *Row, v float64) { r.Shift = v })
	vary(&rows, s.Normalisation, func(r *Row, v string) { r.Normalisation = v })
	vary(&rows, s.Beta, func(r *Row, v float64) {
		if r.Normalisation == "total" {
			r.Beta = v
		}
	})
	vary(&rows, s.Clusters, func(r *Row, v int) { r.Clusters = v })
	vary(&rows, s.Metric, func(r *Row, v string) { r.Metric = v })
	if len(s.Spherical) > 0 {
		vary(&rows, s.Spherical, func(r *Row, v bool) { r.Spherical = v })
	} else {
		vary(&rows, []bool{true}, func(r *Row, _ bool) { r.Spherical = r.Metric == "angular" })
	}
	vary(&rows, s.CostNormalisation, func(r *Row, v string) { r.CostNormalisation = v })
	vary(&rows, s.Clip, func(r *Row, v float64) { r.Clip = v })
	vary(&rows, s.Reg, func(r *Row, v float64) { r.Reg = v })
	vary(&rows, s.Weights, func(r *Row, v string) { r.Weights = v })
	vary(&rows, s.A, func(r *Row, v float64) {
		if r.Weights != "uniform" {
			r.A = v
		}
	})
	vary(&rows, s.Mix, func(r *Row, v float64) {
		if row.Mix > 0 {
			r.Mix = v
		}
	})
	vary(&rows, s.PointA, func(r *Row, v float64) {
		if r.Mix > 0 && r.PointWeights != "uniform" {
			r.PointA = v
		}
	})
	varyBatch(&rows, s.PCBatch)
	return rows
}

func varyBatch(rows *[]Row, values []int) {
	vary(rows, values, func(r *Row, v int) {
		if r.RemovePC {
			r.PCBatch = v
		}
	})
}

// Coordinates returns a grid for each list of s that is not empty, with that list alone.
func (s Select) Coordinates() []Select {
	var one []Select
	whole := reflect.ValueOf(s)
	for i := range whole.NumField() {
		if whole.Field(i).Len() > 0 {
			var c Select
			reflect.ValueOf(&c).Elem().Field(i).Set(whole.Field(i))
			one = append(one, c)
		}
	}
	return one
}

// vary replaces each row by its variants, one for each value, without duplicates.
func vary[T any](rows *[]Row, values []T, set func(r *Row, v T)) {
	if len(values) == 0 {
		return
	}
	var all []Row
	for _, r := range *rows {
		var variants []Row
		for _, v := range values {
			variant := r
			set(&variant, v)
			if !slices.Contains(variants, variant) {
				variants = append(variants, variant)
			}
		}
		all = append(all, variants...)
	}
	*rows = all
}

//go:embed *.toml
var embedded embed.FS

// Names returns the names of the embedded profiles.
func Names() []string {
	files, err := fs.Glob(embedded, "*.toml")
	if err != nil {
		panic("profile: " + err.Error())
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(f, ".toml")
	}
	return files
}

// embeddedText returns the text of an embedded profile.
func embeddedText(name string) string {
	b, err := embedded.ReadFile(name + ".toml")
	if err != nil {
		panic("profile: " + err.Error())
	}
	return string(b)
}

// Load reads the embedded profile with the given name or, if the name ends in
// .toml, the file at that path, and applies overrides of the form "key=value":
//
//	seed=2
//	vectors.dim=100
//	sts.rows.comb.weights=inverse
//	sts.groups.STS16.validation=false
//	sts.select.transport.mix=[0.4, 0.6]
//
// A file with the key extends = "open" only names what it has different from that
// embedded profile: its tables are laid over those, its other values and its lists
// replace them. The keys of its list "without", such as "sts.rows" and "scaling", are left out
// of that profile before.
//
// Entries of a list are named by their name, their id or their number from 0. A value
// is TOML, but text needs no quotes.
//
// An unknown key, a value of the wrong type and a value out of range are errors, all
// of the type *Error, which tell the file and line or the override.
func Load(name string, overrides []string) (*Profile, error) {
	file, text := name, ""
	switch {
	case strings.HasSuffix(name, ".toml"):
		b, err := bounded.ReadFile(name, bounded.Document)
		if err != nil {
			return nil, &Error{File: name, Problem: "cannot be read: " + cause(err).Error()}
		}
		file, text = filepath.Clean(name), string(b)
	case slices.Contains(Names(), name):
		file, text = name+".toml", embeddedText(name)
	default:
		return nil, &Error{Problem: fmt.Sprintf("no profile %q, expected %s or the path of a .toml file; nearest: %s",
			name, strings.Join(Names(), ", "), nearest(name, Names()))}
	}
	return parse(file, text, overrides)
}

func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
