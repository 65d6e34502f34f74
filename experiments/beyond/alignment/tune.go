package alignment

import (
	"context"
	"fmt"
	"slices"

	"contextmover/cmdlib/align"
	"contextmover/cmdlib/ot"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
	"contextmover/internal/parallel"
)

// Setting is what is chosen on development parts.
type Setting = profile.AlignmentSetting

// version is that of what rows make. In 2, exact transport starts from another plan, and so finds another one of those
// that cost the same.
const version = 2

// Iterations of plans between words.
const (
	maxIter   = 200
	tolerance = 1e-3
)

// link links the words of a pair, whose costs are base before places change them, with each of the settings.
func (d *data) link(
	ctx context.Context, row profile.AlignmentRow, p *dataset.Aligned, base []float64, settings []Setting,
	yield func(setting int, links []align.Link),
) error {
	n, m := len(p.Source), len(p.Target)
	var cost, strength []float64
	var before Setting
	for i, s := range settings {
		if i == 0 || s.Near != before.Near || s.Distortion != before.Distortion {
			cost = append(cost[:0], base...)
			align.Places{Prefix: row.Prefix, Near: s.Near, Distortion: s.Distortion}.Change(cost, p.Source, p.Target)
			strength = nil
		}
		var links []align.Link
		var err error
		switch {
		case row.Aligner == profile.AlignMutual:
			links, err = align.Mutual(n, m, cost, s.Most)
		case row.Aligner == profile.AlignAssignment:
			links, err = align.Assignment(ctx, n, m, cost, s.Most)
		default:
			if strength == nil || s.Reg != before.Reg || s.Price != before.Price {
				strength, err = align.Aligner{
					Kind: align.Kind(row.Aligner), Engine: d.Engine, Price: s.Price, Threshold: s.Threshold,
					Settings: ot.Settings{Reg: s.Reg, MaxIter: maxIter, Tol: tolerance},
				}.Strengths(ctx, n, m, cost)
			}
			links = align.Above(strength, m, s.Threshold)
		}
		if err != nil {
			return fmt.Errorf("pair %s: %w", p.ID, err)
		}
		yield(i, links)
		before = s
	}
	return nil
}

// counts returns what a row links of a file with each of the settings, as [setting][pair].
func (d *data) counts(
	ctx context.Context, row profile.AlignmentRow, file string, settings []Setting,
) ([][]Counts, error) {
	base, err := d.costs(ctx, row, file)
	if err != nil {
		return nil, err
	}
	pairs, err := d.read(ctx, file)
	if err != nil {
		return nil, err
	}
	all := make([][]Counts, len(settings))
	for s := range all {
		all[s] = make([]Counts, len(pairs))
	}
	return all, parallel.Blocks(ctx, len(pairs), 4, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			p := &pairs[i]
			if err := d.link(ctx, row, p, base[i], settings, func(s int, links []align.Link) {
				all[s][i] = count(p, links)
			}); err != nil {
				return err
			}
		}
		return nil
	})
}

// params are what a row and its settings make of a file.
func (d *data) params(row profile.AlignmentRow, settings []Setting) any {
	return struct {
		Aligner  string    `json:"aligner"`
		Cost     string    `json:"cost"`
		Geometry string    `json:"geometry,omitempty"`
		Prefix   int       `json:"prefix,omitempty"`
		Settings []Setting `json:"settings"`
		Seed     uint64    `json:"seed"`
	}{row.Aligner, row.Cost, row.Geometry, row.Prefix, settings, d.Profile.Seed}
}

// trialsNode has the F1 of a row on a development part with each of its settings.
func (d *data) trialsNode(row profile.AlignmentRow, file string) store.Node[[]float64] {
	settings := d.Profile.Alignment.Settings(row)
	return store.Node[[]float64]{
		Name: "alignment-trials", Version: version,
		Params: d.params(row, settings), Inputs: d.inputs(file),
		Subject: fmt.Sprintf("settings of row %q on %s", row.ID, file),
		Parts:   func(f1 *[]float64) []store.Part { return []store.Part{store.Array("f1.npy", f1)} },
		Make: func(ctx context.Context) ([]float64, error) {
			_, finish := d.Step(fmt.Sprintf("align words: %d settings of %s", len(settings), row.ID))
			defer finish()
			all, err := d.counts(ctx, row, file, settings)
			if err != nil {
				return nil, err
			}
			f1 := make([]float64, len(settings))
			for s, counts := range all {
				f1[s] = scores(counts, upTo(len(counts))).F1
			}
			return f1, nil
		},
	}
}

// linksNode has what a row links of a file with a setting: the numbers of Counts, seven a pair.
func (d *data) linksNode(row profile.AlignmentRow, file string, s Setting) store.Node[[]int32] {
	return store.Node[[]int32]{
		Name: "alignment-links", Version: version,
		Params: d.params(row, []Setting{s}), Inputs: d.inputs(file),
		Subject: fmt.Sprintf("row %q on %s", row.ID, file),
		Parts:   func(counts *[]int32) []store.Part { return []store.Part{store.Array("counts.npy", counts)} },
		Make: func(ctx context.Context) ([]int32, error) {
			all, err := d.counts(ctx, row, file, []Setting{s})
			if err != nil {
				return nil, err
			}
			var numbers []int32
			for _, c := range all[0] {
				numbers = append(numbers, c.numbers()...)
			}
			return numbers, nil
		},
	}
}

// numbers are those of c, for its file.
func (c Counts) numbers() []int32 {
	return []int32{c.Links.Said, c.Links.Gold, c.Links.Both, c.Nulls.Said, c.Nulls.Gold, c.Nulls.Both, c.Exact}
}

// countsOf reads numbers.
func countsOf(numbers []int32) (all []Counts) {
	for n := range slices.Chunk(numbers, 7) {
		all = append(all, Counts{Tally{n[0], n[1], n[2]}, Tally{n[3], n[4], n[5]}, n[6]})
	}
	return all
}
