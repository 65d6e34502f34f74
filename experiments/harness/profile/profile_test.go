package profile

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/sparse"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/published"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func load(t *testing.T, name string, overrides ...string) *Profile {
	t.Helper()
	p, err := Load(name, overrides)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func row(t *testing.T, p *Profile, id string) Row {
	t.Helper()
	i := slices.IndexFunc(p.STS.Rows, func(r Row) bool { return r.ID == id })
	if i < 0 {
		t.Fatalf("no row %s", id)
	}
	return p.STS.Rows[i]
}

func TestNames(t *testing.T) {
	if got := Names(); !slices.Equal(got, []string{"alignment", "authors", "best", "documents", "encoders", "mini", "open", "paper", "patterns", "sample", "supplied", "systems"}) {
		t.Errorf("embedded profiles %v", got)
	}
	for _, name := range Names() {
		if p := load(t, name); p.Name != name || p.Description == "" {
			t.Errorf("%s is called %q: %q", name, p.Name, p.Description)
		}
	}
	if !load(t, "sample").Published() || load(t, "mini").Published() || !load(t, "open").Published() || !load(t, "paper").Published() {
		t.Error("only mini has no printed counterparts")
	}
}

// The profile of the paper differs from open in what it says, and in nothing else.
func TestPaperExtendsOpen(t *testing.T) {
	open, paper := load(t, "open"), load(t, "paper")
	if g := paper.GloVe; g.Epochs != 75 || g.Rate != 0.005 || g.Dim != 300 || g.Rule != "paper" {
		t.Errorf("GloVe %+v", g)
	}
	if c := paper.Corpus; len(c.Files) != 1 || c.MinCount != 10 || c.Window != 10 {
		t.Errorf("corpus %+v", c)
	}
	paper.Name, paper.Description, paper.Scaling = open.Name, open.Description, open.Scaling
	paper.Corpus.Kind, paper.Corpus.Files = open.Corpus.Kind, open.Corpus.Files
	paper.GloVe.Epochs, paper.GloVe.Rate, paper.Figures.Row = open.GloVe.Epochs, open.GloVe.Rate, open.Figures.Row
	if diff := cmp.Diff(open, paper, cmpopts.IgnoreUnexported(Profile{})); diff != "" {
		t.Errorf("(-open +paper)\n%s", diff)
	}
}

// The profile of the first run differs from open in how much it reads and tries: what it makes are the same tables.
func TestSampleExtendsOpen(t *testing.T) {
	open, sample := load(t, "open"), load(t, "sample")
	if c := sample.Corpus; c.Taken != 1 || c.Shards != open.Corpus.Shards || c.Kind != KindPrepared {
		t.Errorf("corpus %+v", c)
	}
	for _, grids := range [][2]int{
		{len(sample.STS.Select.Transport.Vary(row(t, sample, "comb").Method)), len(open.STS.Select.Transport.Vary(row(t, open, "comb").Method))},
		{len(sample.STS.Select.Vectors.Vary(row(t, sample, "sif-pc").Method)), len(open.STS.Select.Vectors.Vary(row(t, open, "sif-pc").Method))},
	} {
		if grids[0] < 2 || grids[0] >= grids[1] {
			t.Errorf("%d settings are tried, in open %d", grids[0], grids[1])
		}
	}
	var kept []Row // in open, of what sample has
	for _, r := range open.STS.Rows {
		if slices.ContainsFunc(sample.STS.Rows, func(s Row) bool { return s.ID == r.ID }) {
			r.Method = method.Settings{"accelerate": true, "tolerance": 1e-3}.On(r.Method)
			kept = append(kept, r)
		}
	}
	if diff := cmp.Diff(kept, sample.STS.Rows); diff != "" || len(kept) == len(open.STS.Rows) {
		t.Errorf("rows (-open +sample), %d of %d\n%s", len(kept), len(open.STS.Rows), diff)
	}
	for _, r := range open.STS.Rows {
		if r.PublishedSummary != "" && !slices.ContainsFunc(kept, func(s Row) bool { return s.ID == r.ID }) {
			t.Errorf("%s, which the paper printed, is left out", r.ID)
		}
	}
	if diff := cmp.Diff(open.STS.Groups, sample.STS.Groups); diff != "" {
		t.Errorf("groups (-open +sample)\n%s", diff)
	}
}

// A file that extends a profile has its rows and its own, lays entries of lists over those of the same name, and is
// named where it is wrong.
func TestExtends(t *testing.T) {
	base := load(t, "mini")
	p, err := parse("mine.toml", `
extends = "mini"
name = "mine"
[sts.rows]
sif.label = "mine"
more = { label = "more", method = "nbow" }
[[sts.blocks]]
id = "paper"
rows = ["nbow", "sif", "more"]
[[sts.blocks]]
id = "own"
rows = ["sif"]
prefix = "own-"
[[sts.groups]]
name = "mini-val"
sets = [{ name = "mixed", file = "a.tsv" }]
[[sts.groups]]
name = "one"
table = "one"
sets = [{ name = "a", file = "c.tsv" }]
[qualitative]
pairs = []
[figures]
row = "chosen-comb"
[clusters]
row = "chosen-comb"
`, []string{"sts.groups.one.sets.a.file=b.tsv", "sts.blocks.chosen.select=false", `qualitative.comb="chosen-comb"`, `qualitative.sif="sif"`, "geometry.rows=[]"})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range p.STS.Rows {
		if r.Block == "paper" || r.Block == "own" {
			ids = append(ids, r.ID)
		}
	}
	if !slices.Equal(ids, []string{"nbow", "sif", "more", "own-sif"}) || row(t, p, "own-sif").Label != "mine" || row(t, p, "sif").Method != row(t, base, "sif").Method {
		t.Errorf("rows %q", ids)
	}
	groups := p.STS.Groups
	if n := len(base.STS.Groups); len(groups) != n+1 || groups[n].Sets[0].File != "b.tsv" || groups[n-1].Sets[0].File != "a.tsv" || len(groups[n-1].Sets) != 2 || !groups[n-1].Validation {
		t.Errorf("groups %+v", groups)
	}
	for _, c := range []struct{ text, set, want string }{
		{"extends = \"mini\"\n[vectors]\ndim = 0\n", "", "profile: mine.toml: vectors.dim: "},
		{"extends = \"mini\"\nname = \"x y\"\n", "", "profile: mine.toml: name: "},
		{"extends = \"mini\"\n[[sts.groups]]\nname = \"a\"\n", "", "profile: mine.toml: sts.groups[6].sets: "},
		{"extends = \"mini\"\n", "corpus.window=0", "profile: --set corpus.window=0: corpus.window: "},
		{"extends = \"mini\"\n[sts.rows]\nsif.label = 3\n", "", "profile: mine.toml:3:13: sts.rows.sif.label: "},
		{"\nextends = \"minni\"\n", "", "profile: mine.toml: extends: \"minni\", expected the name of a profile that comes with the program: alignment, authors, best, documents, encoders, mini, open, paper, patterns, sample, supplied, systems"},
		{"extends = 3\n", "", "profile: mine.toml:1:11: extends: is of the type integer, expected text in quotes"},
	} {
		var set []string
		if c.set != "" {
			set = append(set, c.set)
		}
		if _, err := parse("mine.toml", c.text, set); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s…", c.text, err, c.want)
		}
	}
}

// What "without" lists is left out, and only that: sections that name rows of it are asked for, and what there is
// not is an error.
func TestWithout(t *testing.T) {
	base := load(t, "mini")
	const sections = `"figures", "clusters", "qualitative", "geometry"`
	p, err := parse("mine.toml", "extends = \"mini\"\nwithout = [\"sts.rows\", \"sts.blocks\", "+sections+"]\n[sts]\nrows.sif = { label = \"mine\", method = \"nbow\" }\nblocks = [{ id = \"b\", rows = [\"sif\"] }]\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	nbow, _ := method.ByID("nbow")
	want := Row{ID: "sif", Label: "mine", Block: "b", Method: base.STS.Defaults.On(nbow)}
	if len(p.STS.Rows) != 1 || p.STS.Rows[0] != want {
		t.Errorf("rows %+v, want %+v alone, with nothing of the row of that name in mini", p.STS.Rows, want)
	}
	if p.Clusters.Row != "" || len(p.STS.Groups) != len(base.STS.Groups) {
		t.Errorf("clusters %+v, %d groups; want none, %d", p.Clusters, len(p.STS.Groups), len(base.STS.Groups))
	}
	p, err = parse("mine.toml", "extends = \"mini\"\nwithout = [\"sts.blocks.sent2vec\", "+sections+"]\n", nil)
	if err != nil || len(p.STS.Rows) != len(base.STS.Rows)-4 || len(p.STS.Blocks) != 2 || p.STS.Blocks[1].ID != "chosen" {
		t.Errorf("%v: not all blocks but sent2vec", err)
	}
	for text, want := range map[string]string{
		"without = [\"sts.rows\"]\n":                         "profile: mine.toml: without: only a profile that extends another",
		"extends = \"mini\"\nwithout = \"sts.rows\"\n":       "profile: mine.toml:2:11: without: ",
		"extends = \"mini\"\nwithout = [\"sts.rwos\"]\n":     "profile: mine.toml: without: \"sts.rwos\", expected a key of the profile that is extended, as \"scaling\" or \"sts.blocks.chosen\": there is no \"rwos\"; nearest: rows",
		"extends = \"mini\"\nwithout = [\"sts.blocks.x\"]\n": "profile: mine.toml: without: \"sts.blocks.x\", expected a key of the profile that is extended, as \"scaling\" or \"sts.blocks.chosen\": there is no such entry; nearest: ",
		"extends = \"mini\"\nwithout = [3]\n":                "profile: mine.toml:2:12: without: ",
		"extends = \"mini\"\nwithout = [\"name.x.y\"]\n":     "profile: mine.toml: without: \"name.x.y\", expected a key",
		"extends = \"mini\"\nwithout = [\"sts.rows\"]\n":     "profile: mine.toml: sts.blocks[0].rows: \"nbow\", expected a row that [sts.rows] has",
	} {
		if _, err := parse("mine.toml", text, nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s…", text, err, want)
		}
	}
}

// A row's vectors may be a file, whose name has a dot; what has none is a kind.
func TestVectorFile(t *testing.T) {
	p, err := Load("mini", []string{"sts.defaults.vectors=mine/two words.v1.txt"})
	if err != nil {
		t.Fatal(err)
	}
	if v := p.STS.Rows[0].Vectors(); !method.IsVectorFile(v) || KindName(v) != "two words.v1" {
		t.Errorf("vectors %q, called %q", v, KindName(v))
	}
	if _, err := Load("mini", []string{"sts.defaults.vectors=glvoe"}); err == nil || !strings.Contains(err.Error(), "glove") {
		t.Errorf("%v, want the nearest kind", err)
	}
}

// What cannot be decoded is told with its file, line and column, whichever way the key is written.
func TestPlacesOfErrors(t *testing.T) {
	const group = "extends = \"mini\"\n[[sts.groups]]\nname = \"a\"\nvalidation = true\n"
	for _, c := range []struct{ text, want string }{
		{group + "[[sts.groups.sets]]\nname = \"x\"\n[[sts.groups.sets]]\nname = \"y\"\nflie = \"z\"\n", "9:1: sts.groups.sets.flie: unknown key; nearest known key: sts.groups.sets.file"},
		{group + "[[sts.groups.sets]]\nname = \"x\"\n[[sts.groups]]\nname = \"b\"\n[[sts.groups.sets]]\nname = 1\n", "10:8: sts.groups.sets.name: is of the type integer"},
		{group + "sets = [\n\t{name = \"x\"},\n\t{nmae = \"y\"},\n]\n", "7:3: "},
		{"extends = \"mini\"\ndescription = '''\n[corpus]\nwindow = 3\n'''\n[corpus]\nwindow = 'x'\n", "7:10: corpus.window: is of the type string, expected a whole number"},
		{"extends = \"mini\"\n\ncorpus.window = \"x\"\n", "3:17: corpus.window: "},
		{"extends = \"mini\"\n\n[corpus.window.x]\n", "3:"},
		{"extends = \"mini\"\n[sts]\nrows = 3\n", "3:8: sts.rows: "},
		{"extends = \"mini\"\n[sts.rows]\nsif.mehtod = 'sif'\n", "3:1: sts.rows.sif.mehtod: unknown key; nearest known key: sts.rows.sif.method"},
		{"extends = \"mini\"\n[corpus]\nwindow = = 3\n", "3:10: "},
		{"extends = \"mini\"\n[corpus]\nwindow = 3\n\nwindow = 4\n", "5:1: "},
	} {
		if _, err := parse("mine.toml", c.text, nil); err == nil || !strings.HasPrefix(err.Error(), "profile: mine.toml:"+c.want) {
			t.Errorf("%q: %v, want mine.toml:%s…", c.text, err, c.want)
		}
	}
}

// The settings of the paper's Table S5, its text and the data it was run on.
func TestOpenIsThePaper(t *testing.T) {
	p := load(t, "open")
	if c := p.Corpus; c.MinCount != 10 || c.Window != 10 || c.Kind != KindPrepared || c.Taken != c.Shards {
		t.Errorf("corpus %+v", c)
	}
	if v := p.GloVe; v.Dim != 300 || v.Rule != "paper" {
		t.Errorf("GloVe %+v", v)
	}
	common := func(id, kind, label string, alpha, s float64, k int, m float64, pc bool) {
		t.Helper()
		r := row(t, p, id)
		want := Row{
			ID: id, Label: label, Block: "paper", PublishedSummary: r.PublishedSummary, PublishedDetail: r.PublishedDetail,
		}
		m0, _ := method.ByID(kind)
		want.Method = method.With(m0, method.Histograms{
			WordVectors: method.WordVectors{Vectors: GloVe},
			Estimates:   method.Estimates{Smoothing: alpha, Shift: s, Normalisation: "total", Beta: 1},
			Support:     method.Support{Clusters: k},
			Cost: method.Cost{
				Metric: "euclidean", CostNormalisation: "median", Clip: 10, Geometry: method.TrueGeometry,
			},
			Compared:  method.Compared{Compare: method.ByTransport},
			Transport: method.Transport{Reg: 0.1, Iterations: 100, Tolerance: 1e-4},
			Weighting: method.Weighting{Weights: Inverse, A: 1e-3},
			Mixed:     method.Mixed{Mix: m, PointWeights: Inverse, PointA: 1e-4},
			Removal:   method.Removal{RemovePC: pc, PCBatch: 64},
		})
		if diff := cmp.Diff(want, r); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", id, diff)
		}
	}
	common("glove-euclidean", "euclidean", "Euclidean avg", .55, 5, 300, 0, false)
	common("glove-comb", "barycenter", "CoMB", .55, 5, 300, 0, false)
	common("glove-comb-mix", "barycenter", "CoMB + Mix", .95, 1, 500, .4, false)
	common("glove-comb-mix-pc", "barycenter", "CoMB + Mix + PC removed", .95, 1, 500, .4, true)
	common("glove-euclidean-mix-pc", "euclidean", "Euclidean avg + Mix + PC removed", .95, 1, 500, .4, true)
	common("glove-debiased", "debiased", "CoMB, debiased", .55, 5, 300, 0, false)
	if r := row(t, p, "glove-sif-pc"); !r.Is("sif", true) || r.Weighting() != (method.Weighting{Weights: SIFList, A: 1e-4}) || r.Removal().PCBatch != 0 {
		t.Errorf("%+v", r)
	}
	if r := row(t, p, "glove-nbow"); !r.Is("nbow", false) || r.Weighting() != (method.Weighting{Weights: SIFList, A: 1}) {
		t.Errorf("%+v", r)
	}
	for _, r := range p.STS.Rows {
		if strings.HasPrefix(r.Block, "chosen") && !r.Select {
			t.Errorf("%+v", r)
		}
	}
	if got := p.STS.Rows[0].ID + p.STS.Rows[1].ID; got != "glove-nbowglove-sif" {
		t.Errorf("rows in the order %s…, want that of the file", got)
	}
}

// Every file exists in the data's catalogue, every printed row and column in the
// paper's tables.
func TestOpenNamesWhatExists(t *testing.T) {
	p := load(t, "open")
	pairs := 0
	for _, g := range p.STS.Groups {
		for _, s := range g.Sets {
			f, ok := dataset.Lookup(s.File)
			if !ok {
				t.Errorf("%s is not in the catalogue", s.File)
			}
			pairs += f.Rows
		}
	}
	if pairs != 12544 { // method of the paper: 24 sets, 25,000 sentences
		t.Errorf("%d pairs, want 12544", pairs)
	}
	for _, f := range []string{p.Corpus.Books, p.Corpus.Wikipedia} {
		if f, ok := dataset.Lookup(f); !ok || !f.Collection() {
			t.Errorf("%v is no collection of the catalogue", f)
		}
	}
	if _, ok := dataset.Lookup(p.STS.Frequencies); !ok {
		t.Errorf("%s is not in the catalogue", p.STS.Frequencies)
	}
	printed := 0
	for _, r := range p.STS.Rows {
		if r.PublishedSummary == "" && r.PublishedDetail == "" {
			continue
		}
		printed++
		for _, g := range p.STS.Groups {
			if _, ok := published.Value("table1_sts_summary", r.PublishedSummary, g.Published); !ok {
				t.Errorf("Table 1 has no cell %s, %s", r.PublishedSummary, g.Published)
			}
			for _, s := range g.Sets {
				if _, ok := published.Value(g.Table, r.PublishedDetail, s.Name); !ok && r.PublishedDetail != "" {
					t.Errorf("%s has no cell %s, %s", g.Table, r.PublishedDetail, s.Name)
				}
			}
		}
	}
	if printed != 7 {
		t.Errorf("%d rows have a printed counterpart, want 7", printed)
	}
}

// The words a profile may use are those the library knows.
func TestWordsOfTheLibrary(t *testing.T) {
	options := map[string][]string{}
	for _, f := range method.AllFields() {
		options[f.Name] = f.OneOf
	}
	for _, n := range options["normalisation"] {
		none := &sparse.Matrix[float32]{Start: []int64{0}}
		if _, err := estimate.Histograms(t.Context(), none, nil, 1, estimate.Params{Normalisation: estimate.Normalisation(n)}); err != nil {
			t.Error(err)
		}
	}
	for _, m := range options["metric"] {
		for _, n := range options["cost_normalisation"] {
			p := ground.Params{Metric: ground.Metric(m), Normalisation: ground.Normalisation(n), Reg: .1}
			if _, err := ground.New([]float32{1, 0, 0, 1, 1, 1}, 3, 2, p); err != nil {
				t.Error(err)
			}
		}
	}
}

// Every key of these tables, and every setting of a method, stands in open.toml, and its first appearance
// has a comment directly above it (keys that stand together may share one).
func TestEveryKeyIsExplained(t *testing.T) {
	lines := strings.Split(embeddedText("open"), "\n")
	for header, keys := range map[string][]string{
		"": {"name", "description", "seed"}, "[corpus]": keysOf(reflect.TypeFor[Corpus](), nil), "[vectors]": keysOf(reflect.TypeFor[Vectors](), nil),
		"[[sts.blocks]]":     keysOf(reflect.TypeFor[Block](), nil),
		"[[wordsim.blocks]]": keysOf(reflect.TypeFor[WordBlock](), nil), "[sts.defaults]": slices.Collect(func(yield func(string) bool) {
			for _, f := range method.AllFields() {
				if !yield(f.Name) {
					return
				}
			}
		}),
	} {
		from := max(slices.Index(lines, header), 0)
		if header != "" && from == 0 {
			t.Fatalf("no %s", header)
		}
		for _, key := range keys {
			i := from
			for i < len(lines) && !strings.HasPrefix(lines[i], key+" = ") {
				i++
			}
			if i == len(lines) {
				t.Errorf("no %s in %s", key, header)
				continue
			}
			if !strings.HasPrefix(lines[i-1], "#") && !strings.HasPrefix(lines[i-2], "#") && lines[i-1] != "]" {
				t.Errorf("%s:%d: no comment above %s", header, i+1, key)
			}
		}
	}
}

func TestOverrides(t *testing.T) {
	p := load(t, "open",
		"seed=7", "description = on and on", "corpus.kind=miniworld", "corpus.tokens=1_000", "corpus.files=[]", "scaling.parts=[]", "scaling.rows=[]", "vectors.normalise=false", "vectors.smoothing=1",
		"sts.rows.comb.method=comb,weights=sif,a=0.002,normalisation=cluster size", "sts.rows.nbow.label=bag of words", "sts.defaults.reg=0.05",
		"sts.groups.STS12.table=other", "sts.groups.1.name=Y", "sts.groups.STS14.sets.images.file=x.tsv", `sts.blocks.chosen.title="a = b"`,
		"sts.select.transport.mix=[0.3]", "sts.tune.transport.spherical=[true, false]", "sts.tune.transport.clip=[3]")
	if p.Seed != 7 || p.Description != "on and on" || p.Corpus.Kind != KindMiniWorld || p.Corpus.Tokens != 1000 || p.Vectors.Normalise || p.Vectors.Smoothing != 1 {
		t.Errorf("%+v", p)
	}
	for _, id := range []string{"comb", "glove-comb", "chosen-comb"} {
		comb := row(t, p, id)
		if h := comb.Histograms(); comb.Weighting() != (method.Weighting{Weights: "sif", A: 0.002}) || h.Normalisation != "cluster size" || h.Reg != 0.05 {
			t.Errorf("%+v", comb)
		}
	}
	if row(t, p, "nbow").Label != "bag of words" || row(t, p, "debiased").Histograms().Reg != 0.05 {
		t.Error("rows and defaults")
	}
	if g := p.STS.Groups; g[0].Table != "other" || g[1].Name != "Y" || g[2].Sets[3].File != "x.tsv" || p.STS.Blocks[2].Title != "a = b" {
		t.Errorf("%+v", g)
	}
	if s := p.STS; !slices.Equal(s.Select.Transport["mix"], []any{.3}) || !slices.Equal(s.Tune.Transport["spherical"], []any{true, false}) || !slices.Equal(s.Tune.Transport["clip"], []any{3.}) {
		t.Errorf("%+v", s)
	}
}

// What the vocabulary cannot serve is refused once its size is known, with the place of the setting.
func TestCheckVocabulary(t *testing.T) {
	for _, test := range []struct {
		set  string
		want string
	}{
		{"sts.defaults.clusters=1000000000", "sts.defaults.clusters: 1000000000, expected at most 3841, as many as the vocabulary has words"},
		{"sts.select.transport.clusters=[60, 4000]", "sts.select.transport.clusters[1]: 4000, expected at most 3841"},
		{"wordsim.select.clusters=[4000]", "wordsim.select.clusters[0]: 4000"},
		{"hypernymy.cmd.clusters=[4000]", "hypernymy.cmd.clusters[0]: 4000"},
		{"hypernymy.grid.clusters=4000", "hypernymy.grid.clusters: 4000"},
		{"clusters.k=[20, 4000]", "clusters.k[1]: 4000"},
		{"space.method=euclidean,clusters=4000,weights=inverse", "space.method: 4000"},
		{"sts.rows.comb.method=comb,clusters=4000", "sts.rows.comb.method: 4000"},
		{"vectors.dim=4000", "vectors.dim: 4000"},
	} {
		p, err := Load("mini", []string{test.set})
		if err != nil {
			t.Fatal(err)
		}
		var e *Error
		if err := p.CheckVocabulary(3841); !errors.As(err, &e) || (e.Override != test.set) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", test.set, err, test.want)
		}
		if err := p.CheckVocabulary(2_000_000_000); err != nil {
			t.Errorf("%s with words enough: %v", test.set, err)
		}
	}
	p, err := Load("mini", nil)
	if err != nil {
		t.Fatal(err)
	}
	var e *Error
	if err := p.CheckVocabulary(30); !errors.As(err, &e) || e.Key == "" || e.File != "mini.toml" {
		t.Errorf("error %v, want one with its file and key", err)
	}
	// Of a generated text the number of tokens is known at once.
	if _, err := Load("mini", []string{"corpus.min_count=1000000000"}); err == nil || !strings.Contains(err.Error(), "corpus.min_count: 1000000000, expected at most 2500000") {
		t.Errorf("error %v of min_count", err)
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct {
		nth      int
		old, new string
		key      string
		problem  string
	}{
		{1, "window = 10", "widnow = 10", "corpus.widnow", "unknown key; nearest known key: corpus.window"},
		{1, "window = 10", "Window = 10", "corpus.Window", "unknown key, expected lower-case letters"},
		{1, "[vectors]", "[vector]", "vector", "unknown key; nearest known key: vectors"},
		{1, "title = ", "titel = ", "sts.blocks.titel", "nearest known key: sts.blocks.title"},
		{1, "weights=sif-list,a=1\"", "wieghts=sif-list\"", "sts.rows.nbow.method", `the method "nbow" has no setting "wieghts", expected one of: vectors, weights`},
		{1, `frequencies = "frequencies/enwiki_vocab_min200.txt"`, `frequencies = ""`, "sts.frequencies", `no file, but a row, or a setting that is tried, has weights "sif-list"`},
		{1, "smoothing = [", "smothing = [", "sts.select.transport.smothing[0]", "no such setting; nearest: smoothing"},
		{1, "[sts.select.vectors]", "[sts.select.sif]", "sts.select.sif", "unknown key; nearest known key: sts.select."},
		{1, "unit = [false, true]", "shift = [1]", "sts.select.vectors.shift[0]", "no such setting"},
		{1, `cost_normalisation = ["median"]`, "unit = [true]", "sts.select.transport.unit[0]", "no such setting"},
		{1, `method = "comb"`, `method = "comb,unit=true"`, "sts.rows.comb.method", `the method "barycenter" has no setting "unit"`},
		{1, `method = "comb"`, `method = "cmob"`, "sts.rows.comb.method", `no method "cmob"`},
		{1, `prefix = "glove-chosen-"`, `prefix = "glove-"`, "sts.rows.nbow", `"glove-nbow" in the block chosen is no id, expected letters, digits, - and _, and no other row`},
		{1, "[sts.published]", "[sts.published]\nmore = ['a', 'b']", "sts.published.more", "expected the id of a row"},
		{1, `rows = ["comb-squared"`, `rows = ["comb-sqaured"`, "sts.blocks[4].rows", `"comb-sqaured", expected a row that [sts.rows] has; nearest: comb-squared`},
		{1, "dim = 500", `dim = "500"`, "vectors.dim", "is of the type string, expected a whole number"},
		{1, "dim = 500", "dim = 30.5", "vectors.dim", "is of the type float, expected a whole number"},
		{1, "dim = 500", "dim = 0", "vectors.dim", "0, expected 1 or more"},
		{2, "dim = ", "dim = 1_000_000_000 #", "glove.dim", "1000000000, expected 1 to 1048576"},
		{1, "quantile = 0.5", "quantile = [1]", "sts.defaults.quantile", "expected a number"},
		{1, "ngrams = 1", "ngrams = 6", "sent2vec.ngrams", "6, expected 1 to 5"},
		{1, "exponent = 0.75", "exponent = -1", "glove.exponent", "-1, expected 0 or more"},
		{1, `rule = "paper"`, "rule = \"other\"", "glove.rule", `"other", expected one of "paper", "today"`},
		{1, "power_iterations = 3", "power_iterations = -1", "vectors.power_iterations", "-1, expected 0 or more"},
		{1, "negatives = 30", "negatives = 0", "hypernymy.dive.negatives", "0, expected 1 to 1048576"},
		{1, "greatest = 1.5", "greatest = 0.1", "hypernymy.gaussian.greatest", "0.1, expected at least the least variance, 0.7"},
		{1, "subsample = 1e-5", "subsample = 0", "sent2vec.subsample", "0, expected a number above 0"},
		{1, "seed = 1", "seed = -1", "seed", "-1"},
		{1, "normalise = true", "normalise = 1", "vectors.normalise", "is of the type integer, expected true or false"},
		{1, "reg = 0.1", "reg = nan", "sts.defaults.reg", "NaN, expected a finite number"},
		{1, "reg = 0.1", "reg = 0", "sts.defaults.reg", "0, expected 1e-09 to 1e+09"},
		{1, "reg = 0.1", "reg = 1e-300", "sts.defaults.reg", "1e-300, expected 1e-09 to 1e+09"},
		{1, "mix = 0", "mix = 1", "sts.defaults.mix", "1, expected 0 or more and below 1"},
		{1, `kind = "prepared"`, `kind = "file"`, "corpus.kind", `"file", expected one of "miniworld", "prepared", "files"`},
		{1, `metric = "euclidean"`, `metric = "cosine"`, "sts.defaults.metric", `"cosine", expected one of "euclidean", "squared euclidean", "angular"`},
		{1, "smoothing = [0.15", "smoothing = [1.5", "sts.select.transport.smoothing[0]", "1.5, expected 0 to 1"},
		{1, "shift = 5", "shift = 0.5", "sts.defaults.shift", "0.5, expected 1 or more"},
		{1, "pc_batch = 64", "pc_batch = 1", "sts.defaults.pc_batch", "1, expected 0, or 2 or more"},
		{1, `name = "STS13"`, `name = "STS12"`, "sts.groups[1].name", `"STS12" stands twice`},
		{1, `id = "chosen"`, `id = ""`, "sts.blocks[2].id", "no name"},
		{1, `{ name = "STS13" }`, `{ name = "STS23" }`, "sts.groups[1].sets", `no sets of sentence pairs in the group STS23, and no declaration of it; nearest: STS13`},
		{1, `{ name = "RG" }`, `{ name = "RGB" }`, "wordsim.sets[5].file", `no file for the set RGB, and no declaration of it; nearest: RG`},
		{1, "nbow = {", `"n bow" = {`, "sts.blocks[0].rows", `"nbow", expected a row`},
		{1, "spherical = []", "spherical = true", "sts.select.transport.spherical", "cannot decode TOML boolean"},
		{1, "description = ", "corpus = 1 #", "corpus", ""},
		{1, `name = "open"`, `name = "a b"`, "name", "expected a name for files and folders"},
		{1, `name = "open"`, `name = "a\u0000b"`, "name", `"a\x00b", expected a name`},
		{1, `name = "open"`, `name = "` + strings.Repeat("a", 400) + `"`, "name", "up to 64 letters"},
		{1, `name = "open"`, `name = "../x"`, "name", "expected a name"},
		{1, `id = "figure1_radio"`, `id = "a/b"`, "figures.densities[0].id", "expected a name for files and folders"},
		{1, "exponent = 0.75", "exponent = 0.5 0.6", "", "expected"},
	} {
		name := "open"
		if strings.HasPrefix(test.key, "hypernymy.") {
			name = "systems"
		}
		parts := strings.SplitN(embeddedText(name), test.old, test.nth+1)
		if len(parts) != test.nth+1 {
			t.Fatalf("no %q in %s.toml", test.old, name)
		}
		spoilt := strings.Join(parts[:test.nth], test.old) + test.new + parts[test.nth]
		path := filepath.Join(t.TempDir(), "my.toml")
		if err := os.WriteFile(path, []byte(spoilt), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Load(path, nil)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), test.problem) || test.problem != "" && e.Key != test.key || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want an error of the key %s with %q", test.new, err, test.key, test.problem)
		}
	}
	for name, want := range map[string]string{
		"opne":            `no profile "opne", expected alignment, authors, best, documents, encoders, mini, open, paper, patterns, sample, supplied, systems or the path of a .toml file; nearest: open`,
		"absent/own.toml": "profile: absent/own.toml: cannot be read: no such file",
	} {
		if _, err := Load(name, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	for set, want := range map[string]string{
		"seed":                                "expected key=value",
		"=1":                                  "expected key=value",
		"seed=":                               "expected key=value",
		"extends=mini":                        "only a file says",
		"corpus.widnow=5":                     "corpus.widnow: unknown key; nearest known key: corpus.window",
		"vectors.dim=many":                    "vectors.dim: is of the type string, expected a whole number",
		"vectors.dim=0":                       "vectors.dim: 0, expected 1 or more",
		"vectors.dim.x=0":                     "vectors.dim.x: vectors.dim is no table",
		"new.table.x=0":                       "new: unknown key",
		"vectors=1":                           "vectors: cannot decode",
		"sts.rows.cmob.mix=0.4":               "sts.rows.cmob.mix: unknown key",
		"sts.rows.comb.method=comb,mix=2":     `sts.rows.comb.method: "comb,mix=2": setting mix: 2, expected 0 or more and below 1`,
		"sts.rows=3":                          "sts.rows: cannot decode",
		"sts.defaults.mix=2":                  "sts.defaults.mix: 2",
		"sts.select.comb.mix=[0]":             "sts.select.comb: unknown key",
		"sts.select.transport.mix=0":          "sts.select.transport.mix: cannot decode",
		"sts.select.transport.mix=[true]":     `sts.select.transport.mix[0]: "true", expected a number`,
		"sts.groups.STS14.validation=true":    "the paper tests on STS14 (its column STS14): nothing is chosen on a test set; the paper's validation column is STS16_val",
		"sts.groups.STS16.validation=false":   "sts.blocks[2].select: true, but no group has validation = true",
		"sts.groups.STS11.name=x":             "sts.groups.STS11: there is no such entry; nearest: STS1",
		"sts.groups.STS12=x":                  "is an entry of a list",
		"sts.groups.5.name=x":                 "sts.groups.5: there is no such entry",
		"clusters.k.0.x=1":                    "clusters.k.0 is no table",
		strings.Repeat("a.", 60_000) + "a =1": "unknown key",
	} {
		_, err := Load("open", []string{"seed=3", set})
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) || len(err.Error()) > 500 {
			t.Errorf("--set %.100s: %.500v, want %q", set, err, want)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	for _, name := range Names() {
		p := load(t, name, "seed=18446", "sts.defaults.a=1e-20", `description="a \"quoted\" \\ text\twith\nlines"`, "vectors.shift=1e21")
		path := filepath.Join(t.TempDir(), "again.toml")
		if err := os.WriteFile(path, []byte(p.TOML()), 0o666); err != nil {
			t.Fatal(err)
		}
		again, err := Load(path, nil)
		if err != nil {
			t.Fatalf("%v in\n%s", err, p.TOML())
		}
		if diff := cmp.Diff(p.STS.Rows, again.STS.Rows) + cmp.Diff(p.WordSim.Rows(), again.WordSim.Rows()); diff != "" {
			t.Errorf("%s: (-first +again)\n%s", name, diff)
		}
		if p.TOML() != again.TOML() {
			t.Errorf("%s: another text", name)
		}
	}
}

// No file and no override makes Load panic; what loads writes and loads again.
func FuzzParse(f *testing.F) {
	f.Add("name = 'x'\n[corpus]\nkind = 'miniworld'\ntokens = 1\nmin_count = 1\nwindow = 1\n[vectors]\nkind='svd'\ndim=1\nshift=1\n", "seed=1")
	f.Add("[[sts.groups]]\nname = 'a'\n[[sts.groups]]\nsets = [{name = 'b'}]\n[sts.rows.x]\n", "sts.groups.a.sets.b.file=c")
	f.Add("sts = 1", "sts.rows.x=1")
	f.Add("[sts]\nrows = [1]\ngroups = {}", "sts.groups.0.name=1")
	f.Add("sts.rows = 1", "sts.rows={}")
	f.Add("extends = 'mini'\n[sts]\nrows = 3\n", "seed=1")
	f.Add("extends = 'open'\n[[sts.groups]]\n", "sts.groups.0.name=x")
	f.Add("x."+strings.Repeat("a.", 1000)+"a = 1", "y=1")
	f.Add("extends = 'mini'\nwithout = ['sts.rows.x', 'sts', 'sts.rows', 3]\n", "seed=1")
	for _, name := range []string{"mini", "open"} {
		b, _ := embedded.ReadFile(name + ".toml")
		f.Add(string(b), "sts.select.transport={mix=[1]}")
	}
	f.Fuzz(func(t *testing.T, text, set string) {
		p, err := parse("x.toml", text, []string{set})
		var e *Error
		if err != nil {
			if !errors.As(err, &e) {
				t.Fatalf("error of the type %T: %v", err, err)
			}
			return
		}
		again, err := parse("x.toml", p.TOML(), nil)
		if err != nil || again.TOML() != p.TOML() {
			t.Fatalf("%v after writing\n%s", err, p.TOML())
		}
	})
}
