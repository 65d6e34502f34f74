package ask

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"

	"contextmover/cmdlib"
	"contextmover/cmdlib/senses"
	"contextmover/cmdlib/shift"
	"contextmover/experiments/convergence"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/printable"
)

// Shift is repro shift.
type Shift struct {
	Word string `arg:"" optional:"" help:"Explain how this word moved (default: list the words that moved)."`
	textFlags
	N        int     `short:"n" default:"20" placeholder:"N" help:"How many words to list (default ${default})."`
	MinCount int64   `default:"50" placeholder:"N" help:"Only words that occur so often in both texts (default ${default}); WORD needs 5."`
	Draws    int     `default:"20" placeholder:"N" help:"How often the pieces of the texts are shuffled (default ${default}); for WORD ten times as often."`
	FDR      float64 `name:"fdr" default:"0.05" placeholder:"Q" help:"The share of false discoveries among the words that are listed as moved, and of stable words that may reach them (default ${default})."`
	cli.SpaceFlags
	JSON bool `name:"json" help:"Print JSON."`
}

// textFlags are the texts that words move between.
type textFlags struct {
	Between []string `required:"" sep:"none" placeholder:"FILE|FOLDER" help:"A text. Repeat the flag for more of it."`
	And     []string `required:"" sep:"none" placeholder:"FILE|FOLDER" help:"Another text."`
}

// names are what the texts are called in names of words.
func (t textFlags) names() (a, b string) {
	if a, b = textName(t.Between), textName(t.And); a == b {
		return "first", "second"
	}
	return a, b
}

// words returns how words moved in a space: all that p says, or
// one word that is to be explained, with ten times the draws.
func (t textFlags) words(e *cli.Env, s *cmdlib.Space, word string, p shift.Params) ([]shift.Word, error) {
	from, err := cli.Text(t.Between)
	if err != nil {
		return nil, err
	}
	to, err := cli.Text(t.And)
	if err != nil {
		return nil, err
	}
	p.Progress = e.Progress.Step("words in both texts")
	if word != "" {
		if !s.Has(word) {
			_, err := s.Neighbours(e, word, 1) // suggests others
			if err = asked(err); err != nil {
				return nil, err
			}
			return nil, cli.BadUsage("%q is not one word of the space", word)
		}
		p.Words, p.MinCount, p.Draws = []string{word}, 5, 10*p.Draws
	}
	words, err := shift.Between(e, s, from, to, p)
	if errors.Is(err, shift.ErrNoWords) || errors.Is(err, cmdlib.ErrNoReference) {
		err = cli.BadData(err)
	}
	return words, err
}

func (c *Shift) Help() string {
	return "The distance of a word is that of its uses in one text from its uses in the other, by the words around " +
		"them. It is compared with what chance does: both texts are cut into 100 pieces, which are shuffled; q is " +
		"the " +
		"share of words down to this one that is expected to be there by chance (Benjamini and Hochberg). Texts " +
		"of other " +
		"authors, times or kinds move most words so far. So it is also compared with what the most frequent words " +
		"moved, " +
		"whose meaning hardly changes: stable is the share of them that moved as far beyond chance. Words with q and " +
		"stable up to --fdr come first, those farthest beyond chance first. Read the explanations: a word can be " +
		"used " +
		"otherwise and mean the same."
}

func (c *Shift) Validate() error {
	switch {
	case c.N < 1:
		return fmt.Errorf("-n %d: expected at least 1", c.N)
	case c.MinCount < 1:
		return fmt.Errorf("--min-count=%d: expected at least 1", c.MinCount)
	case c.Draws < 3 || c.Draws > 10_000:
		return fmt.Errorf("--draws=%d: expected 3 to 10000", c.Draws)
	case !(c.FDR > 0 && c.FDR <= 1):
		return fmt.Errorf("--fdr=%v: expected more than 0, at most 1", c.FDR)
	}
	return c.SpaceFlags.Validate()
}

// jsonMoved is a word that moved, in JSON.
type jsonMoved struct {
	Word     string   `json:"word"`
	Counts   [2]int64 `json:"counts"`
	Distance float64  `json:"distance"`
	Expected float64  `json:"expected"`
	Score    float64  `json:"score"`
	P        float64  `json:"p"`
	Q        float64  `json:"q"`
	Stable   float64  `json:"stable"`
}

type jsonShift struct {
	Compared int         `json:"compared"`
	Moved    int         `json:"moved"`
	Words    []jsonMoved `json:"words"`
	Measured string      `json:"measured,omitempty"`
	*convergence.Worst
	Between  *jsonComparison `json:"explanation,omitempty"`
	Examples [][]jsonPlace   `json:"examples,omitempty"` // of the word in each text
}

func (c *Shift) Run(e *cli.Env) error {
	s, monitor, err := c.Open(e)
	if err != nil {
		return err
	}
	defer s.Close()
	p := shift.Defaults()
	p.MinCount, p.Draws = c.MinCount, c.Draws
	words, err := c.words(e, s, c.Word, p)
	if err != nil {
		return err
	}
	convergence.Warn(monitor, hint)
	out := jsonShift{Compared: len(words), Worst: convergence.Of(monitor)}
	out.Moved = shift.Moved(words, c.FDR)
	if s.HasVectors() {
		out.Measured = measuredIn(c.Space, shiftMeasured)
	}
	for _, w := range words[:min(c.N, len(words))] {
		out.Words = append(out.Words, jsonMoved{w.Word, w.Counts, w.Distance, w.Expected, w.Score, w.P, w.Q, w.Stable})
	}
	if c.Word != "" {
		return c.explain(e, s, words[0], out)
	}
	if c.JSON {
		return e.JSON(out)
	}
	fmt.Fprintln(e.Out, "word\tdistance\tby chance\tmore\tq\tstable\tcounts")
	for _, w := range out.Words {
		fmt.Fprintf(e.Out, "%s\t%.3f\t%.3f\t%.3f\t%.2g\t%.2g\t%d, %d\n", printable.Text(w.Word), w.Distance, w.Expected,
			w.Distance-w.Expected, w.Q, w.Stable, w.Counts[0], w.Counts[1])
	}
	if out.Measured != "" {
		fmt.Fprintf(e.Out, "measured\t%s\n", out.Measured)
	}
	slog.Info("compared", "words", out.Compared, "moved", out.Moved, "fdr", c.FDR)
	return nil
}

// explain shows how one word moved: neighbours in both texts, and the plan between them.
func (c *Shift) explain(e *cli.Env, s *cmdlib.Space, w shift.Word, out jsonShift) error {
	a, b := c.names()
	learned, from, to := w.Learn(s, a, b)
	x, err := learned.Explain(e, from, to, 6)
	if err != nil {
		return err
	}
	standing, err := learned.Standing(e, from, to, x.Cost)
	if err != nil {
		return err
	}
	examples, err := c.examples(e, w.Word)
	if err != nil {
		return err
	}
	if c.JSON {
		j := compared(s, nil, side(x.From, true), side(x.To, true), x.Cost, standing)
		j.Stays, j.Kept, j.Flows = x.Stays, x.Kept, x.Flows
		out.Between, out.Examples = &j, examples
		return e.JSON(out)
	}
	if err := e.Table(flowTable(x, standing)); err != nil {
		return err
	}
	for i, name := range []string{from, to} {
		one := s.Learn(map[string]*cmdlib.Estimate{name: w.Estimates[i]})
		near, err := one.Neighbours(e, name, 8)
		if err != nil {
			return err
		}
		var list []string
		for _, n := range near.Nearest {
			list = append(list, n.Word)
		}
		fmt.Fprintf(e.Out, "%s is near %s\n", printable.Text(name), printable.Text(strings.Join(list, ", ")))
		for _, example := range examples[i] {
			fmt.Fprintf(e.Out, "  example\t%s\n", example)
		}
	}
	fmt.Fprintf(e.Out, "distance of uses %.3f, by chance %.3f (deviation %.3f); p = %.2g of %d draws; "+
		"%.2g of the most frequent words moved as far\n",
		w.Distance, w.Expected, w.Deviation, w.P, 10*c.Draws, w.Stable)
	if out.Measured != "" {
		fmt.Fprintf(e.Out, "measured\t%s\n", out.Measured)
	}
	return nil
}

// examples returns some sentences of each text with the word, from all over it.
func (t textFlags) examples(e *cli.Env, word string) (of [][]jsonPlace, err error) {
	for _, paths := range [][]string{t.Between, t.And} {
		text, err := cli.Text(paths)
		if err != nil {
			return nil, err
		}
		list, _, err := text.Occurrences(e, []string{word}, senses.MostOccurrences, e.Progress.Step("look for "+word))
		if err != nil {
			return nil, cli.BadData(err)
		}
		all := occurring(list[0], len(list[0]), exampleWords)
		n := min(senseExamples, len(all))
		var some []jsonPlace
		for i := range n {
			some = append(some, all[i*len(all)/n])
		}
		of = append(of, some)
	}
	return of, nil
}

// textName is what a text is called in names of words.
func textName(paths []string) string {
	base := filepath.Base(filepath.Clean(paths[0]))
	name, _, _ := strings.Cut(base, ".")
	if name == "" {
		return base
	}
	return name
}
