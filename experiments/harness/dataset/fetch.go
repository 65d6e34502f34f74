package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"contextmover/internal/atomicfile"
	"contextmover/internal/disk"
)

// FetchError says why a file could not be had.
type FetchError struct {
	Path    string // in the catalogue
	Problem string // what happened, and what to do
	// Hopeless tells that other files of the same place will fare no better now: there was no answer
	// at all, or one that asks to come back much later.
	Hopeless bool
}

func (e *FetchError) Error() string { return fmt.Sprintf("dataset: %s: %s", e.Path, e.Problem) }

// Is tells that the error is ErrData.
func (e *FetchError) Is(target error) bool { return target == ErrData }

// Fetcher gets files of the catalogue into a data folder, several at once. A file appears under its name
// only when it has its checksum; until then it grows under that name with .part
// added, from where a later call goes on. Fetchers of one folder, of other processes too, take turns where the
// system has locks.
type Fetcher struct {
	// Dir is the data folder. It is made if need be.
	Dir string
	// Mirror is the URL of a server that has the files as Host has; empty for Host.
	Mirror string
	// Client makes the requests; nil for one with the usual timeouts.
	Client *http.Client
	// Progress, if not nil, is told how many bytes of all the files are there, by one goroutine at a time.
	Progress func(done, total int64)

	mu    sync.Mutex
	have  map[string]int64 // bytes by path
	total int64
	most  int64     // that Progress was told
	until time.Time // when the server may be asked again
}

// Variables so that tests need not wait.
var (
	fetchAttempts = 4
	fetchPause    = 2 * time.Second // doubled after each attempt
	fetchStall    = time.Minute     // a transfer that brings nothing for so long is cut
	fetchPatience = 2 * time.Minute // what a server asks to wait at most
	fetchTurn     = 200 * time.Millisecond
)

const (
	atOnce = 8
	// So many files that cannot be had are enough to see that something is wrong with the place.
	tooMany = 20
)

// Lacking returns those of the published files that a fetch would get: that are neither in the data
// folder with their checksums nor there in their prepared form. A folder that does not exist lacks all.
func (f *Fetcher) Lacking(ctx context.Context, files []File) ([]File, error) {
	states, _, err := check(ctx, f.Dir, files)
	if err != nil {
		return nil, err
	}
	var lacking []File
	for _, s := range states {
		if !s.OK() {
			lacking = append(lacking, s.File)
		}
	}
	return lacking, nil
}

// Fetch downloads published files, members of collections among them, and returns how many of them are
// there now. Files in place with their checksum are left alone; what is damaged is replaced. What was
// loaded before is not loaded again if the server can go on from there (HTTP ranges); a broken transfer
// is taken up again a few times. Bytes with another checksum than the catalogue's are thrown away.
//
// Files that cannot be fetched do not keep it from getting the others, up to a number of them:
// their *FetchErrors come joined. Any other error, such as one of the disk, ends it.
func (f *Fetcher) Fetch(ctx context.Context, files []File) (got int, err error) {
	unlock, err := f.lock(ctx)
	if err != nil {
		return 0, err
	}
	defer unlock()
	f.start(files)
	return f.each(ctx, files, f.fetch)
}

// start sets the progress back.
func (f *Fetcher) start(files []File) {
	f.have, f.total, f.most = make(map[string]int64), 0, 0
	for _, file := range files {
		f.total += file.Bytes
	}
}

// each calls get for the files, several at once, and counts those for which it succeeds.
func (f *Fetcher) each(
	ctx context.Context, files []File, get func(ctx context.Context, file File) error,
) (got int, err error) {
	var (
		mu     sync.Mutex
		failed []error
	)
	g, inner := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	enough := errors.New("enough")
	for _, file := range files {
		if inner.Err() != nil {
			break
		}
		g.Go(func() error {
			err := get(inner, file)
			mu.Lock()
			defer mu.Unlock()
			var fetch *FetchError
			switch {
			case err == nil:
				got++
				f.told(file, file.Bytes)
			case errors.As(err, &fetch):
				failed = append(failed, err)
				if fetch.Hopeless || len(failed) == tooMany {
					return enough
				}
			default:
				return err
			}
			return nil
		})
	}
	err = g.Wait()
	switch {
	case ctx.Err() != nil:
		return got, ctx.Err()
	case err != nil && err != enough:
		return got, err
	}
	return got, errors.Join(failed...)
}

// told reports how much of a file is there. What has to be loaded again does not show.
func (f *Fetcher) told(file File, done int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.have[file.Path] = done
	if f.Progress == nil {
		return
	}
	sum := int64(0)
	for _, n := range f.have {
		sum += n
	}
	if sum > f.most {
		f.most = sum
		f.Progress(sum, f.total)
	}
}

// lock makes the data folder and keeps other fetchers away from it.
func (f *Fetcher) lock(ctx context.Context) (unlock func(), err error) {
	if err := disk.MkdirAll(f.Dir); err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	for waits := 0; ; waits++ {
		unlock, err := atomicfile.Lock(f.Dir)
		switch {
		case err == nil:
			return unlock, nil
		case !errors.Is(err, atomicfile.ErrLocked):
			return func() {}, nil // there are no locks here
		}
		if waits == 0 {
			slog.Info("waiting for another process that fills the data folder", "folder", f.Dir)
		}
		if err := sleep(ctx, fetchTurn); err != nil {
			return nil, err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// fetch downloads a file, unless it is there.
func (f *Fetcher) fetch(ctx context.Context, file File) (err error) {
	path := fullPath(f.Dir, file.Path)
	if inPlace(ctx, path, file) {
		return nil // another process got it meanwhile
	}
	if err := disk.MkdirAll(filepath.Dir(path)); err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	part, err := openPart(path + ".part")
	if err != nil {
		return failure(file, err)
	}
	defer func() {
		// A name for nothing helps nobody.
		if info, stat := part.Reader().Stat(); stat == nil && info.Size() == 0 {
			disk.Remove(part.Name())
		}
		if closing := part.Close(); err == nil && closing != nil && !errors.Is(closing, fs.ErrClosed) {
			err = fmt.Errorf("dataset: %w", closing)
		}
	}()
	have, err := part.Reader().Seek(0, io.SeekEnd)
	if err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	resumed := have > 0 // bytes of an earlier call are in the part
	pause := fetchPause
	for attempt := 1; ; attempt++ {
		err := f.transfer(ctx, file, part)
		if err == nil {
			err = finish(ctx, part, path, file)
			var wrong *FetchError
			if errors.As(err, &wrong) && resumed {
				// The part may have been of another version, or damaged: once more, from the start.
				resumed = false
				continue
			}
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.As(err, new(*FetchError)) || errors.As(err, new(*fs.PathError)) {
			return failure(file, err)
		}
		if attempt == fetchAttempts {
			return &FetchError{
				Path: file.Path, Hopeless: errors.As(err, new(*net.OpError)),
				Problem: fmt.Sprintf("%v, after %d attempts: run the command again to go on, name a server that has "+
					"it with --mirror URL, or copy the file with --from DIR", err, attempt),
			}
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
		pause *= 2
	}
}

// failure tells which file an error is about, if it does not say so itself.
func failure(file File, err error) error {
	if fetch := (*FetchError)(nil); errors.As(err, &fetch) {
		fetch.Path = file.Path
		return err
	}
	return fmt.Errorf("dataset: %w", err)
}

// openPart opens what has been loaded of a file, or makes it. It never writes to anything that a link points to, nor
// waits for a pipe.
func openPart(path string) (*disk.File, error) {
	refuse := &FetchError{Problem: path + " is a link or no regular file, expected what was loaded so far: remove it"}
	before, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		// It does not follow links either.
		return disk.CreateNew(path)
	}
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, refuse
	}
	f, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	if now, err := f.Reader().Stat(); err != nil || !os.SameFile(before, now) {
		f.Close()
		return nil, refuse
	}
	return f, nil
}

// transfer loads what the part lacks. A *FetchError or *fs.PathError is for good; any other error
// may be better next time.
func (f *Fetcher) transfer(ctx context.Context, file File, part *disk.File) error {
	have, err := part.Reader().Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if have > file.Bytes {
		have = 0
	}
	if have == file.Bytes && have > 0 {
		return nil
	}
	if err := f.wait(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := fetchStall
	stalled := time.AfterFunc(stall, func() { cancel(fmt.Errorf("nothing came for %v", stall)) })
	defer stalled.Stop()
	host := f.Mirror
	if host == "" {
		host = Host
	}
	address := file.Address(host)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return &FetchError{Problem: err.Error()}
	}
	// Compression on the way would make ranges those of something else.
	request.Header.Set("Accept-Encoding", "identity")
	if have > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	client := f.Client
	if client == nil {
		client = defaultClient
	}
	response, err := client.Do(request)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return err
	}
	defer response.Body.Close()
	later, delayed := retryAfter(response)
	switch status := response.StatusCode; {
	case status == http.StatusPartialContent && strings.HasPrefix(response.Header.Get("Content-Range"),
		fmt.Sprintf("bytes %d-", have)):
	case status == http.StatusOK, status == http.StatusPartialContent && have == 0:
		have = 0 // the server has no ranges
	case status == http.StatusPartialContent, status == http.StatusRequestedRangeNotSatisfiable:
		if err := part.Truncate(0); err != nil {
			return err
		}
		return fmt.Errorf("%s does not go on at byte %d", address, have)
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, status >= 500, delayed:
		if later > fetchPatience {
			return &FetchError{Hopeless: true, Problem: fmt.Sprintf("%s answers %s and asks to wait %v: run the "+
				"command again then, to go on", address, response.Status, later)}
		}
		f.postpone(later)
		return fmt.Errorf("%s answers %s", address, response.Status)
	case status == http.StatusForbidden || status == http.StatusUnauthorized:
		return &FetchError{Problem: fmt.Sprintf("%s answers %s: the host, or something on the way to it, refuses; "+
			"name another server with --mirror URL, or copy the file with --from DIR", address, response.Status)}
	default:
		if err := part.Truncate(0); err != nil {
			return err
		}
		return &FetchError{Problem: fmt.Sprintf("%s answers %s: the address of this version has gone; name another "+
			"server with --mirror URL, or copy the file with --from DIR; it was published first as "+
			"%s", address, response.Status, file.Original)}
	}
	if err := part.Truncate(have); err != nil {
		return err
	}
	if _, err := part.Reader().Seek(have, io.SeekStart); err != nil {
		return err
	}
	buffer := make([]byte, 1<<16)
	for {
		n, readErr := response.Body.Read(buffer)
		stalled.Reset(stall)
		if have += int64(n); have > file.Bytes {
			if err := part.Truncate(0); err != nil {
				return err
			}
			return &FetchError{Problem: fmt.Sprintf("%s serves more than the %d bytes of the file: it has another "+
				"version", address, file.Bytes)}
		}
		if _, err := part.Write(buffer[:n]); err != nil {
			return err
		}
		f.told(file, have)
		if readErr == io.EOF {
			break
		}
		if readErr != nil {
			if cause := context.Cause(ctx); cause != nil {
				return cause
			}
			return readErr
		}
	}
	if have < file.Bytes && response.ContentLength < 0 {
		return fmt.Errorf("the transfer ended at byte %d of %d", have, file.Bytes)
	}
	return nil // if it is too short, the server thinks that it is all: the checksum tells
}

// defaultClient keeps as many connections as there are transfers.
var defaultClient = func() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = atOnce
	return &http.Client{Transport: t}
}()

// retryAfter returns how long the server asks to wait, in seconds or until a date, and whether it does.
func retryAfter(r *http.Response) (time.Duration, bool) {
	header := r.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(header); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, 1<<30)) * time.Second, true
	}
	if date, err := http.ParseTime(header); err == nil {
		return max(time.Until(date), 0), true
	}
	return 0, false
}

// postpone makes all transfers wait before their next request.
func (f *Fetcher) postpone(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if until := time.Now().Add(d); until.After(f.until) {
		f.until = until
	}
}

// wait returns when the server may be asked.
func (f *Fetcher) wait(ctx context.Context) error {
	for {
		f.mu.Lock()
		d := time.Until(f.until)
		f.mu.Unlock()
		if d <= 0 {
			return nil
		}
		if err := sleep(ctx, d); err != nil {
			return err
		}
	}
}

// finish checks the part and gives it its name; a wrong one is emptied.
func finish(ctx context.Context, part *disk.File, path string, file File) error {
	h := sha256.New()
	_, err := part.Reader().Seek(0, io.SeekStart)
	if err == nil {
		_, err = io.Copy(h, part.Reader())
	}
	if err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	if sum := hex.EncodeToString(h.Sum(nil)); sum != file.SHA256 {
		if err := part.Truncate(0); err != nil {
			return fmt.Errorf("dataset: %w", err)
		}
		return &FetchError{Path: file.Path, Problem: fmt.Sprintf("the loaded file has the SHA-256 %.12s…, expected "+
			"%.12s…, and was thrown away: the source has another version, or the transfer was tampered with; copy "+
			"the file with --from DIR", sum, file.SHA256)}
	}
	err = errors.Join(part.Sync(), part.Close())
	if err == nil {
		err = disk.Rename(part.Name(), path)
	}
	if err == nil {
		err = disk.SyncFolder(filepath.Dir(path))
	}
	if err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	return nil
}
