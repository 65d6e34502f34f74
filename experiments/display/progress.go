package display

import (
	"fmt"
	"html"
	"sync"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// progress is the bar of a cell: one display that is updated, and empty in the end.
type progress struct {
	mu    sync.Mutex
	id    string
	shown bool
	last  time.Time
}

// bar is that of this cell.
var bar progress

// interval is the least time between two updates; a page cannot show more.
const interval = 100 * time.Millisecond

// step starts a step and returns the function that is told how much of it is done.
func (p *progress) step(name string) func(done, total int64) {
	p.show(name, 0, 0)
	return func(done, total int64) {
		p.mu.Lock()
		early := time.Since(p.last) < interval
		p.mu.Unlock()
		if !early {
			p.show(name, done, total)
		}
	}
}

func (p *progress) show(name string, done, total int64) {
	if !gonbui.IsNotebook {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.id == "" {
		p.id = "progress_" + gonbui.UniqueId()
	}
	p.shown, p.last = true, time.Now()
	text, value := name+" …", ""
	if total > 0 {
		text = fmt.Sprintf("%s: %.0f %%", name, 100*float64(done)/float64(total))
		value = fmt.Sprintf(" value=\"%d\" max=\"%d\"", done, total)
	}
	send(p.id, map[protocol.MIMEType]any{
		protocol.MIMETextHTML:  fmt.Sprintf("<progress%s></progress> %s", value, html.EscapeString(text)),
		protocol.MIMETextPlain: text,
	})
}

// clear empties the bar.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		p.shown = false
		send(p.id, map[protocol.MIMEType]any{protocol.MIMETextHTML: "", protocol.MIMETextPlain: ""})
	}
}
