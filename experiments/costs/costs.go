package costs

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"contextmover/cmdlib"
	"contextmover/cmdlib/english"
	"contextmover/cmdlib/method"
	"contextmover/cmdlib/score"
	"contextmover/experiments/dataset"
	"contextmover/experiments/figure"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/profile"
	"contextmover/experiments/render"
	"contextmover/experiments/results"
	"contextmover/experiments/store"
)

// tableID is the id of the table and of the figure.
const tableID = "costs"

// Result is the outcome of the experiment.
type Result struct {
	Columns []string // the average of the test groups, then each other group
	Spaces  []Space
}

// Space has the families of costs between contexts of some word vectors.
type Space struct {
	Vectors  string // as in the profile
	Families []Family
}

// Family is a kind of cost with the setting that scored best on the validation group.
type Family struct {
	profile.CostFamily
	Chosen string
	// Validation is the score of what was chosen, on the pairs that chose it.
	Validation score.Estimate
	// Scores are by Result.Columns.
	Scores []score.Estimate
}

// testAverage names the mean of the test groups.
const testAverage = "test average"

// Files lists the files of sentence pairs.
func Files(p *profile.Profile) (files []string) {
	if len(p.Costs.Families) == 0 {
		return nil
	}
	for _, g := range p.STS.Groups {
		for _, s := range g.Sets {
			files = append(files, s.File)
		}
	}
	return files
}

// pairs are those of all sets, in order.
type pairs struct {
	texts []cmdlib.Pair
	gold  []float64
	ends  []int // of the sets
}

func read(ctx context.Context, w *pipeline.Workspace) (*pairs, error) {
	all := new(pairs)
	for _, g := range w.Profile.STS.Groups {
		for _, s := range g.Sets {
			path, err := w.File(ctx, s.File)
			if err != nil {
				return nil, err
			}
			list, err := dataset.ReadPairs(path)
			if err != nil {
				return nil, pipeline.DataError(err)
			}
			for _, p := range list {
				all.texts, all.gold = append(all.texts, cmdlib.Pair{A: p.A, B: p.B}), append(all.gold, p.Gold)
			}
			all.ends = append(all.ends, len(all.gold))
		}
	}
	return all, nil
}

// Compute chooses a method of each family on the validation group, in each space, and scores all groups by it.
func Compute(ctx context.Context, w *pipeline.Workspace) (*Result, error) {
	all, err := read(ctx, w)
	if err != nil {
		return nil, err
	}
	r := &Result{Columns: []string{testAverage}}
	for _, g := range w.Profile.STS.Groups {
		if !g.Validation && !g.Test() {
			r.Columns = append(r.Columns, g.Name)
		}
	}
	for _, vectors := range w.Profile.Costs.Vectors {
		s, err := compute(ctx, w, all, vectors)
		if err != nil {
			return nil, fmt.Errorf("costs: %s: %w", vectors, err)
		}
		r.Spaces = append(r.Spaces, s)
	}
	return r, nil
}

// open opens the space of some vectors.
func open(ctx context.Context, w *pipeline.Workspace, vectors string) (*cmdlib.Space, error) {
	if vectors == profile.BuiltIn {
		return english.Open(w.Engine)
	}
	space, _, err := w.OpenSpaceOf(ctx, w.Profile.Space.Row().With("vectors", vectors))
	return space, err
}

func compute(ctx context.Context, w *pipeline.Workspace, all *pairs, vectors string) (s Space, err error) {
	s.Vectors = vectors
	space, err := open(ctx, w, vectors)
	if err != nil {
		return s, err
	}
	defer space.Close()
	for _, family := range w.Profile.Costs.Families {
		var best *Family
		for _, name := range family.Methods {
			m, err := space.Method(name)
			if err != nil {
				return s, fmt.Errorf("%s: %w", name, err)
			}
			values, err := store.Get(ctx, w.Store, node(w, space, name, m, all))
			if err != nil {
				return s, err
			}
			f, err := of(ctx, w, all, values)
			if err != nil {
				return s, fmt.Errorf("%s: %w", name, err)
			}
			if f.CostFamily, f.Chosen = family, name; best == nil || f.Validation.Value > best.Validation.Value {
				best = f
			}
		}
		s.Families = append(s.Families, *best)
	}
	return s, nil
}

// node has the scores of all pairs by a method.
func node(w *pipeline.Workspace, space *cmdlib.Space, name string, m method.Method, all *pairs) store.Node[[]float64] {
	inputs := []store.Input{store.Key(space.Identity())}
	for _, f := range Files(w.Profile) {
		inputs = append(inputs, w.FileInput(f))
	}
	return store.Node[[]float64]{
		Name: "space-scores", Version: 1, Params: method.KindOf(m).ID + fmt.Sprintf(" %+v", m), Inputs: inputs,
		Of:    name,
		Parts: func(v *[]float64) []store.Part { return []store.Part{store.Array("scores.npy", v)} },
		Make: func(ctx context.Context) ([]float64, error) {
			progress, finish := w.Step("scores, " + name)
			defer finish()
			s, err := space.Score(ctx, all.texts, m, progress)
			return s.Value, err
		},
	}
}

// of takes the correlations of scores, means over the sets of a group; draws are of the same pairs for all methods.
func of(ctx context.Context, w *pipeline.Workspace, all *pairs, values []float64) (*Family, error) {
	f := new(Family)
	var test []score.Estimate
	set, from := 0, 0
	for _, g := range w.Profile.STS.Groups {
		var sets []score.Estimate
		for _, s := range g.Sets {
			x, gold := values[from:all.ends[set]], all.gold[from:all.ends[set]]
			from, set = all.ends[set], set+1
			value, err := score.Pearson(x, gold)
			if err != nil {
				return nil, err
			}
			draws, err := score.PearsonDraws(ctx, x, gold, pipeline.Draws, pipeline.Seed(w.Profile.Seed,
				"bootstrap "+s.File))
			if err != nil {
				return nil, err
			}
			sets = append(sets, score.Estimate{Value: 100 * value, Draws: draws})
		}
		switch m := score.MeanEstimate(sets); {
		case g.Validation:
			f.Validation = m
		case g.Test():
			test = append(test, m)
		default:
			f.Scores = append(f.Scores, m)
		}
	}
	f.Scores = append([]score.Estimate{score.MeanEstimate(test)}, f.Scores...)
	return f, nil
}

// against are the costs that others are compared with, by the names of their families.
var against = []string{"true", "discrete"}

// family returns the family of this name.
func (s *Space) family(name string) *Family {
	for i := range s.Families {
		if s.Families[i].Name == name {
			return &s.Families[i]
		}
	}
	return nil
}

// minus is the difference of a family from another, if there is one.
func (s *Space) minus(f Family, other string, column int) (score.Estimate, bool) {
	o := s.family(other)
	if o == nil || o.Name == f.Name {
		return score.Estimate{}, false
	}
	return f.Scores[column].Minus(o.Scores[column]), true
}

// key names a family among all spaces.
func (s *Space) key(f Family) string {
	if s.Vectors == profile.BuiltIn {
		return f.Name
	}
	return s.Vectors + "/" + f.Name
}

// label names the vectors for readers.
func (s *Space) label() string {
	return strings.TrimSuffix(filepath.Base(s.Vectors), filepath.Ext(s.Vectors))
}

// table shows scores, and differences from the true cost and from the discrete one.
func (r *Result) table(p *profile.Profile) *render.Table {
	t := &render.Table{
		ID: tableID, Label: "ground cost",
		Title: fmt.Sprintf("Sentence similarity of averages by other ground costs (profile %s)", p.Name),
		Notes: []string{
			"Pearson × 100. Of several settings, the one that scores best on STS16 is shown, as chosen; test " +
				"average: STS12 to 15. − true, − discrete: the difference on the same pairs. discrete is the total " +
				"variation of the same histograms. A block has the vectors whose clusters are the contexts; the " +
				"built-in space's are singular vectors. All spaces have the settings that were chosen for singular " +
				"vectors.",
		},
	}
	t.Columns = append(t.Columns, render.Column{Name: "chosen"}, render.Column{Name: "STS16", Digits: 1,
		Unmarked: true})
	for _, c := range r.Columns {
		t.Columns = append(t.Columns, render.Column{Group: c, Name: "score", Digits: 1})
		for _, other := range against {
			t.Plain(c, 1, "− "+other)
		}
	}
	for _, s := range r.Spaces {
		for _, f := range s.Families {
			row := render.Row{Key: s.key(f), Label: f.Name, Cells: []render.Cell{{Text: f.Chosen},
				pipeline.Cell(f.Validation)}}
			for i := range r.Columns {
				row.Cells = append(row.Cells, pipeline.Cell(f.Scores[i]))
				for _, other := range against {
					cell := render.Cell{Text: "–"}
					if e, ok := s.minus(f, other, i); ok {
						cell = pipeline.Cell(e)
					}
					row.Cells = append(row.Cells, cell)
				}
			}
			t.Add(s.label(), row)
		}
	}
	return t
}

// figure shows the differences of the average of the test groups.
func (r *Result) figure(w *pipeline.Workspace) *figure.Figure {
	f := &figure.Figure{
		ID: tableID, Title: "Sentence similarity by other ground costs, against the true and the discrete one",
		Caption: "Differences on the same pairs of the test groups' mean, with 95 % bootstrap intervals: what each " +
			"ground cost brings over the true and over the discrete one. A panel has the vectors whose clusters are " +
			"the contexts.",
		Provenance: figure.Provenance{Profile: w.Profile.Name}, Width: 1.6 * figure.Column, Columns: 1,
	}
	for _, s := range r.Spaces {
		panel := figure.NewIntervals("points above, Pearson × 100")
		for i, other := range against {
			series := figure.Interval{Name: "the " + other + " cost", Colour: figure.Colours[i]}
			for _, f := range s.Families {
				m, _ := s.minus(f, other, 0)
				series.Add(m.Value, m.Low, m.High)
			}
			panel.Series = append(panel.Series, series)
		}
		for _, f := range s.Families {
			panel.Names = append(panel.Names, f.Name)
		}
		f.Height += 44 + float64(18*float64(len(panel.Names)))
		f.Panels = append(f.Panels, figure.Panel{Title: s.label(), Intervals: panel})
	}
	return f
}

// quantities returns scores and differences for the verdict.
func (r *Result) quantities() (all []results.Quantity) {
	for _, s := range r.Spaces {
		for _, f := range s.Families {
			add := func(column string, e score.Estimate) {
				all = append(all, results.Quantity{Table: tableID, Row: s.key(f), Column: column,
					Variant: results.Chosen, Source: f.Chosen, Tried: len(f.Methods)}.Bounded(e))
			}
			for i, c := range r.Columns {
				add(c, f.Scores[i])
				for _, other := range against {
					if e, ok := s.minus(f, other, i); ok {
						add(c+" − "+other, e)
					}
				}
			}
		}
	}
	return all
}

// Run makes the table, the figure and the quantities; nothing for a profile without the experiment.
func Run(ctx context.Context, w *pipeline.Workspace) (*pipeline.Output, error) {
	if len(w.Profile.Costs.Families) == 0 {
		return &pipeline.Output{}, nil
	}
	r, err := Compute(ctx, w)
	if err != nil {
		return nil, err
	}
	return &pipeline.Output{
		Tables: []*render.Table{r.table(w.Profile)}, Figures: []*figure.Figure{r.figure(w)}, Quantities: r.quantities(),
	}, nil
}
