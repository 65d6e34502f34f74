package cmdlib

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"contextmover/cmdlib/ot"
)

// Side is one of the two that are compared.
type Side struct {
	// Text is what was asked for; Words are its words that have an estimate, Unknown the
	// others, which are left out.
	Text    string   `json:"text"`
	Words   []string `json:"words,omitempty"`
	Unknown []string `json:"unknown,omitempty"`
	// Histogram is what is moved, and Contexts are its bins with most mass, largest first, where Explain was asked;
	// those whose names tell nothing (see Space.Name) come last.
	Histogram []float32 `json:"-"`
	Contexts  []Context `json:"contexts,omitempty"`
	// Terms are all words in order, as methods of vectors take them; else nil.
	Terms []Term `json:"terms,omitempty"`
}

// Context is a bin of a side.
type Context struct {
	Bin  int     `json:"bin"`
	Mass float64 `json:"mass"` // of the side in the bin
	// Name are the words of Space.Name, the same for every side.
	Name []string `json:"name"`
	// Sources say what brought the mass, the largest share first: of a word the contexts
	// it is most associated with (none if the space does not keep them, or where the
	// bin has little mass), of a longer text its own words.
	Sources []Source `json:"sources,omitempty"`
}

// Flow is mass that moves from a bin of one side to one of the other, or stays in one that
// both have.
type Flow struct {
	From Context `json:"from"`
	To   Context `json:"to"`
	Mass float64 `json:"mass"`
	Cost float64 `json:"cost"` // of a unit of mass; the distance is the sum of Mass·Cost
}

// Explain returns what Compare returns. By transport it adds the plan, with n contexts of each side and n flows of
// each kind; by vectors it has nothing to add. n < 1 is an error, and so is a file that is damaged where it is read,
// an ErrDamaged.
func (s *Space) Explain(ctx context.Context, from, to string, n int) (*Comparison, error) {
	if n < 1 {
		return nil, fmt.Errorf("cmdlib: %d contexts are asked for, expected at least 1", n)
	}
	return s.compare(ctx, from, to, n)
}

// explain fills in the plan of a comparison, with n contexts of each side and n flows of each kind.
func (c *Comparison) explain(plan *ot.Plan, n int) error {
	s := c.space
	c.Plan = plan
	d := describer{Space: s, names: map[int][]string{}}
	k := s.Cost.K
	for _, side := range []*Side{&c.From, &c.To} {
		for _, bin := range d.largest(k, n, func(i int) float64 { return float64(side.Histogram[i]) }) {
			side.Contexts = append(side.Contexts, d.describe(side, bin))
		}
	}
	for _, from := range c.From.Contexts {
		var moved, costs []float64
		for _, to := range c.To.Contexts {
			moved = append(moved, plan.Mass[from.Bin*k+to.Bin])
			costs = append(costs, float64(s.Cost.Data[from.Bin*k+to.Bin]))
		}
		c.Moved, c.Costs = append(c.Moved, moved), append(c.Costs, costs)
	}

	kept, moves := make([]float64, len(plan.Mass)), make([]float64, len(plan.Mass))
	for at, mass := range plan.Mass {
		if at/k == at%k {
			kept[at] = mass
			c.Stays += mass
		} else {
			moves[at] = mass * float64(s.Cost.Data[at])
		}
	}
	c.Kept = d.flows(plan.Mass, &c.From, &c.To, n, kept)
	c.Flows = d.flows(plan.Mass, &c.From, &c.To, n, moves)
	return d.damaged
}

// describer says what the contexts of sides are, and keeps the first error and the names.
type describer struct {
	*Space
	names   map[int][]string
	damaged error
}

func (d *describer) describe(side *Side, bin int) Context {
	sources, err := d.brought(side, bin)
	if d.damaged == nil {
		d.damaged = err
	}
	if _, ok := d.names[bin]; !ok {
		d.names[bin], _ = d.Name(bin, nameWords)
	}
	return Context{Bin: bin, Mass: float64(side.Histogram[bin]), Name: d.names[bin], Sources: sources}
}

// flows returns the n flows of a plan between two sides with the largest values.
func (d *describer) flows(mass []float64, from, to *Side, n int, values []float64) (flows []Flow) {
	k := d.Cost.K
	for _, at := range d.largest(len(mass), n, func(at int) float64 { return values[at] }) {
		flows = append(flows, Flow{
			From: d.describe(from, at/k), To: d.describe(to, at%k), Mass: mass[at], Cost: float64(d.Cost.Data[at]),
		})
	}
	return flows
}

// largest is that of bins, or of pairs of bins that are in a row: first those whose names tell something, then others.
func (d *describer) largest(size, n int, value func(i int) float64) (at []int) {
	k := d.Cost.K
	for _, telling := range []bool{true, false} {
		at = append(at, largest(size, n-len(at), func(i int) float64 {
			if (d.telling(i%k) && (size == k || d.telling(i/k))) != telling {
				return 0
			}
			return value(i)
		})...)
	}
	return at
}

// nameWords is the number of words in the name of a context.
const nameWords = 3

// brought says what brought the mass of a side to a bin.
func (s *Space) brought(side *Side, bin int) ([]Source, error) {
	if len(side.Words) == 1 {
		id, _ := s.ID(side.Words[0])
		return s.sources(id, bin)
	}
	var list []Source
	sum := 0.0
	for _, word := range side.Words {
		id, _ := s.ID(word)
		share := float64(s.weight(id) * float64(s.row(id)[bin]))
		sum += share
		if i := slices.IndexFunc(list, func(x Source) bool { return x.Word == word }); i >= 0 {
			list[i].Share += share
		} else {
			list = append(list, Source{word, share})
		}
	}
	list = slices.DeleteFunc(list, func(x Source) bool { return x.Share == 0 })
	for i := range list {
		list[i].Share /= sum
	}
	slices.SortStableFunc(list, func(a, b Source) int { return cmp.Compare(b.Share, a.Share) })
	return list, nil
}

// weight is that of a word in a sentence, up to a factor of the sentence.
func (s *Space) weight(id int32) float64 {
	return s.Settings.Sentence.Weighting.Weight(s.Probability(id))
}

// largestPairs are the rows and columns of the n largest positive entries of a matrix, as largest orders them.
func largestPairs(matrix [][]float64, n int) (pairs [][2]int) {
	all := slices.Concat(matrix...)
	for _, at := range largest(len(all), n, func(at int) float64 { return all[at] }) {
		columns := len(matrix[0])
		pairs = append(pairs, [2]int{at / columns, at % columns})
	}
	return pairs
}

// largest returns the positions of the n largest positive values of 0 … size−1,
// largest first, the first of equals first.
func largest(size, n int, value func(i int) float64) []int {
	var at []int
	for i := range size {
		x := value(i)
		if x <= 0 || n == 0 || len(at) == n && x <= value(at[n-1]) {
			continue
		}
		place := len(at)
		for place > 0 && x > value(at[place-1]) {
			place--
		}
		at = slices.Insert(at, place, i)
		at = at[:min(n, len(at))]
	}
	return at
}
