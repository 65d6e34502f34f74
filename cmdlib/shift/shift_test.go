package shift_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib"
	"contextmover/cmdlib/build"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/shift"
)

// world writes two texts about topics a to e, old and new, and a space of both. The words
// m0 to m3 are of topic a in the old text and of b in the new one; the others stay.
func world(dir string) (space *cmdlib.Space, before, after corpus.Text, err error) {
	r := rand.New(rand.NewPCG(7, 8))
	var texts []corpus.Text
	for age, name := range []string{"old", "new"} {
		var b strings.Builder
		for range 3000 {
			topic := "abcde"[r.IntN(5)]
			var words []string
			for range 5 {
				words = append(words, fmt.Sprintf("%c%d", topic, r.IntN(20)), fmt.Sprintf("the%d", r.IntN(3)))
			}
			if topic == "ab"[age] && r.IntN(2) == 0 {
				words[1] = fmt.Sprintf("m%d", r.IntN(4))
			}
			b.WriteString(strings.Join(words, " ") + "\n")
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			return nil, before, after, err
		}
		texts = append(texts, corpus.Text{Files: []string{path}})
	}
	b := build.New()
	b.Text, b.MinCount, b.Dim, b.Clusters, b.SPPMI.Shift = corpus.Text{Files: slices.Concat(texts[0].Files, texts[1].Files)}, 5, 12, 10, 1
	if _, err = b.Run(context.Background(), filepath.Join(dir, "space")); err != nil {
		return nil, before, after, err
	}
	space, err = cmdlib.Open(filepath.Join(dir, "space"), cpu.New())
	return space, texts[0], texts[1], err
}

// Four of some hundred words are used otherwise, and the words around them less so.
func ExampleBetween() {
	dir, err := os.MkdirTemp("", "shift")
	check(err)
	defer os.RemoveAll(dir)
	space, before, after, err := world(dir)
	check(err)
	defer space.Close()
	words, err := shift.Between(context.Background(), space, before, after, shift.Defaults())
	check(err)
	var moved []string
	for _, w := range words[:min(4, shift.Moved(words, 0.05))] {
		moved = append(moved, w.Word)
	}
	slices.Sort(moved)
	fmt.Println(moved)
	// Output:
	// [m0 m1 m2 m3]
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func TestBetween(t *testing.T) {
	space, before, after, err := world(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer space.Close()
	p := shift.Defaults()
	var want []shift.Word
	for _, threads := range []int{1, 3} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		words, err := shift.Between(t.Context(), space, before, after, p)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = words
		} else if !reflect.DeepEqual(words, want) {
			t.Error("another result with other threads")
		}
	}
	for i, w := range want[:4] {
		if w.Word[0] != 'm' || w.Excess() < 0.1 || w.Stable > 0 {
			t.Errorf("place %d: %+v", i+1, w)
		}
	}
	// The kind of text explains what all words do, but not what these four do.
	if n := shift.Moved(want, 0.05); n < 4 || n > len(want)/5 {
		t.Errorf("%d of %d words moved", n, len(want))
	}
	for _, w := range want[:4] {
		if w.Word[0] != 'm' {
			t.Errorf("among the first four: %+v", w)
		}
	}
	// One word is judged by its own draws.
	p.Words, p.Draws = []string{"m0"}, 50
	one, err := shift.Between(t.Context(), space, before, after, p)
	if err != nil || len(one) != 1 || one[0].P > 0.05 || one[0].Counts[0] < 50 {
		t.Errorf("%+v, %v", one, err)
	}
	p.Words = []string{"c1"}
	if one, err = shift.Between(t.Context(), space, before, after, p); err != nil || one[0].P < 0.05 {
		t.Errorf("%+v, %v", one, err)
	}
	// Against itself, cut in two, a text moves no word.
	same, err := shift.Between(t.Context(), space, before, before, shift.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range same {
		if w.Q < 0.2 || w.Excess() > 1e-4 {
			t.Errorf("in the same text: %+v", w)
		}
	}
}

func TestBetweenFails(t *testing.T) {
	space, before, after, err := world(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer space.Close()
	for want, change := range map[string]func(p *shift.Params){
		"none occurs 100000 times in each": func(p *shift.Params) { p.MinCount = 100_000 },
		`"zzz" is not a word of the space`: func(p *shift.Params) { p.Words = []string{"zzz"} },
		`"m0" occurs `:                     func(p *shift.Params) { p.Words, p.MinCount = []string{"m0"}, 100_000 },
		"2 draws":                          func(p *shift.Params) { p.Draws = 2 },
		"121 pieces":                       func(p *shift.Params) { p.Pieces = 121 },
		"a minimum of 0 occurrences":       func(p *shift.Params) { p.MinCount = 0 },
	} {
		p := shift.Defaults()
		change(&p)
		if _, err := shift.Between(t.Context(), space, before, after, p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	p := shift.Defaults()
	p.MinCount = 1 << 40
	if _, err := shift.Between(t.Context(), space, before, after, p); !errors.Is(err, shift.ErrNoWords) {
		t.Error(err)
	}
}
