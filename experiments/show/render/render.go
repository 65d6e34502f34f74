// Package render writes tables: one description becomes text for a terminal, Markdown, LaTeX and CSV. The first three
// are for readers. They show our number with the paper's in parentheses, 48.3 (48.2), and words with escapes for
// control characters. The CSV is complete and for programs, with the words as they are.
//
// The file depends on the description alone.
package render

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"contextmover/internal/atomicfile"
	"contextmover/internal/printable"
)

// Table describes one table. Its JSON leaves out the blocks, whose rows are lines of their own in files of results.
type Table struct {
	ID      string   `json:"id"`              // stem of its files
	Title   string   `json:"title"`           // one line
	Notes   []string `json:"notes,omitempty"` // lines below the table
	Label   string   `json:"label"`           // header of the column of row labels, e.g. "method"
	Columns []Column `json:"columns"`
	Blocks  []Block  `json:"-"`
}

// Column describes one column of cells.
type Column struct {
	// Name is shown with blanks for underscores.
	Name string `json:"name"`
	// Group is a header over neighbouring columns that share it; "" for none. Columns
	// are addressed as Group/Name, or Name without a group.
	Group string `json:"group,omitempty"`
	// Digits is the number of digits shown after the decimal point.
	Digits int `json:"digits"`
	// LowerIsBetter reverses the marks for the best values.
	LowerIsBetter bool `json:"lower_is_better,omitempty"`
	// Unmarked leaves out the marks: for counts, settings and the like.
	Unmarked bool `json:"unmarked,omitempty"`
}

// NewTable returns a table without columns and rows.
func NewTable(id, label, title string, notes ...string) *Table {
	return &Table{ID: id, Label: label, Title: title, Notes: notes}
}

// Plain appends unmarked columns below a group, of values with so many digits.
func (t *Table) Plain(group string, digits int, names ...string) {
	t.columns(Column{Group: group, Digits: digits, Unmarked: true}, names)
}

// Scores appends columns below a group, of values with so many digits of which the greatest is the best.
func (t *Table) Scores(group string, digits int, names ...string) {
	t.columns(Column{Group: group, Digits: digits}, names)
}

func (t *Table) columns(like Column, names []string) {
	for _, like.Name = range names {
		t.Columns = append(t.Columns, like)
	}
}

// Add appends a row to the block with this title, which begins a new one at the end if there is none, and returns the
// row for what it has besides, until the next row is added.
func (t *Table) Add(block, key, label string, cells ...Cell) *Row {
	at := slices.IndexFunc(t.Blocks, func(b Block) bool { return b.Title == block })
	if at < 0 {
		at = len(t.Blocks)
		t.Blocks = append(t.Blocks, Block{Title: block})
	}
	b := &t.Blocks[at]
	b.Rows = append(b.Rows, Row{Key: key, Label: label, Cells: cells})
	return &b.Rows[len(b.Rows)-1]
}

// Number is the cell of a value.
func Number(x float64) Cell { return Cell{Value: &x} }

// Texts are cells of text.
func Texts(texts ...string) (cells []Cell) {
	for _, text := range texts {
		cells = append(cells, Cell{Text: text})
	}
	return cells
}

// Address returns how cells of the column are addressed: Group/Name or Name.
func (c Column) Address() string {
	if c.Group != "" {
		return c.Group + "/" + c.Name
	}
	return c.Name
}

func (c Column) title() string { return strings.ReplaceAll(c.Name, "_", " ") }

// Block is a group of rows that are compared with each other: the best value of
// each column is set in bold, the second underlined. Only values of our own, in
// rows of origin Run, are compared; values that look equal share a mark.
type Block struct {
	Title string // "" for none
	Rows  []Row
}

// Origin tells where the printed numbers of a row come from.
type Origin string

const (
	Run       Origin = "" // the paper's authors or, without a printed number, only we
	Quoted    Origin = "quoted"
	NotStated Origin = "not_stated"
)

// Row is one row; Cells has one entry for each column of the table.
type Row struct {
	// Key names the row in the address (table, row, column) of a cell and must be
	// unique in the table; empty, it is the Label.
	Key    string `json:"row"`
	Label  string `json:"label"`
	Origin Origin `json:"origin,omitempty"`
	Cells  []Cell `json:"cells"`
}

func (r Row) key() string {
	if r.Key != "" {
		return r.Key
	}
	return r.Label
}

// Cell is one cell. The zero Cell is empty. All numbers must be finite.
type Cell struct {
	Value     *float64 `json:"ours,omitempty"`
	*Interval          // 95 % interval of Value
	Printed   *float64 `json:"printed,omitempty"` // the paper's
	*Coverage          // of the items behind Value, those that could be scored
	Text      string   `json:"text,omitempty"` // shown instead of a Value
}

// Interval is a closed interval, Low ≤ High.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Coverage counts the items of a dataset that a score is based on.
type Coverage struct {
	Covered int `json:"covered"`
	Total   int `json:"total"`
}

var validID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

// check returns an error that names the first place where t breaks the rules of
// its type.
func (t *Table) check() error {
	if !validID.MatchString(t.ID) {
		return fmt.Errorf("render: table id %q is not a file's stem: expected letters, digits, '_', '-' and '.'", t.ID)
	}
	if len(t.Columns) == 0 {
		return fmt.Errorf("render: table %s has no columns", t.ID)
	}
	seen := make(map[string]bool)
	for _, c := range t.Columns {
		if c.Digits < 0 {
			return fmt.Errorf("render: table %s, column %q: %d digits", t.ID, c.Address(), c.Digits)
		}
		if seen[c.Address()] {
			return fmt.Errorf("render: table %s: two columns %q", t.ID, c.Address())
		}
		seen[c.Address()] = true
	}
	clear(seen)
	for _, b := range t.Blocks {
		for _, r := range b.Rows {
			if seen[r.key()] {
				return fmt.Errorf("render: table %s: two rows with the key %q; set Row.Key", t.ID, r.key())
			}
			seen[r.key()] = true
			if len(r.Cells) != len(t.Columns) {
				return fmt.Errorf("render: table %s, row %q: %d cells for %d columns",
					t.ID, r.key(), len(r.Cells), len(t.Columns))
			}
			if r.Origin != Run && r.Origin != Quoted && r.Origin != NotStated {
				return fmt.Errorf("render: table %s, row %q: unknown origin %q", t.ID, r.key(), r.Origin)
			}
			for i, c := range r.Cells {
				if err := c.check(); err != nil {
					return fmt.Errorf("render: table %s, row %q, column %q: %w",
						t.ID, r.key(), t.Columns[i].Address(), err)
				}
			}
		}
	}
	return nil
}

func (c Cell) check() error {
	finite := func(p *float64) bool { return p == nil || !math.IsNaN(*p) && !math.IsInf(*p, 0) }
	switch {
	case !finite(c.Value):
		return fmt.Errorf("the value is %v", *c.Value)
	case c.Value != nil && c.Text != "":
		return fmt.Errorf("both a value, %v, and a text, %q", *c.Value, c.Text)
	case !finite(c.Printed):
		return fmt.Errorf("the printed value is %v", *c.Printed)
	case c.Interval != nil && (c.Value == nil || !(c.Interval.Low <= c.Interval.High) || !finite(&c.Interval.Low) ||
		!finite(&c.Interval.High)):
		return fmt.Errorf("interval [%v, %v] of %v", c.Interval.Low, c.Interval.High, c.Value)
	case c.Coverage != nil && (c.Coverage.Total < 1 || c.Coverage.Covered < 0 || c.Coverage.Covered > c.Coverage.Total):
		return fmt.Errorf("coverage of %d of %d items", c.Coverage.Covered, c.Coverage.Total)
	}
	return nil
}

// Formats are the extensions of all formats.
func Formats() []string { return []string{".txt", ".md", ".tex", ".csv"} }

// kept are the extensions of the formats that Write writes: what is read on the web, and what programs read.
var kept = []string{".md", ".csv"}

// As writes t in the format of an extension of Formats. It panics at another extension.
func As(w io.Writer, t *Table, extension string) error {
	switch extension {
	case ".txt":
		return Text(w, t, Terminal)
	case ".md":
		return Markdown(w, t)
	case ".tex":
		return LaTeX(w, t)
	case ".csv":
		return CSV(w, t)
	}
	panic("render: no format " + extension)
}

// Write renders t into <dir>/<id>.md and .csv. It makes the folder if need be. Both are rendered before the first is
// written, and each is renamed into place whole.
func Write(dir string, t *Table) error {
	contents := make([]bytes.Buffer, len(kept))
	for i, extension := range kept {
		if err := As(&contents[i], t, extension); err != nil {
			return err
		}
	}
	for i, extension := range kept {
		if err := atomicfile.WriteInFolder(filepath.Join(dir, t.ID+extension), contents[i].Bytes()); err != nil {
			return fmt.Errorf("render: %w", err)
		}
	}
	return nil
}

type mark int

const (
	plain mark = iota
	best
	second
)

// view is a table whose numbers have become strings, whose words can be shown and whose marks are set: what
// the formats for readers share.
type view struct {
	ID, Title, Label string
	Columns          []Column
	Blocks           []viewBlock
	Notes            []string
	// Coverage has the usual coverage of each column, or is nil if no cell has one.
	Coverage []string
	// Numeric tells which columns hold numbers; the others are text.
	Numeric []bool
	// what occurs, for the legend
	printed, interval, best, quoted, notStated bool
}

type viewBlock struct {
	Title string
	Rows  []viewRow
}

type viewRow struct {
	Key, Label string // the key as it is
	Origin     Origin
	Cells      []viewCell
}

// viewCell holds the parts of a cell; those that are absent are empty.
type viewCell struct {
	mark      mark
	value     string // or the text
	printed   string // without parentheses
	low, high string
	coverage  string // only where it differs from the column's
}

func newView(t *Table) (*view, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	v := &view{
		ID: t.ID, Title: printable.Text(t.Title), Label: printable.Text(t.Label),
		Numeric: make([]bool, len(t.Columns)),
	}
	for _, note := range t.Notes {
		v.Notes = append(v.Notes, printable.Text(note))
	}
	for _, c := range t.Columns {
		c.Name, c.Group = printable.Text(c.Name), printable.Text(c.Group)
		v.Columns = append(v.Columns, c)
	}
	usual := usualCoverage(t)
	if strings.Join(usual, "") != "" {
		v.Coverage = usual
	}

	for _, b := range t.Blocks {
		marks := b.marks(t.Columns)
		block := viewBlock{Title: printable.Text(b.Title)}
		for i, r := range b.Rows {
			row := viewRow{Key: r.key(), Label: printable.Text(r.Label), Origin: r.Origin}
			v.quoted = v.quoted || r.Origin == Quoted
			v.notStated = v.notStated || r.Origin == NotStated
			for k, c := range r.Cells {
				digits := t.Columns[k].Digits
				cell := viewCell{mark: marks[i][k], value: printable.Text(c.Text), printed: number(c.Printed, digits)}
				if c.Value != nil {
					cell.value = number(c.Value, digits)
				}
				if c.Interval != nil {
					cell.low, cell.high = number(&c.Interval.Low, digits), number(&c.Interval.High, digits)
				}
				if p := c.Coverage.percent(); p != usual[k] {
					cell.coverage = p
				}
				v.printed = v.printed || cell.printed != ""
				v.interval = v.interval || cell.low != ""
				v.best = v.best || cell.mark == best
				v.Numeric[k] = v.Numeric[k] || c.Value != nil || c.Printed != nil
				row.Cells = append(row.Cells, cell)
			}
			block.Rows = append(block.Rows, row)
		}
		v.Blocks = append(v.Blocks, block)
	}
	return v, nil
}

// number formats v with a fixed number of digits and a real minus sign; "" for nil, never a negative zero.
func number(v *float64, digits int) string {
	if v == nil {
		return ""
	}
	s, negative := strings.CutPrefix(strconv.FormatFloat(*v, 'f', digits, 64), "-")
	if negative && strings.Trim(s, "0.") != "" {
		return "−" + s
	}
	return s
}

// percent rounds down, so that only full coverage reads 100 %; "" for nil.
func (c *Coverage) percent() string {
	switch {
	case c == nil:
		return ""
	case c.Covered == c.Total:
		return "100 %"
	}
	tenths := int64(c.Covered) * 1000 / int64(c.Total)
	return fmt.Sprintf("%d.%d %%", tenths/10, tenths%10)
}

// usualCoverage returns the commonest coverage of each column, the first one where
// several are: it depends on the words and the dataset and rarely on the method, so
// it is shown once, and other values next to their cells.
func usualCoverage(t *Table) []string {
	usual := make([]string, len(t.Columns))
	for k := range t.Columns {
		var all []string
		count := make(map[string]int)
		for _, b := range t.Blocks {
			for _, r := range b.Rows {
				if p := r.Cells[k].Coverage.percent(); p != "" {
					all = append(all, p)
					count[p]++
				}
			}
		}
		for _, p := range all {
			if count[p] > count[usual[k]] {
				usual[k] = p
			}
		}
	}
	return usual
}

// marks compares the values of each column as they are shown. A column with a
// single value, or with equal ones only, has no best.
func (b Block) marks(columns []Column) [][]mark {
	marks := make([][]mark, len(b.Rows))
	for i := range marks {
		marks[i] = make([]mark, len(columns))
	}
	for k, column := range columns {
		shown := make([]float64, len(b.Rows))
		var values []float64 // those that are compared
		for i, r := range b.Rows {
			shown[i] = math.NaN()
			if c := r.Cells[k]; !column.Unmarked && r.Origin == Run && c.Value != nil {
				shown[i], _ = strconv.ParseFloat(strconv.FormatFloat(*c.Value, 'f', column.Digits, 64), 64)
				if column.LowerIsBetter {
					shown[i] = -shown[i]
				}
				values = append(values, shown[i])
			}
		}
		slices.Sort(values)
		values = slices.Compact(values)
		if n := len(values); n > 1 {
			for i, x := range shown {
				switch x {
				case values[n-1]:
					marks[i][k] = best
				case values[n-2]:
					marks[i][k] = second
				}
			}
		}
	}
	return marks
}

// span is a run of columns that share a group header.
type span struct {
	First   int // its first column
	Columns []Column
	Group   string
}

// spans cuts the columns into runs of equal groups; a column without a group is a
// run of its own.
func spans(columns []Column) []span {
	var s []span
	for k, c := range columns {
		if last := len(s) - 1; last >= 0 && c.Group != "" && s[last].Group == c.Group {
			s[last].Columns = append(s[last].Columns, c)
			continue
		}
		s = append(s, span{k, columns[k : k+1 : k+1], c.Group})
	}
	return s
}

// signs are the ways in which a format marks things, for the legend.
type signs struct{ best, second, quoted, notStated, interval string }

// origin returns what is put behind the label of a row.
func (s signs) origin(o Origin, separator string) string {
	switch o {
	case Quoted:
		return separator + s.quoted
	case NotStated:
		return separator + s.notStated
	}
	return ""
}

// legend explains what occurs in the table, one sentence per line.
func (v *view) legend(s signs) []string {
	var lines []string
	if v.printed {
		lines = append(lines, "In parentheses: the paper's number.")
	}
	if v.interval {
		lines = append(lines, s.interval+": 95 % interval of our number.")
	}
	if v.best {
		lines = append(lines, s.best+" best and "+s.second+" second best of our numbers in a block.")
	}
	if v.Coverage != nil {
		lines = append(lines, "Coverage: the share of items that could be scored; in brackets where a cell's differs.")
	}
	if v.quoted {
		lines = append(lines, s.quoted+" quoted by the paper from other work.")
	}
	if v.notStated {
		lines = append(lines, s.notStated+" the paper does not say whether it ran or quoted this row.")
	}
	return lines
}
