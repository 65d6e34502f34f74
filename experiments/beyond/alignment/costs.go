package alignment

import (
	"context"
	"fmt"
	"math/rand/v2"

	"contextmover/cmdlib"
	"contextmover/cmdlib/align"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/english"
	"contextmover/cmdlib/ot"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/divergence"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
)

// data are the files of a run and what the costs of their words are made from.
type data struct {
	*pipeline.Workspace
	space *cmdlib.Space
	pairs map[string][]dataset.Aligned // of a file
}

func newData(w *pipeline.Workspace) (*data, error) {
	space, err := english.Open(w.Engine)
	return &data{Workspace: w, space: space, pairs: map[string][]dataset.Aligned{}}, err
}

// read returns the pairs of a file.
func (d *data) read(ctx context.Context, file string) ([]dataset.Aligned, error) {
	if pairs, ok := d.pairs[file]; ok {
		return pairs, nil
	}
	path, err := d.File(ctx, file)
	if err != nil {
		return nil, err
	}
	d.pairs[file], err = dataset.ReadAlignments(path)
	return d.pairs[file], err
}

// chunks tells whether chunks of words are linked in a file.
func (d *data) chunks(ctx context.Context, file string) (bool, error) {
	pairs, err := d.read(ctx, file)
	return err == nil && pairs[0].SourceChunks != nil, err
}

// inputs are what all that is made of a file is made from.
func (d *data) inputs(file string) []store.Input {
	return []store.Input{d.FileInput(file), store.Key(d.space.Identity())}
}

// costs returns the costs between the words of each pair of a file, before places change them.
func (d *data) costs(ctx context.Context, row profile.AlignmentRow, file string) ([][]float64, error) {
	pairs, err := d.read(ctx, file)
	if err != nil {
		return nil, err
	}
	all := make([][]float64, len(pairs))
	switch {
	case row.Cost == profile.AlignLetters || row.Cost == profile.AlignVectors && row.Geometry == method.Discrete:
		for i, p := range pairs {
			all[i] = align.Discrete(p.Source, p.Target)
		}
		return all, nil
	case row.Cost == profile.AlignVectors:
		return d.cosines(pairs, row.Geometry == method.Shuffled), nil
	}
	apart, err := store.Get(ctx, d.Store, d.contextsNode(file, row.Geometry))
	if err != nil {
		return nil, err
	}
	for i, p := range pairs {
		n := len(p.Source) * len(p.Target)
		for _, x := range apart[:n] {
			all[i] = append(all[i], float64(x))
		}
		apart = apart[n:]
	}
	if row.Cost == profile.AlignMixed {
		for i, cosines := range d.cosines(pairs, false) {
			for k, x := range cosines {
				all[i][k] = (all[i][k] + x) / 2
			}
		}
	}
	return all, nil
}

// cosines are the costs by vectors; shuffled, each word of the file has the vector of another.
func (d *data) cosines(pairs []dataset.Aligned, shuffled bool) [][]float64 {
	words, number := distinct(pairs)
	vectors := d.space.WordVectors(words)
	if shuffled {
		random := rand.New(rand.NewPCG(d.Profile.Seed, pipeline.Seed(d.Profile.Seed, "shuffled words")))
		random.Shuffle(len(words), func(i, j int) { vectors[i], vectors[j] = vectors[j], vectors[i] })
	}
	sentence := func(text []string) align.Words {
		w := align.Words{Text: text}
		for _, token := range text {
			w.Vectors = append(w.Vectors, vectors[number[corpus.LowerWord(token)]])
		}
		return w
	}
	all := make([][]float64, len(pairs))
	for i, p := range pairs {
		all[i] = align.Cosines(sentence(p.Source), sentence(p.Target))
	}
	return all
}

// distinct returns the words of pairs in lower case, each once in the order of the file, and their numbers.
func distinct(pairs []dataset.Aligned) (words []string, number map[string]int32) {
	number = map[string]int32{}
	for _, p := range pairs {
		for _, side := range [][]string{p.Source, p.Target} {
			for _, token := range side {
				token = corpus.LowerWord(token)
				if _, ok := number[token]; !ok {
					number[token] = int32(len(words))
					words = append(words, token)
				}
			}
		}
	}
	return words, number
}

// contextsNode has the context mover's distances between the words of all pairs of a file, one pair after the other,
// at most 1 each, which is also what a word without a histogram costs; 0 between the same words.
func (d *data) contextsNode(file, geometry string) store.Node[[]float32] {
	if geometry == method.TrueGeometry {
		geometry = ""
	}
	return store.Node[[]float32]{
		Name: "alignment-contexts", Version: 1, Inputs: d.inputs(file),
		Params: struct {
			Geometry string `json:"geometry,omitempty"`
			Seed     uint64 `json:"seed"`
		}{geometry, d.Profile.Seed},
		Subject: fmt.Sprintf("distances of the words of %s, %s", file, geometry),
		Parts: func(apart *[]float32) []store.Part {
			return []store.Part{store.Array("apart.npy", apart)}
		},
		Make: func(ctx context.Context) ([]float32, error) {
			pairs, err := d.read(ctx, file)
			if err != nil {
				return nil, err
			}
			return d.contexts(ctx, pairs, geometry)
		},
	}
}

// contexts computes contextsNode: each two words once.
func (d *data) contexts(ctx context.Context, pairs []dataset.Aligned, geometry string) ([]float32, error) {
	_, finish := d.Step("distances between the words of sentences")
	defer finish()
	words, number := distinct(pairs)
	rows := ot.Histograms{K: d.space.Cost.K}
	row := make([]int32, len(words)) // of each word, −1 without
	for i, word := range words {
		row[i] = -1
		if id, ok := d.space.ID(word); ok && d.space.Has(word) {
			histogram, err := d.space.Row(id)
			if err != nil {
				return nil, err
			}
			row[i] = int32(rows.Len())
			rows.Data = append(rows.Data, histogram...)
		}
	}
	costs := func(between func(ot.Pair) float64) (apart []float32) {
		for _, p := range pairs {
			for _, x := range align.Between(p.Source, p.Target, func(i, j int) float64 {
				a, b := row[number[corpus.LowerWord(p.Source[i])]], row[number[corpus.LowerWord(p.Target[j])]]
				if a < 0 || b < 0 || a == b {
					return 1
				}
				return between(ot.Pair{Source: min(a, b), Target: max(a, b)})
			}) {
				apart = append(apart, float32(x))
			}
		}
		return apart
	}

	place := map[ot.Pair]int{}
	var moved []ot.Pair
	costs(func(pair ot.Pair) float64 {
		if _, there := place[pair]; !there {
			place[pair] = len(moved)
			moved = append(moved, pair)
		}
		return 0
	})
	distances, err := d.distances(ctx, rows, moved, geometry)
	if err != nil {
		return nil, err
	}
	return costs(func(pair ot.Pair) float64 { return min(distances[place[pair]], 1) }), nil
}

// distances are those of pairs of histograms with the space's ground cost, with one of shuffled clusters, or with a
// discrete one: total variation.
func (d *data) distances(ctx context.Context, rows ot.Histograms, pairs []ot.Pair, geometry string) ([]float64, error) {
	distances := make([]float64, len(pairs))
	if geometry == method.Discrete {
		for i, p := range pairs {
			distances[i] = divergence.TotalVariation.Between(rows.Row(int(p.Source)), rows.Row(int(p.Target)))
		}
		return distances, nil
	}
	cost := d.space.Cost
	if geometry == method.Shuffled {
		random := rand.New(rand.NewPCG(d.Profile.Seed, pipeline.Seed(d.Profile.Seed, "shuffled clusters")))
		cost = method.Permute(cost, random.Perm(cost.K))
	}
	results, err := ot.Distances(ctx, d.Engine, &ot.Problem{
		Settings: d.space.Settings.Transport, Cost: cost, Rows: rows, Pairs: pairs,
	})
	for i, r := range results {
		distances[i] = r.Cost
	}
	return distances, err
}
