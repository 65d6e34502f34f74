// Package profile reads the settings of a reproduction run: strict TOML files, of which some are embedded. Comments in
// open.toml explain every key, those in the others what they do differently.
package profile

import (
	"embed"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"contextmover/cmdlib/embedding/svd"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/trainers/glove"
	"contextmover/experiments/harness/trainers/sent2vec"
)

// Profile holds the settings of a run.
type Profile struct {
	Name        string           `toml:"name" form:"stem"`
	Description string           `toml:"description"`
	Seed        uint64           `toml:"seed"`
	Seeds       Seeds            `toml:"seeds"`
	Corpus      Corpus           `toml:"corpus"`
	Vectors     Vectors          `toml:"vectors"`
	GloVe       GloVeTraining    `toml:"glove"`
	Sent2vec    Sent2vecTraining `toml:"sent2vec"`
	STS         STS              `toml:"sts"`
	WordSim     WordSim          `toml:"wordsim"`
	Hypernymy   Hypernymy        `toml:"hypernymy" without:"sets"`
	Figures     Figures          `toml:"figures,omitzero" without:"row"`
	Clusters    Clusters         `toml:"clusters,omitzero" without:"row"`
	Scaling     Scaling          `toml:"scaling,omitzero"`
	Geometry    Geometry         `toml:"geometry,omitzero"`
	Documents   Documents        `toml:"documents,omitzero" without:"sets"`
	Qualitative Qualitative      `toml:"qualitative,omitzero" without:"comb"`
	Alignment   Alignment        `toml:"alignment,omitzero"`
	Space       Space            `toml:"space"`

	file      string   // that Load has read
	overrides []string // and those that it has applied
}

// CheckVocabulary returns an error, as Load does, for the first setting that a vocabulary of so many words cannot
// serve. Such a setting needs more clusters or dimensions than there are words.
func (p *Profile) CheckVocabulary(words int) error {
	c := &checker{p: p, words: words}
	c.check()
	return c.tooMany
}

// Errorf returns an *Error about a key of the profile that only shows with its data, formatted as by fmt.Errorf. It
// tells the file, or the override that the key is in.
func (p *Profile) Errorf(key, format string, args ...any) error {
	e := &Error{File: p.file, Key: key, Problem: fmt.Sprintf(format, args...)}
	for _, o := range p.overrides {
		path, _, _ := strings.Cut(o, "=")
		rest, ok := strings.CutPrefix(key, strings.TrimSpace(path))
		if ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			e.Override = o
		}
	}
	return e
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

// Published tells whether the profile reproduces rows that the paper printed.
func (p *Profile) Published() bool {
	return slices.ContainsFunc(p.STS.Rows, func(r Row) bool { return r.PublishedSummary+r.PublishedDetail != "" })
}

// Corpus says what text is counted and how.
type Corpus struct {
	// Kind is one of the constants KindMiniWorld, …
	Kind      string   `toml:"kind" oneof:"miniworld|prepared|files|none|authors"`
	Tokens    int      `toml:"tokens"`
	Files     []string `toml:"files"`
	Books     string   `toml:"books"`     // a collection of the data
	Wikipedia string   `toml:"wikipedia"` // the same
	Shards    int      `toml:"shards"`
	Taken     int      `toml:"taken"` // shards
	Tokenised bool     `toml:"tokenised"`
	MinCount  int64    `toml:"min_count" range:"1.."`
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
	Smoothing float64 `toml:"smoothing" range:"0..1"`
	Shift     float64 `toml:"shift" range:"1.."`
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
	STS       int `toml:"sts" range:"1.."`
	Hypernymy int `toml:"hypernymy" range:"1.."`
	WordSim   int `toml:"wordsim" range:"1.."`
	// Shuffles is in how many arrangements shuffled ground costs are tried.
	Shuffles int `toml:"shuffles" range:"1.."`
}

// STS describes the experiment on sentence similarity.
type STS struct {
	// Frequencies is the file of word frequencies that weights SIFList go by.
	Frequencies string `toml:"frequencies"`

	Groups []Group `toml:"groups"`
	Blocks []Block `toml:"blocks"`
	// Defaults are the settings that the methods of rows have unless their texts say others.
	Defaults method.Settings `toml:"defaults"`
	// Texts has what rows are called and their methods, by the names that blocks list.
	Texts map[string]RowText `toml:"rows"`
	// Published has the paper's rows that rows reproduce, by the ids of these: in Table 1 and in the tables of the
	// groups, as keys of package published, "" where the paper has none.
	Published map[string][]string `toml:"published"`
	Select    Grids               `toml:"select"` // tried whole for the rows of blocks with select = true
	Tune      Grids               `toml:"tune"`   // then varied one list at a time by repro tune

	Rows []Row `toml:"-"` // of all blocks, in order
}

// Plain returns the settings of a method that compares histograms and says none of its own.
func (s STS) Plain() method.Histograms {
	h, _ := method.GroupOf[method.Histograms](s.Defaults.On(method.KindOf(method.Barycenter{}).Method))
	return h
}

// Group is what the paper calls a year: sets of sentence pairs that are averaged.
type Group struct {
	Name       string `toml:"name" unique:"y"`
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
	Name string `toml:"name" unique:"y"`
	File string `toml:"file" need:"no file for the set"`
}

// RowsOf are the rows of [sts.rows] with ids that a key of the profile names.
func (p *Profile) RowsOf(key string, ids []string) (rows []Row, err error) {
	for _, id := range ids {
		row, ok := p.Row(id)
		if !ok {
			return nil, fmt.Errorf("profile %s has no row %q, which %s names", p.Name, id, key)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Block is a part of the tables: rows that belong together. Several blocks can have the same rows, each with other
// word vectors.
type Block struct {
	ID    string `toml:"id" unique:"y"`
	Title string `toml:"title"`
	Note  string `toml:"note"`
	// Rows are names of [sts.rows], which Prefix turns into the ids of the block's rows.
	Rows   []string `toml:"rows"`
	Prefix string   `toml:"prefix,omitempty"`
	// Vectors are those of methods that do not name theirs; empty for those of [sts.defaults].
	Vectors string `toml:"vectors,omitempty"`
	Select  bool   `toml:"select"` // choose the settings of the rows on the validation group
}

// RowText is what a file says of rows: what they are called, and their method as all commands take it.
type RowText struct {
	Label  string `toml:"label"`
	Method string `toml:"method"`
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
