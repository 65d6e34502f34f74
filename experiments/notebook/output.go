package notebook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Output is one output of a code cell.
type Output struct {
	Type string // "stream", "display_data", "execute_result" or "error"
	Name string // of a stream: "stdout" or "stderr"
	// Data has the representations of a display by media type: a string (base64 for
	// binary ones) or, for JSON types, any value. Metadata goes with it.
	Data, Metadata map[string]any
	Count          int // of an execute_result
	// Error, Message and Traceback are those of an error.
	Error, Message string
	Traceback      []string

	stream  []byte // what was written to it
	dropped int    // bytes beyond maxStream
}

// maxStream is the length to which the text of a stream is kept: a page with more
// cannot be opened.
const maxStream = 1 << 20

// write appends to a stream and keeps count of what is too much.
func (o *Output) write(text string) {
	room := maxStream - len(o.stream)
	if o.dropped > 0 {
		room = 0
	}
	if len(text) > room {
		whole := len(text)
		text = strings.ToValidUTF8(text[:room], "") // without half a letter
		o.dropped += whole - len(text)
	}
	o.stream = append(o.stream, text...)
}

var (
	lineEnds    = regexp.MustCompile(`\r+(\n|\z)`)
	overwritten = regexp.MustCompile(`(?m)^.*\r`)
)

// Text is what a terminal shows of a stream: a carriage return starts its line again, and what is then written over it
// is seen. A line that ends with one is still there to read.
func (o *Output) Text() string {
	text := overwritten.ReplaceAllString(lineEnds.ReplaceAllString(string(o.stream), "$1"), "")
	if o.dropped > 0 {
		text += fmt.Sprintf("\n[%d more bytes were left out]\n", o.dropped)
	}
	return text
}

// fields returns the output as nbformat writes it.
func (o *Output) fields() map[string]any {
	f := map[string]any{"output_type": o.Type}
	switch o.Type {
	case "stream":
		f["name"], f["text"] = o.Name, splitLines(o.Text())
	case "error":
		f["ename"], f["evalue"], f["traceback"] = o.Error, o.Message, append([]string{}, o.Traceback...)
	default:
		data := make(map[string]any)
		for kind, value := range o.Data {
			if text, ok := value.(string); ok && isText(kind) {
				value = splitLines(text)
			}
			data[kind] = value
		}
		f["data"], f["metadata"] = data, o.Metadata
		if o.Metadata == nil {
			f["metadata"] = map[string]any{}
		}
		if o.Type == "execute_result" {
			f["execution_count"] = o.Count
		}
	}
	return f
}

// isText tells which media types nbformat splits into lines.
func isText(kind string) bool {
	return strings.HasPrefix(kind, "text/") || kind == "image/svg+xml" || kind == "application/javascript"
}

// splitLines splits text into lines with their ends; it is no nil.
func splitLines(text string) []string { return slices.AppendSeq([]string{}, strings.Lines(text)) }

// outputs collects the outputs of a notebook's cells while they arrive.
type outputs struct {
	cell *Cell
	// displays are the outputs that can be updated, of all cells.
	displays map[string][]*Output
	// clear says that the next output replaces all before.
	clear bool
}

// add takes a message from the kernel's broadcast; those of other kinds are nothing to it.
func (c *outputs) add(m *message) error {
	kinds := []string{
		"execute_input", "clear_output", "update_display_data", "stream", "display_data", "execute_result", "error",
	}
	if !slices.Contains(kinds, m.kind) {
		return nil
	}
	var content struct {
		Name, Text     string
		Data, Metadata map[string]any
		Transient      struct {
			DisplayID string `json:"display_id"`
		}
		Count     int      `json:"execution_count"`
		Error     string   `json:"ename"`
		Message   string   `json:"evalue"`
		Traceback []string `json:"traceback"`
		Wait      bool
	}
	decoder := json.NewDecoder(bytes.NewReader(m.content))
	decoder.UseNumber()
	if err := decoder.Decode(&content); err != nil {
		return fmt.Errorf("the kernel's %s: %w", m.kind, err)
	}

	id := content.Transient.DisplayID
	switch m.kind {
	case "execute_input":
		c.cell.Count = content.Count
		return nil
	case "clear_output":
		if c.clear = content.Wait; !c.clear {
			c.cell.Outputs = nil
		}
		return nil
	case "update_display_data":
		for _, o := range c.displays[id] {
			o.Data, o.Metadata = content.Data, content.Metadata
		}
		return nil
	}
	if c.clear {
		c.cell.Outputs, c.clear = nil, false
	}
	o := &Output{
		Type: m.kind, Name: content.Name, Data: content.Data, Metadata: content.Metadata, Count: content.Count,
		Error: content.Error, Message: content.Message, Traceback: content.Traceback,
	}
	if last := len(c.cell.Outputs) - 1; o.Type == "stream" && last >= 0 && c.cell.Outputs[last].Type == "stream" &&
		c.cell.Outputs[last].Name == o.Name {
		o = c.cell.Outputs[last]
	} else {
		c.cell.Outputs = append(c.cell.Outputs, o)
	}
	o.write(content.Text)
	if id != "" {
		c.displays[id] = append(c.displays[id], o)
	}
	return nil
}
