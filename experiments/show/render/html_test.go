package render

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

// The fragment is well formed, has as many cells in each row as there are columns, and
// shows text as text.
func TestHTML(t *testing.T) {
	x, low, high, printed := 48.25, 47.0, 49.5, 48.2
	y := 47.0
	table := &Table{
		ID: "t", Title: "Title <b>", Label: "method & more", Notes: []string{"a < b"},
		Columns: []Column{{Name: "one", Group: "G", Digits: 1}, {Name: "two", Group: "G", Digits: 1}, {Name: "words"}},
		Blocks: []Block{{Title: "block", Rows: []Row{
			{Label: "<i>first", Cells: []Cell{{Value: &x, Interval: &Interval{low, high}, Printed: &printed, Coverage: &Coverage{9, 10}}, {}, {Text: "x & y"}}},
			{Label: "second", Origin: Quoted, Cells: []Cell{{Printed: &printed}, {Value: &y}, {}}},
			{Label: "third", Cells: []Cell{{Value: &y}, {}, {}}},
		}}},
	}
	var out bytes.Buffer
	if err := HTML(&out, table); err != nil {
		t.Fatal(err)
	}
	decoder := xml.NewDecoder(strings.NewReader("<x>" + strings.ReplaceAll(out.String(), "<br>", "<br/>") + "</x>"))
	cells := 0
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, out.String())
		}
		switch e := token.(type) {
		case xml.StartElement:
			if e.Name.Local == "td" {
				cells++
			}
		}
	}
	if want := 4 * 4; cells != want { // three rows and the coverage
		t.Errorf("%d cells, want %d", cells, want)
	}
	for _, want := range []string{
		"<b>48.2</b>\u00a0(48.2)<br><small>47.0\u2060…\u206049.5</small>", "&lt;i&gt;first", "x &amp; y", "second\u00a0†", "(48.2)</td>",
		"<u>47.0</u>", "90.0 %", "a &lt; b", `colspan="2">G<`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if err := HTML(io.Discard, &Table{ID: "t"}); err == nil {
		t.Error("no error for a table without columns")
	}
}
