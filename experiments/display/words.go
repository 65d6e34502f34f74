package display

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"

	"contextmover/cmdlib"
	"contextmover/cmdlib/build"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/search"
	"contextmover/cmdlib/usage"
	"contextmover/experiments/harness/engines"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/spaces"
	"contextmover/experiments/paper/figures"
	"contextmover/experiments/show/answer"
	"contextmover/experiments/show/render"
)

// Space opens a space: "english", which is built in, or one of your own, by its file. A profile's
// space is opened by its name or the path of its file, and made if the store has none.
func Space(ctx context.Context, name string) *cmdlib.Space {
	s := must(spaces.Open(ctx, name, engine(), func(profile string) (*pipeline.Workspace, error) {
		return Open(profile), nil
	}))
	bar.clear()
	opened.Store(s, name)
	return s
}

// engine is the fastest one.
func engine() ot.Engine { return must(engines.New("auto")) }

// By returns the space with another method for all that is asked: "average" compares by transport between the contexts
// of words, "comb" texts by their barycenters, "sif" by vectors. `repro methods` lists them.
func By(s *cmdlib.Space, method string) *cmdlib.Space {
	asked := must(s.With(cmdlib.Options{Method: method, Engine: engine()}))
	if name, ok := opened.Load(s); ok {
		opened.Store(asked, name)
	}
	return asked
}

// opened has the names of the spaces that Space has opened.
var opened sync.Map

// Drawings draws figures of words and texts in a space, for Figure:
//
//	display.Figure(display.Drawings(space).Density(ctx, "density_rock", []string{"rock"}))
func Drawings(s *cmdlib.Space) *figures.OfSpace {
	p := must(profile.Load("mini", nil)) // figures are the same in all profiles
	return &figures.OfSpace{Space: s, Settings: p.Figures, Engine: engine(), Name: "of a notebook", Progress: bar.step}
}

// Word shows a word's card: how often it occurs, the contexts it is a distribution
// over, with the context words behind them, and its nearest neighbours by the method that Distance compares it by.
func Word(ctx context.Context, s *cmdlib.Space, word string) {
	const few = 6
	e, near := must(s.ByTransport().Explain(ctx, word, word, few)), must(s.Neighbours(ctx, word, 2*few))
	id, _ := s.ID(e.From.Words[0])
	Table(answer.Contexts(
		fmt.Sprintf("%s: word %d of %d, %d times in the corpus", word, id+1, len(s.Words), s.Counts[id]),
		e.From.Contexts, fmt.Sprintf("Nearest by %s: %s", near.Method, answer.Words(near.Nearest)),
	), nil)
}

// Distance shows how far two words or texts are from each other, and what it means: how that stands among the
// distances of random pairs and of neighbours. The solver's terms are shown only where something is wrong.
//
// It is compared by what the space records as best, or as the caller of cmdlib.Space.With chose.
func Distance(ctx context.Context, s *cmdlib.Space, from, to string) {
	a := must(answer.Compare(ctx, s, from, to))
	check(a.Stand(ctx))
	list := []fact{{"distance", fmt.Sprintf("%.4f", a.Distance)}, {"method", a.Method}}
	for i, note := range a.Notes() {
		list = append(list, fact{[]string{"this is", ""}[min(i, 1)], note})
	}
	for _, note := range []string{a.Unknown(), a.Warning()} {
		if note != "" {
			list = append(list, fact{"note", note})
		}
	}
	facts(from+" → "+to, list)
}

// Explanation shows why two words or texts are as far from each other as they are. By vectors it shows the n pairs of
// words that bring most to the cosine. Else it shows, of two single words, the plan between the n heaviest contexts of
// both, and of texts the n flows that cost most.
func Explanation(ctx context.Context, s *cmdlib.Space, from, to string, n int) {
	a := must(answer.Explain(ctx, s, from, to, n))
	check(a.Stand(ctx))
	t := a.Table(n)
	if note := a.Warning(); note != "" {
		t.Notes = append(t.Notes, note)
	}
	Table(t, nil)
}

// Neighbours shows the n words nearest to a word or text, compared as Distance does.
func Neighbours(ctx context.Context, s *cmdlib.Space, text string, n int) {
	Table(must(answer.Nearest(ctx, s, text, n)).Table(), nil)
}

// Search shows the n sentences of an index that are nearest to a query.
func Search(ctx context.Context, x *search.Index, query string, n int) {
	o := search.Options{N: n}
	found := must(x.Search(ctx, query, o))
	Table((&answer.Found{Query: query, Method: x.Method(o), Found: found}).Table(), nil)
}

// Index makes an index of text files in the file at path and opens it; one that is there it opens alone, which is an
// error if it lacks one of the files.
func Index(ctx context.Context, s *cmdlib.Space, path string, files ...string) *search.Index {
	x, err := search.Open(path, s)
	if errors.Is(err, search.ErrNoIndex) && len(files) > 0 {
		must(search.Write(ctx, path, s, text(files), "", bar.step("index the text")))
		bar.clear()
		x, err = search.Open(path, s)
	}
	check(err)
	for _, file := range files {
		if !slices.Contains(x.Files, file) {
			check(fmt.Errorf("the index %s was made without %s: make another one with a new name", path, file))
		}
	}
	return x
}

// About shows what a space is: its size, its corpus and the settings of its answers.
func About(s *cmdlib.Space) {
	known, tokens := 0, int64(0)
	for id, word := range s.Words {
		if s.Has(word) {
			known++
		}
		tokens += s.Counts[id]
	}
	list := []fact{
		{"words", fmt.Sprintf("%d, %d of them with an estimate", len(s.Words), known)},
		{"contexts", fmt.Sprintf("%d clusters", s.Cost.K)},
		{"tokens", fmt.Sprintf("%d of these words in the corpus", tokens)},
	}
	if text, ok := s.Provenance["corpus"].(string); ok {
		list = append(list, fact{"corpus", text})
	}
	list = append(list,
		fact{"cost", fmt.Sprintf("%s, normalised by %s; λ = %g",
			s.Settings.Ground.Metric, s.Settings.Ground.Normalisation, s.Settings.Transport.Reg)},
		fact{"sentences", "the " + string(s.Settings.Sentence.Combination) + " of their words"})
	facts("A space", list)
}

// Build makes a space of text files, of any layout, in the file at path and opens it. A space that is there is opened
// if it was made of files of these names and is newer than they are; another one is replaced.
func Build(ctx context.Context, path string, files ...string) *cmdlib.Space {
	if upToDate(path, files) {
		return Space(ctx, path)
	}
	b := build.New()
	b.Text, b.Progress = text(files), bar.step
	must(b.Run(ctx, path))
	return Space(ctx, path)
}

// text is that of files, whose layout is guessed.
func text(files []string) corpus.Text {
	layout, err := corpus.DetectLayout(files)
	if here, e := os.Getwd(); e == nil && errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: the notebook is in the folder %s", err, here)
	}
	check(err)
	return corpus.Text{Files: files, Layout: layout}
}

// upToDate reports whether the file at path is a space that was made of files of these names and is newer than they
// are.
func upToDate(path string, files []string) bool {
	made, err := os.Stat(path)
	if err != nil {
		return false
	}
	var names []any
	for _, file := range files {
		text, err := os.Stat(file)
		if err != nil || !text.ModTime().Before(made.ModTime()) {
			return false
		}
		names = append(names, filepath.Base(file))
	}
	s, err := cmdlib.Open(path, cpu.New())
	if err != nil {
		return false
	}
	defer s.Close()
	return reflect.DeepEqual(s.Provenance["text"], any(names))
}

// Learn returns a space that knows words and phrases by where they
// stand in some sentences, and says what it has learned of each:
//
//	s := display.Learn(space, []string{"She moved to New York.", "…"}, "new york")
func Learn(s *cmdlib.Space, sentences []string, words ...string) *cmdlib.Space {
	estimates := make(map[string]*cmdlib.Estimate)
	t := render.NewTable("learned", "word", "Learned")
	t.Plain("", 0, "occurrences", "contexts", "associated")
	for _, word := range words {
		occurrences := must(corpus.FindOccurrences(sentences, word))
		e, err := s.Estimate(occurrences)
		if err != nil {
			err = fmt.Errorf("%q: %w", word, err)
		}
		check(err)
		estimates[word] = e
		row := t.Add("", word, word)
		for _, n := range []int{e.Occurrences, e.Contexts, e.Associated} {
			row.Cells = append(row.Cells, render.Number(float64(n)))
		}
	}
	Table(t, nil)
	return s.Learn(estimates)
}

// Senses shows the senses of a word in a text of files, each with its share, neighbours and contexts, and over the
// map of contexts. k = 0 finds as many as are best apart. It returns a space that knows them as word/1, word/2 …
func Senses(ctx context.Context, s *cmdlib.Space, word string, k int, files ...string) *cmdlib.Space {
	list, _, err := text(files).Occurrences(ctx, []string{word}, usage.MostOccurrences, bar.step("look for "+word))
	check(err)
	found := must(usage.FindSenses(ctx, s, list[0], k))
	bar.clear()
	Table(must(answer.SensesOf(ctx, s, word, found, list[0])).Table(), nil)
	Figure(Drawings(s).Senses(ctx, "senses", word, found))
	learned, _ := found.Learn(s, word)
	return learned
}
