package verdict

import "testing"

// The recorded runs still say what findings.md claims of the geometry of ground costs: the whole interval of a
// difference lies above 0, or below.
func TestFindings(t *testing.T) {
	const documents, words, alignment = "documents_geometry", "moved words, IDF masses/", "alignment_minus"
	for _, f := range []struct {
		says, profile, table, row, column string
		above                             bool
	}{
		{"the discrete metric errs more", "documents", documents, words + "discrete", "twitter", true},
		{"the discrete metric errs more", "documents", documents, words + "discrete", "R8", true},
		{"the discrete metric errs more", "documents", documents, words + "discrete", "amazon", true},
		{"the discrete metric errs more", "documents", documents, words + "discrete", "20news", true},
		{"where words are matters", "documents", documents, words + "shuffled", "twitter", true},
		{"where words are matters", "documents", documents, words + "shuffled", "amazon", true},
		{"where words are matters", "documents", documents, words + "shuffled", "20news", true},
		{"vectors help beyond letters", "alignment", alignment, "partial-discrete − partial-true", "MSR-RTE", false},
		{"vectors help beyond letters", "alignment", alignment, "partial-discrete − partial-true", "Edinburgh++", false},
		{"vectors help beyond letters", "alignment", alignment, "partial-discrete − partial-true", "MultiMWA-Wiki", false},
		{"shuffled vectors are worse", "alignment", alignment, "partial-shuffled − partial-true", "Edinburgh++", false},
		{"contexts are behind cosines", "alignment", alignment, "contexts-true − partial-true", "MSR-RTE", false},
		{"contexts are behind cosines", "alignment", alignment, "contexts-true − partial-true", "MultiMWA-Wiki", false},
		{"the mean of both is behind", "alignment", alignment, "contexts-mixed − partial-true", "MSR-RTE", false},
	} {
		all, err := RecordedResults(f.profile)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, r := range all {
			for _, table := range r.Tables {
				for _, b := range table.Blocks {
					for _, row := range b.Rows {
						for i, c := range row.Cells {
							if table.ID != f.table || row.Key != f.row || table.Columns[i].Name != f.column {
								continue
							}
							found = true
							if f.above && !(c.Low > 0) || !f.above && !(c.High < 0) {
								t.Errorf("%s, %s, %s: %v [%v, %v], but findings.md says that %s", f.profile, f.row, f.column,
									*c.Value, c.Low, c.High, f.says)
							}
						}
					}
				}
			}
		}
		if !found {
			t.Errorf("%s has no %s, %s, %s", f.profile, f.table, f.row, f.column)
		}
	}
}
