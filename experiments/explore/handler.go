package explore

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"

	"contextmover/cmdlib"
	"contextmover/experiments/show/figure"
)

var (
	//go:embed page.html
	pageText string
	//go:embed explore.css
	style string
	//go:embed explore.html
	body string
	//go:embed explore.js
	script string
)

var page = template.Must(template.New("page").Parse(pageText))

// start calls the script on the page of its own.
const start = `contextmoverExplore(document.querySelector(".cm-explore"), contextmoverFetch);`

// begin is what the script starts with.
type begin struct {
	Name string `json:"name"`
	// Examples are pairs of texts, the first of which the page begins with.
	Examples [][2]string `json:"examples"`
	// Vectors tells whether texts can be compared by vectors, by VectorsMethod (empty: those that
	// the space records); ByVectors whether they are at first.
	Vectors       bool   `json:"vectors"`
	VectorsMethod string `json:"vectors_method"`
	ByVectors     bool   `json:"by_vectors"`

	// Transport is the method of transport of the space.
	Transport string   `json:"transport"`
	Words     int      `json:"words"`
	Views     []View   `json:"views"`
	Formats   []string `json:"formats"`
}

func (x *Explorer) begin() begin {
	_, err := x.space.Encoder()
	vectors, byVectors := cmdlib.SIF, x.space.ByVectors()
	if byVectors {
		vectors = ""
	}
	return begin{
		Name: x.name, Examples: x.Examples(), Vectors: err == nil, VectorsMethod: vectors,
		ByVectors: byVectors, Transport: x.space.ByTransport().Default(),
		Words: len(x.space.Words), Views: views, Formats: figure.Extensions(),
	}
}

// Handler answers the requests of the page:
//
//	/                      the page
//	/begin                 what it starts with
//	/ask?from&to&method                   an Answer
//	/standing?…, /near?…&side             a Standing, the nearest words
//	/search?…&text                        what Search finds in text
//	/figure/VIEW.svg?…                    a picture; also .pdf and .png
//
// Errors are JSON with error, a sentence, and field, where it is a Mistake: status 422, and 404 for a view that is
// not there. A request that its client gives up ends. Not more requests are computed at once than there are processors;
// one that is answered takes no place while its client reads.
func (x *Explorer) Handler() http.Handler {
	mux := http.NewServeMux()
	busy := make(chan struct{}, runtime.GOMAXPROCS(0))
	answer := func(
		pattern string,
		compute func(ctx context.Context, q Question, r *http.Request) (contentType string, content []byte, err error),
	) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			kind, content, err := func() (string, []byte, error) {
				select {
				case busy <- struct{}{}:
					defer func() { <-busy }()
				case <-r.Context().Done():
					return "", nil, r.Context().Err()
				}
				return compute(r.Context(), question(r.URL), r)
			}()
			if err != nil {
				fail(w, r, err)
				return
			}
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write(content) // who is gone needs nothing
		})
	}
	asJSON := func(v any, err error) (string, []byte, error) {
		if err != nil {
			return "", nil, err
		}
		content, err := json.Marshal(v)
		return "application/json", content, err
	}
	answer("GET /ask", func(ctx context.Context, q Question, _ *http.Request) (string, []byte, error) {
		return asJSON(x.Ask(ctx, q))
	})
	answer("GET /standing", func(ctx context.Context, q Question, _ *http.Request) (string, []byte, error) {
		return asJSON(x.Standing(ctx, q))
	})
	answer("GET /near", func(ctx context.Context, q Question, r *http.Request) (string, []byte, error) {
		return asJSON(x.Near(ctx, q, r.URL.Query().Get("side")))
	})
	answer("GET /search", func(ctx context.Context, q Question, r *http.Request) (string, []byte, error) {
		return asJSON(x.Search(ctx, q, r.URL.Query().Get("text")))
	})
	answer("GET /begin", func(context.Context, Question, *http.Request) (string, []byte, error) {
		return asJSON(x.begin(), nil)
	})
	formats := map[string]struct {
		kind string
		draw func(io.Writer, *figure.Figure) error
	}{".svg": {"image/svg+xml", figure.SVG}, ".pdf": {"application/pdf", figure.PDF}, ".png": {"image/png", figure.PNG}}
	answer("GET /figure/{file}", func(ctx context.Context, q Question, r *http.Request) (string, []byte, error) {
		view, extension, _ := strings.Cut(r.PathValue("file"), ".")
		format, ok := formats["."+extension]
		if !ok || !slices.ContainsFunc(views, func(v View) bool { return v.Name == view }) {
			return "", nil, errNotFound
		}
		f, err := x.Draw(ctx, view, q)
		if err != nil {
			return "", nil, err
		}
		var b bytes.Buffer
		err = format.draw(&b, f)
		return format.kind, b.Bytes(), err
	})
	sum := sha256.Sum256([]byte(pageScript()))
	policy := fmt.Sprintf("default-src 'none'; script-src 'sha256-%s'; style-src 'unsafe-inline'; "+
		"connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		base64.StdEncoding.EncodeToString(sum[:]))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", policy)
		err := page.Execute(w, map[string]any{
			"Name": x.name, "Style": template.CSS(style), "Body": template.HTML(body),
			"Script": template.JS(pageScript()),
		})
		if err != nil && r.Context().Err() == nil {
			slog.Error("the page is not written", "error", err)
		}
	})
	return mux
}

// question reads the question of a request.
func question(u *url.URL) Question {
	v := u.Query()
	return Question{From: v.Get("from"), To: v.Get("to"), Method: v.Get("method")}
}

func pageScript() string { return script + start }

var errNotFound = errors.New("there is no such picture")

// fail answers a request that cannot be answered.
func fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // nobody listens
	}
	status, field := http.StatusInternalServerError, ""
	var m *Mistake
	switch {
	case errors.As(err, &m):
		status, field = http.StatusUnprocessableEntity, m.Field
		err = m
	case errors.Is(err, errNotFound):
		status = http.StatusNotFound
	default:
		slog.Error("a question is not answered", "path", r.URL.Path, "error", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": err.Error(), "field": field})
}
