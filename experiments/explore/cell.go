package explore

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

//go:embed cell.js
var cellScript string

// Cell answers the same page as a part of a notebook, by messages instead of requests. Messages may be lost,
// come twice and out of order: the page repeats what is not answered, and what is asked twice is computed once.
type Cell struct {
	handler http.Handler
	send    func(message string)

	mu    sync.Mutex
	tasks map[string]*task
	order []string // of tasks, oldest first
	last  string   // the query of the latest /ask
}

// task is a request under way or answered.
type task struct {
	ctx    context.Context
	cancel context.CancelFunc
	answer string // empty while it is under way
}

// remembered is the number of tasks that are known again: more than a page has under way at once.
const remembered = 64

// Cell returns what answers the page of a cell; send sends it a message, and is not called twice at once.
func (x *Explorer) Cell(send func(message string)) *Cell {
	var mu sync.Mutex
	return &Cell{handler: x.Handler(), tasks: make(map[string]*task), send: func(message string) {
		mu.Lock()
		defer mu.Unlock()
		send(message)
	}}
}

// AnswerType is the media type under which the page of a cell finds what the cell sends.
const AnswerType = "application/vnd.contextmover.answer+json"

// Answers is the id of the output whose updates hold what the cell sends to the page in the output with the id display.
func Answers(display string) string { return display + "_answers" }

// Fragment is the page as HTML for the output with the id display, in a notebook whose kernel Jupyter calls kernel. Its
// script sends messages to address and takes those of the output Answers(display), until its own output is replaced.
func Fragment(display, kernel, address string) string {
	where, err := json.Marshal(map[string]string{
		"display": display, "kernel": kernel, "address": address, "type": AnswerType,
	})
	if err != nil {
		panic("explore: " + err.Error()) // texts
	}
	// In a function of its own: a page may have several.
	content := strings.Replace(body, `class="cm-explore"`, fmt.Sprintf(`class="cm-explore cm-cell" id="%s"`,
		display), 1)
	return fmt.Sprintf("<style>\n%s</style>\n%s<script>(() => {\n%s\n%s\ncontextmoverCell(%s);\n})();</script>\n",
		style, content, script, cellScript, where)
}

// Take takes a message of the page: a request, which is answered by a message, one that is
// given up, or the wish to end, which it tells. A message of another shape is nothing to it.
func (c *Cell) Take(ctx context.Context, message string) (end bool) {
	var m struct {
		ID     string `json:"id"`
		Path   string `json:"path"`
		Cancel bool   `json:"cancel"`
		End    bool   `json:"end"`
	}
	if json.Unmarshal([]byte(message), &m) != nil || m.ID == "" {
		return false
	}
	if m.End {
		return true
	}
	c.mu.Lock()
	t := c.tasks[m.ID]
	first := t == nil
	if first { // one that is given up before it comes is known, too
		t = c.begin(ctx, m.ID)
	}
	known := cmp.Or(t.answer, `{"id":"working"}`) // which tells the page that it is heard
	c.mu.Unlock()
	switch {
	case m.Cancel:
		t.cancel()
	case first:
		c.answer(t, m.ID, m.Path)
	default:
		c.send(known)
	}
	return false
}

// begin returns a new task, in the place of the oldest where there are many.
func (c *Cell) begin(ctx context.Context, id string) *task {
	t := new(task)
	t.ctx, t.cancel = context.WithCancel(ctx)
	c.tasks[id] = t
	if c.order = append(c.order, id); len(c.order) > remembered {
		c.tasks[c.order[0]].cancel()
		delete(c.tasks, c.order[0])
		c.order = c.order[1:]
	}
	return t
}

// answer answers a request, if nobody gives it up.
func (c *Cell) answer(t *task, id, path string) {
	defer t.cancel()
	w := &recorder{header: make(http.Header), status: http.StatusOK}
	if u, err := url.ParseRequestURI(path); err != nil || u.Host != "" {
		reply(w, &http.Request{}, "", nil, mistake("", "%q is no request.", path))
	} else {
		if u.Path == "/ask" {
			c.mu.Lock()
			c.last = u.RawQuery
			c.mu.Unlock()
		}
		c.handler.ServeHTTP(w, (&http.Request{Method: http.MethodGet, URL: u, Host: "notebook"}).WithContext(t.ctx))
	}
	if t.ctx.Err() != nil {
		return
	}
	// Jupyter lets through a megabyte a second.
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(w.body.Bytes())
	_ = z.Close() // a buffer takes all
	answer, err := json.Marshal(map[string]any{
		"id": id, "status": w.status, "type": w.header.Get("Content-Type"),
		"body": base64.StdEncoding.EncodeToString(packed.Bytes()),
	})
	if err != nil {
		panic("explore: " + err.Error()) // texts and a number
	}
	c.mu.Lock()
	t.answer = string(answer)
	c.mu.Unlock()
	c.send(t.answer)
}

// Last is what was asked last, and whether anything was.
func (c *Cell) Last() (Question, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == "" {
		return Question{}, false
	}
	return question(&url.URL{RawQuery: c.last}), true
}

// recorder keeps what a handler answers.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) { r.status = status }

func (r *recorder) Write(data []byte) (int, error) { return r.body.Write(data) }
