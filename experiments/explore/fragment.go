package explore

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
)

//go:embed notebook.js
var notebookScript string

// Fragment is the page as a part of another one, whose script asks by messages instead of a server: it sends each Ask to
// address/ask, and takes each Reply from address/reply; whatever comes at address/end ends it. The id is that of its element.
func Fragment(id, address string) string {
	content := strings.Replace(body, `class="cm-explore"`, fmt.Sprintf("class=\"cm-explore cm-notebook\" id=%q", html.EscapeString(id)), 1)
	where, err := json.Marshal([]string{id, address})
	if err != nil {
		panic("explore: " + err.Error()) // two texts
	}
	// In a function of its own: a page may have several.
	return fmt.Sprintf("<style>\n%s</style>\n%s<script>(() => {\n%s\n%s\ncontextmoverNotebook(...%s);\n})();</script>\n", style, content, script, notebookScript, where)
}

// Ask is a message of a Fragment: a request, or one that is given up.
type Ask struct {
	ID     string `json:"id"`
	Path   string `json:"path"`
	Cancel bool   `json:"cancel,omitempty"`
}

// Reply is the message that answers an Ask.
type Reply struct {
	ID     string `json:"id"`
	Status int    `json:"status"`
	Type   string `json:"type"`
	Body   string `json:"body"` // compressed by gzip, in base64
}

// Serve answers one message with what h answers to its path.
func Serve(ctx context.Context, h http.Handler, a Ask) Reply {
	w := httptest.NewRecorder()
	if path, err := url.Parse(a.Path); err != nil || path.Host != "" || !strings.HasPrefix(path.Path, "/") {
		http.Error(w, "no path", http.StatusBadRequest)
	} else {
		h.ServeHTTP(w, (&http.Request{Method: http.MethodGet, URL: path, Host: "notebook", Header: http.Header{}}).WithContext(ctx))
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write(w.Body.Bytes())
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		panic("explore: " + err.Error()) // a buffer takes all
	}
	return Reply{a.ID, w.Code, w.Header().Get("Content-Type"), base64.StdEncoding.EncodeToString(packed.Bytes())}
}
