// Package methods tells how well the methods agree with people that the built-in space answers by, and how fast they
// are. What it tells was measured, by Measure, and is part of the program.
package methods

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"time"

	"contextmover/cmdlib"
	"contextmover/cmdlib/score"
	"contextmover/experiments/dataset"
	"contextmover/experiments/profile"
	"contextmover/experiments/render"
	"contextmover/internal/system"
)

//go:embed english.json
var recorded []byte

// Record is what was measured of a space.
type Record struct {
	// Space is the identity of the space, Machine what it was measured on.
	Space   string `json:"space"`
	Machine string `json:"machine"`
	// Sets are the columns of scores, with the number of pairs.
	Sets    []Set    `json:"sets"`
	Methods []Method `json:"methods"`
}

// Set is a set of pairs of texts, or several.
type Set struct {
	Name string `json:"name"`
	// Years have files of the data folder: scores are means over years of means over their files.
	Years [][]string `json:"years"`
	Pairs int        `json:"pairs"`
	// Validation tells that methods are chosen by it.
	Validation bool `json:"validation,omitempty"`
}

// Method is a row.
type Method struct {
	Name string `json:"name"`
	// Scores are Pearson × 100 with what people say, one for each of Sets.
	Scores []Score `json:"scores"`
	// TextsPerSecond are both texts of pairs that are scored, of all sets together.
	TextsPerSecond float64 `json:"texts_per_second"`
}

// Score is a correlation × 100, with its 95 % interval by bootstrap draws of the pairs.
type Score struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Names are the methods that are measured: those of single questions, and what else can be asked of a space's vectors.
func Names() []string { return append(cmdlib.Askable(), "sif-pc", "nbow,weights=sif") }

// Sets returns the validation set and sets that nothing was chosen on; where all are wanted, also the test sets of the
// years 2012 to 2015.
func Sets(all bool) ([]Set, error) {
	p, err := profile.Load("best", nil)
	if err != nil {
		return nil, err
	}
	test := Set{Name: "STS12–15"}
	var sets []Set
	for _, g := range p.STS.Groups {
		var files []string
		for _, f := range g.Sets {
			files = append(files, f.File)
		}
		if g.Test() {
			test.Years = append(test.Years, files)
			continue
		}
		sets = append(sets, Set{Name: g.Name, Validation: g.Validation, Years: [][]string{files}})
	}
	if all {
		sets = append([]Set{test}, sets...)
	}
	return append(sets, Set{Name: "STR-2022", Years: [][]string{{"sts/str2022.csv"}}}), nil
}

// Recorded returns what is part of the program: a record of the built-in space.
func Recorded() (*Record, error) {
	r := new(Record)
	if err := json.Unmarshal(recorded, r); err != nil {
		return nil, fmt.Errorf("methods: the record of the built-in space: %w", err)
	}
	return r, nil
}

// draws and seed are those of intervals.
const draws, seed = 1000, 1

// Measure scores sets of the data folder by methods of a space. One that the space lacks something for is left out.
func Measure(ctx context.Context, s *cmdlib.Space, data string, sets []Set, names []string) (*Record, error) {
	r := &Record{
		Space:   s.Identity(),
		Machine: fmt.Sprintf("%d threads of %s", runtime.GOMAXPROCS(0), system.Processor()),
		Sets:    sets,
	}
	for _, name := range names {
		m, err := r.measure(ctx, s, data, name)
		if errors.Is(err, cmdlib.ErrSettings) {
			continue
		}
		if err != nil {
			return nil, err
		}
		r.Methods = append(r.Methods, *m)
	}
	return r, nil
}

// measure returns the row of a method.
func (r *Record) measure(ctx context.Context, s *cmdlib.Space, data, name string) (*Method, error) {
	by, err := s.Method(name)
	if err != nil {
		return nil, err
	}
	m := &Method{Name: name}
	texts, seconds := 0, 0.0
	for i := range r.Sets {
		set := &r.Sets[i]
		total := 0
		value, sums := 0.0, make([]float64, draws)
		for _, names := range set.Years {
			files, err := dataset.Locate(data, names...)
			if err != nil {
				return nil, err
			}
			part := 1 / float64(len(files)*len(set.Years))
			for _, file := range files {
				pairs, gold, err := read(file)
				if err != nil {
					return nil, err
				}
				start := time.Now()
				scores, err := s.Score(ctx, pairs, by, nil)
				if err != nil {
					return nil, err
				}
				seconds += time.Since(start).Seconds()
				texts += 2 * len(pairs)
				total += len(pairs)
				x, err := score.Pearson(scores.Value, gold)
				if err != nil {
					return nil, fmt.Errorf("methods: %s by %s: %w", file, name, err)
				}
				drawn, err := score.PearsonDraws(ctx, scores.Value, gold, draws, seed) // × 100
				if err != nil {
					return nil, err
				}
				value += float64(100 * part * x)
				for j, d := range drawn {
					sums[j] += float64(part * d)
				}
			}
		}
		set.Pairs = total
		low, high := score.Interval(sums)
		m.Scores = append(m.Scores, Score{value, low, high})
	}
	m.TextsPerSecond = float64(texts) / seconds
	return m, nil
}

func read(file string) (pairs []cmdlib.Pair, gold []float64, err error) {
	list, err := dataset.ReadPairs(file)
	for _, p := range list {
		pairs, gold = append(pairs, cmdlib.Pair{A: p.A, B: p.B}), append(gold, p.Gold)
	}
	return pairs, gold, err
}

// Of returns the row of a method, nil where it was not measured.
func (r *Record) Of(name string) *Method {
	for i := range r.Methods {
		if r.Methods[i].Name == name {
			return &r.Methods[i]
		}
	}
	return nil
}

// Notes say what the columns are, a sentence each.
func (r *Record) Notes() []string {
	return []string{
		"Sets: Pearson × 100 with what people say, of the built-in space; STS16 is what methods are chosen by.",
		"Texts/s: both texts of all pairs of these sets, on " + r.Machine + ".",
	}
}

// Table shows a record, with intervals.
func (r *Record) Table() *render.Table {
	t := &render.Table{
		ID: "methods", Title: "Those that a space answers by, measured", Label: "method", Notes: r.Notes(),
	}
	for _, s := range r.Sets {
		t.Columns = append(t.Columns, render.Column{Name: s.Name, Digits: 1})
	}
	t.Plain("", 0, "texts/s")
	for _, m := range r.Methods {
		row := render.Row{Key: m.Name, Label: m.Name}
		for _, x := range m.Scores {
			interval := &render.Interval{Low: x.Low, High: x.High}
			row.Cells = append(row.Cells, render.Cell{Value: &x.Value, Interval: interval})
		}
		row.Cells = append(row.Cells, render.Cell{Value: &m.TextsPerSecond})
		t.Add("", row)
	}
	return t
}
