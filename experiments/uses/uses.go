package uses

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/english"
	"contextmover/cmdlib/score"
	"contextmover/experiments/dataset"
	"contextmover/experiments/figure"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/profile"
	"contextmover/experiments/render"
	"contextmover/experiments/results"
	"contextmover/experiments/store"
)

// The ids of the tables, and of the figure.
const (
	changeID  = "uses_change"
	contextID = "uses_context"
	sensesID  = "uses_senses"
	figureID  = "uses"
)

// Parts of WiC and of homographs' places.
var (
	wic    = []string{"train", "dev", "test"}
	halves = []string{"train", "test"}
)

// Files lists the files that a profile has the experiment read.
func Files(p *profile.Profile) (files []string) {
	u := p.Uses
	if len(u.Words) == 0 {
		return nil
	}
	files = append(dwug(u), u.Graded, u.Binary)
	return slices.Concat(files, inContext(u), places(u))
}

func dwug(u profile.Uses) (files []string) {
	for _, word := range u.Words {
		files = append(files, u.Periods(word))
	}
	return append(files, u.Changes())
}

func inContext(u profile.Uses) (files []string) {
	for _, part := range wic {
		both := u.Part(part)
		files = append(files, both[:]...)
	}
	return files
}

func places(u profile.Uses) (files []string) {
	for _, word := range u.Homographs {
		for _, part := range halves {
			both := u.Places(word, part)
			files = append(files, both[:]...)
		}
	}
	return files
}

// row is a way to judge uses.
type row struct{ id, label string }

// table is the outcome of one question.
type table struct {
	id, label, title string
	measure          string // of the columns that are compared
	notes            []string
	rows             []row
	columns          []column
}

// column has an estimate for each row. Those that are compared show the difference from the first row, too.
type column struct {
	group, name string
	compared    bool
	estimates   []score.Estimate
}

// asking is a run.
type asking struct {
	*pipeline.Workspace
	space *cmdlib.Space
}

// Run makes the tables, the figure and the quantities; nothing for a profile without the experiment.
func Run(ctx context.Context, w *pipeline.Workspace) (*pipeline.Output, error) {
	if len(w.Profile.Uses.Words) == 0 {
		return &pipeline.Output{}, nil
	}
	space, err := english.Open(w.Engine)
	if err != nil {
		return nil, err
	}
	defer space.Close()
	a := &asking{w, space}
	out := &pipeline.Output{}
	var all []*table
	for _, make := range []func(context.Context) (*table, error){a.change, a.context, a.senses} {
		t, err := make(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
		out.Tables = append(out.Tables, t.render(w.Profile))
		out.Quantities = append(out.Quantities, t.quantities()...)
	}
	out.Figures = []*figure.Figure{draw(w.Profile, all)}
	return out, nil
}

// node has numbers of rows, one after the other.
func (a *asking) node(name string, settings any, files []string, make func(ctx context.Context) ([]float64, error),
) store.Node[[]float64] {
	kind, _, _ := strings.Cut(name, ",")
	inputs := []store.Input{store.Key(a.space.Identity())}
	for _, f := range files {
		inputs = append(inputs, a.FileInput(f))
	}
	return store.Node[[]float64]{
		Name: kind, Version: 1, Params: settings, Inputs: inputs, Of: name,
		Parts: func(v *[]float64) []store.Part { return []store.Part{store.Array("numbers.npy", v)} },
		Make: func(ctx context.Context) ([]float64, error) {
			_, finish := a.Step(name)
			defer finish()
			return make(ctx)
		},
	}
}

// estimates are a statistic of each row, on the same draws of n items.
func estimates(ctx context.Context, n, rows int, seed uint64, statistic func(row int, sample []int) float64) (
	all []score.Estimate, err error,
) {
	once := make([]int, n)
	for i := range once {
		once[i] = i
	}
	for r := range rows {
		draws, err := score.Draws(ctx, n, pipeline.ClusterDraws, seed, func(sample []int) float64 {
			return statistic(r, sample)
		})
		if err != nil {
			return nil, err
		}
		all = append(all, score.NewEstimate(statistic(r, once), draws, nil))
	}
	return all, nil
}

// change asks how far words moved.
func (a *asking) change(ctx context.Context) (*table, error) {
	u := a.Profile.Uses
	settings := []any{
		nearest, among, reg, price, iterations, tolerance, least, window, dim, smoothing, a.Profile.Seed,
	}
	numbers, err := store.Get(ctx, a.Store, a.node("uses-change", settings, dwug(u), a.distances))
	if err != nil {
		return nil, err
	}
	t := &table{
		id: changeID, label: "distance", measure: "Spearman's ρ × 100",
		title: "How far words moved between two periods, as people say", rows: ways,
		notes: []string{
			"ρ: Spearman's × 100 with people's graded change. first 10: of the ten words that moved farthest, how " +
				"many people say have gained or lost a sense, in per cent. − first: difference from the first row. " +
				"Intervals: 95 %, over words.",
			"DWUG EN 3.0.0; SemEval-2020 task 1 judged some of the same words earlier. Both are asked of DWUG's " +
				"uses, about 100 a word and period: SemEval's own text cannot be had.",
			fmt.Sprintf("Transport moves uses at 1 − cosine, with λ = %g and ρ = %g. Vectors of each period: %d "+
				"singular vectors of associations in the uses of that period, about 150,000 words. Frequencies: in "+
				"the uses of the other words.", reg, price, dim),
		},
	}
	path, err := a.File(ctx, u.Changes())
	if err != nil {
		return nil, err
	}
	own, err := dataset.ReadChanges(path)
	if err != nil {
		return nil, pipeline.DataError(err)
	}
	graded, err := a.File(ctx, u.Graded)
	if err != nil {
		return nil, err
	}
	binary, err := a.File(ctx, u.Binary)
	if err != nil {
		return nil, err
	}
	other, err := dataset.ReadTruths(graded, binary)
	if err != nil {
		return nil, pipeline.DataError(err)
	}
	for _, set := range []struct {
		name, file string
		truth      []dataset.Change
	}{{"DWUG EN", u.Changes(), own}, {"SemEval-2020", u.Graded, other}} {
		var distances [][]float64 // [row][word]
		for r := range ways {
			var list []float64
			for _, c := range set.truth {
				at := slices.Index(u.Words, c.Word)
				if at < 0 {
					return nil, pipeline.DataError(&dataset.FormatError{File: set.file,
						Problem: fmt.Sprintf("the word %q has no uses", c.Word)})
				}
				list = append(list, numbers[r*len(u.Words)+at])
			}
			distances = append(distances, list)
		}
		seed := a.Sampling(set.file)
		rho, err := estimates(ctx, len(set.truth), len(ways), seed, func(r int, sample []int) float64 {
			return correlation(distances[r], set.truth, sample)
		})
		if err != nil {
			return nil, err
		}
		found, err := estimates(ctx, len(set.truth), len(ways), seed, func(r int, sample []int) float64 {
			return precision(distances[r], set.truth, sample)
		})
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("%s, %d words", set.name, len(set.truth))
		t.columns = append(t.columns, column{name, "ρ", true, rho}, column{name, "first 10", false, found})
	}
	return t, nil
}

// distances has how far each word moved, one way after the other.
func (a *asking) distances(ctx context.Context) ([]float64, error) {
	var words [][2][]corpus.Occurrence
	for _, word := range a.Profile.Uses.Words {
		path, err := a.File(ctx, a.Profile.Uses.Periods(word))
		if err != nil {
			return nil, err
		}
		periods, err := dataset.ReadUses(path)
		if err != nil {
			return nil, pipeline.DataError(err)
		}
		words = append(words, periods)
	}
	all, err := moves(ctx, a.Workspace, a.space, words)
	return slices.Concat(all...), err
}

// correlation is Spearman's × 100 of distances with graded change, 0 where either is the same of all words.
func correlation(distances []float64, truth []dataset.Change, sample []int) float64 {
	var x, y []float64
	for _, i := range sample {
		x, y = append(x, distances[i]), append(y, truth[i].Graded)
	}
	rho, err := score.Spearman(x, y)
	if err != nil {
		return 0
	}
	return 100 * rho
}

// first is how many words that moved farthest are looked at.
const first = 10

// precision is the share of the first that changed, in per cent.
func precision(distances []float64, truth []dataset.Change, sample []int) float64 {
	order := slices.Clone(sample)
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(distances[j], distances[i]) })
	order = order[:min(first, len(order))]
	n := 0.0
	for _, i := range order {
		if truth[i].Changed {
			n++
		}
	}
	return 100 * n / float64(len(order))
}

// context asks whether two uses mean the same.
func (a *asking) context(ctx context.Context) (*table, error) {
	u := a.Profile.Uses
	var parts [][]dataset.InContext
	for _, part := range wic {
		files := u.Part(part)
		data, err := a.File(ctx, files[0])
		if err != nil {
			return nil, err
		}
		gold, err := a.File(ctx, files[1])
		if err != nil {
			return nil, err
		}
		pairs, err := dataset.ReadInContext(data, gold)
		if err != nil {
			return nil, pipeline.DataError(err)
		}
		parts = append(parts, pairs)
	}
	all := slices.Concat(parts...)
	test := len(all) - len(parts[2])
	same := make([]bool, len(all))
	for i, pair := range all {
		same[i] = pair.Same
	}
	judge := func(ctx context.Context) ([]float64, error) {
		rows, err := like(ctx, a.space, all)
		return slices.Concat(rows...), err
	}
	numbers, err := store.Get(ctx, a.Store, a.node("uses-context", nil, inContext(u), judge))
	if err != nil {
		return nil, err
	}
	t := &table{
		id: contextID, label: "likeness", measure: "accuracy, %",
		title: "Whether a word means the same in two sentences", rows: likenesses,
		notes: []string{fmt.Sprintf("Accuracy on WiC, %%; half of the pairs mean the same. The likeness from which "+
			"two uses mean the same is the best on the %d pairs for training and development. − first: difference "+
			"from the first row. Intervals: 95 %%, over pairs.", test)},
	}
	chosen, from := make([]score.Estimate, len(likenesses)), make([]float64, len(likenesses))
	for r := range likenesses {
		x := numbers[r*len(all):][:test]
		from[r], chosen[r].Value = threshold(x, same[:test])
		chosen[r].Low, chosen[r].High = chosen[r].Value, chosen[r].Value
	}
	accuracies, err := estimates(ctx, len(all)-test, len(likenesses), a.Sampling(u.Part("test")[0]),
		func(r int, sample []int) float64 {
			return accuracy(numbers[r*len(all)+test:][:len(all)-test], same[test:], from[r], sample)
		})
	t.columns = []column{{"", "train and dev", false, chosen}, {"", "test", true, accuracies}}
	return t, err
}

// senses asks whether groups of uses are senses.
func (a *asking) senses(ctx context.Context) (*table, error) {
	u := a.Profile.Uses
	t := &table{
		id: sensesID, label: "groups", measure: "adjusted Rand index × 100",
		title: "Groups of uses, and the senses that people tagged", rows: finders,
		notes: []string{fmt.Sprintf("The adjusted Rand index with the tags of CoarseWSD-20, × 100, mean of %d words: "+
			"100 for the same groups, 0 for random ones. − first: difference from the first row. Intervals: 95 %%, "+
			"over words.", len(u.Homographs))},
	}
	for i, name := range []string{"chosen number", "as many as tags"} {
		found := make([][]float64, len(finders)) // [row][word]
		for r, way := range finders {
			for _, word := range u.Homographs {
				x, err := a.agreement(ctx, word, way.id, i == 1)
				if err != nil {
					return nil, err
				}
				found[r] = append(found[r], x)
			}
		}
		n := len(u.Homographs)
		indices, err := estimates(ctx, n, len(finders), a.Sampling(u.Tagged), func(r int, sample []int) float64 {
			sum := 0.0
			for _, word := range sample {
				sum += found[r][word]
			}
			return sum / float64(n)
		})
		if err != nil {
			return nil, err
		}
		t.columns = append(t.columns, column{"", name, true, indices})
	}
	return t, nil
}

// agreement is the index of a word by a way, with the chosen number of groups or as many as tags.
func (a *asking) agreement(ctx context.Context, word, way string, told bool) (float64, error) {
	u := a.Profile.Uses
	var files []string
	for _, part := range halves {
		both := u.Places(word, part)
		files = append(files, both[:]...)
	}
	name := fmt.Sprintf("uses-senses, %s, %s, %t", word, way, told)
	judge := func(ctx context.Context) ([]float64, error) {
		w := tagged{word: word}
		for _, part := range halves {
			both := u.Places(word, part)
			data, err := a.File(ctx, both[0])
			if err != nil {
				return nil, err
			}
			tags, err := a.File(ctx, both[1])
			if err != nil {
				return nil, err
			}
			list, numbers, err := dataset.ReadTagged(data, tags)
			if err != nil {
				return nil, pipeline.DataError(err)
			}
			w.list, w.tags = append(w.list, list...), append(w.tags, numbers...)
		}
		x, err := w.sample(way).agreement(ctx, a.space, way, told)
		return []float64{x}, err
	}
	x, err := store.Get(ctx, a.Store, a.node(name, []any{way, told}, files, judge))
	if err != nil {
		return 0, err
	}
	return x[0], nil
}

// minus names the difference from the first row.
const minus = "− first"

// render makes the table.
func (t *table) render(p *profile.Profile) *render.Table {
	title := fmt.Sprintf("%s (profile %s)", t.title, p.Name)
	r := &render.Table{ID: t.id, Label: t.label, Title: title, Notes: t.notes}
	for _, c := range t.columns {
		r.Columns = append(r.Columns, render.Column{Group: c.group, Name: c.name, Digits: 1})
		if c.compared {
			r.Columns = append(r.Columns, render.Column{Group: c.group, Name: c.minus(), Digits: 1, Unmarked: true})
		}
	}
	block := render.Block{}
	for i, way := range t.rows {
		line := render.Row{Key: way.id, Label: way.label}
		for _, c := range t.columns {
			line.Cells = append(line.Cells, pipeline.Cell(c.estimates[i]))
			if c.compared && i == 0 {
				line.Cells = append(line.Cells, render.Cell{Text: "–"})
			} else if c.compared {
				line.Cells = append(line.Cells, pipeline.Cell(c.estimates[i].Minus(c.estimates[0])))
			}
		}
		block.Rows = append(block.Rows, line)
	}
	r.Blocks = []render.Block{block}
	return r
}

// minus is the name of the column of differences.
func (c column) minus() string {
	if c.group != "" {
		return minus
	}
	return c.name + " " + minus
}

// quantities returns what columns with intervals have, and differences, for the verdict.
func (t *table) quantities() (all []results.Quantity) {
	for i, way := range t.rows {
		for _, c := range t.columns {
			add := func(name string, e score.Estimate) {
				e.Draws = nil
				all = append(all, results.Quantity{Table: t.id, Row: way.id, Column: name, Source: way.id}.With(e))
			}
			name := c.name
			if c.group != "" {
				name = c.group + " " + name
			}
			add(name, c.estimates[i])
			if c.compared && i > 0 {
				add(name+" "+minus, c.estimates[i].Minus(c.estimates[0]))
			}
		}
	}
	return all
}

// draw shows the compared columns, a panel a table.
func draw(p *profile.Profile, all []*table) *figure.Figure {
	f := &figure.Figure{
		ID: figureID, Title: "Uses of words, judged by people",
		Caption: "How far words moved (Spearman's ρ × 100), whether two uses mean the same (accuracy, %) and " +
			"whether groups are senses (adjusted Rand index × 100), with 95 % bootstrap intervals. The dashed line " +
			"is at the first row, which the commands have.",
		Provenance: figure.Provenance{Profile: p.Name},
		Width:      2 * figure.Column, Height: 0.9 * figure.Column, Columns: len(all),
	}
	for _, t := range all {
		panel := figure.NewIntervals(t.measure)
		for _, way := range t.rows {
			panel.Names = append(panel.Names, way.id)
		}
		for _, c := range t.columns {
			if !c.compared {
				continue
			}
			if panel.Series == nil {
				panel.Zero = c.estimates[0].Value
			}
			series := figure.Interval{Name: cmp.Or(c.group, c.name), Colour: figure.Colours[len(panel.Series)]}
			for _, e := range c.estimates {
				series.Add(e.Value, e.Low, e.High)
			}
			panel.Series = append(panel.Series, series)
		}
		f.Panels = append(f.Panels, figure.Panel{Intervals: panel})
	}
	return f
}
