package ask

import (
	"fmt"

	"contextmover/cmdlib/corpus"
	"contextmover/internal/printable"
)

// jsonPlace is a sentence of a text, or a part of one, and where it stands, in JSON.
type jsonPlace struct {
	Path   string `json:"path"`
	Number int64  `json:"number"` // of the line
	Text   string `json:"text"`
	Equal  int    `json:"equal"` // sentences of this text
}

// placed returns the first n sentences of other texts, each with the number of those that are equal to it.
func placed(sentences []corpus.Sentence, n int) (list []jsonPlace) {
	type place struct {
		path string
		line int64
		text string
	}
	seen, equal := make(map[place]bool), make(map[string]int)
	for _, s := range sentences {
		// A sentence stands as often in a list as what was looked for stands in it.
		if p := (place{s.File, s.Line, s.Text}); !seen[p] {
			seen[p] = true
			equal[s.Text]++
		}
	}
	for _, s := range sentences {
		if number := equal[s.Text]; number > 0 && len(list) < n {
			list = append(list, jsonPlace{s.File, s.Line, s.Text, number})
			equal[s.Text] = 0
		}
	}
	return list
}

// occurring are placed occurrences, with n words on each side.
func occurring(occurrences []corpus.Occurrence, most, n int) []jsonPlace {
	var sentences []corpus.Sentence
	excerpts := make(map[string]string)
	for _, o := range occurrences {
		sentences = append(sentences, o.In)
		if _, ok := excerpts[o.In.Text]; !ok {
			excerpts[o.In.Text] = o.Excerpt(n)
		}
	}
	list := placed(sentences, most)
	for i := range list {
		list[i].Text = excerpts[list[i].Text]
	}
	return list
}

// String is the place, the text and how often it stands in the text if that is more than once, with tabs between.
func (p jsonPlace) String() string {
	line := fmt.Sprintf("%s:%d\t%s", printable.Text(p.Path), p.Number, printable.Text(p.Text))
	if p.Equal > 1 {
		line += fmt.Sprintf("\t%d times", p.Equal)
	}
	return line
}
