package published

// Word returns the text of a printed cell, and false where the paper has no such cell.
func Word(table, row, column string) (string, bool) {
	c, ok := cell(table, row, column)
	return c.Text, ok
}

// Number returns a printed number for a table's cell, nil where the paper has none.
func Number(table, row, column string) *float64 {
	if v, ok := Value(table, row, column); ok {
		return &v
	}
	return nil
}
