package profile

import (
	"fmt"
	"slices"
)

// Systems describes the comparison of what systems score and cost.
type Systems struct {
	// Rows are ids of rows of sentence similarity. An empty list leaves the experiment out.
	Rows []string `toml:"rows"`
}

func (c *checker) systems(s Systems, rows []Row) { c.rowsOf("systems.rows", s.Rows, rows) }

// rowsOf checks that a list has ids of rows.
func (c *checker) rowsOf(key string, ids []string, rows []Row) {
	for i, id := range ids {
		if !slices.ContainsFunc(rows, func(r Row) bool { return r.ID == id }) {
			var known []string
			for _, r := range rows {
				known = append(known, r.ID)
			}
			c.fail(fmt.Sprintf("%s[%d]", key, i), "%q, expected the id of a row of sentence similarity; nearest: %s",
				id, nearest(id, known))
		}
	}
}
