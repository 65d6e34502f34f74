package documents

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/corpus"
)

const plainText = `The valley lay quiet under the rain, and nobody had come along the
road since the morning, when the carrier went down to the ford with
two horses and a boy who sang to them.`

// kindOf returns what a block is in a book with a margin of 70.
func kindOf(text string) kind {
	b := splitBlocks(text)[0]
	b.classify(70, 1)
	return b.kind
}

func TestKindsOfBlocks(t *testing.T) {
	for _, c := range []struct {
		text string
		want kind
	}{
		{plainText, prose},
		{`"Eh?"`, prose},
		{"    " + strings.ReplaceAll(plainText, "\n", "\n    "), prose}, // a letter, set in
		{"Now fades the glimmering landscape on the sight,\nAnd all the air a solemn stillness holds,\nSave where the beetle wheels his droning flight.", verse},
		{"  The hen that laid thee moons ago,\n  Who knows.", verse},
		{"Flour . . .  2 lb.\nSugar         1 lb.\nEggs          three.", verse},
		{"CHAPTER IV. THE FORD", heading},
		{"Chapter 12", heading},
		{"XIV.", heading},
		{"THE SATANIC POWER IS MAINLY TWOFOLD: THE POWER OF CAUSING\nFALSEHOOD.", heading},
		{"NOTES", heading},
		{"*       *       *", note},
		{"[Footnote 3: See the preface to the second edition.]", note},
		{"[FN#29]  See frontispiece.", note},
		{"{45}  The yacht had been so called by the people.", note},
		{"* See the preface.", note},
		{"[Illustration: THE FORD.]", note},
		{"The ford, 12, 45-47, 120.\nThe valley, 3.", note},
		{"THE FORD. A Novel. Illustrated by Peter Newell. Post 8vo, Cloth,\nOrnamental, $1.50.", advert},
		{"Crown 8vo, cloth extra, 3s. 6d. each.", advert},
		{"Produced for Project Gutenberg by a volunteer.", boiler},
		{"London: Printed by William Clowes and Sons,\nStamford Street.", boiler},
		{"He told me that it was all a pretext for the publication of a book\nthat nobody had wanted, and that he had paid for himself.", prose},
		{"The Taste of the Meat", unended},
	} {
		if got := kindOf(c.text); got != c.want {
			t.Errorf("%q is of the kind %d, want %d", c.text, got, c.want)
		}
	}
}

func TestBook(t *testing.T) {
	text := "Title page\n\n\nCONTENTS\n\n  I. The Ford ..... 1\n\n\n\nCHAPTER I\n\n" + plainText + "\n\n" +
		"He had never seen so much of it before, and he said so to the old\nman who stood beside him at the door; but\n\n[Illustration: The door]\n\nnobody heard him, for the rain was loud upon the roof and in the\ntrees and the river.\n\n" +
		"He said:\n\n  The rain it raineth,\n  Every day.\n\n" +
		"It was an _old, old_ song.[12] They were half-\nasleep . . . but they knew it.\n\n" +
		"FOOTNOTES:\n\n[12] By Shakespeare, who wrote it for a fool and had it sung at the end\nof the play by him.\n\nTHE END\n\nBy the same author, cloth, 3s. 6d.\n"
	want := []string{
		strings.ReplaceAll(plainText, "\n", " "),
		"He had never seen so much of it before, and he said so to the old man who stood beside him at the door; but nobody heard him, for the rain was loud upon the roof and in the trees and the river.",
		"He said:",
		"It was an old, old song. They were half-asleep ... but they knew it.",
	}
	for _, c := range []struct{ path, text, title, author string }{
		{"x/A. Writer___The Ford.txt", text, "The Ford", "A. Writer"},
		{"ford.txt", strings.ReplaceAll(text, "\n", "\r\n"), "ford", ""},
		{"y.txt", "Title: The Ford\nAuthor: A. Writer\n\n*** START OF THE PROJECT GUTENBERG EBOOK ***\n\n" + text + "\n*** END OF THE PROJECT GUTENBERG EBOOK ***\nLicence text that is a sentence of its own, and is left out.\n", "The Ford", "A. Writer"},
	} {
		b := parseBook(c.path, decode([]byte(c.text)))
		if b.title != c.title || b.author != c.author {
			t.Errorf("%s: %q by %q", c.path, b.title, b.author)
		}
		if !slices.Equal(b.paragraphs, want) {
			t.Errorf("%s:\n%q, want\n%q", c.path, b.paragraphs, want)
		}
	}
}

// A paragraph that breaks off loses its last sentence only.
func TestBrokenParagraph(t *testing.T) {
	b := parseBook("b.txt", decode([]byte("The valley lay quiet under the rain, and nobody came. He had never seen\nso much of it before, and said so to the old man who was beside him at\nthe door of the\n\n"+plainText+"\n")))
	if len(b.paragraphs) != 2 || b.paragraphs[0] != "The valley lay quiet under the rain, and nobody came." {
		t.Errorf("%q", b.paragraphs)
	}
}

func TestIndentedParagraphs(t *testing.T) {
	text := "  The valley lay quiet under the rain that evening, and nobody came\nto the ford but the carrier.\n  He had two horses with him and a boy, and they all were wet to the\nskin.\n"
	b := parseBook("b.txt", decode([]byte(text)))
	if len(b.paragraphs) != 2 || !strings.HasPrefix(b.paragraphs[1], "He had two") {
		t.Errorf("%q", b.paragraphs)
	}
}

func TestUsable(t *testing.T) {
	line := func(s string, n int) string { return strings.Repeat(s+"\n\n", n) }
	number := func(s string, n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(s, "#", strings.Repeat("i", i%7+1)+strings.Repeat("x", i/7)) + "\n\n")
		}
		return b.String()
	}
	for _, c := range []struct{ name, text, want string }{
		{"a novel", line(plainText, 40), ""},
		{"a tale", line(plainText, 3), "short"},
		{"poems", line(plainText, 5) + line("  Now fades the glimmering landscape on the sight,\n  And all the air a solemn stillness holds,\n  Save where the beetle wheels his droning flight,\n  And drowsy tinklings lull the distant folds.", 60), "verse or tables"},
		{"a play", line("JACK. I have come to see you about the horses that were in the valley.", 40), "a play"},
		{"a play with dashes", line("ANNA--I have come to see you about the horses that were in the valley.", 40), "a play"},
		{"German", line("Das Tal lag still im Regen, und niemand war seit dem Morgen auf der\nStraße gekommen, als der Bote mit zwei Pferden hinunter zur Furt ging.", 40), "not English"},
		{"a dictionary", number("Ford#, crossing place.", 300), "not English"},
		{"an index", line(plainText, 20) + number("The ford of the valley and its # carrier, 12, 45.", 300), "notes and indexes"},
	} {
		d := Book(c.name, []byte(c.text))
		if d.Left != c.want {
			t.Errorf("%s: left out as %q, want %q (%s)", c.name, d.Left, c.want, d.Measures)
		}
	}
}

func TestClean(t *testing.T) {
	for _, c := range [][2]string{
		{"_I_ am _very, very_ glad", "I am very, very glad"},
		{"/I/ am, and /or/ not; and/or km/h 1/2", "I am, and or not; and/or km/h 1/2"},
		{"=bold= +wide+ ~Greek~ 1 + 1 = 2", "bold wide Greek 1 + 1 = 2"},
		{"*stressed* and noted* here.[1] And {12} there[FN#3].", "stressed and noted here. And there."},
		{"wouldn't . . . he", "wouldn't ... he"},
		{"he left. . . .", "he left ..."},
		{"<i>Italic</i> &c. a < b > c", "Italic &c. a < b > c"},
		{"two  blanks\u00a0and\tmore ", "two blanks and more"},
		{"* * * * *", ""},
	} {
		if got := clean(c[0]); got != c[1] {
			t.Errorf("%q became %q, want %q", c[0], got, c[1])
		}
	}
	if got := decode([]byte("caf\xe9 \x93so\x94")); got != "café “so”" {
		t.Errorf("Windows-1252: %q", got)
	}
	if got := decode([]byte("\ufeffe\u0301")); got != "é" {
		t.Errorf("decomposed: %q", got)
	}
}

func TestForeignWords(t *testing.T) {
	d := Document{latin: true}
	d.sentence("It is derived from the Greek ἀναρχία (ἄναρχος, ἀρχός) and the suffix.", false)
	if got := string(d.Text); got != "it is derived from the greek and the suffix .\n" {
		t.Errorf("%q", got)
	}
}

// Text of any script with spaces is text; of what is left out the reason is told.
func TestScripts(t *testing.T) {
	for _, c := range [][2]string{
		{"Это первое предложение. А вот и второе предложение!",
			"это первое предложение .\nа вот и второе предложение !\n"},
		{"Αυτή είναι η πρώτη πρόταση. Ιδού και η δεύτερη.", "αυτή είναι η πρώτη πρόταση .\nιδού και η δεύτερη .\n"},
		{"Dies ist der erste Satz. Die Straße ist schön, z.B. hier.",
			"dies ist der erste satz .\ndie straße ist schön , z.b. hier .\n"},
		{"זה המשפט הראשון. זה המשפט השני.", "זה המשפט הראשון .\nזה המשפט השני .\n"},
		{"이것은 첫 문장이다. 이것은 둘째 문장이다.", "이것은 첫 문장이다 .\n이것은 둘째 문장이다 .\n"},
		{"It is derived from the Greek ἀναρχία (άναρχος). Read returns io.EOF.",
			"it is derived from the greek ἀναρχία ( άναρχος ) .\nread returns io.eof .\n"},
		{"The word for it is 你好 (你好) in Chinese.", "the word for it is in chinese .\n"},
	} {
		d := Text("a.txt", corpus.Paragraphs, []byte(c[0]), false)
		if string(d.Text) != c[1] || len(d.Odd) > 0 {
			t.Errorf("%s became %q, and %v is left out", c[0], d.Text, d.Odd)
		}
	}
	long := strings.Repeat("слово ", 301)
	d := Text("a.txt", corpus.Paragraphs, []byte("你好。\n1 2 3 4\nСлово\n今天\n明天\n昨天\n"+long+"\n"), false)
	want := map[string]int64{withoutSpace: 4, mostlySigns: 1, tooShort: 1, tooLong: 1}
	if len(d.Text) > 0 || !reflect.DeepEqual(d.Odd, want) {
		t.Errorf("%q is kept, and %v left out, want %v", d.Text, d.Odd, want)
	}
	book := Document{latin: true}
	book.add(strings.Repeat("Это первое предложение. ", 4), false)
	if len(book.Text) > 0 || book.Odd[otherScripts] != 4 {
		t.Errorf("of a book %q is kept, and %v left out", book.Text, book.Odd)
	}
}

func FuzzBook(f *testing.F) {
	f.Add([]byte("Title: A\n*** START OF THIS PROJECT GUTENBERG EBOOK\n\nCHAPTER I\n\n" + plainText + "\n\n[Footnote 1: a\n\nb]\n\nTHE END\n*** END OF THIS PROJECT GUTENBERG EBOOK"))
	f.Add([]byte("  a\nb.\n  c-\n\n--\n\n[\n\n]\n\nNOTES\n\n* \xe9"))
	f.Fuzz(func(t *testing.T, data []byte) {
		b := parseBook("a___b.txt", decode(data))
		for k, n := range b.words {
			if n < 0 {
				t.Errorf("%d words of the kind %d", n, k)
			}
		}
		d := Book("a.txt", data)
		checkDocument(t, &d)
	})
}

// checkDocument checks what must hold for every document.
func checkDocument(t *testing.T, d *Document) {
	t.Helper()
	if len(d.Ends) != len(d.Tokens) || len(d.Ends) != len(d.Hashes) {
		t.Fatalf("%d sentences, %d counts, %d hashes", len(d.Ends), len(d.Tokens), len(d.Hashes))
	}
	from := 0
	for i, end := range d.Ends {
		s := string(d.Text[from:end])
		if strings.IndexByte(s, '\n') != len(s)-1 || len(strings.Fields(s)) != int(d.Tokens[i]) || d.Tokens[i] < 2 || d.Tokens[i] > 300 {
			t.Errorf("sentence %q of %d tokens", s, d.Tokens[i])
		}
		from = end
	}
	if from != len(d.Text) {
		t.Errorf("%d bytes of text, %d of sentences", len(d.Text), from)
	}
}

// The licence is no part of a book, nor is what stands above it, whether old or new marks surround it, and a licence
// behind the book does not take its place.
func TestLicences(t *testing.T) {
	const (
		small = "***START**THE SMALL PRINT!**FOR PUBLIC DOMAIN ETEXTS**START***\nWhy is this statement here? You know that lawyers are everywhere, and they\ntell us that you might sue us if there is something wrong.\n\n*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*\n\n"
		head  = "The Project Gutenberg Etext of The Ford\n\nTitle: The Ford\n\nWe are trying to release all our texts one month in advance of the\nofficial dates, for time for better editing.\n\n"
		start = "*** START OF THE PROJECT GUTENBERG EBOOK THE FORD ***\n\n"
		end   = "*** END OF THE PROJECT GUTENBERG EBOOK THE FORD ***\n\n"
		old   = "End of the Project Gutenberg Etext of The Ford\n\n"
	)
	own := strings.Repeat(plainText+"\n\n", 6)
	want := parseBook("b.txt", own).paragraphs
	if len(want) == 0 {
		t.Fatal("the book has no paragraphs")
	}
	for i, text := range []string{
		head + small + own + old,
		head + start + own + old + small,
		head + start + own + end + strings.Repeat("You may copy it, give it away or use it again under the terms of the licence.\n", 3),
		head + small + start + own + end,
		head + start + own + small,
		strings.ReplaceAll(head+small+own+old, "\n", "\r\n"),
		strings.ReplaceAll(head+start+own+old+small, "\n", "\r"),
	} {
		b := parseBook("b.txt", decode([]byte(text)))
		if !slices.Equal(b.paragraphs, want) || b.title != "The Ford" {
			t.Errorf("book %d, %q, has %d paragraphs, expected %d:\n%.300q", i, b.title, len(b.paragraphs), len(want), b.paragraphs)
		}
	}
}
