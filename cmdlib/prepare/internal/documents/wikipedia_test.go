package documents

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// page is a page of a dump.
func page(id int, title, text string) string {
	return fmt.Sprintf("  <page>\n    <title>%s</title>\n    <ns>0</ns>\n    <id>%d</id>\n    <revision>\n      <id>9</id>\n      <text bytes=\"1\" xml:space=\"preserve\">%s</text>\n    </revision>\n  </page>\n", title, id, text)
}

func TestExtracted(t *testing.T) {
	var got []article
	line, problem := extracted("<doc id=\"12\" url=\"http://e.org/wiki?curid=12\" title=\"R&amp;D \"x\"\">\nR&amp;D \"x\"\n\nIt is.\n\nIt was.\n</doc>\n<doc id=\"13\" url=\"u\" title=\"B\">\nText of B.\n</doc>\n", func(a article) { got = append(got, a) })
	want := []article{{id: "12", url: "http://e.org/wiki?curid=12", title: `R&D "x"`, text: "\nIt is.\n\nIt was.\n"}, {id: "13", url: "u", title: "B", text: "Text of B.\n"}}
	if problem != "" || !slices.Equal(got, want) {
		t.Errorf("line %d: %q, %+v", line, problem, got)
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
		if len(d.Ends) > 0 || d.Odd[withMarkup].Sentences != 1 {
			t.Errorf("%q is kept: %q", s, d.Text)
		}
	}
}

func TestPlain(t *testing.T) {
	for _, c := range [][2]string{
		{"'''Bold''' and ''italic'' [[a|b]] [[c]] [[:Category:D]].", "Bold and italic b c Category:D.\n"},
		{"A{{cite|x={{y}}}} b<ref name=\"n\">note {{z}}</ref> c<ref name=n/>.<!-- d\ne --> f", "A b c. f\n"},
		{"[[File:x.jpg|thumb|A [[picture]] of it]]Text.[[Category:A]][[de:B]]", "Text.\n"},
		{"{| class=x\n| cell {{t}}\n|}\n== Head ==\n* item\n: set in\nText.", "Text.\n"},
		{"It is {{convert|5|km|mi}} long, {{lang|fr|la mer}}, {{nowrap|5 kg}}.", "It is 5 km long, la mer, 5 kg.\n"},
		{"x <math>a<b</math> y", "x \uFFFC y\n"},
		{"[http://e.org the site] and [https://e.org].", "the site and .\n"},
		{"&lt;b&gt; a&nbsp;b __TOC__", "<b> a\u00a0b\n"},
		{"Not closed {{here\n\nBut this is text.", "Not closed\nBut this is text.\n"},
	} {
		if got := plain(c[0]); got != c[1] {
			t.Errorf("%q became %q, want %q", c[0], got, c[1])
		}
	}
}

func TestPage(t *testing.T) {
	for _, c := range []struct{ xml, title, text, skipped string }{
		{page(7, "A &amp; B", "Text."), "A & B", "Text.\n", ""},
		{strings.Replace(page(7, "A", "Text."), "<ns>0<", "<ns>1<", 1), "A", "", "not an article"},
		{page(7, "A", "#REDIRECT [[B]]"), "A", "", "a redirect"},
		{strings.Replace(page(7, "A", ""), "<id>7", "<redirect title=\"B\" /><id>7", 1), "A", "", "a redirect"},
		{"<page><title>A</title><id>7</id><text bytes=\"0\" /></page>", "A", "", "no text"},
	} {
		a, err := pageOf(c.xml)
		if err != nil || a.title != c.title || a.text != c.text || a.skipped != c.skipped || a.id != "7" {
			t.Errorf("%s: %+v, %v", c.xml, a, err)
		}
	}
}

func FuzzExtracted(f *testing.F) {
	f.Add("<doc id=\"12\" url=\"u\" title=\"A\">\nA\n\nIt was built in the year of the great flood (; ) by all of them of , and.\n</doc>\n")
	f.Add("<doc \n</doc>")
	f.Fuzz(func(t *testing.T, data string) {
		lines := strings.Count(data, "\n") + 1
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

// What is open at the end is taken to the end of its paragraph;
// what is nested deeper than the deepest level stays as it is.
func TestNested(t *testing.T) {
	many := func(n int, s string) string { return strings.Repeat(s, n) }
	for _, c := range [][2]string{
		{"A [[b\n\nC [[d [[e\n\nF", "A \n\nC \n\nF"},
		{"A [[b [[c\n[[d\n\nE", "A \n\n\nE"},
		{"A [[b [[c [[d", "A "},
		{"A " + many(deepest, "[[") + "b" + many(deepest, "]]") + " c", "A b c"},
		{"A " + many(deepest+2, "[[") + "b" + many(deepest+2, "]]") + " c", "A [[[[b]]]] c"},
		{"A " + many(50_000, "[[") + "b\n\nC", "A \n\nC"},
	} {
		if got := nested(c[0], "[[", "]]", link); got != c[1] {
			t.Errorf("%.60q became %.60q, want %.60q", c[0], got, c[1])
		}
	}
	random := rand.New(rand.NewPCG(3, 4))
	parts := []string{"[[", "[[", "]]", "[", "]", "\n", "\n\n", "a", "|", "b c"}
	for range 5000 {
		var text strings.Builder
		for range random.IntN(deepest) {
			text.WriteString(parts[random.IntN(len(parts))])
		}
		in := text.String()
		if got, want := nested(in, "[[", "]]", link), nestedPlainly(in, "[[", "]]", link); got != want {
			t.Fatalf("%q became %q, want %q", in, got, want)
		}
	}
}

// nestedPlainly is nested of any depth: what is open has a text of its own each, which the last one's goes through.
func nestedPlainly(s, open, close string, replace func(string) string) string {
	stack := []string{""}
	pop := func() (inner string) {
		inner, stack = stack[len(stack)-1], stack[:len(stack)-1]
		return inner
	}
	for len(s) > 0 {
		switch {
		case strings.HasPrefix(s, open):
			stack, s = append(stack, ""), s[len(open):]
		case strings.HasPrefix(s, close) && len(stack) > 1:
			replaced := replace(pop())
			stack[len(stack)-1] += replaced
			s = s[len(close):]
		default:
			stack[len(stack)-1] += s[:1]
			s = s[1:]
		}
	}
	for len(stack) > 1 {
		if _, rest, ok := strings.Cut(pop(), "\n\n"); ok {
			stack[len(stack)-1] += "\n\n" + rest
		}
	}
	return stack[0]
}

func FuzzDump(f *testing.F) {
	f.Add("<mediawiki>" + page(1, "A", "It was built by the [[people]] of 5, who had come from the south with their cattle and all of their goods.\n== See also ==\n* [[List]]") + page(2, "B", "{{a|b=[[c|{|d|}]]}}[[File:x|y]]&lt;ref>"))
	f.Add("<page><title></title><id></id><text>{{nowrap|a=b|=c}}{{{{}}[[|]]</text></page>")
	f.Fuzz(func(t *testing.T, xml string) {
		list, err := Pages(func(int64) string { return "d.xml" }, xml)
		if err != nil && !strings.HasPrefix(err.Error(), "d.xml: ") {
			t.Errorf("error %v names no file", err)
		}
		for i := range list {
			checkDocument(t, &list[i])
		}
	})
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte("{\"text\":\"It was there. So was I.\",\"title\":3}\n\n{\"text\":\"\\u0000\"}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := JSON("a.jsonl", func(int64) string { return "a.jsonl" }, 1, data)
		if err != nil && !strings.HasPrefix(err.Error(), "a.jsonl: ") {
			t.Errorf("error %v names no line", err)
		}
		for i := range list {
			checkDocument(t, &list[i])
		}
	})
}
