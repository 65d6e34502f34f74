package display

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"contextmover/cmdlib"
	"contextmover/cmdlib/build"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/search"
	"contextmover/cmdlib/usage"
	"contextmover/experiments/harness/convergence"
	"contextmover/experiments/harness/engines"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/spaces"
	"contextmover/experiments/paper/figures"
	"contextmover/experiments/show/answer"
	"contextmover/internal/printable"
)

// Space opens a space: "english", which is built in, or one of your own, by its folder or packed file. A profile's
// space is opened by its name or the path of its file, and made if the store has none.
func Space(ctx context.Context, name string) *cmdlib.Space {
	engine, err := engines.New("auto")
	check(err)
	s, err := spaces.Open(ctx, name, engine, open)
	check(err)
	bar.clear()
	opened.Store(s, name)
	return s
}

// By returns the space with another method for all that is asked: "average" compares by transport between the contexts
// of words, "comb" texts by their barycenters, "sif" by vectors. `repro methods` lists them.
func By(s *cmdlib.Space, method string) *cmdlib.Space {
	engine, err := engines.New("auto")
	check(err)
	asked, err := s.Asked(cmdlib.Override{Method: method}, engine)
	check(err)
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
	p, err := profile.Load("mini", nil) // figures are the same in all profiles
	check(err)
	engine, err := engines.New("auto")
	check(err)
	return &figures.OfSpace{Space: s, Settings: p.Figures, Engine: engine, Name: "of a notebook", Progress: bar.step}
}

// grid is a small table of text; numbers are aligned to the right.
type grid struct {
	title   string
	header  []string
	numbers []bool // which columns hold numbers
	rows    [][]string
	notes   []string
}

func (g grid) show() { page(g.forms()) }

// forms returns the grid as HTML and as text.
func (g grid) forms() (string, string) {
	g = g.printable()
	var fragment, text strings.Builder
	align := func(k int) string {
		side := "left"
		if g.numbers[k] {
			side = "right"
		}
		return fmt.Sprintf("align=\"%s\" style=\"text-align:%s\"", side, side)
	}
	fmt.Fprintf(&fragment, "<table>\n<caption style=\"text-align:left\"><b>%s</b></caption>\n<thead>\n<tr>",
		html.EscapeString(g.title))
	widths := make([]int, len(g.header))
	for k, name := range g.header {
		fmt.Fprintf(&fragment, "<th %s>%s</th>", align(k), html.EscapeString(name))
		widths[k] = len([]rune(name))
		for _, r := range g.rows {
			widths[k] = max(widths[k], len([]rune(r[k])))
		}
	}
	fragment.WriteString("</tr>\n</thead>\n<tbody>\n")
	line := func(cells []string) {
		var parts []string
		for k, c := range cells {
			blanks := strings.Repeat(" ", widths[k]-len([]rune(c)))
			if g.numbers[k] {
				parts = append(parts, blanks+c)
			} else {
				parts = append(parts, c+blanks)
			}
		}
		text.WriteString("  " + strings.TrimRight(strings.Join(parts, "  "), " ") + "\n")
	}
	text.WriteString(g.title + "\n")
	line(g.header)
	for _, r := range g.rows {
		fragment.WriteString("<tr>")
		for k, c := range r {
			fmt.Fprintf(&fragment, "<td %s>%s</td>", align(k), html.EscapeString(c))
		}
		fragment.WriteString("</tr>\n")
		line(r)
	}
	fragment.WriteString("</tbody>\n</table>\n")
	for _, n := range g.notes {
		fmt.Fprintf(&fragment, "<p><small>%s</small></p>\n", html.EscapeString(n))
		text.WriteString(n + "\n")
	}
	return fragment.String(), text.String()
}

// printable returns a copy with words that can be shown.
func (g grid) printable() grid {
	shown := grid{title: printable.Text(g.title), header: g.header, numbers: g.numbers, notes: printables(g.notes)}
	for _, row := range g.rows {
		shown.rows = append(shown.rows, printables(row))
	}
	return shown
}

func printables(list []string) (shown []string) {
	for _, s := range list {
		shown = append(shown, printable.Text(s))
	}
	return shown
}

// contexts are rows of a grid: share, name and what brought the mass. A context that no word brought tells nothing and
// is left out, unless the space does not keep what brought them.
func contexts(list []cmdlib.Context) [][]string {
	kept := slices.ContainsFunc(list, func(c cmdlib.Context) bool { return len(c.Sources) > 0 })
	var rows [][]string
	for _, c := range list {
		if kept && len(c.Sources) == 0 {
			continue
		}
		rows = append(rows, []string{percent(c.Mass), name(c), sources(c.Sources)})
	}
	return rows
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

func name(c cmdlib.Context) string { return strings.Join(c.Name, ", ") }

func sources(list []cmdlib.Source) string {
	var parts []string
	for _, s := range list {
		parts = append(parts, fmt.Sprintf("%s %.0f %%", s.Word, 100*s.Share))
	}
	return strings.Join(parts, ", ")
}

// Word shows a word's card: how often it occurs, the contexts it is a distribution
// over, with the context words behind them, and its nearest neighbours by the method that Distance compares it by.
func Word(ctx context.Context, s *cmdlib.Space, word string) {
	const few = 6
	e, err := s.ByTransport().Explain(ctx, word, word, few)
	check(err)
	near, err := s.Neighbours(ctx, word, 2*few)
	check(err)
	id, _ := s.ID(e.From.Words[0])
	var list []string
	for _, n := range near.Nearest {
		list = append(list, n.Word)
	}
	grid{
		title:  fmt.Sprintf("%s: word %d of %d, %d times in the corpus", word, id+1, len(s.Words), s.Counts[id]),
		header: []string{"share", "contexts such as", "brought by"}, numbers: []bool{true, false, false},
		rows:  contexts(e.From.Contexts),
		notes: []string{fmt.Sprintf("Nearest by %s: %s", near.Method, strings.Join(list, ", "))},
	}.show()
}

// Distance shows how far two words or texts are from each other, and what it means: how that stands among the
// distances of random pairs and of neighbours. The solver's terms are shown only where something is wrong.
//
// It is compared by what the space records as best, or as the caller of cmdlib.Space.Asked chose.
func Distance(ctx context.Context, s *cmdlib.Space, from, to string) {
	r, err := s.Compare(ctx, from, to)
	check(err)
	if r.Vectors() {
		a, err := answer.Cosine(ctx, s, r)
		check(err)
		list := []fact{
			{"distance", fmt.Sprintf("%.4f, one minus the cosine", a.Distance)}, {"method", a.Method},
		}
		for i, note := range a.Notes() {
			list = append(list, fact{[]string{"this is", ""}[min(i, 1)], note})
		}
		if unknown := a.Unknown(); unknown != "" {
			list = append(list, fact{"unknown", unknown + ": vectors of their own"})
		}
		facts(from+" → "+to, list)
		return
	}
	comparison(ctx, r)
}

func comparison(ctx context.Context, r *cmdlib.Comparison) {
	list := []fact{{"distance", fmt.Sprintf("%.4f", r.Distance)}, {"method", r.Method}}
	if s, err := r.Standing(ctx); err == nil {
		list = append(list, fact{"this is", s.Text(strings.Join(r.From.Words, " "), strings.Join(r.To.Words, " "))})
	}
	for _, side := range []cmdlib.Side{r.From, r.To} {
		if len(side.Unknown) > 0 {
			list = append(list, fact{"left out", "no estimate: " + strings.Join(side.Unknown, ", ")})
		}
	}
	if !ot.Settled(r.MarginalError, 0) {
		list = append(list,
			fact{"iterations", fmt.Sprintf("%d; the marginals are then off by %.1e", r.Iterations, r.MarginalError)},
			fact{"warning", convergence.Unconverged})
	}
	facts(strings.Join(r.From.Words, " ")+" → "+strings.Join(r.To.Words, " "), list)
}

// Explanation shows why two words or texts are as far from each other as they are. By vectors it shows the n pairs of
// words that bring most to the cosine. Else it shows the n heaviest contexts of both, and the n flows between them
// that cost most.
func Explanation(ctx context.Context, s *cmdlib.Space, from, to string, n int) {
	e, err := s.Explain(ctx, from, to, n)
	check(err)
	if e.Vectors() {
		a, err := answer.Cosine(ctx, s, e)
		check(err)
		cosine(a.View(n)).show()
		return
	}
	explanation(ctx, e)
}

// cosine is a view as a grid.
func cosine(v *answer.View) grid {
	g := grid{title: v.Title, header: answer.Columns(), numbers: []bool{false, false, true, true}, notes: v.Notes}
	for _, p := range slices.Concat(v.Pairs, v.Sums) {
		brings, percent := p.Text()
		g.rows = append(g.rows, []string{p.From, p.To, brings, percent})
	}
	return g
}

func explanation(ctx context.Context, e *cmdlib.Comparison) {
	for _, side := range []cmdlib.Side{e.From, e.To} {
		g := grid{
			title:  side.Text,
			header: []string{"share", "contexts such as", "brought by"}, numbers: []bool{true, false, false},
			rows: contexts(side.Contexts),
		}
		if len(side.Unknown) > 0 {
			g.notes = []string{"Left out, as they have no estimate: " + strings.Join(side.Unknown, ", ")}
		}
		g.show()
	}
	g := grid{
		title:   fmt.Sprintf("%s → %s: distance %.4f, what costs most", e.From.Text, e.To.Text, e.Cost),
		header:  []string{"mass", "from", "to", "cost", "part of the distance"},
		numbers: []bool{true, false, false, true, true},
	}
	kept := fmt.Sprintf("%s of the mass stays in its context", percent(e.Stays))
	for i, f := range e.Kept {
		kept += []string{", most of it in ", "; "}[min(i, 1)] + fmt.Sprintf("%s (%s)", name(f.From), percent(f.Mass))
	}
	if s, err := e.Standing(ctx); err == nil {
		g.notes = append(g.notes, fmt.Sprintf("A distance of %.4f is %s.", e.Cost, s.Text(e.From.Text, e.To.Text)))
	}
	g.notes = append(g.notes, kept+".")
	if !ot.Settled(e.MarginalError, 0) {
		g.notes = append(g.notes, fmt.Sprintf("Warning: %s (marginal error %.2g).",
			convergence.Unconverged, e.MarginalError))
	}
	for _, f := range e.Flows {
		g.rows = append(g.rows, []string{
			percent(f.Mass), name(f.From), name(f.To), fmt.Sprintf("%.2f", f.Cost), percent(f.Mass * f.Cost / e.Cost),
		})
	}
	g.show()
}

// Sentence shows how a space sees a text.
func Sentence(ctx context.Context, s *cmdlib.Space, text string) {
	seen, err := s.Sentence(ctx, text)
	check(err)
	list := []fact{{"words", strings.Join(seen.Words, ", ")}}
	if len(seen.Unknown) > 0 {
		list = append(list, fact{"unknown", strings.Join(seen.Unknown, ", ")})
	}
	facts("Sentence", list)
}

// Neighbours shows the n words nearest to a word or text, compared as Distance does.
func Neighbours(ctx context.Context, s *cmdlib.Space, text string, n int) {
	found, err := s.Neighbours(ctx, text, n)
	check(err)
	without := "Left out, as they have no estimate: "
	if s.ByVectors(text) {
		without = "Unknown, with vectors of their own: "
	}
	g := grid{title: "Nearest words", header: []string{"word", "distance"}, numbers: []bool{false, true}}
	if len(found.Unknown) > 0 {
		g.notes = []string{without + strings.Join(found.Unknown, ", ")}
	}
	for _, near := range found.Nearest {
		g.rows = append(g.rows, []string{near.Word, fmt.Sprintf("%.4f", near.Distance)})
	}
	g.show()
}

// Search shows the n sentences of an index that are nearest to a query.
func Search(ctx context.Context, x *search.Index, query string, n int) {
	g := grid{
		title: "Nearest sentences", header: []string{"distance", "sentence", "where"},
		numbers: []bool{true, false, false},
	}
	nearest(ctx, x, query, search.Options{N: n}, &g)
}

// Documents shows the n documents of an index with the sentences that are nearest to a query.
func Documents(ctx context.Context, x *search.Index, query string, n int) {
	g := grid{
		title: "Nearest documents", header: []string{"distance", "document", "nearest sentence", "where"},
		numbers: []bool{true, false, false, false},
	}
	nearest(ctx, x, query, search.Options{N: n, Documents: true}, &g)
}

// nearest shows what is found in a grid.
func nearest(ctx context.Context, x *search.Index, query string, o search.Options, g *grid) {
	found, err := x.Search(ctx, query, o)
	check(err)
	if len(found.Unknown) > 0 {
		g.notes = []string{"Words of the query without an estimate: " + strings.Join(found.Unknown, ", ")}
	}
	for _, h := range found.Nearest {
		row := []string{fmt.Sprintf("%.4f", h.Distance), h.Text, fmt.Sprintf("%s:%d", h.Path, h.Number)}
		if d := h.Document; d != nil {
			row = []string{row[0], d.Title, h.Text, fmt.Sprintf("%s:%d-%d", h.Path, d.First, d.Last)}
		}
		g.rows = append(g.rows, row)
	}
	g.notes = append(g.notes, fmt.Sprintf("%d sentences are compared.", found.Compared))
	g.show()
}

// Index makes an index of text files in the folder dir and opens it; one that is there it opens alone, which is an
// error if it lacks one of the files.
func Index(ctx context.Context, s *cmdlib.Space, dir string, files ...string) *search.Index {
	x, err := search.Open(dir, s)
	if errors.Is(err, search.ErrNoIndex) && len(files) > 0 {
		layout, layoutErr := corpus.DetectLayout(files)
		check(layoutErr)
		_, err = search.Write(ctx, dir, s, corpus.Text{Files: files, Layout: layout}, "", bar.step("index the text"))
		check(err)
		bar.clear()
		x, err = search.Open(dir, s)
	}
	check(err)
	for _, file := range files {
		if !slices.Contains(x.Files, file) {
			check(fmt.Errorf("the index %s was made without %s: make another one in a new folder", dir, file))
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

// Build makes a space of text files, of any layout, in the folder dir and opens it. A space that is there is opened if
// it was made of files of these names and is newer than they are; another one is replaced.
func Build(ctx context.Context, dir string, files ...string) *cmdlib.Space {
	if upToDate(dir, files) {
		return Space(ctx, dir)
	}
	layout, err := corpus.DetectLayout(files)
	if here, e := os.Getwd(); e == nil && errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: the notebook is in the folder %s", err, here)
	}
	check(err)
	b := build.New()
	b.Text, b.Progress = corpus.Text{Files: files, Layout: layout}, bar.step
	_, err = b.Run(ctx, dir)
	check(err)
	return Space(ctx, dir)
}

// upToDate reports whether the folder dir has a space that was made of files of these names, and is newer than they
// are.
func upToDate(dir string, files []string) bool {
	path := filepath.Join(dir, "space.json")
	made, err := os.Stat(path)
	if err != nil {
		return false
	}
	var names []string
	for _, file := range files {
		text, err := os.Stat(file)
		if err != nil || !text.ModTime().Before(made.ModTime()) {
			return false
		}
		names = append(names, filepath.Base(file))
	}
	var space struct{ Provenance struct{ Text []string } }
	data, err := os.ReadFile(path)
	return err == nil && json.Unmarshal(data, &space) == nil && slices.Equal(space.Provenance.Text, names)
}

// Learn returns a space that knows words and phrases by where they
// stand in some sentences, and says what it has learned of each:
//
//	s := display.Learn(space, []string{"She moved to New York.", "…"}, "new york")
func Learn(s *cmdlib.Space, sentences []string, words ...string) *cmdlib.Space {
	estimates := make(map[string]*cmdlib.Estimate)
	g := grid{
		title: "Learned", header: []string{"word", "occurrences", "contexts", "associated"},
		numbers: []bool{false, true, true, true},
	}
	for _, word := range words {
		occurrences, err := corpus.FindOccurrences(sentences, word)
		check(err)
		e, err := s.Estimate(occurrences)
		if err != nil {
			err = fmt.Errorf("%q: %w", word, err)
		}
		check(err)
		estimates[word] = e
		g.rows = append(g.rows, []string{
			word, fmt.Sprint(e.Occurrences), fmt.Sprint(e.Contexts), fmt.Sprint(e.Associated),
		})
	}
	g.show()
	return s.Learn(estimates)
}

// Senses shows the senses of a word in a text of files, each with its share, neighbours and contexts, and over the
// map of contexts. k = 0 finds as many as are best apart. It returns a space that knows them as word/1, word/2 …
func Senses(ctx context.Context, s *cmdlib.Space, word string, k int, files ...string) *cmdlib.Space {
	layout, err := corpus.DetectLayout(files)
	check(err)
	text := corpus.Text{Files: files, Layout: layout}
	list, _, err := text.Occurrences(ctx, []string{word}, usage.MostOccurrences, bar.step("look for "+word))
	check(err)
	found, err := usage.FindSenses(ctx, s, list[0], k)
	check(err)
	bar.clear()
	learned, names := found.Learn(s, word)
	g := grid{
		title: "Senses of " + word, header: []string{"sense", "share", "near", "example"},
		numbers: []bool{false, true, false, false},
	}
	for i, sense := range found.Senses {
		one := s.ByTransport().Learn(map[string]*cmdlib.Estimate{names[i]: sense.Estimate})
		near, err := one.Neighbours(ctx, names[i], 6)
		check(err)
		var words []string
		for _, n := range near.Nearest {
			words = append(words, n.Word)
		}
		g.rows = append(g.rows, []string{
			names[i], percent(sense.Share), strings.Join(words, ", "), list[0][sense.Occurrences[0]].Excerpt(8),
		})
	}
	g.notes = []string{fmt.Sprintf("%d occurrences, silhouette %.2f. There are always groups: whether they are "+
		"senses is for you to see.", len(list[0]), found.Silhouette)}
	g.show()
	Figure(Drawings(s).Senses(ctx, "senses", word, found))
	return learned
}
