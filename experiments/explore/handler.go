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
	"log/slog"
	"mime"
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
	inTurn := func(ctx context.Context, compute func() error) error {
		select {
		case busy <- struct{}{}:
			defer func() { <-busy }()
			return compute()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for path, answer := range map[string]func(ctx context.Context, q Question, v url.Values) (any, error){
		"/begin":    func(context.Context, Question, url.Values) (any, error) { return x.begin(), nil },
		"/ask":      func(ctx context.Context, q Question, _ url.Values) (any, error) { return x.Ask(ctx, q) },
		"/standing": func(ctx context.Context, q Question, _ url.Values) (any, error) { return x.Standing(ctx, q) },
		"/near": func(ctx context.Context, q Question, v url.Values) (any, error) {
			return x.Near(ctx, q, v.Get("side"))
		},
		"/search": func(ctx context.Context, q Question, v url.Values) (any, error) {
			return x.Search(ctx, q, v.Get("text"))
		},
	} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			var content []byte
			err := inTurn(r.Context(), func() error {
				v, err := answer(r.Context(), question(r.URL), r.URL.Query())
				if err == nil {
					content, err = json.Marshal(v)
				}
				return err
			})
			reply(w, r, "application/json", content, err)
		})
	}
	mux.HandleFunc("GET /figure/{file}", func(w http.ResponseWriter, r *http.Request) {
		view, extension, _ := strings.Cut(r.PathValue("file"), ".")
		draw := figure.Formats["."+extension]
		if draw == nil || !slices.ContainsFunc(views, func(v View) bool { return v.Name == view }) {
			reply(w, r, "", nil, errNotFound)
			return
		}
		var b bytes.Buffer
		err := inTurn(r.Context(), func() error {
			f, err := x.Draw(r.Context(), view, question(r.URL))
			if err != nil {
				return err
			}
			return draw(&b, f)
		})
		reply(w, r, mime.TypeByExtension("."+extension), b.Bytes(), err)
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

// reply answers a request with content, or says why that cannot be.
func reply(w http.ResponseWriter, r *http.Request, kind string, content []byte, err error) {
	if r.Context().Err() != nil {
		return // nobody listens
	}
	status := http.StatusOK
	if err != nil {
		var m *Mistake
		field := ""
		switch {
		case errors.As(err, &m):
			status, field, err = http.StatusUnprocessableEntity, m.Field, m
		case errors.Is(err, errNotFound):
			status = http.StatusNotFound
		default:
			status = http.StatusInternalServerError
			slog.Error("a question is not answered", "path", r.URL.Path, "error", err)
		}
		kind = "application/json"
		content, _ = json.Marshal(map[string]string{"error": err.Error(), "field": field}) // texts
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = w.Write(content) // who is gone needs nothing
}
