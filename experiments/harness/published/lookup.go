package published

// Word returns the text of a printed cell, and false where the paper has no such cell.
func Word(table, row, column string) (string, bool) {
	t, err := Load(table)
	if err != nil {
		return "", false
	}
	c := t.Cell(row, column)
	if c == nil {
		return "", false
	}
	return c.Text, true
}

// Number returns a printed number for a table's cell, nil where the paper has none.
func Number(table, row, column string) *float64 {
	if v, ok := Value(table, row, column); ok {
		return &v
	}
	return nil
}
