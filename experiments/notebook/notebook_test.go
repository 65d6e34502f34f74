package notebook

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// jupyter is a notebook as Jupyter lays it out, with what is easily changed by
// reading and writing it: unknown keys, numbers, escapes.
const jupyter = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {
    "tags": []
   },
   "source": [
    "# Größe <b>&amp;</b> \u0007\n",
    "1e400 is no float, and here is DEL ` + "\x7f" + `"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 7,
   "id": "a1",
   "metadata": {
    "execution": {},
    "unknown": 12345678901234567890.10
   },
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "old\n"
     ]
    }
   ],
   "source": [
    "!echo 1"
   ]
  },
  {
   "cell_type": "raw",
   "id": "r",
   "metadata": {},
   "source": "one text"
  }
 ],
 "metadata": {
  "kernelspec": {
   "display_name": "Go",
   "language": "go",
   "name": "gonb"
  }
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
`

func parse(t *testing.T, text string) *Notebook {
	t.Helper()
	n, err := Parse("test.ipynb", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func written(t *testing.T, n *Notebook) string {
	t.Helper()
	data, err := n.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A notebook as Jupyter writes it stays as it is, and any other one is laid out like that.
func TestRoundTrip(t *testing.T) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(jupyter)); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"jupyter":    jupyter,
		"compact":    compact.String(),
		"crlf":       strings.ReplaceAll(jupyter, "\n", "\r\n"),
		"tabs":       strings.ReplaceAll(jupyter, "\n ", "\n\t"),
		"no newline": strings.TrimSpace(jupyter),
	} {
		if got := written(t, parse(t, text)); got != jupyter {
			t.Errorf("%s: reading and writing changes it to\n%s", name, got)
		}
	}
	own := strings.Replace(jupyter, "{\n", "{\n \"own\": {\"b\": 1, \"a\": [ 1,2 ]},\n", 1)
	if got := written(t, parse(t, own)); !strings.Contains(got, "\"own\": {\n  \"a\": [\n   1,\n   2\n  ],\n  \"b\": 1\n }") {
		t.Errorf("what the package does not know is lost:\n%s", got)
	}
}

func TestParse(t *testing.T) {
	n := parse(t, jupyter)
	if n.Kernel != "gonb" || n.Language != "go" || len(n.Cells) != 3 {
		t.Fatalf("kernel %q, language %q, %d cells; want gonb, go, 3", n.Kernel, n.Language, len(n.Cells))
	}
	for i, want := range []Cell{{Kind: "markdown", ID: "intro"}, {Kind: "code", ID: "a1", Source: "!echo 1"}, {Kind: "raw", ID: "r", Source: "one text"}} {
		if c := n.Cells[i]; c.Kind != want.Kind || c.ID != want.ID || want.Source != "" && c.Source != want.Source {
			t.Errorf("cell %d is %+v, want %+v", i+1, c, want)
		}
	}
}

// Outputs are laid out as Jupyter does, and nothing else changes.
func TestOutputsInPlace(t *testing.T) {
	n := parse(t, jupyter)
	n.Clear()
	want := strings.Replace(jupyter, `"execution_count": 7`, `"execution_count": null`, 1)
	start, end := strings.Index(want, `"outputs": [`), strings.Index(want, "   \"source\": [\n    \"!echo 1")
	head, tail := want[:start], want[end:]
	if got := written(t, n); got != head+"\"outputs\": [],\n"+tail {
		t.Errorf("cleared, it is\n%s", got)
	}

	stream := &Output{Type: "stream", Name: "stdout"}
	stream.write("<b>\n\\u2028 ends\r\n")
	n.Cells[1].Count = 1
	n.Cells[1].Outputs = []*Output{
		{Type: "display_data", Data: map[string]any{"text/html": "<i>é</i>\n<b>&</b>", "image/png": "AAAA\n", "application/json": map[string]any{"x": json.Number("1.50")}}},
		stream,
		{Type: "error", Error: "E", Message: "m"},
	}
	want = strings.Replace(head, "null", "1", 1) + `"outputs": [
    {
     "data": {
      "application/json": {
       "x": 1.50
      },
      "image/png": "AAAA\n",
      "text/html": [
       "<i>é</i>\n",
       "<b>&</b>"
      ]
     },
     "metadata": {},
     "output_type": "display_data"
    },
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "<b>\n",
      "\\u2028 ends\n"
     ]
    },
    {
     "ename": "E",
     "evalue": "m",
     "output_type": "error",
     "traceback": []
    }
   ],
` + tail
	got := written(t, n)
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if again := written(t, parse(t, got)); again != got {
		t.Error("reading and writing the result changes it")
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "n.ipynb")
	if err := parse(t, jupyter).Write(path); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != jupyter {
		t.Errorf("the file differs (%v)", err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%d files in the folder, want 1", len(files))
	}
	if err := parse(t, jupyter).Write(filepath.Join(dir, "none", "n.ipynb")); err == nil {
		t.Error("no error for a folder that does not exist")
	}
}

func TestParseErrors(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":        {"", "not JSON: it ends too early"},
		"not JSON":     {"{\n \"cells\": [\n  oops\n ]\n}", "n.ipynb:3: not JSON"},
		"cut off":      {jupyter[:len(jupyter)/2], "not JSON: it ends too early"},
		"two":          {jupyter + "{}", "follows the end"},
		"list":         {"[]", "not a notebook"},
		"object":       {"{}", "no nbformat"},
		"format 3":     {"{\"worksheets\": [],\n\"nbformat\": 3}", "n.ipynb: nbformat 3, expected 4: open it in Jupyter"},
		"no cells":     {`{"nbformat": 4}`, "no list of cells"},
		"cells":        {`{"nbformat": 4, "cells": {}}`, "no list of cells"},
		"cell type":    {`{"nbformat": 4, "cells": [{"cell_type": "wild", "source": ""}]}`, `cell 1: the cell type "wild"`},
		"source":       {`{"nbformat": 4, "cells": [{"cell_type": "raw", "source": 3}]}`, "cell 1: the source"},
		"no outputs":   {`{"nbformat": 4, "cells": [{"cell_type": "code", "source": ""}]}`, "cell 1: a code cell without outputs"},
		"cell no dict": {`{"nbformat": 4, "cells": [3]}`, "cell 1"},
	} {
		_, err := Parse("n.ipynb", []byte(c.text))
		var format *FormatError
		if !errors.As(err, &format) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want a FormatError with %q", name, err, c.want)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none.ipynb")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the error is %v, want that the file does not exist", err)
	}
}

// Displays are updated wherever they are shown, and cleared when asked.
func TestOutputMessages(t *testing.T) {
	first, second := new(Cell), new(Cell)
	displays := map[string][]*Output{}
	send := func(c *outputs, kind, content string) {
		t.Helper()
		if err := c.add(&message{kind: kind, content: json.RawMessage(content)}); err != nil {
			t.Fatal(err)
		}
	}
	c := &outputs{cell: first, displays: displays}
	send(c, "display_data", `{"data": {"text/plain": "0 %"}, "metadata": {}, "transient": {"display_id": "bar"}}`)
	send(c, "stream", `{"name": "stdout", "text": "a"}`)
	send(c, "stream", `{"name": "stdout", "text": "b\n"}`)
	send(c, "stream", `{"name": "stderr", "text": "c"}`)
	c = &outputs{cell: second, displays: displays}
	send(c, "update_display_data", `{"data": {"text/plain": "100 %"}, "metadata": {}, "transient": {"display_id": "bar"}}`)
	if o := first.Outputs; len(o) != 3 || o[0].Data["text/plain"] != "100 %" || o[1].Text() != "ab\n" || o[2].Text() != "c" {
		t.Errorf("the first cell has %+v", o)
	}
	send(c, "stream", `{"name": "stdout", "text": "before"}`)
	send(c, "clear_output", `{"wait": true}`)
	if len(second.Outputs) != 1 {
		t.Error("clear_output with wait clears at once")
	}
	send(c, "stream", `{"name": "stdout", "text": "after"}`)
	if o := second.Outputs; len(o) != 1 || o[0].Text() != "after" {
		t.Errorf("the second cell has %+v, want what came after clear_output", o)
	}
	send(c, "clear_output", `{"wait": false}`)
	if len(second.Outputs) != 0 {
		t.Error("clear_output does not clear")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(jupyter))
	f.Add([]byte(`{"nbformat": 4, "cells": [{"cell_type": "code", "source": "", "outputs": [], "execution_count": null}]}`))
	f.Add([]byte(`{"nbformat": 4, "cells": [{"cell_type": "code", "outputs": [], "outputs": 1, "source": "", "execution_count": null}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := Parse("f.ipynb", data)
		if err != nil {
			return
		}
		written, err := n.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		n, err = Parse("f.ipynb", written)
		if err != nil {
			t.Fatalf("written, it is no notebook: %v", err)
		}
		if again, err := n.Bytes(); err != nil || !bytes.Equal(again, written) {
			t.Errorf("reading and writing it again changes it (%v)", err)
		}
		n.Clear()
		got, err := n.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse("f.ipynb", got)
		if err != nil {
			t.Fatalf("cleared, it is no notebook: %v", err)
		}
		if len(again.Cells) != len(n.Cells) {
			t.Errorf("cleared, it has %d cells, before %d", len(again.Cells), len(n.Cells))
		}
	})
}

// A display that was updated to nothing is gone, others stay.
func TestDropEmpty(t *testing.T) {
	stream := &Output{Type: "stream", Name: "stdout"}
	c := &Cell{Outputs: []*Output{
		{Type: "display_data", Data: map[string]any{"text/html": "", "text/plain": ""}},
		{Type: "display_data", Data: map[string]any{"text/html": "", "text/plain": "x"}},
		stream,
	}}
	c.dropEmpty()
	if len(c.Outputs) != 2 || c.Outputs[1] != stream {
		t.Errorf("%d outputs are left, want 2", len(c.Outputs))
	}
}
