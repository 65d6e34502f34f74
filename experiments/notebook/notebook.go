// Package notebook executes Jupyter notebooks without Jupyter: it starts a kernel,
// speaks the Jupyter messaging protocol with it, and puts the outputs into the
// document.
//
// A document is written as Jupyter writes it: keys in order, indented by one blank. Anything else stays.
//
// Protocol: https://jupyter-client.readthedocs.io/en/stable/messaging.html, version
// 5.3; documents: https://nbformat.readthedocs.io, nbformat 4.
package notebook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"

	"contextmover/internal/atomicfile"
	"contextmover/internal/bounded"
)

// Notebook is a document in nbformat 4.
type Notebook struct {
	// Path is where it was read from; errors name it.
	Path  string
	Cells []*Cell
	// Kernel and Language are those of the document's metadata; "" if it names none.
	Kernel, Language string

	document map[string]any
}

// Cell is one cell of a notebook.
type Cell struct {
	Kind   string // "code", "markdown" or "raw"
	ID     string // "" before nbformat 4.5
	Source string
	Tags   []string
	// Outputs and Count are what an execution has left in a code cell: Count is the
	// number in In [ ], 0 for none. They are written only after Clear or an
	// execution; what the file had before stays as it is.
	Outputs []*Output
	Count   int

	fields   map[string]any // as the file has them
	changed  bool           // Outputs and Count replace those of the file
	original string         // the source of the file, where Set has put another one in its place
}

// FormatError says that a file is no notebook that this package can execute.
type FormatError struct {
	Path    string
	Line    int // from 1; 0 for the file as a whole
	Problem string
}

func (e *FormatError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("notebook: %s: %s", e.Path, e.Problem)
	}
	return fmt.Sprintf("notebook: %s:%d: %s", e.Path, e.Line, e.Problem)
}

// Read reads a notebook. A file that is none is a *FormatError.
func Read(path string) (*Notebook, error) {
	data, err := bounded.ReadFile(path, bounded.Share(8))
	if err != nil {
		return nil, fmt.Errorf("notebook: %w", err)
	}
	return Parse(path, data)
}

// Parse is Read from memory; path is for errors.
func Parse(path string, data []byte) (*Notebook, error) {
	wrong := func(line int, format string, args ...any) (*Notebook, error) {
		return nil, &FormatError{path, line, fmt.Sprintf(format, args...)}
	}
	n := &Notebook{Path: path}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	err := decoder.Decode(&n.document)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return wrong(1+bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n")), "not JSON: %v", syntax)
	case errors.As(err, new(*json.UnmarshalTypeError)):
		return wrong(0, "not a notebook: not an object")
	case err != nil:
		return wrong(0, "not JSON: it ends too early")
	}
	if _, err := decoder.Token(); err != io.EOF {
		return wrong(0, "something follows the end of the document")
	}
	switch format, _ := n.document["nbformat"].(json.Number); format {
	case "4":
	case "":
		return wrong(0, "not a notebook: it has no nbformat")
	default:
		return wrong(0, "nbformat %s, expected 4: open it in Jupyter and save it, which converts it", format)
	}
	metadata := member(n.document, "metadata")
	kernel := member(metadata, "kernelspec")
	n.Kernel, n.Language = textIn(kernel, "name"), textIn(kernel, "language")
	if n.Language == "" {
		n.Language = textIn(member(metadata, "language_info"), "name")
	}
	cells, ok := n.document["cells"].([]any)
	if !ok {
		return wrong(0, "not a notebook: it has no list of cells")
	}
	for i, cell := range cells {
		c, err := parseCell(cell)
		if err != nil {
			return wrong(0, "cell %d: %v", i+1, err)
		}
		n.Cells = append(n.Cells, c)
	}
	return n, nil
}

// member returns the object that is a member of another one, or an empty one.
func member(of map[string]any, name string) map[string]any {
	m, _ := of[name].(map[string]any)
	return m
}

// textIn returns a member that is text, or an empty one.
func textIn(of map[string]any, name string) string {
	t, _ := of[name].(string)
	return t
}

// texts returns the elements of a list that are text, and whether it is a list of text alone.
func texts(of any) (all []string, ok bool) {
	list, ok := of.([]any)
	for _, element := range list {
		t, is := element.(string)
		if is {
			all = append(all, t)
		}
		ok = ok && is
	}
	return all, ok
}

func parseCell(cell any) (*Cell, error) {
	fields, ok := cell.(map[string]any)
	if !ok {
		return nil, errors.New("not an object")
	}
	c := &Cell{Kind: textIn(fields, "cell_type"), ID: textIn(fields, "id"), fields: fields}
	switch c.Kind {
	case "code", "markdown", "raw":
	default:
		return nil, fmt.Errorf("the cell type %q, expected code, markdown or raw", c.Kind)
	}
	if c.Source, ok = fields["source"].(string); !ok {
		lines, ok := texts(fields["source"])
		if !ok {
			return nil, errors.New("the source is neither a text nor a list of lines")
		}
		c.Source = strings.Join(lines, "")
	}
	c.Tags, _ = texts(member(fields, "metadata")["tags"])
	_, outputs := fields["outputs"]
	if _, count := fields["execution_count"]; c.Kind == "code" && !(outputs && count) {
		return nil, errors.New("a code cell without outputs or execution_count, which nbformat 4 demands")
	}
	return c, nil
}

// Clear removes the outputs of all code cells.
func (n *Notebook) Clear() {
	for _, c := range n.Cells {
		c.Outputs, c.Count, c.changed = nil, 0, true
	}
}

// Bytes returns the text of the document, with the outputs and parameters that have changed. Its error is that of an
// output that JSON cannot have.
func (n *Notebook) Bytes() ([]byte, error) {
	cells := make([]any, len(n.Cells))
	for i, c := range n.Cells {
		fields := maps.Clone(c.fields)
		if c.Kind == "code" && c.changed {
			outputs := make([]any, len(c.Outputs))
			for k, o := range c.Outputs {
				outputs[k] = o.fields()
			}
			fields["outputs"], fields["execution_count"] = outputs, nil
			if c.Count > 0 {
				fields["execution_count"] = c.Count
			}
		}
		if c.original != "" {
			fields["source"] = splitLines(c.Source)
		}
		cells[i] = fields
	}
	document := maps.Clone(n.document)
	document["cells"] = cells
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(document); err != nil {
		return nil, fmt.Errorf("notebook: %s: %w", n.Path, err)
	}
	return out.Bytes(), nil
}

// Write writes the document to a file: under a temporary name, synced, renamed.
func (n *Notebook) Write(path string) error {
	data, err := n.Bytes()
	if err != nil {
		return err
	}
	if err := atomicfile.WriteBytes(path, data); err != nil {
		return fmt.Errorf("notebook: %w", err)
	}
	return nil
}
