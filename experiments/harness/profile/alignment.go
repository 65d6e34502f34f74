package profile

import (
	"fmt"
	"maps"
	"slices"

	"contextmover/cmdlib/align"
	"contextmover/experiments/harness/method"
)

// Alignment describes the experiment on word alignment.
type Alignment struct {
	// Sets are pairs of sentences whose words people have linked. An empty list leaves the experiment out.
	Sets   []AlignmentSet   `toml:"sets"`
	Blocks []AlignmentBlock `toml:"blocks"`
	Rows   []AlignmentRow   `toml:"rows"`
	// Minus lists differences between rows that are shown.
	Minus []AlignmentMinus `toml:"minus"`
	// Select is tried on development parts: whatever an aligner has of it.
	Select method.Grid `toml:"select"`
}

// AlignmentSet is two files of aligned pairs: settings are chosen on the one and reported on the other.
type AlignmentSet struct {
	Name        string `toml:"name" unique:"y"`
	Development string `toml:"development"`
	Test        string `toml:"test"`
	// Systems are files with what other systems linked of the test pairs.
	Systems []AlignmentSystem `toml:"systems"`
}

// AlignmentSystem is what another system linked.
type AlignmentSystem struct {
	Name string `toml:"name" unique:"y"`
	File string `toml:"file"`
}

// AlignmentBlock is a part of the table.
type AlignmentBlock struct {
	ID    string `toml:"id" unique:"y"`
	Title string `toml:"title"`
}

// AlignmentRow is a way to link words.
type AlignmentRow struct {
	ID    string `toml:"id" unique:"y" form:"id"`
	Label string `toml:"label"`
	Block string `toml:"block"`
	// Aligner is a kind of transport, AlignMutual or AlignAssignment.
	Aligner string `toml:"aligner"`
	// Cost is what unlike words cost: AlignLetters, AlignVectors, AlignContexts or AlignMixed.
	Cost string `toml:"cost" oneof:"letters|vectors|contexts|mixed"`
	// Geometry is that of vectors, or of the ground cost of contexts: true (also if empty), shuffled or discrete.
	Geometry string `toml:"geometry" oneof:"|true|shuffled|discrete"`
	// Prefix is that of align.Places.
	Prefix int `toml:"prefix" range:"0..20"`
	// Near and Distortion, if not empty, stand instead of those of the grid.
	Near       []float64 `toml:"near" range:"0.."`
	Distortion []float64 `toml:"distortion" range:"0.."`
	// Common tells that one setting is chosen for all sets, the best on the mean of the development parts of those
	// whose words are linked, not chunks.
	Common bool `toml:"common"`
}

// AlignmentMinus is the difference of two rows.
type AlignmentMinus struct {
	Row        string `toml:"row"`
	Subtrahend string `toml:"of"` // what is subtracted: another row, or a system by its name
}

// AlignmentSetting is what is chosen on development parts; what an aligner does not have is 0.
type AlignmentSetting struct {
	Near       float64 `toml:"near" json:"near" range:"0.." grid:"y"`
	Distortion float64 `toml:"distortion" json:"distortion" range:"0.." grid:"y"`
	// Transport, Price and Threshold are of transport.
	method.Transport
	Price     float64 `toml:"price" json:"price,omitempty" range:">0" grid:"y"`
	Threshold float64 `toml:"threshold" json:"threshold,omitempty" range:"0..1" grid:"y"`
	// Most is that of AlignMutual and AlignAssignment.
	Most float64 `toml:"most" json:"most,omitempty" range:">0" grid:"y"`
}

// Settings returns the settings that a row chooses from. Those that differ in their threshold alone, which share a
// plan, follow one another; so do those that differ in Most.
func (a Alignment) Settings(row AlignmentRow) []AlignmentSetting {
	g := maps.Clone(a.Select)
	for name, own := range map[string][]float64{"near": row.Near, "distortion": row.Distortion} {
		if len(own) > 0 {
			g[name] = nil
			for _, x := range own {
				g[name] = append(g[name], x)
			}
		}
	}
	without := []string{"most"}
	switch {
	case !row.Transport():
		without = []string{"reg", "price", "threshold"}
	case row.Aligner == string(align.Balanced):
		without = append(without, "price")
	}
	for _, name := range without {
		delete(g, name)
	}
	return method.Vary(g, AlignmentSetting{})
}

// The aligners that are compared with kinds of transport, and the costs.
const (
	AlignMutual     = "mutual"
	AlignAssignment = "assignment"

	AlignLetters  = "letters"  // all unlike words the same
	AlignVectors  = "vectors"  // cosines
	AlignContexts = "contexts" // the context mover's distance between the words
	AlignMixed    = "mixed"    // the mean of both
)

// Transport tells whether the row has a plan.
func (r AlignmentRow) Transport() bool {
	return r.Aligner != AlignMutual && r.Aligner != AlignAssignment
}

func (c *checker) alignment(a Alignment) {
	aligners := []string{AlignMutual, AlignAssignment}
	for _, k := range align.Kinds() {
		aligners = append(aligners, string(k))
	}
	rows, systems := c.names["alignment.rows"], []string(nil)
	for i, set := range a.Sets {
		key := fmt.Sprintf("alignment.sets[%d]", i)
		if set.Development == "" || set.Test == "" || set.Development == set.Test {
			c.fail(key, "development %q and test %q, expected two files: nothing is chosen on a test set",
				set.Development, set.Test)
		}
		systems = append(systems, c.names[key+".systems"]...)
	}
	for i, r := range a.Rows {
		key := fmt.Sprintf("alignment.rows[%d]", i)
		c.oneOf(key+".block", r.Block, c.names["alignment.blocks"])
		c.oneOf(key+".aligner", r.Aligner, aligners)
		if r.Geometry != "" && r.Cost != AlignVectors && r.Cost != AlignContexts {
			c.fail(key+".geometry", "%q of costs that are %s, which have one geometry: leave it out",
				r.Geometry, r.Cost)
		}
	}
	for i, m := range a.Minus {
		key := fmt.Sprintf("alignment.minus[%d]", i)
		c.oneOf(key+".row", m.Row, rows)
		c.oneOf(key+".of", m.Subtrahend, slices.Concat(rows, systems))
	}
	if len(a.Rows) == 0 {
		return
	}
	for _, f := range varied(AlignmentSetting{}) {
		if len(a.Select[f.Name]) == 0 {
			c.fail("alignment.select."+f.Name, "no numbers, expected at least one")
		}
	}
}
