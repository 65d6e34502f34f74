package documents

import (
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/corpus"
)

func TestExtracted(t *testing.T) {
	var got []article
	line, problem := extracted("<doc id=\"12\" url=\"http://e.org/wiki?curid=12\" title=\"R&amp;D \"x\"\">\nR&amp;D \"x\"\n\nIt is.\n\nIt was.\n</doc>\n<doc id=\"13\" revid=\"9\" url=\"u\" title=\"B\">\nText of B.\n</doc>\n", func(a article) { got = append(got, a) })
	want := []article{{url: "http://e.org/wiki?curid=12", title: `R&D "x"`, text: "\nIt is.\n\nIt was.\n"}, {url: "u", title: "B", text: "Text of B.\n"}}
	if problem != "" || !slices.Equal(got, want) {
		t.Errorf("line %d: %q, %+v", line, problem, got)
	}
}

// None of WikiExtractor's escapes is taken for markup.
func TestExtractedEscapes(t *testing.T) {
	const text = "The men of R&amp;D knew that a &lt; b, and said so in the year of the great flood to all of them.\n"
	list, err := Extracted(nowhere, []byte("<doc id=\"12\" revid=\"34\" url=\"u\" title=\"A\">\nA\n\n"+strings.Repeat(text, 4)+"</doc>\n"))
	if err != nil {
		t.Fatal(err)
	}
	if d := list[0]; len(d.Ends) != 4 || d.Left != "" || !strings.HasPrefix(string(d.Text), "the men of r & d knew that a < b ,") {
		t.Errorf("%d sentences, %q, %q", len(d.Ends), d.Left, d.Text)
	}
}

func TestArticleParagraphs(t *testing.T) {
	const text = "It was built in the year of the great flood by all of them."
	for _, c := range [][2]string{
		{text, text},
		{"Etymology and terminology.", ""},
		{"* " + text, ""},
		{"A long caption that goes on without an end mark for many words", ""},
		{"It (; from Greek  ) was built [3] in the year (or ) of the great flood[citation needed] by all of them.", "It (from Greek) was built in the year of the great flood by all of them."},
	} {
		var got string
		articleParagraphs(c[0], func(p string) { got += p })
		if got != c[1] {
			t.Errorf("%q became %q, want %q", c[0], got, c[1])
		}
	}
	// Sentences with markup, formulas, or a gap where a quantity was.
	for _, s := range []string{
		"It was built as formula_12 in the year of the great flood by all of them.",
		"It is [[there| in the year of the great flood by all of them.",
		"It has a height of , and was built in the year of the great flood.",
		"See https://example.org for the year of the great flood by all of them.",
	} {
		var d Document
		articleParagraphs(s, func(p string) { d.add(p, true) })
		if len(d.Ends) > 0 || d.Odd[withMarkup] != 1 {
			t.Errorf("%q is kept: %q", s, d.Text)
		}
	}
}

func FuzzExtracted(f *testing.F) {
	f.Add("<doc id=\"12\" url=\"u\" title=\"A\">\nA\n\nIt was built in the year of the great flood (; ) by all of them of , and.\n</doc>\n")
	f.Add("<doc \n</doc>")
	f.Add("\r\r\r\r\xb8")
	f.Fuzz(func(t *testing.T, data string) {
		// A lone CR ends a line, too.
		lines := strings.Count(string(corpus.Normal([]byte(data))), "\n") + 1
		line := int64(0)
		list, err := Extracted(func(behind int64) string {
			line = behind
			return "a file"
		}, []byte(data))
		if err != nil && !strings.HasPrefix(err.Error(), "a file: ") || line < 0 || line > int64(lines) {
			t.Errorf("line %d of %d, %v", line, lines, err)
		}
		for i := range list {
			checkDocument(t, &list[i])
		}
	})
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte("{\"text\":\"It was there. So was I.\",\"title\":3}\n\n{\"text\":\"\\u0000\"}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		where := func(int64) string { return "a.jsonl" }
		list, err := JSON("a.jsonl", where, 1, data)
		if err != nil && !strings.HasPrefix(err.Error(), "a.jsonl: ") {
			t.Errorf("error %v, expected one that names the line", err)
		}
		for i := range list {
			checkDocument(t, &list[i])
		}
	})
}
