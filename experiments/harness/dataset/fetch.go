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

// FetchError says why a file could not be downloaded.
type FetchError struct {
	Path    string // in the catalogue
	Problem string // what happened, and what to do
}

func (e *FetchError) Error() string { return fmt.Sprintf("dataset: %s: %s", e.Path, e.Problem) }

// Is tells that the error is ErrData.
func (e *FetchError) Is(target error) bool { return target == ErrData }

// elsewhere says how to get a file otherwise.
const elsewhere = "name a server that has it with --mirror URL, or copy the file with --from DIR"

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
	most  int64 // that Progress was told
}

// Variables so that tests need not wait.
var (
	fetchAttempts = 4
	fetchPause    = 2 * time.Second // doubled after each attempt
	fetchStall    = time.Minute     // a transfer that brings nothing for so long is cut
	fetchPatience = 2 * time.Minute // the longest wait that a server may ask for
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
				f.report(file, file.Bytes)
			case errors.As(err, &fetch):
				if failed = append(failed, err); len(failed) == tooMany {
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
func (f *Fetcher) report(file File, done int64) {
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
func (f *Fetcher) fetch(ctx context.Context, file File) error {
	path := fullPath(f.Dir, file.Path)
	if inPlace(ctx, path, file) {
		return nil // another process got it meanwhile
	}
	resumed, pause := false, fetchPause
	for attempt := 1; ; attempt++ {
		part, have, err := openPart(path + ".part")
		if err != nil {
			return fmt.Errorf("dataset: %w", err)
		}
		resumed = resumed || attempt == 1 && have > 0 // bytes of an earlier call are in the part
		err = f.transfer(ctx, file, part, have)
		if err == nil {
			err = finish(part, path, file)
		}
		err = errors.Join(err, closePart(part))
		var answer *answerError
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, new(*fs.PathError)):
			return fmt.Errorf("dataset: %w", err)
		case errors.Is(err, errOther) && resumed:
			resumed = false // the part may have been of another version, or damaged: once more, from the start
			continue
		case errors.As(err, &answer) && answer.wait >= 0:
			pause = max(pause, answer.wait)
		}
		if errors.Is(err, errOther) || answer != nil && (answer.wait < 0 || answer.wait > fetchPatience) {
			return &FetchError{file.Path, fmt.Sprintf("%v: %s; it was published first as %s", err, elsewhere,
				file.Original)}
		}
		if attempt == fetchAttempts {
			return &FetchError{file.Path, fmt.Sprintf("%v, after %d attempts: run the command again to go on, %s", err,
				attempt, elsewhere)}
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
		pause *= 2
	}
}

// errOther is returned for bytes that are not those of the catalogue.
var errOther = errors.New("the source has another version, or the transfer was tampered with")

// answerError is an answer without the file.
type answerError struct {
	text string
	wait time.Duration // until it is worthwhile to ask again, below 0 if it never is
}

func (e *answerError) Error() string { return e.text }

// openPart opens what has been loaded of a file, or makes it, and returns how many bytes that is. What is no regular
// file is removed: it would have somebody else's file written to, or never end.
func openPart(path string) (part *disk.File, have int64, err error) {
	if err := disk.MkdirAll(filepath.Dir(path)); err != nil {
		return nil, 0, err
	}
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		if err := disk.Remove(path); err != nil {
			return nil, 0, err
		}
		err = fs.ErrNotExist
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		part, err = disk.CreateNew(path)
		return part, 0, err
	case err != nil:
		return nil, 0, err
	}
	part, err = disk.Open(path)
	return part, info.Size(), err
}

// closePart closes a part, and removes one without bytes.
func closePart(part *disk.File) error {
	if info, err := os.Lstat(part.Name()); err == nil && info.Size() == 0 {
		disk.Remove(part.Name())
	}
	if err := part.Close(); !errors.Is(err, fs.ErrClosed) {
		return err
	}
	return nil
}

// transfer loads what the part lacks, which has so many bytes.
func (f *Fetcher) transfer(ctx context.Context, file File, part *disk.File, have int64) error {
	if have > file.Bytes {
		have = 0
	}
	if have == file.Bytes && have > 0 {
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := fetchStall
	stalled := time.AfterFunc(stall, func() { cancel(fmt.Errorf("nothing came for %v", stall)) })
	defer stalled.Stop()
	response, have, err := f.ask(ctx, file, have)
	if err != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	defer response.Body.Close()
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
			return errors.Join(fmt.Errorf("%s serves more than the %d bytes of the file: %w", response.Request.URL,
				file.Bytes, errOther), part.Truncate(0))
		}
		if _, err := part.Write(buffer[:n]); err != nil {
			return err
		}
		f.report(file, have)
		switch {
		case readErr == io.EOF && have < file.Bytes && response.ContentLength < 0:
			return fmt.Errorf("the transfer ended at byte %d of %d", have, file.Bytes)
		case readErr == io.EOF:
			return nil // if it is too short, the server thinks that it is all: the checksum tells
		case readErr != nil:
			return errors.Join(readErr, context.Cause(ctx))
		}
	}
}

// ask asks the server for a file from a byte on. It returns the answer and where that begins: at 0 if the server has no
// ranges, or does not go on at this byte. The error is an *answerError if the server answers without the file.
func (f *Fetcher) ask(ctx context.Context, file File, have int64) (*http.Response, int64, error) {
	host := f.Mirror
	if host == "" {
		host = Host
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, file.Address(host), nil)
	if err != nil {
		return nil, 0, err
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
		return nil, 0, err
	}
	goesOn := strings.HasPrefix(response.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", have))
	switch status := response.StatusCode; {
	case status == http.StatusOK:
		return response, 0, nil
	case status == http.StatusPartialContent && (goesOn || have == 0):
		return response, have, nil
	}
	response.Body.Close()
	answer := &answerError{request.URL.String() + " answers " + response.Status, -1}
	switch status := response.StatusCode; {
	case status == http.StatusPartialContent || status == http.StatusRequestedRangeNotSatisfiable:
		if have > 0 {
			return f.ask(ctx, file, 0)
		}
	case status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status >= 500:
		seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
		if answer.wait = time.Duration(max(min(seconds, 1<<30), 0)) * time.Second; answer.wait > fetchPatience {
			answer.text += fmt.Sprintf(" and asks to wait %v", answer.wait)
		}
	}
	return nil, 0, answer
}

// defaultClient keeps as many connections as there are transfers.
var defaultClient = func() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = atOnce
	return &http.Client{Transport: t}
}()

// finish checks the part and gives it its name; one with other bytes is emptied.
func finish(part *disk.File, path string, file File) error {
	h := sha256.New()
	_, err := part.Reader().Seek(0, io.SeekStart)
	if err == nil {
		_, err = io.Copy(h, part.Reader())
	}
	if err != nil {
		return err
	}
	if sum := hex.EncodeToString(h.Sum(nil)); sum != file.SHA256 {
		return errors.Join(fmt.Errorf("the loaded file has the SHA-256 %.12s…, expected %.12s…, and was thrown "+
			"away: %w", sum, file.SHA256, errOther), part.Truncate(0))
	}
	if err := errors.Join(part.Sync(), part.Close()); err != nil {
		return err
	}
	if err := disk.Rename(part.Name(), path); err != nil {
		return err
	}
	return disk.SyncFolder(filepath.Dir(path))
}
