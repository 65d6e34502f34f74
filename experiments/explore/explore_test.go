package explore

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"contextmover/cmdlib"
	"contextmover/cmdlib/search"
	"contextmover/experiments/harness/pipelinetest"
	"contextmover/experiments/paper/figures"
	"contextmover/experiments/show/answer"
)

// world is an explorer of a small space.
func world(t *testing.T) *Explorer {
	t.Helper()
	w := pipelinetest.World(t, "figures.iterations=100")
	space, _, err := w.OpenSpace(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	space.Settings.Defaults = cmdlib.Defaults{} // contexts, where no method is named
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
			{From: "the dog sleeps", To: "music", Method: "debiased"}, {From: "dog", To: "cat", Method: "comb"},
		} {
			s, err := x.space.With(cmdlib.Options{Method: q.Method, Engine: x.draw.Engine})
			if err != nil {
				t.Fatal(err)
			}
			want, err := s.ByTransport().Compare(t.Context(), q.From, q.To)
			if err != nil {
				t.Fatal(err)
			}
			values := []string{"from", q.From, "to", q.To, "method", q.Method}
			var a Answer
			if w := get(h, "/ask", values...); w.Code != 200 || json.Unmarshal(w.Body.Bytes(), &a) != nil {
				t.Fatalf("%+v: status %d, %s", q, w.Code, w.Body)
			}
			if math.Abs(a.Distance-want.Distance) > 1e-6 || a.Method != want.Method || len(a.From.Contexts) != sideContexts {
				t.Errorf("%+v: %+v, want the distance %v", q, a, want.Distance)
			}
			if strings.Contains(q.To, "zyzzyva") != (len(a.To.Unknown) == 1) {
				t.Errorf("%+v: unknown %q", q, a.To.Unknown)
			}
			var told Standing
			if w := get(h, "/standing", values...); w.Code != 200 || json.Unmarshal(w.Body.Bytes(), &told) != nil {
				t.Fatalf("%+v: status %d, %s", q, w.Code, w.Body)
			}
			var n []cmdlib.Neighbour
			if w := get(h, "/near", append(values, "side", "to")...); w.Code != 200 || json.Unmarshal(w.Body.Bytes(), &n) != nil {
				t.Fatalf("%+v: status %d, %s", q, w.Code, w.Body)
			}
			standing, err := want.Standing(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			near, err := s.ByTransport().Neighbours(t.Context(), q.To, neighbours)
			if err != nil {
				t.Fatal(err)
			}
			if told.Closer != standing.Closer || told.To != standing.To {
				t.Errorf("%+v: %+v, want %+v", q, told.Standing, standing)
			}
			if !slices.Equal(n, near.Nearest) {
				t.Errorf("%+v: nearest to the second %+v, want %+v", q, n, near.Nearest)
			}
		}
	})

	// By vectors the page shows the sum that the command prints, and so it begins where the space records that.
	t.Run("by vectors", func(t *testing.T) {
		for _, q := range []Question{{From: "the dog sleeps", To: "music zyzzyva"}, {From: "dog", To: "cat"}} {
			s, err := x.space.With(cmdlib.Options{Method: cmdlib.SIF, Engine: x.draw.Engine})
			if err != nil {
				t.Fatal(err)
			}
			want, err := answer.Explain(t.Context(), s, q.From, q.To, sideContexts)
			if err == nil {
				err = want.Stand(t.Context())
			}
			if err != nil {
				t.Fatal(err)
			}
			var a Answer
			if w := get(h, "/ask", "from", q.From, "to", q.To, "method", "sif"); w.Code != 200 || json.Unmarshal(w.Body.Bytes(), &a) != nil {
				t.Fatalf("%+v: status %d, %s", q, w.Code, w.Body)
			}
			sum := 0.0
			for _, p := range slices.Concat(a.Sum.Pairs, a.Sum.Sums[:len(a.Sum.Sums)-1]) {
				sum += p.Brings
			}
			if math.Abs(a.Distance-want.Distance) > 1e-12 || math.Abs(1-sum-a.Distance) > 1e-9 || len(a.Views) != 1 ||
				(a.Views[0].Name == wordByWord) == (q.From == "dog") || (a.Contexts == nil) == (q.From == "dog") ||
				!reflect.DeepEqual(a.Sum.Notes, want.View(sumPairs).Notes) {
				t.Errorf("%+v: %+v, want the distance %v", q, a, want.Distance)
			}
			if !strings.Contains(a.Command, "explain") || !strings.Contains(a.Command, "--method sif") {
				t.Errorf("the command is %s", a.Command)
			}
			near, err := s.Neighbours(t.Context(), q.To, neighbours)
			var n []cmdlib.Neighbour
			if w := get(h, "/near", "from", q.From, "to", q.To, "method", "sif", "side", "to"); err != nil || w.Code != 200 ||
				json.Unmarshal(w.Body.Bytes(), &n) != nil || !slices.Equal(n, near.Nearest) {
				t.Errorf("%+v: nearest %+v, want %+v, %v", q, n, near, err)
			}
		}
		if x.begin().ByVectors || !x.begin().Vectors {
			t.Errorf("it begins with %+v", x.begin())
		}
		own := x.space.Settings.Defaults
		defer func() { x.space.Settings.Defaults = own }()
		x.space.Settings.Defaults = cmdlib.Measured
		if a, err := x.Ask(t.Context(), Question{From: "dog", To: "cat"}); err != nil || a.Sum == nil || !x.begin().ByVectors {
			t.Errorf("where the space records vectors it answers %+v, %v", a, err)
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
		for _, m := range []struct{ from, to, method, field, says string }{
			{"", "dog", "", "from", "The first text is empty"},
			{" \n", "", "", "from", "The first text is empty"},
			{"dog", "qqqq zzzz", "", "to", "No word of the text"},
			{"elephnt", "dog", "", "from", "did you mean"},
			{"dog", "doggg", "", "to", "Unknown word"},
			{strings.Repeat("dog ", MostWords+1), "dog", "", "from", "has 101 words: expected at most 100"},
			{"dog", strings.Repeat("x", mostBytes+1), "", "to", "too long"},
			{"dog", "cat", "sum", "", "expected nearest, sif"},
			{"dog", "cat", "sif,a=0", "", "expected a number above 0"},
		} {
			for _, path := range []string{"/ask", "/standing", "/figure/flow.svg"} {
				w := get(h, path, "from", m.from, "to", m.to, "method", m.method)
				var told struct{ Error, Field string }
				if json.Unmarshal(w.Body.Bytes(), &told) != nil || w.Code != 422 || told.Field != m.field || !strings.Contains(told.Error, m.says) {
					t.Errorf("%s of %+v: status %d, %s", path, m, w.Code, w.Body)
				}
			}
		}
	})

	t.Run("two words", func(t *testing.T) {
		words, err1 := x.Ask(t.Context(), Question{From: "dog", To: "music"})
		texts, err2 := x.Ask(t.Context(), Question{From: "dog", To: "the music"})
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		hasWords := func(a *Answer) bool {
			return slices.ContainsFunc(a.Views, func(v View) bool { return v.Name == wordByWord })
		}
		if hasWords(words) || !hasWords(texts) || len(texts.Contexts) > 0 || len(words.Contexts) != sharedContexts {
			t.Errorf("words have the views %v and %d contexts, texts %v and %d", words.Views, len(words.Contexts), texts.Views, len(texts.Contexts))
		}
		id, _ := x.space.ID("dog")
		row, err := x.space.Row(id)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range words.Contexts {
			if !slices.Contains(row, float32(c.From)) || len(c.Name) == 0 || i > 0 && c.From-c.To > words.Contexts[i-1].From-words.Contexts[i-1].To+1e-7 {
				t.Errorf("context %d is %+v", i, c)
			}
		}
	})

	// One word has its neighbours and contexts, which are those that it has in a pair, and nothing to be compared with.
	t.Run("one word", func(t *testing.T) {
		for _, method := range []string{"", "sif"} {
			one, err1 := x.Ask(t.Context(), Question{From: "dog", To: " ", Method: method})
			two, err2 := x.Ask(t.Context(), Question{From: "dog", To: "music"})
			near, err3 := x.Near(t.Context(), Question{From: "dog", Method: method}, "from")
			if err := errors.Join(err1, err2, err3); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(one.From.Contexts, two.From.Contexts) || len(one.Views) != 1 || one.Views[0].Name != "density" || len(near) != neighbours {
				t.Errorf("by %q: %+v, nearest %v", method, one, near)
			}
			if want := "repro neighbours --space 'my space' --method " + cmp.Or(method, "average") + " dog"; one.Command != want {
				t.Errorf("command %s, want %s", one.Command, want)
			}
			f, err := x.Draw(t.Context(), "density", Question{From: "dog", Method: method})
			if err != nil || len(f.Panels[0].Density.Layers) != 1 {
				t.Errorf("the map of one word: %v", err)
			}
		}
		for _, path := range []string{"/standing", "/figure/flow.svg", "/figure/sentences.svg"} {
			if w := get(h, path, "from", "dog", "to", ""); w.Code != 422 || !strings.Contains(w.Body.String(), `"field":"to"`) {
				t.Errorf("%s of one word: status %d, %s", path, w.Code, w.Body)
			}
		}
		if w := get(h, "/ask", "from", "doggg"); w.Code != 422 {
			t.Errorf("an unknown word: status %d", w.Code)
		}
	})

	t.Run("search", func(t *testing.T) {
		text := "the dog sleeps .\nmusic is played .\nthe dog sleeps .\n"
		var found search.Found
		if w := get(h, "/search", "from", "dog", "text", text); w.Code != 200 || json.Unmarshal(w.Body.Bytes(), &found) != nil {
			t.Fatalf("status %d, %s", w.Code, w.Body)
		}
		if len(found.Nearest) != 2 || found.Nearest[0].Text != "the dog sleeps ." || found.Nearest[0].Number != 1 || found.Nearest[0].Equal != 2 || found.Nearest[1].Number != 2 {
			t.Errorf("%+v", found)
		}
		for _, m := range []struct{ from, text, field, says string }{
			{"", text, "from", "is empty"},
			{"doggg", text, "from", "Unknown word"},
			{"dog", strings.Repeat("x", mostSearched+1), "text", "expected at most 100000"},
			{"dog", "a dog \x00", "text", "NUL"},
		} {
			w := get(h, "/search", "from", m.from, "text", m.text)
			if w.Code != 422 || !strings.Contains(w.Body.String(), fmt.Sprintf("\"field\":%q", m.field)) || !strings.Contains(w.Body.String(), m.says) {
				t.Errorf("%.20q in %.20q: status %d, %s", m.from, m.text, w.Code, w.Body)
			}
		}
	})

	// What the page shows can be asked on the command line.
	t.Run("commands", func(t *testing.T) {
		a, err := x.Ask(t.Context(), Question{From: "the dog's bone", To: "- music", Method: "comb"})
		if err != nil {
			t.Fatal(err)
		}
		if want := `repro figure sentences --space 'my space' --method comb --out sentences.svg -- 'the dog'\''s bone' '- music'`; a.Views[0].Command != want {
			t.Errorf("command\n%s\nwant\n%s", a.Views[0].Command, want)
		}
		if a, err = x.Ask(t.Context(), Question{From: "dog", To: "cat"}); err != nil || a.Command != "repro explain --space 'my space' --method average dog cat" {
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
		if w := get(h, "/begin"); json.Unmarshal(w.Body.Bytes(), &b) != nil || len(b.Examples) == 0 || b.Words != len(x.space.Words) {
			t.Errorf("%+v", b)
		}
	})

	t.Run("at once", func(t *testing.T) {
		words := []string{"dog", "cat", "music", "the dog and the cat", "animal"}
		alone := make(map[string]string)
		paths := []string{"/ask", "/standing", "/figure/density.svg", "/figure/sentences.svg"}
		for _, path := range paths {
			for _, word := range words {
				alone[path+word] = get(h, path, "from", word, "to", "sport").Body.String()
			}
		}
		var wait sync.WaitGroup
		for _, path := range paths {
			for _, word := range words {
				wait.Go(func() {
					if got := get(h, path, "from", word, "to", "sport").Body.String(); got != alone[path+word] {
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
		q := Question{From: "the dog", To: "music"}
		_, err1 := x.Ask(ctx, q)
		_, err2 := x.Near(ctx, q, "to")
		_, err4 := x.Standing(ctx, q)
		_, err3 := x.Draw(ctx, "flow", q)
		for _, err := range []error{err1, err2, err3, err4} {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
		}
		r := httptest.NewRequestWithContext(ctx, "GET", "/standing?from=dog&to=cat", nil)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Body.Len() > 0 {
			t.Errorf("who is gone is told %s", w.Body)
		}
		// And the next is answered.
		if w := get(h, "/near", "from", "dog", "to", "cat", "side", "from"); w.Code != 200 {
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
	for i, path := range []string{"/begin", "/ask?from=dog&to=cat&method=comb", "/near?from=dog&to=cat", "/figure/flow.svg?from=dog&to=cat", "/ask?from=&to=cat", "/nowhere"} {
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
	take("last", "/ask?from=dog&to=music&method=average")
	next()
	if q, ok := c.Last(); !ok || q != (Question{From: "dog", To: "music", Method: "average"}) {
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
		host, site, origin string
		want               int
	}{
		{"127.0.0.1:8123", "", "", 200}, {"localhost:8123", "same-origin", "", 200}, {"LOCALHOST:8123", "none", "", 200},
		{"[::1]:8123", "", "", 200}, {"127.0.0.1:8123", "", "http://127.0.0.1:8123", 200}, {"localhost:8123", "same-origin", "http://localhost:8123", 200},
		{"evil.example", "", "", 403}, {"evil.example:8123", "same-origin", "", 403}, {"127.0.0.1.evil.example:8123", "", "", 403},
		{"127.0.0.1:8124", "", "", 403}, {"127.0.0.1", "", "", 403}, {"", "", "", 403},
		{"127.0.0.1:8123", "cross-site", "", 403}, {"localhost:8123", "same-site", "", 403},
		// Older browsers tell their page by Origin only.
		{"127.0.0.1:8123", "", "http://evil.example", 403}, {"127.0.0.1:8123", "", "null", 403}, {"127.0.0.1:8123", "", "https://127.0.0.1:8123", 403},
		{"127.0.0.1:8123", "", "http://127.0.0.1:8124", 403}, {"127.0.0.1:8123", "", "http://127.0.0.1:8123.evil.example", 403},
	} {
		r := httptest.NewRequest("GET", "/ask", nil)
		r.Host = test.host
		if test.site != "" {
			r.Header.Set("Sec-Fetch-Site", test.site)
		}
		if test.origin != "" {
			r.Header.Set("Origin", test.origin)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != test.want || (w.Code == 200) != (w.Body.String() == "secret") || w.Code == 200 && w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%+v: status %d, %s", test, w.Code, w.Body)
		}
	}
}

// Clients that send much and read nothing hold up nobody else, and neither they nor silent ones delay the end.
func TestServe(t *testing.T) {
	x := world(t)
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, listener, x.Handler()) }()
	address := listener.Addr().String()
	dial := func(send string) {
		t.Helper()
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		if err := c.(*net.TCPConn).SetReadBuffer(4096); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(c, send); err != nil {
			t.Fatal(err)
		}
	}
	picture := "GET /figure/flow.png?from=dog&to=music HTTP/1.1\r\nHost: " + address + "\r\n\r\n"
	for range 2 * runtime.GOMAXPROCS(0) {
		dial(strings.Repeat(picture, 200))
	}
	dial("") // as browsers open them ahead
	dial("GET /ask")
	client := http.Client{Timeout: time.Minute}
	time.Sleep(2 * time.Second) // until the readers' buffers are full
	for range 3 {
		r, err := client.Get("http://" + address + "/ask?from=dog&to=cat")
		if err != nil {
			t.Fatalf("beside clients that read nothing: %v", err)
		}
		if content, err := io.ReadAll(r.Body); err != nil || r.StatusCode != 200 {
			t.Errorf("status %d, %s, %v", r.StatusCode, content, err)
		}
		r.Body.Close()
	}
	begun := time.Now()
	stop()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("it ends with %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it does not end")
	}
	if took := time.Since(begun); took >= silence {
		t.Errorf("it took %v to end", took)
	}
}
