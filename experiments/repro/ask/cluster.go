package ask

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/groups"
	"contextmover/experiments/convergence"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/printable"
)

// Cluster is repro cluster.
type Cluster struct {
	In     []string `required:"" sep:"none" placeholder:"FILE|FOLDER" help:"The text whose sentences are grouped. Repeat the flag for more."`
	Groups int      `placeholder:"K" help:"How many groups to find (default: as many as are best apart, 2 to 10)."`
	methodFlags
	cli.SpaceFlags
	JSON bool `name:"json" help:"Print JSON."`
	askFlags
}

func (c *Cluster) Help() string {
	return "Groups are k-medoids, found among 300 sentences, by 1 − the cosine of vectors of sentences, or with " +
		"--method average, comb or debiased by the context mover's distance. Each other sentence " +
		"joins the medoid that it is nearest to. A group is named by its medoid, and by the words and contexts that " +
		"it has more often than all sentences together. There are always groups: whether they are topics is for you " +
		"to see. Of more than 20,000 sentences an even sample is taken."
}

func (c *Cluster) Validate() error {
	if c.Groups < 0 {
		return fmt.Errorf("--groups=%d: expected at least 1", c.Groups)
	}
	return c.flags().Validate()
}

func (c *Cluster) flags() *spaceFlags {
	return &spaceFlags{SpaceFlags: c.SpaceFlags, askFlags: c.askFlags}
}

// mostSentences is the number of sentences that are grouped at most,
// groupExamples that of those that are shown of a group besides its medoid.
const mostSentences, groupExamples = 20_000, 3

type jsonClusters struct {
	Method     string      `json:"method"`
	Sentences  int         `json:"sentences"`
	Unknown    int         `json:"unknown"`
	Silhouette float64     `json:"silhouette"`
	Groups     []jsonGroup `json:"groups"`
	*convergence.Worst
}

type jsonGroup struct {
	Share     float64     `json:"share"`
	Sentences int         `json:"sentences"`
	Medoid    jsonPlace   `json:"medoid"`
	Words     []jsonMark  `json:"words"`
	Contexts  []jsonMark  `json:"contexts"`
	Members   []jsonPlace `json:"members"` // each of other text once
}

type jsonMark struct {
	Name  string  `json:"name"`
	Share float64 `json:"share"`
	All   float64 `json:"all"`
}

func (c *Cluster) Run(e *cli.Env) error {
	in, err := cli.Text(c.In)
	if err != nil {
		return err
	}
	s, monitor, err := c.flags().openBy(e, c.methodFlags)
	if err != nil {
		return err
	}
	defer s.Close()
	sentences, total, err := evenly(e, in)
	if err != nil {
		return cli.BadData(err)
	}
	texts := make([]string, len(sentences))
	for i, sentence := range sentences {
		texts[i] = strings.Join(sentence.Tokens, " ")
	}
	done := e.Progress.While("group the sentences")
	found, err := groups.Sentences(e, s.Space, texts, c.Groups)
	done()
	if errors.Is(err, groups.ErrFew) {
		return cli.BadData(fmt.Errorf("%s: %w", strings.Join(c.In, " "), err))
	}
	if err != nil {
		return err
	}
	convergence.Warn(monitor, hint)
	out := jsonClusters{
		Method: s.Default(texts...), Sentences: len(texts), Unknown: len(found.Unknown), Silhouette: found.Silhouette,
	}
	marks := func(list []groups.Mark) (marks []jsonMark) {
		for _, m := range list {
			marks = append(marks, jsonMark(m))
		}
		return marks
	}
	for _, g := range found.Groups {
		j := jsonGroup{Share: g.Share, Sentences: len(g.Members), Words: marks(g.Words), Contexts: marks(g.Contexts)}
		var members []corpus.Sentence
		for _, i := range g.Members {
			members = append(members, sentences[i])
		}
		j.Members = placed(members, len(members))
		j.Medoid = j.Members[0]
		out.Groups = append(out.Groups, j)
	}
	if c.JSON {
		out.Worst = convergence.Of(monitor)
		return e.JSON(out)
	}
	for i, g := range out.Groups {
		fmt.Fprintf(e.Out, "%d\t%.0f %%, %d sentences\n  typical\t%s\n", i+1, 100*g.Share, g.Sentences, g.Medoid)
		fmt.Fprintf(e.Out, "  words\t%s\n  contexts\t%s\n", named(g.Words, ", "), named(g.Contexts, "; "))
		for _, example := range g.Members[1:min(1+groupExamples, len(g.Members))] {
			fmt.Fprintf(e.Out, "  example\t%s\n", example)
		}
	}
	slog.Info("grouped", "method", out.Method, "sentences", len(texts), "of", total, "unknown", out.Unknown,
		"silhouette", fmt.Sprintf("%.3f", out.Silhouette))
	return nil
}

func named(marks []jsonMark, between string) string {
	var names []string
	for _, m := range marks {
		names = append(names, m.Name)
	}
	return printable.Text(strings.Join(names, between))
}

// evenly returns the sentences of a text that are not empty, or of more
// than mostSentences an even sample: each second, fourth and so on.
func evenly(e *cli.Env, in corpus.Text) (sentences []corpus.Sentence, total int, err error) {
	every := 1
	full := func(all []corpus.Sentence) ([]corpus.Sentence, error) {
		return slices.DeleteFunc(all, func(s corpus.Sentence) bool { return len(s.Tokens) == 0 }), nil
	}
	_, err = corpus.Pieces(e, in, e.Progress.Step("read the text"), full, func(some []corpus.Sentence) error {
		for _, s := range some {
			if total++; (total-1)%every > 0 {
				continue
			}
			if sentences = append(sentences, s); len(sentences) > mostSentences {
				every *= 2
				kept := sentences[:0]
				for i := 0; i < len(sentences); i += 2 {
					kept = append(kept, sentences[i])
				}
				sentences = kept
			}
		}
		return nil
	})
	return sentences, total, err
}
