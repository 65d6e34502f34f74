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
	"slices"
	"strings"

	"contextmover/cmdlib/embedding/svd"
	"contextmover/cmdlib/method"
	"contextmover/experiments/harness/trainers/glove"
	"contextmover/experiments/harness/trainers/sent2vec"
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
	Geometry    Geometry         `toml:"geometry"`
	Documents   Documents        `toml:"documents"`
	Qualitative Qualitative      `toml:"qualitative"`
	Alignment   Alignment        `toml:"alignment"`
	Space       Space            `toml:"space"`

	// read knows where each key stands; nil in a profile that Load has not returned.
	read *decoder `toml:"-"`
}

// CheckVocabulary returns an error, as Load does, for the first setting that a vocabulary of so many words cannot
// serve. Such a setting needs more clusters or dimensions than there are words.
func (p *Profile) CheckVocabulary(words int) error { return p.decoder().check(p, words).tooMany }

// Errorf returns an error about a key of the profile that only shows with its data. It tells the key's file
// and line or override, and is formatted as by fmt.Errorf.
func (p *Profile) Errorf(key, format string, args ...any) error {
	return p.decoder().errorf(key, format, args...)
}

// onText names what is in the profile that is made of a text; "" for nothing.
func (p *Profile) onText() string {
	switch {
	case len(p.STS.Rows) > 0:
		return "rows of sentence similarity"
	case len(p.WordSim.Rows()) > 0:
		return "rows of word similarity"
	case len(p.Hypernymy.Sets) > 0:
		return "sets of hypernymy"
	}
	return ""
}

func (p *Profile) decoder() *decoder {
	if p.read == nil {
		return new(decoder)
	}
	return p.read
}

// Published tells whether the profile reproduces rows that the paper printed.
func (p *Profile) Published() bool {
	return slices.ContainsFunc(p.STS.Rows, func(r Row) bool { return r.PublishedSummary+r.PublishedDetail != "" })
}

// Corpus says what text is counted and how.
type Corpus struct {
	Kind      string   `toml:"kind"` // one of the constants KindMiniWorld, …
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
	KindNone      = "none"      // no text: what is asked is the built-in space
	KindAuthors   = "authors"   // the files of the paper's authors, in folders of two corpora
)

// Parts returns the number of parts that the text can be cut into: its files or shards.
func (c Corpus) Parts() int {
	switch c.Kind {
	case KindFiles:
		return len(c.Files)
	case KindPrepared:
		return c.Taken
	case KindNone:
		return 0
	}
	return 1
}

// The kinds of word vectors.
const (
	SVD      = method.SVD
	GloVe    = method.GloVe
	Sent2vec = method.OfGrams
)

// The weights of words in a sentence.
const (
	Uniform   = method.Uniform
	Inverse   = method.Inverse
	SIFCorpus = method.SIFCorpus
	SIFList   = method.SIFList
	SIFRaw    = method.SIFRaw
	SIFPPMI   = method.SIFPPMI
)

// KindName is what people call a kind of vectors; of a file, its name without folder and ending.
func KindName(kind string) string {
	if method.IsVectorFile(kind) {
		base := filepath.Base(filepath.FromSlash(kind))
		return strings.TrimSuffix(base, filepath.Ext(base))
	}
	return map[string]string{SVD: "SVD", GloVe: "GloVe", Sent2vec: "Sent2vec"}[kind]
}

// Vectors says how word vectors are made by the singular value decomposition of the
// associations.
type Vectors struct {
	svd.Params
	Smoothing float64 `toml:"smoothing"`
	Shift     float64 `toml:"shift"`
	Normalise bool    `toml:"normalise"`
}

// GloVeTraining says how word vectors are trained on the counts, or what file they are
// read from.
type GloVeTraining struct {
	File string `toml:"file"`
	glove.Params
	Normalise bool `toml:"normalise"`
}

// Sent2vecTraining says how vectors of words and n-grams are trained on the text, or what file those of words
// are read from.
type Sent2vecTraining struct {
	File string `toml:"file"`
	sent2vec.Params
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

	Groups   []Group  `toml:"groups"`
	Blocks   []Block  `toml:"blocks"`
	Defaults Defaults `toml:"defaults"`
	Rows     []Row    `toml:"rows"`   // in the file's order; a table [sts.rows.<id>] each
	Select   Grids    `toml:"select"` // tried whole for the rows with select = true
	Tune     Grids    `toml:"tune"`   // then varied one list at a time by repro tune
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
// An unknown key, a value of the wrong type and a value out of range are errors of the type *Error. They tell the
// file and line or the override.
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
