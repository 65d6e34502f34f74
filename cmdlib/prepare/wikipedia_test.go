package prepare

import (
	"context"
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestExtracted(t *testing.T) {
	var got []article
	line, problem, err := extracted("<doc id=\"12\" url=\"http://e.org/wiki?curid=12\" title=\"R&amp;D \"x\"\">\nR&amp;D \"x\"\n\nIt is.\n\nIt was.\n</doc>\n<doc id=\"13\" url=\"u\" title=\"B\">\nText of B.\n</doc>\n", func(a article) error {
		got = append(got, a)
		return nil
	})
	want := []article{{id: "12", url: "http://e.org/wiki?curid=12", title: `R&D "x"`, text: "\nIt is.\n\nIt was.\n"}, {id: "13", url: "u", title: "B", text: "Text of B.\n"}}
	if problem != "" || err != nil || !slices.Equal(got, want) {
		t.Errorf("line %d: %q, %v, %+v", line, problem, err, got)
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
		var d document
		articleParagraphs(s, func(p string) { d.add(p, true) })
		if len(d.ends) > 0 || d.odd != 1 {
			t.Errorf("%q is kept: %q", s, d.text)
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

// dump is a dump cut into bzip2 streams: the texts are compressed beforehand, as Go has no writer of bzip2.
// The cuts go through tags.
var dumpStreams = []string{
	"QlpoOTFBWSZTWa/UEMMAABLbgEAQUAPgFwCAJ+/cwCAAaDUeqA0ZGnqaPU0MgSijTCAGQNDQXgNZYxotlj1oKPredZ7ByxRPcI8IZOrSfJK7qHkYnpipwQUi8orKHiTPLhmYYJeTXcnz8kEcWRoNlJr9yN2wuzQd9LEVxMz/F3JFOFCQr9QQww==",
	"QlpoOTFBWSZTWVl4jBoAABjfgFAQUYXgPwAgBAo/59/kMAFbWkoamRM1T1Nk0Yo0aA0AaCKek09TTJoAADQNABppBGKeRogaMk9TQ2piGIlUAgioEDkA4++vfQl6M08EHwytjdg77jbapiZE1NyoGISJbVrOEIiLSiFCzq4IMDIA8ppgPaTHhpkAlUNufTGzVEyhIqQcdhDXV+mbl7FoKmd+9V4HJSrFi5bxcH9+EJMU45ghvZ95dWsAsOzn6k1Qy95rAqpkTVwDe8hmRODCxOZX0ZuoDkPNiWbzgxzKSlQEKH0CVdU1BfeQVCk+SiCYbDYfIw9QEqiYqJbhfAcFzIPvVJs9c4OPQ0GkTIIGhYBp5pSjUrJ9oVO+AxjT5tq6uMFOGDCnG7OFwobCLFESVjbSrIjyLAI5cAse7enQx/broV5yQI117w0f31WXxhmd2MSkQjQCoaTa5CP+LuSKcKEgsvEYNA==",
	"QlpoOTFBWSZTWanoX7QAANRfgFAQUYX4PwAgBAo/59/kMAGbTbZqEpE000yE8p5JPU9NBGCaNqYSmoTNQnpDTUyDaAg9QASJJkmmo9T2qYTQaeo9Q02kGkhbElcoSQTSX9xPnJtuZIy5sfOWNtminy16tRBXLrGel3G8t7FrqZ7cCsjUktJmAnrK/4mZwcltjvLPE4mZMZvqFCCAsxv7ttuaR5HYayGNjNpoXe+ZmW5etKSPYZNkDMCpvgg8BnmQOJEgiVECIPO5xMMGJZIoKNGeufRrArXX9eZNE0P3rUxvaWEIWAS9bwzTVtiot5KH4KpYYMjzPujUyWMZksC8vMBqFTACs6sqOmLTghs/Bgu0su0D7DaerUhJLySQuCNpiVTUDySRbOE77F6i3GuAtSORqVAt3goUKDXGMX3ATlemWFP74MbDHIvQoRMd2GvuV1mUJJeI477LCZqS8NiieiMQekSrRNR2Zmp/k2Gy2WRBERhWRaDD/OpIhy2mirib1BcNJmRBpJD0dED/F3JFOFCQqehftA==",
	"QlpoOTFBWSZTWRjDkDkAAArdgAAQQQUICAAgP2ffoCAASGqbU9Q9TRo9Taj0mnqDVM0jaaZQaYhkOj0crMfT8EFEodFvV63DEMU37M4INIfKjaDaOzw4UCl0ySXKeOLRlNLx4GpwUvUDw2HiOW3gC/F3JFOFCQGMOQOQ",
	"QlpoOTFBWSZTWaOHnkcAAUhfgFAQUYXsPwAgBAo/59/kMAGbVBrDVNAyDTQZGgAAACVPSiaenqmTQNAyNGgaACSQETTJ5E1GmBBppkxDwMki1DgFFI88OZyZop/I6smOryhMh2InRyMWEOLmTGDluScviOKbsbKSWFCEsCbKiNJC4/CQcOLy0ImLjJQNvH5i3riSc4gVLqGZP5EWUPBkKvyT33zFxxMTclKmVOasZtasZDSSFUjwqNHTje8JFMkxvgeD3+pEEojo/BPsUJpbv05vRmiGA4cRCBzNJvGWFo9h4bBhx4YvjqG9g7kxTKtiPIvMLrsAZOUjBBUjUYqMSKDJnJwzd2SC9QtOx8GPi1XFVeFVcaSlqzeZMaKooSMrjK+Y7y4sPJg4ZWKSek4sOmvXrkWZ0NBpQZVOwsRJHYoUCqWcAoalmESMjoASyGwQECzGBo3HYSGdBnbhsSwmPvTzzZt2saDrq1FpCuy4SIyoTIB+6Z3LtFqo0jqA5AlgJoSoRExxE38XckU4UJCjh55H",
	"QlpoOTFBWSZTWRzAOZIAAJlfgFAQUYXiPwAgBAo/59/kMAFbWkoamJM1TTaNTYo0aA0ANBFPSaepo00AANADQAaaQmmJoyU9I09T1PSep6htTEMRMQggioEDgg8ab6kuDNepB6so9vAd9xttUxPxJ1iboH83kiW1UJwUIiwohQo6eCBZkAeU0wHsXm4NMgEqhtJYZP2RM7ohSDlwIbbWa+7l6FpUzpyVfM5qVDEFyVi4V9+EEY6MgQxb95ZOaBUdXP1FzBj76oBRjbTNwDd5DQicGFicyvczdeh9R2ej8jixzL5SvBCiy8JV1TUk2UIKhSexRBMNhwNhj3gJVExUSuFIDkkiFepkXS0yg88zUZ2mQUOCAGvic5uWka7AyWqAwtn82UfTCDHhL5W3ZQuEzaRYKqxqdYVIkeJXhXpAIPFueZjxhhCvOSBGupYGj+3rLpjobvKJSIRoBUNJtepH/F3JFOFCQHMA5kg=",
	"QlpoOTFBWSZTWTm2TDYAAFRfgFAQUYXhPwAgBAo/79/kMAFbWm1hqam0FDxMjKD1NAeoAAamhPQJonkENGho0NBoEqekI0GmiNI0009R6gNpNNHuducFiQzhxED+5/OiUX6dELo/GuGxH7tlJlavY9H8IOya8jz2xWKSItDqJsVw8GMUtC5JmF78cqCvkDZiGN1M69QOV9oyFnsWa+etej4t6p6ZTx4M3guTJvBmInmEQ7tvglC5TBDI/nGyzAVcrl5wkxAyTZIFEHgzRCEPi45onY9PdxTdlOOAvIl1k6Wa3PqfS++ghirAdSOSyFVkhMMl1TnEyH7ndse5wr7XE95Q3h1Cdjxeu4hC1FhshdFiZaqcNa0kHBgUAl3l1tptu2Z3BGMnisJ+9VGUq9DAnDGF9n3idxkWtrWxUtxUiV1SmGsVEKGrcMCf6rrdLdBAQujYYWP2codJ8SpseSHoDCiCeRSlKpN/i7kinChIHNsmGwA=",
}

// The pages of all streams come out once and in order, wherever the streams are cut.
func TestMultistream(t *testing.T) {
	var file []byte
	for _, s := range dumpStreams {
		data, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		file = append(file, data...)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "dump.xml.bz2")
	write(t, path, string(file))
	starts, err := streamsOf(path)
	if err != nil || len(starts) != len(dumpStreams)+1 || starts[0] != 0 || starts[len(starts)-1] != int64(len(file)) {
		t.Fatalf("streams at %v, %v", starts, err)
	}
	if _, err := Run(context.Background(), filepath.Join(dir, "out"), Options{Sources: []Source{{Kind: Wikipedia, Paths: []string{path}}}}); err != nil {
		t.Fatal(err)
	}
	streamed := folder(t, filepath.Join(dir, "out"))
	// The same without streams.
	r, err := open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	whole := filepath.Join(dir, "dump.xml")
	f, err := os.Create(whole)
	if err == nil {
		_, err = f.ReadFrom(r)
		f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), filepath.Join(dir, "whole"), Options{Sources: []Source{{Kind: Wikipedia, Paths: []string{whole}}}}); err != nil {
		t.Fatal(err)
	}
	for name, text := range folder(t, filepath.Join(dir, "whole")) {
		if streamed[name] != text {
			t.Errorf("%s differs between streams and a plain file:\n%s\n%s", name, streamed[name], text)
		}
	}
	if got := strings.Count(streamed[indexName], "\n"); got != 7 {
		t.Errorf("%d lines in the index, want 6 pages and a head:\n%s", got, streamed[indexName])
	}
	// A stream that is damaged is named.
	file[starts[1]+30] ^= 1
	write(t, path, string(file))
	if _, err := Run(context.Background(), filepath.Join(dir, "out"), Options{Sources: []Source{{Kind: Wikipedia, Paths: []string{path}}}}); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("damaged stream: %v", err)
	}
}

func FuzzExtracted(f *testing.F) {
	f.Add("<doc id=\"12\" url=\"u\" title=\"A\">\nA\n\nIt was built in the year of the great flood (; ) by all of them of , and.\n</doc>\n")
	f.Add("<doc \n</doc>")
	f.Fuzz(func(t *testing.T, data string) {
		lines := strings.Count(data, "\n") + 1
		line, _, err := extracted(decode([]byte(data)), func(a article) error {
			d := articleDocument(a)
			checkDocument(t, &d)
			return nil
		})
		if err != nil || line < 0 || line > lines {
			t.Errorf("line %d of %d, %v", line, lines, err)
		}
	})
}

func FuzzDump(f *testing.F) {
	f.Add("<mediawiki>" + page(1, "A", articleText(1)) + page(2, "B", "{{a|b=[[c|{|d|}]]}}[[File:x|y]]&lt;ref>"))
	f.Add("<page><title></title><id></id><text>{{nowrap|a=b|=c}}{{{{}}[[|]]</text></page>")
	f.Fuzz(func(t *testing.T, xml string) {
		list, err := pageDocuments(input{path: "d.xml"}, 1, xml)
		if err != nil && !strings.HasPrefix(err.Error(), "prepare: d.xml:") {
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
		list, err := jsonDocuments(input{path: "a.jsonl", name: "a.jsonl"}, 1, data)
		if err != nil && !strings.HasPrefix(err.Error(), "prepare: a.jsonl:") {
			t.Errorf("error %v names no line", err)
		}
		for i := range list {
			checkDocument(t, &list[i])
		}
	})
}
