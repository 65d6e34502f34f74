package notebook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
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
		for room > 0 && !utf8.RuneStart(text[room]) {
			room--
		}
		o.dropped += len(text) - room
		text = text[:room]
	}
	o.stream = append(o.stream, text...)
}

// Text is what a terminal shows of a stream: a carriage return starts its line again.
func (o *Output) Text() string {
	text := string(o.stream)
	if strings.Contains(text, "\r") {
		lines := strings.SplitAfter(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
		for i, line := range lines {
			end := ""
			if l, ok := strings.CutSuffix(line, "\n"); ok {
				line, end = l, "\n"
			}
			// A line that ends with a carriage return is still there to read.
			line = strings.TrimRight(line, "\r")
			lines[i] = line[strings.LastIndexByte(line, '\r')+1:] + end
		}
		text = strings.Join(lines, "")
	}
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

// add takes a message from the kernel's broadcast.
func (c *outputs) add(m *message) error {
	if m.kind == "clear_output" {
		var content struct{ Wait bool }
		if err := json.Unmarshal(m.content, &content); err != nil {
			return fmt.Errorf("the kernel's clear_output: %w", err)
		}
		c.clear = content.Wait
		if !content.Wait {
			c.cell.Outputs = nil
		}
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
	}
	decoder := json.NewDecoder(bytes.NewReader(m.content))
	decoder.UseNumber()
	if err := decoder.Decode(&content); err != nil {
		return fmt.Errorf("the kernel's %s: %w", m.kind, err)
	}
	id := content.Transient.DisplayID
	if m.kind == "update_display_data" {
		for _, o := range c.displays[id] {
			o.Data, o.Metadata = content.Data, content.Metadata
		}
		return nil
	}
	if c.clear {
		c.cell.Outputs, c.clear = nil, false
	}
	if m.kind == "stream" {
		if last := len(c.cell.Outputs) - 1; last >= 0 && c.cell.Outputs[last].Type == "stream" &&
			c.cell.Outputs[last].Name == content.Name {
			c.cell.Outputs[last].write(content.Text)
			return nil
		}
	}
	o := &Output{Type: m.kind}
	switch m.kind {
	case "stream":
		o.Name = content.Name
		o.write(content.Text)
	case "error":
		o.Error, o.Message, o.Traceback = content.Error, content.Message, content.Traceback
	default:
		o.Data, o.Metadata, o.Count = content.Data, content.Metadata, content.Count
		if id != "" {
			c.displays[id] = append(c.displays[id], o)
		}
	}
	c.cell.Outputs = append(c.cell.Outputs, o)
	return nil
}

// kinds returns the media types of a display, sorted.
func (o *Output) kinds() []string { return slices.Sorted(maps.Keys(o.Data)) }
