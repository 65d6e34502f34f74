// Package results reads and writes result files. A file has what one run of one experiment found, all that a table, a
// figure or the verdict needs, and what it was made by.
//
// A result file is results/<profile>/<experiment>.jsonl, or the same packed by zstd,
// <experiment>.jsonl.zst. It has one JSON object per line, each with its "kind":
//
//	header    the first line: format, version, profile, experiment, seed, engine,
//	          settings (the profile as TOML), program, go, machine, start and seconds
//	artefact  key, stage, version, seconds (of its making), by (the build that made it),
//	          of (what it is of), made (when), bytes, from (the numbers of the artefacts, from 0, that
//	          it was made from), used (by the experiment itself) and sha256 (of a file of data)
//	table     id, title, notes, label and columns of a table; its rows follow
//	row       table, block, row (key), label, origin and cells: ours, low, high,
//	          printed, covered, total, text; absent where there is none
//	quantity  one number of ours beside what it reproduces: table, row and column of
//	          the paper's cell (package published), variant (whose settings), source
//	          (our row), value (0 if absent), low, high, seeds (values from further seeds), tried
//	          (settings tried on the validation set), and draws: the bootstrap draws as base64 of
//	          little-endian float32; draw d of all quantities of a file comes from the
//	          same resampled items, so that differences of draws are paired
//	figure    id, title and data: the description that package figure draws
//	end       the number of lines before it, so that a cut-off file shows
//
// Version is raised when a line changes its meaning. Another version is an error, as is an unknown kind or field.
package results

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"contextmover/cmdlib/corpus"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/show/render"
	"contextmover/internal/atomicfile"
	"contextmover/internal/bounded"
	"contextmover/internal/jsonerror"
)

// Version is the version of the schema that Write writes.
const Version = 2

const (
	format = "contextmover results"
	packed = ".zst" // what a packed file's name ends with
)

// Result is the content of a result file.
type Result struct {
	Header
	Artefacts  []Artefact
	Tables     []*render.Table
	Quantities []Quantity
	Figures    []Figure
}

// Header says what was run, by what and where.
type Header struct {
	Profile    string    `json:"profile"`
	Experiment string    `json:"experiment"`
	Seed       uint64    `json:"seed"`
	Engine     string    `json:"engine"`
	Settings   string    `json:"settings"` // the profile as TOML, overrides included
	Program    string    `json:"program"`  // version of this program, with its revision where known
	Go         string    `json:"go"`
	Machine    Machine   `json:"machine"`
	Started    time.Time `json:"started"`
	Seconds    float64   `json:"seconds"`
}

// Machine is where an experiment ran.
type Machine struct {
	System    string `json:"system"` // e.g. linux/amd64
	Processor string `json:"processor"`
	Threads   int    `json:"threads"`
	Memory    int64  `json:"memory"` // bytes, 0 if unknown
}

// String is the machine in a line.
func (m Machine) String() string {
	return fmt.Sprintf("%s, %s, %d threads, %.0f GB", m.System, m.Processor, m.Threads, float64(m.Memory)/1e9)
}

// Artefact is something stored that the experiment used, directly or not.
type Artefact struct {
	Key     string  `json:"key"`
	Stage   string  `json:"stage"`
	Version int     `json:"version"`
	Seconds float64 `json:"seconds"` // of its making, whenever that was
	By      string  `json:"by"`
	// Subjects say what it is of, in a few words for each time that it was asked for; of a data file, its path.
	Subjects []string  `json:"of,omitempty"`
	Made     time.Time `json:"made,omitzero"`
	Bytes    int64     `json:"bytes,omitempty"`
	// From has the numbers of what it was made from, among the artefacts of the result.
	From []int `json:"from,omitempty"`
	// Used tells what the experiment itself asked for.
	Used bool `json:"used,omitempty"`
	// SHA256 is the checksum of a data file, whose stage is
	// FileStage; of others their meta.json has those of their files.
	SHA256 string `json:"sha256,omitempty"`
}

// FileStage is the stage of a file of data among artefacts.
const FileStage = "file"

// The variants of a quantity that are not named by a profile.
const (
	Paper  = "paper"  // the settings that the paper states
	Chosen = "chosen" // settings chosen on the validation set
)

// Quantity is one of our numbers, addressed by the paper's cell that it reproduces.
type Quantity struct {
	Table   string  `json:"table"`
	Row     string  `json:"row"`
	Column  string  `json:"column"`
	Variant string  `json:"variant"`          // whose settings: Paper, Chosen or another block of the profile
	Source  string  `json:"source,omitempty"` // our row
	Value   float64 `json:"value,omitempty"`
	// Low and High are the 95 % interval of Value, nil where it has none.
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`
	// Text is the word of a cell that holds a word; Value is then not used.
	Text string `json:"text,omitempty"`
	// Draws are bootstrap draws of Value, or nil.
	Draws Draws `json:"draws,omitempty"`
	// Seeds are the values with everything random made again from further seeds, in the
	// profile's order of them; nil where nothing behind the number is random, or where it was
	// run with one seed only.
	Seeds []float64 `json:"seeds,omitempty"`
	// Tried counts the settings that were tried on the validation set before this row's were
	// chosen; 0 where none were chosen.
	Tried int `json:"tried,omitempty"`
}

// Draws are bootstrap draws; as text they are the base64 of little-endian float32.
type Draws []float64

// MarshalText rounds the draws to float32. Its error is always nil.
func (d Draws) MarshalText() ([]byte, error) {
	data := make([]byte, 0, 4*len(d))
	for _, x := range d {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(x)))
	}
	return base64.StdEncoding.AppendEncode(nil, data), nil
}

// UnmarshalText reads what MarshalText writes. Its error is of text that is no base64 of whole numbers.
func (d *Draws) UnmarshalText(text []byte) error {
	data, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		return fmt.Errorf("draws: %w", err)
	}
	if len(data)%4 != 0 {
		return fmt.Errorf("draws: %d bytes, expected a multiple of 4", len(data))
	}
	*d = nil
	for i := 0; i < len(data); i += 4 {
		*d = append(*d, float64(math.Float32frombits(binary.LittleEndian.Uint32(data[i:]))))
	}
	return nil
}

// Mean returns the mean of the value over all seeds.
func (q Quantity) Mean() float64 { return score.Estimate{Value: q.Value, Seeds: q.Seeds}.Mean() }

// With returns q with the value of an estimate, its interval, draws and seeds.
func (q Quantity) With(e score.Estimate) Quantity {
	q.Value, q.Low, q.High, q.Draws, q.Seeds = e.Value, &e.Low, &e.High, e.Draws, e.Seeds
	return q
}

// Bounded returns q with the value of an estimate, its interval and seeds, but no draws: no claim is decided by it.
func (q Quantity) Bounded(e score.Estimate) Quantity {
	e.Draws = nil
	return q.With(e)
}

// Figure is the data of a figure.
type Figure struct {
	ID    string          `json:"id"`
	Title string          `json:"title"`
	Data  json.RawMessage `json:"data,omitempty"`
}

// The lines of a file.
type (
	kind struct {
		Kind string `json:"kind"`
	}
	headerLine struct {
		kind
		Format  string `json:"format"`
		Version int    `json:"version"`
		Header
	}
	artefactLine struct {
		kind
		Artefact
	}
	tableLine struct {
		kind
		*render.Table
	}
	rowLine struct {
		kind
		Table string `json:"table"`
		Block int    `json:"block"` // number of the block in its table, from 0
		Title string `json:"title,omitempty"`
		render.Row
	}
	quantityLine struct {
		kind
		Quantity
	}
	figureLine struct {
		kind
		Figure
	}
	endLine struct {
		kind
		Lines int `json:"lines"`
	}
)

// bad is the error of a result file, a dataset.ErrData.
func bad(file string, line int, format string, args ...any) error {
	return &dataset.FormatError{File: file, Line: line, Problem: fmt.Sprintf(format, args...)}
}

const extension = ".jsonl"

// Path returns the path of a result file below dir.
func Path(dir, profile, experiment string) string {
	return filepath.Join(dir, profile, experiment+extension)
}

// Write writes r to Path(dir, r.Profile, r.Experiment) under a temporary name and
// renames it into place. Numbers must be finite.
func Write(dir string, r *Result) error {
	return write(Path(dir, r.Profile, r.Experiment), r, nil)
}

// PackedName is the name of the file that Pack writes.
func PackedName(experiment string) string { return experiment + extension + packed }

// Pack writes r packed by zstd into the folder of its profile, dir.
func Pack(dir string, r *Result) error {
	packer, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return fmt.Errorf("results: %w", err)
	}
	return write(filepath.Join(dir, PackedName(r.Experiment)), r, packer)
}

// write writes a file, packed if there is a packer.
func write(path string, r *Result, packer *zstd.Encoder) error {
	var text bytes.Buffer
	if err := encode(&text, r); err != nil {
		return fmt.Errorf("results: %s: %w", path, err)
	}
	content := text.Bytes()
	if packer != nil {
		content = packer.EncodeAll(content, nil)
	}
	if err := atomicfile.WriteInFolder(path, content); err != nil {
		return fmt.Errorf("results: %w", err)
	}
	return nil
}

func encode(w io.Writer, r *Result) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	lines := 0
	put := func(line any) error {
		lines++
		return out.Encode(line)
	}
	if err := put(headerLine{kind{"header"}, format, Version, r.Header}); err != nil {
		return err
	}
	for _, a := range r.Artefacts {
		if err := put(artefactLine{kind{"artefact"}, a}); err != nil {
			return err
		}
	}
	for _, t := range r.Tables {
		if err := put(tableLine{kind{"table"}, t}); err != nil {
			return err
		}
		for b, block := range t.Blocks {
			for _, row := range block.Rows {
				row.Key = cmp.Or(row.Key, row.Label)
				if err := put(rowLine{kind{"row"}, t.ID, b, block.Title, row}); err != nil {
					return err
				}
			}
		}
	}
	for _, q := range r.Quantities {
		if err := put(quantityLine{kind{"quantity"}, q}); err != nil {
			return fmt.Errorf("quantity %s, %s, %s: %w", q.Table, q.Row, q.Column, err)
		}
	}
	for _, f := range r.Figures {
		if err := put(figureLine{kind{"figure"}, f}); err != nil {
			return err
		}
	}
	return put(endLine{kind{"end"}, lines})
}

// largest is far more than any experiment finds out: a packed file of a few kilobytes may hold
// anything.
const largest = 1 << 30

// Read reads a result file. A damaged file, one of an unknown version, or one that holds more than
// a gigabyte or an eighth of the free memory is a *dataset.FormatError with its place.
func Read(path string) (*Result, error) { return read(path, min(largest, bounded.Share(8))) }

func read(path string, limit int64) (*Result, error) {
	f, err := corpus.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, bad(path, 0, "does not exist; make it with repro run")
	}
	if err != nil {
		return nil, unread(path, err)
	}
	defer f.Close()
	return Decode(path, bounded.Reader(f, limit))
}

// unread is the error of a file that cannot be read: of the disk, or of what the file holds.
func unread(path string, err error) error {
	if disk := (*fs.PathError)(nil); errors.As(err, &disk) {
		return fmt.Errorf("results: %w", err)
	}
	return bad(path, 0, "%s", strings.TrimPrefix(err.Error(), "corpus: "+path+": "))
}

// Files lists the result files of a profile, by name; none is no error.
func Files(dir, profile string) ([]string, error) {
	var files []string
	for _, pattern := range []string{"*.jsonl", "*.jsonl" + packed} {
		some, err := filepath.Glob(filepath.Join(dir, profile, pattern))
		if err != nil {
			return nil, fmt.Errorf("results: %w", err)
		}
		files = append(files, some...)
	}
	slices.Sort(files)
	return files, nil
}

// ReadProfile reads the result files of a profile, in the order of their names. It
// is an error if there is none or if one belongs to another profile or experiment
// than its name says.
func ReadProfile(dir, profile string) ([]*Result, error) {
	folder := filepath.Join(dir, profile)
	files, err := Files(dir, profile)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, bad(folder, 0, "no results; make them with repro run --profile %s", profile)
	}
	var all []*Result
	for _, f := range files {
		r, err := Read(f)
		if err != nil {
			return nil, err
		}
		if r.Profile != profile {
			return nil, bad(f, 1, "these are results of the profile %q, expected %q; move the file away or make it "+
				"again with repro run --profile %s", r.Profile, profile, profile)
		}
		if name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(f), packed), extension); r.Experiment != name {
			return nil, bad(f, 1, "these are results of the experiment %q, expected %q", r.Experiment, name)
		}
		all = append(all, r)
	}
	return all, nil
}

// Decode reads a result file that is not packed; name is what its errors call it.
func Decode(name string, in io.Reader) (*Result, error) {
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, unread(name, err)
	}
	r := new(Result)
	tables := map[string]*render.Table{}
	n, ended := 0, false
	fail := func(format string, args ...any) (*Result, error) { return nil, bad(name, n, format, args...) }
	for text := range bytes.Lines(data) {
		n++
		if ended {
			return fail(`a line after the "end" line`)
		}
		var k struct {
			kind
			Format  string
			Version int
		}
		err := json.Unmarshal(text, &k)
		switch header := k.Kind == "header"; {
		case err != nil:
			return fail("not a line of JSON of results: %v", jsonerror.Explain(err))
		case header != (n == 1):
			return fail(`kind %q; expected "header" as the first line and nowhere else`, k.Kind)
		case header && k.Format != format:
			return fail("format %q, expected %q", k.Format, format)
		case header && k.Version != Version:
			return fail("version %d of the format; this program reads version %d: use the program that wrote it, or "+
				"make the file again with repro run", k.Version, Version)
		}
		if err := r.line(k.Kind, text, n, tables, &ended); err != nil {
			return fail("%v", err)
		}
	}
	if !ended {
		return fail(`the file ends without its "end" line: it was cut off; make it anew with repro run`)
	}
	return r, nil
}

// line adds a line of the file to r.
func (r *Result) line(name string, text []byte, n int, tables map[string]*render.Table, ended *bool) error {
	line, known := map[string]any{
		"header": &headerLine{}, "artefact": &artefactLine{}, "table": &tableLine{Table: new(render.Table)},
		"row": &rowLine{}, "quantity": &quantityLine{}, "figure": &figureLine{}, "end": &endLine{},
	}[name]
	if !known {
		return fmt.Errorf("unknown kind %q", name)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(line); err != nil {
		return jsonerror.Explain(err)
	}
	switch line := line.(type) {
	case *headerLine:
		r.Header = line.Header
	case *artefactLine:
		r.Artefacts = append(r.Artefacts, line.Artefact)
	case *tableLine:
		t := line.Table
		if tables[t.ID] != nil {
			return fmt.Errorf("a second table %q", t.ID)
		}
		tables[t.ID] = t
		r.Tables = append(r.Tables, t)
	case *rowLine:
		t := tables[line.Table]
		if t == nil {
			return fmt.Errorf("a row of the table %q, which is not above", line.Table)
		}
		return addRow(t, *line)
	case *quantityLine:
		r.Quantities = append(r.Quantities, line.Quantity)
	case *figureLine:
		r.Figures = append(r.Figures, line.Figure)
	case *endLine:
		if line.Lines != n-1 {
			return fmt.Errorf("%d lines before the end, expected %d: lines are missing", n-1, line.Lines)
		}
		*ended = true
	}
	return nil
}

func addRow(t *render.Table, line rowLine) error {
	if line.Block < 0 || line.Block >= 1000+len(t.Blocks) {
		return fmt.Errorf("block %d of the table %q", line.Block, t.ID)
	}
	for line.Block > len(t.Blocks) { // a block without rows leaves no line; what follows keeps its number
		t.Blocks = append(t.Blocks, render.Block{})
	}
	if line.Block == len(t.Blocks) {
		t.Blocks = append(t.Blocks, render.Block{Title: line.Title})
	}
	row := line.Row
	if len(row.Cells) != len(t.Columns) {
		return fmt.Errorf("%d cells in a row of the table %q, which has %d columns",
			len(row.Cells), t.ID, len(t.Columns))
	}
	block := &t.Blocks[line.Block]
	block.Rows = append(block.Rows, row)
	return nil
}

// Sort puts quantities into the order of their addresses.
func Sort(q []Quantity) {
	slices.SortStableFunc(q, func(a, b Quantity) int {
		return cmp.Or(
			cmp.Compare(a.Table, b.Table), cmp.Compare(a.Row, b.Row), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Variant, b.Variant), cmp.Compare(a.Source, b.Source),
		)
	})
}

// Mean is the arithmetic mean, NaN of nothing.
func Mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
