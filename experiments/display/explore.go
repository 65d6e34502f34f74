package display

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"sync"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/comms"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"contextmover/cmdlib"
	"contextmover/experiments/explore"
	"contextmover/experiments/figure"
	"contextmover/experiments/figures"
	"contextmover/experiments/profile"
)

// patience is how long a browser may take to begin, as long as a cell that nobody sees waits; attempt is the time
// between two attempts to open the channel to it, of which GoNB gives each three seconds.
const (
	patience = 30 * time.Second
	attempt  = 5 * time.Second
)

// Explore shows a page in the notebook on which words and texts are typed, λ is moved and the way to combine words is
// chosen, and all that a space says of them follows at once, as repro explore does: distance, what it means, the words
// and contexts behind it, pictures to save. The cell answers until its button or an interrupt ends it, so it had better be the
// last one that is run; what was asked last then stays as a picture. Where no browser answers, as in a notebook that is
// executed without one, that picture is all.
func Explore(ctx context.Context, s *cmdlib.Space) {
	p, err := profile.Load("mini", nil)
	check(err)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	x := explore.New(ctx, &figures.OfSpace{Space: s, Settings: p.Figures, Engine: s.Engine(), Name: "this space"})
	defer x.Wait()
	defer stop()
	last := x.Example()
	if !gonbui.IsNotebook {
		answer, err := x.Ask(ctx, last)
		check(err)
		fmt.Printf("%s → %s: distance %.4f\n%s\n", last.From, last.To, answer.Distance, answer.Command)
		return
	}
	id := "explore_" + gonbui.UniqueId()
	address := "/contextmover/" + id
	var (
		mu      sync.Mutex
		handler = x.Handler()
		under   = make(map[string]context.CancelFunc) // what is being computed
		begun   = make(chan struct{})
		once    sync.Once
	)
	first := begun
	comms.Subscribe(address+"/ask", func(_ string, message string) {
		once.Do(func() { close(first) })
		var ask explore.Ask
		if err := json.Unmarshal([]byte(message), &ask); err != nil {
			return // not from our page
		}
		mu.Lock()
		if ask.Cancel {
			if cancel := under[ask.ID]; cancel != nil {
				cancel()
			}
			if ask.ID == "end" {
				stop()
			}
			mu.Unlock()
			return
		}
		each, cancel := context.WithCancel(ctx)
		under[ask.ID] = cancel
		if q, ok := explore.Asked(ask.Path); ok {
			last = q
		}
		mu.Unlock()
		reply := explore.Serve(each, handler, ask)
		if each.Err() == nil {
			if text, err := json.Marshal(reply); err == nil {
				comms.Send(address+"/reply", string(text))
			}
		}
		mu.Lock()
		delete(under, ask.ID)
		mu.Unlock()
		cancel()
	})
	bar.clear()
	gonbui.UpdateHTML(id, explore.Fragment(id, address))
	// Asking for the messages again opens the channel again, where GoNB has lost it.
	again, late := time.NewTicker(attempt), time.After(patience)
	defer again.Stop()
	for live, waiting := false, true; waiting; {
		select {
		case <-begun:
			live, begun = true, nil
		case <-again.C:
			gonbui.SendData(&protocol.DisplayData{Data: map[protocol.MIMEType]any{
				protocol.MIMECommSubscribe: &protocol.CommSubscription{Address: address + "/ask"},
			}})
		case <-late:
			waiting = live
		case <-ctx.Done():
			if waiting = false; live {
				comms.Send(address+"/end", 1)
			}
		}
	}
	// What is left in the notebook once nobody answers. The cell's own context may have ended.
	mu.Lock()
	q := last
	mu.Unlock()
	still, plain := snapshot(context.WithoutCancel(ctx), x, q)
	gonbui.SendData(&protocol.DisplayData{Data: map[protocol.MIMEType]any{protocol.MIMETextHTML: still, protocol.MIMETextPlain: plain}, DisplayID: id})
	flush()
}

// snapshot is a question with its answer and a picture, as HTML and as text.
func snapshot(ctx context.Context, x *explore.Explorer, q explore.Question) (string, string) {
	answer, err := x.Ask(ctx, q)
	if err != nil {
		return "<p>" + html.EscapeString(err.Error()) + "</p>\n", err.Error()
	}
	f, err := x.Draw(ctx, "sentences", q)
	check(err)
	var svg bytes.Buffer
	check(figure.SVG(&svg, f))
	title := fmt.Sprintf("%s → %s: distance %.4f, λ = %g, words combined by %s", q.From, q.To, answer.Distance, answer.Reg, answer.Sentences)
	return fmt.Sprintf("<p><b>%s</b></p>\n%s<p><small>%s Run the cell to explore; the same: <code>%s</code></small></p>\n",
			html.EscapeString(title), inline(svg.String()), html.EscapeString(f.Caption), html.EscapeString(answer.Command)),
		title
}
