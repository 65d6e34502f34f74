package uses

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/score"
	"contextmover/cmdlib/senses"
)

// finders are ways to group the uses of a word; the first is what repro senses has.
var finders = []row{
	{"uses", "k-means on vectors of uses (`repro senses`)"},
	{"sentences", "k-means on whole sentences (`Space.Encode`)"},
	{fewUses, fmt.Sprintf("the first row, of %d uses a word", few)},
	{fewTransport, fmt.Sprintf("k-medoids under the context mover's distance, of %d uses a word", few)},
}

// Transport compares each two uses, which takes long: it has few of a word, as has a row to hold it
// against.
const (
	few          = 150
	fewUses      = "few uses"
	fewTransport = "few uses, transport"
)

// grouped returns a group of each use, into k groups, or for k = 0 into as many as are best apart.
func grouped(ctx context.Context, s *cmdlib.Space, way string, list []corpus.Occurrence, k int) ([]int, error) {
	if way == "sentences" {
		return bySentences(ctx, s, list, k)
	}
	find := senses.ByVectors
	if way == fewTransport {
		find = senses.ByTransport
	}
	found, err := find(ctx, s, list, k)
	if err != nil {
		return nil, err
	}
	groups := make([]int, len(list))
	for i, sense := range found.Senses {
		for _, at := range sense.Occurrences {
			groups[at] = i + 1
		}
	}
	return groups, nil // those that are unclear are a group of their own
}

func bySentences(ctx context.Context, s *cmdlib.Space, list []corpus.Occurrence, k int) ([]int, error) {
	var texts []string
	for _, o := range list {
		texts = append(texts, strings.Join(o.Sentence, " "))
	}
	encoded, err := s.Encode(ctx, texts)
	if err != nil {
		return nil, err
	}
	var full []float64
	var ids []int
	for i := range list {
		row := make([]float64, s.Dim)
		for j, y := range encoded[i*s.Dim : (i+1)*s.Dim] {
			row[j] = float64(y)
		}
		if normalise(row) {
			ids, full = append(ids, i), append(full, row...)
		}
	}
	assignment, err := senses.Group(ctx, full, s.Dim, k)
	groups := make([]int, len(list))
	for i, group := range assignment {
		groups[ids[i]] = int(group) + 1
	}
	return groups, err
}

// normalise divides x by its length, if it has one, and tells whether.
func normalise(x []float64) bool {
	length := floats.Norm(x, 2)
	if length > 0 {
		floats.Scale(1/length, x)
	}
	return length > 0
}

// tagged are the uses of a word and their tags.
type tagged struct {
	word string
	list []corpus.Occurrence
	tags []int
}

// sample takes as many as repro senses does, or few, evenly spaced.
func (t tagged) sample(way string) tagged {
	n, most := len(t.tags), senses.MostOccurrences
	if way == fewUses || way == fewTransport {
		most = few
	}
	if n <= most {
		return t
	}
	s := tagged{word: t.word}
	for i := range most {
		from := i * n / most
		s.list, s.tags = append(s.list, t.list[from]), append(s.tags, t.tags[from])
	}
	return s
}

// agreement returns the adjusted Rand index of the groups that a way finds with the tags: 100 for the same groups, 0
// for random ones.
func (t tagged) agreement(ctx context.Context, s *cmdlib.Space, way string, told bool) (float64, error) {
	k := 0
	if told {
		k = len(slices.Compact(slices.Sorted(slices.Values(t.tags))))
	}
	groups, err := grouped(ctx, s, way, t.list, k)
	if err != nil {
		return 0, fmt.Errorf("uses: %s: %w", t.word, err)
	}
	return 100 * score.AdjustedRand(groups, t.tags), nil
}
