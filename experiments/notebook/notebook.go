// Package notebook executes Jupyter notebooks without Jupyter: it starts a kernel,
// speaks the Jupyter messaging protocol with it, and puts the outputs into the
// document.
//
// What is not an output stays as it was, byte for byte. Outputs are replaced in the text of the file; the notebook is
// not read into a tree and written anew.
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
	"slices"
	"strings"

	"contextmover/internal/atomicfile"
	"contextmover/internal/bounded"
	"contextmover/internal/jsonerror"
)

// Notebook is a document in nbformat 4.
type Notebook struct {
	// Path is where it was read from; errors name it.
	Path  string
	Cells []*Cell
	// Kernel and Language are those of the document's metadata; "" if it names none.
	Kernel, Language string

	data []byte
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

	changed                bool
	source, outputs, count span   // their places in the file
	original               string // the source of the file, where Set has put another one in its place
	set                    bool
}

// span is the place of a value, data[start:end].
type span struct{ start, end int }

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
	n := &Notebook{Path: path, data: data}
	wrong := func(at int, format string, args ...any) error {
		return &FormatError{
			path, 1 + bytes.Count(data[:min(at, len(data))], []byte("\n")), fmt.Sprintf(format, args...),
		}
	}
	var whole json.RawMessage
	decoder := json.NewDecoder(bytes.NewReader(data))
	err := decoder.Decode(&whole)
	if err == nil {
		if _, e := decoder.Token(); e != io.EOF {
			return nil, wrong(int(decoder.InputOffset()), "something follows the end of the document")
		}
	}
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, wrong(int(syntax.Offset), "not JSON: %v", syntax)
	case err != nil:
		return nil, wrong(len(data), "not JSON: it ends too early")
	}

	places, err := object(data, span{0, len(data)})
	if err != nil {
		return nil, wrong(0, "not a notebook: %v", err)
	}
	format := 0
	if at, ok := places["nbformat"]; !ok || json.Unmarshal(at.of(data), &format) != nil {
		return nil, wrong(0, "not a notebook: it has no nbformat")
	}
	if format != 4 {
		return nil, wrong(places["nbformat"].start,
			"nbformat %d, expected 4: open it in Jupyter and save it, which converts it", format)
	}
	var metadata struct {
		Kernelspec struct{ Name, Language string }
		Language   struct{ Name string } `json:"language_info"`
	}
	if at, ok := places["metadata"]; ok {
		if err := json.Unmarshal(at.of(data), &metadata); err != nil {
			return nil, wrong(at.start, "metadata: %v", jsonerror.Explain(err))
		}
	}
	n.Kernel, n.Language = metadata.Kernelspec.Name, metadata.Kernelspec.Language
	if n.Language == "" {
		n.Language = metadata.Language.Name
	}
	at, ok := places["cells"]
	if !ok {
		return nil, wrong(0, "not a notebook: it has no cells")
	}
	cells, err := array(data, at)
	if err != nil {
		return nil, wrong(at.start, "cells: %v", err)
	}
	for i, at := range cells {
		cell, err := parseCell(data, at)
		if err != nil {
			return nil, wrong(at.start, "cell %d: %v", i+1, err)
		}
		n.Cells = append(n.Cells, cell)
	}
	return n, nil
}

func parseCell(data []byte, at span) (*Cell, error) {
	places, err := object(data, at)
	if err != nil {
		return nil, err
	}
	var raw struct {
		Kind   string          `json:"cell_type"`
		ID     string          `json:"id"`
		Source json.RawMessage `json:"source"`
		// Whoever keeps something else in the metadata may.
		Metadata struct {
			Tags any `json:"tags"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(at.of(data), &raw); err != nil {
		return nil, jsonerror.Explain(err)
	}
	c := &Cell{Kind: raw.Kind, ID: raw.ID, source: places["source"]}
	if tags, ok := raw.Metadata.Tags.([]any); ok {
		for _, tag := range tags {
			if text, ok := tag.(string); ok {
				c.Tags = append(c.Tags, text)
			}
		}
	}
	switch raw.Kind {
	case "code", "markdown", "raw":
	default:
		return nil, fmt.Errorf("the cell type %q, expected code, markdown or raw", raw.Kind)
	}
	var lines []string
	if json.Unmarshal(raw.Source, &c.Source) != nil {
		if json.Unmarshal(raw.Source, &lines) != nil {
			return nil, errors.New("the source is neither a text nor a list of lines")
		}
		c.Source = strings.Join(lines, "")
	}
	if c.Kind == "code" {
		var has [2]bool
		c.outputs, has[0] = places["outputs"]
		c.count, has[1] = places["execution_count"]
		if has != [2]bool{true, true} {
			return nil, errors.New("a code cell without outputs or execution_count, which nbformat 4 demands")
		}
	}
	return c, nil
}

// members are the places of an object's values.
type members map[string]span

func (s span) of(data []byte) []byte { return data[s.start:s.end] }

// object returns the places of the values of the object at a place.
func object(data []byte, at span) (members, error) {
	decoder := json.NewDecoder(bytes.NewReader(at.of(data)))
	if t, err := decoder.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("not an object")
	}
	places := members{}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		value, err := next(decoder, at.start)
		if err != nil {
			return nil, err
		}
		places[key.(string)] = value
	}
	return places, nil
}

// array returns the places of the elements of the array at a place.
func array(data []byte, at span) ([]span, error) {
	decoder := json.NewDecoder(bytes.NewReader(at.of(data)))
	if t, err := decoder.Token(); err != nil || t != json.Delim('[') {
		return nil, errors.New("not a list")
	}
	var places []span
	for decoder.More() {
		value, err := next(decoder, at.start)
		if err != nil {
			return nil, err
		}
		places = append(places, value)
	}
	return places, nil
}

// next passes over a value and returns its place; offset is that of the decoder's
// text.
func next(decoder *json.Decoder, offset int) (span, error) {
	var value json.RawMessage
	if err := decoder.Decode(&value); err != nil {
		return span{}, err
	}
	end := offset + int(decoder.InputOffset())
	return span{end - len(value), end}, nil
}

// Clear removes the outputs of all code cells.
func (n *Notebook) Clear() {
	for _, c := range n.Cells {
		c.Outputs, c.Count, c.changed = nil, 0, true
	}
}

// Bytes returns the text of the document: that of the file it was read from, with
// the outputs and parameters that have changed. They are laid out as Jupyter does if the file is.
func (n *Notebook) Bytes() ([]byte, error) {
	type replacement struct {
		at    span
		value []byte
	}
	var out bytes.Buffer
	last := 0
	for i, c := range n.Cells {
		var changes []replacement
		if c.Kind == "code" && c.changed {
			outputs, err := c.marshalOutputs(indent(n.data, c.outputs.start))
			if err != nil {
				return nil, fmt.Errorf("notebook: %s: cell %d: %w", n.Path, i+1, err)
			}
			count := []byte("null")
			if c.Count > 0 {
				count = fmt.Append(nil, c.Count)
			}
			changes = append(changes, replacement{c.outputs, outputs}, replacement{c.count, count})
		}
		if c.set {
			source, err := c.marshalSource(n.data)
			if err != nil {
				return nil, fmt.Errorf("notebook: %s: cell %d: %w", n.Path, i+1, err)
			}
			changes = append(changes, replacement{c.source, source})
		}
		slices.SortFunc(changes, func(a, b replacement) int { return a.at.start - b.at.start })
		for _, r := range changes {
			out.Write(n.data[last:r.at.start])
			out.Write(r.value)
			last = r.at.end
		}
	}
	out.Write(n.data[last:])
	return out.Bytes(), nil
}

// indent returns the blanks that the line of a place starts with, and false if the
// document is not laid out in lines.
func indent(data []byte, at int) (blanks string, ok bool) {
	line := data[bytes.LastIndexByte(data[:at], '\n')+1 : at]
	text := bytes.TrimLeft(line, " \t")
	return string(line[:len(line)-len(text)]), bytes.HasPrefix(text, []byte(`"outputs"`))
}

// Write writes the document to a file: under a temporary name, synced, renamed.
func (n *Notebook) Write(path string) error {
	data, err := n.Bytes()
	if err != nil {
		return err
	}
	return writeFile(path, data)
}

func writeFile(path string, data []byte) error {
	if err := atomicfile.WriteBytes(path, data); err != nil {
		return fmt.Errorf("notebook: %w", err)
	}
	return nil
}
