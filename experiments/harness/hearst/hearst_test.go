package hearst

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/corpus"
)

// What each pattern finds, and what it leaves alone.
func TestMatch(t *testing.T) {
	for text, want := range map[string]string{
		"fruits such as red apples , pears and the old plums are sold .": "apples<fruits pears<fruits plums<fruits",
		"many fruits , such as apples , he said , are good":              "apples<fruits",
		"such large animals as dogs or cats":                             "dogs<animals cats<animals",
		"features such as speed":                                         "",
		"countries , including france , spain":                           "france<countries",
		"birds , especially gulls , terns and auks , nest here":          "gulls<birds terns<birds auks<birds",
		"he sold chairs , small tables and other furniture .":            "tables<furniture chairs<furniture",
		"sparrows or any other birds":                                    "sparrows<birds",
		"unlike most birds , penguins are heavy":                         "penguins<birds",
		"the dog is a domestic animal that barks":                        "dog<animal",
		"ice , which is a form of water , melts":                         "ice<water",
		"it is a part of the house":                                      "",
		"this is a member of the club":                                   "",
		"the square , a special case of the rectangle":                   "square<rectangle",
		"animals such as dogs eat raw meat":                              "",
		"such as":                                                        "",
		"other":                                                          "",
		"is a":                                                           "",
	} {
		var got []string
		match(strings.Fields(text), func(example, kind string) { got = append(got, example+"<"+kind) })
		slices.Sort(got)
		wanted := strings.Fields(want)
		slices.Sort(wanted)
		if !slices.Equal(got, wanted) {
			t.Errorf("%q: %q, want %q", text, got, wanted)
		}
	}
}

// Plurals count as their singulars, words are no examples of themselves, and other words do not count.
func TestCount(t *testing.T) {
	path := filepath.Join(t.TempDir(), "text")
	text := "fruits such as apples and berries\nan apple is a fruit .\nboxes and other fruits\nfruit such as fruits\n" +
		"unknown words such as apples\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	words := []string{"apples", "apple", "fruits", "fruit", "berries", "berry", "boxes", "box"}
	v, err := corpus.NewVocabulary(words, slices.Repeat([]int64{1}, len(words)))
	if err != nil {
		t.Fatal(err)
	}
	m, err := Count(t.Context(), corpus.Text{Files: []string{path}, Tokenised: true}, v, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	got := ""
	for i := range words {
		index, value := m.Row(i)
		for k, j := range index {
			got += fmt.Sprintf("%s<%s %g; ", words[i], words[j], value[k])
		}
	}
	if want := "apple<fruit 2; berry<fruit 1; box<fruit 1; "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestSingulars(t *testing.T) {
	for word, want := range map[string]string{
		"dogs": "dog", "berries": "berry berrie", "boxes": "box boxe", "houses": "house hous", "glass": "", "bus": "",
		"iris": "", "gas": "", "churches": "church churche", "ties": "tie", "glasses": "glass glasse", "s": "",
		"1990s": "",
	} {
		if got := strings.Join(singulars(word), " "); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("fruits , such as apples , pears and other such things as is a special case of like most birds , penguins")
	f.Fuzz(func(t *testing.T, text string) {
		tokens := strings.Fields(text)
		match(tokens, func(example, kind string) {
			for _, token := range []string{example, kind} {
				if !slices.Contains(tokens, token) || function[token] {
					t.Fatalf("%q: %q is a %q", text, example, kind)
				}
			}
		})
		for _, form := range singulars(text) {
			if len(form) > len(text) {
				t.Fatalf("%q is longer than %q", form, text)
			}
		}
	})
}
