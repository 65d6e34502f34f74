package dataset

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// remote is a server with one file, which does what a test tells it.
type remote struct {
	content []byte
	file    File
	mu      sync.Mutex // a cut request may still be served when the next one comes
	asked   []string   // Range headers
	handle  func(attempt int, w http.ResponseWriter, r *http.Request)
}

func newRemote(t *testing.T, size int) *remote {
	t.Helper()
	random := rand.New(rand.NewPCG(1, uint64(size)))
	s := &remote{content: make([]byte, size)}
	for i := range s.content {
		s.content[i] = byte(random.Uint32())
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.Header.Get("Range"))
		attempt, handle := len(s.asked), s.handle
		s.mu.Unlock()
		if handle != nil {
			handle(attempt, w, r)
			return
		}
		s.serve(w, r)
	}))
	t.Cleanup(server.Close)
	sum := sha256.Sum256(s.content)
	s.file = File{Path: "sets/file.bin", Bytes: int64(size), SHA256: hex.EncodeToString(sum[:]), Original: "the archive", Address: server.URL + "/file.bin"}
	pause := fetchPause
	fetchPause = time.Millisecond
	t.Cleanup(func() { fetchPause = pause })
	return s
}

// requests returns the Range headers so far.
func (s *remote) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// counter counts the requests that a client makes, whether or not they reach the server.
type counter struct{ requests atomic.Int64 }

func (c *counter) RoundTrip(r *http.Request) (*http.Response, error) {
	c.requests.Add(1)
	return http.DefaultTransport.RoundTrip(r)
}

func last(s []string) string { return s[len(s)-1] }

// serve serves the whole file or the range that is asked for.
func (s *remote) serve(w http.ResponseWriter, r *http.Request) {
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(s.content))
}

// breakAfter sends n bytes of what is asked for and cuts the connection.
func (s *remote) breakAfter(n int, w http.ResponseWriter, r *http.Request) {
	from := 0
	if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from); err == nil {
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(s.content)-1, len(s.content)))
	}
	w.Header().Set("Content-Length", fmt.Sprint(len(s.content)-from))
	if from > 0 {
		w.WriteHeader(http.StatusPartialContent)
	}
	w.Write(s.content[from : from+n])
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

// whole checks that the file is there, right, and alone.
func (s *remote) whole(t *testing.T, dir string) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(dir, "sets", "file.bin"))
	if err != nil || !bytes.Equal(got, s.content) {
		t.Errorf("%d bytes, %v; want the %d served", len(got), err, len(s.content))
	}
	alone(t, dir, "file.bin")
}

// alone checks what lies in the folder of the file.
func alone(t *testing.T, dir string, names ...string) {
	t.Helper()
	var got []string
	entries, err := os.ReadDir(filepath.Join(dir, "sets"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("in the folder: %v, want %v", got, names)
	}
}

func TestFetch(t *testing.T) {
	s, dir := newRemote(t, 300_000), t.TempDir()
	most := int64(0)
	f := &Fetcher{Dir: dir, Progress: func(done, total int64) {
		if done < most || total != 300_000 {
			t.Errorf("%d of %d after %d", done, total, most)
		}
		most = done
	}}
	if err := f.Fetch(t.Context(), s.file); err != nil {
		t.Fatal(err)
	}
	s.whole(t, dir)
	if most != 300_000 {
		t.Errorf("progress ended at %d", most)
	}
	// What is there is not asked for again.
	if err := f.Fetch(t.Context(), s.file); err != nil || len(s.requests()) != 1 {
		t.Errorf("%d requests, %v", len(s.requests()), err)
	}
}

func TestBrokenTransferGoesOn(t *testing.T) {
	s, dir := newRemote(t, 300_000), t.TempDir()
	s.handle = func(attempt int, w http.ResponseWriter, r *http.Request) {
		if attempt < 3 {
			s.breakAfter(100_000, w, r)
		}
		s.serve(w, r)
	}
	if err := (&Fetcher{Dir: dir}).Fetch(t.Context(), s.file); err != nil {
		t.Fatal(err)
	}
	s.whole(t, dir)
	if want := []string{"", "bytes=100000-", "bytes=200000-"}; strings.Join(s.requests(), ",") != strings.Join(want, ",") {
		t.Errorf("asked for %q, want %q", s.requests(), want)
	}
}

func TestInterruptedFetchGoesOn(t *testing.T) {
	s, dir := newRemote(t, 300_000), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	s.handle = func(attempt int, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "300000")
		w.Write(s.content[:50_000])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	f := &Fetcher{Dir: dir, Progress: func(done, _ int64) {
		if done == 50_000 {
			cancel()
		}
	}}
	if err := f.Fetch(ctx, s.file); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want canceled", err)
	}
	alone(t, dir, "file.bin.part")
	s.handle = nil
	if err := f.Fetch(t.Context(), s.file); err != nil {
		t.Fatal(err)
	}
	s.whole(t, dir)
	if got := last(s.requests()); got != "bytes=50000-" {
		t.Errorf("asked for %q", got)
	}
}

func TestFetchWithoutRanges(t *testing.T) {
	s, dir := newRemote(t, 300_000), t.TempDir()
	s.handle = func(attempt int, w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Range")
		if attempt == 1 {
			s.breakAfter(100_000, w, r)
		}
		w.Write(s.content) // 200, without Content-Length
	}
	if err := (&Fetcher{Dir: dir}).Fetch(t.Context(), s.file); err != nil {
		t.Fatal(err)
	}
	s.whole(t, dir)
}

// A part of another version, one that is too long and one that is complete.
func TestFetchOnForeignPart(t *testing.T) {
	for name, part := range map[string]func(content []byte) []byte{
		"foreign":              func([]byte) []byte { return make([]byte, 1000) },
		"long":                 func(c []byte) []byte { return append(bytes.Clone(c), 1) },
		"complete":             bytes.Clone,
		"foreign and complete": func(c []byte) []byte { return make([]byte, len(c)) },
		"empty":                func([]byte) []byte { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			s, dir := newRemote(t, 5000), t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "sets"), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "sets", "file.bin.part"), part(s.content), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := (&Fetcher{Dir: dir}).Fetch(t.Context(), s.file); err != nil {
				t.Fatal(err)
			}
			s.whole(t, dir)
		})
	}
}

func TestFetchFails(t *testing.T) {
	for _, c := range []struct {
		name     string
		handle   func(s *remote) func(int, http.ResponseWriter, *http.Request)
		want     string
		requests int64
		left     []string
	}{
		{"wrong bytes", func(s *remote) func(int, http.ResponseWriter, *http.Request) {
			s.content[7]++
			return nil
		}, "was thrown away", 1, nil},
		{"not found", func(s *remote) func(int, http.ResponseWriter, *http.Request) {
			return func(_ int, w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }
		}, "answers 404 Not Found: the address", 1, nil},
		{"too long", func(s *remote) func(int, http.ResponseWriter, *http.Request) {
			s.content = append(s.content, 'x')
			return nil
		}, "more than the 5000 bytes", 1, nil},
		{"too short", func(s *remote) func(int, http.ResponseWriter, *http.Request) {
			s.content = s.content[:4000]
			return nil
		}, "was thrown away", 1, nil},
		{"out of order", func(s *remote) func(int, http.ResponseWriter, *http.Request) {
			return func(_ int, w http.ResponseWriter, r *http.Request) { http.Error(w, "", http.StatusServiceUnavailable) }
		}, "503 Service Unavailable, after 4 attempts: run the command again", 4, nil},
		{"always broken", func(s *remote) func(int, http.ResponseWriter, *http.Request) {
			return func(_ int, w http.ResponseWriter, r *http.Request) { s.breakAfter(1000, w, r) }
		}, "after 4 attempts", 4, []string{"file.bin.part"}},
		{"silence", func(s *remote) func(int, http.ResponseWriter, *http.Request) {
			return func(_ int, w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
		}, "nothing came for 50ms", 4, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, dir := newRemote(t, 5000), t.TempDir()
			stall := fetchStall
			if c.name == "silence" {
				fetchStall = 50 * time.Millisecond
			}
			defer func() { fetchStall = stall }()
			s.handle = c.handle(s)
			var made counter // the server may be too busy to see a request before it is cut
			err := (&Fetcher{Dir: dir, Client: &http.Client{Transport: &made}}).Fetch(t.Context(), s.file)
			if err == nil || !errors.Is(err, ErrData) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), s.file.Path) {
				t.Errorf("error %v, want ErrData with %q and the file", err, c.want)
			}
			if n := made.requests.Load(); n != c.requests {
				t.Errorf("%d requests, want %d", n, c.requests)
			}
			alone(t, dir, c.left...)
		})
	}
	t.Run("no server", func(t *testing.T) {
		s, dir := newRemote(t, 10), t.TempDir()
		s.file.Address = "http://127.0.0.1:1/file"
		err := (&Fetcher{Dir: dir}).Fetch(t.Context(), s.file)
		var fetch *FetchError
		if !errors.As(err, &fetch) || !fetch.Unreachable || !errors.Is(err, ErrData) || !strings.Contains(err.Error(), "after 4 attempts") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("no address", func(t *testing.T) {
		s, dir := newRemote(t, 10), t.TempDir()
		s.file.Address = ""
		if err := (&Fetcher{Dir: dir}).Fetch(t.Context(), s.file); !errors.Is(err, ErrData) || !strings.Contains(err.Error(), "--from DIR") || !strings.Contains(err.Error(), "the archive") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("another file is there", func(t *testing.T) {
		s, dir := newRemote(t, 10), t.TempDir()
		path := filepath.Join(dir, "sets", "file.bin")
		if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o777), os.WriteFile(path, []byte("mine"), 0o666)); err != nil {
			t.Fatal(err)
		}
		if err := (&Fetcher{Dir: dir}).Fetch(t.Context(), s.file); !errors.Is(err, ErrData) || !strings.Contains(err.Error(), "remove or rename it first") {
			t.Errorf("error %v", err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != "mine" {
			t.Errorf("%q, %v: the file was touched", got, err)
		}
	})
	t.Run("folder that cannot be", func(t *testing.T) {
		s := newRemote(t, 10)
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := (&Fetcher{Dir: path}).Fetch(t.Context(), s.file); err == nil || errors.Is(err, ErrData) {
			t.Errorf("error %v, want one of the system", err)
		}
	})
}

func TestCopy(t *testing.T) {
	s, from, dir := newRemote(t, 5000), t.TempDir(), t.TempDir()
	f := &Fetcher{Dir: dir}
	if err := f.Copy(t.Context(), from, s.file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v of a folder without the file", err)
	}
	source := filepath.Join(from, "sets", "file.bin")
	if err := errors.Join(os.Mkdir(filepath.Dir(source), 0o777), os.WriteFile(source, make([]byte, 5000), 0o666)); err != nil {
		t.Fatal(err)
	}
	if err := f.Copy(t.Context(), from, s.file); !errors.Is(err, ErrData) || !strings.Contains(err.Error(), source) {
		t.Errorf("error %v of another version", err)
	}
	alone(t, dir)
	if err := os.WriteFile(source, s.content, 0o666); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Copy(ended, from, s.file); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want canceled", err)
	}
	alone(t, dir)
	if err := f.Copy(t.Context(), from, s.file); err != nil {
		t.Fatal(err)
	}
	s.whole(t, dir)
	if len(s.requests()) != 0 {
		t.Error("the server was asked")
	}
}
