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
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"contextmover/internal/atomicfile"
)

// remote is a server with one file, which does what a test tells it.
type remote struct {
	content []byte
	file    File
	url     string
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
	s.file = File{Path: "sets/file.bin", Bytes: int64(size), SHA256: hex.EncodeToString(sum[:]), Original: "the archive", Source: "owner/name@" + strings.Repeat("0", 40) + ":a file.bin"}
	s.url = server.URL
	pause := fetchPause
	fetchPause = time.Millisecond
	t.Cleanup(func() { fetchPause = pause })
	return s
}

// fetcher returns one that asks the server.
func (s *remote) fetcher(dir string) *Fetcher { return &Fetcher{Dir: dir, Mirror: s.url} }

// fetch fetches the file into a folder.
func (s *remote) fetch(ctx context.Context, dir string) error {
	got, err := s.fetcher(dir).Fetch(ctx, []File{s.file})
	if (got == 1) != (err == nil) {
		return fmt.Errorf("%d files, %w", got, err)
	}
	return err
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
	f := s.fetcher(dir)
	f.Progress = func(done, total int64) {
		if done < most || total != 300_000 {
			t.Errorf("%d of %d after %d", done, total, most)
		}
		most = done
	}
	if got, err := f.Fetch(t.Context(), []File{s.file}); err != nil || got != 1 {
		t.Fatal(got, err)
	}
	s.whole(t, dir)
	if most != 300_000 {
		t.Errorf("progress ended at %d", most)
	}
	// What is there is not asked for again.
	if err := s.fetch(t.Context(), dir); err != nil || len(s.requests()) != 1 {
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
	if err := s.fetch(t.Context(), dir); err != nil {
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
	f := s.fetcher(dir)
	f.Progress = func(done, _ int64) {
		if done == 50_000 {
			cancel()
		}
	}
	if _, err := f.Fetch(ctx, []File{s.file}); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want canceled", err)
	}
	alone(t, dir, "file.bin.part")
	s.handle = nil
	if err := s.fetch(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	s.whole(t, dir)
	if got := last(s.requests()); got != "bytes=50000-" {
		t.Errorf("asked for %q", got)
	}
}

// A process that is killed leaves what it has loaded, and the next one goes on from there to the same bytes.
func TestKilledFetchGoesOn(t *testing.T) {
	const variable = "CONTEXTMOVER_TEST_FETCH" // set in the process that is killed, to URL and folder
	if at, dir, ok := strings.Cut(os.Getenv(variable), " "); ok {
		s := newRemote(t, 300_000)
		s.url = at
		t.Fatal(s.fetch(t.Context(), dir)) // it does not come to that
	}
	s, dir := newRemote(t, 300_000), t.TempDir()
	s.mu.Lock() // the detector does not see that the process asks later
	s.handle = func(attempt int, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "300000")
		w.Write(s.content[:100_000])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	s.mu.Unlock()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(self, "-test.run=^TestKilledFetchGoesOn$")
	child.Env = append(os.Environ(), variable+"="+s.url+" "+dir)
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer child.Wait()
	defer child.Process.Kill()
	part := filepath.Join(dir, "sets", "file.bin.part")
	for {
		if info, err := os.Stat(part); err == nil && info.Size() == 100_000 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	child.Process.Kill()
	child.Wait()
	alone(t, dir, "file.bin.part")
	s.mu.Lock()
	s.handle = nil
	s.mu.Unlock()
	if err := s.fetch(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	s.whole(t, dir)
	if got := last(s.requests()); got != "bytes=100000-" {
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
	if err := s.fetch(t.Context(), dir); err != nil {
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
			if err := s.fetch(t.Context(), dir); err != nil {
				t.Fatal(err)
			}
			s.whole(t, dir)
		})
	}
}

// lie announces another length than it sends.
func lie(w http.ResponseWriter, length int, content []byte) {
	conn, stream, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	fmt.Fprintf(stream, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n", length)
	stream.Write(content)
	stream.Flush()
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
		}, "was thrown away", 4, nil},
		{"not found", func(s *remote) func(int, http.ResponseWriter, *http.Request) {
			return func(_ int, w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }
		}, "answers 404 Not Found: name a server", 1, nil},
		{"refused", func(s *remote) func(int, http.ResponseWriter, *http.Request) {
			return func(_ int, w http.ResponseWriter, r *http.Request) { http.Error(w, "", http.StatusForbidden) }
		}, "answers 403 Forbidden: name a server", 1, nil},
		{"asked to wait", func(s *remote) func(int, http.ResponseWriter, *http.Request) {
			return func(_ int, w http.ResponseWriter, r *http.Request) {
				http.Error(w, "", http.StatusTooManyRequests)
			}
		}, "answers 429 Too Many Requests, after 4 attempts", 4, nil},
		{"says less than it sends", func(s *remote) func(int, http.ResponseWriter, *http.Request) {
			return func(_ int, w http.ResponseWriter, r *http.Request) { lie(w, 4000, s.content) }
		}, "was thrown away", 4, nil},
		{"says more and ends early", func(s *remote) func(int, http.ResponseWriter, *http.Request) {
			return func(_ int, w http.ResponseWriter, r *http.Request) { lie(w, 6000, s.content[:10]) }
		}, "unexpected EOF, after 4 attempts", 4, []string{"file.bin.part"}},
		{"goes on elsewhere than it says", func(s *remote) func(int, http.ResponseWriter, *http.Request) {
			return func(attempt int, w http.ResponseWriter, r *http.Request) {
				if attempt == 1 {
					s.breakAfter(1000, w, r)
				}
				w.Header().Set("Content-Range", "bytes 1000-4999/5000")
				w.WriteHeader(http.StatusPartialContent)
				w.Write(s.content[:4000])
			}
		}, "answers 206 Partial Content", 3, nil},
		{"too long", func(s *remote) func(int, http.ResponseWriter, *http.Request) {
			s.content = append(s.content, 'x')
			return nil
		}, "was thrown away", 4, nil},
		{"too short", func(s *remote) func(int, http.ResponseWriter, *http.Request) {
			s.content = s.content[:4000]
			return nil
		}, "was thrown away", 4, nil},
		{"out of order", func(s *remote) func(int, http.ResponseWriter, *http.Request) {
			return func(_ int, w http.ResponseWriter, r *http.Request) { http.Error(w, "", http.StatusServiceUnavailable) }
		}, "503 Service Unavailable, after 4 attempts: run the command again", 4, nil},
		{"always broken", func(s *remote) func(int, http.ResponseWriter, *http.Request) {
			return func(_ int, w http.ResponseWriter, r *http.Request) { s.breakAfter(1000, w, r) }
		}, "after 4 attempts", 4, []string{"file.bin.part"}},
		{"silence", func(s *remote) func(int, http.ResponseWriter, *http.Request) {
			return func(_ int, w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
		}, "deadline exceeded, after 4 attempts", 4, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, dir := newRemote(t, 5000), t.TempDir()
			longest := fetchTime
			if c.name == "silence" {
				fetchTime = 50 * time.Millisecond
			}
			defer func() { fetchTime = longest }()
			s.handle = c.handle(s)
			var made counter // the server may be too busy to see a request before it is cut
			f := s.fetcher(dir)
			f.Client = &http.Client{Transport: &made}
			_, err := f.Fetch(t.Context(), []File{s.file})
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
		s.url = "http://127.0.0.1:1"
		err := s.fetch(t.Context(), dir)
		var fetch *FormatError
		if !errors.As(err, &fetch) || !errors.Is(err, ErrData) || !strings.Contains(err.Error(), "after 4 attempts") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("folder that cannot be", func(t *testing.T) {
		s := newRemote(t, 10)
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := s.fetch(t.Context(), path); err == nil || errors.Is(err, ErrData) {
			t.Errorf("error %v, want one of the system", err)
		}
	})
}

// A server that takes longer than an attempt may goes on where it was cut.
func TestSlowServer(t *testing.T) {
	s, dir := newRemote(t, 5000), t.TempDir()
	longest := fetchTime
	fetchTime = time.Second
	defer func() { fetchTime = longest }()
	s.handle = func(attempt int, w http.ResponseWriter, r *http.Request) {
		if attempt > 1 {
			s.serve(w, r)
			return
		}
		w.Write(s.content[:100])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	if err := s.fetch(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	s.whole(t, dir)
	if got := last(s.requests()); got != "bytes=100-" {
		t.Errorf("asked for %q", got)
	}
}

// Damage to what is in place, or to what has been loaded so far, is noticed and mended.
func TestFetchMendsDamage(t *testing.T) {
	for _, name := range []string{"file.bin", "file.bin.part"} {
		for what, damage := range map[string]func(content []byte) []byte{
			"a flipped byte":    func(c []byte) []byte { c = bytes.Clone(c); c[2500] ^= 1; return c },
			"cut in the middle": func(c []byte) []byte { return slices.Concat(c[:2000], c[3000:]) },
			"cut at the end":    func(c []byte) []byte { return c[:4000] },
		} {
			t.Run(name+" "+what, func(t *testing.T) {
				s, dir := newRemote(t, 5000), t.TempDir()
				path := write(t, dir, "sets/"+name, string(damage(s.content)))
				if lacking, err := s.fetcher(dir).Lacking(t.Context(), []File{s.file}); err != nil || len(lacking) != 1 {
					t.Errorf("%v %v are lacking", lacking, err)
				}
				if err := s.fetch(t.Context(), dir); err != nil {
					t.Fatal(path, err)
				}
				s.whole(t, dir)
			})
		}
	}
}

// A length that is not true does no harm if the bytes are right.
func TestFetchTrustsBytesAlone(t *testing.T) {
	s, dir := newRemote(t, 5000), t.TempDir()
	s.handle = func(_ int, w http.ResponseWriter, r *http.Request) { lie(w, 6000, s.content) }
	if err := s.fetch(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	s.whole(t, dir)
}

// many returns files of a server that has one file under many names.
func (s *remote) many(n int) []File {
	files := make([]File, n)
	for i := range files {
		files[i] = s.file
		files[i].Path = fmt.Sprintf("sets/%03d", i)
	}
	return files
}

// Files come several at once, never more than so many; an interrupted fetch goes on with the others.
func TestFetchInParallel(t *testing.T) {
	s, dir := newRemote(t, 5000), t.TempDir()
	var now, most atomic.Int64
	together := make(chan struct{})
	var once sync.Once
	s.handle = func(_ int, w http.ResponseWriter, r *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		if n == atOnce {
			once.Do(func() { close(together) })
		}
		select {
		case <-together:
		case <-r.Context().Done():
		}
		s.serve(w, r)
	}
	files := s.many(40)
	ctx, cancel := context.WithCancel(t.Context())
	f := s.fetcher(dir)
	f.Progress = func(done, total int64) {
		if total != 40*5000 {
			t.Errorf("%d bytes in all", total)
		}
		if done > 60_000 {
			cancel()
		}
	}
	if got, err := f.Fetch(ctx, files); !errors.Is(err, context.Canceled) || got == 0 || got == 40 {
		t.Errorf("%d files, %v", got, err)
	}
	if most.Load() != atOnce {
		t.Errorf("%d transfers at once, want %d", most.Load(), atOnce)
	}
	before := len(s.requests())
	lacking, err := f.Lacking(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	f.Progress = nil
	if got, err := f.Fetch(t.Context(), lacking); err != nil || got != len(lacking) {
		t.Errorf("%d files of %d, %v", got, len(lacking), err)
	}
	if n := len(s.requests()) - before; n > len(lacking) {
		t.Errorf("%d requests for %d files", n, len(lacking))
	}
	if lacking, err := f.Lacking(t.Context(), files); err != nil || len(lacking) > 0 {
		t.Errorf("%d files are lacking, %v", len(lacking), err)
	}
}

// Many failures, or a server that does not answer, end it; a few do not keep it from the others.
func TestFetchGivesUp(t *testing.T) {
	s, dir := newRemote(t, 5000), t.TempDir()
	files := s.many(200)
	s.handle = func(attempt int, w http.ResponseWriter, r *http.Request) {
		if attempt%50 == 1 {
			http.NotFound(w, r)
			return
		}
		s.serve(w, r)
	}
	if got, err := s.fetcher(dir).Fetch(t.Context(), files); got != 196 || err == nil || strings.Count(err.Error(), "answers 404") != 4 {
		t.Errorf("%d files, %v", got, err)
	}
	s.mu.Lock()
	s.handle = func(_ int, w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }
	s.mu.Unlock()
	before := len(s.requests())
	if got, err := s.fetcher(t.TempDir()).Fetch(t.Context(), files); got != 0 || !errors.Is(err, ErrData) {
		t.Errorf("%d files, %v", got, err)
	}
	if n := len(s.requests()) - before; n < tooMany || n > tooMany+atOnce {
		t.Errorf("%d requests, want about %d", n, tooMany)
	}
}

// While one fetches into a folder, nobody else does.
func TestConcurrentFetches(t *testing.T) {
	s, dir := newRemote(t, 5000), t.TempDir()
	unlock, err := atomicfile.Lock(dir)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("there are no locks here")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := s.fetch(t.Context(), dir); err == nil || !strings.Contains(err.Error(), dir+": another process") {
		t.Errorf("error %v of the second one", err)
	}
	unlock()
	if err := s.fetch(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	s.whole(t, dir)
}

// A part that is a link would have somebody else's file written to: it is removed.
func TestFetchRemovesStrangeParts(t *testing.T) {
	other := write(t, t.TempDir(), "other", "mine")
	for _, target := range []string{other, other + "2"} {
		s, dir := newRemote(t, 5000), t.TempDir()
		part := filepath.Join(dir, "sets", "file.bin.part")
		if err := errors.Join(os.Mkdir(filepath.Dir(part), 0o777), os.Symlink(target, part)); err != nil {
			t.Fatal(err)
		}
		if err := s.fetch(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
		s.whole(t, dir)
	}
	if content, err := os.ReadFile(other); err != nil || string(content) != "mine" {
		t.Errorf("%q, %v: what the link points to was written to", content, err)
	}
	if _, err := os.Lstat(other + "2"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v: a file was made where the link points to", err)
	}
}
