package profile

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/method"
	"contextmover/experiments/harness/dataset"
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
	if got := Names(); !slices.Equal(got, []string{"alignment", "best", "documents", "encoders", "mini", "open", "paper", "patterns", "sample", "systems"}) {
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
		{len(sample.STS.Select.Transport.Of(row(t, sample, "comb").Method)), len(open.STS.Select.Transport.Of(row(t, open, "comb").Method))},
		{len(sample.STS.Select.Vectors.Of(row(t, sample, "sif-pc").Method)), len(open.STS.Select.Vectors.Of(row(t, open, "sif-pc").Method))},
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

// A file that extends a profile has its rows and its own, replaces lists as a whole,
// and is named where it is wrong, as the other is where that is.
func TestExtends(t *testing.T) {
	base := load(t, "mini")
	p, err := parse("mine.toml", `
extends = "mini"
name = "mine"
[sts.rows.`+base.STS.Rows[1].ID+`]
label = "mine"
[sts.rows.more]
label = "more"
method = "nbow"
block = "`+base.STS.Blocks[0].ID+`"
[[sts.groups]]
name = "one"
table = "one"
sets = [{ name = "a", file = "a.tsv" }]
validation = true
[qualitative]
pairs = []
`, []string{"sts.groups.one.sets.a.file=b.tsv"})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.STS.Rows) != len(base.STS.Rows)+1 || p.STS.Rows[1].Label != "mine" || p.STS.Rows[1].Method != base.STS.Rows[1].Method || p.STS.Rows[len(base.STS.Rows)].ID != "more" {
		t.Errorf("rows %+v", p.STS.Rows)
	}
	if len(p.STS.Groups) != 1 || p.STS.Groups[0].Sets[0].File != "b.tsv" {
		t.Errorf("groups %+v", p.STS.Groups)
	}
	for _, c := range []struct{ text, set, want string }{
		{"extends = \"mini\"\n[vectors]\ndim = 0\n", "", "profile: mine.toml:3: vectors.dim: "},
		{"extends = \"mini\"\nname = \"x y\"\n", "", "profile: mine.toml:2: name: "},
		{"extends = \"mini\"\n[[sts.groups]]\nname = \"a\"\n", "", "profile: mine.toml:2: sts.groups[0].sets: "},
		{"extends = \"mini\"\n", "corpus.window=0", "profile: --set corpus.window=0: "},
		{"extends = \"mini\"\n[sts.defaults]\nlabel = 3\n", "", "profile: mine.toml:3: sts.defaults.label: 3, "},
		{"extends = \"mini\"\n[corpus]\nkind = \"files\"\n", "", "profile: mini.toml:"},
		{"\nextends = \"minni\"\n", "", "profile: mine.toml:2: extends: \"minni\", expected the name of a profile that comes with the program: alignment, best, documents, encoders, mini, open, paper, patterns, sample, systems"},
		{"extends = 3\n", "", "profile: mine.toml:1: extends: 3, "},
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

// What "without" lists is left out, and only that: rows of other sections
// that named it are asked for, and what there is not is an error.
func TestWithout(t *testing.T) {
	base := load(t, "mini")
	const sections = `"figures", "clusters", "qualitative", "scaling", "geometry"`
	row := "[sts.rows." + base.STS.Rows[1].ID + "]\nlabel = \"mine\"\nmethod = \"nbow\"\nblock = \"" + base.STS.Blocks[0].ID + "\"\n"
	p, err := parse("mine.toml", "extends = \"mini\"\nwithout = [\"sts.rows\", "+sections+"]\nname = \"mine\"\n"+row, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := base.STS.Defaults.Row
	nbow, _ := method.ByID("nbow")
	want.ID, want.Label, want.Block = base.STS.Rows[1].ID, "mine", base.STS.Blocks[0].ID
	want.Method = base.STS.Defaults.Settings.On(nbow)
	if len(p.STS.Rows) != 1 || p.STS.Rows[0] != want {
		t.Errorf("rows %+v, want %+v alone, with nothing of the row of that name in mini", p.STS.Rows, want)
	}
	if p.Clusters.Row != "" || len(p.STS.Groups) != len(base.STS.Groups) {
		t.Errorf("clusters %+v, %d groups; want none, %d", p.Clusters, len(p.STS.Groups), len(base.STS.Groups))
	}
	first := base.STS.Rows[0].ID
	p, err = parse("mine.toml", "extends = \"mini\"\nwithout = [\"sts.rows."+base.STS.Rows[1].ID+"\", "+sections+"]\n", nil)
	if err != nil || len(p.STS.Rows) != len(base.STS.Rows)-1 || p.STS.Rows[0].ID != first || p.STS.Rows[1].ID == base.STS.Rows[1].ID {
		t.Errorf("%v: not all rows but the second", err)
	}
	for text, want := range map[string]string{
		"without = [\"sts.rows\"]\n":                       "profile: mine.toml:1: without: only a profile that extends another",
		"extends = \"mini\"\nwithout = \"sts.rows\"\n":     "profile: mine.toml:2: without: \"sts.rows\", expected a list",
		"extends = \"mini\"\nwithout = [\"sts.rwos\"]\n":   "profile: mine.toml:2: without: \"sts.rwos\", expected a key of the profile that is extended, as \"scaling\" or \"sts.rows\"; nearest: sts.rows",
		"extends = \"mini\"\nwithout = [3]\n":              "profile: mine.toml:2: without: 3, expected a key",
		"extends = \"mini\"\nwithout = [\"name.x.y\"]\n":   "profile: mine.toml:2: without: \"name.x.y\", expected a key",
		"extends = \"mini\"\nwithout = [\"sts.blocks\"]\n": "profile: mini.toml:",
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

// An error stands at its own line, whichever way the key is written, and in the file that
// gives the key, not in the one which that extends.
func TestPlacesOfErrors(t *testing.T) {
	const group = "extends = \"mini\"\n[[sts.groups]]\nname = \"a\"\nvalidation = true\n"
	for _, c := range []struct{ text, want string }{
		{group + "[[sts.groups.sets]]\nname = \"x\"\n[[sts.groups.sets]]\nname = \"y\"\nflie = \"z\"\n", "9: sts.groups[0].sets[1].flie: unknown key"},
		{group + "[[sts.groups.sets]]\nname = \"x\"\n[[sts.groups]]\nname = \"b\"\n[[sts.groups.sets]]\nname = 1\n", "10: sts.groups[1].sets[0].name: 1"},
		{group + "sets = [\n\t{name = \"x\"},\n\t{nmae = \"y\"},\n]\n", "7: sts.groups[0].sets[1].nmae: unknown key"},
		{"extends = \"mini\"\ndescription = '''\n[corpus]\nwindow = 3\n'''\n[corpus]\nwindow = 0\n", "7: corpus.window: 0"},
		{"extends = \"mini\"\ndescription = \"\"\"\n[corpus]\nwindow = 3\"\"\"\n[corpus]\nwindow = 0\n", "6: corpus.window: 0"},
		{"extends = \"mini\"\n# [corpus]\n[ corpus ] # window = 3\n\"window\" = 0\n", "4: corpus.window: 0"},
		{"extends = \"mini\"\n\ncorpus.window = \"x\"\n", "3: corpus.window: \"x\""},
		{"extends = \"mini\"\n\ncorpus = {min_count = 1,\n window = \"x\"}\n", "4: corpus.window: \"x\""},
		{"extends = \"mini\"\n\n[[corpus]]\nwindow = 1\n", "3: corpus: a list"},
		{"extends = \"mini\"\n\n[corpus.window.x]\n", "3: corpus.window: a table"},
		{"extends = \"mini\"\n[sts]\nrows = 3\n", "3: sts.rows: 3"},
		{"extends = \"mini\"\n[sts.select.transport]\nsmoothing = [\n0,\n\"x\",\n]\n", "5: sts.select.transport.smoothing[1]: \"x\""},
		{"extends = \"mini\"\n[corpus]\nwindow = = 3\n", "3: "},
		{"extends = \"mini\"\n[corpus]\nwindow = 3\n\nwindow = 4\n", "5: "},
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
	for _, n := range columns {
		if err := estimate.Normalisation(n).Validate(); err != nil {
			t.Error(err)
		}
	}
	for _, m := range metrics {
		for _, n := range norms {
			p := ground.Params{Metric: ground.Metric(m), Normalisation: ground.Normalisation(n), Reg: .1}
			if _, err := ground.New([]float32{1, 0, 0, 1, 1, 1}, 3, 2, p); err != nil {
				t.Error(err)
			}
		}
	}
}

// Every key of the structs stands in the embedded files, and its first appearance
// has a comment directly above it (keys that stand together may share one).
func TestEveryKeyIsExplained(t *testing.T) {
	for _, name := range []string{"mini", "open"} {
		lines := strings.Split(embeddedText(name), "\n")
		explained := func(key string, after int) {
			assign := regexp.MustCompile(`^` + key + ` = `)
			for i := after; i < len(lines); i++ {
				if !assign.MatchString(lines[i]) {
					continue
				}
				for i > 0 && lines[i-1] != "" && !strings.HasPrefix(lines[i-1], "#") && !strings.HasPrefix(lines[i-1], "[") {
					if i--; !regexp.MustCompile(`^(published|point)_`).MatchString(lines[i]) {
						break
					}
				}
				if i == 0 || !strings.HasPrefix(lines[i-1], "#") {
					t.Errorf("%s.toml:%d: no comment above %s", name, i+1, key)
				}
				return
			}
			t.Errorf("%s.toml: the key %s does not appear", name, key)
		}
		table := func(header string) int {
			i := slices.Index(lines, header)
			if i < 0 {
				t.Fatalf("%s.toml has no %s", name, header)
			}
			return i
		}
		for header, v := range map[string]any{
			"[corpus]": Corpus{}, "[vectors]": Vectors{}, "[[sts.groups]]": Group{}, "[[sts.blocks]]": Block{}, "[sts.defaults]": Row{},
		} {
			for _, f := range fieldsOf(reflect.TypeOf(v)) {
				explained(f.name, table(header))
			}
		}
		used := map[string]bool{} // by methods of the profile's rows
		for _, r := range load(t, name).STS.Rows {
			for _, f := range method.Fields(r.Method) {
				used[f.Name] = true
			}
		}
		for _, f := range method.AllFields() {
			if used[f.Name] {
				explained(f.Name, table("[sts.defaults]"))
			}
		}
		for _, key := range []string{"name", "description", "seed"} {
			explained(key, 0)
		}
		for _, header := range []string{"[sts.select.transport]", "[sts.select.vectors]", "[sts.tune.transport]", "[sts.tune.vectors]"} {
			grid := lines[table(header)+1:]
			grid = grid[:slices.IndexFunc(grid, func(l string) bool { return strings.HasPrefix(l, "[") })]
			for _, f := range (methodGrid{key: strings.Trim(header, "[]")}).fields() {
				if used[f.Name] && !slices.ContainsFunc(grid, func(l string) bool { return strings.HasPrefix(l, f.Name+" = [") }) {
					t.Errorf("%s.toml: no %s in %s", name, f.Name, header)
				}
			}
		}
	}
}

func TestOverrides(t *testing.T) {
	p := load(t, "open",
		"seed=7", "description = true", "corpus.kind=miniworld", "corpus.tokens=1_000", "corpus.files=[]", "scaling.parts=[]", "scaling.rows=[]", "vectors.normalise=false", "vectors.smoothing=1",
		"sts.rows.comb.weights=inverse", "sts.rows.comb.a=0.001", `sts.rows.comb.normalisation="cluster size"`, "sts.rows.nbow.label=bag of words",
		"sts.defaults.reg=0.05", "sts.rows.euclidean.reg=0.2", "sts.groups.STS12.table=other", "sts.groups.1.name=Y", "sts.groups.STS14.sets.images.file=x.tsv",
		"sts.blocks.chosen.title=a = b", "sts.select.transport.mix=[0.3]", "sts.tune.transport.spherical=[true, false]")
	if p.Seed != 7 || p.Description != "true" || p.Corpus.Kind != KindMiniWorld || p.Corpus.Tokens != 1000 || len(p.Corpus.Files) != 0 || p.Vectors.Normalise || p.Vectors.Smoothing != 1 {
		t.Errorf("%+v", p)
	}
	h := row(t, p, "comb").Histograms()
	if h.Weights != "inverse" || h.A != 1e-3 || h.Normalisation != "cluster size" || h.Reg != 0.05 || h.Clusters != 300 {
		t.Errorf("%+v", h)
	}
	if row(t, p, "nbow").Label != "bag of words" || row(t, p, "euclidean").Histograms().Reg != 0.2 || p.STS.Defaults.Histograms().Reg != 0.05 {
		t.Error("rows and defaults")
	}
	if g := p.STS.Groups; g[0].Table != "other" || g[1].Name != "Y" || g[2].Sets[3].File != "x.tsv" || p.STS.Blocks[2].Title != "a = b" {
		t.Errorf("%+v", g)
	}
	if s := p.STS; !slices.Equal(s.Select.Transport["mix"], []any{.3}) || !slices.Equal(s.Tune.Transport["spherical"], []any{true, false}) {
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
		{"space.clusters=4000", "space.clusters: 4000"},
		{"vectors.dim=4000", "vectors.dim: 4000"},
	} {
		p, err := Load("mini", []string{test.set})
		if err != nil {
			t.Fatal(err)
		}
		var e *Error
		if err := p.CheckVocabulary(3841); !errors.As(err, &e) || e.Override != test.set || !strings.Contains(err.Error(), test.want) {
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
	if err := p.CheckVocabulary(30); !errors.As(err, &e) || e.Line == 0 || e.File != "mini.toml" {
		t.Errorf("error %v, want one with its line", err)
	}
	// Of a generated text the number of tokens is known at once.
	if _, err := Load("mini", []string{"corpus.min_count=1000000000"}); err == nil || !strings.Contains(err.Error(), "corpus.min_count: 1000000000, expected at most 2500000") {
		t.Errorf("error %v of min_count", err)
	}
}

func TestErrors(t *testing.T) {
	var text string // of the profile that has what is spoilt
	// The file's line with the nth appearance of a text.
	line := func(nth int, old string) int {
		t.Helper()
		for i, l := range strings.Split(text, "\n") {
			if strings.Contains(l, old) {
				if nth--; nth == 0 {
					return i + 1
				}
			}
		}
		t.Fatalf("no %q in open.toml", old)
		return 0
	}
	for _, test := range []struct {
		nth      int
		old, new string
		key      string
		problem  string
	}{
		{1, "window = 10", "widnow = 10", "corpus.widnow", "unknown key; nearest known key: corpus.window"},
		{1, "[vectors]", "[vector]", "vector", "unknown key; nearest known key: vectors"},
		{1, "title = ", "titel = ", "sts.blocks[0].titel", "nearest known key: sts.blocks[0].title"},
		{2, `weights = "sif-list"`, `wieghts = "sif-list"`, "sts.rows.glove-nbow.wieghts", "nearest known key: sts.rows.glove-nbow.weights"},
		{1, `frequencies = "frequencies/enwiki_vocab_min200.txt"`, `frequencies = ""`, "sts.frequencies", `no file, but the row glove-nbow has weights "sif-list"`},
		{1, "smoothing = [", "smothing = [", "sts.select.transport.smothing", "nearest known key: sts.select.transport.smoothing"},
		{1, "[sts.select.vectors]", "[sts.select.sif]", "sts.select.sif", "unknown key; nearest known key: sts.select."},
		{1, "unit = [false, true]", "shift = [1]", "sts.select.vectors.shift", "no such setting of the methods that this grid is for"},
		{1, `cost_normalisation = ["median"]`, "unit = [true]", "sts.select.transport.unit", "no such setting of the methods that this grid is for, expected the keys a, beta, clip"},
		{1, `published_summary = "a_unsup_glove_tbc/CoMB"`, "unit = true", "sts.rows.glove-comb.unit", `the method "barycenter" has no such setting, it has: a, accelerate, beta`},
		{1, "dim = 500", `dim = "500"`, "vectors.dim", `"500", expected a whole number`},
		{1, "dim = 500", "dim = 30.5", "vectors.dim", "30.5, expected a whole number"},
		{1, "dim = 500", "dim = 0", "vectors.dim", "0, expected 1 or more"},
		{2, "dim = ", "dim = 1_000_000_000 #", "glove.dim", "1000000000, expected 1 to 1048576"},
		{1, `method = "wmd"`, `remove_pc = true` + "\nmethod = \"wmd\"", "sts.rows.glove-chosen-wmd.remove_pc", `the method "wmd" has no such setting`},
		{1, "gamma = 1", "gamma = 0", "sts.defaults.gamma", "0, expected a number above 0"},
		{1, "ngrams = 1", "ngrams = 6", "sent2vec.ngrams", "6, expected 1 to 5"},
		{1, "exponent = 0.75", "exponent = -1", "glove.exponent", "-1, expected 0 or more"},
		{1, `rule = "paper"`, "rule = \"other\"", "glove.rule", `"other", expected one of "paper", "today"`},
		{1, "power_iterations = 3", "power_iterations = -1", "vectors.power_iterations", "-1, expected 0 or more"},
		{1, "negatives = 30", "negatives = 0", "hypernymy.dive.negatives", "0, expected 1 to 1048576"},
		{1, "greatest = 1.5", "greatest = 0.1", "hypernymy.gaussian.greatest", "0.1, expected at least the least variance, 0.7"},
		{1, "subsample = 1e-5", "subsample = 0", "sent2vec.subsample", "0, expected a number above 0"},
		{1, `vectors = "sent2vec"`, `vectors = "glove"`, "sts.rows.sent2vec.vectors", `"glove", but the method "sent2vec" averages vectors of its own: expected "sent2vec"`},
		{1, `vectors = "sent2vec"`, "weights = \"sif\"", "sts.rows.sent2vec.weights", `the method "sent2vec" has no such setting`},
		{1, "seed = 1", "seed = -1", "seed", "-1, expected a whole number of 0 or more"},
		{1, "normalise = true", "normalise = 1", "vectors.normalise", "1, expected true or false"},
		{1, "reg = 0.1", "reg = nan", "sts.defaults.reg", "NaN, expected a finite number"},
		{1, "reg = 0.1", "reg = 0", "sts.defaults.reg", "0, expected 1e-09 to 1e+09"},
		{1, "reg = 0.1", "reg = 1e-300", "sts.defaults.reg", "1e-300, expected 1e-09 to 1e+09"},
		{1, "mix = 0.4", "mix = 1", "sts.rows.glove-euclidean-mix.mix", "1, expected 0 or more and below 1"},
		{1, `kind = "prepared"`, `kind = "file"`, "corpus.kind", `"file", expected one of "miniworld", "prepared", "files"`},
		{1, `kind = "prepared"`, `kind = 1`, "corpus.kind", "1, expected text in quotes"},
		{1, `metric = "euclidean"`, `metric = "cosine"`, "sts.defaults.metric", `"cosine", expected one of "euclidean", "squared euclidean", "angular"`},
		{1, `block = "chosen"`, `block = "best"`, "sts.rows.glove-chosen-nbow.block", `"best", expected the id of a block: paper, paper-svd, chosen, chosen-svd`},
		{1, "smoothing = [0.15", "smoothing = [1.5", "sts.select.transport.smoothing[0]", "1.5, expected 0 to 1"},
		{1, "shift = 5", "shift = 0.5", "sts.defaults.shift", "0.5, expected 1 or more"},
		{1, "pc_batch = 64", "pc_batch = 1", "sts.defaults.pc_batch", "1, expected 0, or 2 or more"},
		{1, "clip = 10", "clip = -1", "sts.defaults.clip", "-1, expected 0 or more"},
		{1, `name = "STS13"`, `name = "STS12"`, "sts.groups[1].name", `"STS12" stands twice`},
		{1, `id = "chosen"`, `id = ""`, "sts.blocks[2].id", "no name"},
		{1, "validation = false", "validation = true", "sts.groups[0].validation", "the paper tests on STS12 (its column STS12): nothing is chosen on a test set; the paper's validation column is STS16_val"},
		{1, "validation = true", "validation = false", "sts.rows.glove-chosen-nbow.select", "no group has validation = true"},
		{1, "[sts.rows.nbow]", `[sts.rows."n bow"]`, "sts.rows.n bow", "is no id"},
		{1, "tokens = 0", "tokens = []", "corpus.tokens", "a list, expected a whole number"},
		{1, "min_count = 10", "min_count = { a = 1 }", "corpus.min_count", "a table, expected a whole number"},
		{1, "spherical = []", "spherical = true", "sts.select.transport.spherical", "true, expected a list in brackets"},
		{1, "description = ", "corpus = 1 #", "corpus", ""},
		{1, `name = "open"`, `name = "a b"`, "name", "expected a name for files and folders"},
		{1, `name = "open"`, `name = "a\u0000b"`, "name", `"a\x00b", expected a name`},
		{1, `name = "open"`, `name = "` + strings.Repeat("a", 400) + `"`, "name", "up to 64 letters"},
		{1, `name = "open"`, `name = "../x"`, "name", "expected a name"},
		{1, `id = "figure1_radio"`, `id = "a/b"`, "figures.densities[0].id", "expected a name for files and folders"},
		{1, "exponent = 0.75", "exponent = 0.5 0.6", "", "expected"},
		{1, "exponent = 0.75", "dim = 3", "", "is already defined"},
	} {
		name := "open"
		if strings.HasPrefix(test.key, "sts.rows.sent2vec") || strings.HasPrefix(test.key, "hypernymy.") || strings.Contains(test.key, "-wmd") {
			name = "systems"
		}
		text = embeddedText(name)
		parts := strings.SplitN(text, test.old, test.nth+1)
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
			continue
		}
		if at := line(test.nth, test.old); e.Line != at && test.key != "sts.groups" && !strings.HasSuffix(test.key, ".select") && test.problem != "" {
			t.Errorf("%s: line %d, want %d", test.new, e.Line, at)
		}
	}
	for name, want := range map[string]string{
		"opne":            `no profile "opne", expected alignment, best, documents, encoders, mini, open, paper, patterns, sample, systems or the path of a .toml file; nearest: open`,
		"absent/own.toml": "profile: absent/own.toml: cannot be read: no such file",
	} {
		if _, err := Load(name, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	for set, want := range map[string]string{
		"seed":                             "expected key=value",
		"=1":                               "expected key=value",
		"seed=":                            "expected key=value",
		"corpus.widnow=5":                  "corpus.widnow: unknown key; nearest known key: corpus.window",
		"vectors.dim=many":                 `vectors.dim: "many", expected a whole number`,
		"vectors.dim=0":                    "vectors.dim: 0, expected 1 or more",
		"vectors.dim.x=0":                  "vectors.dim.x: vectors.dim is no table",
		"new.table.x=0":                    "new: unknown key",
		"vectors=1":                        "vectors: 1, expected a table",
		"sts.rows.cmob.mix=0.4":            "sts.rows.cmob: there is no such entry; nearest: comb; expected one of",
		"sts.rows.comb.mxi=0.4":            "sts.rows.comb.mxi: unknown key; nearest known key: sts.rows.comb.mix",
		"sts.rows.comb.mix=2":              "sts.rows.comb.mix: 2, expected 0 or more and below 1",
		"sts.rows=3":                       "sts.rows: 3, expected a table for each row",
		"sts.rows.comb=3":                  "sts.rows.comb: 3, expected a table",
		"sts.defaults.mix=2":               "sts.defaults.mix: 2",
		"sts.select.comb.mix=[0]":          "sts.select.comb: unknown key; nearest known key: sts.select.",
		"sts.select.transport.mix=0":       "sts.select.transport.mix: 0, expected a list in brackets",
		"sts.select.transport.mix=[a]":     `sts.select.transport.mix: "[a]", expected a list in brackets`,
		"sts.select.transport.mix=[true]":  "sts.select.transport.mix[0]: true, expected a finite number",
		"sts.groups.STS14.validation=true": "the paper tests on STS14 (its column STS14): nothing is chosen on a test set",
		"sts.groups.STS11.name=x":          "sts.groups.STS11: there is no such entry; nearest: STS1",
		"sts.groups.STS12=x":               "is an entry of a list",
		"sts.groups.5.name=x":              "sts.groups.5: there is no such entry",
		"clusters.k.0.x=1":                 "the list has 9 entries without names",
		"sts.rows.comb.published=1":        "unknown key; nearest known key: sts.rows.comb.published_",
	} {
		_, err := Load("open", []string{"seed=3", set})
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "profile: --set "+set) {
			t.Errorf("--set %s: %v, want %q", set, err, want)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	for _, name := range Names() {
		p := load(t, name, "seed=18446", "sts.defaults.a=1e-20", `sts.blocks.0.note="a \"quoted\" \\ text\twith\nlines"`, "vectors.shift=1e21")
		path := filepath.Join(t.TempDir(), "again.toml")
		if err := os.WriteFile(path, []byte(p.TOML()), 0o666); err != nil {
			t.Fatal(err)
		}
		again, err := Load(path, nil)
		if err != nil {
			t.Fatalf("%v in\n%s", err, p.TOML())
		}
		if diff := cmp.Diff(p, again, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(Profile{})); diff != "" {
			t.Errorf("%s: (-first +again)\n%s", name, diff)
		}
		if p.TOML() != again.TOML() {
			t.Errorf("%s: another text", name)
		}
	}
}

// A key of many parts is refused before anything is kept for each of its beginnings.
func TestLongKey(t *testing.T) {
	long := strings.Repeat("a.", 60_000) + "a"
	for name, text := range map[string]string{
		"key": long + " = 1", "table": "[" + long + "]", "list": "[[" + long + "]]", "in a list": "x = [{" + long + " = 1}]",
	} {
		_, err := parse("x.toml", text, nil)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), "more than 16 parts") || len(err.Error()) > 200 {
			t.Errorf("%s: %.200v", name, err)
		}
	}
	if _, err := parse("x.toml", "name = 'x'", []string{long + "=1"}); err == nil || len(err.Error()) > 200 {
		t.Errorf("an override: %.200v", err)
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
