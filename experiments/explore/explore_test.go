package explore

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"contextmover/cmdlib"
	"contextmover/experiments/figures"
	"contextmover/experiments/pipelinetest"
)

// world is an explorer of a small space.
func world(t *testing.T) *Explorer {
	t.Helper()
	w := pipelinetest.World(t, "figures.iterations=100")
	space, _, err := w.OpenSpace(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	x := New(ctx, &figures.OfSpace{Space: space, Settings: w.Profile.Figures, Engine: w.Engine, Name: "small"}, "--space", "my space")
	t.Cleanup(func() {
		stop()
		x.Wait()
		if err := space.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

// get asks a handler as a browser does.
func get(h http.Handler, path string, values ...string) *httptest.ResponseRecorder {
	query := url.Values{}
	for i := 0; i < len(values); i += 2 {
		query.Set(values[i], values[i+1])
	}
	r := httptest.NewRequest("GET", "http://127.0.0.1:8000"+path+"?"+query.Encode(), nil)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestExplorer(t *testing.T) {
	x := world(t)
	h := x.Handler()

	t.Run("answers are those of the space", func(t *testing.T) {
		for _, q := range []Question{
			{From: "dog", To: "animal"}, {From: "The dog sleeps", To: "music zyzzyva"},
			{From: "the dog sleeps", To: "music", Reg: 0.05, Sentences: "debiased"}, {From: "dog", To: "cat", Reg: 0.3, Sentences: "barycenter"},
		} {
			own := x.space.Settings.Transport
			o := cmdlib.Override{Reg: q.Reg, Combination: Combinations[q.Sentences]}
			if q.Reg > 0 && q.Reg < own.Reg {
				o.MaxIter = int(math.Ceil(float64(own.MaxIter) * own.Reg / q.Reg))
			}
			s, err := x.space.Asked(o, x.draw.Engine)
			if err != nil {
				t.Fatal(err)
			}
			want, err := s.Distance(t.Context(), q.From, q.To)
			if err != nil {
				t.Fatal(err)
			}
			reg := ""
			if q.Reg > 0 {
				reg = fmt.Sprint(q.Reg)
			}
			values := []string{"from", q.From, "to", q.To, "reg", reg, "sentences", q.Sentences}
			var a Answer
			if w := get(h, "/ask", values...); w.Code != 200 || json.Unmarshal(w.Body.Bytes(), &a) != nil {
				t.Fatalf("%+v: status %d, %s", q, w.Code, w.Body)
			}
			if math.Abs(a.Distance-want.Cost) > 1e-6 || a.Reg != s.Settings.Transport.Reg || len(a.From.Contexts) != sideContexts || len(a.Views) != 3 {
				t.Errorf("%+v: %+v, want the distance %v", q, a, want.Cost)
			}
			if strings.Contains(q.To, "zyzzyva") != (len(a.To.Unknown) == 1) {
				t.Errorf("%+v: unknown %q", q, a.To.Unknown)
			}
			var n Near
			if w := get(h, "/near", values...); w.Code != 200 || json.Unmarshal(w.Body.Bytes(), &n) != nil {
				t.Fatalf("%+v: status %d, %s", q, w.Code, w.Body)
			}
			standing, err := s.Standing(t.Context(), q.From, q.To, want.Cost)
			if err != nil {
				t.Fatal(err)
			}
			near, err := s.Neighbours(t.Context(), q.To, neighbours)
			if err != nil {
				t.Fatal(err)
			}
			if n.Standing.Closer != standing.Closer || n.Standing.To != standing.To || len(n.From) != neighbours || n.To[0].Word != near.Nearest[0].Word {
				t.Errorf("%+v: %+v, want %+v", q, n.Standing, standing)
			}
		}
	})

	t.Run("pictures", func(t *testing.T) {
		for _, view := range views {
			for extension, magic := range map[string]string{"svg": "<?xml", "pdf": "%PDF", "png": "\x89PNG"} {
				w := get(h, "/figure/"+view.Name+"."+extension, "from", "the dog", "to", "music")
				if w.Code != 200 || !strings.HasPrefix(w.Body.String(), magic) || !strings.Contains(w.Header().Get("Content-Type"), strings.TrimSuffix(extension, "g")) {
					t.Errorf("%s.%s: status %d, %s, %.60q", view.Name, extension, w.Code, w.Header().Get("Content-Type"), w.Body)
				}
			}
		}
		for _, file := range []string{"plan.svg", "flow.gif", "flow", "flow.svg.gz", "..%2fflow.svg"} {
			if w := get(h, "/figure/"+file, "from", "dog", "to", "cat"); w.Code != 404 {
				t.Errorf("%s: status %d", file, w.Code)
			}
		}
	})

	t.Run("mistakes", func(t *testing.T) {
		for _, m := range []struct{ from, to, reg, sentences, field, says string }{
			{"", "dog", "", "", "from", "The first text is empty"},
			{"dog", " \n", "", "", "to", "The second text is empty"},
			{"dog", "qqqq zzzz", "", "", "to", "No word of the text"},
			{"elephnt", "dog", "", "", "from", "did you mean"},
			{"dog", "doggg", "", "", "to", "Unknown word"},
			{strings.Repeat("dog ", MostWords+1), "dog", "", "", "from", "has 101 words: expected at most 100"},
			{"dog", strings.Repeat("x", mostBytes+1), "", "", "to", "too long"},
			{"dog", "cat", "-1", "", "", "no positive number"},
			{"dog", "cat", "NaN", "", "", "no positive number"},
			{"dog", "cat", "Inf", "", "", "The λ +Inf cannot be"},
			{"dog", "cat", "", "sum", "", "no way to combine"},
		} {
			for _, path := range []string{"/ask", "/near", "/figure/flow.svg"} {
				w := get(h, path, "from", m.from, "to", m.to, "reg", m.reg, "sentences", m.sentences)
				var told struct{ Error, Field string }
				if json.Unmarshal(w.Body.Bytes(), &told) != nil || w.Code != 422 || told.Field != m.field || !strings.Contains(told.Error, m.says) {
					t.Errorf("%s of %+v: status %d, %s", path, m, w.Code, w.Body)
				}
			}
		}
	})

	// What the page shows can be asked on the command line.
	t.Run("commands", func(t *testing.T) {
		a, err := x.Ask(t.Context(), Question{From: "the dog's bone", To: "- music", Reg: 0.05, Sentences: "barycenter"})
		if err != nil {
			t.Fatal(err)
		}
		iterations := int(math.Ceil(float64(x.space.Settings.Transport.MaxIter) * x.space.Settings.Transport.Reg / 0.05))
		if want := fmt.Sprintf(`repro figure sentences --space 'my space' --reg 0.05 --iters %d --sentences barycenter --out sentences.svg -- 'the dog'\''s bone' '- music'`, iterations); a.Views[0].Command != want {
			t.Errorf("command\n%s\nwant\n%s", a.Views[0].Command, want)
		}
		if a, err = x.Ask(t.Context(), Question{From: "dog", To: "cat"}); err != nil || a.Command != "repro explain --space 'my space' dog cat" {
			t.Errorf("command %s, %v", a.Command, err)
		}
	})

	t.Run("page", func(t *testing.T) {
		w := get(h, "/")
		page, policy := w.Body.String(), w.Header().Get("Content-Security-Policy")
		if w.Code != 200 || !strings.Contains(page, script) || !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "script-src 'unsafe") {
			t.Errorf("status %d, policy %s", w.Code, policy)
		}
		// Nothing is fetched from anywhere.
		for _, address := range []string{"http:", "https:", "src=", "@import", "url("} {
			if strings.Contains(page, address) {
				t.Errorf("the page has %s", address)
			}
		}
		if w := get(h, "/other"); w.Code != 404 {
			t.Errorf("status %d of what is not there", w.Code)
		}
		var b begin
		if w := get(h, "/begin"); json.Unmarshal(w.Body.Bytes(), &b) != nil || b.From == "" || b.Words != len(x.space.Words) {
			t.Errorf("%+v", b)
		}
	})

	t.Run("at once", func(t *testing.T) {
		words := []string{"dog", "cat", "music", "the dog and the cat", "animal"}
		alone := make(map[string]string)
		paths := []string{"/ask", "/near", "/figure/density.svg", "/figure/sentences.svg"}
		for _, path := range paths {
			for _, word := range words {
				alone[path+word] = get(h, path, "from", word, "to", "sport", "reg", "0.07").Body.String()
			}
		}
		var wait sync.WaitGroup
		for _, path := range paths {
			for _, word := range words {
				wait.Go(func() {
					if got := get(h, path, "from", word, "to", "sport", "reg", "0.07").Body.String(); got != alone[path+word] {
						t.Errorf("%s of %q differs from when it is asked alone", path, word)
					}
				})
			}
		}
		wait.Wait()
	})

	t.Run("given up", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		q := Question{From: "the dog", To: "music", Reg: 0.011}
		_, err1 := x.Ask(ctx, q)
		_, err2 := x.Near(ctx, q)
		_, err3 := x.Draw(ctx, "flow", q)
		for _, err := range []error{err1, err2, err3} {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
		}
		r := httptest.NewRequestWithContext(ctx, "GET", "/near?from=dog&to=cat", nil)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Body.Len() > 0 {
			t.Errorf("who is gone is told %s", w.Body)
		}
		// And the next is answered.
		if w := get(h, "/near", "from", "dog", "to", "cat"); w.Code != 200 {
			t.Errorf("status %d afterwards", w.Code)
		}
	})
}

// A cell answers messages as the page's server answers requests, whatever their order and however often they come.
func TestCell(t *testing.T) {
	x := world(t)
	sent := make(chan string, 100)
	c := x.Cell(func(message string) { sent <- message })
	take := func(id, path string, more ...string) bool {
		return c.Take(t.Context(), fmt.Sprintf(`{"id":%q,"path":%q%s}`, id, path, strings.Join(more, "")))
	}
	type answer struct {
		ID, Type, Body string
		Status         int
	}
	next := func() (a answer, body string) {
		t.Helper()
		select {
		case message := <-sent:
			if err := json.Unmarshal([]byte(message), &a); err != nil {
				t.Fatal(err)
			}
		default:
			t.Fatal("there is no answer")
		}
		packed, err := base64.StdEncoding.DecodeString(a.Body)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		return a, string(plain)
	}
	if _, ok := c.Last(); ok {
		t.Error("something was asked before anything was")
	}
	for i, path := range []string{"/begin", "/ask?from=dog&to=cat&reg=0.07", "/near?from=dog&to=cat", "/figure/flow.svg?from=dog&to=cat", "/ask?from=&to=cat", "/nowhere"} {
		take(fmt.Sprint(i), path)
		a, body := next()
		w := httptest.NewRecorder()
		x.Handler().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if a.ID != fmt.Sprint(i) || a.Status != w.Code || a.Type != w.Header().Get("Content-Type") || body != w.Body.String() {
			t.Errorf("%s: %d, %s, %.80s; the server says %d, %s, %.80s", path, a.Status, a.Type, body, w.Code, w.Header().Get("Content-Type"), w.Body)
		}
		// The same again is the same answer.
		take(fmt.Sprint(i), path)
		if b, again := next(); a != b || again != body {
			t.Errorf("%s is answered otherwise when it comes again", path)
		}
	}
	take("last", "/ask?from=dog&to=music&reg=0.2&sentences=average")
	next()
	if q, ok := c.Last(); !ok || q != (Question{From: "dog", To: "music", Reg: 0.2, Sentences: "average"}) {
		t.Errorf("asked last is %+v, %v", q, ok)
	}
	// What is given up is not answered, also where that is heard first, and no request is none.
	take("gone", "", `,"cancel":true`)
	take("gone", "/near?from=dog&to=cat")
	if a := (<-sent); a != `{"id":"working"}` {
		t.Errorf("what was given up is answered: %.80s", a)
	}
	take("evil", "http://elsewhere/begin")
	if a, _ := next(); a.Status != 422 {
		t.Errorf("status %d of a request to elsewhere", a.Status)
	}
	for _, message := range []string{"", "{", `{"id":""}`, `[]`, `{"id":7}`} {
		if c.Take(t.Context(), message) || len(sent) > 0 {
			t.Errorf("%q is answered", message)
		}
	}
	if !take("x", "", `,"end":true`) {
		t.Error("the wish to end is not told")
	}
	// More than are remembered.
	for i := range 3 * remembered {
		take(fmt.Sprint("many", i), "/begin")
		<-sent
	}
	if len(c.tasks) > remembered {
		t.Errorf("%d requests are remembered", len(c.tasks))
	}
}

// Only pages of this machine and this port are answered.
func TestLocal(t *testing.T) {
	h := Local(8123, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "secret") }))
	for _, test := range []struct {
		host, site string
		want       int
	}{
		{"127.0.0.1:8123", "", 200}, {"localhost:8123", "same-origin", 200}, {"LOCALHOST:8123", "none", 200}, {"[::1]:8123", "", 200},
		{"evil.example", "", 403}, {"evil.example:8123", "same-origin", 403}, {"127.0.0.1.evil.example:8123", "", 403},
		{"127.0.0.1:8124", "", 403}, {"127.0.0.1", "", 403}, {"", "", 403},
		{"127.0.0.1:8123", "cross-site", 403}, {"localhost:8123", "same-site", 403},
	} {
		r := httptest.NewRequest("GET", "/ask", nil)
		r.Host = test.host
		if test.site != "" {
			r.Header.Set("Sec-Fetch-Site", test.site)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != test.want || (w.Code == 200) != (w.Body.String() == "secret") || w.Code == 200 && w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%+v: status %d, %s", test, w.Code, w.Body)
		}
	}
}
