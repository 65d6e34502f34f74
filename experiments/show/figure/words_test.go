package figure

import (
	"os"
	"slices"
	"testing"

	"contextmover/internal/printable"
)

// anyWords are of many scripts, and some that must not be shown as they are.
var anyWords = []string{
	"müller", "café", "cafe\u0301", "собака", "東京", "Ω", "עברית", "عربي", "🦁", "👩\u200d🚀", "हिन्दी", "a<b>&\"c'",
	"\x1b[31mred", "\x1b]0;title\a", "a\x00b", "two\nlines", "a\u202eb", "\xff\xfe", "\uffff",
}

// figuresOf are figures of each kind with the word wherever a figure has words.
func figuresOf(t *testing.T, word string) []*Figure {
	figures := examples(t)
	for _, f := range figures {
		f.Title, f.Caption, f.Provenance.Space = word, word, word
		for i := range f.Panels {
			p := &f.Panels[i]
			p.Title = word
			switch {
			case p.Density != nil:
				d := *p.Density
				d.Layers, d.Labels = slices.Clone(d.Layers), slices.Clone(d.Labels)
				d.Layers[0].Name, d.Labels[0].Text = word, word
				p.Density = &d
			case p.Plan != nil:
				p.Plan.From, p.Plan.To, p.Plan.Rows[0], p.Plan.Cols[0] = word, word, word, word
			case p.Flow != nil:
				p.Flow.From, p.Flow.To, p.Flow.Rows[0], p.Flow.Cols[0] = word, word, word, word
			case p.Curves != nil:
				p.Curves.X, p.Curves.Y, p.Curves.Curves[0].Name, p.Curves.Marks[0].Text = word, word, word, word
			}
		}
	}
	return figures
}

// Words of any script, and what only looks like words, can be drawn: SVG is XML that has them as they are
// shown, the tables of PDF are right, and PNG can be read.
func TestAnyWords(t *testing.T) {
	for _, word := range anyWords {
		want := printable.Text(word)
		for _, f := range figuresOf(t, word) {
			texts := svgTexts(t, render(t, SVG, f))
			var found int
			for _, s := range texts {
				if s == want {
					found++
				}
			}
			if found < 3 { // the title twice and a word at least
				t.Errorf("%q in %s: %d times in the texts %q", word, f.ID, found, texts)
			}
			wellFormed(t, render(t, PDF, f))
			decode(t, render(t, PNG, f))
		}
	}
}

// A word of any script names a figure's files as it is, so that no two words share a name; what some system does not
// take for a name, or a terminal acts on, is refused.
func TestNamesOfAnyScript(t *testing.T) {
	dir := t.TempDir()
	f := examples(t)[1]
	var want []string
	for _, f.ID = range []string{"café", "собака", "Ω", "עברית", "عربي", "हिन्दी", "plan_東京"} {
		if err := f.check(); err != nil {
			t.Error(err)
		}
	}
	for _, f.ID = range []string{"müller", "muller", "東京"} {
		if err := Write(dir, f); err != nil {
			t.Error(err)
		}
		for _, extension := range Extensions() {
			want = append(want, f.ID+extension)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the files are %q, want %q", got, want)
	}
	for _, f.ID = range []string{"", ".", "..", "a/b", `a\b`, "a:b", "a b", "a*", "\x1bred", "a\x00b", "a\u202eb", "\xff", "-a", "\u0301a"} {
		if err := f.check(); err == nil {
			t.Errorf("id %q is taken", f.ID)
		}
	}
}

// A letter that the font lacks is drawn as a box, and told of.
func TestLacking(t *testing.T) {
	for word, want := range map[string]string{"dog": "", "müller собака Ω": "", "東京東": "京東", "🦁": "🦁", "עברית": ""} {
		f := figuresOf(t, word)[1]
		if got := f.Lacking(); got != want {
			t.Errorf("%q lacks %q, want %q", word, got, want)
		}
	}
	for in, want := range map[string]string{"dog": "dog", "собака": "собака", "👩\u200d🚀": "□□", "\u2764\ufe0f": "□"} {
		if got := boxed(in); got != want {
			t.Errorf("boxed(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestVisual(t *testing.T) {
	for in, want := range map[string]string{
		"dog": "dog", "собака": "собака", "": "",
		"שלום":         "םולש",
		"(a) שלום":     "(a) םולש",
		"dog שלום cat": "dog םולש cat",
		"👩\u200d🚀":     "□□",
		"\u2764\ufe0f": "□",
	} {
		if got := visual(in); got != want {
			t.Errorf("visual(%q) = %q, want %q", in, got, want)
		}
	}
}
