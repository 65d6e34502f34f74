package display

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"html"
	"os"
	"strings"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/comms"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"contextmover/cmdlib"
	"contextmover/experiments/explore"
	"contextmover/experiments/harness/spaces"
	"contextmover/experiments/show/answer"
	"contextmover/experiments/show/figure"
)

// AloneVariable says, if it is set, that no browser shows the cells while they run.
const AloneVariable = "CONTEXTMOVER_ALONE"

// patience is the time within which the page of a browser must have asked its first question. Then it asks
// something every half minute, in the background every minute; it is left when nothing comes for the time left.
const (
	patience = 30 * time.Second
	left     = 3 * time.Minute
)

// Explore shows the page of repro explore in the notebook. Words or texts are typed, and the answer follows at once:
// neighbours and contexts, of two the distance, what it means and what is behind it, and pictures to save.
//
// The cell runs on until its button, an interrupt, or leaving the page ends it; what was
// asked last then stays in the notebook. It had better be the last cell of those that are
// run together. Where no browser shows it, it ends with the answer to its first pair of words.
func Explore(ctx context.Context, s *cmdlib.Space) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	draw := Drawings(s)
	draw.Progress = nil // the page says what it waits for
	var flags []string
	if name, ok := opened.Load(s); ok {
		draw.Name = "the space " + name.(string)
		if name != spaces.Default {
			flags = []string{"--space", name.(string)}
		}
	}
	x := explore.New(ctx, draw, flags...)
	defer x.Wait()
	defer stop()

	examples := x.Examples()
	pair := examples[min(1, len(examples)-1)]
	asked := explore.Question{From: pair[0], To: pair[1]}
	if !gonbui.IsNotebook || os.Getenv(AloneVariable) != "" {
		fragment, text, err := answered(ctx, x, asked)
		check(err)
		page(fragment, text)
		return
	}
	id := "explore_" + gonbui.UniqueId()
	address := "/contextmover/" + id
	// Not by comms.Send, which asks the browser first whether its channel lives, and opens another where it takes long.
	tell := func(message string) {
		send(explore.Answers(id), map[protocol.MIMEType]any{protocol.MIMETextHTML: "", explore.AnswerType: message})
	}
	cell := x.Cell(tell)
	quiet := time.AfterFunc(patience, stop)
	defer quiet.Stop()
	show := func(fragment, text string) {
		send(id, map[protocol.MIMEType]any{protocol.MIMETextHTML: fragment, protocol.MIMETextPlain: text})
	}
	bar.clear()
	show(explore.Fragment(id, os.Getenv(protocol.GONB_JUPYTER_KERNEL_ID_ENV), address), "[explore "+draw.Name+"]")
	comms.Subscribe(address, func(_ string, message string) {
		quiet.Reset(left)
		if cell.Take(ctx, message) {
			stop()
		}
	})
	<-ctx.Done()
	// The cell's own context may have ended, and this is what is left of it.
	last, ok := cell.Last()
	if ok {
		asked = last
	}
	fragment, text, err := answered(context.WithoutCancel(ctx), x, asked)
	if err != nil { // the page has said so while it was there
		fragment, text = "<p>"+html.EscapeString(err.Error())+"</p>\n", err.Error()
	}
	if ok {
		tell("") // so that the notebook does not keep the last one
	}
	show(fragment, text)
	flush()
}

// answered is what an explorer says to a question, as HTML and as text.
func answered(ctx context.Context, x *explore.Explorer, q explore.Question) (string, string, error) {
	a, err := x.Ask(ctx, q)
	if err != nil {
		return "", "", err
	}
	var list []fact
	texts := q.Texts()
	if len(texts) == 2 {
		standing, err := x.Standing(ctx, q)
		if err != nil {
			return "", "", err
		}
		list = []fact{{"distance", fmt.Sprintf("%.4f", a.Distance)}, {"this is", standing.Text}}
	}
	list = append(list, fact{"method", a.Method})
	for i, text := range texts {
		near, err := x.Near(ctx, q, []string{"from", "to"}[i])
		if err != nil {
			return "", "", err
		}
		list = append(list, fact{"nearest to " + text, answer.Words(near)})
	}
	if a.Warning != "" {
		list = append(list, fact{"note", a.Warning})
	}
	list = append(list, fact{"the same by", a.Command})
	fragment, text := factForms(strings.Join(texts, " → "), list)
	if a.Sum != nil {
		sum, plain, err := tableForms(a.Sum.Table())
		if err != nil {
			return "", "", err
		}
		fragment, text = fragment+sum, text+plain
	}
	for _, v := range a.Views {
		f, err := x.Draw(ctx, v.Name, q)
		if err != nil {
			return "", "", err
		}
		var svg bytes.Buffer
		if err := figure.SVG(&svg, f); err != nil {
			return "", "", err
		}
		fragment += fmt.Sprintf("<p><b>%s</b></p>\n%s\n<p><small>%s</small></p>\n",
			html.EscapeString(v.Title), inline(svg.String()), html.EscapeString(cmp.Or(f.Caption, f.Title)))
	}
	return fragment, text, nil
}
