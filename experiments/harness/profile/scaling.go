package profile

import "fmt"

// Scaling describes the experiment on the amount of text.
type Scaling struct {
	// Parts are numbers of the corpus's files or shards, ascending: an amount of text is its first so many.
	Parts []int `toml:"parts"`
	// Rows are ids of rows of sentence similarity that choose nothing.
	Rows []string `toml:"rows" row:"y"`
}

func (c *checker) scaling(s Scaling, corpus Corpus) {
	if len(s.Parts) == 0 && len(s.Rows) == 0 {
		return // a profile without the experiment
	}
	if len(s.Parts) < 3 {
		c.fail("scaling.parts", "%d amounts of text, expected three at least: two make a line, which a third tests",
			len(s.Parts))
	}
	last := 0
	for i, n := range s.Parts {
		if n <= last || n > corpus.Parts() {
			c.fail(fmt.Sprintf("scaling.parts[%d]", i),
				"%d, expected ascending numbers from 1 to the corpus's %d files or shards", n, corpus.Parts())
		}
		last = n
	}
	if len(s.Rows) == 0 {
		c.fail("scaling.rows", "no rows, expected at least one")
	}
}
